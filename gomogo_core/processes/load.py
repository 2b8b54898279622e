"""What a tree of processes has spent, and how busy cores are: the system's own counts, in seconds.

Knows numbers of processes and cores; no game. What a system does not count is None: only Linux counts all.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import NamedTuple

_IDLE = (3, 4)  # columns of /proc/stat: idle, and idle while a disk works
_GUEST = 8  # what guests used is counted in the first columns already


class Spent(NamedTuple):
    """Seconds since the start. cpu: of running, on any core. waited: ready to run, while others had the core."""

    cpu: float | None
    waited: float | None

    def since(self, before: Spent) -> Spent:
        """What has been spent since then. A process that has gone takes its counts along: never less than nothing."""
        cpu, waited = (
            None if now is None or then is None else round(max(0.0, now - then), 4)
            for now, then in zip(self, before, strict=True)
        )
        return Spent(cpu, waited)


NOTHING_KNOWN = Spent(None, None)


def of_tree(root: int) -> Spent:
    """What a process and all below it have spent, with what those spent that it has buried. A few reads of /proc."""
    cpu, waited, ahead = 0.0, 0.0, [root]
    try:
        while ahead:
            number = ahead.pop()
            fields = _read(f"/proc/{number}/stat").rpartition(b")")[2].split()
            cpu += sum(map(int, fields[11:15])) / _ticks()  # its own, in user and system mode, and its children's
            for thread in os.listdir(f"/proc/{number}/task"):
                waited += _waited(f"/proc/{number}/task/{thread}")
                ahead += map(int, _read(f"/proc/{number}/task/{thread}/children").split())
    except OSError:  # it has just gone, or there is no /proc
        return NOTHING_KNOWN
    return Spent(cpu, waited)


def of_this_thread() -> Spent:
    """What the calling thread has spent."""
    try:
        cpu, waited, _ = map(int, _read("/proc/thread-self/schedstat").split())
    except (OSError, ValueError):
        return NOTHING_KNOWN
    return Spent(cpu / 1e9, waited / 1e9)


def _waited(task: str) -> float:
    return int(_read(f"{task}/schedstat").split()[1]) / 1e9


def _read(path: str) -> bytes:
    """All of a file of /proc. Without a file object: where a game is broken off just here, one would be left open."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(descriptor, 1 << 16), b""))
    finally:
        os.close(descriptor)


def _ticks() -> int:
    return os.sysconf("SC_CLK_TCK")


def busy(cores: Collection[int]) -> float | None:
    """Seconds that these cores have been busy since the machine's start, whoever kept them so, other guests too."""
    ticks, wanted = 0, {b"cpu%d" % core for core in cores}
    try:
        lines = _read("/proc/stat").split(b"\nintr", 1)[0].splitlines()  # what follows is long
    except OSError:
        return None
    for line in lines:
        name, *counts = line.split()
        if name in wanted:
            ticks += sum(int(count) for i, count in enumerate(counts[:_GUEST]) if i not in _IDLE)
    return ticks / _ticks() if ticks else None  # some containers show nothing but zeros
