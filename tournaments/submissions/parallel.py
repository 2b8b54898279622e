"""Call a function for each of many items in several threads, so that Ctrl-C ends all calls."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from gomogo_core.cancellation import cancellable
from tournaments.signals import handle_signals

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_CHECK_SECONDS = 0.1  # seconds between two checks for an interrupt, because a wait without a timeout may not notice it


def parallel_map(function: Callable[[_Item], _Result], items: Sequence[_Item], size: int) -> list[_Result]:
    """Return the results of `function` for all items, in order. size: the number of calls at a time.

    An interrupt, or an exception in a call, cancels the waiting calls and interrupts the running calls. It is raised
    again after the running calls have ended.
    """
    over, interrupted = threading.Event(), False
    news: queue.SimpleQueue[Future[_Result] | None] = queue.SimpleQueue()  # None: check for an interrupt

    def call(item: _Item) -> _Result:
        with cancellable(over):
            return function(item)

    def on_signal(number: int) -> None:
        nonlocal interrupted
        interrupted = True
        news.put(None)

    with handle_signals(on_signal), ThreadPoolExecutor(max(1, size)) as threads:
        futures = list[Future[_Result]]()
        try:
            for item in items:
                futures.append(threads.submit(call, item))
                futures[-1].add_done_callback(news.put)
            left = len(futures)
            while left and not interrupted:
                with suppress(queue.Empty):
                    if (done := news.get(timeout=_CHECK_SECONDS)) is not None:
                        done.result()
                        left -= 1
            if interrupted:
                raise KeyboardInterrupt
        except BaseException:
            over.set()
            for future in futures:
                future.cancel()
            raise
    if interrupted:  # by a signal that arrived while the threads ended
        raise KeyboardInterrupt
    return [future.result() for future in futures]
