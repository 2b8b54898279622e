"""Detects whether the disk of the game folders is full or was full recently, and whether one program has filled it.

A process that cannot write exits shortly afterwards. By then Gomogo may have removed the folder that filled the disk.
So code that removes a folder calls `record_full_disk` first. The module uses folders, but no program and no game.
"""

from __future__ import annotations

import math
import os
import threading
import time
from pathlib import Path

from gomogo_core.processes.limits import ResourceLimits

_RECENT_SECONDS = 5.0
_lock = threading.Lock()
_last_found_full_at = [-math.inf]  # the moment by time.monotonic() at which the disk was last found full


def record_full_disk(folder: Path) -> None:
    """Record whether the disk is full, before this folder is removed."""
    if _is_full(folder):
        with _lock:
            _last_found_full_at[0] = time.monotonic()


def is_disk_full_by_others(folder: Path) -> bool:
    """Return whether the disk is full, or was full recently, unless the program that has this folder is the cause."""
    existing_folder = next(path for path in (folder, *folder.parents) if path.is_dir())
    if _is_full(existing_folder):
        from gomogo_core.processes.resource_monitor import folder_size, has_filled_disk

        return not has_filled_disk(str(existing_folder), folder_size(str(folder), ResourceLimits.folder_entries)[0])
    with _lock:
        return time.monotonic() < _last_found_full_at[0] + _RECENT_SECONDS


def _is_full(folder: Path) -> bool:
    if os.name == "nt":
        return False
    from gomogo_core.processes.resource_monitor import is_disk_full

    return is_disk_full(str(folder))
