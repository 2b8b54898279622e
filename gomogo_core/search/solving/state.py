"""A position in a proof: its certain result, and the moves that the proof must try.

The module does not depend on a particular game or method of proof. PositionProofState wraps any position of two
players; a game that needs speed has its own class (games/gomoku.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from gomogo_core.games.base import Move, Position, Seat

UNLIMITED_PLIES = 1 << 20  # plies: more than any game has
NEVER = UNLIMITED_PLIES + 1  # as a number of plies to a win: there is no win
NOBODY: Seat = 0


class ProvenResult(NamedTuple):
    """The winner, or NOBODY if neither player can win any more, and the exact number of plies under best play."""

    winner: Seat
    plies: int


class NoMargin(Exception):
    """The game ended without scores, so it cannot be solved for the margin between the scores."""


class ProofState(ABC):
    """An immutable position in a game for two: `state_after` returns a new state. The same seat may move again."""

    __slots__ = ()

    to_move: Seat

    @abstractmethod
    def key(self) -> Hashable:
        """Return a key. States with equal keys have the same result, in the same number of plies."""

    @abstractmethod
    def certain_result(self) -> ProvenResult | None:
        """Return the result if it is certain because the game is over or its end is visible, else None."""

    def min_plies_to_win(self, seat: Seat) -> int:
        """Return a lower bound of the plies that `seat` needs to win from here; NEVER if it cannot win."""
        return 1

    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """Return the moves to try, the most promising first; one of the best moves is among them."""

    @abstractmethod
    def state_after(self, move: Move) -> ProofState:
        """Return the state after `move`, one of `moves`."""

    def first_seat_margin(self) -> float | None:
        """Return the first seat's score minus the second's, or None before the end of the game. Raises NoMargin."""
        raise NoMargin


class PositionProofState(ProofState):
    """A state that wraps a position of any game.

    `next_state` makes the state after a move, so that a game's own class can replace this class where possible.
    """

    __slots__ = ("_outcome", "next_state", "position", "to_move")

    def __init__(self, position: Position, next_state: Callable[[Position], ProofState]) -> None:
        self.position, self.next_state = position, next_state
        self.to_move = position.to_move
        self._outcome = position.outcome()

    def key(self) -> Hashable:
        """Return the game's own key, which includes the earlier boards that the rules need, and the player to move."""
        return self.position.key(), self.to_move

    def certain_result(self) -> ProvenResult | None:
        """Return the result of a finished game; else None."""
        return None if self._outcome is None else ProvenResult(self._outcome.winner or NOBODY, 0)

    def moves(self) -> Sequence[Move]:
        """Return every legal move, in the game's order."""
        return tuple(self.position.moves())

    def state_after(self, move: Move) -> ProofState:
        """Return the state after `move`."""
        return self.next_state(self.position.play(move))

    def first_seat_margin(self) -> float | None:
        """Return the first seat's final score minus the second's; None before the end. Raises NoMargin if there are no
        scores.
        """
        if self._outcome is None:
            return None
        if self._outcome.scores is None:
            raise NoMargin
        return self._outcome.scores[0] - self._outcome.scores[1]
