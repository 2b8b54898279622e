"""Does the same with each of many things, several at a time, so that Ctrl-C ends them all.

Knows threads; not what is done.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from gomogo_core.play.player import Stopped

_Thing = TypeVar("_Thing")
_Done = TypeVar("_Done")
_LOOK = 0.1  # seconds between two looks whether we were interrupted: a wait without end would not hear of it


def side_by_side(deed: Callable[[_Thing], _Done], things: Sequence[_Thing], size: int) -> list[_Done]:
    """What `deed` gives for each thing, in their order, `size` at a time.

    An interrupt, or what a deed raises, stops the others by raising Stopped in their threads, and goes on once they
    have put everything away.
    """
    working: set[int] = set()
    guard = threading.Lock()
    over = False

    def one(thing: _Thing) -> _Done:
        me = threading.get_ident()
        with guard:
            if over:
                raise Stopped
            working.add(me)
        try:
            return deed(thing)
        finally:
            with guard:
                working.discard(me)

    with ThreadPoolExecutor(max(1, size)) as threads:
        futures = list[Future[_Done]]()
        try:
            for thing in things:  # the first may run, and we be interrupted, before the last is there
                futures.append(threads.submit(one, thing))
            left = set(futures)
            while left:
                done, left = wait(left, timeout=_LOOK)
                for future in done:
                    future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            with guard:
                over = True
                for thread in working:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stopped))
            raise
    return [future.result() for future in futures]
