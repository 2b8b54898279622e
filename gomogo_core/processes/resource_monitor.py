"""Measures the resources of a program and its children about ten times a second, and sets the system's own limits.

Memory is measured, not limited by RLIMIT_AS, which counts reserved memory: Java and Node reserve far more than they
use. The monitor first adds up resident memory. If the sum is above the limit, it adds up each process's share (Pss)
instead, so that pages shared by forked processes count once. Files without a name count too, such as a memfd, or a file
that was deleted while it is open.

On systems without Linux's /proc, the monitor only measures the game folder. The supervisor imports this module, so the
module imports little. It does not depend on games.
"""

from __future__ import annotations

import errno
import math
import os
import resource
import stat
import time

from gomogo_core import procfs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SHORTEST_INTERVAL, _LONGEST_INTERVAL = 0.1, 0.5  # seconds between two checks: the least, and the most
# checks take at most 1/100 of one core, but the time between two checks is at most _LONGEST_INTERVAL
_PAUSE_TO_CHECK_RATIO = 100
_MB = 1 << 20
_BLOCK_BYTES = 512  # bytes: the unit of st_blocks
_MAX_OPEN_FILES = 4096  # the most files that one process may have open at the same time
_FULL_DISK_BYTES = 16 << 10  # a disk with fewer free bytes is full; these bytes suffice for a few moves
_MAX_FILE_BYTES = 4 << 30  # bytes of one file; .NET reserves a file of 2 GB
_TEMPORARY_FOLDERS = ("/tmp", "/dev/shm")  # the temporary folders of a sandbox
_SECONDS_PER_DAY = 86400
_MAX_ADDITIONAL_TASKS = 2048  # a limit for endless forks: the most tasks of one user, beyond those running at the start
_OPEN_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class ResourceMonitor:
    """Checks the limits of the tree of processes below this one.

    limits: the fields of `ResourceLimits`. is_sandboxed: whether the program runs in a sandbox, with temporary folders
    of its own. folder: the agent's game folder. next_check_at: the time of the next check, by the monotonic clock.
    """

    def __init__(self, limits: dict[str, Any], *, is_sandboxed: bool = False) -> None:
        self._limits, self._is_sandboxed, self.folder = limits, is_sandboxed, os.getcwd()
        self.next_check_at = time.monotonic() + _SHORTEST_INTERVAL
        self._page_bytes = os.sysconf("SC_PAGE_SIZE")

    def set_system_limits(self) -> None:
        """Set the limits that the system itself enforces, for this process and the program that it will execute."""
        _lower_limit(resource.RLIMIT_CORE, 0)
        _lower_limit(resource.RLIMIT_FSIZE, _MAX_FILE_BYTES)
        _lower_limit(resource.RLIMIT_NOFILE, _MAX_OPEN_FILES)
        # this limit ends the program if the supervisor was killed; no game takes the CPU time of a day on all cores
        _lower_limit(resource.RLIMIT_CPU, _SECONDS_PER_DAY * (os.cpu_count() or 1))
        # RLIMIT_NPROC counts all tasks of a user, and does not apply to root
        if self._limits["has_own_user"]:
            # the system's limit is higher than the limit at which the supervisor ends the program
            _lower_limit(resource.RLIMIT_NPROC, 2 * self._limits["tasks"])
        elif os.geteuid() and (task_count := _count_all_tasks()):
            _lower_limit(resource.RLIMIT_NPROC, task_count + _MAX_ADDITIONAL_TASKS)

    def exceeded_limit(self) -> dict[str, str] | None:
        """Return the report about an exceeded limit; None if no limit is exceeded, or if the next check is not due."""
        started_at = time.monotonic()
        if started_at < self.next_check_at:
            return None
        report = self._exceeded_limit()
        ended_at = time.monotonic()
        pause = (ended_at - started_at) * _PAUSE_TO_CHECK_RATIO
        self.next_check_at = ended_at + min(_LONGEST_INTERVAL, max(_SHORTEST_INTERVAL, pause))
        return report

    def _exceeded_limit(self) -> dict[str, str] | None:
        limits = self._limits
        processes, task_count = _processes_below()
        if task_count > limits["tasks"]:
            return {"ended": f"had {task_count} processes and threads; the limit is {limits['tasks']}"}
        max_bytes = limits["memory_mb"] * _MB
        unnamed_bytes = _unnamed_file_bytes(processes)
        if sum(self._resident_bytes(pid) for pid in processes) + unnamed_bytes > max_bytes:
            shares = [self._proportional_bytes(pid) for pid in processes]
            # bytes of nameless files that are also in a process's memory
            shared_bytes = sum(shared_part for _, shared_part in shares)
            used_bytes = sum(total for total, _ in shares) + max(0, unnamed_bytes - shared_bytes)
            if used_bytes > max_bytes:
                return _memory_report(f"used {used_bytes // _MB} MB; the limit is {limits['memory_mb']} MB")
        max_entries = limits["folder_entries"]
        size, entry_count = folder_size(self.folder, max_entries)
        if size > limits["folder_mb"] * _MB:
            return _memory_report(f"had {size // _MB} MB in its game folder; the limit is {limits['folder_mb']} MB")
        if size and has_filled_disk(self.folder, size):
            return _memory_report(f"filled the disk of the game folders; its own folder has {size // _MB} MB of it")
        if entry_count == math.inf:
            sentence = "had folders in its game folder that were nested too deeply for the paths of this system"
            return _memory_report(sentence)
        if entry_count > max_entries:
            return _memory_report(f"had more than {max_entries} files in its game folder")
        if self._is_sandboxed and _count_temporary_files(processes) > max_entries:
            return _memory_report(f"had more than {max_entries} files in its temporary folders")
        return None

    def _resident_bytes(self, pid: int) -> int:
        """Return the resident bytes of a process, with shared pages."""
        fields = procfs.read_file(f"{pid}/statm").split()
        return int(fields[1]) * self._page_bytes if fields else 0

    def _proportional_bytes(self, pid: int) -> tuple[int, int]:
        """Return the bytes of a process in memory, and the part of them in shared memory.

        A page that several processes share counts as a fraction. This call is slow for a process with much memory.
        """
        values = {b"Pss:": self._resident_bytes(pid), b"Pss_Shmem:": 0}
        for line in procfs.read_file(f"{pid}/smaps_rollup").splitlines():
            words = line.split()
            if words and words[0] in values:
                values[words[0]] = int(words[1]) << 10
        return values[b"Pss:"], values[b"Pss_Shmem:"]


