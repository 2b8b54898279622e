"""The timer that shows where an agent hangs serves several quick turns, and never fires in a long wait."""

from __future__ import annotations

import faulthandler
import math

import pytest

from gomogo_core.agent._traceback import TracebackTimer


class FakeTimers:
    """The timers that were set and cancelled, and a clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0
        self.fires_at: float | None = None
        self.number = 0

    def dump_traceback_later(self, seconds: float, file: int) -> None:
        self.fires_at, self.number = self.now + seconds, self.number + 1

    def cancel_dump_traceback_later(self) -> None:
        self.fires_at = None


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> FakeTimers:
    fake = FakeTimers()
    monkeypatch.setattr(faulthandler, "dump_traceback_later", fake.dump_traceback_later)
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", fake.cancel_dump_traceback_later)
    monkeypatch.setattr("time.monotonic", lambda: fake.now)
    return fake


def test_it_fires_at_the_end_of_each_turn_or_a_little_earlier(timers: FakeTimers) -> None:
    timer = TracebackTimer()
    for turn in range(200):
        timer.begin(1.0)
        assert timers.fires_at is not None
        assert 0.99 <= timers.fires_at - timers.now <= 1.0
        timers.now += 0.002 if turn % 20 else 0.3
        timer.wait_on()
    assert timers.number < 60


def test_a_shorter_turn_sets_it_again(timers: FakeTimers) -> None:
    timer = TracebackTimer()
    timer.begin(1.0)
    timer.begin(0.1)
    assert timers.fires_at == pytest.approx(timers.now + 0.1)


def test_a_long_wait_and_a_turn_without_a_limit_cancel_it(timers: FakeTimers) -> None:
    timer = TracebackTimer()
    timer.begin(1.0)
    assert timer.cancel_at == pytest.approx(timers.now + 0.5)
    timers.now += 0.4
    timer.wait_on()
    assert timers.fires_at is not None
    timers.now += 0.2
    timer.wait_on()
    assert timers.fires_at is None
    assert timer.cancel_at == math.inf
    timer.begin(1.0)
    timer.begin(math.inf)
    assert timers.fires_at is None
