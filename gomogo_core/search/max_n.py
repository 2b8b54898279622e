"""max^n: minimax for three or more players, each of whom maximises its own score.

The module does not depend on games; it sees positions as nodes (node.py). Source: C. Luckhardt and K. Irani, An
Algorithmic Solution of N-Person Games, AAAI (1986).
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games.base import Move, Position
from gomogo_core.search.deepening import search_to_increasing_depths
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.node import Node
from gomogo_core.search.result import ScoredLine, SearchResult


def search(position: Position, limits: SearchLimits) -> SearchResult:
    """Return the mover's best move if all players maximise their own score. Raises ValueError if the game is over."""
    root = node_of(position)

    def search_to(depth: int) -> Iterator[ScoredLine]:
        values, variation = best_values(root, depth, limits)
        yield ScoredLine(values[root.to_move - 1], variation)

    return search_to_increasing_depths(root, limits, search_to)


def best_values(node: Node, depth: int, limits: SearchLimits) -> tuple[tuple[float, ...], tuple[Move, ...]]:
    """Return the values of all seats if every player maximises its own value, and the principal variation.

    Raises OutOfLimits. Nothing is pruned: with three players, a bound on one player's score gives no bound on
    another's.
    """
    limits.count_node()
    if node.is_over or depth == 0:
        limits.reached_horizon |= not node.is_over
        return node.values_by_seat(), ()
    best_result: tuple[tuple[float, ...], tuple[Move, ...]] | None = None
    for move in node.moves():
        values, variation = best_values(node.child_after(move), depth - 1, limits)
        if best_result is None or values[node.to_move - 1] > best_result[0][node.to_move - 1]:
            best_result = values, (move, *variation)
    assert best_result is not None, "a game that is not over has a move"
    return best_result
