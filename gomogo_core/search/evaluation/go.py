"""What positions of Go are worth: the points each side's influence makes its own, as the game will count them.

Knows positions; _stones_node.py knows the order of moves.
"""

from __future__ import annotations

from gomogo_core.games._board import BLACK
from gomogo_core.games.base import Position
from gomogo_core.games.go import GoPosition
from gomogo_core.search.evaluation._stones_node import StonesNode
from gomogo_core.search.go.influence import balance


class GoNode(StonesNode):
    """A position of Go in a search."""

    __slots__ = ()
    position: GoPosition

    def estimate(self) -> float:
        """The lead that the mover may expect, in points."""
        return expected(self.position)


def node(position: Position) -> GoNode:
    """The node of `position`, the root of a search."""
    assert isinstance(position, GoPosition)
    return GoNode(position)


def expected(position: GoPosition, gone: int = 0) -> float:
    """The lead that the mover may expect, in points. gone: the mask of stones that are as good as taken.

    Near the last move that the game allows, what stands counts the more, the fewer moves are left.
    """
    game, board = position.game, position.board
    lead = balance(board, position.to_move, gone)
    stones = board.black.bit_count() - board.white.bit_count()
    if game.scoring == "territory":
        lead -= stones
    elif game.scoring == "stone":  # areas will be filled, but for the eyes
        lead += stones / 8
    lead -= game.komi
    if game.max_moves is not None:
        left, room = game.max_moves - position.number, board.empty.bit_count()
        if left < room:
            black, white = position.scores()
            lead += (black - white - lead) * (1 - left / room)
    return lead if position.to_move == BLACK else -lead
