"""A control group of one program and all its children, which the kernel can end together: cgroups(7), version 2.

The group is a second way to end a tree of processes, besides the subreaper (supervisor.py): a program may fork faster
than the supervisor can find its children, but all children stay in the program's group. The supervisor imports this
module, so the module imports only the standard library and `procfs`.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from gomogo_core import procfs

_SYS_CLONE3 = 435  # the same number on every architecture
# a flag of clone3 since Linux 5.7; without it, a process takes 12 ms to join a group
_CLONE_INTO_CGROUP = 0x200000000
_CLONE_ARGS_WORDS, _CGROUP_WORD = 11, 10  # 64-bit words in struct clone_args; the index of the word for the group
_NAME_PREFIX = "gomogo-"
_REMOVAL_TIMEOUT = 0.1  # seconds to wait until killed processes have disappeared


def own_cgroup_folder() -> str:
    """Return the folder of this process's control group if this process may create groups in it, else an empty text."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        mounts, groups = procfs.read_file("self/mounts").decode(), procfs.read_file("self/cgroup").decode()
    except UnicodeDecodeError:
        return ""
    mount = next((words[1] for line in mounts.splitlines() if (words := line.split())[2] == "cgroup2"), "")
    own_group = next((line[3:] for line in groups.splitlines() if line.startswith("0::")), "")
    folder = f"{mount}{own_group}".rstrip("/")
    return folder if mount and own_group and os.access(folder, os.W_OK | os.X_OK) else ""


def remove_stale_groups(folder: str) -> None:
    """Remove the groups of dead supervisors in this process's control group, whose folder is `folder`.

    Two kinds of groups stay: those that contain a process, and those of living supervisors, because a new group is
    empty at first.
    """
    try:
        group_names = [name for name in os.listdir(folder) if name.startswith(_NAME_PREFIX)]
    except OSError:
        return
    for name in group_names:
        if not os.path.exists(f"/proc/{name.removeprefix(_NAME_PREFIX)}"):
            _remove(f"{folder}/{name}")


class Cgroup:
    """A new group in `folder`, named after this process. Raises OSError if it cannot be created."""

    def __init__(self, folder: str) -> None:
        self._path = f"{folder}/{_NAME_PREFIX}{os.getpid()}"
        os.mkdir(self._path)
        if not os.path.exists(f"{self._path}/cgroup.kill"):  # the kernel is older than Linux 5.14
            _remove(self._path)
            raise OSError("this kernel cannot end a group")

    def fork(self) -> int:
        """Fork like os.fork; if the system allows it, the child is in the group from its start.

        The child must call exec, because Python's own preparations for a fork are left out.
        """
        import ctypes

        words = (ctypes.c_uint64 * _CLONE_ARGS_WORDS)(_CLONE_INTO_CGROUP)
        words[4] = signal.SIGCHLD
        try:
            words[_CGROUP_WORD] = descriptor = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:  # another run has removed the group
            return os.fork()
        child: int = ctypes.CDLL(None).syscall(_SYS_CLONE3, words, ctypes.c_size_t(ctypes.sizeof(words)))
        if child:
            os.close(descriptor)
        return os.fork() if child < 0 else child

    def kill(self) -> None:
        """End all processes of the group at once."""
        try:
            with open(f"{self._path}/cgroup.kill", "w", encoding="ascii") as file:
                file.write("1")
        except OSError:
            pass  # the group no longer exists

    def set_frozen(self, frozen: bool) -> bool:
        """Stop all processes of the group, or let them continue. Return False if the kernel cannot do that."""
        try:
            with open(f"{self._path}/cgroup.freeze", "w", encoding="ascii") as file:
                file.write("1" if frozen else "0")
        except OSError:  # the kernel is older than Linux 5.2, or the group no longer exists
            return False
        return True

    def cpu_nanoseconds(self) -> int:
        """Return the CPU time of all processes of the group, ended ones included, in nanoseconds; -1 if unknown."""
        try:
            with open(f"{self._path}/cpu.stat", encoding="ascii") as file:
                words = file.readline().split()
        except OSError:
            return -1
        return int(words[1]) * 1000 if words[:1] == ["usage_usec"] else -1

    def remove(self) -> None:
        """Remove the group when it is empty, after a short wait for its processes to disappear."""
        deadline = time.monotonic() + _REMOVAL_TIMEOUT
        while not _remove(self._path) and time.monotonic() < deadline:
            time.sleep(0.001)


def _remove(path: str) -> bool:
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
