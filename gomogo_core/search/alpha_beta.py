"""Alpha-beta search: minimax that skips moves which cannot change the result, and begins with promising moves.

The module does not depend on games; it sees positions as nodes (node.py). Source: D. Knuth and R. Moore, An Analysis of
Alpha-Beta Pruning, Artificial Intelligence 6 (1975).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gomogo_core.games.base import Move, Position
from gomogo_core.search import max_n
from gomogo_core.search.deepening import MAX_DEPTH, search_to_increasing_depths
from gomogo_core.search.evaluation import clear_lead_of, node_of
from gomogo_core.search.limits import OutOfLimits, SearchLimits
from gomogo_core.search.node import CERTAIN_THRESHOLD, INFINITY, Node
from gomogo_core.search.result import PositionAnalysis, ScoredLine, SearchResult


def search(position: Position, limits: SearchLimits) -> SearchResult:
    """Return the best move, with the same value as minimax. With more than two players, search by max^n.

    Raises ValueError if the game is over.
    """
    if position.game.seats > 2:
        return max_n.search(position, limits)
    root = node_of(position)

    def search_to(depth: int) -> Iterator[ScoredLine]:
        yield best_line(root, depth, -INFINITY, INFINITY, limits)

    return search_to_increasing_depths(root, limits, search_to)


def stream_analyses(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
    """Search until the limits, and yield the value of every move after each depth.

    With more than two players, search by max^n. Raises ValueError if the game is over.
    """
    root = node_of(position)
    if root.is_over:
        raise ValueError("the game is over: there is nothing to search")
    moves, lead = list(root.moves()), clear_lead_of(position.game.name)
    lines_found = [ScoredLine(root.value(), (moves[0],))]
    reached_depth = 0
    values = dict[Move, float]()

    def analysis() -> PositionAnalysis:
        return PositionAnalysis(
            tuple(lines_found[:lines]), reached_depth, limits.nodes_used, limits.seconds, values, lead
        )

    with suppress(OutOfLimits):
        for depth in range(1, int(min(limits.depth, MAX_DEPTH)) + 1):
            limits.reached_horizon = False
            new_lines = (_value_after_move(root, move, depth, limits) for move in moves)
            sorted_lines = sorted(new_lines, key=lambda line: -line.value)
            lines_found, moves, reached_depth = sorted_lines, [line.variation[0] for line in sorted_lines], depth
            values = {line.variation[0]: line.value for line in lines_found}
            yield analysis()
            if not limits.reached_horizon or lines_found[0].value > CERTAIN_THRESHOLD:
                return
    yield analysis()


def _value_after_move(root: Node, move: Move, depth: int, limits: SearchLimits) -> ScoredLine:
    """Return the exact value of `move` for the root's mover, and the principal variation that begins with it."""
    child = root.child_after(move)
    if len(child.values_by_seat()) > 2:
        values, variation = max_n.best_values(child, depth - 1, limits)
        return ScoredLine(values[root.to_move - 1], (move, *variation))
    value, variation = best_line(child, depth - 1, -INFINITY, INFINITY, limits)
    return ScoredLine(value if child.to_move == root.to_move else -value, (move, *variation))


def best_line(node: Node, depth: int, alpha: float, beta: float, limits: SearchLimits) -> ScoredLine:
    """Return the best value that the mover can reach in `depth` plies, and the principal variation. Raises OutOfLimits.

    `alpha` is the value that the mover can already reach by other moves. `beta` is the value above which the opponent
    avoids this node. A result between the two is exact; any other result is a bound.
    """
    limits.count_node()
    if node.is_over or depth == 0:
        limits.reached_horizon |= not node.is_over
        return ScoredLine(node.value(), ())
    if depth == 1 and (reply := node.best_child(alpha, beta)) is not None:
        limits.unvisited_positions += reply.compared_count
        limits.reached_horizon = True
        return ScoredLine(reply.value, () if reply.move is None else (reply.move,))
    best_line_so_far = ScoredLine(-INFINITY, ())
    for move in node.moves():
        child = node.child_after(move)
        if child.to_move == node.to_move:
            value, variation = best_line(child, depth - 1, alpha, beta, limits)
        else:
            value, variation = best_line(child, depth - 1, -beta, -alpha, limits)
            value = -value
        if value > best_line_so_far.value:
            best_line_so_far = ScoredLine(value, (move, *variation))
            alpha = max(alpha, value)
            if alpha >= beta:
                break
    return best_line_so_far
