"""Iterative deepening: search to depth 1, 2, 3 …, so that a result exists whenever the clock stops the search.

Needs no method of search: the caller passes one. A shallower pass costs a fraction of the next, since each ply
multiplies the work: D. Slate and L. Atkin, Chess 4.5, in P. Frey (ed.), Chess Skill in Man and Machine (1977).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gomogo_core.games.base import Move
from gomogo_core.search.limits import OutOfLimits, SearchLimits
from gomogo_core.search.node import Node, plies_to_end
from gomogo_core.search.result import ScoredLine, SearchResult

DEEPEST = 200  # plies; a ply takes up to three nested calls, and Python allows 1000

Pass = Callable[[int], Iterator[ScoredLine]]


def deepen(root: Node, limits: SearchLimits, search_to: Pass) -> SearchResult:
    """Run `search_to(1)`, `search_to(2)` … until the limits, a certain result, or the end of the whole tree.

    search_to: yields results; if it yields more than once, the last one counts when the limits stop the search. Raises
    ValueError if the game is over.
    """
    if root.over:
        raise ValueError("the game is over: there is nothing to search")
    found = ScoredLine(root.value(), (_first_safe_move(root),))
    reached = 0
    try:
        for depth in range(1, int(min(limits.depth, DEEPEST)) + 1):
            limits.horizon = False
            for better in search_to(depth):
                found = better
            reached = depth
            if not limits.horizon or plies_to_end(found.value) is not None:
                break
    except OutOfLimits:
        pass
    line, value = found.variation, found.value
    return SearchResult(line[0], value, reached, limits.spent, line, limits.seconds, compared=limits.compared)


def _first_safe_move(root: Node) -> Move:
    """Return a legal move to begin with: the first that does not lose at once, if there is one."""
    moves = root.moves()
    for move in moves:
        child = root.play(move)
        if not child.over or child.values()[root.to_move - 1] >= 0:
            return move
    return moves[0]
