"""What positions of Capture Go are worth: captures, and the influence of stones with many liberties.

Knows positions; _stones_node.py knows the order of moves. A position shows a certain win where the mover can take the
stones that are wanting, and a certain loss where the opponent can do so next, at points of which no move stops all.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games._board import BLACK, WHITE
from gomogo_core.games._stones import PASS
from gomogo_core.games.base import Move, Position
from gomogo_core.games.capture_go import CaptureGoPosition
from gomogo_core.search.evaluation._stones_node import StonesNode
from gomogo_core.search.go.atari import captures
from gomogo_core.search.go.influence import balance
from gomogo_core.search.node import win_in

CAPTURE = 6.0  # points that a captured stone is worth, beside those of the board


class CaptureGoNode(StonesNode):
    """A position of Capture Go in a search."""

    __slots__ = ("_stopping",)
    position: CaptureGoPosition

    def __init__(self, position: CaptureGoPosition, ply: int = 0) -> None:
        super().__init__(position, ply)
        self._stopping: int | None = -1

    def estimate(self) -> float:
        """Captures, and influence."""
        one, other = self.position.captures
        lead = CAPTURE * (one - other) + balance(self.position.board, self.to_move)
        return lead if self.to_move == BLACK else -lead

    def shown(self) -> float | None:
        """A win by the next stone, or a loss by the opponent's next."""
        if self.wins(self.to_move):
            return win_in(self.ply + 1)
        return -win_in(self.ply + 2) if self.stopping() == 0 and not self._ends_by_passing() else None

    def wins(self, colour: int) -> list[int]:
        """The places where a stone of `colour` would take all that is wanting."""
        position = self.position
        wanting = position.game.target - position.captures[colour - 1]
        return [i for i, taken in captures(position.board, colour).items() if taken.bit_count() >= wanting]

    def stopping(self) -> int | None:
        """The mask of the points that may stop the opponent from winning by the next stone; None if nothing need be.

        What is in atari is saved on its last liberty, or by taking what surrounds it, or not at all.
        """
        if self._stopping == -1:
            self._stopping = self._found_stopping()
        return self._stopping

    def _found_stopping(self) -> int | None:
        board, plane = self.position.board, self.position.game.plane
        threats = self.wins(BLACK + WHITE - self.to_move)
        if not threats:
            return None
        found, takes = self.position.legal, captures(board, self.to_move)
        threatened = captures(board, BLACK + WHITE - self.to_move)
        for place in threats:
            helping, beside = 1 << place, plane.beside(threatened[place])
            for i, taken in takes.items():
                if taken & beside:
                    helping |= 1 << i
            found &= helping
        return found

    def _ends_by_passing(self) -> bool:
        return self.position.passes == 1 and self.position.game.passing

    def moves(self) -> Sequence[Move]:
        """All moves in their order; where the opponent's next stone would win, only those that may stop it."""
        found, stopping = super().moves(), self.stopping()
        if not stopping or self.wins(self.to_move):
            return found
        place = self.position.game.plane.place
        ends = self._ends_by_passing()
        return [move for move in found if (ends if move is PASS else stopping >> place[move] & 1)]  # type: ignore[index]

    def only_move(self) -> Move | None:
        """The one move that may stop the opponent from winning by the next stone."""
        stopping = self.stopping()
        if not stopping or stopping & (stopping - 1) or self._ends_by_passing() or self.verdict() is not None:
            return None
        return self.position.game.plane.points[stopping.bit_length() - 1]


def node(position: Position) -> CaptureGoNode:
    """The node of `position`, the root of a search."""
    assert isinstance(position, CaptureGoPosition)
    return CaptureGoNode(position)
