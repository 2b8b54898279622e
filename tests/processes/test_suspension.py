"""A process that was suspended detects it, whichever thread continues first; a busy or waiting one does not."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from gomogo_core.processes import suspend
from gomogo_core.processes.suspend import BEAT_INTERVAL, MAX_BEAT_DELAY, Heartbeat


@pytest.fixture
def skipped(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds by which the clock has gone on; append some to let it. It does not run by itself, because on a busy
    machine a beat may be a second late.
    """
    suspended = [0.0]
    monkeypatch.setattr(suspend, "_clock_with_sleep", lambda: sum(suspended))
    return suspended


@pytest.fixture
def heartbeat(skipped: list[float]) -> Iterator[Heartbeat]:
    beating = Heartbeat()
    assert beating.suspended_seconds() == 0
    yield beating
    beating.close()


def test_a_query_detects_a_suspension(heartbeat: Heartbeat, skipped: list[float]) -> None:
    skipped.append(30)
    assert heartbeat.suspended_seconds() == pytest.approx(30, abs=2 * BEAT_INTERVAL + MAX_BEAT_DELAY)


def test_the_next_beat_detects_a_suspension(heartbeat: Heartbeat, skipped: list[float]) -> None:
    skipped.append(30)
    while not heartbeat._suspended_seconds:
        time.sleep(BEAT_INTERVAL / 10)
    assert heartbeat.suspended_seconds() == heartbeat._suspended_seconds > 25


def test_several_suspensions_add_up(heartbeat: Heartbeat, skipped: list[float]) -> None:
    for _ in range(3):
        skipped.append(10)
        heartbeat.suspended_seconds()
    assert heartbeat.suspended_seconds() == pytest.approx(30, abs=3 * (2 * BEAT_INTERVAL + MAX_BEAT_DELAY))


def test_short_delays_are_not_suspensions(heartbeat: Heartbeat, skipped: list[float]) -> None:
    for _ in range(5):
        skipped.append(MAX_BEAT_DELAY / 2)
        assert heartbeat.suspended_seconds() == 0


@pytest.mark.slow
@pytest.mark.parametrize("waiting", [{1: 4.5}, {2: 4.5}, {1: 2.0, 2: 1.5, 3: 1.0}], ids=["its own", "other", "several"])
def test_a_process_without_a_core_is_starved_but_not_suspended(
    waiting: dict[int, float], heartbeat: Heartbeat, skipped: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = {1: 0.0, 2: 0.0}  # seconds, by the number of a thread
    monkeypatch.setattr(suspend, "_seconds_without_core", lambda: dict(waited))
    time.sleep(3 * BEAT_INTERVAL)  # the thread has read the times above
    waited |= waiting
    skipped.append(5)
    assert heartbeat.suspended_seconds() == 0
    assert heartbeat.starved_seconds == pytest.approx(5, abs=2 * BEAT_INTERVAL)
    skipped.append(5)
    assert heartbeat.suspended_seconds() == pytest.approx(5, abs=2 * BEAT_INTERVAL)


def test_changes_of_the_wall_clock_are_ignored(heartbeat: Heartbeat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert heartbeat.suspended_seconds() == 0


def test_time_while_the_heartbeat_is_closed_does_not_count(skipped: list[float]) -> None:
    before, heartbeat = threading.active_count(), Heartbeat()
    for _ in range(2):
        assert heartbeat.suspended_seconds() == 0
        heartbeat.close()
        assert threading.active_count() == before
        skipped.append(60)
