"""Schedules: pure functions from players and results to pairings, and the description of a format.

Needs no agents, rules or store. To resume, call the schedule again and leave out the games already played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, permutations
from typing import Annotated, Any, NamedTuple

import msgspec

from gomogo_core.errors import UserError

MOST_GAMES = 1_000_000  # games of one tournament: a larger number is a typing error, and its plan would fill the memory
Count = Annotated[int, msgspec.Meta(ge=1, le=MOST_GAMES)]


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """One game to play: the players by seat, as numbers in the list of players, and the number of their opening."""

    players: tuple[int, ...]
    opening: int


@dataclass(frozen=True, slots=True)
class ScheduleResult:
    """The result of a game: the players by seat, their ranks, and the number of its opening.

    A void game has ranks of 0: it is played again, unless the tournament has already counted it as a draw and gone on.
    """

    players: tuple[int, ...]
    ranks: tuple[int, ...]
    opening: int = 0

    @property
    def void(self) -> bool:
        """Whether it could not be played."""
        return not any(self.ranks)

    @property
    def points(self) -> tuple[float, float]:
        """Return the scores of two players in it."""
        first, second = self.ranks
        won = 0.5 + 0.5 * (first < second) - 0.5 * (first > second)
        return won, 1 - won


@dataclass(frozen=True, slots=True)
class ScheduleInput:
    """The input of a schedule: the numbers of players, of seats in a game, and of games for each group.

    options: the format's own, by name. seed: for random choices. ahead: the number of games to keep ready in an endless
    tournament.
    """

    players: int
    seats: int
    games: int
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    ahead: int = 1


@dataclass(frozen=True, slots=True)
class RoundPairing:
    """Two players of a round, or one without an opponent, and their scores.

    winner: the winner of a finished pairing, else None. over: whether the pairing is finished. A player that is not
    known yet is None.
    """

    players: tuple[int | None, ...]
    points: tuple[float, ...]
    over: bool = False
    winner: int | None = None


@dataclass(frozen=True, slots=True)
class FormatStandings:
    """The standings by the rules of the format: the rounds, and each player's place and points."""

    rounds: Sequence[Sequence[RoundPairing]] = ()
    places: Sequence[int] = ()
    points: Sequence[float] = ()


class FormatOption(NamedTuple):
    """A key that one format adds to a tournament's file: its name, its type for msgspec, and its default."""

    name: str
    type: Any
    default: Any = None


@dataclass(frozen=True, slots=True)
class TournamentFormat:
    """A format: its module in `tournaments/formats` defines one as FORMAT.

    summary: one sentence. pairings: the schedule. games: the number of games, as far as the results tell; None for no
    end. check: raises UserError for an input that cannot be played. options: its own keys in a tournament's file.
    shape: the options as they are stored, from the user's options and the number of players; they decide the games.
    report: the standings by its own rules; None if only strength decides the places. grows: whether the number of games
    may rise. is_open: whether players may join and leave, and the number of games may change, without the user's
    consent. balances_seats: whether it gives players each seat equally often for any number of games. is_bracket:
    whether its rounds are drawn as a tree.
    """

    summary: str
    pairings: Callable[[ScheduleInput, Iterable[ScheduleResult]], Iterator[ScheduledGame]]
    games: Callable[[ScheduleInput, Iterable[ScheduleResult]], int | None]
    check: Callable[[ScheduleInput], None] = lambda entry: None
    options: tuple[FormatOption, ...] = ()
    shape: Callable[[Mapping[str, Any], int], Mapping[str, Any]] = lambda options, players: options
    report: Callable[[ScheduleInput, Iterable[ScheduleResult]], FormatStandings] | None = None
    grows: bool = False
    is_open: bool = False
    balances_seats: bool = False
    is_bracket: bool = False


def check_two_seats(entry: ScheduleInput, tournament: str) -> None:
    """Raise UserError for a game of three or more players. tournament: the format with its article."""
    if entry.seats != 2:
        raise UserError(
            f"{tournament} is for games of two players, and this one has {entry.seats} seats.",
            "Take round_robin or gauntlet, which work for any game.",
        )


def meetings(entry: ScheduleInput, groups: Sequence[tuple[int, ...]]) -> Iterator[ScheduledGame]:
    """Let each group play one opening after the other, each in every rotation of the group's seats.

    All groups play an opening before any plays the next, so that the table fills evenly. In games of three or
    more players, their order changes with each opening, so that nobody always follows the same player. Where a group
    has too few games for each player to begin equally often, the groups take turns, so that the seats of each player
    stay balanced.
    """
    orders = cycle(permutations(range(1, entry.seats)))
    order: tuple[int, ...] = ()
    for game in range(entry.games):
        opening, rotation = divmod(game, entry.seats)
        if rotation == 0:
            order = (0, *next(orders))
        uneven = opening == entry.games // entry.seats
        for group in groups:
            turn = (rotation + sum(group) * uneven) % entry.seats
            around = [group[place] for place in order]
            yield ScheduledGame((*around[turn:], *around[:turn]), opening)
