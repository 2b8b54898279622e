"""A position in a proof: its certain result, and the moves that the proof must try.

Needs no particular game, and no method of proof. PositionProofState wraps any position of two players; a game that
needs speed has its own class (games/gomoku.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from gomogo_core.games.base import Move, Position, Seat

EVER = 1 << 20  # plies: more than any game has
NEVER = EVER + 1
NOBODY: Seat = 0


class Decided(NamedTuple):
    """The winner, and the exact number of plies under best play; NOBODY if neither player can win any more."""

    winner: Seat
    plies: int


class NoMargin(Exception):
    """The game ended without scores: it cannot be solved for the margin."""


class ProofState(ABC):
    """A position of two seats. Immutable: `play` returns a new one. Seats need not take turns."""

    __slots__ = ()

    to_move: Seat

    @abstractmethod
    def key(self) -> Hashable:
        """Return a key; equal keys have equal results, in equally many plies."""

    @abstractmethod
    def certain_result(self) -> Decided | None:
        """Return the result if it is certain without a search, because the game is over or its end is visible; else
        None.
        """

    def earliest_win(self, seat: Seat) -> int:
        """Return a lower bound of the plies that `seat` needs to win from here; NEVER if it cannot win."""
        return 1

    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """Return the moves to try, the likely best first. No move left out is better than all of these."""

    @abstractmethod
    def play(self, move: Move) -> ProofState:
        """Return the state after `move`, one of `moves`."""

    def margin(self) -> float | None:
        """Return the first seat's score minus the second's after the end; None before. Raises NoMargin."""
        raise NoMargin


class PositionProofState(ProofState):
    """Any game's position, played by its own rules.

    following: creates the state after a move, so that a game's own state can replace it where possible.
    """

    __slots__ = ("_outcome", "following", "position", "to_move")

    def __init__(self, position: Position, following: Callable[[Position], ProofState]) -> None:
        self.position, self.following = position, following
        self.to_move = position.to_move
        self._outcome = position.outcome()

    def key(self) -> Hashable:
        """Return the game's own key, with all of the past that the rules need, and the player to move."""
        return self.position.key(), self.to_move

    def certain_result(self) -> Decided | None:
        """Return the result of a finished game; else None."""
        return None if self._outcome is None else Decided(self._outcome.winner or NOBODY, 0)

    def moves(self) -> Sequence[Move]:
        """Return every legal move, in the game's order."""
        return tuple(self.position.moves())

    def play(self, move: Move) -> ProofState:
        """Return the state after `move`."""
        return self.following(self.position.play(move))

    def margin(self) -> float | None:
        """Return the difference of the final scores. Raises NoMargin if the game ended for another reason."""
        if self._outcome is None:
            return None
        if self._outcome.scores is None:
            raise NoMargin
        return self._outcome.scores[0] - self._outcome.scores[1]
