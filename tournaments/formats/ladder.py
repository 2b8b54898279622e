"""A ladder: an endless tournament that always plays the most informative game.

Uses players as numbers, and results, but no agents, rules or store.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from tournaments.davidson import Cell, Fit, fit, solve
from tournaments.schedules import (
    Count,
    FormatOption,
    ScheduledGame,
    ScheduleInput,
    ScheduleResult,
    TournamentFormat,
    check_two_seats,
)

_PRIOR = (0.5, 0.5)  # wins and losses against the average that each player starts with, as in ratings.py
# games played per game planned ahead: each planning reads all games, so that it must be rare in a long run
_AHEAD = 100
_SAME = 9  # digits to which two gains must agree to count as equal


def check(entry: ScheduleInput) -> None:
    """Raise UserError for a tournament that cannot be played."""
    check_two_seats(entry, "A ladder")


def games(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> int | None:
    """Return the number of games to play; None for no end."""
    most: int | None = entry.options.get("games")
    return most


def ladder(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Return the games played, those missing from meetings that have begun, then the most informative meetings.

    A meeting is `games` games with alternating seats; two games share an opening. Plans enough meetings for workers
    that play `ahead` games at a time, and at least a hundredth of all games.
    """
    played = {ScheduledGame(result.players, result.opening): result for result in results if not result.void}
    yield from played
    met = Counts(entry, played.values())
    new = 0
    for pair in met.pairs():
        for pairing in met.begun(pair):
            if pairing not in played:
                yield pairing
    chosen = _Uncertainty(entry, met)
    while new < max(entry.ahead, len(played) // _AHEAD):
        pair = chosen.next()
        yield from met.meeting(pair)
        new += entry.games


class Counts:
    """Return the number of meetings of each pair. A meeting that has begun counts as played: its games come first."""

    def __init__(self, entry: ScheduleInput, results: Iterable[ScheduleResult]) -> None:
        self.games = entry.games
        self.cells: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.turns: defaultdict[tuple[int, int], int] = defaultdict(int)
        for result in results:
            first, second = result.players
            self.cells[first, second][round(2 - 2 * result.points[0])] += 1
            self.turns[min(first, second), max(first, second)] += 1
        for pair, turns in self.turns.items():
            self.turns[pair] = math.ceil(turns / self.games) * self.games

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs that have met."""
        return sorted(self.turns)

    def begun(self, pair: tuple[int, int]) -> list[ScheduledGame]:
        """Return the games of all their meetings so far."""
        return [_turn(pair, turn) for turn in range(self.turns[pair])]

    def meeting(self, pair: tuple[int, int]) -> list[ScheduledGame]:
        """Count one more meeting, and return its games."""
        self.turns[pair] += self.games
        return self.begun(pair)[-self.games :]


def _turn(pair: tuple[int, int], turn: int) -> ScheduledGame:
    """Return the game of this number between two players."""
    opening, swapped = divmod(turn, 2)
    return ScheduledGame(pair[::-1] if swapped else pair, opening)


class _Uncertainty:
    """The uncertainty of the players' strengths, and the meeting that reduces it most.

    Strengths are those of ratings.py. Near the most likely ones they are normally distributed; a game of lead d adds to
    the information (the inverse of their covariance) Var(score), which is p(1 - p) without draws, on the difference of
    the two. The expected gain of information of a game is then ½ log(1 + Var(score) Var(difference)): it is large if
    the result is open and the difference little known. Choosing the pair of the largest gain is the design of M. E.
    Glickman and S. T. Jensen, Adaptive Paired Comparison Designs, Journal of Statistical Planning and Inference 127
    (2005).
    """

    def __init__(self, entry: ScheduleInput, met: Counts) -> None:
        self._met, self._games, players = met, entry.games, range(entry.players)
        cells = [Cell(first, second, *counts) for (first, second), counts in sorted(met.cells.items())]
        self._fit = fit(entry.players, cells, [_PRIOR] * (entry.players + 1))
        information = [[0.0] * entry.players for _ in players]
        for player in players:
            share = 1 / (1 + math.exp(-self._fit.strengths[player]))
            information[player][player] = sum(_PRIOR) * share * (1 - share)
        self._information = {(i, j): _information(self._fit, i, j) for i, j in combinations(players, 2)}
        for (i, j), turns in met.turns.items():
            more = turns * self._information[i, j]
            information[i][i] += more
            information[j][j] += more
            information[i][j] -= more
            information[j][i] -= more
        self._covariance = solve(information, [[float(i == j) for j in players] for i in players])

    def next(self) -> tuple[int, int]:
        """Return the pair that should meet next, and count its meeting as played."""
        pair = min(
            self._information,
            key=lambda pair: (-round(self._information_gain(pair), _SAME), self._met.turns[pair], pair),
        )
        self._learn(pair)
        return pair

    def _information_gain(self, pair: tuple[int, int]) -> float:
        return math.log1p(self._games * self._information[pair] * self._variance(pair)) / 2

    def _variance(self, pair: tuple[int, int]) -> float:
        i, j = pair
        return self._covariance[i][i] + self._covariance[j][j] - 2 * self._covariance[i][j]

    def _learn(self, pair: tuple[int, int]) -> None:
        """Count a meeting as played: the inverse of a matrix to which a product of vectors is added (J. Sherman and
        W. J. Morrison, Annals of Mathematical Statistics 21, 1950).
        """
        more, (i, j) = self._games * self._information[pair], pair
        change: Sequence[float] = [row[i] - row[j] for row in self._covariance]
        scale = more / (1 + more * self._variance(pair))
        for row, own in zip(self._covariance, change, strict=True):
            for k, other in enumerate(change):
                row[k] -= scale * own * other


def _information(strengths: Fit, one: int, other: int) -> float:
    """Return the variance of the score of a game between two, its information on their difference, over both seats."""
    lead, seat = strengths.strengths[one] - strengths.strengths[other], strengths.first_seat or 0.0
    told = 0.0
    for ahead in (lead + seat, lead - seat):
        win, _, loss = strengths.outcome_probabilities(ahead)
        told += ((win + loss) - (win - loss) ** 2) / 4
    return told / 2


FORMAT = TournamentFormat(
    "An endless tournament that always plays the most informative game.",
    ladder,
    games,
    check,
    options=(FormatOption("games", Count | None),),
    is_open=True,
    balances_seats=True,
)
