"""Prints a traceback of an agent when the agent's time is over, even while it runs C code.

`faulthandler` starts a thread for each timer, which takes longer than a quick move. Setting a timer of the kernel takes
a microsecond (timer_create(2)). This timer sends a signal, at which `faulthandler` prints the traceback. The module
does not depend on games.
"""

from __future__ import annotations

import ctypes
import faulthandler
import math
import signal
import struct

_SHORTEST_TIMER = 0.001  # the shortest time of a timer, in seconds
_SIGNAL_EVENT = struct.Struct("Pii56x")  # struct sigevent: a value, the signal, 0 for a signal to the process
_TIMER_VALUE = struct.Struct("4l")  # struct itimerspec: the interval and the delay, in seconds and nanoseconds
_TIMER_OFF = _TIMER_VALUE.pack(0, 0, 0, 0)
_CLOCK_MONOTONIC = 1


class TracebackTimer:
    """Prints a traceback of all threads to the standard error when a turn's time is over."""

    def __init__(self) -> None:
        self._timer = ctypes.c_void_p()
        self._settime = None
        try:
            libc, signal_number = ctypes.CDLL(None), signal.SIGRTMAX  # a signal that hardly any program uses
            signal_event = _SIGNAL_EVENT.pack(0, signal_number, 0)
            if libc.timer_create(_CLOCK_MONOTONIC, signal_event, ctypes.byref(self._timer)) == 0:
                faulthandler.register(signal_number, file=2)
                self._settime = libc.timer_settime
        except (AttributeError, OSError, TypeError):
            pass  # a system without these timers

    def begin_turn(self, seconds_left: float) -> None:
        """Set the timer for a turn. seconds_left: the seconds until the end of the turn; infinite for no timer."""
        if seconds_left == math.inf:
            return
        seconds_left = max(seconds_left, _SHORTEST_TIMER)
        if self._settime is None:
            faulthandler.dump_traceback_later(seconds_left, file=2)
        else:
            seconds, fraction = divmod(seconds_left, 1.0)
            self._settime(self._timer, 0, _TIMER_VALUE.pack(0, 0, int(seconds), int(fraction * 1e9)), None)

    def end_turn(self) -> None:
        """Stop the timer."""
        if self._settime is None:
            faulthandler.cancel_dump_traceback_later()
        else:
            self._settime(self._timer, 0, _TIMER_OFF, None)
