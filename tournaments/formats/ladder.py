"""A ladder: an endless tournament that always plays the most informative game.

Players are numbers. The module knows results, but no agents, rules or store.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from tournaments.davidson import Fit, PairCounts, fit, solve
from tournaments.schedules import (
    Count,
    FormatOption,
    ScheduledGame,
    ScheduleInput,
    ScheduleResult,
    TournamentFormat,
    check_two_seats,
)

_PRIOR = (0.5, 0.5)  # each player starts with these wins and losses against an average player, as in ratings.py
# planning adds at least one game for each hundred played: it reads all games, so it must be rare in a long run
_PLAYED_PER_PLANNED = 100
_GAIN_DIGITS = 9  # gains that are equal after rounding to this number of digits count as equal


def check(setup: ScheduleInput) -> None:
    """Raise UserError for a tournament that cannot be played."""
    check_two_seats(setup, "A ladder")


def count_games(setup: ScheduleInput, results: Iterable[ScheduleResult]) -> int | None:
    """Return the number of games to play; None for an endless ladder."""
    limit: int | None = setup.options.get("games")
    return limit


def ladder(setup: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the played games, the unplayed games of meetings that have begun, then the most informative meetings.

    A meeting has `games` games with alternating seats; two games share an opening. The function plans at least
    `games_ahead` new games, and at least a hundredth of the number of games played.
    """
    played = {ScheduledGame(result.players, result.opening): result for result in results if not result.is_void}
    yield from played
    met = _MeetingCounts(setup, played.values())
    new = 0
    for pair in met.pairs_that_met():
        for pairing in met.games_so_far(pair):
            if pairing not in played:
                yield pairing
    chooser = _MeetingChooser(setup, met)
    while new < max(setup.games_ahead, len(played) // _PLAYED_PER_PLANNED):
        pair = chooser.next_pair()
        yield from met.add_meeting(pair)
        new += setup.games


class _MeetingCounts:
    """The results so far, and the number of games of each pair. A meeting that has begun counts as played, because its
    remaining games are planned first.
    """

    def __init__(self, setup: ScheduleInput, results: Iterable[ScheduleResult]) -> None:
        self.games = setup.games
        self.results_by_seats: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.game_counts: defaultdict[tuple[int, int], int] = defaultdict(int)
        for result in results:
            first, second = result.players
            self.results_by_seats[first, second][round(2 - 2 * result.points[0])] += 1
            self.game_counts[min(first, second), max(first, second)] += 1
        for pair, turns in self.game_counts.items():
            self.game_counts[pair] = math.ceil(turns / self.games) * self.games

    def pairs_that_met(self) -> list[tuple[int, int]]:
        """Return the pairs that have had a meeting."""
        return sorted(self.game_counts)

    def games_so_far(self, pair: tuple[int, int]) -> list[ScheduledGame]:
        """Return the games of all meetings of a pair so far."""
        return [_nth_game(pair, number) for number in range(self.game_counts[pair])]

    def add_meeting(self, pair: tuple[int, int]) -> list[ScheduledGame]:
        """Count one more meeting, and return its games."""
        self.game_counts[pair] += self.games
        return self.games_so_far(pair)[-self.games :]


def _nth_game(pair: tuple[int, int], number: int) -> ScheduledGame:
    """Return the game between two players that has this number, counted from 0."""
    opening, swapped = divmod(number, 2)
    return ScheduledGame(pair[::-1] if swapped else pair, opening)


class _MeetingChooser:
    """The uncertainty of the players' strengths. Finds the meeting that reduces this uncertainty most.

    Strengths are those of ratings.py. Near their most likely values they are normally distributed. The information is
    the inverse of their covariance. A game between two players adds the variance of its score, which is p(1 - p)
    without draws, to the information on the difference of their strengths. The expected gain of information is then ½
    log(1 + Var(score) Var(difference)): this gain is large if the result is open and the difference is little known.
    The choice of the pair with the largest gain is the design of M. E. Glickman and S. T. Jensen, Adaptive Paired
    Comparison Designs, Journal of Statistical Planning and Inference 127 (2005).
    """

    def __init__(self, setup: ScheduleInput, met: _MeetingCounts) -> None:
        self._met, self._games, players = met, setup.games, range(setup.players)
        meetings = [
            PairCounts(first, second, *counts) for (first, second), counts in sorted(met.results_by_seats.items())
        ]
        self._fit = fit(setup.players, meetings, [_PRIOR] * (setup.players + 1))
        information = [[0.0] * setup.players for _ in players]
        for player in players:
            share = 1 / (1 + math.exp(-self._fit.strengths[player]))
            information[player][player] = sum(_PRIOR) * share * (1 - share)
        self._information = {(i, j): _score_variance(self._fit, i, j) for i, j in combinations(players, 2)}
        for (i, j), turns in met.game_counts.items():
            more = turns * self._information[i, j]
            information[i][i] += more
            information[j][j] += more
            information[i][j] -= more
            information[j][i] -= more
        self._covariance = solve(information, [[float(i == j) for j in players] for i in players])

    def next_pair(self) -> tuple[int, int]:
        """Return the pair whose meeting gives most information, and count this meeting as played."""
        pair = min(
            self._information,
            key=lambda pair: (-round(self._information_gain(pair), _GAIN_DIGITS), self._met.game_counts[pair], pair),
        )
        self._add_meeting(pair)
        return pair

    def _information_gain(self, pair: tuple[int, int]) -> float:
        return math.log1p(self._games * self._information[pair] * self._difference_variance(pair)) / 2

    def _difference_variance(self, pair: tuple[int, int]) -> float:
        i, j = pair
        return self._covariance[i][i] + self._covariance[j][j] - 2 * self._covariance[i][j]

    def _add_meeting(self, pair: tuple[int, int]) -> None:
        """Update the covariance as if a pair had met: the inverse of a matrix after a rank-one change (J. Sherman and
        W. J. Morrison, Annals of Mathematical Statistics 21, 1950).
        """
        more, (i, j) = self._games * self._information[pair], pair
        change: Sequence[float] = [row[i] - row[j] for row in self._covariance]
        scale = more / (1 + more * self._difference_variance(pair))
        for row, own in zip(self._covariance, change, strict=True):
            for k, other in enumerate(change):
                row[k] -= scale * own * other


def _score_variance(fitted: Fit, one: int, other: int) -> float:
    """Return the variance of the score of a game between two players, as the mean over both seat orders."""
    lead, advantage = fitted.strengths[one] - fitted.strengths[other], fitted.seat_advantage_nats or 0.0
    variance = 0.0
    for seat_lead in (lead + advantage, lead - advantage):
        win, _, loss = fitted.outcome_probabilities(seat_lead)
        variance += ((win + loss) - (win - loss) ** 2) / 4
    return variance / 2


FORMAT = TournamentFormat(
    "An endless tournament that always plays the most informative game.",
    ladder,
    count_games,
    check,
    options=(FormatOption("games", Count | None),),
    is_open=True,
    balances_seats=True,
)
