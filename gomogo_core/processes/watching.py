"""What a program and all it started take: looked at some ten times a second, and bounded where the system can do it.

Knows numbers of processes and one folder; no game, and nothing of ours: the supervisor imports it as it starts, so only
little of the standard library. On systems without Linux's /proc only the game folder is looked at.

Memory is watched, not refused: RLIMIT_AS counts what a program reserves, and Java and Node reserve far more than they
use. Counted is what is resident; where that is too much, each process's share of it (Pss), so that pages which forked
processes have in common count once. Files without a name count too: a memfd, or one deleted while it is open.
"""

from __future__ import annotations

import errno
import os
import resource
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PAUSE, _LONGEST = 0.1, 0.5  # seconds between two looks
_SHARE = 100  # a look takes one part in so many of one core, unless they become too rare
_MB = 1 << 20
_BLOCK = 512  # bytes: the unit of st_blocks
_MOST_FILES = 4096  # open at once, in one process
_NO_ROOM = 16 << 10  # bytes: a few moves
_LARGEST = 4 << 30  # bytes of one file: .NET reserves 2 GB in one
_DAY = 86400  # seconds
_SPARE = 2048  # tasks of one user beyond all that run when a program starts: a bound for one that forks without end
_READ_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class Watch:
    """Holds the tree of processes below this one to its limits. folder: where the agent plays."""

    def __init__(self, limits: dict[str, Any]) -> None:
        self._limits, self.folder = limits, os.getcwd()
        self._due = time.monotonic() + _PAUSE
        self._page = os.sysconf("SC_PAGE_SIZE")

    def bind(self) -> None:
        """Give this process, and all it becomes, the limits that the system itself keeps."""
        _bound(resource.RLIMIT_CORE, 0)
        _bound(resource.RLIMIT_FSIZE, _LARGEST)
        _bound(resource.RLIMIT_NOFILE, _MOST_FILES)
        # a net, in case we are ended ourselves: no game lasts for a day on all cores
        _bound(resource.RLIMIT_CPU, _DAY * (os.cpu_count() or 1))
        # RLIMIT_NPROC counts all that a user has, and is nothing for root
        if self._limits["own_user"]:
            _bound(resource.RLIMIT_NPROC, 2 * self._limits["tasks"])  # more than we end it for
        elif os.geteuid() and (running := _tasks_here()):
            _bound(resource.RLIMIT_NPROC, running + _SPARE)

    def pause(self) -> float:
        """Seconds until the next look."""
        return max(0.0, self._due - time.monotonic())

    def look(self) -> dict[str, str] | None:
        """What there is too much of, for the report; None where all is well, or it is not yet time to look."""
        started = time.monotonic()
        if started < self._due:
            return None
        excess = self._excess()
        ended = time.monotonic()
        self._due = ended + min(_LONGEST, max(_PAUSE, (ended - started) * _SHARE))
        return excess

    def _excess(self) -> dict[str, str] | None:
        limits = self._limits
        processes, tasks = _tree()
        if tasks > limits["tasks"]:
            return {"ended": f"had {tasks} processes and threads of {limits['tasks']}"}
        most = limits["memory_mb"] * _MB
        nameless = _nameless(processes)
        if sum(self._resident(number) for number in processes) + nameless > most:
            shares = [self._share(number) for number in processes]
            seen = sum(shared for _, shared in shares)  # of what has no name, what is in a process's memory too
            used = sum(all_of_it for all_of_it, _ in shares) + max(0, nameless - seen)
            if used > most:
                return {"ended": f"used {used // _MB} MB of {limits['memory_mb']}", "exceeded": "memory"}
        size, entries = size_of(self.folder, limits["entries"])
        if size > limits["folder_mb"] * _MB:
            words = f"{size // _MB} MB in its game folder of {limits['folder_mb']}"
            return {"ended": words, "exceeded": "memory"}
        if size and has_filled(self.folder, size):
            words = f"filled the disk of the game folders: {size // _MB} MB of it are in its own"
            return {"ended": words, "exceeded": "memory"}
        if entries > limits["entries"]:
            return {"ended": f"more than {limits['entries']} files in its game folder", "exceeded": "memory"}
        return None

    def _resident(self, number: int) -> int:
        """Bytes of a process in memory, shared ones too."""
        fields = _read(f"/proc/{number}/statm").split()
        return int(fields[1]) * self._page if fields else 0

    def _share(self, number: int) -> tuple[int, int]:
        """Bytes of a process in memory, each shared page as a fraction; and of these what lies in shared memory.

        Takes the kernel a while for much memory.
        """
        told = {b"Pss:": self._resident(number), b"Pss_Shmem:": 0}
        for line in _read(f"/proc/{number}/smaps_rollup").splitlines():
            words = line.split()
            if words and words[0] in told:
                told[words[0]] = int(words[1]) << 10
        return told[b"Pss:"], told[b"Pss_Shmem:"]


