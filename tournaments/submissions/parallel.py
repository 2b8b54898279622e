"""Call a function for each of many things, several at a time, so that Ctrl-C ends them all.

Uses threads, but not the function.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from gomogo_core.cancellation import cancellable
from tournaments.signals import handling_signals

_Thing = TypeVar("_Thing")
_Done = TypeVar("_Done")
_LOOK = 0.1  # seconds between two checks for an interrupt: an endless wait may not notice it


def side_by_side(deed: Callable[[_Thing], _Done], things: Sequence[_Thing], size: int) -> list[_Done]:
    """Return the results of `deed` for each thing, in their order, `size` at a time.

    An interrupt or an exception of a call cancels the waiting ones, and is raised once the others have cleaned up.
    """
    over, interrupted = threading.Event(), False
    news: queue.SimpleQueue[Future[_Done] | None] = queue.SimpleQueue()  # None: check for an interrupt

    def one(thing: _Thing) -> _Done:
        with cancellable(over):
            return deed(thing)

    def hear(number: int) -> None:
        nonlocal interrupted
        interrupted = True
        news.put(None)

    with handling_signals(hear), ThreadPoolExecutor(max(1, size)) as threads:
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
    if interrupted:  # while the threads ended: no other code sees it
        raise KeyboardInterrupt
    return [future.result() for future in futures]
