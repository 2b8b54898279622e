"""Finds and removes the leftovers of dead runs: processes, game folders, locks and live files. Live runs are kept."""

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

from gomogo_core.processes.run_folder import dead_run_folders, running_recorded_processes
from gomogo_core.procfs import is_alive
from gomogo_core.records.live_format import UNREADABLE_FILE_ERRORS, read_live_events
from gomogo_core.records.paths import temporary_record_folders
from gomogo_core.wire.small_files import remove_tree

_SUPERVISOR_END_TIMEOUT = 1.0  # seconds that the supervisors of a dead run may take to end its processes
_KILL_TIMEOUT = 5.0  # seconds that a killed process may take to end


@dataclass(frozen=True)
class Leftover:
    """Something that a dead run has left behind, and the function that removes it.

    kind: "process", "folder", "lock", "live file" or "records". remove: raises OSError if it fails.
    """

    kind: str
    description: str
    remove: Callable[[], object]


def find_leftovers(store: Path) -> Iterator[Leftover]:
    """Yield all leftovers on this machine and in the folder of a store."""
    yield from find_leftovers_of_dead_runs()
    for lock in sorted(store.absolute().parent.glob(f"{store.name}.*.lock")):
        if _is_unlocked(lock):
            yield Leftover("lock", f"{lock}, which no process has locked", partial(_remove_lock, lock))
    for live_file in sorted((store.absolute().parent / "live").glob("*.jsonl")):
        if _has_dead_writer(live_file):
            yield Leftover("live file", f"{live_file}, of a game whose referee died", live_file.unlink)
    for folder in temporary_record_folders():
        if _belongs_to_user(folder):
            yield Leftover(
                "records", f"{folder}, of a game played without a writable home folder", partial(remove_tree, folder)
            )


def find_leftovers_of_dead_runs() -> Iterator[Leftover]:
    """Yield the processes of dead runs on this machine, then their folders, since a process may still write into a
    folder.
    """
    folders = [folder for folder in dead_run_folders() if _belongs_to_user(folder)]
    for folder in folders:
        yield from _find_process_leftovers(folder)
    for folder in folders:
        yield Leftover("folder", f"{folder}, whose run died", partial(remove_tree, folder))


def _belongs_to_user(folder: Path) -> bool:
    return os.name == "nt" or folder.stat().st_uid == os.getuid()


def _find_process_leftovers(folder: Path) -> Iterator[Leftover]:
    """Yield the processes of a dead run: the recorded processes with their descendants, and the processes that run in
    its folder.
    """
    for process in {**_find_recorded_processes(folder), **_find_processes_in(folder)}.values():
        with contextlib.suppress(psutil.Error):
            description = f"{process.pid} ({process.name()}) in {folder}, whose run died"
            yield Leftover("process", description, partial(_kill_and_wait, process))


def _find_recorded_processes(folder: Path) -> dict[int, psutil.Process]:
    """Return the recorded processes of a run by process id, descendants first, so that supervisors end last.

    When a run dies, its supervisors end the processes that they watch, and then exit. A supervisor remains only if it
    cannot end its processes.
    """
    processes: dict[int, psutil.Process] = {}
    for pid in running_recorded_processes(folder):
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            try:
                process.wait(_SUPERVISOR_END_TIMEOUT)
            except psutil.TimeoutExpired:
                family = [process, *process.children(recursive=True)]
                processes |= {descendant.pid: descendant for descendant in reversed(family) if is_alive(descendant.pid)}
    return processes


def _find_processes_in(folder: Path) -> dict[int, psutil.Process]:
    """Return the processes whose working directory is in a folder, by process id. Processes with a terminal are
    skipped: they belong to a user's shell, not to an agent.
    """
    processes: dict[int, psutil.Process] = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if Path(process.cwd()).is_relative_to(folder) and process.terminal() is None:
                processes[process.pid] = process
    return processes


def _kill_and_wait(process: psutil.Process) -> None:
    """Kill a process, and wait until it is dead or a zombie, since its parent may never reap it."""
    try:
        process.kill()
        deadline = time.monotonic() + _KILL_TIMEOUT
        while process.is_running() and process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            if time.monotonic() > deadline:
                raise OSError(f"it has not ended in {_KILL_TIMEOUT:g} s")
            time.sleep(0.01)
        with contextlib.suppress(psutil.TimeoutExpired):
            process.wait(0)  # reaps the process if it is our child
    except psutil.NoSuchProcess:
        return
    except psutil.Error as error:
        raise OSError(str(error)) from None


def _is_unlocked(lock: Path) -> bool:
    """Return whether no process has locked a file. False if this user may not read the file."""
    try:
        FileLock(lock, timeout=0).acquire().lock.release()
    except OSError:  # a process has locked the file (Timeout is an OSError), or the user may not read it
        return False
    return True


def _remove_lock(lock: Path) -> None:
    """Remove a lock file while we have the lock. Raises OSError if another process has it."""
    try:
        with FileLock(lock, timeout=0):
            lock.unlink(missing_ok=True)
    except Timeout:
        raise OSError("a process has locked it") from None


def _has_dead_writer(live_file: Path) -> bool:
    """Return whether the process that wrote a live file has ended. False if the file does not name the process."""
    try:
        return not is_alive(int(next(read_live_events(live_file))["process"]))
    except (*UNREADABLE_FILE_ERRORS, StopIteration):
        return False
