"""The time limit of a compiled search: a flag in its array, which a timer sets and the search reads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class SearchStopped(Exception):
    """A compiled search ran out of time or nodes, or was interrupted. It keeps the results so far."""


@contextmanager
def set_flag_at(stop_at: float | None, state: Any, flag_index: int) -> Iterator[None]:
    """Set `state[flag_index]` to 1 when time.monotonic() reaches `stop_at`, unless the block has ended before.

    If `stop_at` is None, the flag is never set.
    """
    if stop_at is None:
        yield
        return
    timer = threading.Timer(max(0.0, stop_at - time.monotonic()), state.__setitem__, (flag_index, 1))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # wait, so that the timer cannot stop the next search
