"""What happens in a game, told to whoever listens: frozen facts in order, from Started to Ended.

Listeners answer nothing, and a fact knows nothing of files or screens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import RESIGN, Game, Move, Outcome, Position, Reason, Seat
from gomogo_core.play.clock import TimeControl


class Ply(NamedTuple):
    """One accepted move: who made it, and its written form ("h8").

    Where three and more play, who leaves stands as `resign`, whatever the reason: so every replay passes it over then.
    """

    seat: Seat
    move: str


def last_move(game: Game, plies: Sequence[Ply]) -> Move | None:
    """The last move made, or None before the first; that somebody left is none."""
    return next((game.parse(ply.move) for ply in reversed(plies) if ply.move != RESIGN), None)


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits at a game, and on what terms; by seat where a tuple.

    opening: moves that are on the board before anybody thinks. seed: for agents that draw lots.
    """

    game: Game
    names: tuple[str, ...]
    controls: tuple[TimeControl, ...]
    opening: tuple[Ply, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """Everybody is there and the first move is to come."""

    table: Table
    position: Position


class Moved(NamedTuple):
    """A move was accepted.

    position: after it. seconds: what it took. clock_left: of the whole game's time, None where only moves are limited.
    thoughts, score, line, values: what the agent said of it, how good it thinks its position is (in its own units), the
    moves it expects, and what it thinks of each of some moves (by their written forms), where it says so.
    """

    seat: Seat
    move: str
    position: Position
    seconds: float
    clock_left: float | None = None
    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    values: Mapping[str, float] | None = None


class Left(NamedTuple):
    """One of three and more players has lost by its own doing, and the others play on. position: after it left."""

    seat: Seat
    reason: Reason
    detail: str
    position: Position


@dataclass(frozen=True, slots=True)
class Warned:
    """Something to remember about a player that decides nothing: a line before its turn, a refused move."""

    seat: Seat
    what: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over."""

    outcome: Outcome
    position: Position


Event: TypeAlias = Started | Moved | Left | Warned | Ended
Listener: TypeAlias = Callable[[Event], None]
