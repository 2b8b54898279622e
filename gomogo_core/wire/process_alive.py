"""Whether a process exists, by its process id. Knows nothing about its owner."""

from __future__ import annotations

import os


def alive(pid: int) -> bool:
    """Whether this process runs; always True on Windows, where `os.kill` would end it."""
    if pid <= 0:
        return False
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # a number of thirty digits is no process id
        return False
    except PermissionError:
        return True
    return True
