"""How many games with agents run at a time, and who waits for a place.

Knows numbers and threads; no game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition


class Places:
    """So many places, given in the order in which they are asked for."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._condition = Condition()
        self._taken = 0
        self._queue: list[object] = []

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for a place."""
        return bool(self._queue)

    @contextmanager
    def one(self, waiting: Callable[[int], None], given_up: Callable[[], bool]) -> Iterator[bool]:
        """Have a place while this lasts; False where the wish was given up before there was one.

        waiting: told how many are to be served before, whenever that changes. given_up: asked now and then.
        """
        got = self._get(waiting, given_up)
        try:
            yield got
        finally:
            if got:
                with self._condition:
                    self._taken -= 1
                    self._condition.notify_all()

    def _get(self, waiting: Callable[[int], None], given_up: Callable[[], bool]) -> bool:
        me, told = object(), -1
        with self._condition:
            self._queue.append(me)
            try:
                while True:
                    before = self._queue.index(me)
                    if not before and self._taken < self.most:
                        self._taken += 1
                        return True
                    if given_up():
                        return False
                    if before != told:
                        told = before
                        waiting(before)
                    self._condition.wait(0.2)
            finally:
                self._queue.remove(me)
                self._condition.notify_all()
