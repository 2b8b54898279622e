"""Hears Ctrl-C, and what asks a process to end, by a call of ours.

Python's own answer, an exception in whatever the main thread does at that moment, can strike while a game is stored or
a lock is taken, and is lost where a finalizer runs.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # the last is unknown to Windows


@contextmanager
def heard(hear: Callable[[int], None]) -> Iterator[None]:
    """While this lasts, `hear` is called with the number of each such signal, amid whatever the main thread does.

    It should note the wish and do no more: a `SimpleQueue` takes it even where it is being used. What our starter has
    ignored stays so, as `nohup` does; but for SIGINT, which a shell ignores for whatever a script runs behind itself:
    who sends it there by `kill -INT` means us. Other threads hear of no signals.
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
