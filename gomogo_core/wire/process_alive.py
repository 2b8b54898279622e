"""Whether a process exists, by its process id. Knows nothing about its owner."""

from __future__ import annotations

import os

from gomogo_core import procfs


def alive(pid: int) -> bool:
    """Return whether this process runs; always True on Windows, where `os.kill` would end it.

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
    fields = procfs.stat_fields(pid)  # none on a system without /proc, or for a process that has just been reaped
    return not fields or fields[0] not in (b"Z", b"X")
