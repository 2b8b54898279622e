"""What the loop asks of a player, and what it may answer.

An adapter hides how a player is reached (files, pipes, a keyboard); nothing here knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from gomogo_core.games.base import Outcome, Position, Reason, Seat
from gomogo_core.play.events import Ply, Table


class Doubt(NamedTuple):
    """Why a verdict would be unjust: another may have written what it rests on. again: the player can be asked anew."""

    why: str
    again: bool


def no_doubt() -> Doubt | None:
    """Nobody else can have written it."""
    return None


class Reply(NamedTuple):
    """The text of a move, the seconds from the moment the player could know its turn, and what it said of it.

    warnings: what the record should keep though it decides nothing. score: how good the player thinks its position is,
    in its own units, above 0 where it thinks that it stands better. line: the moves it expects, separated by blanks.
    values: how good it thinks each of some moves is, by the moves' written forms. doubt: asked before the player loses
    by this.
    """

    text: str
    seconds: float
    thoughts: str | None = None
    warnings: tuple[str, ...] = ()
    score: float | None = None
    line: str | None = None
    values: Mapping[str, float] | None = None
    doubt: Callable[[], Doubt | None] = no_doubt


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no move. seat: whose doing it is, when it is not the one who was asked. doubt: as in a `Reply`."""

    reason: Reason
    evidence: str
    seconds: float = 0.0
    seat: Seat | None = None
    doubt: Callable[[], Doubt | None] = field(default=no_doubt, compare=False)


class Turn(NamedTuple):
    """The question: your move?

    before: the position before the last move, if there was one. plies: all moves so far, the opening's among them.
    allowed: seconds this move may take (infinite without a limit), and grace after that. clocks: by seat, seconds left
    of the whole game or None. refused: why the line before was refused, when it was (`--illegal retry`, or a `Doubt`).
    others: the players who wait; the death of one of them is seen while this one thinks. meanwhile: to be called once
    the question is out: what can wait (records, screens) is done while the player thinks, not while it waits.
    """

    position: Position
    before: Position | None
    plies: Sequence[Ply]
    allowed: float
    grace: float
    clocks: tuple[float | None, ...]
    refused: str | None = None
    others: tuple[Player, ...] = ()
    meanwhile: Callable[[], None] = lambda: None


class Player(Protocol):
    """An agent or a person inside one game."""

    name: str

    def start(self, table: Table, seat: Seat) -> None:
        """Take the seat: start what must be started, without waiting for it."""

    def ready(self) -> Failure | None:
        """Wait until the first clock may start, or say why it never can."""

    def choose(self, turn: Turn) -> Reply | Failure:
        """Wait for a move."""

    def accepted(self, ply: Ply) -> None:
        """Take notice of a move, anybody's, that was accepted."""

    def death(self) -> Failure | None:
        """Say how the player ceased to be there, or None while it is there."""

    def pulse(self) -> int | None:
        """A file descriptor that becomes readable when the player is gone, where there is one."""

    def finish(self, outcome: Outcome) -> None:
        """Tell the player how it ended, and let go of it. Called once, whatever happened."""


class Guest(Player, Protocol):
    """An agent that sits alone, asked for moves without a game loop: its terms may change while it sits."""

    def change_terms(self, table: Table, seat: Seat) -> Failure | None:
        """Tell other limits than those it sat down to, before any turn; another seat, before its first turn only.

        table: the same game. A failure says why the player can no longer be reached.
        """
