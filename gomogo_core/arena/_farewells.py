"""Where games are played on this machine, and the threads that see those off who leave.

Knows folders and threads; no agent and no protocol.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from gomogo_core.processes.process import Process
from gomogo_core.processes.run_folder import RunFolder

PATIENCE = 4.0  # seconds an agent has after the end to leave by itself


class Place:
    """The folder of one arena, made when the first game needs it. keep: a folder to use instead, which stays."""

    def __init__(self, keep: Path | None) -> None:
        self.keep = keep
        self._folder: RunFolder | None = None

    @property
    def path(self) -> Path:
        """The folder."""
        if self._folder is None:
            self._folder = RunFolder(self.keep)
        return self._folder.path

    def noted(self, process: Process) -> Process:
        """The process, once it stands in the folder's notes."""
        if self._folder is not None:
            self._folder.note(process.pid)
        return process

    def close(self) -> None:
        """Remove it with all in it, unless it stays."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None


class Farewells:
    """Lets agents leave while the next game begins."""

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []

    def say(self, farewell: Callable[[], None]) -> None:
        """See one off, in a thread of its own."""
        thread = threading.Thread(target=farewell, daemon=True)
        thread.start()
        self._threads = [one for one in self._threads if one.is_alive()] + [thread]

    def join(self) -> None:
        """Wait until all have left."""
        for thread in self._threads:
            thread.join()
        self._threads.clear()
