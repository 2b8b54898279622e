"""Limits the number of games with agents that run at the same time; the others wait in a queue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition


class GameSlots:
    """Slots for games that run at the same time. Waiting games get a slot in the order of their requests."""

    def __init__(self, max_games: int) -> None:
        self.max_games = max_games
        self._condition = Condition()
        self._taken_count = 0
        self._queue: list[object] = []

    @property
    def has_queue(self) -> bool:
        """Whether a game waits for a slot."""
        return bool(self._queue)

    @contextmanager
    def hold_slot(self, on_waiting: Callable[[int], None], is_cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Wait for a slot, and hold it during the context. Yields False if the request was cancelled while it waited.

        on_waiting: called with the number of earlier requests in the queue, whenever this number changes. is_cancelled:
        called again and again during the wait.
        """
        is_granted = self._take_slot(on_waiting, is_cancelled)
        try:
            yield is_granted
        finally:
            if is_granted:
                with self._condition:
                    self._taken_count -= 1
                    self._condition.notify_all()

    def _take_slot(self, on_waiting: Callable[[int], None], is_cancelled: Callable[[], bool]) -> bool:
        request, reported = object(), -1
        with self._condition:
            self._queue.append(request)
            try:
                while True:
                    position = self._queue.index(request)
                    if not position and self._taken_count < self.max_games:
                        self._taken_count += 1
                        return True
                    if is_cancelled():
                        return False
                    if position != reported:
                        reported = position
                        on_waiting(position)
                    self._condition.wait(0.2)
            finally:
                self._queue.remove(request)
                self._condition.notify_all()
