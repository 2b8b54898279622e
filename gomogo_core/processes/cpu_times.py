"""Reads the CPU time of a tree of processes, and the time in which cores were busy, from the system's counters.

All times are in seconds. A value that the system does not count is None; only Linux counts all of them. The module
does not depend on games.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import NamedTuple

from gomogo_core import procfs

_IDLE_COLUMNS = (3, 4)  # columns of /proc/stat: idle, and idle while a disk works
_FIRST_GUEST_COLUMN = 8  # the columns before this one already contain the time of guests


class CpuTimes(NamedTuple):
    """The times of a thread or of processes since their start.

    cpu: the seconds in which they ran on any core. waited: the seconds in which they were ready to run, but had no
    core.
    """

    cpu: float | None
    waited: float | None

    def since(self, earlier: CpuTimes) -> CpuTimes:
        """Return the difference to earlier times; at least 0, because the times of an ended process disappear."""
        cpu, waited = (
            None if later is None or sooner is None else round(max(0.0, later - sooner), 4)
            for later, sooner in zip(self, earlier, strict=True)
        )
        return CpuTimes(cpu, waited)


UNKNOWN_TIMES = CpuTimes(None, None)


def process_tree_times(root_pid: int, read_file: procfs.ReadFunction = procfs.read_file) -> CpuTimes:
    """Return the times of a process, its descendants, and the children that it has waited for, by reading a few
    files. read_file: a function that reads a file of /proc.
    """
    cpu, waited, pids = 0.0, 0.0, [root_pid]
    while pids:
        pid = pids.pop()
        fields = procfs.stat_fields(pid, read_file)
        has_one_thread = len(fields) > procfs.THREAD_COUNT_FIELD and fields[procfs.THREAD_COUNT_FIELD] == b"1"
        threads = [pid] if has_one_thread else procfs.thread_ids(pid)
        times = [procfs.schedule_times(f"{pid}/task/{thread}", read_file) for thread in threads]
        if not fields or not times or None in times:  # the process has just ended, or there is no /proc
            return UNKNOWN_TIMES
        cpu += sum(map(int, fields[11:15])) / _ticks_per_second()  # user and system time, also of its children
        waited += sum(time[1] for time in times if time) / 1e9
        for thread in threads:
            pids += procfs.child_ids(pid, thread, read_file)
    return CpuTimes(cpu, waited)


def thread_times(read_file: procfs.ReadFunction = procfs.read_file) -> CpuTimes:
    """Return the times of the calling thread. read_file: a function that reads a file of /proc."""
    times = procfs.schedule_times("thread-self", read_file)
    return UNKNOWN_TIMES if times is None else CpuTimes(times[0] / 1e9, times[1] / 1e9)


def thread_core_wait(read_file: procfs.ReadFunction) -> float | None:
    """Return the seconds in which the calling thread was ready to run, but had no core.

    The call takes 2 µs if `read_file` keeps the file open.
    """
    return thread_times(read_file).waited


def _ticks_per_second() -> int:
    return os.sysconf("SC_CLK_TCK")


def busy_core_seconds(cores: Collection[int], read_file: procfs.ReadFunction = procfs.read_file) -> float | None:
    """Return the seconds in which these cores were busy since the machine started, including the time that other
    virtual machines used them. read_file: a function that reads a file of /proc.
    """
    ticks, core_names = 0, {b"cpu%d" % core for core in cores}
    # read only the beginning of the file, because the rest is long
    for line in read_file("stat").split(b"\nintr", 1)[0].splitlines():
        name, *counts = line.split()
        if name in core_names:
            ticks += sum(int(count) for i, count in enumerate(counts[:_FIRST_GUEST_COLUMN]) if i not in _IDLE_COLUMNS)
    return ticks / _ticks_per_second() if ticks else None  # some containers show only zeros
