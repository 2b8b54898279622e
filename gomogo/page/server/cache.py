"""A cache for results that take long to compute and change with the store, such as ratings.

For each key, the cache computes at most one result at a time, and limits how often it computes. Several threads may
use it. The module does not depend on the store or on HTTP requests.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_Result = TypeVar("_Result")
_KEEP_FACTOR = 20.0  # a result is kept for this multiple of the duration of its computation, even if it is out of date
_MAX_KEEP_SECONDS = 30.0  # but no longer than this: a busy machine or a locked store may slow down a computation
_MAX_ENTRIES = 200


@dataclass
class _CacheEntry(Generic[_Result]):
    """The latest result for a key.

    state: the state of the store for which the result was computed. expires_at: monotonic time, in seconds.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    state: object = None
    result: list[_Result] = field(default_factory=list)  # with one element, or empty before the first computation
    expires_at: float = 0.0


class Cache(Generic[_Result]):
    """A cache with the latest result for each key."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, _CacheEntry[_Result]] = OrderedDict()
        self._entries_lock = threading.Lock()

    def get(
        self,
        key: Hashable,
        current_state: Callable[[], object],
        compute: Callable[[], _Result],
        max_keep_seconds: float = _MAX_KEEP_SECONDS,
    ) -> _Result:
        """Return the result for `key`.

        current_state: returns a value that changes when the result must be computed again.

        If a computation is slow, the cache returns its result for some time after a change, but for at most
        `max_keep_seconds`. So all readers of a running tournament share one computation. During a computation, other
        readers get the previous result, if there is one.
        """
        entry = self._entry(key)
        if entry.result and time.monotonic() < entry.expires_at:
            return entry.result[0]
        if not entry.lock.acquire(blocking=not entry.result):
            return entry.result[0]
        try:
            started_at = time.monotonic()
            if not entry.result or started_at >= entry.expires_at:
                state = current_state()
                if not entry.result or state != entry.state:
                    entry.result[:] = [compute()]
                    entry.state = state
                ended_at = time.monotonic()
                entry.expires_at = ended_at + min(max_keep_seconds, _KEEP_FACTOR * (ended_at - started_at))
            return entry.result[0]
        finally:
            entry.lock.release()

    def _entry(self, key: Hashable) -> _CacheEntry[_Result]:
        with self._entries_lock:
            entry = self._entries.setdefault(key, _CacheEntry())
            self._entries.move_to_end(key)
            if len(self._entries) > _MAX_ENTRIES:
                self._entries.popitem(last=False)
            return entry
