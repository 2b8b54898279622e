"""Evaluation of Go: the points that each side's influence controls, by the scoring of the game.

The order in which a search tries the moves is in _stones_node.py.
"""

from __future__ import annotations

from gomogo_core.games.base import Position
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.board import BLACK
from gomogo_core.search.evaluation._stones_node import StonesNode
from gomogo_core.search.go.influence import influence_balance

CLEAR_LEAD = 6.0  # the value of a clear lead, in the unit of this evaluation


class GoNode(StonesNode):
    """A position of Go in a search."""

    __slots__ = ()
    position: GoPosition

    def estimate(self) -> float:
        """Return the mover's expected lead in points.

        Near the move limit, the weight of the current score grows with each move.
        """
        position, game, board = self.position, self.position.game, self.position.board
        lead = influence_balance(board, position.to_move)
        stone_lead = board.black_mask.bit_count() - board.white_mask.bit_count()
        if game.scoring == "territory":
            lead -= stone_lead
        elif game.scoring == "stone":  # players will fill areas, except the eyes
            lead += stone_lead / 8
        lead -= game.komi
        if game.max_moves is not None:
            moves_left, empty_count = game.max_moves - position.moves_played, board.empty_mask.bit_count()
            if moves_left < empty_count:
                black, white = position.scores()
                lead += (black - white - lead) * (1 - moves_left / empty_count)
        return lead if position.to_move == BLACK else -lead


def node(position: Position) -> GoNode:
    """Return the node of `position`, the root of a search."""
    assert isinstance(position, GoPosition)
    return GoNode(position)
