"""Alpha-beta: minimax without the moves that cannot matter; the most promising moves come first.

Knows nodes only. D. Knuth and R. Moore, An Analysis of Alpha-Beta Pruning, Artificial Intelligence 6 (1975).
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games.base import Position
from gomogo_core.search import max_n
from gomogo_core.search.deepening import deepen
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.node import INFINITY, Node
from gomogo_core.search.result import Line, SearchResult


def search(position: Position, limits: SearchLimits) -> SearchResult:
    """Return the best move, with the same value as minimax's; with more than two players, by max^n.

    Raises ValueError if the game is over.
    """
    if position.game.seats > 2:
        return max_n.search(position, limits)
    root = node_of(position)

    def search_to(depth: int) -> Iterator[Line]:
        yield best(root, depth, -INFINITY, INFINITY, limits)

    return deepen(root, limits, search_to)


def best(node: Node, depth: int, alpha: float, beta: float, limits: SearchLimits) -> Line:
    """Return the best value that the mover can reach in `depth` plies, and the line. Raises OutOfLimits.

    alpha: the value that the mover already has elsewhere. beta: the value above which the opponent avoids this node. A
    value between the two is exact; at or beyond one of them it is a bound.
    """
    limits.spend()
    if node.over or depth == 0:
        limits.horizon |= not node.over
        return Line(node.value(), ())
    if depth == 1 and (reply := node.best_child(alpha, beta)) is not None:
        limits.compared += reply.compared
        limits.horizon = True
        return Line(reply.value, () if reply.move is None else (reply.move,))
    found = Line(-INFINITY, ())
    for move in node.moves():
        child = node.play(move)
        if child.to_move == node.to_move:
            value, variation = best(child, depth - 1, alpha, beta, limits)
        else:
            value, variation = best(child, depth - 1, -beta, -alpha, limits)
            value = -value
        if value > found.value:
            found = Line(value, (move, *variation))
            alpha = max(alpha, value)
            if alpha >= beta:
                break
    return found
