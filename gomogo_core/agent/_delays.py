"""Measures the delays of an agent on this machine, so that the agent can plan to answer earlier.

The module runs in the agent's process. It reads the system's statistics of this process, and does not depend on games.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import NamedTuple

from gomogo_core import procfs

_STATISTICS_INTERVAL = 0.25  # seconds between two reads of the system's statistics
_SCHEDULER_TICK = 0.01  # seconds for which another process keeps a core: one tick of Linux at 100 Hz
# the longest of thousands of delays is at least this multiple of a usual delay, as bench.late_moves measures
_LONGEST_TO_USUAL_DELAY = 2.0
_LONGEST_USUAL_DELAY = 0.25  # seconds; longer delays are exceptional, for example those of a suspended machine
_DECAY_PER_MOVE = 0.98  # the factor by which a measured delay decreases per move; a delay is halved after 34 moves


class _ProcessTimes(NamedTuple):
    """The seconds that this process has run, and that it has waited for a core, since it began."""

    running_seconds: float
    waiting_seconds: float


class MeasuredDelays:
    """The delays of one process, and the reserve: the seconds by which the agent should answer before the deadline.

    The machine can delay a move three times: when the agent wakes up for its turn, when its search should stop, and
    when the referee wakes up to read the answer. The turn's clock already contains the first delay. The reserve covers
    the other two. The agent cannot measure the delay of the referee, and expects it to be as long as its own delays. So
    the reserve is the longest recent delay of the end of a search, plus the longest recent delay of a wake-up of the
    agent. There are few measured delays, so the reserve is at least the delay that the number of waiting processes
    suggests.
    """

    def __init__(self) -> None:
        self._wake_delay = self._end_delay = 0.0  # the longest recent delays
        self._last_read_at = time.monotonic()
        self._last_times = _read_process_times()
        self._waiting_processes = _mean_waiting_processes(_ProcessTimes(0.0, 0.0), self._last_times)

    def record_move_delays(self, wake_delay: float, end_delay: float) -> None:
        """Record the delays of a move.

        wake_delay: seconds from the start of the turn until the agent ran. end_delay: seconds from the planned end of
        its search until its answer was written; negative if the search stopped earlier.
        """
        self._wake_delay = max(min(wake_delay, _LONGEST_USUAL_DELAY), self._wake_delay * _DECAY_PER_MOVE)
        self._end_delay = max(min(end_delay, _LONGEST_USUAL_DELAY), self._end_delay * _DECAY_PER_MOVE)

    @property
    def deadline_reserve(self) -> float:
        """The seconds by which to answer before the deadline, in addition to the margin for a quiet machine."""
        now = time.monotonic()
        if now >= self._last_read_at + _STATISTICS_INTERVAL:
            times = _read_process_times()
            waiting_processes = _mean_waiting_processes(self._last_times, times)
            self._waiting_processes = max(waiting_processes, self._waiting_processes * _DECAY_PER_MOVE)
            self._last_read_at, self._last_times = now, times
        expected_delay = _LONGEST_TO_USUAL_DELAY * self._waiting_processes * _SCHEDULER_TICK
        return max(expected_delay, self._wake_delay + self._end_delay)


def _read_process_times() -> _ProcessTimes | None:
    """Return the system's statistics of this process; None outside Linux."""
    times = procfs.schedule_times("self")
    return None if times is None else _ProcessTimes(times[0] / 1e9, times[1] / 1e9)


def _mean_waiting_processes(earlier_times: _ProcessTimes | None, later_times: _ProcessTimes | None) -> float:
    """Return the average number of other processes that wait for this core."""
    if earlier_times is not None and later_times is not None:
        running_seconds = later_times.running_seconds - earlier_times.running_seconds
        waiting_seconds = later_times.waiting_seconds - earlier_times.waiting_seconds
        return max(0.0, waiting_seconds / running_seconds) if running_seconds > 0 else 0.0
    with contextlib.suppress(OSError, AttributeError):
        return max(0.0, os.getloadavg()[0] / (os.cpu_count() or 1) - 1)
    return 0.0
