"""Waits for a folder to change: by inotify, or else by polling that slows down while it waits.

Measured on two cores: a wake-up by inotify takes 40 to 90 µs, and a wake-up by polling every millisecond takes 1.2 ms.
The module does not depend on protocols.
"""

from __future__ import annotations

import os
import select
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from gomogo_core import procfs
from gomogo_core.cancellation import check_cancelled
from gomogo_core.wire import inotify

MAX_WAIT_SECONDS = 0.1  # the most seconds between two checks, and so the longest delay that a lost event can cause
_NETWORK_FILE_SYSTEMS = set(
    "nfs nfs4 cifs smb3 smbfs 9p virtiofs vboxsf prl_fs ncpfs afs ceph glusterfs".split()  # noqa: SIM905
)
InotifyEvents = list[tuple[int, bytes]]


@lru_cache(maxsize=64)
def _lacks_events(device: int) -> bool:
    """Return whether files on a device can be written without this kernel's knowledge, as on network file systems and
    FUSE.
    """
    mounts = procfs.read_file("self/mountinfo").decode(errors="replace")
    device_field = f" {os.major(device)}:{os.minor(device)} "
    file_systems = [line.partition(" - ")[2].split(" ", 1)[0] for line in mounts.splitlines() if device_field in line]
    return any(file_system in _NETWORK_FILE_SYSTEMS or file_system.startswith("fuse") for file_system in file_systems)


class Waiter:
    """Waits for changes in one folder, by events of the kernel or by polling."""

    def __init__(self, folder: Path, mask: int) -> None:
        self._inotify_watch: inotify.InotifyWatch | None = None
        self._exit_fds: tuple[int, ...] | None = None  # the descriptors of the last call
        self._poll: Any = None  # the poll object for the folder's events and for these descriptors
        if os.environ.get("GOMOGO_INOTIFY", "on") != "off" and hasattr(select, "poll"):
            try:
                if not _lacks_events(folder.stat().st_dev):
                    self._inotify_watch = _open_watch(str(folder), mask)
            except OSError:
                self._inotify_watch = None  # the kernel or the user's limits allow no watch: poll instead
        self.uses_events = self._inotify_watch is not None  # whether every change arrives as an event

    def _register(self, exit_fds: tuple[int, ...]) -> None:
        self._exit_fds, self._poll = exit_fds, select.poll()
        if self._inotify_watch is not None:
            self._poll.register(self._inotify_watch.fd, select.POLLIN)
        for exit_fd in exit_fds:
            self._poll.register(exit_fd, select.POLLIN | select.POLLHUP)

    def events(self) -> InotifyEvents:
        """Return the events since the last call; empty while polling."""
        return [] if self._inotify_watch is None else self._inotify_watch.events()

    def masks_of_writes(self, name: bytes) -> list[int]:
        """Return the masks of the writes to one file since the last call, and of its replacements; empty if polling."""
        return [] if self._inotify_watch is None else self._inotify_watch.masks_of_writes(name)

    def wait(self, started_at: float, deadline: float, exit_fds: tuple[int, ...] = ()) -> list[int]:
        """Wait for a change of the folder, at most until `deadline` and for MAX_WAIT_SECONDS. Return the readable
        `exit_fds`.

        started_at: the start of the whole wait; the longer the wait, the slower the polling. Both times are by
        time.monotonic(). Raises GameCancelled if this thread has been asked to stop.
        """
        check_cancelled()
        now = time.monotonic()
        wait_seconds = deadline - now if deadline < now + MAX_WAIT_SECONDS else MAX_WAIT_SECONDS
        if not self.uses_events:  # wait a twentieth of the time so far: a change is noticed at most 5 % late
            wait_seconds = max(0.0, min(wait_seconds, max(0.0002, min(0.01, (now - started_at) / 20))))
            if not exit_fds:
                time.sleep(wait_seconds)
                return []
            if wait_seconds < 0.001:  # poll counts whole milliseconds, but select can wait for a shorter time
                return list(select.select(exit_fds, [], [], wait_seconds)[0])
        if exit_fds != self._exit_fds:
            self._register(exit_fds)
        # poll counts whole milliseconds, so round up: otherwise the last millisecond would be a busy loop
        ready_fds = self._poll.poll(wait_seconds * 1000 + 0.5 if wait_seconds > 0 else 0)
        return [fd for fd, _ in ready_fds if fd in exit_fds] if exit_fds else []

    def close(self) -> None:
        """Stop watching."""
        if self._inotify_watch is not None:
            self._inotify_watch.unwatch()
            _idle_watches.append(self._inotify_watch)
            self._inotify_watch = None


# watches that are kept for the next game, because closing one and opening another would take 4 ms
_idle_watches: list[inotify.InotifyWatch] = []


def _open_watch(folder: str, mask: int) -> inotify.InotifyWatch:
    try:
        watch = _idle_watches.pop()
    except IndexError:
        return inotify.InotifyWatch(folder, mask)
    watch.watch(folder, mask)
    return watch
