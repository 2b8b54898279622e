"""Search to depth 1, 2, 3 … so that an answer is at hand whenever the clock stops the search.

Knows no method of search: it is given one. A shallower pass costs a fraction of the next, since each ply multiplies
the work: D. Slate and L. Atkin, Chess 4.5, in P. Frey (ed.), Chess Skill in Man and Machine (1977).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gomogo_core.games.base import Move
from gomogo_core.search.limits import Limits, OutOfLimits
from gomogo_core.search.node import Node, plies_to_end
from gomogo_core.search.result import Found, Result

DEEPEST = 200  # plies; a ply takes up to three calls within each other, and Python allows 1000

Pass = Callable[[int], Iterator[Found]]


def deepen(root: Node, limits: Limits, search_to: Pass) -> Result:
    """Run `search_to(1)`, `search_to(2)` … until the limits, a certain result, or the end of the whole tree.

    search_to: yields what it found; where it yields more than once, the last is what to play if it is stopped there.
    Raises ValueError when the game is over.
    """
    if root.over:
        raise ValueError("the game is over: there is nothing to search")
    found = Found(root.value(), (_acceptable(root),))
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
    return Result(found.variation[0], found.value, reached, limits.spent, found.variation, limits.seconds)


def _acceptable(root: Node) -> Move:
    """A legal move to begin with: the first that does not lose at once, if there is one."""
    moves = root.moves()
    for move in moves:
        child = root.play(move)
        if not child.over or child.values()[root.to_move - 1] >= 0:
            return move
    return moves[0]
