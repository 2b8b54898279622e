"""The folder of an arena, and the threads that shut programs down in the background.

The module uses folders and threads, but no agent and no protocol.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from gomogo_core.processes.process import Process
from gomogo_core.processes.run_folder import RunFolder

EXIT_TIMEOUT = 4.0  # seconds in which an agent must exit after the end of the game


class ArenaFolder:
    """The folder of one arena, created for the first game.

    keep_folder: an existing folder to use instead; it is not removed.
    """

    def __init__(self, keep_folder: Path | None) -> None:
        self.keep_folder = keep_folder
        self._folder: RunFolder | None = None

    @property
    def path(self) -> Path:
        """The path of the folder. The first call creates the folder."""
        if self._folder is None:
            self._folder = RunFolder(self.keep_folder)
        return self._folder.path

    def record_process(self, process: Process) -> Process:
        """Add the process to the folder's list of processes, and return it."""
        if self._folder is not None:
            self._folder.record_process(process.pid)
        return process

    def close(self) -> None:
        """Remove the folder and its content, unless the caller keeps it."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None


class BackgroundShutdown:
    """Shuts programs down while the next game begins. slack: additional seconds in which each program may exit."""

    def __init__(self, slack: float = 0.0) -> None:
        self.slack = slack
        self._threads: list[threading.Thread] = []

    def run(self, shut_down: Callable[[], None]) -> None:
        """Call `shut_down`, which shuts a program down, in a new thread."""
        thread = threading.Thread(target=shut_down, daemon=True)
        thread.start()
        self._threads = [running_thread for running_thread in self._threads if running_thread.is_alive()] + [thread]

    def join(self) -> None:
        """Wait until all shutdowns have ended."""
        for thread in self._threads:
            thread.join()
        self._threads.clear()
