"""The CPU time of a tree of processes, and how busy cores are: the system's own counts, in seconds.

Knows numbers of processes and cores; no game. A value that the system does not count is None: only Linux counts all.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import NamedTuple

_IDLE = (3, 4)  # columns of /proc/stat: idle, and idle while a disk works
_GUEST = 8  # the first columns already contain the time of guests


class CpuTimes(NamedTuple):
    """Seconds since the start. cpu: running, on any core. waited: ready to run, while others had the core."""

    cpu: float | None
    waited: float | None

    def since(self, before: CpuTimes) -> CpuTimes:
        """The difference to earlier counts, at least 0: the counts of an ended process disappear."""
        cpu, waited = (
            None if now is None or then is None else round(max(0.0, now - then), 4)
            for now, then in zip(self, before, strict=True)
        )
        return CpuTimes(cpu, waited)


NOTHING_KNOWN = CpuTimes(None, None)


def of_tree(root: int) -> CpuTimes:
    """The times of a process, its descendants, and the children that it has waited for. A few reads of /proc."""
    cpu, waited, ahead = 0.0, 0.0, [root]
    try:
        while ahead:
            number = ahead.pop()
            fields = _read(f"/proc/{number}/stat").rpartition(b")")[2].split()
            cpu += sum(map(int, fields[11:15])) / _ticks()  # its own, in user and system mode, and its children's
            for thread in os.listdir(f"/proc/{number}/task"):
                waited += _waited(f"/proc/{number}/task/{thread}")
                ahead += map(int, _read(f"/proc/{number}/task/{thread}/children").split())
    except OSError:  # the process has just ended, or there is no /proc
        return NOTHING_KNOWN
    return CpuTimes(cpu, waited)


def of_this_thread() -> CpuTimes:
    """The times of the calling thread."""
    try:
        cpu, waited, _ = map(int, _read("/proc/thread-self/schedstat").split())
    except (OSError, ValueError):
        return NOTHING_KNOWN
    return CpuTimes(cpu / 1e9, waited / 1e9)


def _waited(task: str) -> float:
    return int(_read(f"{task}/schedstat").split()[1]) / 1e9


def _read(path: str) -> bytes:
    """Read a file of /proc. No file object, because an interrupt at this place would leave it open."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(descriptor, 1 << 16), b""))
    finally:
        os.close(descriptor)


def _ticks() -> int:
    return os.sysconf("SC_CLK_TCK")


def busy(cores: Collection[int]) -> float | None:
    """Seconds that these cores have been busy since the machine's start, also with work of other guests."""
    ticks, wanted = 0, {b"cpu%d" % core for core in cores}
    try:
        lines = _read("/proc/stat").split(b"\nintr", 1)[0].splitlines()  # the rest of the file is long
    except OSError:
        return None
    for line in lines:
        name, *counts = line.split()
        if name in wanted:
            ticks += sum(int(count) for i, count in enumerate(counts[:_GUEST]) if i not in _IDLE)
    return ticks / _ticks() if ticks else None  # some containers show only zeros
