"""The live files of all games that this process referees, written by a thread beside them.

Uses events and live files, but no watcher. Standard library only. A referee only adds an event to a queue here, which
takes less than a microsecond. A game that ends within a moment, as in a fast match between engines, gets no file.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from gomogo_core.play.events import Ended, Event, Listener, Started
from gomogo_core.records.live_format import LiveFile, remove_live_files

Append: TypeAlias = Callable[[Sequence[tuple[Event, float]]], None]

_EVERY = 0.1  # seconds between two rounds of the thread, while there is something to write
_AGE = 0.1  # seconds before a running game gets a file; nobody could watch a shorter one


class LiveFiles:
    """A context manager that writes live files in a thread. `of` creates the listener of one game.

    append: takes a game's key and run, and returns a function that takes the events with their times.
    """

    def __init__(self, append: Callable[[str, str], Append]) -> None:
        self._append = append
        self._games: dict[int, _Followed] = {}  # games with events to write; by identity
        self._guard = threading.Lock()
        self._news, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._write_queued, name="live files", daemon=True)
        self._thread.start()

    def __enter__(self) -> LiveFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the thread; events that are not yet written are dropped."""
        self._closed.set()
        self._news.set()
        self._thread.join()

    def of(self, key: str, run: str = "") -> Listener:
        """Return the listener of one game."""
        return _Followed(self, self._append(key, run))

    def expect(self, game: _Followed) -> None:
        """Schedule this game's events to be written in the next round."""
        with self._guard:
            self._games[id(game)] = game
        self._news.set()

    def _write_queued(self) -> None:
        while True:
            self._news.wait()
            if self._closed.wait(_EVERY):
                return
            self._news.clear()  # cleared before the games are visited: an event that arrives later sets it again
            # it may have arrived between the two lines above, so that its signal was just cleared
            if self._closed.is_set():
                return
            with self._guard:
                games, self._games = list(self._games.values()), {}
            for game in games:
                if not game.write():
                    self.expect(game)


class _Followed:
    """The listener of one game: it queues events on its own thread; another thread writes them."""

    def __init__(self, files: LiveFiles, append: Append) -> None:
        self._files, self._append = files, append
        self._waiting: list[tuple[Event, float]] = []
        self._begun: float | None = None  # the monotonic time of the game's start, until it has a file
        self._there = False  # the file
        self._guard = threading.Lock()

    def __call__(self, event: Event) -> None:
        """Queue one event; write the last one at once, so that none is written after it."""
        with self._guard:
            if isinstance(event, Started):  # a game may start a second time, after a person has taken moves back
                self._waiting.clear()
                self._begun = time.monotonic()
            self._waiting.append((event, time.time()))
            if isinstance(event, Ended):
                if self._there:
                    self._append(tuple(self._waiting))
                self._waiting.clear()
                return
            first = len(self._waiting) == 1
        if first:
            self._files.expect(self)

    def write(self) -> bool:
        """Write the queued events; False if it is too early."""
        with self._guard:
            if not self._waiting:
                return True
            if not self._there and (self._begun is None or time.monotonic() - self._begun < _AGE):
                return False
            self._append(tuple(self._waiting))
            self._waiting.clear()
            self._there = True
        return True


def in_folder(folder: Path) -> LiveFiles:
    """Live files that are written here, into this folder."""
    return LiveFiles(lambda key, run: LiveFile(folder, key, run).append)


@contextmanager
def live_listener(folder: Path | None, key: str, after: float = 0.0) -> Iterator[tuple[Listener, ...]]:
    """The live listener of a game outside of runs; none without a folder.

    after: seconds that the finished game stays visible, if it lasted long enough for a viewer.
    """
    if folder is None:
        yield ()
        return
    with in_folder(folder) as files:
        try:
            yield (files.of(key),)
            if after and (folder / f"{key}.jsonl").exists():
                time.sleep(after)
        finally:
            remove_live_files(folder, [key])
