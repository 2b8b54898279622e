"""An agent measures the delays of its machine, and keeps a reserve for them."""

from __future__ import annotations

import os
import time

import pytest

from gomogo_core.agent import _delays
from gomogo_core.agent._delays import MeasuredDelays, _ProcessTimes


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[_ProcessTimes | None]:
    """The system's counts, one for each look, the last one again and again."""
    process_times: list[_ProcessTimes | None] = [_ProcessTimes(1.0, 0.0)]
    monkeypatch.setattr(
        _delays, "_read_process_times", lambda: process_times.pop(0) if len(process_times) > 1 else process_times[0]
    )
    return process_times


def test_a_quiet_machine_needs_no_reserve(counts: list[_ProcessTimes | None]) -> None:
    assert MeasuredDelays().deadline_reserve == 0.0


def test_the_reserve_covers_the_longest_delays_of_a_move(counts: list[_ProcessTimes | None]) -> None:
    delays = MeasuredDelays()
    delays.record_move_delays(wake_delay=0.004, end_delay=0.03)
    delays.record_move_delays(wake_delay=0.02, end_delay=-5.0)
    assert delays.deadline_reserve == pytest.approx(0.03 * 0.98 + 0.02)


def test_delays_are_forgotten(counts: list[_ProcessTimes | None]) -> None:
    delays = MeasuredDelays()
    delays.record_move_delays(wake_delay=0.02, end_delay=0.03)
    for _ in range(100):
        delays.record_move_delays(wake_delay=0.0, end_delay=0.0)
    assert 0 < delays.deadline_reserve < 0.01


def test_a_suspended_machine_is_not_treated_as_slow(counts: list[_ProcessTimes | None]) -> None:
    delays = MeasuredDelays()
    delays.record_move_delays(wake_delay=3600.0, end_delay=0.0)
    assert delays.deadline_reserve <= 0.25


def test_the_first_reserve_follows_from_waiting_for_a_core(
    counts: list[_ProcessTimes | None],
) -> None:
    counts[:] = [_ProcessTimes(0.2, 0.6)]
    three_others = MeasuredDelays().deadline_reserve
    counts[:] = [_ProcessTimes(0.2, 1.2)]
    assert 0.03 < three_others == pytest.approx(MeasuredDelays().deadline_reserve / 2)


def test_the_reserve_follows_the_competition_for_the_cores(
    counts: list[_ProcessTimes | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock_time = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: clock_time)
    counts[:] = [_ProcessTimes(1.0, 0.0), _ProcessTimes(1.1, 0.5)]
    delays = MeasuredDelays()
    assert delays.deadline_reserve == 0.0
    clock_time = 10.0
    assert delays.deadline_reserve == pytest.approx(0.1)


def test_without_waiting_counts_the_load_average_decides(
    counts: list[_ProcessTimes | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts[:] = [None]
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (13.0, 0.0, 0.0))
    assert MeasuredDelays().deadline_reserve == pytest.approx(0.11)
    monkeypatch.setattr(os, "getloadavg", lambda: (1.0, 0.0, 0.0))
    assert MeasuredDelays().deadline_reserve == 0.0
