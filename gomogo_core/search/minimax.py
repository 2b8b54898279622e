"""Minimax, plain: every move to the same depth, in the game's own order, nothing left out.

Knows nodes only. C. Shannon, Programming a Computer for Playing Chess, Philosophical Magazine 41 (1950).
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games.base import Position
from gomogo_core.search import max_n
from gomogo_core.search.deepening import deepen
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import Limits
from gomogo_core.search.node import INFINITY, Node
from gomogo_core.search.result import Found, Result


def search(position: Position, limits: Limits) -> Result:
    """The best move by minimax; where more than two play, by max^n. Raises ValueError when the game is over."""
    if position.game.seats > 2:
        return max_n.search(position, limits)
    root = node_of(position)

    def search_to(depth: int) -> Iterator[Found]:
        yield best(root, depth, limits)

    return deepen(root, limits, search_to)


def best(node: Node, depth: int, limits: Limits) -> Found:
    """The best value the mover can reach in `depth` plies, and how. Raises OutOfLimits."""
    limits.spend()
    if node.over or depth == 0:
        limits.horizon |= not node.over
        return Found(node.value(), ())
    found = Found(-INFINITY, ())
    for move in node.natural_moves():
        child = node.play(move)
        value, variation = best(child, depth - 1, limits)
        if child.to_move != node.to_move:
            value = -value
        if value > found.value:
            found = Found(value, (move, *variation))
    return found
