"""Renju in a search: Gomoku in which black loses by a stone on a forbidden point.

Needs no method of search; games/_renju.py has the forbidden points.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import Move
from gomogo_core.games.gomoku import BLACK, WHITE, GomokuPosition, why_forbidden
from gomogo_core.search.evaluation._gomoku_lines import FULL, LANE, lowest
from gomogo_core.search.evaluation._gomoku_node import GomokuNode
from gomogo_core.search.node import BestChild, win_in


class RenjuNode(GomokuNode):
    """A position under Renju's rules."""

    __slots__ = ("board", "size")

    board: bytes
    size: int

    @classmethod
    def of(cls, position: GomokuPosition, ply: int = 0) -> RenjuNode:
        """Return the node of `position`."""
        node = super().of(position, ply)
        assert isinstance(node, RenjuNode)
        node.board, node.size = position.cells, position.game.size
        return node

    def play(self, move: Move) -> RenjuNode:
        """Return the node after a stone on `move`; on a forbidden point it ends the game."""
        node = super().play(move)
        assert isinstance(node, RenjuNode)
        point = node.last
        node.size = self.size
        node.board = self.board[:point] + bytes((self.colour,)) + self.board[point + 1 :]
        if not node.winner and self.is_forbidden(point):
            node.over, node.winner = True, WHITE
        return node

    def is_forbidden(self, point: int) -> bool:
        """Return whether the mover loses by a stone on `point`."""
        return self.colour == BLACK and why_forbidden(self.board, self.size, point) is not None

    def verdict(self) -> float | None:
        """Return Gomoku's verdict, except that black makes no forbidden fours and may be unable to block a four."""
        certain = super().verdict()
        if self.colour != BLACK or self.over:
            return certain
        if certain is None:
            theirs = self.threats & self.lanes.wins[WHITE]
            return -win_in(self.ply + 2) if theirs and self.is_forbidden(lowest(theirs)) else None
        if certain != win_in(self.ply + 3):
            return certain
        pairs = self.threats & self.lanes.two_fours[BLACK]
        while pairs:
            point = lowest(pairs)
            if not self.is_forbidden(point):
                return certain
            pairs &= ~(FULL << LANE * point)
        return None

    def best_child(self, alpha: float, beta: float) -> BestChild | None:
        """Compare in bulk for white in quiet positions only; forbidden points change the value of fours and threats."""
        if self.colour == BLACK or self.threats & (self.lanes.fours[WHITE] | self.lanes.two_fours[BLACK]):
            return None
        return super().best_child(alpha, beta)

    def defences(self) -> Sequence[Move] | None:
        """Return the forced replies of Gomoku for black only. A threat against white may be forbidden to black."""
        return super().defences() if self.colour == BLACK else None

    def moves(self) -> Sequence[Move]:
        """Return Gomoku's moves, but all moves if black's only block is forbidden: any other stone loses later."""
        moves = super().moves()
        if len(moves) == 1 and self.is_forbidden(self.lanes.number[moves[0]]):  # type: ignore[index]
            return self._points_by_gain(self.near)
        return moves
