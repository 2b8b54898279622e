"""An agent measures the delays of its machine, and keeps a reserve for them."""

from __future__ import annotations

import os
import time

import pytest

from gomogo_core.agent import _delays
from gomogo_core.agent._delays import Delays, _Counts


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[_Counts | None]:
    """The system's counts, one for each look, the last one again and again."""
    found: list[_Counts | None] = [_Counts(1.0, 0.0)]
    monkeypatch.setattr(_delays, "_read_statistics", lambda: found.pop(0) if len(found) > 1 else found[0])
    return found


def test_a_quiet_machine_needs_no_reserve(counts: list[_Counts | None]) -> None:
    assert Delays().reserve == 0.0


def test_the_reserve_covers_the_longest_delays_of_a_move(counts: list[_Counts | None]) -> None:
    delays = Delays()
    delays.record(wake=0.004, end=0.03)
    delays.record(wake=0.02, end=-5.0)
    assert delays.reserve == pytest.approx(0.03 * 0.98 + 0.02)


def test_delays_are_forgotten(counts: list[_Counts | None]) -> None:
    delays = Delays()
    delays.record(wake=0.02, end=0.03)
    for _ in range(100):
        delays.record(wake=0.0, end=0.0)
    assert 0 < delays.reserve < 0.01


def test_a_suspended_machine_is_not_treated_as_slow(counts: list[_Counts | None]) -> None:
    delays = Delays()
    delays.record(wake=3600.0, end=0.0)
    assert delays.reserve <= 0.25


def test_the_first_reserve_follows_from_waiting_for_a_core(
    counts: list[_Counts | None],
) -> None:
    counts[:] = [_Counts(0.2, 0.6)]
    three_others = Delays().reserve
    counts[:] = [_Counts(0.2, 1.2)]
    assert 0.03 < three_others == pytest.approx(Delays().reserve / 2)


def test_the_reserve_follows_the_competition_for_the_cores(
    counts: list[_Counts | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    counts[:] = [_Counts(1.0, 0.0), _Counts(1.1, 0.5)]
    delays = Delays()
    assert delays.reserve == 0.0
    now = 10.0
    assert delays.reserve == pytest.approx(0.1)


def test_without_waiting_counts_the_load_average_decides(
    counts: list[_Counts | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts[:] = [None]
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (13.0, 0.0, 0.0))
    assert Delays().reserve == pytest.approx(0.11)
    monkeypatch.setattr(os, "getloadavg", lambda: (1.0, 0.0, 0.0))
    assert Delays().reserve == 0.0
