"""Cooperative cancellation: one thread asks another to stop, and the other thread checks for such a request whenever it
waits.

A stop request is a flag, and every long wait checks it ten times a second. An exception raised in another thread would
be no alternative, since it can arrive at any instruction: Python discards it inside a finalizer, and a process that has
started but is not yet registered would never be ended. The module knows no game and no process. It needs only the
standard library.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias


class Cancelled(Exception):
    """Raised when a user stops a game: to take a move back, to load another game, or to leave. The game is void."""


_Request: TypeAlias = tuple[threading.Event, type[BaseException]]
_thread = threading.local()  # request: the flag that this thread checks now, and the exception that it raises


def check_cancelled() -> None:
    """Raise Cancelled, or KeyboardInterrupt in `interruptible`, if another thread has asked this thread to stop.

    A request raises an exception only once, so that the cleanup afterwards is not interrupted.
    """
    request: _Request | None = getattr(_thread, "request", None)
    if request is not None and request[0].is_set():
        flag, kind = request
        if kind is Cancelled:
            _thread.request = None
        else:
            flag.clear()
        raise kind


@contextmanager
def cancellable(request: threading.Event) -> Iterator[None]:
    """Within this context, waits in this thread raise Cancelled after somebody sets `request`."""
    with _with_request((request, Cancelled)):
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
def _with_request(request: _Request | None) -> Iterator[None]:
    """Within this context, `check_cancelled` checks this request in this thread."""
    before = getattr(_thread, "request", None)
    _thread.request = request
    try:
        yield
    finally:
        _thread.request = before
