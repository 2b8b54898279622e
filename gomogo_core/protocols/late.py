"""Finds out whether a program that is out of time computes too much, or only had no core on a busy machine.

The program gets more time, in which it can no longer save the game. The module knows processes, and gives no verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from gomogo_core.processes.cpu_times import tree_times
from gomogo_core.processes.process import Process

EXTRA_TIME = 10.0  # seconds of additional time at most
COMPUTES_TOO_MUCH = "wrote nothing in additional time either"  # the start of the warning about such a program
_BUSY = 0.1  # no additional time if the program waited for a core for less than this share of the time that it needed
_SLICE = 0.1  # seconds between two looks at the counters
_IDLE_AFTER = 0.5  # seconds after which a program that needs no core counts as waiting for something else


def warn_of_too_much_work(process: Process | None, allowed: float, has_answered: Callable[[float], bool]) -> str:
    """Return a warning if a late program would also be out of time on a quiet machine; else an empty text.

    The program would be if it uses its whole limit of CPU time again, or if it still computes after EXTRA_TIME. On a
    machine that is not busy, nothing has to be found out, and the function returns immediately. allowed: the time limit
    of the turn in seconds. has_answered: waits until a moment, by time.monotonic(), and returns whether the program has
    answered.
    """
    if process is None:
        return ""
    before, began = tree_times(process.pid), time.monotonic()
    if before.cpu is None or before.waited is None or before.waited < _BUSY * (before.cpu + before.waited):
        return ""
    while (seconds := time.monotonic() - began) < EXTRA_TIME:
        if has_answered(time.monotonic() + _SLICE):
            return ""
        spent = tree_times(process.pid).since(before)
        if spent.cpu is None or spent.waited is None:  # it has ended
            return ""
        seconds = time.monotonic() - began
        if spent.cpu >= allowed:
            break
        if seconds >= _IDLE_AFTER and spent.cpu + spent.waited < seconds / 2:
            return ""
    return f"{COMPUTES_TOO_MUCH}: it computed for {spent.cpu:.2f} s in {seconds:.2f} s"
