"""The cores that this process may use, and the cores reserved for one game on this machine.

The functions do nothing if the system cannot pin a thread to cores. The module does not depend on games.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from gomogo_core.processes.slot_locks import claim_number


def allowed_cores() -> tuple[int, ...]:
    """Return the numbers of the cores that this process may use."""
    try:
        return tuple(sorted(os.sched_getaffinity(0)))
    except AttributeError:  # macOS and Windows
        return tuple(range(os.cpu_count() or 1))


def can_pin_to_cores() -> bool:
    """Return whether the system can pin a thread to cores."""
    return hasattr(os, "sched_setaffinity")


@contextmanager
def reserve_cores(count: int) -> Iterator[tuple[int, ...]]:
    """Within this context, reserve `count` cores; none if fewer are free. Yields the reserved cores.

    Other threads and processes of this user that reserve cores get other cores. The system frees the cores of a process
    that dies, even by kill -9.
    """
    with contextlib.ExitStack() as reservations:
        reserved: list[int] = []
        for core in allowed_cores() if can_pin_to_cores() else ():
            if len(reserved) < count and reservations.enter_context(_reserve_core(core)):
                reserved.append(core)
        if len(reserved) < count:
            reservations.close()  # too few cores are free: release the reserved ones
            reserved.clear()
        yield tuple(reserved)


@contextmanager
def pin_to_cores(count: int) -> Iterator[tuple[int, ...] | None]:
    """Pin the calling thread, and all processes that it starts in this context, to `count` reserved cores.

    Yields these cores. If fewer cores are free, the context pins nothing and yields None.
    """
    with reserve_cores(count) as reserved:
        if not reserved:
            yield None
            return
        previous_cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, reserved)
        try:
            yield reserved
        finally:
            os.sched_setaffinity(0, previous_cores)


@contextmanager
def _reserve_core(core: int) -> Iterator[bool]:
    """Within this context, reserve a core. Yields whether that succeeded; False means that the core is already
    reserved.
    """
    lock_descriptor = claim_number("cores", core)
    try:
        yield lock_descriptor is not None
    finally:
        if lock_descriptor is not None:
            os.close(lock_descriptor)
