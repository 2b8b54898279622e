"""The folder of a run, in memory if the system allows it, and the folders of dead runs.

The module uses folders and the processes that own them, but no game.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from gomogo_core import procfs
from gomogo_core.processes import disk_space
from gomogo_core.procfs import is_alive
from gomogo_core.wire.small_files import remove_tree

_FOLDER_PREFIX = "gomogo-"
# the file in the folder that lists the run's processes, one per line: process id and start time
_PROCESS_LIST_FILE = "processes"
# bytes that must be free in /dev/shm for a folder in memory: a container may have as little as 64 MB there
_MIN_FREE_MEMORY_BYTES = 32 << 20


def run_folders_parent() -> tuple[Path, bool]:
    """Return the parent of all game folders, and whether it is in memory. GOMOGO_FOLDER names another place."""
    if configured := os.environ.get("GOMOGO_FOLDER"):
        return Path(configured), False
    memory = Path("/dev/shm")  # only on Linux; other users cannot enter the folder of a run in it
    if memory.is_dir() and os.access(memory, os.W_OK | os.X_OK):
        file_system = os.statvfs(memory)
        if file_system.f_bavail * file_system.f_frsize > _MIN_FREE_MEMORY_BYTES:
            return memory, True
    import tempfile  # seldom needed, and it takes each worker 3 ms to import

    return Path(tempfile.gettempdir()), False


class RunFolder:
    """A folder that only this user can enter, and whose name contains the id of the process that owns the folder.

    keep_folder: a folder to use instead of a new one; it is not removed at the end.
    """

    def __init__(self, keep_folder: Path | None = None) -> None:
        self._is_kept = keep_folder is not None
        new_name = f"{_FOLDER_PREFIX}{_process_identity(os.getpid())}-{os.urandom(4).hex()}"
        self.path = keep_folder or run_folders_parent()[0] / new_name
        self.path.mkdir(mode=0o700, parents=True, exist_ok=self._is_kept)

    def record_process(self, pid: int) -> None:
        """Add a process to the folder's list, so that a later run can end the process if this run dies."""
        if not self._is_kept:
            path = self.path / _PROCESS_LIST_FILE
            with contextlib.suppress(OSError), path.open("a", encoding="ascii") as process_list:
                process_list.write(f"{_process_identity(pid)}\n")

    def close(self) -> None:
        """Remove the folder and its content, unless the caller keeps it."""
        if not self._is_kept and self.path.exists():
            disk_space.record_full_disk(self.path)
            # the next run and `gomogo clean` report the files that could not be removed
            with contextlib.suppress(OSError):
                remove_tree(self.path)


def _process_identity(pid: int) -> str:
    """Return the id and the start time of a process. Only both together are unique, because the system reuses ids."""
    fields = procfs.stat_fields(pid)
    return f"{pid}-{fields[19].decode() if fields else 0}"


def running_recorded_processes(folder: Path) -> list[int]:
    """Return the ids of the processes that a run listed in its folder and that still run."""
    try:
        identities = (folder / _PROCESS_LIST_FILE).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
    pids = [
        (identity, int(pid_text)) for identity in identities if (pid_text := identity.partition("-")[0]).isdecimal()
    ]
    return [pid for identity, pid in pids if is_alive(pid) and identity == _process_identity(pid)]


def dead_run_folders() -> list[Path]:
    """Return the folders of runs whose process has ended."""
    dead_folders = []
    for path in run_folders_parent()[0].glob(f"{_FOLDER_PREFIX}*-*-*"):
        pid_text = path.name.removeprefix(_FOLDER_PREFIX).split("-")[0]
        if not pid_text.isdigit() or not path.is_dir() or path.is_symlink():
            continue
        pid = int(pid_text)
        if not is_alive(pid) or not path.name.startswith(f"{_FOLDER_PREFIX}{_process_identity(pid)}-"):
            dead_folders.append(path)
    return sorted(dead_folders)
