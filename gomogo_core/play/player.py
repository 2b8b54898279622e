"""The interface between the game loop and a player: the turn, the reply, the failure.

An adapter hides how a player is reached (files, pipes, a keyboard); this module does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from gomogo_core.games.base import Outcome, Position, Reason, Seat
from gomogo_core.play.clock import Clock, TimeControl
from gomogo_core.play.events import GameSetup, Ply


class Reply(NamedTuple):
    """The text of a move, the seconds since the player could know its turn, and the player's analysis.

    warnings: remarks for the record that decide nothing. score: the player's value of its position, in its own units,
    positive if it thinks it is ahead. line: the moves it expects, separated by blanks. values: its values of some
    moves, by the moves' texts.
    """

    text: str
    seconds: float
    thoughts: str | None = None
    warnings: tuple[str, ...] = ()
    score: float | None = None
    line: str | None = None
    values: Mapping[str, float] | None = None


class Thoughts(Protocol):
    """The analysis of a player before its move: its score and the moves it expects, as in a `Reply`."""

    score: float | None
    line: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why there is no move.

    seat: the player at fault, if it is not the player to move. warnings: as in a `Reply`. A reason of the kind void
    means that no player is at fault, or that the player at fault is unknown.
    """

    reason: Reason
    evidence: str
    seconds: float = 0.0
    seat: Seat | None = None
    warnings: tuple[str, ...] = ()


class Turn(NamedTuple):
    """One turn of a player.

    before: the position before the last move, if there was one. plies: all moves so far, opening included. allowed,
    grace: seconds this move may take (infinite without a limit), and the grace period after them. clocks: by seat,
    seconds left in the game, or None. refused: why the previous line was refused (`--illegal retry`).
    others: the waiting players, whose exit is noticed during this turn. on_waiting: a function that the player calls
    after it has sent the question, so that records and screens are written while the program thinks. given_back: a
    function that the player calls when the time is over; it returns the seconds added to the limit because other
    players' programs took them. on_output: called with what the player's program says before its move.
    """

    position: Position
    before: Position | None
    plies: Sequence[Ply]
    allowed: float
    grace: float
    clocks: tuple[float | None, ...]
    refused: str | None = None
    others: tuple[Player, ...] = ()
    on_waiting: Callable[[], None] = lambda: None
    given_back: Callable[[], float] = lambda: 0.0
    on_output: Callable[[Thoughts], None] = lambda _: None

    @property
    def clock(self) -> Clock:
        """A clock with the time of this turn, for `judge`."""
        return Clock(TimeControl(None, grace=self.grace), self.allowed)


class Player(Protocol):
    """An agent or a person inside one game."""

    name: str

    def start(self, table: GameSetup, seat: Seat) -> None:
        """Take the seat: start the program, if there is one, without waiting for it."""

    def ready(self) -> Failure | None:
        """Wait until the player is ready for its first turn, or return why it never will be."""

    def choose(self, turn: Turn) -> Reply | Failure:
        """Wait for a move."""

    def notify_move(self, ply: Ply) -> None:
        """Receive an accepted move, of this player or another."""

    def exit_failure(self) -> Failure | None:
        """Return the failure that ended the player's program, or None while it runs."""

    def exit_fd(self) -> int | None:
        """Return a file descriptor that becomes readable when the player's program exits, or None."""

    def finish(self, outcome: Outcome) -> None:
        """Report the outcome to the player and release it. The loop calls this once, whatever happened."""


class SoloPlayer(Player, Protocol):
    """An agent that is asked for moves without a game loop: its limits may change during the game."""

    def change_setup(self, table: GameSetup, seat: Seat) -> Failure | None:
        """Change the limits before any turn, or the seat before the first turn.

        table: the same game with other limits. Returns why the player can no longer be reached, or None.
        """
