"""The only module that reads Linux's /proc: processes, threads, their times, and settings of the system (proc(5)).

Standard library only, and little of it: each agent and each supervisor imports this module. On systems without /proc
every value is missing.
"""

from __future__ import annotations

import os


def read(name: str) -> bytes:
    """Return the content of /proc/NAME; empty if it does not exist, or no longer.

    Uses no file object, because an interrupt at this place would leave it open.
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


def processes() -> list[int]:
    """Return the ids of all processes."""
    return [int(name) for name in _names_in("") if name.isdigit()]


def owner(number: int) -> int | None:
    """Return the user id of a process; None if it has ended."""
    try:
        return os.stat(f"/proc/{number}").st_uid
    except OSError:
        return None


def stat_fields(number: int) -> list[bytes]:
    """Return the fields of a process's `stat` from its state on; empty if it has ended."""
    return read(f"{number}/stat").rpartition(b")")[2].split()


def parent(number: int) -> int:
    """Return the parent of a process; 0 if it has ended."""
    fields = stat_fields(number)
    return int(fields[1]) if fields else 0


def threads(number: int) -> list[int]:
    """Return the threads of a process; empty if it has ended."""
    return [int(name) for name in _names_in(f"{number}/task")]


def children(number: int, thread: int = 0) -> list[int]:
    """Return the processes that a thread of a process started, by default its main thread."""
    return [int(word) for word in read(f"{number}/task/{thread or number}/children").split()]


def schedule_times(task: str) -> tuple[int, int] | None:
    """Return the nanoseconds for which a task has run and has waited for a core; None if they are not counted.

    task: "self", "thread-self", or PROCESS/task/THREAD.
    """
    words = read(f"{task}/schedstat").split()
    return (int(words[0]), int(words[1])) if len(words) == 3 else None


def open_io(number: int) -> int:
    """Return a descriptor for `io_counts`. Raises OSError if the system shows no counts of this process."""
    return os.open(f"/proc/{number}/io", os.O_RDONLY | os.O_CLOEXEC)


def io_counts(descriptor: int) -> tuple[int, int]:
    """Return a process's write calls and the bytes they wrote. Raises OSError or IndexError if it has ended."""
    words = os.pread(descriptor, 512, 0).split(None, 8)  # rchar: N wchar: N syscr: N syscw: N …
    return int(words[7]), int(words[3])


def open_files(number: int) -> list[str]:
    """Return paths to the open files of a process; empty if we may not see them."""
    return [f"/proc/{number}/fd/{name}" for name in _names_in(f"{number}/fd")]


def deleted_mappings(number: int) -> list[str]:
    """Return paths to the files that a process has mapped, and that have been deleted or never had a name."""
    lines = read(f"{number}/maps").split(b"\n")
    return [f"/proc/{number}/map_files/{_addresses(line)}" for line in lines if line.endswith(b" (deleted)")]


def _addresses(line: bytes) -> str:
    """Return the name of a mapping in map_files: its two addresses, without leading zeros."""
    first, last = line.split(b" ", 1)[0].split(b"-")
    return f"{int(first, 16):x}-{int(last, 16):x}"


def root(number: int) -> str:
    """Return a path to the root folder that a process sees."""
    return f"/proc/{number}/root"


def descriptor_path(descriptor: int) -> str:
    """Return a path to the file of a descriptor of ours."""
    return f"/proc/self/fd/{descriptor}"


def set_session_priority(priority: int) -> None:
    """Set the priority of our session. Raises OSError if the kernel does not group processes by session."""
    with open("/proc/self/autogroup", "w", encoding="ascii") as file:
        file.write(str(priority))


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(f"/proc/{folder}")
    except OSError:
        return []
