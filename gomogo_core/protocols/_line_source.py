"""Sources of the lines that humans type: a descriptor, or any text stream.

Several processes can read from one descriptor, and no process takes the line of another. The module does not depend on
games or prompts.
"""

from __future__ import annotations

import os
import queue
import select
import threading
import time
from typing import Protocol, TextIO

_MAX_LINE_BYTES = 4096  # the most bytes of a line; the rest of a longer line is dropped


class LineSource(Protocol):
    """A source of lines."""

    def next_line(self, seconds: float) -> str | None:
        """Return the next line without its line end, or None after `seconds`. Raises EOFError at the end."""

    def drop_unfinished_line(self) -> None:
        """Drop an unfinished line, so that the next player does not get its beginning. Complete lines stay."""


def open_line_source(source: TextIO | None) -> LineSource:
    """Return a source of the lines of a stream, with time limits. If the system allows it, the source does not read
    ahead.
    """
    if source is not None and os.name != "nt":  # on Windows, select accepts sockets only
        try:
            return _DescriptorSource(source.fileno())
        except (OSError, ValueError, AttributeError):
            pass
    return _ThreadSource(source)


class _DescriptorSource:
    """Reads byte by byte, so that each of two players at one pipe or terminal takes only the player's own line."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unfinished_line = b""

    def next_line(self, seconds: float) -> str | None:
        deadline = time.monotonic() + seconds
        while select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
            try:
                byte = os.read(self._descriptor, 1)
            except OSError:  # EIO: the terminal has closed
                byte = b""
            if not byte and not self._unfinished_line:
                raise EOFError
            if byte in (b"", b"\n"):
                line, self._unfinished_line = self._unfinished_line, b""
                return line.decode("utf-8", "replace").rstrip("\r")
            if len(self._unfinished_line) < _MAX_LINE_BYTES:
                self._unfinished_line += byte
        return None

    def drop_unfinished_line(self) -> None:
        if os.isatty(self._descriptor) and not select.select([self._descriptor], [], [], 0)[0]:
            import termios

            termios.tcflush(self._descriptor, termios.TCIFLUSH)


class _ThreadSource:
    """Reads in a thread, because reading from a stream has no time limit. The next call returns a line that is late."""

    def __init__(self, source: TextIO | None) -> None:
        self._source = source
        self._read_lines: queue.Queue[str] = queue.Queue()
        self._is_reading = False

    def next_line(self, seconds: float) -> str | None:
        if not self._is_reading:
            self._is_reading = True
            threading.Thread(target=self._put_next_line, daemon=True).start()
        try:
            line = self._read_lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        self._is_reading = False
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    def drop_unfinished_line(self) -> None:
        pass  # in a terminal, the unfinished line remains in the terminal's own buffer

    def _put_next_line(self) -> None:
        try:
            self._read_lines.put("" if self._source is None else self._source.readline())
        except (OSError, ValueError):
            self._read_lines.put("")
