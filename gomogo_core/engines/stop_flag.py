"""The time limit of a compiled search: a flag in its array, which the search sets by the clock (clock.py).

Where compiled code cannot read the clock of time.monotonic(), a timer sets the flag.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NANOSECONDS_PER_SECOND = 1_000_000_000
# The numbers after the flag in the array hold the time at which the search must set the flag: the seconds of
# time.monotonic(), 0 for never, and the nanoseconds.
STOP_SECONDS, STOP_NANOSECONDS = 1, 2
FLAG_SIZE = 3  # numbers of a flag with its time
_READS_CLOCK = sys.platform == "linux"  # elsewhere, time.monotonic() reads another clock


class SearchStopped(Exception):
    """A compiled search ran out of time or nodes, or was interrupted. It keeps the results so far."""


class _FlagTimer:
    """One thread that sets the flags of all searches in time.

    If each search had its own thread, the search would wait twice for the processor: until the thread has begun, and
    until it has ended. On a busy machine each wait takes milliseconds.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._numbers = itertools.count()
        self._pending_flags = dict[int, tuple[float, Any, int]]()  # the time, the array and the index of each flag

    def add(self, stop_at: float, state: Any, flag_index: int) -> int:
        """Set `state[flag_index]` to 1 at `stop_at`. Return a number for `remove`."""
        with self._condition:
            number = next(self._numbers)
            is_next = all(stop_at < flag[0] for flag in self._pending_flags.values())
            self._pending_flags[number] = (stop_at, state, flag_index)
            if self._thread is None or not self._thread.is_alive():  # it does not live on in a forked process
                self._thread = threading.Thread(target=self._set_flags, name="stop flags", daemon=True)
                self._thread.start()
            elif is_next:
                self._condition.notify()
        return number

    def remove(self, number: int) -> None:
        """Remove a flag by its number from `add`. The timer does not set this flag after the call."""
        with self._condition:
            self._pending_flags.pop(number, None)

    def _set_flags(self) -> None:
        with self._condition:
            while True:
                now = time.monotonic()
                for number, (stop_at, state, flag_index) in list(self._pending_flags.items()):
                    if stop_at <= now:
                        state[flag_index] = 1
                        del self._pending_flags[number]
                times = [flag[0] for flag in self._pending_flags.values()]
                self._condition.wait(min(times) - now if times else None)


_TIMER = _FlagTimer()


@contextmanager
def set_flag_at(stop_at: float | None, state: Any, flag_index: int) -> Iterator[None]:
    """Set `state[flag_index]` to 1 when time.monotonic() reaches `stop_at`, unless the block has ended before.

    A search that calls `clock.check_clock` sets the flag itself. If `stop_at` is None, the flag is never set.
    """
    if stop_at is None:
        yield
        return
    if _READS_CLOCK:
        fields = slice(flag_index + STOP_SECONDS, flag_index + FLAG_SIZE)
        flag_time = list(divmod(int(max(1.0, stop_at) * NANOSECONDS_PER_SECOND), NANOSECONDS_PER_SECOND))
        state[fields] = flag_time
        try:
            yield
        finally:
            if list(state[fields]) == flag_time:  # else the array belongs to a later search already
                state[fields] = [0, 0]
        return
    number = _TIMER.add(stop_at, state, flag_index)
    try:
        yield
    finally:
        _TIMER.remove(number)
