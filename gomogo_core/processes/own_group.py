"""A control group for one program and all that it starts, which the kernel ends at once: cgroups(7), version 2.

The supervisor imports it as a neighbour: standard library only, and nothing of ours. It is a second way to end a tree,
beside the subreaper's: what forks faster than it can be found is in the group all the same.
"""

from __future__ import annotations

import os
import signal
import sys
import time

_SYS_CLONE3 = 435  # on every architecture
_CLONE_INTO_CGROUP = 0x200000000  # since Linux 5.7; who joins later waits for all cores, some 12 ms
_WORDS, _CGROUP = 11, 10  # of 64 bits in struct clone_args, and which of them names the group
_NAME = "gomogo-"
_PATIENCE = 0.1  # seconds for what was killed to be gone


def place() -> str:
    """The folder of our own control group, where we may make others in it; empty where there is none."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        with open("/proc/self/mounts", encoding="utf-8") as mounts:
            mount = next((words[1] for line in mounts if (words := line.split())[2] == "cgroup2"), "")
        with open("/proc/self/cgroup", encoding="utf-8") as groups:
            own = next((line[3:].rstrip("\n") for line in groups if line.startswith("0::")), "")
    except (OSError, UnicodeDecodeError):
        return ""
    folder = f"{mount}{own}".rstrip("/")
    return folder if mount and own and os.access(folder, os.W_OK | os.X_OK) else ""


def sweep(folder: str) -> None:
    """Remove the groups that dead supervisors have left in our own; those that hold a process stay."""
    try:
        left = [name for name in os.listdir(folder) if name.startswith(_NAME)]
    except OSError:
        return
    for name in left:
        _remove(f"{folder}/{name}")


class Group:
    """A new group in `folder`, named after this process. Raises OSError where there can be none."""

    def __init__(self, folder: str) -> None:
        self._path = f"{folder}/{_NAME}{os.getpid()}"
        os.mkdir(self._path)
        if not os.path.exists(f"{self._path}/cgroup.kill"):  # before Linux 5.14
            _remove(self._path)
            raise OSError("this kernel cannot end a group")

    def fork(self) -> int:
        """As os.fork, with the child in the group from its beginning; without it where the system refuses that.

        The child has only to become another program: Python's own preparations for a fork are left out.
        """
        import ctypes

        words = (ctypes.c_uint64 * _WORDS)(_CLONE_INTO_CGROUP)
        words[4] = signal.SIGCHLD
        try:
            words[_CGROUP] = descriptor = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:  # somebody has swept it away
            return os.fork()
        child: int = ctypes.CDLL(None).syscall(_SYS_CLONE3, words, ctypes.c_size_t(ctypes.sizeof(words)))
        if child:
            os.close(descriptor)
        return os.fork() if child < 0 else child

    def kill(self) -> None:
        """End all in it at once."""
        try:
            with open(f"{self._path}/cgroup.kill", "w", encoding="ascii") as file:
                file.write("1")
        except OSError:
            pass  # it has gone

    def remove(self) -> None:
        """Remove it, once nothing is in it any more."""
        until = time.monotonic() + _PATIENCE
        while not _remove(self._path) and time.monotonic() < until:
            time.sleep(0.001)


def _remove(path: str) -> bool:
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
