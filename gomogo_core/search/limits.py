"""When a search must stop: a depth, a number of nodes, a moment.

Knows no position and no method of search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable


class OutOfLimits(Exception):
    """The search has used up its nodes or its time. No error: what it has found stands."""


class Limits:
    """A search's limits, and what it has used of them. For one search: a second one needs its own.

    depth: plies. nodes: positions evaluated. stop_at: the moment, by `now`, at which the search must be over.
    horizon: set by a search that judges an unfinished game without looking further; one that never does so has seen
    the whole game.
    """

    __slots__ = ("depth", "horizon", "nodes", "now", "spent", "started", "stop_at")

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
        self.spent = 0
        self.horizon = False

    def spend(self, nodes: int = 1) -> None:
        """Count `nodes` positions evaluated. Raises OutOfLimits when nodes or time are used up.

        The clock is read every time: that costs a hundredth of a node, and any guess of how many nodes there is time
        for goes wrong on a busy machine.
        """
        self.spent += nodes
        if self.spent > self.nodes or self.now() >= self.stop_at:
            raise OutOfLimits

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return self.now() - self.started
