"""Detects that this process was suspended: stopped by a signal or a debugger, or together with the sleeping machine.

A thread records the time four times a second; each record is a beat. If a beat is a second late, the process was
suspended, or the machine was busy: the thread waited for a core, or for another thread that held Python's lock and
waited for a core. Linux counts the time of such waiting. A call of `suspended_seconds` counts as a beat too. If that
call is late, it lets the thread find out the reason.

The module does not depend on games. The caller decides the consequences.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial

from gomogo_core import procfs

BEAT_INTERVAL = 0.25  # seconds between two beats
MAX_BEAT_DELAY = 1.0  # seconds by which a beat may be late without a suspension
_BEAT_TIMEOUT = 10.0  # seconds to wait for the thread's beat; at a load of 100 a thread may have no core for 3 s


def _choose_clock() -> Callable[[], float]:
    """Return a monotonic clock, in seconds, that continues while the machine sleeps, if the system has one."""
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):  # Linux; macOS, where it counts sleep unlike time.monotonic()
        if hasattr(time, name):
            return partial(time.clock_gettime, getattr(time, name))
    return time.monotonic


_clock_with_sleep = _choose_clock()


def _seconds_without_core() -> dict[int, float]:
    """Return the seconds in which each thread of this process was ready to run, but had no core, as far as they are
    counted.
    """
    pid = os.getpid()
    times = {thread: procfs.schedule_times(f"{pid}/task/{thread}") for thread in procfs.thread_ids(pid)}
    return {thread: time[1] / 1e9 for thread, time in times.items() if time is not None}


class Heartbeat:
    """A thread that beats regularly; late beats show that the system was suspended.

    The first call of `suspended_seconds` starts the thread, `close` ends it, and both may be called again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_closing = threading.Event()
        self._wake_event, self._beat_event = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._last_beat_at, self._suspended_seconds = 0.0, 0.0
        self.starved_seconds = 0.0  # the total seconds of delays of more than one second for want of a core

    def suspended_seconds(self) -> float:
        """Return the total seconds of all suspensions of more than one second since the first call."""
        if self._thread is None:
            self._is_closing.clear()
            self._wake_event.clear()
            self._last_beat_at = _clock_with_sleep()
            self._thread = threading.Thread(target=self._beat_until_closed, name="heartbeat", daemon=True)
            self._thread.start()
        now = _clock_with_sleep()
        if now - self._last_beat_at - BEAT_INTERVAL > MAX_BEAT_DELAY:
            self._beat_event.clear()
            self._wake_event.set()
            if not self._beat_event.wait(_BEAT_TIMEOUT):
                self._record_beat(0.0)
            return self._suspended_seconds
        self._last_beat_at = now  # without a lock, which would double the time: the thread writes nearly the same value
        return self._suspended_seconds

    def _beat_until_closed(self) -> None:
        previous = _seconds_without_core()
        while True:
            self._wake_event.wait(BEAT_INTERVAL)
            if self._is_closing.is_set():
                return
            self._wake_event.clear()
            current = _seconds_without_core()
            self._record_beat(sum(max(0.0, seconds - previous.get(thread, 0.0)) for thread, seconds in current.items()))
            previous = current
            self._beat_event.set()

    def _record_beat(self, waited: float) -> None:
        """Record a beat. waited: the seconds in which threads of this process had no core since the last beat."""
        with self._lock:
            now = _clock_with_sleep()
            delay = now - self._last_beat_at - BEAT_INTERVAL
            self._last_beat_at = now
            if delay - waited > MAX_BEAT_DELAY:
                self._suspended_seconds += delay
            elif delay > MAX_BEAT_DELAY:
                self.starved_seconds += delay

    def close(self) -> None:
        """Stop the thread."""
        if self._thread is not None:
            self._is_closing.set()
            self._wake_event.set()
            self._thread.join()
            self._thread = None
