"""A position as a proof sees it: what is certain of it, and which moves must be tried.

Knows no particular game, and no method of proof. PositionState makes one of any position of two players; a game that
wants speed brings its own (games/gomoku.py).
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
    """Who wins, in exactly how many plies when both play their best; NOBODY where neither can win any more."""

    winner: Seat
    plies: int


class NoMargin(Exception):
    """The game ended without scores: it cannot be solved for the margin."""


class State(ABC):
    """A position of two seats. Immutable: `play` gives another one. Seats need not take turns."""

    __slots__ = ()

    to_move: Seat

    @abstractmethod
    def key(self) -> Hashable:
        """Equal keys have equal results, in equally many plies."""

    @abstractmethod
    def decided(self) -> Decided | None:
        """What is certain at a glance: the game is over, or its end is in plain sight; else None."""

    def soonest(self, seat: Seat) -> int:
        """At least how many plies `seat` needs to win from here; NEVER where it cannot."""
        return 1

    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """The moves to be tried, the likely best first. Each of those left out is no better than one of these."""

    @abstractmethod
    def play(self, move: Move) -> State:
        """The state after `move`, one of `moves`."""

    def margin(self) -> float | None:
        """The first seat's score less the second's, once the game is over; None before. Raises NoMargin."""
        raise NoMargin


class PositionState(State):
    """Any game's position, move by move as its rules have it.

    following: makes the state after a move, so that a game's own state may take over where it can.
    """

    __slots__ = ("_outcome", "following", "position", "to_move")

    def __init__(self, position: Position, following: Callable[[Position], State]) -> None:
        self.position, self.following = position, following
        self.to_move = position.to_move
        self._outcome = position.outcome()

    def key(self) -> Hashable:
        """The game's own key, which has all that the rules need of the past, and who is to move."""
        return self.position.key(), self.to_move

    def decided(self) -> Decided | None:
        """The result, once there is one."""
        return None if self._outcome is None else Decided(self._outcome.winner or NOBODY, 0)

    def moves(self) -> Sequence[Move]:
        """Every legal move, in the game's order."""
        return tuple(self.position.moves())

    def play(self, move: Move) -> State:
        """The state after `move`."""
        return self.following(self.position.play(move))

    def margin(self) -> float | None:
        """The final scores' difference. Raises NoMargin where the game ended by something else."""
        if self._outcome is None:
            return None
        if self._outcome.scores is None:
            raise NoMargin
        return self._outcome.scores[0] - self._outcome.scores[1]
