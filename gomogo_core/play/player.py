"""The interface between the game loop and a player: the turn, the reply, the failure.

The adapters in `protocols` know whether a player is reached by files, pipes or a keyboard; this module does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from gomogo_core.games.base import Outcome, Position, Reason, Seat
from gomogo_core.play.clock import Clock, TimeControl
from gomogo_core.play.events import GameSetup, Ply


class Reply(NamedTuple):
    """A player's answer in its turn.

    text: the move. seconds_taken: the time since the player could read that it is to move. thoughts: a comment.
    warnings: remarks for the record that do not affect the outcome. score: the player's value of its position in its
    own unit, positive if it thinks that it is ahead. line: the moves that the player expects, separated by blanks.
    move_values: the player's values of some moves, by the moves' texts. original_text: the move as the engine wrote
    it, if its protocol has other coordinates; else empty.
    """

    text: str
    seconds_taken: float
    thoughts: str | None = None
    warnings: tuple[str, ...] = ()
    score: float | None = None
    line: str | None = None
    move_values: Mapping[str, float] | None = None
    original_text: str = ""


class ReportedAnalysis(Protocol):
    """The analysis that a player reports before its move: its score and the moves it expects, as in a `Reply`."""

    score: float | None
    line: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a player made no move.

    evidence: a sentence about the failure. seconds_taken: the time since the player could read that it is to move.
    seat: the player at fault, if it is not the player to move. warnings: as in a `Reply`. A reason of the kind void
    means that no player is at fault, or that the player at fault is unknown.
    """

    reason: Reason
    evidence: str
    seconds_taken: float = 0.0
    seat: Seat | None = None
    warnings: tuple[str, ...] = ()


class Turn(NamedTuple):
    """One turn of a player.

    previous_position: the position before the last move, if there was one. plies: all moves so far, with the opening.
    allowed_seconds: the seconds that this move may take; infinite without a limit. grace: the grace period after these
    seconds. clocks: the seconds left in the game, by seat; None for no limit. refusal: the reason why the previous line
    was refused (`--illegal retry`). opponents: the waiting players; if the program of one exits, the player to move
    returns the failure of that opponent.

    The player calls three functions. It calls on_waiting after it has sent the question, so that records and screens
    are written while its program thinks. It calls extend when the time is over; this function returns the seconds by
    which the turn is extended, because programs of other players used them. It calls on_output with the analysis that
    its program reports before the move.
    """

    position: Position
    previous_position: Position | None
    plies: Sequence[Ply]
    allowed_seconds: float
    grace: float
    clocks: tuple[float | None, ...]
    refusal: str | None = None
    opponents: tuple[Player, ...] = ()
    on_waiting: Callable[[], None] = lambda: None
    extend: Callable[[], float] = lambda: 0.0
    on_output: Callable[[ReportedAnalysis], None] = lambda _: None

    @property
    def clock(self) -> Clock:
        """A clock with the time of this turn, for `judge`."""
        return Clock(TimeControl(None, grace=self.grace), self.allowed_seconds)

    def opponent_failure(self, asked_at: float) -> Failure | None:
        """Return the failure of an opponent whose program has exited, if any. asked_at: when the player was asked."""
        for opponent in self.opponents:
            if (failure := opponent.exit_failure()) is not None:
                return replace(failure, seconds_taken=time.monotonic() - asked_at)
        return None


class Player(Protocol):
    """An agent or a human in one game."""

    name: str

    def start(self, setup: GameSetup, seat: Seat) -> None:
        """Take the seat, and start the program, if there is one, without waiting for it."""

    def await_ready(self) -> Failure | None:
        """Wait until the player is ready for its first turn. Return the failure if it does not become ready."""

    def await_move(self, turn: Turn) -> Reply | Failure:
        """Wait for the player's move, and return it, or return the failure."""

    def notify_move(self, ply: Ply) -> None:
        """Receive an accepted move of this player or of another."""

    def exit_failure(self) -> Failure | None:
        """Return the failure that ended the player's program, or None while it runs."""

    def exit_fd(self) -> int | None:
        """Return a file descriptor that becomes readable when the player's program exits; None if it has none."""

    def finish(self, outcome: Outcome) -> None:
        """Report the outcome to the player and release it. The loop calls this once, also after an error."""


class SoloPlayer(Player, Protocol):
    """An agent that is asked for moves without a game loop, so that its time limits may change during the game."""

    def set_limits_and_seat(self, setup: GameSetup, seat: Seat) -> Failure | None:
        """Change the time limits before a turn, or the seat before the first turn.

        setup: the same game with other limits. Returns the failure if the player can no longer be reached, else None.
        """
