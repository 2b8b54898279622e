"""Evaluation of Capture Go: captures, and the influence of stones with many liberties.

The order in which a search tries the moves is in _stones_node.py. The mover certainly wins if it can now capture all
the stones that it still needs. It certainly loses if the opponent can do so next, at points that no single move
defends.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import Move, Position
from gomogo_core.games.capture_go import CaptureGoPosition
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search.evaluation._stones_node import StonesNode
from gomogo_core.search.go.atari import capturing_points
from gomogo_core.search.go.influence import influence_balance
from gomogo_core.search.node import win_in

CLEAR_LEAD = 8.0  # the value of a clear lead, in the unit of this evaluation
CAPTURED_STONE_VALUE = 6.0  # value of a captured stone, in points of the board


class CaptureGoNode(StonesNode):
    """A position of Capture Go in a search."""

    __slots__ = ("_stopping",)
    position: CaptureGoPosition

    def __init__(self, position: CaptureGoPosition, ply: int = 0) -> None:
        super().__init__(position, ply)
        self._stopping: int | None = -1

    def estimate(self) -> float:
        """Return the mover's lead by captures and influence."""
        black_captures, white_captures = self.position.captures
        lead = CAPTURED_STONE_VALUE * (black_captures - white_captures)
        lead += influence_balance(self.position.board, self.to_move)
        return lead if self.to_move == BLACK else -lead

    def forced_value(self) -> float | None:
        """Return the value of a win by the mover's next stone, or of a loss by the opponent's next stone; else None."""
        if self.winning_points(self.to_move):
            return win_in(self.ply + 1)
        return -win_in(self.ply + 2) if self.stopping_points() == 0 and not self.position.pass_ends_game else None

    def winning_points(self, colour: int) -> list[int]:
        """Return the bits of the points where a stone of `colour` would capture as many stones as it still needs."""
        position = self.position
        needed_captures = position.game.target - position.captures[colour - 1]
        captured_by_point = capturing_points(position.board, colour)
        return [i for i, captured in captured_by_point.items() if captured.bit_count() >= needed_captures]

    def stopping_points(self) -> int | None:
        """Return the mask of the points that may stop the opponent's win by the next stone; None if there is no threat.

        Only two kinds of moves save stones in atari: a stone on their last liberty, and the capture of a chain next to
        them.
        """
        if self._stopping == -1:
            self._stopping = self._find_stopping_points()
        return self._stopping

    def _find_stopping_points(self) -> int | None:
        board, geometry = self.position.board, self.position.game.bit_geometry
        threats = self.winning_points(BLACK + WHITE - self.to_move)
        if not threats:
            return None
        stopping, own_captures = self.position.legal_mask, capturing_points(board, self.to_move)
        threatened_chains = capturing_points(board, BLACK + WHITE - self.to_move)
        for point_index in threats:
            stopping_for_threat = 1 << point_index
            neighbour_mask = geometry.neighbours_of(threatened_chains[point_index])
            for i, captured in own_captures.items():
                if captured & neighbour_mask:
                    stopping_for_threat |= 1 << i
            stopping &= stopping_for_threat
        return stopping

    def moves(self) -> Sequence[Move]:
        """Return all moves in order, or only those that may stop the opponent if its next stone would win."""
        moves, stopping = super().moves(), self.stopping_points()
        if not stopping or self.winning_points(self.to_move):
            return moves
        index_of, pass_ends_game = self.position.game.bit_geometry.index_of, self.position.pass_ends_game
        return [move for move in moves if (pass_ends_game if move is PASS else stopping >> index_of[move] & 1)]  # type: ignore[index]

    def only_move(self) -> Move | None:
        """Return the only move that may stop the opponent's win by the next stone; else None."""
        stopping = self.stopping_points()
        if not stopping or stopping & (stopping - 1):
            return None
        if self.position.pass_ends_game or self.certain_value() is not None:
            return None
        return self.position.game.bit_geometry.points[stopping.bit_length() - 1]


def node(position: Position) -> CaptureGoNode:
    """Return the node of `position`, the root of a search."""
    assert isinstance(position, CaptureGoPosition)
    return CaptureGoNode(position)
