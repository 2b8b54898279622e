"""Watches a program that has lost on time on a busy machine, to find out whether its own computations took that time.

After a game a program has some seconds to exit. A program that only lacked a core makes its late move in these seconds,
and then waits or exits. An infinite loop continues to compute. The module gives no verdict and does not depend on
games.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from gomogo_core import procfs
from gomogo_core.arena import shutdown

_CHECK_INTERVAL = 0.05  # seconds between two checks of the program
_IDLE_CHECK_COUNT = 4  # after this number of consecutive checks without a runnable thread, the program is waiting


def computes_past_limit(root_pid: int, seconds: float, core_count: int) -> bool:
    """Return whether a program continues to compute until its CPU time since its start exceeds a limit: `seconds` for
    one of its threads, or `seconds` times `core_count` for all threads together.

    root_pid: the root process of the program. core_count: the number of cores that the program may use. Returns False
    when the program waits, exits or writes anything, because it may then have made its move, or when the time in which
    it must exit is over.
    """
    deadline, idle_checks, write_calls = time.monotonic() + shutdown.EXIT_TIMEOUT, 0, _count_write_calls(root_pid)
    while write_calls is not None and time.monotonic() < deadline:
        threads = [_is_runnable_and_cpu_seconds(task) for task in _threads(root_pid)]
        cpu_seconds = [cpu for _, cpu in threads]
        if max(cpu_seconds, default=0.0) >= seconds or sum(cpu_seconds) >= seconds * core_count:
            return True
        idle_checks = 0 if any(is_runnable for is_runnable, _ in threads) else idle_checks + 1
        if idle_checks >= _IDLE_CHECK_COUNT or _count_write_calls(root_pid) != write_calls:
            return False
        time.sleep(_CHECK_INTERVAL)
    return False


def _program_processes(root_pid: int) -> Iterator[int]:
    """Yield the processes of the program. The root process and its child are the program's supervisor."""
    pids_and_depths = [(root_pid, 0)]
    while pids_and_depths:
        pid, depth = pids_and_depths.pop()
        if depth > 1:
            yield pid
        for thread in procfs.thread_ids(pid):
            pids_and_depths += [(child, depth + 1) for child in procfs.child_ids(pid, thread)]


def _threads(root_pid: int) -> Iterator[str]:
    for pid in _program_processes(root_pid):
        for thread in procfs.thread_ids(pid):
            yield f"{pid}/task/{thread}"


def _is_runnable_and_cpu_seconds(task: str) -> tuple[bool, float]:
    """Return whether a thread is runnable (it runs, or only waits for a core), and its CPU time in seconds."""
    times = procfs.schedule_times(task)
    return procfs.stat_fields(task)[:1] == [b"R"], times[0] / 1e9 if times else 0.0


def _count_write_calls(root_pid: int) -> int | None:
    """Return the number of the program's write calls; None if the program has exited or they are not counted."""
    call_count = None
    for pid in _program_processes(root_pid):
        try:
            descriptor = procfs.open_io_counters(pid)
        except OSError:
            return None
        try:
            call_count = (call_count or 0) + procfs.write_counts(descriptor)[0]
        except (OSError, IndexError):
            return None
        finally:
            os.close(descriptor)
    return call_count
