"""Sends lines to a program and reads lines from it through its standard input and output, without blocking.

The module handles descriptors and deadlines. It does not depend on protocols or games, and gives no verdict.
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

MAX_LINE_BYTES = 65536  # bytes of a line; no protocol has longer lines
_MAX_READ_BYTES = 65536  # the most bytes of one read
_MAX_UNSENT_BYTES = 1 << 20  # the most bytes that wait for a program to read them
_LATE_LINE_SECONDS = 0.5  # seconds after the deadline in which lines that have already arrived are still returned
_CHECK_INTERVAL = 0.1  # seconds between two checks for cancellation
_STRIPPED_CHARACTERS = string.whitespace + "\ufeff"  # programs on Windows begin UTF-8 text with a byte order mark
_CR_TO_LF = bytes.maketrans(b"\r", b"\n")  # old programs end lines by CR LF, a few by CR alone

LogLine = Callable[[str, str], None]  # a function that is called with ">" or "<", and a line


class LineTooLong(Exception):
    """Raised if a program writes a line that is longer than MAX_LINE_BYTES."""


class Conversation:
    """The lines sent to one process, and received from it.

    log_line: a function that is called for every line, with ">" and the line if it was sent to the program, or "<" and
    the line if the program sent it. keeps_blank_lines: whether empty lines are returned.
    """

    def __init__(self, process: Process, *, keeps_blank_lines: bool = False) -> None:
        self.process, self._keeps_blank_lines = process, keeps_blank_lines
        self.log_line: LogLine | None = None
        self.is_closed = process.output < 0  # whether the program's output has ended
        self._received_lines: deque[str] = deque()
        self.last_line = ""  # the last line that was returned
        self._unfinished_line = b""
        self._unsent_bytes = b""
        self._cached_poll: tuple[Sequence[int], select.poll] = ((), self._create_poll(()))

    def send(self, lines: str) -> None:
        """Send lines. Text that the program does not read at once is sent later, during the wait for its answer."""
        if self.log_line is not None:
            for line in lines.splitlines():
                self.log_line(">", line)
        if len(self._unsent_bytes) <= _MAX_UNSENT_BYTES:  # further text for a program that does not read is dropped
            self._unsent_bytes += lines.encode()
        self._send_unsent()

    def _send_unsent(self) -> None:
        try:
            while unsent_bytes := self._unsent_bytes:
                self._unsent_bytes = unsent_bytes[os.write(self.process.input, unsent_bytes) :]
        except BlockingIOError:
            pass
        except OSError:  # the program has closed its input; the caller notices if it has exited
            self._unsent_bytes = b""

    def take_received_lines(self) -> list[str]:
        """Return and forget the complete lines received so far, without waiting."""
        # poll takes a third of the time of a read that finds nothing
        if (self.is_closed or not self._cached_poll[1].poll(0) or not self._read()) and not self._received_lines:
            return []
        lines = list(self._received_lines)
        self._received_lines.clear()
        return lines

    def next_line(self, deadline: float, exit_fds: Sequence[int] = ()) -> str | None:
        """Return the next line, or None at the time `deadline` (by time.monotonic()).

        Also returns None if the output has ended, or if one of `exit_fds` is readable, which means that a program has
        exited. A line that has arrived is returned even shortly after `deadline`, so that no line is lost on a busy
        machine; but a line is not returned much later, because a program may write without end. Raises LineTooLong.
        """
        if self._received_lines and time.monotonic() > deadline + _LATE_LINE_SECONDS:
            return None
        while not self._received_lines:
            if len(self._unfinished_line) > MAX_LINE_BYTES:
                raise LineTooLong
            if self.is_closed or not self._wait_for_input(deadline, exit_fds):
                return None
        self.last_line = self._received_lines.popleft()
        return self.last_line

    def _wait_for_input(self, deadline: float, exit_fds: Sequence[int]) -> bool:
        """Wait for input for a short time. Return whether the caller should continue to wait for a line."""
        if self._cached_poll[0] is not exit_fds:
            self._cached_poll = (exit_fds, self._create_poll(exit_fds))
        poll = self._cached_poll[1]
        if self._unsent_bytes:
            self._send_unsent()
            if self._unsent_bytes:
                poll.register(self.process.input, select.POLLOUT)
        seconds_left = deadline - time.monotonic()
        if seconds_left <= 0:
            return self._read()
        # poll counts whole milliseconds, so round up: otherwise the last millisecond would be a busy loop
        ready = poll.poll(min(seconds_left, _CHECK_INTERVAL) * 1000 + 0.5)
        if self._unsent_bytes:
            with contextlib.suppress(KeyError):
                poll.unregister(self.process.input)
            self._send_unsent()
            if len(ready) == 1 and ready[0][0] == self.process.input:
                return True  # the pipe accepts data again: continue to wait
        if not ready:
            check_cancelled()
            return seconds_left > _CHECK_INTERVAL
        output = self.process.output
        for descriptor, _ in ready:
            if descriptor == output:
                return self._read()
        return False

    def _create_poll(self, exit_fds: Sequence[int]) -> select.poll:
        poll = select.poll()
        if self.process.output >= 0:
            poll.register(self.process.output, select.POLLIN)
        for exit_fd in exit_fds:
            poll.register(exit_fd, select.POLLIN)
        return poll

    def _read(self) -> bool:
        """Read the available output. Return True if there was some output or the output has ended, else False."""
        if self.is_closed:
            return False
        try:
            chunk = os.read(self.process.output, _MAX_READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self.is_closed = True
            if self._unfinished_line:
                self._add_output(b"\n")  # a last line without a line end counts as a line
            return True
        self._add_output(chunk)
        return True

    def _add_output(self, chunk: bytes) -> None:
        chunk = chunk.replace(b"\r", b"") if self._keeps_blank_lines else chunk.translate(_CR_TO_LF)
        *complete_lines, self._unfinished_line = (self._unfinished_line + chunk).split(b"\n")
        for raw_line in complete_lines:
            if len(raw_line) > MAX_LINE_BYTES:  # `next_line` raises LineTooLong for this line
                self._unfinished_line = raw_line
                return
            line = raw_line.decode("utf-8", "replace").strip(_STRIPPED_CHARACTERS)
            if line or self._keeps_blank_lines:
                self._received_lines.append(line)
                if self.log_line is not None:
                    self.log_line("<", line)
