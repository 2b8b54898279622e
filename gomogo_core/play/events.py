"""The events of a game: immutable values that are sent to the listeners in order, from Started to Ended.

Listeners return nothing. Events do not depend on files or user interfaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import RESIGN, Game, Move, Outcome, Position, Reason, Seat
from gomogo_core.play.clock import TimeControl


class Ply(NamedTuple):
    """One accepted move: the seat that made it, and its text ("h8").

    In games of three or more players, the move `resign` means that the player left the game, for any reason; a replay
    skips the later turns of this player.
    """

    seat: Seat
    move: str


def last_move(game: Game, plies: Sequence[Ply]) -> Move | None:
    """Return the last move; None before the first move. The departure of a player does not count as a move."""
    return next((game.parse(ply.move) for ply in reversed(plies) if ply.move != RESIGN), None)


def positions_after(game: Game, plies: Iterable[Ply]) -> list[Position]:
    """Return the position at the start of the game, and the position after each ply."""
    positions = [game.start()]
    for ply in plies:
        positions.append(game.apply_action(positions[-1], ply.seat, ply.move))
    return positions


@dataclass(frozen=True, slots=True)
class GameSetup:
    """The setup of one game: its rules, and by seat its players and their time controls.

    opening: the moves that are on the board before the first turn. seed: a number for agents that choose at random.
    """

    game: Game
    names: tuple[str, ...]
    controls: tuple[TimeControl, ...]
    opening: tuple[Ply, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """All players are ready; the first turn comes next."""

    setup: GameSetup
    position: Position


class Moved(NamedTuple):
    """A move was accepted.

    position: the position after the move. seconds_taken: the time of the move. clock_left: the seconds left in the
    game; None if only single moves are limited. thoughts, score, line, move_values: the agent's analysis, if it sent
    one: a comment, the value of its position in its own unit, the moves it expects, and the values of some moves by
    their texts.
    """

    seat: Seat
    move: str
    position: Position
    seconds_taken: float
    clock_left: float | None = None
    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    move_values: Mapping[str, float] | None = None


class PlayerLeft(NamedTuple):
    """In a game for three or more, a player has left the game, and the others play on.

    reason: the reason for leaving, such as resignation or a forfeit. detail: the reason in words. position: the
    position after the player has left.
    """

    seat: Seat
    reason: Reason
    detail: str
    position: Position


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning to a player that has no effect on the outcome, for example about a move written before its turn."""

    seat: Seat
    warning: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over."""

    outcome: Outcome
    position: Position


Event: TypeAlias = Started | Moved | PlayerLeft | Warned | Ended
Listener: TypeAlias = Callable[[Event], None]
