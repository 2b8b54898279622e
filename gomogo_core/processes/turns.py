"""A page of memory that the referee and a program's supervisor share. It shows whether it is the program's turn.

The referee writes the start and the end of a turn, without a system call. The supervisor writes the CPU time that the
program uses out of turn. The supervisor imports this module, so the module imports only the standard library. It does
not depend on processes or games.
"""

from __future__ import annotations

import mmap
import os
import time

_REFEREE_FIELDS = ("phase", "phase_start", "is_loading", "exceeds_allowance", "is_stopped")  # these it reads or writes
_MEASURED_FIELDS = ("used_phase", "used_in_phase", "used_in_all", "cpu_phase", "cpu_at_phase_start")
_FIELD_INDEX = {name: index for index, name in enumerate(_REFEREE_FIELDS + _MEASURED_FIELDS)}
_PHASE, _PHASE_START, _IS_LOADING, _EXCEEDS_ALLOWANCE, _IS_STOPPED = range(5)
_SHARED_BYTES = 8 * len(_FIELD_INDEX)


class SharedTurnState:
    """The fields that both processes share: integers of 64 bits, times in nanoseconds.

    A phase is a turn of the program, in which it may run, or the time between two turns. The referee writes three
    fields. phase: the number of the phase: an odd number while the program may run, an even number while others are to
    move. phase_start: the time at which the phase began. is_loading: 1 until the first turn.

    The supervisor writes the other fields. exceeds_allowance: 1 if the program has used too much CPU time out of turn.
    is_stopped: 1 while the program is stopped. used_in_phase: the CPU time of the program in the phase `used_phase`.
    used_in_all: the program's CPU time out of turn since its start. cpu_at_phase_start: all CPU time of the program
    from its start to the first measurement in `cpu_phase`, which is a turn.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _SHARED_BYTES)
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
        self._begin_phase(1, loaded)
        return self._fields[_IS_STOPPED] == 1

    def end_turn(self, *, loaded: bool) -> bool:
        """Record that the program's turn has ended. Return whether it has used too much CPU time out of turn.

        Further calls do nothing. loaded: whether also to record that the program is loaded.
        """
        self._begin_phase(0, loaded)
        return self._fields[_EXCEEDS_ALLOWANCE] == 1

    def _begin_phase(self, parity: int, loaded: bool) -> None:
        """Begin the next phase, unless the number of the current phase is odd (parity 1) or even (parity 0) already."""
        fields = self._fields
        if loaded:
            fields[_IS_LOADING] = 0
        if fields[_PHASE] & 1 != parity:
            fields[_PHASE_START] = time.monotonic_ns()
            fields[_PHASE] += 1


def create_shared_turn_state() -> tuple[SharedTurnState, int]:
    """Return a new shared state, and the descriptor by which the supervisor opens it."""
    descriptor = os.memfd_create("gomogo-turns")
    os.ftruncate(descriptor, _SHARED_BYTES)
    state = SharedTurnState(descriptor)
    state.write("phase", 1)
    state.write("is_loading", 1)
    return state, descriptor
