"""Cooperative cancellation: a thread asks others to stop, and they notice only where they wait.

An exception thrown into a thread can strike anywhere. Python swallows it inside a finalizer, and a process that has
started but is not yet registered would never end. A stop request is therefore a flag, and every long wait checks it ten
times a second. Knows no game and no process. Standard library only.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias


class Cancelled(Exception):
    """A user stops the game: to take a move back, to load another game, to leave. The outcome is void: interrupted."""


_Request: TypeAlias = tuple[threading.Event, type[BaseException]]
_thread = threading.local()  # request: the flag that this thread checks now, and the exception that it raises


def check_cancelled() -> None:
    """Raise Cancelled once if this thread is asked to stop; cleanup that follows is not interrupted again."""
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
    """Within this context, a set `request` acts on this thread as Ctrl-C does on the main one: KeyboardInterrupt."""
    with _with_request((request, KeyboardInterrupt)):
        yield


@contextmanager
def shielded() -> Iterator[None]:
    """Within this context, this thread ignores stop requests, so that it can clean up."""
    with _with_request(None):
        yield


@contextmanager
def _with_request(request: _Request | None) -> Iterator[None]:
    before = getattr(_thread, "request", None)
    _thread.request = request
    try:
        yield
    finally:
        _thread.request = before
