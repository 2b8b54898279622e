"""Alpha-beta: minimax without the moves that cannot matter, the likely best tried first.

Knows nodes only. D. Knuth and R. Moore, An Analysis of Alpha-Beta Pruning, Artificial Intelligence 6 (1975).
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
    """The best move, of the same value as minimax's; where more than two play, by max^n.

    Raises ValueError when the game is over.
    """
    if position.game.seats > 2:
        return max_n.search(position, limits)
    root = node_of(position)

    def search_to(depth: int) -> Iterator[Found]:
        yield best(root, depth, -INFINITY, INFINITY, limits)

    return deepen(root, limits, search_to)


def best(node: Node, depth: int, alpha: float, beta: float, limits: Limits) -> Found:
    """The best value the mover can reach in `depth` plies, and how. Raises OutOfLimits.

    alpha: what the mover is sure of elsewhere. beta: what the opponent will not let it exceed. A value between the two
    is exact; at or beyond one of them it is a bound.
    """
    if node.over or depth == 0:
        limits.spend()
        limits.horizon |= not node.over
        return Found(node.value(), ())
    if depth == 1 and (reply := node.best_child(alpha, beta)) is not None:
        limits.spend(reply.evaluated)
        limits.horizon = True
        return Found(reply.value, () if reply.move is None else (reply.move,))
    limits.spend()
    found = Found(-INFINITY, ())
    for move in node.moves():
        child = node.play(move)
        if child.to_move == node.to_move:
            value, variation = best(child, depth - 1, alpha, beta, limits)
        else:
            value, variation = best(child, depth - 1, -beta, -alpha, limits)
            value = -value
        if value > found.value:
            found = Found(value, (move, *variation))
            alpha = max(alpha, value)
            if alpha >= beta:
                break
    return found
