"""Plain minimax: every move to the same depth, in the game's own order, without pruning.

The module does not depend on games; it sees positions as nodes (node.py). Source: C. Shannon, Programming a Computer
for Playing Chess, Philosophical Magazine 41 (1950).
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games.base import Position
from gomogo_core.search import max_n
from gomogo_core.search.deepening import search_to_increasing_depths
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.node import INFINITY, Node
from gomogo_core.search.result import ScoredLine, SearchResult


def search(position: Position, limits: SearchLimits) -> SearchResult:
    """Return the best move by minimax; with more than two players, by max^n. Raises ValueError if the game is over."""
    if position.game.seats > 2:
        return max_n.search(position, limits)
    root = node_of(position)

    def search_to(depth: int) -> Iterator[ScoredLine]:
        yield best_line(root, depth, limits)

    return search_to_increasing_depths(root, limits, search_to)


def best_line(node: Node, depth: int, limits: SearchLimits) -> ScoredLine:
    """Return the best value that the mover can reach in `depth` plies, and the moves that lead to it.

    Raises OutOfLimits.
    """
    limits.count_node()
    if node.is_over or depth == 0:
        limits.reached_horizon |= not node.is_over
        return ScoredLine(node.value(), ())
    best_line_so_far = ScoredLine(-INFINITY, ())
    for move in node.moves_in_game_order():
        child = node.child_after(move)
        value, variation = best_line(child, depth - 1, limits)
        if child.to_move != node.to_move:
            value = -value
        if value > best_line_so_far.value:
            best_line_so_far = ScoredLine(value, (move, *variation))
    return best_line_so_far
