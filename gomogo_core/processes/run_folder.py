"""The folder of one run of ours, in memory where the system has such a place, and the remains of runs that died.

Knows owners and folders; no game.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from pathlib import Path

from gomogo_core.processes import room
from gomogo_core.wire.alive import alive
from gomogo_core.wire.folder import remove_tree

_PREFIX = "gomogo-"
_NOTES = "processes"  # the file in it that says which processes were started, a line each: number and start time
_ROOM = 32 << 20  # bytes that must be free in memory: a container may have as little as 64 MB there


def base() -> tuple[Path, bool]:
    """Where game folders are made, and whether that is in memory. GOMOGO_FOLDER names another place."""
    if named := os.environ.get("GOMOGO_FOLDER"):
        return Path(named), False
    memory = Path("/dev/shm")  # Linux's own; we make a folder in it that is closed to others
    if memory.is_dir() and os.access(memory, os.W_OK | os.X_OK) and shutil.disk_usage(memory).free > _ROOM:
        return memory, True
    return Path(tempfile.gettempdir()), False


class RunFolder:
    """A folder only we can enter, with a note of whose it is. `keep`: use this one instead, and leave it there."""

    def __init__(self, keep: Path | None = None) -> None:
        self._stays = keep is not None
        self.path = keep or base()[0] / f"{_PREFIX}{_owner(os.getpid())}-{secrets.token_hex(4)}"
        self.path.mkdir(mode=0o700, parents=True, exist_ok=self._stays)

    def note(self, pid: int) -> None:
        """Write down that this process was started, so that who finds the folder of a run that died can end it."""
        if not self._stays:
            with contextlib.suppress(OSError), (self.path / _NOTES).open("a", encoding="ascii") as notes:
                notes.write(f"{_owner(pid)}\n")

    def close(self) -> None:
        """Remove it with all in it, unless it stays."""
        if not self._stays and self.path.exists():
            room.note(self.path)
            # what an agent has made to stay is named by the next run, and by `gomogo clean`
            with contextlib.suppress(OSError):
                remove_tree(self.path)


def _owner(pid: int) -> str:
    """A process by number and start time: numbers come again, both together do not."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return f"{pid}-{fields[19].decode()}"
    return f"{pid}-0"


def noted(folder: Path) -> list[int]:
    """The processes that a run wrote down in its folder and that are still there: the same, by their start time."""
    try:
        owners = (folder / _NOTES).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
    numbers = [(owner, int(number)) for owner in owners if (number := owner.partition("-")[0]).isdecimal()]
    return [pid for owner, pid in numbers if alive(pid) and owner == _owner(pid)]


def remains() -> list[Path]:
    """The folders of runs whose process is no longer there."""
    left = []
    for path in base()[0].glob(f"{_PREFIX}*-*-*"):
        number = path.name.removeprefix(_PREFIX).split("-")[0]
        if not number.isdigit() or not path.is_dir() or path.is_symlink():
            continue
        pid = int(number)
        if not alive(pid) or not path.name.startswith(f"{_PREFIX}{_owner(pid)}-"):
            left.append(path)
    return sorted(left)
