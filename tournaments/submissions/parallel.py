"""Call a function for each of many items, several at a time, so that Ctrl-C ends all calls.

Uses threads, but does not know the function.
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

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_LOOK = 0.1  # seconds between two checks for an interrupt: an endless wait may not notice it


def side_by_side(function: Callable[[_Item], _Result], items: Sequence[_Item], size: int) -> list[_Result]:
    """Return the results of `function` for each item, in their order, `size` at a time.

    An interrupt or an exception of a call cancels the waiting calls. It is raised after the running calls have cleaned
    up.
    """
    over, interrupted = threading.Event(), False
    news: queue.SimpleQueue[Future[_Result] | None] = queue.SimpleQueue()  # None: check for an interrupt

    def one(item: _Item) -> _Result:
        with cancellable(over):
            return function(item)

    def hear(number: int) -> None:
        nonlocal interrupted
        interrupted = True
        news.put(None)

    with handling_signals(hear), ThreadPoolExecutor(max(1, size)) as threads:
        futures = list[Future[_Result]]()
        try:
            for item in items:
                futures.append(threads.submit(one, item))
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
    if interrupted:  # an interrupt that came while the threads ended: no other code reports it
        raise KeyboardInterrupt
    return [future.result() for future in futures]
