"""The calls of Linux's inotify that are needed to wait for a file. Source: inotify(7).

The module calls the system through ctypes, because agents run with the standard library alone. It does not depend on
protocols.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
import sys
from functools import lru_cache

MODIFY, CLOSE_WRITE, MOVED_TO, CREATE = 0x2, 0x8, 0x80, 0x100
DELETE_SELF, MOVE_SELF = 0x400, 0x800
_EVENT_HEADER = struct.Struct("iIII")  # watch, mask, cookie, length of the name: 16 bytes


class InotifyWatch:
    """Receives the events of one folder at a time.

    Raises OSError if the system or the user's limits do not allow it.
    """

    def __init__(self, folder: str, mask: int) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError("only Linux has inotify")
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self._watch_id = -1
        try:
            self.watch(folder, mask)
        except OSError:
            self.close()
            raise

    def watch(self, folder: str, mask: int) -> None:
        """Watch this folder instead of the previous one.

        This takes 10 µs, while closing an instance takes the kernel 4 ms.
        """
        self.unwatch()
        watch_id = self._libc.inotify_add_watch(self.fd, os.fsencode(folder), mask)
        if watch_id < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch", folder)
        self._watch_id = watch_id

    def unwatch(self) -> None:
        """Watch no folder."""
        if self._watch_id >= 0:
            self._libc.inotify_rm_watch(self.fd, self._watch_id)  # this fails if the folder no longer exists
            self._watch_id = -1

    def events(self) -> list[tuple[int, bytes]]:
        """Return the events since the last call, except MODIFY, each as mask and file name. The method does not
        wait.
        """
        event_bytes = self._read_events()
        events, offset = [], 0
        while offset < len(event_bytes):
            watch_id, mask, _, name_length = _EVENT_HEADER.unpack_from(event_bytes, offset)
            offset += 16 + name_length
            if watch_id == self._watch_id and mask != MODIFY:
                events.append((mask, event_bytes[offset - name_length : offset].rstrip(b"\0")))
        return events

    def masks_of_writes(self, name: bytes) -> list[int]:
        """Return the masks of the CLOSE_WRITE and MOVED_TO events of one file since the last call, without waiting.

        A regular expression takes a quarter of the time of parsing, because most events of a game folder are the
        referee's own writes to other files.
        """
        event_bytes = self._read_events()
        watch_id_bytes = self._watch_id.to_bytes(4, sys.byteorder)
        return [
            mask[0]
            for event_watch_id, mask in _event_pattern(name).findall(event_bytes)
            if event_watch_id == watch_id_bytes
        ]

    def _read_events(self) -> bytes:
        """Return the unread events as the kernel encodes them; empty if there are none."""
        try:
            return os.read(self.fd, 65536)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.fd)


@lru_cache(maxsize=8)
def _event_pattern(name: bytes) -> re.Pattern[bytes]:
    """Return a pattern that matches the watch and the mask of a CLOSE_WRITE or MOVED_TO event of this file.

    The pattern matches nothing else, because no file name contains the zero bytes of a header.
    """
    masks = b"([%c%c])\\0\\0[\\0\x40]" % (CLOSE_WRITE, MOVED_TO)  # 0x40 marks a folder
    length = struct.pack("I", (len(name) // 16 + 1) * 16)
    return re.compile(b"(.{4})" + masks + b".{4}" + re.escape(length + name) + b"\\0", re.DOTALL)
