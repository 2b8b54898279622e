"""Gomoku as the search sees it: finds the kind of node for a position, and judges the choices of the openings.

Knows no method of search, nothing of lines: _gomoku_node.py plays stones and says what they are worth.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice

from gomogo_core.games._grid import Point
from gomogo_core.games.base import Move, Position
from gomogo_core.games.gomoku import Choice, GomokuPosition, Phase
from gomogo_core.search.evaluation._gomoku_node import GomokuNode
from gomogo_core.search.evaluation._gomoku_renju import RenjuNode
from gomogo_core.search.node import CERTAIN, Node

_WORDS = {
    Choice.SWAP: "takes the colour that stands better",
    Choice.STAY: "keeps the colour that stands better",
    Choice.PLACE: "lets the other choose",
}


def node(position: Position, ply: int = 0) -> Node:
    """The node of `position`, `ply` plies from the root."""
    assert isinstance(position, GomokuPosition)
    if position.outcome() is None and _opening(position):
        return OpeningNode(position, ply)
    return (RenjuNode if position.game.renju else GomokuNode).of(position, ply)


def _opening(position: GomokuPosition) -> bool:
    first = position.stones == 0 and position.game.opening == "takeover"
    return first or position.can_take_over or position.phase is not Phase.PLAY


class OpeningNode(Node):
    """A position in which somebody will choose between the colours: who lays stones for that wants them balanced."""

    __slots__ = ("_stones", "over", "ply", "position", "to_move")

    def __init__(self, position: GomokuPosition, ply: int) -> None:
        self.position, self.ply = position, ply
        self.to_move = position.to_move
        self.over = False
        self._stones = (RenjuNode if position.game.renju else GomokuNode).of(position, ply)

    def moves(self) -> Sequence[Move]:
        """The choices; the points near stones, and the first stone where it may be taken; on the empty board a wedge.

        The wedge is an eighth of the board: what is left out mirrors what is in it.
        """
        if self.position.stones == 0:
            middle = (self.position.game.size + 1) // 2
            points = (move for move in self.position.moves() if isinstance(move, Point))
            return [point for point in points if point.column <= point.row <= middle]
        first = next(islice(self.position.moves(), 1))
        if isinstance(first, Choice):
            return list(self.position.moves())
        near = self._stones.natural_moves()
        return [*near, self._first] if self.position.can_take_over else near

    def play(self, move: Move) -> Node:
        """The node after a stone or a choice."""
        return node(self.position.play(move), self.ply + 1)

    def value(self) -> float:
        """How far from balance the stones are: good for the one who may choose, bad for the one who lays them."""
        imbalance = min(abs(self._stones.value()), CERTAIN - 1)
        return imbalance if self._mover_chooses() else -imbalance

    @property
    def _first(self) -> Point:
        """Where the only stone is."""
        assert self.position.last is not None
        return self.position.game.grid.points[self.position.last]

    def _mover_chooses(self) -> bool:
        return self.position.can_take_over or self.position.phase in (Phase.CHOOSE, Phase.CHOOSE_LAST)

    def values(self) -> tuple[float, ...]:
        """The value for the mover, its negative for the other."""
        value = self.value()
        return (value, -value) if self.to_move == 1 else (-value, value)

    def verdict(self) -> None:
        """Nothing is certain yet."""

    def key(self) -> Hashable:
        """The game's own key."""
        return self.position.key()

    def why(self, move: Move) -> str | None:
        """What a choice does."""
        if isinstance(move, Choice):
            return _WORDS[move]
        return "takes the first stone over" if self.position.can_take_over and move == self._first else None
