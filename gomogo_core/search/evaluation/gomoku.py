"""Gomoku in a search: chooses the class of node for a position, and evaluates the choices in an opening.

The module contains no method of search, and does not handle rows of stones; gomoku_node.py plays stones and evaluates
rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice

from gomogo_core.games.base import Move, Position
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Choice, GomokuPosition, Phase
from gomogo_core.search.evaluation._gomoku_renju import RenjuNode
from gomogo_core.search.evaluation.gomoku_node import GomokuNode
from gomogo_core.search.node import CERTAIN_THRESHOLD, Node

CLEAR_LEAD = 200.0  # the value of a clear lead, in the unit of this evaluation

_CHOICE_DESCRIPTIONS = {
    Choice.SWAP: "takes the colour with the better position",
    Choice.STAY: "keeps the colour with the better position",
    Choice.PLACE: "lets the other choose",
}


def node(position: Position, ply: int = 0) -> Node:
    """Return the node of `position`, `ply` plies from the root."""
    assert isinstance(position, GomokuPosition)
    if position.outcome() is None and position.is_before_colour_choice:
        return OpeningNode(position, ply)
    return (RenjuNode if position.game.renju else GomokuNode).from_position(position, ply)


class OpeningNode(Node):
    """A position before a choice of colours. The player who places the stones wants a balanced position."""

    __slots__ = ("_stones_node", "is_over", "ply", "position", "to_move")

    def __init__(self, position: GomokuPosition, ply: int) -> None:
        self.position, self.ply = position, ply
        self.to_move = position.to_move
        self.is_over = False
        self._stones_node = (RenjuNode if position.game.renju else GomokuNode).from_position(position, ply)

    def moves(self) -> Sequence[Move]:
        """Return the choices if there are any; else the points near stones, and the takeover move.

        On the empty board, return the points of one eighth of the board, since all other points are mirror images of
        these.
        """
        if self.position.stones == 0:
            middle = (self.position.game.size + 1) // 2
            points = (move for move in self.position.moves() if isinstance(move, Point))
            return [point for point in points if point.column <= point.row <= middle]
        first = next(islice(self.position.moves(), 1))
        if isinstance(first, Choice):
            return list(self.position.moves())
        nearby_points = self._stones_node.moves_in_game_order()
        return [*nearby_points, self._first_stone] if self.position.can_take_over else nearby_points

    def child_after(self, move: Move) -> Node:
        """Return the node after a stone or a choice."""
        return node(self.position.play(move), self.ply + 1)

    def value(self) -> float:
        """Return the imbalance of the stones, negative if the mover places stones and does not choose a colour."""
        imbalance = min(abs(self._stones_node.value()), CERTAIN_THRESHOLD - 1)
        return imbalance if self._mover_chooses() else -imbalance

    @property
    def _first_stone(self) -> Point:
        """Return the point of the only stone on the board."""
        assert self.position.last is not None
        return self.position.game.board.points[self.position.last]

    def _mover_chooses(self) -> bool:
        return self.position.can_take_over or self.position.phase in (Phase.CHOOSE, Phase.CHOOSE_LAST)

    def values_by_seat(self) -> tuple[float, ...]:
        """Return the value for the mover, and its negative for the opponent."""
        value = self.value()
        return (value, -value) if self.to_move == 1 else (-value, value)

    def certain_value(self) -> None:
        """Return None, because nothing is certain in an opening."""

    def key(self) -> Hashable:
        """Return the game's own key."""
        return self.position.key()

    def describe_move(self, move: Move) -> str | None:
        """Describe the effect of a choice or a takeover."""
        if isinstance(move, Choice):
            return _CHOICE_DESCRIPTIONS[move]
        return "takes the first stone over" if self.position.can_take_over and move == self._first_stone else None
