"""Sources of a human's lines: a descriptor, read without taking another reader's line, or any text stream.

Needs no games, prompts or screens.
"""

from __future__ import annotations

import os
import queue
import select
import threading
import time
from typing import Protocol, TextIO

_MOST = 4096  # bytes of a line; no answer is longer


class LineSource(Protocol):
    """A source of lines."""

    def line(self, seconds: float) -> str | None:
        """Return the next line without its line end, or None after `seconds`. Raises EOFError at the end."""

    def drop_unfinished_line(self) -> None:
        """Drop an unfinished line, which the next player to be asked does not see. Complete lines stay."""


def lines_of(source: TextIO | None) -> LineSource:
    """Return a line source that supports time limits; it does not read ahead if the system allows that."""
    if source is not None and os.name != "nt":  # Windows selects sockets only
        try:
            return _Descriptor(source.fileno())
        except (OSError, ValueError, AttributeError):
            pass
    return _Thread(source)


class _Descriptor:
    """A source that reads byte by byte, so that two players at one pipe or terminal each take only their own line."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._begun = b""

    def line(self, seconds: float) -> str | None:
        until = time.monotonic() + seconds
        while select.select([self._number], [], [], max(0.0, until - time.monotonic()))[0]:
            try:
                byte = os.read(self._number, 1)
            except OSError:  # EIO: the terminal has closed
                byte = b""
            if not byte and not self._begun:
                raise EOFError
            if byte in (b"", b"\n"):
                line, self._begun = self._begun, b""
                return line.decode("utf-8", "replace").rstrip("\r")
            if len(self._begun) < _MOST:
                self._begun += byte
        return None

    def drop_unfinished_line(self) -> None:
        if os.isatty(self._number) and not select.select([self._number], [], [], 0)[0]:
            import termios

            termios.tcflush(self._number, termios.TCIFLUSH)


class _Thread:
    """A source that reads in a thread, because other reads cannot time out; a late line answers the next question."""

    def __init__(self, source: TextIO | None) -> None:
        self._source = source
        self._read: queue.Queue[str] = queue.Queue()
        self._asked = False

    def line(self, seconds: float) -> str | None:
        if not self._asked:
            self._asked = True
            threading.Thread(target=self._ask, daemon=True).start()
        try:
            line = self._read.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        self._asked = False
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    def drop_unfinished_line(self) -> None:
        pass  # in a terminal, the unfinished line remains in the terminal's own buffer

    def _ask(self) -> None:
        try:
            self._read.put("" if self._source is None else self._source.readline())
        except (OSError, ValueError):
            self._read.put("")
