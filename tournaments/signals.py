"""Handle Ctrl-C and other requests to exit by a function of ours.

Python's default, an exception in the main thread at that moment, can strike while a game is stored or a lock is taken;
inside a finalizer it is lost.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextmanager
def handling_signals(hear: Callable[[int], None]) -> Iterator[None]:
    """Call `hear` with the number of each such signal, at any point of the main thread, until the block ends.

    It should record the request and do no more: a `SimpleQueue` accepts it even during a call of its own. Signals that
    our parent process ignores stay ignored, as for `nohup`. SIGINT is an exception, because a shell ignores it for the
    background processes of a script: a user's `kill -INT` there is meant for us. Other threads receive no signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def call(number: int, frame: FrameType | None) -> None:
        hear(number)

    known = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known}
    minded = [number for number in known if number == signal.SIGINT or before[number] is not signal.SIG_IGN]
    try:
        for number in minded:
            signal.signal(number, call)
        yield
    finally:
        for number in minded:
            signal.signal(number, before[number])
