"""A terminal, or a pair of pipes: prints text, reads lines, and redraws one line while a player thinks.

The module does not depend on games or players. It needs only the standard library.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from typing import Protocol, TextIO

from gomogo_core.protocols._line_source import open_line_source
from gomogo_core.protocols.descriptor import AgentProtocol

PROTOCOL = AgentProtocol("human", "a person at this terminal", settings=())

_REDRAW_INTERVAL = 0.1
_REDRAW_DELAY = 0.5  # seconds before the line is first drawn; a player that answers sooner needs none
# an entry in a list begins with one or two words and several blanks
_LIST_ENTRY_START = re.compile(r" {2}\S+(?: \S+)? {2,}(?=\S)")
# the terminal's commands DECSC and DECRC save the place of the cursor in the input line, and restore it
_SAVE_CURSOR, _RESTORE_CURSOR, _CLEAR_LINE = "\x1b7", "\x1b8", "\r\x1b[K"


class ConsoleInterface(Protocol):
    """The interface to a human: a `Console`, which documents each method, or a full screen."""

    @property
    def can_redraw(self) -> bool:
        """Whether a line can be drawn again."""

    @property
    def uses_colour(self) -> bool:
        """Whether ANSI colours may be used."""

    @property
    def width(self) -> int:
        """Characters in a line."""

    def say(self, text: str = "") -> None:
        """Print lines."""

    def ask(self, prompt: Callable[[], str], deadline: float = math.inf) -> str:
        """Return the next line typed."""

    def show_status_line(self, line: Callable[[], str], above: str = "") -> None:
        """Draw a status line again and again."""

    def clear_status_line(self) -> None:
        """Remove the status line."""


class Console:
    """The only reader and writer of a terminal, shared by all humans who play there.

    colour: whether to use ANSI colours; by default, they are used on a terminal unless NO_COLOR is set (no-color.org).
    can_redraw: whether a line that is already shown can be overwritten.
    """

    def __init__(self, source: TextIO | None = None, out: TextIO | None = None, *, colour: bool | None = None) -> None:
        source, self._output = source or sys.stdin, out or sys.stdout
        self._line_source = open_line_source(source)
        self._is_typed = _is_terminal(source)
        is_terminal = _is_terminal(self._output) and os.environ.get("TERM", "") != "dumb"
        if is_terminal and os.name == "nt":
            os.system("")  # on Windows, this enables escape sequences
        self.can_redraw = is_terminal
        self.uses_colour = is_terminal and not os.environ.get("NO_COLOR") if colour is None else colour
        self._output_lock = threading.Lock()
        self._stop_event: threading.Event | None = None
        self._redraw_thread: threading.Thread | None = None

    @property
    def width(self) -> int:
        """The current number of characters in a line, which changes when a window is resized; 80 for a pipe."""
        return shutil.get_terminal_size().columns if self.can_redraw else 80

    def say(self, text: str = "") -> None:
        """Print one or more lines. On a terminal, lines that are too long are broken between words."""
        self.clear_status_line()
        if self.can_redraw:
            text = "\n".join(map(self._wrap_line, text.split("\n")))
        self._write(text + "\n")

    def _wrap_line(self, line: str) -> str:
        if "\x1b" in line or len(line) <= self.width:
            return line
        entry_start = _LIST_ENTRY_START.match(line)
        return textwrap.fill(line, self.width, subsequent_indent=" " * entry_start.end() if entry_start else "")

    def _write(self, text: str) -> None:
        with self._output_lock:
            encoding = getattr(self._output, "encoding", None) or "utf-8"
            self._output.write(text.encode(encoding, "replace").decode(encoding))
            self._output.flush()

    def ask(self, prompt: Callable[[], str], deadline: float = math.inf) -> str:
        """Return the next typed line, without blanks at its ends.

        prompt: a function that returns the prompt, always of the same length; on a terminal, the prompt is requested
        and drawn repeatedly while the human thinks. deadline: a moment by time.monotonic(). Raises TimeoutError at the
        deadline, EOFError at the end of the input, and KeyboardInterrupt on Ctrl-C.
        """
        self.clear_status_line()
        self._line_source.drop_unfinished_line()
        shown_prompt = prompt()
        self._write(shown_prompt)
        try:
            line = self._line_source.next_line(0.0)
            is_above = line is not None  # typed before the prompt was there, so the terminal shows it above
            while line is None:
                seconds_left = deadline - time.monotonic()
                line = self._line_source.next_line(max(0.0, min(_REDRAW_INTERVAL, seconds_left)))
                if line is None and seconds_left <= 0:
                    raise TimeoutError
                if line is None and self.can_redraw and (new_prompt := prompt()) != shown_prompt:
                    shown_prompt = new_prompt
                    self._write(f"{_SAVE_CURSOR}\r{shown_prompt}{_RESTORE_CURSOR}")
        except BaseException:
            self._write("\n")
            raise
        if is_above or not self._is_typed:  # a line from a pipe is shown nowhere
            self._write(line + "\n")
        return line.strip()

    def show_status_line(self, line: Callable[[], str], above: str = "") -> None:
        """Draw the result of `line` again and again, below the text `above`, until the next message or question.

        Nothing is drawn without a terminal, or if that message or question follows within half a second.
        """
        self.clear_status_line()
        if self.can_redraw:
            self._stop_event = threading.Event()
            self._redraw_thread = threading.Thread(
                target=self._redraw, args=(line, above, self._stop_event), daemon=True
            )
            self._redraw_thread.start()

    def clear_status_line(self) -> None:
        """Stop drawing the status line, and erase it."""
        if self._stop_event is not None and self._redraw_thread is not None:
            self._stop_event.set()
            self._redraw_thread.join()
            self._stop_event = self._redraw_thread = None

    def _redraw(self, line: Callable[[], str], above: str, stop_event: threading.Event) -> None:
        if stop_event.wait(_REDRAW_DELAY):
            return
        self._write(above + "\n" * bool(above) + line()[: self.width - 1])  # a wrapped line cannot be redrawn
        while not stop_event.wait(_REDRAW_INTERVAL):
            self._write(f"{_SAVE_CURSOR}\r{line()[: self.width - 1]}{_RESTORE_CURSOR}")
        self._write(_CLEAR_LINE)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # the output is closed
        return False
