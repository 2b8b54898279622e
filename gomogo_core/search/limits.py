"""Limits of a search: a depth, a number of nodes, a time.

Needs no position and no method of search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable


class OutOfLimits(Exception):
    """The search has used up its nodes or its time. This is not an error: the results so far are valid."""


class SearchLimits:
    """The limits of one search, and its use of them. Each search needs its own object.

    depth: plies. nodes: positions visited. stop_at: the time, by `now`, at which the search must end. spent: the
    positions visited so far. compared: positions compared in bulk from their parent, which do not count in `nodes`.
    horizon: set by a search that evaluates an unfinished game without looking further; a search that never does so has
    seen the whole game. interrupt: called by `stop`; a compiled search, which does not read the clock, sets it.
    """

    __slots__ = ("compared", "depth", "horizon", "interrupt", "nodes", "now", "spent", "started", "stop_at")

    def __init__(
        self,
        depth: int | None = None,
        nodes: int | None = None,
        stop_at: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.depth = math.inf if depth is None else depth
        self.nodes = math.inf if nodes is None else nodes
        self.stop_at = math.inf if stop_at is None else stop_at
        self.now = now
        self.started = now()
        self.spent = self.compared = 0
        self.horizon = False
        self.interrupt: Callable[[], None] = _never_interrupt

    def spend(self) -> None:
        """Count a visited position. Raises OutOfLimits when nodes or time are used up.

        It reads the clock every time, which takes a hundredth of the time of a node: on a busy machine, no estimate of
        the remaining nodes is reliable.
        """
        self.spent += 1
        if self.spent > self.nodes or self.now() >= self.stop_at:
            raise OutOfLimits

    def stop(self) -> None:
        """End the search at its next node. Any thread may call it."""
        self.stop_at = -math.inf
        self.interrupt()

    @property
    def stopped(self) -> bool:
        """Whether the time is over."""
        return self.now() >= self.stop_at

    @property
    def seconds(self) -> float:
        """Return the time since the search began."""
        return self.now() - self.started


def _never_interrupt() -> None:
    """Interrupt nothing: the search reads the clock itself."""
