"""How one thread asks others to stop: they hear of it where they wait, and nowhere else.

An exception thrown into a thread strikes anywhere: in a finalizer Python swallows it, and a process that has just been
started and is not yet noted is ended by nobody. So a wish to stop is a flag, and whatever waits for long looks at it
ten times a second. Knows no game and no process. Standard library only.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias


class Stopped(Exception):
    """A person stops the game: to take a move back, to load another, to leave. The outcome is void: interrupted."""


_Wish: TypeAlias = tuple[threading.Event, type[BaseException]]
_here = threading.local()  # wish: the flag that this thread minds now, and what it raises then


def heed() -> None:
    """Raise Stopped where this thread is asked to stop. Once: who puts things away after it is left in peace."""
    wish: _Wish | None = getattr(_here, "wish", None)
    if wish is not None and wish[0].is_set():
        flag, kind = wish
        if kind is Stopped:
            _here.wish = None
        else:
            flag.clear()
        raise kind


@contextmanager
def heeding(wish: threading.Event) -> Iterator[None]:
    """While this lasts, this thread stops by raising Stopped where it waits, once somebody has set `wish`."""
    with _minding((wish, Stopped)):
        heed()
        yield


@contextmanager
def interruptible(wish: threading.Event) -> Iterator[None]:
    """While this lasts, `wish` set is to this thread what Ctrl-C is to the main one: KeyboardInterrupt, each time."""
    with _minding((wish, KeyboardInterrupt)):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """While this lasts, this thread hears of no wish: it puts away what a stop would leave about."""
    with _minding(None):
        yield


@contextmanager
def _minding(wish: _Wish | None) -> Iterator[None]:
    before = getattr(_here, "wish", None)
    _here.wish = wish
    try:
        yield
    finally:
        _here.wish = before
