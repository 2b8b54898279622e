"""The log of the communication in a game: every line to and from each program, with its time. The module does not
depend on protocols.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

_MAX_LINE_CHARACTERS = 100_000  # the most characters of a line, because a program may print a hundred megabytes
_MAX_FILE_CHARACTERS = 20_000_000  # the most characters of a file, for the same reason


class ConversationLog:
    """Appends the lines of a game to one file. A disk error ends the log, but not the game."""

    def __init__(self, path: Path) -> None:
        self._path, self._started_at, self._characters_left = path, time.monotonic(), _MAX_FILE_CHARACTERS
        self._file: TextIO | None = None

    def logger_for(self, name: str) -> Callable[[str, str], None]:
        """Return a function that logs the lines of one player: ">" before lines to it, "<" before lines from it, "!"
        before its other output.
        """
        return lambda direction, line: self._log_line(f"{name} {direction} {line[:_MAX_LINE_CHARACTERS]}")

    def _log_line(self, line: str) -> None:
        if self._characters_left <= 0:
            return
        text = f"{time.monotonic() - self._started_at:10.4f} {line.encode('unicode_escape').decode('ascii')}\n"
        self._characters_left -= len(text)
        with suppress(OSError):
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("a", encoding="utf-8", buffering=1)
            if self._characters_left <= 0:
                text = "the log ends here, because it has reached its largest size\n"
            self._file.write(text)

    def close(self) -> None:
        """Close the file; later lines are not logged."""
        self._characters_left = 0
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
