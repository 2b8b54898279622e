"""Finds out whether a program that is out of time computes too much, or only had no core on a busy machine.

The program gets more time, in which it can no longer save the game. The module knows processes, and gives no verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from gomogo_core.processes.cpu_times import is_runnable, tree_times
from gomogo_core.processes.process import Process

EXTRA_TIME = 60.0  # seconds of additional time at most
_EXTRA_LIMITS = 20  # additional time at most, as a multiple of the limit: even a twentieth of a core shows a loop
COMPUTES_TOO_MUCH = "wrote nothing in additional time either"  # the start of the warning about such a program
_BUSY = 0.1  # no additional time if the program waited for a core for less than this share of the time that it needed
_SLICE = 0.1  # seconds between two looks at the counters
_IDLE_LOOKS = 5  # looks at a program that needs no core, after which it counts as waiting for something else


def warn_of_too_much_work(process: Process | None, allowed: float, has_answered: Callable[[float], bool]) -> str:
    """Return a warning if a late program would also be out of time on a quiet machine; else an empty text.

    This is certain if the program uses its whole limit again, now in CPU time, without an answer. On a machine that is
    not busy, nothing has to be found out, and the function returns immediately. allowed: the time limit of the turn in
    seconds. has_answered: a function that waits until a moment, by time.monotonic(), and returns whether the program
    has answered.
    """
    if process is None:
        return ""
    before, began = tree_times(process.pid), time.monotonic()
    if before.cpu is None or before.waited is None or before.waited < _BUSY * (before.cpu + before.waited):
        return ""
    until, idle_looks = began + min(EXTRA_TIME, _EXTRA_LIMITS * allowed), 0
    while idle_looks < _IDLE_LOOKS and time.monotonic() < until and not has_answered(time.monotonic() + _SLICE):
        spent = tree_times(process.pid).since(before).cpu
        if spent is None:  # it has ended
            break
        if spent >= allowed:
            return f"{COMPUTES_TOO_MUCH}: it computed for {spent:.2f} s in {time.monotonic() - began:.2f} s"
        # the system adds the time of a wait only at its end, so the state is a better sign of a wait than the times
        idle_looks = 0 if is_runnable(process.pid) else idle_looks + 1
    return ""
