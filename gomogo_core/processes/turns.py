"""A page of memory that the referee and a program's supervisor share. It shows whether it is the program's turn.

The referee writes the start and the end of a turn, without a system call. The supervisor writes the CPU time that the
program uses out of turn. The supervisor imports this module, so the module imports only the standard library. It knows
no process and no game.
"""

from __future__ import annotations

import mmap
import os
import time

_FIELDS = ("number", "since", "loading", "flagged", "held", "measured", "used", "total", "sampled", "cpu")
_FIELD_INDEX = {name: place for place, name in enumerate(_FIELDS)}
_NUMBER, _SINCE, _LOADING, _FLAGGED, _HELD = (
    _FIELD_INDEX[name] for name in ("number", "since", "loading", "flagged", "held")
)
_SIZE = 8 * len(_FIELDS)


class SharedTurnState:
    """The fields that both processes share: integers of 64 bits, times in nanoseconds.

    The referee writes three fields. number: a counter that is odd while the program may run, and even while others are
    to move; each change adds 1. since: the time of the last change of number. loading: 1 until the first turn.

    The supervisor writes the other fields. flagged: 1 if the program has used too much CPU time out of turn. held: 1
    while the program is stopped. used: the program's CPU time since the change whose number is `measured`. total: the
    program's CPU time out of turn since its start. cpu: all of the program's CPU time since its start, at the first
    measurement after the change whose number is `sampled`, which began a turn.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _SIZE)
        self._view = memoryview(self._memory).cast("Q")
        self._fields: memoryview | list[int] = self._view

    def read(self, name: str) -> int:
        """Return the value of a field."""
        return self._fields[_FIELD_INDEX[name]]

    def write(self, name: str, value: int) -> None:
        """Set the value of a field."""
        self._fields[_FIELD_INDEX[name]] = value

    def close(self) -> None:
        """Release the memory and its descriptor. The last values can still be read. Further calls do nothing."""
        self._fields = list(self._fields)
        self._view.release()
        self._memory.close()

    def let_run(self, *, loaded: bool = False) -> bool:
        """Record that the program may run. Return whether the supervisor has stopped it. Further calls do nothing.

        loaded: whether also to record that the program is loaded.
        """
        fields = self._fields
        if loaded:
            fields[_LOADING] = 0
        if not fields[_NUMBER] & 1:
            fields[_SINCE] = time.monotonic_ns()
            fields[_NUMBER] += 1
        return fields[_HELD] == 1

    def end_turn(self, *, loaded: bool) -> bool:
        """Record that the program's turn has ended. Return whether it has used too much CPU time out of turn.

        Further calls do nothing. loaded: whether also to record that the program is loaded.
        """
        fields = self._fields
        if loaded:
            fields[_LOADING] = 0
        if fields[_NUMBER] & 1:
            fields[_SINCE] = time.monotonic_ns()
            fields[_NUMBER] += 1
        return fields[_FLAGGED] == 1


def create_shared_turn_state() -> tuple[SharedTurnState, int]:
    """Return a new page, and the descriptor by which the supervisor opens it."""
    descriptor = os.memfd_create("gomogo-turns")
    os.ftruncate(descriptor, _SIZE)
    page = SharedTurnState(descriptor)
    page.write("number", 1)
    page.write("loading", 1)
    return page, descriptor
