"""The only module that reads Linux's /proc: processes, threads, their times, and settings of the system (proc(5)).

On systems without /proc, functions return empty values. Every agent and every supervisor imports this module, so it
imports little of the standard library and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable

ReadFunction = Callable[[str], bytes]  # a function like `read_file`

THREAD_COUNT_FIELD = 17  # the index of the number of threads in `stat_fields`


def read_file(name: str) -> bytes:
    """Return the content of /proc/NAME; empty if there is no such file or its process has ended.

    The function uses a descriptor and no file object, because an interrupt could leave a file object open.
    """
    try:
        descriptor = os.open(f"/proc/{name}", os.O_RDONLY)
    except OSError:
        return b""
    try:
        return b"".join(iter(lambda: os.read(descriptor, 65536), b""))
    except OSError:
        return b""
    finally:
        os.close(descriptor)


_MAX_OPEN_FILES = 64  # of each cache


class OpenFileCache:
    """Reads files of /proc, and keeps them open, because opening them takes four fifths of the time.

    An open file of a process that has ended cannot be read, so it never shows another process with the same id. Each
    thread needs its own object.
    """

    def __init__(self) -> None:
        self._descriptors: dict[str, int] = {}

    def read(self, name: str) -> bytes:
        """Return the first 64 KiB of /proc/NAME; empty if there is no such file or its process has ended."""
        descriptor = self._descriptors.get(name)
        if descriptor is None:
            if len(self._descriptors) >= _MAX_OPEN_FILES:
                self.close()
            try:
                descriptor = self._descriptors[name] = os.open(f"/proc/{name}", os.O_RDONLY)
            except OSError:
                return b""
        try:
            return os.pread(descriptor, 65536, 0)
        except OSError:
            os.close(self._descriptors.pop(name))
            return b""

    def close(self) -> None:
        """Close all files."""
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])

    __del__ = close


def process_ids() -> list[int]:
    """Return the ids of all processes."""
    return [int(name) for name in _names_in("") if name.isdigit()]


def owner_id(pid: int) -> int | None:
    """Return the user id of a process; None if it has ended."""
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None


def stat_fields(pid: int | str, read: ReadFunction = read_file) -> list[bytes]:
    """Return the fields of /proc/PID/stat, beginning with the state of the process; empty if the process has ended.

    pid: the id of the process, or "PID/task/THREAD" for one of its threads.
    """
    return read(f"{pid}/stat").rpartition(b")")[2].split()


def parent_id(pid: int) -> int:
    """Return the id of a process's parent; 0 if the process has ended."""
    fields = stat_fields(pid)
    return int(fields[1]) if fields else 0


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
    fields = stat_fields(pid)  # empty on a system without /proc, or for a process that has just been reaped
    return not fields or fields[0] not in (b"Z", b"X")


def thread_ids(pid: int) -> list[int]:
    """Return the ids of a process's threads; empty if the process has ended."""
    return [int(name) for name in _names_in(f"{pid}/task")]


def child_ids(pid: int, thread: int = 0, read: ReadFunction = read_file) -> list[int]:
    """Return the ids of the processes that a thread of a process started.

    thread: the id of the thread; 0 for the main thread.
    """
    return [int(word) for word in read(f"{pid}/task/{thread or pid}/children").split()]


def schedule_times(task: str, read: ReadFunction = read_file) -> tuple[int, int] | None:
    """Return a task's running time and its waiting time for a core, in nanoseconds; None if the kernel counts neither.

    task: "self", "thread-self", or PROCESS/task/THREAD.
    """
    words = read(f"{task}/schedstat").split()
    return (int(words[0]), int(words[1])) if len(words) == 3 else None


def open_io_counters(pid: int) -> int:
    """Open the input and output counters of a process for `write_counts`. Raises OSError if they are not readable."""
    return os.open(f"/proc/{pid}/io", os.O_RDONLY | os.O_CLOEXEC)


def write_counts(descriptor: int) -> tuple[int, int]:
    """Return the number of a process's write calls, and of the bytes they wrote.

    descriptor: the result of `open_io_counters`. Raises OSError or IndexError if the process has ended.
    """
    words = os.pread(descriptor, 512, 0).split(None, 8)  # rchar: N wchar: N syscr: N syscw: N …
    return int(words[7]), int(words[3])


def open_file_paths(pid: int) -> list[str]:
    """Return paths to the open files of a process; empty if this user must not see them."""
    return [f"/proc/{pid}/fd/{name}" for name in _names_in(f"{pid}/fd")]


def deleted_mappings(pid: int) -> list[str]:
    """Return paths to the mapped files of a process that have no name, because they were deleted or never had one."""
    mappings = [line for line in read_file(f"{pid}/maps").split(b"\n") if line.endswith(b" (deleted)")]
    return [f"/proc/{pid}/map_files/{_map_files_name(mapping)}" for mapping in mappings]


def _map_files_name(mapping: bytes) -> str:
    """Return the name of a mapping in map_files: its two addresses, without leading zeros."""
    first_address, last_address = mapping.split(b" ", 1)[0].split(b"-")
    return f"{int(first_address, 16):x}-{int(last_address, 16):x}"


def process_root_path(pid: int) -> str:
    """Return a path to the folder that a process sees as its root."""
    return f"/proc/{pid}/root"


def descriptor_path(descriptor: int) -> str:
    """Return a path to the file behind a descriptor of this process."""
    return f"/proc/self/fd/{descriptor}"


def set_session_priority(priority: int) -> None:
    """Set the scheduling priority of this process's session.

    Raises OSError if the kernel does not schedule by session.
    """
    with open("/proc/self/autogroup", "w", encoding="ascii") as file:
        file.write(str(priority))


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(f"/proc/{folder}")
    except OSError:
        return []
