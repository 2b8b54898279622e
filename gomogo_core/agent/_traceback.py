"""Prints the line at which an agent hangs when its time is over, even inside C code.

`faulthandler` starts a thread for each timer, which costs more than a quick move. So one timer serves several turns: it
is set again only where it would fire too late or clearly too early, and cancelled during a long wait.
"""

from __future__ import annotations

import faulthandler
import math
import time

_SOON = 0.001  # seconds: the shortest timer
_EARLY = 0.01  # how much too early it may fire, as a share of the time of the turn


class TracebackTimer:
    """Prints a traceback of all threads to the standard error shortly before a turn's time is over.

    cancel_at: the time.monotonic() moment at which a waiting agent calls `wait_on`; infinite where no timer runs.
    """

    def __init__(self) -> None:
        self._fires_at = self.cancel_at = math.inf

    def begin(self, left: float) -> None:
        """Begin a turn of `left` seconds, perhaps infinite."""
        if left == math.inf:
            self._cancel()
            return
        left, now = max(left, _SOON), time.monotonic()
        if not (1 - _EARLY) * left <= self._fires_at - now <= left:
            faulthandler.dump_traceback_later(left, file=2)
            self._fires_at = now + left
        self.cancel_at = (now + self._fires_at) / 2

    def wait_on(self) -> None:
        """Cancel the timer where the wait for the next turn has become long: it must not fire in it."""
        if time.monotonic() >= self.cancel_at:
            self._cancel()

    def _cancel(self) -> None:
        if self._fires_at != math.inf:
            faulthandler.cancel_dump_traceback_later()
            self._fires_at = self.cancel_at = math.inf
