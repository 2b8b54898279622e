"""Lines to and from a program through its standard input and output, without blocking.

Uses descriptors and deadlines, but no protocol, no game and no verdict.
"""

from __future__ import annotations

import contextlib
import os
import select
import string
import time
from collections import deque
from collections.abc import Callable, Sequence

from gomogo_core.cancellation import check_cancelled
from gomogo_core.processes.process import Process

LONGEST = 65536  # bytes of a line; no protocol has longer lines
_PIECE = 65536
_MOST_UNSENT = 1 << 20  # bytes that a program has not yet read
_AFTER = 0.5  # seconds
_LOOK = 0.1  # seconds between two checks for cancellation
_AROUND = string.whitespace + "\ufeff"  # the byte order mark with which programs on Windows begin UTF-8 text
_RETURNS = bytes.maketrans(b"\r", b"\n")  # old programs end lines by CR LF, a few by CR alone

Note = Callable[[str, str], None]


class TooLong(Exception):
    """A line was longer than LONGEST."""


class Conversation:
    """Lines to and from one process.

    note: called with every line, with ">" for ours and "<" for the program's. keep_blank: whether empty lines count.
    """

    def __init__(self, process: Process, *, keep_blank: bool = False) -> None:
        self.process, self._keep_blank = process, keep_blank
        self.note: Note | None = None
        self.closed = process.output < 0  # whether the program's output has ended
        self._lines: deque[str] = deque()
        self.last_line = ""  # the last line that was returned
        self._begun = b""
        self._unsent = b""
        self._polled: tuple[Sequence[int], select.poll] = ((), self._register(()))

    def say(self, text: str) -> None:
        """Send lines. Text that the program does not read at once is sent while we wait for its answer."""
        if self.note is not None:
            for line in text.splitlines():
                self.note(">", line)
        if len(self._unsent) <= _MOST_UNSENT:  # a program that does not read loses the rest
            self._unsent += text.encode()
        self._send()

    def _send(self) -> None:
        try:
            while unsent := self._unsent:
                self._unsent = unsent[os.write(self.process.input, unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # the program reads no more; its end is noticed elsewhere
            self._unsent = b""

    def waiting(self) -> list[str]:
        """Return the complete lines received so far, without waiting."""
        if not self._read() and not self._lines:
            return []
        lines = list(self._lines)
        self._lines.clear()
        return lines

    def line(self, until: float, exit_fds: Sequence[int] = ()) -> str | None:
        """Return the next line; None at `until` (time.monotonic()), at its end, or when one of `exit_fds` is readable.

        A received line is returned even shortly after `until`, so that a busy machine loses no line; but not longer,
        since a program may write without end. exit_fds: descriptors that become readable when a program has ended.
        Raises TooLong.
        """
        if self._lines and time.monotonic() > until + _AFTER:
            return None
        while not self._lines:
            if len(self._begun) > LONGEST:
                raise TooLong
            if self.closed or not self._wait(until, exit_fds):
                return None
        self.last_line = self._lines.popleft()
        return self.last_line

    def _wait(self, until: float, exit_fds: Sequence[int]) -> bool:
        """Wait for a while, and return whether to look for a line, or to wait, again."""
        if self._polled[0] is not exit_fds:
            self._polled = (exit_fds, self._register(exit_fds))
        poll = self._polled[1]
        if self._unsent:
            self._send()
            if self._unsent:
                poll.register(self.process.input, select.POLLOUT)
        left = until - time.monotonic()
        if left <= 0:
            return self._read()
        check_cancelled()
        # poll counts whole milliseconds: round up, or the last one is spent spinning
        ready = poll.poll(min(left, _LOOK) * 1000 + 0.5)
        if self._unsent:
            with contextlib.suppress(KeyError):
                poll.unregister(self.process.input)
            self._send()
            if len(ready) == 1 and ready[0][0] == self.process.input:
                return True  # the pipe accepts data again: continue to wait
        if not ready:
            return left > _LOOK
        output = self.process.output
        for descriptor, _ in ready:
            if descriptor == output:
                return self._read()
        return False

    def _register(self, exit_fds: Sequence[int]) -> select.poll:
        poll = select.poll()
        if self.process.output >= 0:
            poll.register(self.process.output, select.POLLIN)
        for exit_fd in exit_fds:
            poll.register(exit_fd, select.POLLIN)
        return poll

    def _read(self) -> bool:
        """Read the available output. Return whether there was any, or the end of the output."""
        if self.closed:
            return False
        try:
            piece = os.read(self.process.output, _PIECE)
        except BlockingIOError:
            return False
        except OSError:
            piece = b""
        if not piece:
            self.closed = True
            if self._begun:
                self._record(b"\n")  # a last line without a line end counts as a line
            return True
        self._record(piece)
        return True

    def _record(self, piece: bytes) -> None:
        piece = piece.replace(b"\r", b"") if self._keep_blank else piece.translate(_RETURNS)
        *whole, self._begun = (self._begun + piece).split(b"\n")
        for raw in whole:
            if len(raw) > LONGEST:  # the end of the line came too late
                self._begun = raw
                return
            line = raw.decode("utf-8", "replace").strip(_AROUND)
            if line or self._keep_blank:
                self._lines.append(line)
                if self.note is not None:
                    self.note("<", line)
