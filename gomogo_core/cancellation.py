"""Cooperative cancellation: one thread asks another to stop, and the other thread checks for such a request whenever it
waits.

A stop request is a flag, and every long wait checks it ten times a second. Raising an exception in another thread is no
alternative, since the exception can arrive at any instruction. Inside a finalizer, Python discards it. Between the
start of a process and its registration, it would leave a process that nobody ends. The module does not depend on games
or processes. It needs only the standard library.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, TypeAlias


class GameCancelled(Exception):
    """Raised when a user stops a game: to take a move back, to load another game, or to leave. The game is void.

    continues: whether the same agents play on at once.
    """

    continues: ClassVar[bool] = False


_StopRequest: TypeAlias = tuple[threading.Event, type[BaseException]]
# `request`: the flag that this thread checks now, and the exception that the thread raises when the flag is set
_thread_state = threading.local()


def check_cancelled() -> None:
    """Raise an exception if another thread has asked this thread to stop: KeyboardInterrupt in `interruptible`, else
    GameCancelled.

    A request raises an exception only once, so that the cleanup afterwards is not interrupted.
    """
    request: _StopRequest | None = getattr(_thread_state, "request", None)
    if request is not None and request[0].is_set():
        flag, exception_type = request
        if exception_type is GameCancelled:
            _thread_state.request = None
        else:
            flag.clear()
        raise exception_type


@contextmanager
def cancellable(request: threading.Event) -> Iterator[None]:
    """Within this context, waits in this thread raise GameCancelled after somebody sets `request`."""
    with _with_request((request, GameCancelled)):
        check_cancelled()
        yield


@contextmanager
def interruptible(request: threading.Event) -> Iterator[None]:
    """Within this context, waits in this thread raise KeyboardInterrupt after somebody sets `request`."""
    with _with_request((request, KeyboardInterrupt)):
        yield


@contextmanager
def shielded() -> Iterator[None]:
    """Within this context, this thread ignores stop requests, so that it can clean up."""
    with _with_request(None):
        yield


@contextmanager
def _with_request(request: _StopRequest | None) -> Iterator[None]:
    """Within this context, `check_cancelled` in this thread checks `request`."""
    request_before = getattr(_thread_state, "request", None)
    _thread_state.request = request
    try:
        yield
    finally:
        _thread_state.request = request_before
