"""Measures how much this machine delays an agent, so that the agent can plan to answer earlier.

Runs in the agent's process. Knows seconds; no game, and no file except the system's statistics of this process.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import NamedTuple

from gomogo_core import procfs

_LOOK = 0.25  # seconds between two reads of the system's counts
_SLICE = 0.01  # seconds for which another process keeps a core: a tick of Linux at 100 Hz
_SPREAD = 2.0  # the longest wait among thousands is at least this multiple of the usual one: see bench.late
_LONGEST = 0.25  # seconds: a longer delay is exceptional, for example a suspended machine
_FORGETTING = 0.98  # the decay of a delay's weight per move: one half after 34 moves


class _Counts(NamedTuple):
    """Seconds since the process began: CPU time, and time spent waiting for a core."""

    ran: float
    waited: float


class Delays:
    """The delays that one process has measured. reserve: seconds by which to answer before the deadline.

    The machine can delay a move three times: when the agent wakes up for its turn, when its search should stop, and
    when the referee wakes up to read the answer. The turn's clock already counts the first delay. The reserve covers
    the other two: it is the longest recent delay of a search's end plus the longest recent delay of a wake-up, since
    the referee's own delay cannot be measured here. These are few samples, so the reserve is at least the delay that
    the number of waiting processes suggests.
    """

    def __init__(self) -> None:
        self._wake = self._end = 0.0  # the longest recent delays
        self._looked = time.monotonic()
        self._before = _read_statistics()
        self._others = _competition(_Counts(0.0, 0.0), self._before)

    def record(self, wake: float, end: float) -> None:
        """Record the delays of a move.

        wake: seconds from the start of the turn until the agent ran. end: seconds from the planned end of its search
        until its answer was written; negative if it stopped earlier.
        """
        self._wake = max(min(wake, _LONGEST), self._wake * _FORGETTING)
        self._end = max(min(end, _LONGEST), self._end * _FORGETTING)

    @property
    def reserve(self) -> float:
        """Seconds by which to answer before the deadline, in addition to the margin for a quiet machine."""
        now = time.monotonic()
        if now >= self._looked + _LOOK:
            counts = _read_statistics()
            self._others = max(_competition(self._before, counts), self._others * _FORGETTING)
            self._looked, self._before = now, counts
        return max(_SPREAD * self._others * _SLICE, self._wake + self._end)


def _read_statistics() -> _Counts | None:
    """Return the system's statistics of this process; None outside Linux."""
    times = procfs.schedule_times("self")
    return None if times is None else _Counts(times[0] / 1e9, times[1] / 1e9)


def _competition(before: _Counts | None, now: _Counts | None) -> float:
    """Return the average number of other processes that wait for this core."""
    if before is not None and now is not None:
        ran = now.ran - before.ran
        return max(0.0, (now.waited - before.waited) / ran) if ran > 0 else 0.0
    with contextlib.suppress(OSError, AttributeError):
        return max(0.0, os.getloadavg()[0] / (os.cpu_count() or 1) - 1)
    return 0.0
