"""Whether a process is there, asked by its number. Knows nothing of whose it is."""

from __future__ import annotations

import os


def alive(pid: int) -> bool:
    """Whether a process of this number runs; on Windows (where asking would end it) always yes."""
    if pid <= 0:
        return False
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # no process has a number of thirty digits
        return False
    except PermissionError:
        return True
    return True
