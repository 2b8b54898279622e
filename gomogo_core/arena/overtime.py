"""Watches a program that has lost on time on a busy machine, to find out whether it used its time itself.

After a game a program has some seconds to exit. A program that only lacked a core makes its late move in these seconds,
and then waits or exits. An infinite loop computes on. The module gives no verdict and knows no game.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from gomogo_core import procfs
from gomogo_core.arena import shutdown

_LOOK_INTERVAL = 0.05  # seconds between two looks at the program
_IDLE_LOOKS = 4  # consecutive looks without a runnable thread, after which the program is waiting


def uses_cpu_time(root: int, seconds: float, cores: int) -> bool:
    """Return whether a program computes on until it has used a CPU time since its start: one of its threads `seconds`,
    or all threads together that time on every core.

    root: the root process of the program. cores: the number of cores that the program may use. Returns False when the
    program waits, exits or writes anything, because it may then have made its move, or when the time in which it must
    exit is over.
    """
    until, idle, written = time.monotonic() + shutdown.PATIENCE, 0, _write_calls(root)
    while written is not None and time.monotonic() < until:
        threads = [_state_of_thread(task) for task in _threads(root)]
        used = [cpu for _, cpu in threads]
        if max(used, default=0.0) >= seconds or sum(used) >= seconds * cores:
            return True
        idle = 0 if any(is_runnable for is_runnable, _ in threads) else idle + 1
        if idle >= _IDLE_LOOKS or _write_calls(root) != written:
            return False
        time.sleep(_LOOK_INTERVAL)
    return False


def _program_processes(root: int) -> Iterator[int]:
    """Yield the processes of the program. The root process and its child are the program's supervisor."""
    ahead = [(root, 0)]
    while ahead:
        number, depth = ahead.pop()
        if depth > 1:
            yield number
        ahead += [(child, depth + 1) for thread in procfs.threads(number) for child in procfs.children(number, thread)]


def _threads(root: int) -> Iterator[str]:
    for number in _program_processes(root):
        for thread in procfs.threads(number):
            yield f"{number}/task/{thread}"


def _state_of_thread(task: str) -> tuple[bool, float]:
    """Return whether a thread runs or waits for a core, and the seconds of its CPU time."""
    times = procfs.schedule_times(task)
    return procfs.stat_fields(task)[:1] == [b"R"], times[0] / 1e9 if times else 0.0


def _write_calls(root: int) -> int | None:
    """Return the number of the program's write calls; None if the program has exited or they are not counted."""
    calls = None
    for number in _program_processes(root):
        try:
            descriptor = procfs.open_io_counters(number)
        except OSError:
            return None
        try:
            calls = (calls or 0) + procfs.write_counts(descriptor)[0]
        except (OSError, IndexError):
            return None
        finally:
            os.close(descriptor)
    return calls
