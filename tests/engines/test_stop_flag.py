"""A compiled search is stopped at its moment, and not after its end: by the clock, or else by a timer."""

from __future__ import annotations

import time

import pytest

from gomogo_core.engines import stop_flag


def test_the_search_gets_the_time_of_its_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_flag, "_READS_CLOCK", True)
    state = [9, 0, 0, 0]
    with stop_flag.set_flag_at(12.5, state, 1):
        assert state == [9, 0, 12, 500_000_000]
    assert state == [9, 0, 0, 0]


def test_an_abandoned_search_does_not_change_the_time_of_a_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_flag, "_READS_CLOCK", True)
    state = [0, 0, 0]
    with stop_flag.set_flag_at(8.0, state, 0):
        later = stop_flag.set_flag_at(9.0, state, 0)
        later.__enter__()
    assert state == [0, 9, 0]


def test_the_timer_sets_the_stop_flag_at_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_flag, "_READS_CLOCK", False)
    state = [0, 0]
    with stop_flag.set_flag_at(time.monotonic() - 1.0, state, 1):
        while not state[1]:
            time.sleep(0.001)
    assert state == [0, 1]


def test_a_finished_search_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_flag, "_READS_CLOCK", False)
    state = [0]
    moment = time.monotonic() + 0.05
    with stop_flag.set_flag_at(moment, state, 0):
        pass
    time.sleep(max(0.0, moment + 0.05 - time.monotonic()))
    assert state == [0]


def test_a_search_without_a_stop_time_is_not_stopped() -> None:
    state = [0]
    with stop_flag.set_flag_at(None, state, 0):
        assert state == [0]
