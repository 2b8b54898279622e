"""Writes the live files of all games that this process referees, in a thread.

A referee only adds an event to a queue, which takes less than a microsecond. A game that ends in less than a tenth of a
second, as in a fast match between engines, gets no file. The module knows events and live files, but no viewer. It
needs only the standard library.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from gomogo_core.play.events import Ended, Event, Listener, Started
from gomogo_core.records.live_format import LiveFile, remove_live_files

AppendEvents: TypeAlias = Callable[[Sequence[tuple[Event, float]]], None]

_INTERVAL = 0.1  # seconds between two rounds of the thread, while events are waiting
_LEAST_AGE = 0.1  # seconds before a running game gets a file, because nobody could watch a shorter game


class LiveFiles:
    """A context manager that writes live files in a thread. `listener_for` returns the listener of one game.

    writer_for: a function that takes the key and the run of a game, and returns a function that writes events with
    their times.
    """

    def __init__(self, writer_for: Callable[[str, str], AppendEvents]) -> None:
        self._writer_for = writer_for
        self._games: dict[int, _GameListener] = {}  # the games with events to write, by the id() of the listener
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

    def listener_for(self, key: str, run: str = "") -> Listener:
        """Return the listener of one game."""
        return _GameListener(self, self._writer_for(key, run))

    def schedule(self, game: _GameListener) -> None:
        """Schedule this game's events to be written in the next round."""
        with self._guard:
            self._games[id(game)] = game
        self._news.set()

    def _write_queued(self) -> None:
        while True:
            self._news.wait()
            if self._closed.wait(_INTERVAL):
                return
            self._news.clear()  # clear it before the visits, so that a later event sets it again
            # `close` may have set `_news` just before it was cleared
            if self._closed.is_set():
                return
            with self._guard:
                games, self._games = list(self._games.values()), {}
            for game in games:
                if not game.write():
                    self.schedule(game)


class _GameListener:
    """The listener of one game. It queues the events, and the thread of `LiveFiles` writes them."""

    def __init__(self, files: LiveFiles, append: AppendEvents) -> None:
        self._files, self._append = files, append
        # no event is lost if one thread appends to this queue while the other empties it
        self._waiting: deque[tuple[Event, float]] = deque()
        self._started_at: float | None = None  # the monotonic time of the game's start, until it has a file
        self._has_file = False
        self._guard = threading.Lock()

    def __call__(self, event: Event) -> None:
        """Queue one event. The event Ended is written immediately, so that it is the last event in the file."""
        if isinstance(event, Started):  # a game may start a second time, after a human has taken moves back
            with self._guard:
                self._waiting.clear()
                self._started_at = time.monotonic()
        self._waiting.append((event, time.time()))
        if isinstance(event, Ended):
            with self._guard:
                if self._has_file:
                    self._append(self._take_events())
                self._waiting.clear()
        elif len(self._waiting) == 1:
            self._files.schedule(self)

    def write(self) -> bool:
        """Write the queued events. Return False if the game is still too short for a file."""
        with self._guard:
            if not self._waiting:
                return True
            if not self._has_file and (self._started_at is None or time.monotonic() - self._started_at < _LEAST_AGE):
                return False
            self._append(self._take_events())
            self._has_file = True
        return True

    def _take_events(self) -> tuple[tuple[Event, float], ...]:
        """Return and forget the queued events, and those that are added meanwhile."""
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return tuple(taken)


def live_files_in(folder: Path) -> LiveFiles:
    """Return a writer of live files in this folder."""
    return LiveFiles(lambda key, run: LiveFile(folder, key, run).append)


@contextmanager
def live_listener(folder: Path | None, key: str, after: float = 0.0) -> Iterator[tuple[Listener, ...]]:
    """Within this context, provide the listener that writes the live file of one game; no listener without a folder.

    after: the seconds for which the file stays after the end of the game, if there is a file.
    """
    if folder is None:
        yield ()
        return
    with live_files_in(folder) as files:
        try:
            yield (files.listener_for(key),)
            if after and (folder / f"{key}.jsonl").exists():
                time.sleep(after)
        finally:
            remove_live_files(folder, [key])
