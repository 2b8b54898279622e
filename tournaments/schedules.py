"""Schedules: pure functions from players and results to pairings.

Knows no agents, rules or store. To resume, call the schedule again and leave out the games already played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, cycle, permutations
from typing import TypeAlias


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
    """The options of all schedules: the numbers of players, of seats in a game, and of games for each group.

    rounds, third_place, most: of a Swiss tournament, a knockout and a ladder (None: without end). seed: for random
    choices. ahead: the number of games to keep ready in an endless tournament.
    """

    players: int
    seats: int
    games: int
    rounds: int = 0
    third_place: bool = False
    most: int | None = None
    seed: int = 0
    ahead: int = 1


@dataclass(frozen=True, slots=True)
class RoundPairing:
    """Two players of a round, or one without an opponent, and their scores. winner: once it is over.

    over: whether no further game of it follows. A player that is not known yet is None.
    """

    players: tuple[int | None, ...]
    points: tuple[float, ...]
    over: bool = False
    winner: int | None = None


Schedule: TypeAlias = Callable[[ScheduleInput, Iterable[ScheduleResult]], Iterator[ScheduledGame]]


def round_robin(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Every two players meet (in a game of N seats every N), each of them in each seat, from the same openings."""
    return meetings(entry, list(combinations(range(entry.players), entry.seats)))


def gauntlet(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """The first player meets all others; these do not meet each other, but as the third and later of one game."""
    others = range(1, entry.players)
    return meetings(entry, [(0, *rest) for rest in combinations(others, entry.seats - 1)])


def meetings(entry: ScheduleInput, groups: Sequence[tuple[int, ...]]) -> Iterator[ScheduledGame]:
    """Let each group play opening after opening, each of them in every rotation of its seats.

    All groups play an opening before any plays the next, so that the table fills evenly. Where three and more sit round
    a table, each opening has them in another order: so nobody always follows the same one. Where the games of a group
    cannot be shared out equally, the groups take turns at who begins, so that the seats of each player stay balanced.
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
