"""Searches for wins by forcing moves alone, each of which leaves the opponent only one answer.

The module does not depend on games; it sees positions as nodes (node.py). In Gomoku, such a win is the victory by
continuous fours (VCF) of threat-space search: L. V. Allis, H. J. van den Herik and M. Huntjens, Go-Moku Solved by New
Search Techniques, Computational Intelligence 12 (1996).
"""

from __future__ import annotations

from collections.abc import Hashable

from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.node import Node
from gomogo_core.search.result import ScoredLine

MAX_DEPTH = 30  # forcing moves in one sequence; rarely reached, and far below Python's recursion limit


class VcfSearch:
    """Searches for wins by forcing moves, and stores the positions without such a win."""

    def __init__(self, limits: SearchLimits) -> None:
        self.limits = limits
        self.nodes_left = 0
        self.positions_without_win: set[Hashable] = set()

    def find_forced_win(self, node: Node, nodes: int) -> ScoredLine | None:
        """Return a forced win of the mover that a search of `nodes` nodes finds, or None. Raises OutOfLimits."""
        self.nodes_left = nodes
        return self._find_line(node, MAX_DEPTH)

    def _find_line(self, node: Node, depth_left: int) -> ScoredLine | None:
        if (certain := node.certain_value()) is not None:
            return ScoredLine(certain, ()) if certain > 0 else None
        key = node.key()
        if depth_left == 0 or self.nodes_left <= 0 or key in self.positions_without_win:
            return None
        for move in node.forcing_moves():
            self.limits.count_node()
            self.nodes_left -= 1
            child = node.child_after(move)
            certain = child.certain_value()
            if certain is not None and certain < 0:
                return ScoredLine(-certain, (move,))
            answer = child.only_move() if certain is None else None
            if answer is None:
                continue
            line_after = self._find_line(child.child_after(answer), depth_left - 1)
            if line_after is not None:
                return ScoredLine(line_after.value, (move, answer, *line_after.variation))
        # the search found no win, perhaps because of its limit; do not search this position again
        self.positions_without_win.add(key)
        return None
