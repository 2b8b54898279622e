"""Limits of a search: a depth, a number of nodes, a time.

The module depends on no position and no method of search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from gomogo_core.games.base import Move


class OutOfLimits(Exception):
    """The search has used up its nodes or its time. The results so far are valid."""


class SearchLimits:
    """The limits of one search, and the amounts that it has used so far. Each search needs its own object.

    `depth` limits the plies, and `nodes` the number of visited positions. `stop_at` is the time on the clock `now` at
    which the search must end. `nodes_used` counts the visited positions. `unvisited_positions` counts positions that a
    node compared all at once without a visit. `reached_horizon` becomes true when the search evaluates an unfinished
    game; while it is false, the search has seen the whole game. `stop` calls `interrupt`. A compiled search sets this
    function, because it does not read the clock. A search to increasing depths calls `is_enough` after each depth, with
    the best move and its value, and ends if it returns true.
    """

    __slots__ = (
        "depth", "interrupt", "is_enough", "nodes", "nodes_used", "now", "reached_horizon", "started_at", "stop_at",
        "unvisited_positions",
    )  # fmt: skip

    def __init__(
        self,
        depth: int | None = None,
        nodes: int | None = None,
        stop_at: float | None = None,
        now: Callable[[], float] = time.monotonic,
        is_enough: Callable[[Move, float], bool] | None = None,
    ) -> None:
        self.depth = math.inf if depth is None else depth
        self.nodes = math.inf if nodes is None else nodes
        self.stop_at = math.inf if stop_at is None else stop_at
        self.now = now
        self.is_enough = is_enough or _never_enough
        self.started_at = now()
        self.nodes_used = self.unvisited_positions = 0
        self.reached_horizon = False
        self.interrupt: Callable[[], None] = _never_interrupt

    def count_node(self) -> None:
        """Count a visited position. Raises OutOfLimits when nodes or time are used up.

        The method reads the clock at every node, which takes a hundredth of a node's time. Reading it less often is
        unsafe: on a busy machine, no estimate of the time per node is reliable.
        """
        self.nodes_used += 1
        if self.nodes_used > self.nodes or self.now() >= self.stop_at:
            raise OutOfLimits

    def stop(self) -> None:
        """End the search at its next node. Any thread may call it."""
        self.stop_at = -math.inf
        self.interrupt()

    @property
    def is_stopped(self) -> bool:
        """Whether the time is over."""
        return self.now() >= self.stop_at

    @property
    def seconds(self) -> float:
        """The seconds since the search began."""
        return self.now() - self.started_at


def _never_enough(move: Move, value: float) -> bool:
    return False


def _never_interrupt() -> None:
    """Do nothing: the search reads the clock itself."""
