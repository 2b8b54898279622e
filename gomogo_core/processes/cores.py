"""Cores: which of them we may use, and one game's own, which no other game of ours on this machine takes.

Knows no game. Where the system cannot tie a thread to cores, nothing is tied.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from gomogo_core.processes.claims import claimed


def allowed() -> tuple[int, ...]:
    """The cores we may use, by their numbers."""
    try:
        return tuple(sorted(os.sched_getaffinity(0)))
    except AttributeError:  # macOS and Windows
        return tuple(range(os.cpu_count() or 1))


def can_pin() -> bool:
    """Whether the system can tie a thread to cores."""
    return hasattr(os, "sched_setaffinity")


@contextmanager
def pinned(count: int) -> Iterator[tuple[int, ...] | None]:
    """Tie the calling thread, and all that it starts meanwhile, to `count` cores that are nobody else's.

    Gives these cores, or None where so many are not to be had: then nothing is tied. Other threads of ours and other
    processes of this user that ask so too have other cores. A process that dies, even by kill -9, has them no longer.
    """
    if not can_pin():
        yield None
        return
    before = os.sched_getaffinity(0)
    with contextlib.ExitStack() as claims:
        mine: list[int] = []
        for core in sorted(before):
            if len(mine) < count and claims.enter_context(_claimed(core)):
                mine.append(core)
        if len(mine) < count:
            claims.close()  # those that were free are for others
            yield None
            return
        os.sched_setaffinity(0, mine)
        try:
            yield tuple(mine)
        finally:
            os.sched_setaffinity(0, before)


@contextmanager
def _claimed(core: int) -> Iterator[bool]:
    """Hold what stands for a core; False where another one does."""
    claim = claimed("cores", core)
    try:
        yield claim is not None
    finally:
        if claim is not None:
            os.close(claim)