def _bound(kind: int, most: int) -> None:
    """Set a limit, for good; never a higher one than there was."""
    before = resource.getrlimit(kind)[1]
    if before != resource.RLIM_INFINITY:
        most = min(most, before)
    resource.setrlimit(kind, (most, most))


def _tasks_here() -> int:
    """Processes and threads of everybody; 0 where nobody knows."""
    fields = _read("/proc/loadavg").split()
    return int(fields[3].partition(b"/")[2]) if len(fields) > 3 else 0


def _tree() -> tuple[list[int], int]:
    """All processes below this one, and how many tasks they have together."""
    processes: list[int] = []
    tasks, ahead = 0, _children(os.getpid())[0]
    while ahead:
        number = ahead.pop()
        processes.append(number)
        below, threads = _children(number)
        ahead += below
        tasks += threads
    return processes, tasks


def _children(number: int) -> tuple[list[int], int]:
    """The children of a process, and how many threads it has itself."""
    try:
        threads = os.listdir(f"/proc/{number}/task")
    except OSError:  # it has just gone
        return [], 0
    found: list[int] = []
    for thread in threads:
        found += map(int, _read(f"/proc/{number}/task/{thread}/children").split())
    return found, len(threads)


def _nameless(processes: list[int]) -> int:
    """Bytes in files that these processes have open, or in their memory, and that stand in no folder.

    Shared memory is such a file. All of it counts as long as one page is mapped, and no process has to show it as its
    own. To look behind what is mapped is for root alone.
    """
    sizes: dict[tuple[int, int], int] = {}
    for number in processes:
        for path in (*_open_files(number), *_mapped_without_name(number)):
            try:
                there = os.stat(path)
            except OSError:  # it has just gone, or is closed to us
                continue
            if not there.st_nlink and stat.S_ISREG(there.st_mode):
                sizes[there.st_dev, there.st_ino] = there.st_blocks * _BLOCK
    return sum(sizes.values())


def _open_files(number: int) -> list[str]:
    place = f"/proc/{number}/fd/"
    try:
        return [place + descriptor for descriptor in os.listdir(place)]
    except OSError:
        return []


def _mapped_without_name(number: int) -> list[str]:
    """Where files stand that a process has mapped, and that have been deleted or never had a name."""
    if os.geteuid():
        return []
    lines = _read(f"/proc/{number}/maps").split(b"\n")
    return [f"/proc/{number}/map_files/{_place(line)}" for line in lines if line.endswith(b" (deleted)")]


def _place(line: bytes) -> str:
    """The name of a mapping in map_files: the same two addresses, there without noughts before them."""
    first, last = line.split(b" ", 1)[0].split(b"-")
    return f"{int(first, 16):x}-{int(last, 16):x}"


def is_full(folder: str) -> bool:
    """Whether nothing more can be written where a folder lies."""
    try:
        room = os.statvfs(folder)
    except OSError:  # it has gone
        return False
    return room.f_bavail * room.f_frsize < _NO_ROOM or (room.f_files > 0 and room.f_favail == 0)


def has_filled(folder: str, size: int) -> bool:
    """Whether a disk is full because of one folder: it has more than half of it. size: that of the folder, in bytes."""
    if not is_full(folder):
        return False
    room = os.statvfs(folder)
    return 2 * size > room.f_blocks * room.f_frsize


def size_of(path: str, most: int) -> tuple[int, int]:
    """Bytes and entries of a folder with all below it; the count ends above `most`. No link is followed."""
    size, entries, ahead = 0, 0, [path]
    while ahead and entries <= most:
        place = ahead.pop()
        try:
            here = os.open(place, _READ_FOLDER)
        except OSError as wrong:
            if wrong.errno == errno.ENAMETOOLONG:  # nobody needs folders in folders so deep: it hides something
                return size, most + 1
            continue
        try:
            with os.scandir(here) as found:
                for entry in found:
                    there = entry.stat(follow_symlinks=False)
                    size += there.st_blocks * _BLOCK
                    entries += 1
                    if stat.S_ISDIR(there.st_mode):
                        ahead.append(f"{place}/{entry.name}")
                    if entries > most:
                        break
        except OSError:  # what stood there has just gone
            continue
        finally:
            os.close(here)
    return size, entries


def _read(path: str) -> bytes:
    """All of a file of /proc, nothing where it has gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return b"".join(iter(lambda: os.read(descriptor, 65536), b""))
    except OSError:
        return b""
    finally:
        os.close(descriptor)
