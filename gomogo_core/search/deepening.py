"""Iterative deepening: search to depth 1, 2, 3 …, so that a result exists whenever the clock stops the search.

The caller passes the method of search. The repeated searches cost little: each ply multiplies the work, so the last
search takes most of the time. Source: D. Slate and L. Atkin, Chess 4.5, in P. Frey (ed.), Chess Skill in Man and
Machine (1977).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gomogo_core.games.base import Move
from gomogo_core.search.limits import OutOfLimits, SearchLimits
from gomogo_core.search.node import Node, plies_to_end
from gomogo_core.search.result import ScoredLine, SearchResult

MAX_DEPTH = 200  # plies; a ply takes up to three nested calls, and Python allows 1000

SearchToDepth = Callable[[int], Iterator[ScoredLine]]


def search_to_increasing_depths(root: Node, limits: SearchLimits, search_to: SearchToDepth) -> SearchResult:
    """Run `search_to(1)`, `search_to(2)` … until the limits, a certain result, or the end of the whole tree.

    `search_to` may yield several results for one depth; the last result counts, even if the limits then stop the
    search. Raises ValueError if the game is over.
    """
    if root.is_over:
        raise ValueError("the game is over: there is nothing to search")
    best_line = ScoredLine(root.value(), (_first_safe_move(root),))
    earlier_value, reached_depth = best_line.value, 0
    try:
        for depth in range(1, int(min(limits.depth, MAX_DEPTH)) + 1):
            limits.reached_horizon = False
            earlier_value = best_line.value
            for scored_line in search_to(depth):
                best_line = scored_line
            reached_depth = depth
            if not limits.reached_horizon or plies_to_end(best_line.value) is not None:
                break
            if limits.is_enough(best_line.variation[0], best_line.value):
                break
    except OutOfLimits:
        pass
    line, value = best_line.variation, best_line.value
    return SearchResult(
        line[0], value, reached_depth, limits.nodes_used, line, limits.seconds,
        unvisited_positions=limits.unvisited_positions, earlier_value=earlier_value,
    )  # fmt: skip


def _first_safe_move(root: Node) -> Move:
    """Return the first legal move that does not lose at once, or the first legal move if all of them do."""
    moves = root.moves()
    for move in moves:
        child = root.child_after(move)
        if not child.is_over or child.values_by_seat()[root.to_move - 1] >= 0:
            return move
    return moves[0]
