"""Whether the disk of the game folders is full, or was a moment ago; and who has filled it.

Who could not write ends a little later, and by then the folder of who filled the disk may have been removed, by us: so
whoever removes one looks first. Knows folders; no program and no game.
"""

from __future__ import annotations

import math
import os
import threading
import time
from pathlib import Path

from gomogo_core.processes.limits import Limits

_SHORTLY = 5.0  # seconds
_lock = threading.Lock()
_full_at = [-math.inf]  # when it was last seen full, time.monotonic()


def note(folder: Path) -> None:
    """Look, before this folder is removed."""
    if _is_full(folder):
        with _lock:
            _full_at[0] = time.monotonic()


def lacks(folder: Path) -> bool:
    """Whether who plays in this folder could not write, now or shortly before, and by no doing of its own."""
    place = next(path for path in (folder, *folder.parents) if path.is_dir())
    if _is_full(place):
        from gomogo_core.processes.watching import has_filled, size_of

        return not has_filled(str(place), size_of(str(folder), Limits.entries)[0])
    with _lock:
        return time.monotonic() < _full_at[0] + _SHORTLY


def _is_full(folder: Path) -> bool:
    if os.name == "nt":
        return False
    from gomogo_core.processes.watching import is_full

    return is_full(str(folder))