def _memory_report(sentence: str) -> dict[str, str]:
    return {"ended": sentence, "exceeded": "memory"}


def _lower_limit(resource_id: int, maximum: int) -> None:
    """Set a limit permanently, unless it would be higher than before."""
    previous_maximum = resource.getrlimit(resource_id)[1]
    if previous_maximum != resource.RLIM_INFINITY:
        maximum = min(maximum, previous_maximum)
    resource.setrlimit(resource_id, (maximum, maximum))


def _count_all_tasks() -> int:
    """Return the number of processes and threads of all users; 0 if the system does not count."""
    fields = procfs.read_file("loadavg").split()
    return int(fields[3].partition(b"/")[2]) if len(fields) > 3 else 0


def _processes_below() -> tuple[list[int], int]:
    """Return all processes below this one, and the number of their tasks."""
    processes: list[int] = []
    task_count, pids = 0, _children_and_thread_count(os.getpid())[0]
    while pids:
        pid = pids.pop()
        processes.append(pid)
        children, thread_count = _children_and_thread_count(pid)
        pids += children
        task_count += thread_count
    return processes, task_count


def _children_and_thread_count(pid: int) -> tuple[list[int], int]:
    """Return the children of a process, and the number of its own threads."""
    threads = procfs.thread_ids(pid)
    return [child for thread in threads for child in procfs.child_ids(pid, thread)], len(threads)


def _count_temporary_files(processes: list[int]) -> int:
    """Return the number of files in the temporary folders of a sandbox, including deleted files that are still open.

    Each file takes a kilobyte or more, and bwrap can limit the bytes of these folders, but not the number of files.
    """
    for pid in reversed(processes):  # the first processes belong to bwrap itself, outside of the sandbox
        file_counts = [_count_files(procfs.process_root_path(pid), folder) for folder in _TEMPORARY_FOLDERS]
        if None not in file_counts:
            return sum(count or 0 for count in file_counts)
    return 0


def _count_files(root_folder: str, mount_point: str) -> int | None:
    """Return the number of files in the file system at `mount_point` below `root_folder`; None if that file system is
    missing or is this process's own.
    """
    try:
        usage = os.statvfs(root_folder + mount_point)
        if os.path.exists(mount_point) and os.stat(root_folder + mount_point).st_dev == os.stat(mount_point).st_dev:
            return None
    except OSError:
        return None
    return usage.f_files - usage.f_ffree


def _unnamed_file_bytes(processes: list[int]) -> int:
    """Return the bytes of the files without a name in any folder that these processes have open or mapped.

    Shared memory is such a file. While one of its pages is mapped, the whole file counts, and the kernel may not list
    it under any process. Only root can read the size of a mapped file.
    """
    sizes: dict[tuple[int, int], int] = {}
    for pid in processes:
        for path in (*procfs.open_file_paths(pid), *([] if os.geteuid() else procfs.deleted_mappings(pid))):
            try:
                status = os.stat(path)
            except OSError:  # the file has just disappeared, or this process may not read it
                continue
            if not status.st_nlink and stat.S_ISREG(status.st_mode):
                sizes[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK_BYTES
    return sum(sizes.values())


def is_disk_full(folder: str) -> bool:
    """Return whether the disk of a folder is full."""
    try:
        disk = os.statvfs(folder)
    except OSError:  # the folder no longer exists
        return False
    return disk.f_bavail * disk.f_frsize < _FULL_DISK_BYTES or (disk.f_files > 0 and disk.f_favail == 0)


def has_filled_disk(folder: str, size: int) -> bool:
    """Return whether a disk is full because of `folder`, which takes more than half of the disk. size: the bytes of the
    folder.
    """
    if not is_disk_full(folder):
        return False
    disk = os.statvfs(folder)
    return 2 * size > disk.f_blocks * disk.f_frsize


def folder_size(path: str, max_entries: int) -> tuple[int, float]:
    """Return the bytes and the number of entries of a folder and all folders below it, without following links.

    max_entries: the number of entries above which the function stops counting. The number of entries is infinite if a
    folder's path is too long for the system.
    """
    size, entry_count, folders = 0, 0, [path]
    while folders and entry_count <= max_entries:
        folder = folders.pop()
        try:
            descriptor = os.open(folder, _OPEN_FOLDER_FLAGS)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:  # no honest program needs folders nested so deeply
                return size, math.inf
            continue
        try:
            with os.scandir(descriptor) as dir_entries:
                for entry in dir_entries:
                    status = entry.stat(follow_symlinks=False)
                    size += status.st_blocks * _BLOCK_BYTES
                    entry_count += 1
                    if stat.S_ISDIR(status.st_mode):
                        folders.append(f"{folder}/{entry.name}")
                    if entry_count > max_entries:
                        break
        except OSError:  # an entry has just disappeared
            continue
        finally:
            os.close(descriptor)
    return size, entry_count
