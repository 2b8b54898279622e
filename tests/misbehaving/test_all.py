"""Every fault in every protocol, on every seat, at its first, a middle and its last answer, for two and for three."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from gomogo_core.conformance.misbehaving.cases import FAULTS, fault_cases
from tests.misbehaving._verdicts import check_verdict

MAX_GROWTH = 20 << 20  # bytes of ours
AT_A_TIME = 3  # games: most of them wait
_first: list[int] = []  # our memory after the first fault


@pytest.mark.long
@pytest.mark.parametrize("name", FAULTS)
def test_the_referee_judges_every_misbehaviour_at_every_moment(name: str) -> None:
    every = [case for case in fault_cases() if case.fault.name == name]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        assert len(list(pool.map(check_verdict, every))) == len(every)
    _first.append(psutil.Process().memory_info().rss)
    assert _first[-1] - _first[0] < MAX_GROWTH
