"""One terminal or a pair of pipes: text out, lines in, and one line that is redrawn while a player thinks.

Needs no game and no player. Standard library only.
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

from gomogo_core.protocols._line_source import lines_of
from gomogo_core.protocols.descriptor import AgentProtocol

PROTOCOL = AgentProtocol("human", "a person at this terminal", settings=())

_REDRAWN = 0.1  # seconds between two drawings of a line
_SHOWN_AFTER = 0.5  # seconds: a player that answers sooner is not announced
_ENTRY = re.compile(r" {2}\S+(?: \S+)? {2,}(?=\S)")  # a line of a list: a word or two, then their meaning
_SAVE, _RESTORE, _CLEAR = "\x1b7", "\x1b8", "\r\x1b[K"  # DECSC, DECRC: the cursor returns to the input line


class ConsoleInterface(Protocol):
    """The interface to a human: a terminal, or a full screen. `Console` documents each method."""

    @property
    def live(self) -> bool:
        """Whether a line can be drawn again."""

    @property
    def colour(self) -> bool:
        """Whether ANSI colours may be used."""

    @property
    def width(self) -> int:
        """Characters in a line."""

    def say(self, text: str = "") -> None:
        """Print lines."""

    def ask(self, prompt: Callable[[], str], deadline: float = math.inf) -> str:
        """Return the next line typed."""

    def show(self, line: Callable[[], str], above: str = "") -> None:
        """Draw a line again and again."""

    def clear_line(self) -> None:
        """End the line that is being drawn."""


class Console:
    """The only reader and writer of a terminal, shared by all humans who play there.

    colour: whether ANSI colours may be used; by default, on a terminal without NO_COLOR (no-color.org). live: whether
    a line can be drawn again.
    """

    def __init__(self, source: TextIO | None = None, out: TextIO | None = None, *, colour: bool | None = None) -> None:
        source, self._out = source or sys.stdin, out or sys.stdout
        self._lines = lines_of(source)
        self._typed = _is_terminal(source)
        terminal = _is_terminal(self._out) and os.environ.get("TERM", "") != "dumb"
        if terminal and os.name == "nt":
            os.system("")  # on Windows, this enables escape sequences
        self.live = terminal
        self.colour = terminal and not os.environ.get("NO_COLOR") if colour is None else colour
        self._drawing = threading.Lock()
        self._over: threading.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def width(self) -> int:
        """Characters in a line now: a window may have been resized. A pipe has 80."""
        return shutil.get_terminal_size().columns if self.live else 80

    def say(self, text: str = "") -> None:
        """Print a line, or several. On a terminal sentences that are too long are broken between words."""
        self.clear_line()
        if self.live:
            text = "\n".join(map(self._wrap_line, text.split("\n")))
        self._write(text + "\n")

    def _wrap_line(self, line: str) -> str:
        if "\x1b" in line or len(line) <= self.width:
            return line
        entry = _ENTRY.match(line)
        return textwrap.fill(line, self.width, subsequent_indent=" " * entry.end() if entry else "")

    def _write(self, text: str) -> None:
        with self._drawing:
            encoding = getattr(self._out, "encoding", None) or "utf-8"
            self._out.write(text.encode(encoding, "replace").decode(encoding))
            self._out.flush()

    def ask(self, prompt: Callable[[], str], deadline: float = math.inf) -> str:
        """Return the next line typed, blanks at its ends taken off.

        prompt: drawn again on a terminal while the person thinks; always of the same length. deadline: in
        time.monotonic() seconds. Raises TimeoutError at the deadline, EOFError at the end of the input,
        KeyboardInterrupt on Ctrl-C.
        """
        self.clear_line()
        self._lines.drop_unfinished_line()
        shown = prompt()
        self._write(shown)
        try:
            while True:
                left = deadline - time.monotonic()
                line = self._lines.line(max(0.0, min(_REDRAWN, left)))
                if line is not None:
                    break
                if left <= 0:
                    raise TimeoutError
                if self.live and (now := prompt()) != shown:
                    shown = now
                    self._write(f"{_SAVE}\r{shown}{_RESTORE}")
        except BaseException:
            self._write("\n")
            raise
        if not self._typed:  # the line came from a pipe, so no terminal has shown it
            self._write(line + "\n")
        return line.strip()

    def show(self, line: Callable[[], str], above: str = "") -> None:
        """Draw `line` again and again, with `above` over it, until the next message or question.

        Nothing is drawn without a terminal, or if the wait is too short for a reader.
        """
        self.clear_line()
        if self.live:
            self._over = threading.Event()
            self._thread = threading.Thread(target=self._redraw, args=(line, above, self._over), daemon=True)
            self._thread.start()

    def clear_line(self) -> None:
        """Erase the line that is being drawn."""
        if self._over is not None and self._thread is not None:
            self._over.set()
            self._thread.join()
            self._over = self._thread = None

    def _redraw(self, line: Callable[[], str], above: str, over: threading.Event) -> None:
        if over.wait(_SHOWN_AFTER):
            return
        self._write(above + "\n" * bool(above) + line()[: self.width - 1])  # a wrapped line cannot be redrawn
        while not over.wait(_REDRAWN):
            self._write(f"{_SAVE}\r{line()[: self.width - 1]}{_RESTORE}")
        self._write(_CLEAR)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # the output is closed
        return False
