"""Checks whether a process runs, by its process id."""

from __future__ import annotations

import os

from gomogo_core import procfs


def alive(pid: int) -> bool:
    """Return whether this process runs. On Windows always True, because there `os.kill` would end the process.

    A process that has ended, but that its parent has not reaped yet, does not run.
    """
    if pid <= 0:
        return False
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # a number of thirty digits is not a process id
        return False
    except PermissionError:
        pass
    fields = procfs.stat_fields(pid)  # none on a system without /proc, or for a process that has just been reaped
    return not fields or fields[0] not in (b"Z", b"X")
