"""Writes the live files of all games that this process referees, in a thread.

A referee only adds an event to a queue, which takes less than a microsecond. A game that ends in less than a tenth of a
second, as in a fast match between engines, gets no file. The module uses events and live files, but no viewer. It
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

_WRITE_INTERVAL = 0.1  # seconds between two rounds of writing, while there are events to write
_MIN_GAME_SECONDS = 0.1  # a game gets a file after this time, because nobody could watch a shorter game


class LiveFiles:
    """A context manager that writes live files in a thread. `listener_for` returns the listener of one game.

    writer_for: a function that takes the key and the run of a game, and returns a function that writes events with
    their times.
    """

    def __init__(self, writer_for: Callable[[str, str], AppendEvents]) -> None:
        self._writer_for = writer_for
        self._scheduled_listeners: dict[int, _GameListener] = {}  # listeners with events to write, by id()
        self._lock = threading.Lock()
        self._has_events, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._write_queued, name="live files", daemon=True)
        self._thread.start()

    def __enter__(self) -> LiveFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the thread; events that are not yet written are dropped."""
        self._closed.set()
        self._has_events.set()
        self._thread.join()

    def listener_for(self, key: str, run: str = "") -> Listener:
        """Return the listener of one game."""
        return _GameListener(self, self._writer_for(key, run))

    def schedule(self, listener: _GameListener) -> None:
        """Schedule a listener: the next round writes its events."""
        with self._lock:
            self._scheduled_listeners[id(listener)] = listener
        self._has_events.set()

    def _write_queued(self) -> None:
        while True:
            self._has_events.wait()
            if self._closed.wait(_WRITE_INTERVAL):
                return
            self._has_events.clear()  # before the queues are read, so that a later event sets the flag again
            if self._closed.is_set():  # `close` may have set `_has_events` just before it was cleared
                return
            with self._lock:
                listeners, self._scheduled_listeners = list(self._scheduled_listeners.values()), {}
            for listener in listeners:
                if not listener.write():
                    self.schedule(listener)


class _GameListener:
    """The listener of one game. It queues the events, and the thread of `LiveFiles` writes them."""

    def __init__(self, files: LiveFiles, append: AppendEvents) -> None:
        self._live_files, self._append_events = files, append
        # a deque loses no event if one thread appends to it while another empties it
        self._queue: deque[tuple[Event, float]] = deque()
        self._started_at: float | None = None  # on the monotonic clock
        self._has_file = False
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        """Queue one event. The event Ended is written immediately, so that it is the last event in the file."""
        if isinstance(event, Started):  # a game may start a second time, after a human has taken moves back
            with self._lock:
                self._queue.clear()
                self._started_at = time.monotonic()
        self._queue.append((event, time.time()))
        if isinstance(event, Ended):
            with self._lock:
                if self._has_file:
                    self._append_events(self._take_events())
                self._queue.clear()
        elif len(self._queue) == 1:
            self._live_files.schedule(self)

    def write(self) -> bool:
        """Write the queued events. Return False if the game is still too short for a file."""
        with self._lock:
            if not self._queue:
                return True
            if not self._has_file and (
                self._started_at is None or time.monotonic() - self._started_at < _MIN_GAME_SECONDS
            ):
                return False
            self._append_events(self._take_events())
            self._has_file = True
        return True

    def _take_events(self) -> tuple[tuple[Event, float], ...]:
        """Remove and return all queued events, including those that another thread adds during the call."""
        events = []
        while self._queue:
            events.append(self._queue.popleft())
        return tuple(events)


def live_files_in(folder: Path) -> LiveFiles:
    """Return a writer of live files in this folder."""
    return LiveFiles(lambda key, run: LiveFile(folder, key, run).append)


@contextmanager
def live_listener(folder: Path | None, key: str, keep_seconds: float = 0.0) -> Iterator[tuple[Listener, ...]]:
    """Within this context, provide the listener that writes the live file of one game; no listener without a folder.

    keep_seconds: the time for which the file stays after the end of the game, in seconds.
    """
    if folder is None:
        yield ()
        return
    with live_files_in(folder) as files:
        try:
            yield (files.listener_for(key),)
            if keep_seconds and (folder / f"{key}.jsonl").exists():
                time.sleep(keep_seconds)
        finally:
            remove_live_files(folder, [key])
