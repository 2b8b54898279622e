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
# seconds between two checks for an interrupt: a wait without a timeout may not notice an interrupt
_CHECK_INTERVAL_SECONDS = 0.1


def parallel_map(
    function: Callable[[_Item], _Result], items: Sequence[_Item], max_concurrent_calls: int
) -> list[_Result]:
    """Return the results of `function` for all items, in order. max_concurrent_calls: the number of calls at a time.

    An interrupt, or an exception in a call, cancels the waiting calls and interrupts the running calls. It is raised
    again after the running calls have ended.
    """
    stop_event, is_interrupted = threading.Event(), False
    finished_calls: queue.SimpleQueue[Future[_Result] | None] = queue.SimpleQueue()  # None: check for an interrupt

    def call_function(item: _Item) -> _Result:
        with cancellable(stop_event):
            return function(item)

    def on_signal(signal_number: int) -> None:
        nonlocal is_interrupted
        is_interrupted = True
        finished_calls.put(None)

    with handle_signals(on_signal), ThreadPoolExecutor(max(1, max_concurrent_calls)) as threads:
        futures = list[Future[_Result]]()
        try:
            for item in items:
                futures.append(threads.submit(call_function, item))
                futures[-1].add_done_callback(finished_calls.put)
            remaining = len(futures)
            while remaining and not is_interrupted:
                with suppress(queue.Empty):
                    if (finished_call := finished_calls.get(timeout=_CHECK_INTERVAL_SECONDS)) is not None:
                        finished_call.result()
                        remaining -= 1
            if is_interrupted:
                raise KeyboardInterrupt
        except BaseException:
            stop_event.set()
            for future in futures:
                future.cancel()
            raise
    if is_interrupted:  # by a signal that arrived while the threads ended
        raise KeyboardInterrupt
    return [future.result() for future in futures]
