"""What runs that died left behind: processes, game folders, locks, live files; how each is found and taken away.

Knows nothing of a run that lives but how to tell it from one that does not.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from gomogo_core.processes.run_folder import noted, remains
from gomogo_core.records.live_format import UNREADABLE, read_live
from gomogo_core.records.paths import temporary_records
from gomogo_core.wire.process_alive import alive
from gomogo_core.wire.small_files import remove_tree

_MOMENT = 1.0  # seconds that the supervisor of a dead run may take to end what it watches over
_PATIENCE = 5.0  # seconds a killed process may take to be gone


@dataclass(frozen=True)
class Leftover:
    """One thing left behind, and how to take it away.

    kind: "process", "folder", "lock", "live file" or "records". words: a sentence. `remove` raises OSError where
    it cannot.
    """

    kind: str
    words: str
    remove: Callable[[], object]


def leftovers(store: Path) -> Iterator[Leftover]:
    """All there is on this machine and beside the store."""
    yield from of_dead_runs()
    for lock in sorted(store.absolute().parent.glob(f"{store.name}.*.lock")):
        if _is_free(lock):
            yield Leftover("lock", f"{lock}, which no process holds", partial(_remove_lock, lock))
    for file in sorted((store.absolute().parent / "live").glob("*.jsonl")):
        if _is_dead(file):
            yield Leftover("live file", f"{file}, of a game whose referee died", file.unlink)
    for folder in temporary_records():
        if _is_ours(folder):
            yield Leftover(
                "records", f"{folder}, of a game played without a writable home folder", partial(remove_tree, folder)
            )


def of_dead_runs() -> Iterator[Leftover]:
    """Processes and folders on this machine; processes first, for they write into the folders."""
    folders = [folder for folder in remains() if _is_ours(folder)]
    for folder in folders:
        yield from _processes(folder)
    for folder in folders:
        yield Leftover("folder", f"{folder}, whose run died", partial(remove_tree, folder))


def _is_ours(folder: Path) -> bool:
    return os.name == "nt" or folder.stat().st_uid == os.getuid()


def _processes(folder: Path) -> Iterator[Leftover]:
    """Programs of a dead run: those that it wrote down, with all below them, and those that run in its folder."""
    for process in {**_noted(folder), **_inside(folder)}.values():
        with contextlib.suppress(psutil.Error):
            words = f"{process.pid} ({process.name()}) in {folder}, whose run died"
            yield Leftover("process", words, partial(_end, process))


def _noted(folder: Path) -> dict[int, psutil.Process]:
    """By number; what is lowest in its tree first, so that a supervisor has nobody left to lose.

    When a run dies its supervisors end all they watch over, and then themselves. Only who cannot is one left behind.
    """
    found: dict[int, psutil.Process] = {}
    for number in noted(folder):
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(number)
            try:
                process.wait(_MOMENT)
            except psutil.TimeoutExpired:
                tree = [process, *process.children(recursive=True)]
                found |= {one.pid: one for one in reversed(tree) if alive(one.pid)}
    return found


def _inside(folder: Path) -> dict[int, psutil.Process]:
    """By number. Agents have no terminal; somebody who looks around there has."""
    found: dict[int, psutil.Process] = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if Path(process.cwd()).is_relative_to(folder) and process.terminal() is None:
                found[process.pid] = process
    return found


def _end(process: psutil.Process) -> None:
    """Kill a process. It is gone as soon as it is dead, though its parent may be stopped, and never bury it."""
    try:
        process.kill()
        until = time.monotonic() + _PATIENCE
        while process.is_running() and process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            if time.monotonic() > until:
                raise OSError(f"it has not ended in {_PATIENCE:g} s")
            time.sleep(0.01)
        with contextlib.suppress(psutil.TimeoutExpired):
            process.wait(0)  # buries it, where it is a child of ours
    except psutil.NoSuchProcess:
        return
    except psutil.Error as wrong:
        raise OSError(str(wrong)) from None


def _is_free(lock: Path) -> bool:
    """Whether nobody holds a lock; no, where we may not look: it is somebody else's."""
    try:
        FileLock(lock, timeout=0).acquire().lock.release()
    except OSError:  # a Timeout too: somebody holds it
        return False
    return True


def _remove_lock(lock: Path) -> None:
    """Take a lock's file away while we hold it, so that nobody else does. Raises OSError where somebody does now."""
    try:
        with FileLock(lock, timeout=0):
            lock.unlink(missing_ok=True)
    except Timeout:
        raise OSError("a process holds it now") from None


def _is_dead(live: Path) -> bool:
    """Whether the process that writes a live file is gone; no, where the file does not say."""
    try:
        return not alive(int(next(read_live(live))["process"]))
    except (*UNREADABLE, StopIteration):
        return False
