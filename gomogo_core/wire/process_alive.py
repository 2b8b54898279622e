"""Whether a process exists, by its process id. Knows nothing about its owner."""

from __future__ import annotations

import os


def alive(pid: int) -> bool:
    """Whether this process runs; always True on Windows, where `os.kill` would end it.

    A process that has ended and is not yet reaped by its parent does not run.
    """
    if pid <= 0:
        return False
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # a number of thirty digits is no process id
        return False
    except PermissionError:
        pass
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:  # a system without /proc, or a process that has just been reaped
        return True
