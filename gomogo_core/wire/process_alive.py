"""Checks whether a process runs, by its process id."""

from __future__ import annotations

import os

from gomogo_core import procfs


def is_alive(pid: int) -> bool:
    """Return whether this process runs. On Windows the result is always True, because `os.kill` would end the process
    there.

    A process that has ended counts as not running, even if its parent has not reaped it yet.
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
    fields = procfs.stat_fields(pid)  # empty on a system without /proc, or for a process that has just been reaped
    return not fields or fields[0] not in (b"Z", b"X")
