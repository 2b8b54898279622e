"""Detects that this process was suspended: stopped by a signal or a debugger, or together with the sleeping machine.

A thread records the time four times a second. If such a beat is a second late, the process was suspended: even on a
machine with ten times more work than cores, no thread waits for a core for a second. A call of `suspended_seconds`
counts as a beat too, so the suspension is detected by whichever continues first, the thread or the referee.

The module knows no game. The caller decides the consequences.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

BEAT = 0.25  # seconds between two beats
LONGEST = 1.0  # seconds by which a beat may be late without a suspension


def _choose_clock() -> Callable[[], float]:
    """Return a monotonic clock, in seconds, that continues while the machine sleeps, if the system has one."""
    if hasattr(time, "CLOCK_BOOTTIME"):  # Linux
        return partial(time.clock_gettime, time.CLOCK_BOOTTIME)
    if hasattr(time, "CLOCK_MONOTONIC"):  # macOS: unlike time.monotonic(), this clock counts sleep
        return partial(time.clock_gettime, time.CLOCK_MONOTONIC)
    return time.monotonic


_clock_with_sleep = _choose_clock()


class Heartbeat:
    """Records beats from the first call of `suspended_seconds` until `close`. Both may be called repeatedly."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._last, self._still = 0.0, 0.0

    def suspended_seconds(self) -> float:
        """Return the total seconds of all suspensions of more than one second since the first call."""
        if self._thread is None:
            self._over.clear()
            self._last = _clock_with_sleep()
            self._thread = threading.Thread(target=self._beat_until_over, name="heartbeat", daemon=True)
            self._thread.start()
        now = _clock_with_sleep()
        if now - self._last - BEAT > LONGEST:
            return self._record_beat()
        self._last = now  # no lock, which would take half of the time: the thread writes nearly the same value
        return self._still

    def _beat_until_over(self) -> None:
        while not self._over.wait(BEAT):
            self._record_beat()

    def _record_beat(self) -> float:
        with self._guard:
            now = _clock_with_sleep()
            late = now - self._last - BEAT
            self._last = now
            if late > LONGEST:
                self._still += late
            return self._still

    def close(self) -> None:
        """Stop the thread."""
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._thread = None
