"""Call a function on Ctrl-C and other signals that request an exit.

By default Python raises an exception in the main thread. Such an exception could interrupt the storing of a game or the
locking of a file. In a finalizer, Python ignores the exception.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextmanager
def handle_signals(on_signal: Callable[[int], None]) -> Iterator[None]:
    """Call `on_signal` with the number of each SIGINT, SIGTERM and SIGHUP until the block ends.

    The call can happen at any point of the main thread. So the function should only record the request, for example in
    a `SimpleQueue`, which is safe even if the signal interrupts one of its methods. SIGTERM and SIGHUP stay ignored if
    this process has inherited this setting from its parent, for example from `nohup`. SIGINT is always handled:
    a shell ignores it for the background processes of a script, but a user may send it with `kill -INT`. In threads
    other than the main thread, the context does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    signal_numbers = [getattr(signal, name) for name in _SIGNAL_NAMES if hasattr(signal, name)]
    handlers = {number: signal.getsignal(number) for number in signal_numbers}
    previous_handlers = {
        number: handler
        for number, handler in handlers.items()
        if number == signal.SIGINT or handler is not signal.SIG_IGN
    }
    try:
        for number in previous_handlers:
            signal.signal(number, lambda number, _: on_signal(number))
        yield
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)
