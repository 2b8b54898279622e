"""A queue for game slots: a limit on games with agents at a time.

Uses numbers and threads, but no game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition


class GameSlots:
    """A number of slots, given out first come, first served."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._condition = Condition()
        self._taken = 0
        self._queue: list[object] = []

    @property
    def wanted(self) -> bool:
        """Whether a game waits for a slot."""
        return bool(self._queue)

    @contextmanager
    def one(self, waiting: Callable[[int], None], cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Hold a slot in this context. Yields False if the request was cancelled before a slot was free.

        waiting: called with the number of requests ahead, whenever it changes. cancelled: polled while waiting.
        """
        got = self._get(waiting, cancelled)
        try:
            yield got
        finally:
            if got:
                with self._condition:
                    self._taken -= 1
                    self._condition.notify_all()

    def _get(self, waiting: Callable[[int], None], cancelled: Callable[[], bool]) -> bool:
        me, reported = object(), -1
        with self._condition:
            self._queue.append(me)
            try:
                while True:
                    before = self._queue.index(me)
                    if not before and self._taken < self.most:
                        self._taken += 1
                        return True
                    if cancelled():
                        return False
                    if before != reported:
                        reported = before
                        waiting(before)
                    self._condition.wait(0.2)
            finally:
                self._queue.remove(me)
                self._condition.notify_all()
