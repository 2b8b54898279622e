"""What happens in a game, told to whoever listens: frozen facts in order, from Started to Ended.

Listeners answer nothing, and a fact knows nothing of files or screens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import Game, Outcome, Position, Seat
from gomogo_core.play.clock import TimeControl


class Ply(NamedTuple):
    """One accepted move: who made it, and its written form ("h8", "resign")."""

    seat: Seat
    move: str


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
    thoughts: what the agent said of it, if anything.
    """

    seat: Seat
    move: str
    position: Position
    seconds: float
    clock_left: float | None = None
    thoughts: str | None = None


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


Event: TypeAlias = Started | Moved | Warned | Ended
Listener: TypeAlias = Callable[[Event], None]
