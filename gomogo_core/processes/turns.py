"""A page of memory that the referee and a program's supervisor share: it tells whether the program has the turn.

The referee writes the start and the end of a turn, without a system call. The supervisor writes the CPU time that the
program uses out of turn. Knows no process and no game. The supervisor imports it from its own folder: standard library
only, no other module of ours.
"""

from __future__ import annotations

import mmap
import os
import time

_FIELDS = ("number", "since", "loading", "flagged", "held", "measured", "used", "total")
_AT = {name: place for place, name in enumerate(_FIELDS)}
_NUMBER, _SINCE, _LOADING, _FLAGGED, _HELD = (_AT[name] for name in ("number", "since", "loading", "flagged", "held"))
_SIZE = 8 * len(_FIELDS)


class Page:
    """The fields that both processes share: integers of 64 bits, times in nanoseconds.

    number: odd while the program may run, even while others have the turn; each change adds 1. since: the time of the
    last change. loading: 1 until the first turn. The supervisor writes `flagged`, 1 once the program has used too much;
    `held`, 1 while it is stopped; `used`, its CPU time since the change whose number is `measured`; and `total`, its
    CPU time out of turn since its start.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _SIZE)
        self._view = memoryview(self._memory).cast("Q")
        self._fields: memoryview | list[int] = self._view

    def get(self, name: str) -> int:
        """Return the value of a field."""
        return self._fields[_AT[name]]

    def put(self, name: str, value: int) -> None:
        """Write a field."""
        self._fields[_AT[name]] = value

    def close(self) -> None:
        """Release the memory and its descriptor; the last values can still be read. Safe to call again."""
        self._fields = list(self._fields)
        self._view.release()
        self._memory.close()

    def release(self, *, loaded: bool = False) -> bool:
        """Write that the program may run. Returns whether the supervisor has stopped it. Further calls do nothing.

        loaded: write also that the program is loaded.
        """
        fields = self._fields
        if loaded:
            fields[_LOADING] = 0
        if not fields[_NUMBER] & 1:
            fields[_SINCE] = time.monotonic_ns()
            fields[_NUMBER] += 1
        return fields[_HELD] == 1

    def expect_to_wait(self, *, loaded: bool) -> bool:
        """Write that the program's turn has ended. Returns whether the program has used too much CPU time. Further
        calls do nothing.

        loaded: write also that the program is loaded.
        """
        fields = self._fields
        if loaded:
            fields[_LOADING] = 0
        if fields[_NUMBER] & 1:
            fields[_SINCE] = time.monotonic_ns()
            fields[_NUMBER] += 1
        return fields[_FLAGGED] == 1


def new_page() -> tuple[Page, int]:
    """Return a page, and the descriptor by which the supervisor opens it too."""
    descriptor = os.memfd_create("gomogo-turns")
    os.ftruncate(descriptor, _SIZE)
    page = Page(descriptor)
    page.put("number", 1)
    page.put("loading", 1)
    return page, descriptor
