"""The events of a game: frozen values, sent to the listeners in order, from Started to Ended.

Listeners return nothing; an event knows nothing of files or screens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import RESIGN, Game, Move, Outcome, Position, Reason, Seat
from gomogo_core.play.clock import TimeControl


class Ply(NamedTuple):
    """One accepted move: the seat that made it, and its text ("h8").

    In games of three or more players, `resign` marks a player that left, for any reason: a replay skips its turns.
    """

    seat: Seat
    move: str


def last_move(game: Game, plies: Sequence[Ply]) -> Move | None:
    """Return the last move, or None before the first. A player's departure is no move."""
    return next((game.parse(ply.move) for ply in reversed(plies) if ply.move != RESIGN), None)


@dataclass(frozen=True, slots=True)
class GameSetup:
    """The game, its players and their time controls; tuples are by seat.

    opening: moves on the board before the first turn. seed: for agents that choose at random.
    """

    game: Game
    names: tuple[str, ...]
    controls: tuple[TimeControl, ...]
    opening: tuple[Ply, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """All players are ready; the first turn comes next."""

    table: GameSetup
    position: Position


class Moved(NamedTuple):
    """A move was accepted.

    position: after the move. seconds: the time it took. clock_left: seconds left in the game, None if only single
    moves are limited. thoughts, score, line, values: the agent's analysis, if it sent one: a comment, the value of
    its position (in its own units), the moves it expects, and the values of some moves (by their texts).
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


class PlayerLeft(NamedTuple):
    """One of three or more players has forfeited, and the others play on. position: after it left."""

    seat: Seat
    reason: Reason
    detail: str
    position: Position


@dataclass(frozen=True, slots=True)
class Warned:
    """A remark about a player that decides nothing: a line before its turn, a refused move."""

    seat: Seat
    what: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over."""

    outcome: Outcome
    position: Position


Event: TypeAlias = Started | Moved | PlayerLeft | Warned | Ended
Listener: TypeAlias = Callable[[Event], None]
