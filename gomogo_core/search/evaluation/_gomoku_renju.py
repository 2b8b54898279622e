"""Renju as the search sees it: Gomoku in which black loses by a stone on a forbidden point.

Knows no method of search, and not what is forbidden: games/_renju.py says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games._renju import why_forbidden
from gomogo_core.games.base import Move
from gomogo_core.games.gomoku import BLACK, WHITE, GomokuPosition
from gomogo_core.search.evaluation._gomoku_lanes import FULL, LANE, lowest
from gomogo_core.search.evaluation._gomoku_node import GomokuNode
from gomogo_core.search.node import Reply, win_in


class RenjuNode(GomokuNode):
    """A position under Renju's rules."""

    __slots__ = ("board", "size")

    board: bytes
    size: int

    @classmethod
    def of(cls, position: GomokuPosition, ply: int = 0) -> RenjuNode:
        """The node of `position`."""
        node = super().of(position, ply)
        assert isinstance(node, RenjuNode)
        node.board, node.size = position.cells, position.game.size
        return node

    def play(self, move: Move) -> RenjuNode:
        """The node after a stone on `move`; on a forbidden point it ends the game."""
        node = super().play(move)
        assert isinstance(node, RenjuNode)
        point = node.last
        node.size = self.size
        node.board = self.board[:point] + bytes((self.colour,)) + self.board[point + 1 :]
        if not node.winner and self.forbids(point):
            node.over, node.winner = True, WHITE
        return node

    def forbids(self, point: int) -> bool:
        """Whether the mover loses by a stone on `point`."""
        return self.colour == BLACK and why_forbidden(self.board, self.size, point) is not None

    def verdict(self) -> float | None:
        """Gomoku's, but black makes no forbidden pair of fours, and loses where it may not block a four."""
        certain = super().verdict()
        if self.colour != BLACK or self.over:
            return certain
        if certain is None:
            theirs = self.threats & self.lanes.wins[WHITE]
            return -win_in(self.ply + 2) if theirs and self.forbids(lowest(theirs)) else None
        if certain != win_in(self.ply + 3):
            return certain
        pairs = self.threats & self.lanes.two_fours[BLACK]
        while pairs:
            point = lowest(pairs)
            if not self.forbids(point):
                return certain
            pairs &= ~(FULL << LANE * point)
        return None

    def best_child(self, alpha: float, beta: float) -> Reply | None:
        """Gomoku's for white in quiet positions; what is forbidden to black makes more of fours and less of threats."""
        if self.colour == BLACK or self.threats & (self.lanes.fours[WHITE] | self.lanes.two_fours[BLACK]):
            return None
        return super().best_child(alpha, beta)

    def defences(self) -> Sequence[Move] | None:
        """Gomoku's for black. What threatens white may be forbidden to black, and no threat at all."""
        return super().defences() if self.colour == BLACK else None

    def moves(self) -> Sequence[Move]:
        """Gomoku's; all, where black's one block is forbidden: then another stone loses later."""
        moves = super().moves()
        if len(moves) == 1 and self.forbids(self.lanes.number[moves[0]]):  # type: ignore[index]
            return self._ordered(self.near)
        return moves
