"""A cache for slow results that change with the store, such as ratings: one computation at a time, and not too often.

Uses functions and clocks, but no store, no request. Thread-safe.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")
_REST = 20.0  # a result is kept for this multiple of the duration of its computation, even if it is out of date
_MOST = 200  # results


@dataclass
class _Entry(Generic[T]):
    """The latest result for one key. mark: the state of the store for which it was computed."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    mark: object = None
    result: list[T] = field(default_factory=list)  # one, or none yet
    until: float = 0.0


class Cache(Generic[T]):
    """The latest result for each key."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, _Entry[T]] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, key: Hashable, mark: Callable[[], object], compute: Callable[[], T]) -> T:
        """Return the result for `key`. It is computed again after `mark` has changed.

        A slow result is kept for some time after a change, so that all readers of a running tournament share one
        computation. A reader who comes during a computation gets the previous result, if there is one.
        """
        entry = self._entry(key)
        if entry.result and time.monotonic() < entry.until:
            return entry.result[0]
        if not entry.lock.acquire(blocking=not entry.result):
            return entry.result[0]
        try:
            begun = time.monotonic()
            if not entry.result or begun >= entry.until:
                now = mark()
                if not entry.result or now != entry.mark:
                    entry.result[:] = [compute()]
                    entry.mark = now
                entry.until = time.monotonic() + _REST * (time.monotonic() - begun)
            return entry.result[0]
        finally:
            entry.lock.release()

    def _entry(self, key: Hashable) -> _Entry[T]:
        with self._guard:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            if len(self._entries) > _MOST:
                self._entries.popitem(last=False)
            return entry
