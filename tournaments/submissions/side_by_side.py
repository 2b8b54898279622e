"""Does the same with each of many things, several at a time, so that Ctrl-C ends them all.

Knows threads; not what is done.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from gomogo_core.stopping import heeding
from tournaments.interrupts import heard

_Thing = TypeVar("_Thing")
_Done = TypeVar("_Done")
_LOOK = 0.1  # seconds between two looks whether we were interrupted: a wait without end may not hear of it


def side_by_side(deed: Callable[[_Thing], _Done], things: Sequence[_Thing], size: int) -> list[_Done]:
    """What `deed` gives for each thing, in their order, `size` at a time.

    An interrupt, or what a deed raises, stops the others where they wait, and goes on once they have put everything
    away.
    """
    over, interrupted = threading.Event(), False
    news: queue.SimpleQueue[Future[_Done] | None] = queue.SimpleQueue()  # None: look whether we were interrupted

    def one(thing: _Thing) -> _Done:
        with heeding(over):
            return deed(thing)

    def hear(number: int) -> None:
        nonlocal interrupted
        interrupted = True
        news.put(None)

    with heard(hear), ThreadPoolExecutor(max(1, size)) as threads:
        futures = list[Future[_Done]]()
        try:
            for thing in things:
                futures.append(threads.submit(one, thing))
                futures[-1].add_done_callback(news.put)
            left = len(futures)
            while left and not interrupted:
                with suppress(queue.Empty):
                    if (done := news.get(timeout=_LOOK)) is not None:
                        done.result()
                        left -= 1
            if interrupted:
                raise KeyboardInterrupt
        except BaseException:
            over.set()
            for future in futures:
                future.cancel()
            raise
    return [future.result() for future in futures]
