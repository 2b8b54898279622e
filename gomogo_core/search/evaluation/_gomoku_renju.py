"""Renju in a search: Gomoku in which black loses by a stone on a forbidden point.

The module contains no method of search; games/_renju.py has the forbidden points.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import Move
from gomogo_core.games.gomoku import BLACK, WHITE, GomokuPosition, why_forbidden
from gomogo_core.search.evaluation.gomoku_lines import FULL_LANE, LANE_BITS, first_point
from gomogo_core.search.evaluation.gomoku_node import GomokuNode
from gomogo_core.search.node import BestChild, win_in


class RenjuNode(GomokuNode):
    """A position under Renju's rules."""

    __slots__ = ("board", "size")

    board: bytes
    size: int

    @classmethod
    def from_position(cls, position: GomokuPosition, ply: int = 0) -> RenjuNode:
        """Return the node of `position`."""
        node = super().from_position(position, ply)
        assert isinstance(node, RenjuNode)
        node.board, node.size = position.cells, position.game.size
        return node

    def child_after(self, move: Move) -> RenjuNode:
        """Return the node after a stone on `move`; on a forbidden point it ends the game."""
        node = super().child_after(move)
        assert isinstance(node, RenjuNode)
        point = node.last_point
        node.size = self.size
        node.board = self.board[:point] + bytes((self.colour,)) + self.board[point + 1 :]
        if not node.winner and self.is_forbidden(point):
            node.is_over, node.winner = True, WHITE
        return node

    def is_forbidden(self, point: int) -> bool:
        """Return whether the mover loses by a stone on `point`."""
        return self.colour == BLACK and why_forbidden(self.board, self.size, point) is not None

    def certain_value(self) -> float | None:
        """Return Gomoku's certain value, corrected for the fours and the blocks that are forbidden to black."""
        certain = super().certain_value()
        if self.colour != BLACK or self.is_over:
            return certain
        if certain is None:
            opponent_wins = self.threats & self.board_lines.win_masks[WHITE]
            return -win_in(self.ply + 2) if opponent_wins and self.is_forbidden(first_point(opponent_wins)) else None
        if certain != win_in(self.ply + 3):
            return certain
        two_fours = self.threats & self.board_lines.two_four_masks[BLACK]
        while two_fours:
            point = first_point(two_fours)
            if not self.is_forbidden(point):
                return certain
            two_fours &= ~(FULL_LANE << LANE_BITS * point)
        return None

    def best_child(self, alpha: float, beta: float) -> BestChild | None:
        """Compare all children at once only if no forbidden point can matter: white moves, and no four is possible."""
        limiting_masks = self.board_lines.four_masks[WHITE] | self.board_lines.two_four_masks[BLACK]
        if self.colour == BLACK or self.threats & limiting_masks:
            return None
        return super().best_child(alpha, beta)

    def defences(self) -> Sequence[Move] | None:
        """Return the forced defences if black is to move; None for white, since black's threat may be forbidden."""
        return super().defences() if self.colour == BLACK else None

    def moves(self) -> Sequence[Move]:
        """Return Gomoku's moves, or all if black's only block is forbidden, since the block loses at once."""
        moves = super().moves()
        if len(moves) == 1 and self.is_forbidden(self.board_lines.number_of[moves[0]]):  # type: ignore[index]
            return self._points_sorted_by_gain(self.nearby_lanes)
        return moves
