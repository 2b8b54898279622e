"""Each fault once, in one of its protocols, on one seat, at one moment: the same ones every time."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from gomogo_core.conformance.misbehaving.cases import FAULTS, FaultCase, fault_cases
from tests.misbehaving._verdicts import check_verdict

pytestmark = pytest.mark.slow

PARTS, AT_A_TIME = 12, 4  # most of these games wait
MAX_GROWTH = 20 << 20  # bytes of ours


def sample() -> list[FaultCase]:
    """One case of each fault, drawn by its name."""
    every: dict[str, list[FaultCase]] = {}
    for case in fault_cases():
        every.setdefault(case.fault.name, []).append(case)
    return [several[zlib.crc32(name.encode()) % len(several)] for name, several in every.items()]


@pytest.fixture(scope="module", autouse=True)
def little_growth() -> Iterator[None]:
    """Our own memory after all of them is nearly the same as before."""
    before = psutil.Process().memory_info().rss
    yield
    assert psutil.Process().memory_info().rss - before < MAX_GROWTH


@pytest.mark.parametrize("part", range(PARTS))
def test_only_the_misbehaving_program_is_judged_at_fault(part: int) -> None:
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(check_verdict, sample()[part::PARTS]))


def test_every_misbehaviour_is_in_the_sample() -> None:
    sampled = sample()
    assert len(sampled) == len(FAULTS)
    assert {case.protocol for case in sampled} == {"files", "gomocup", "gtp", "json"}
    assert {case.seats for case in sampled} == {2, 3}
    assert {case.answer.value for case in sampled} == {"first", "middle", "last"}
