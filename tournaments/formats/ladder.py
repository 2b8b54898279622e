"""A ladder: an endless tournament that always plays the most informative game.

Players are numbers. The module uses results, but no agents, rules or store.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from tournaments.davidson import DavidsonFit, PairCounts, fit_davidson, solve_linear_systems
from tournaments.schedules import (
    FormatOption,
    PositiveCount,
    ScheduledGame,
    ScheduleInput,
    ScheduleResult,
    TournamentFormat,
    check_two_seats,
)

_PRIOR = (0.5, 0.5)  # wins and losses against an average player, added for each player as in ratings.py
# Each call plans one new game for this number of played games, since planning reads all games of a long run.
_PLAYED_GAMES_PER_PLANNED_GAME = 100
_GAIN_DIGITS = 9  # gains that are equal after rounding to this number of digits count as equal


def check_input(inputs: ScheduleInput) -> None:
    """Raise UserError for a tournament that cannot be played."""
    check_two_seats(inputs, "A ladder")


def count_games(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> int | None:
    """Return the number of games to play; None for an endless ladder."""
    game_count: int | None = inputs.options.get("games")
    return game_count


def schedule_ladder(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the played games, the unplayed games of meetings that have begun, and then the most informative meetings.

    A meeting has `games` games with alternating seats; two games share an opening. The function plans at least
    `games_ahead` new games, and at least a hundredth of the number of games played.
    """
    results_by_game = {
        ScheduledGame(result.player_indexes, result.opening_number): result for result in results if not result.is_void
    }
    yield from results_by_game
    meeting_counts = _MeetingCounts(inputs, results_by_game.values())
    for pair in meeting_counts.pairs_that_met():
        yield from (game for game in meeting_counts.games_so_far(pair) if game not in results_by_game)
    chooser, new_games = _MeetingChooser(inputs, meeting_counts), 0
    while new_games < max(inputs.games_ahead, len(results_by_game) // _PLAYED_GAMES_PER_PLANNED_GAME):
        pair = chooser.next_pair()
        yield from meeting_counts.add_meeting(pair)
        new_games += inputs.games_per_meeting


class _MeetingCounts:
    """The results so far, and the number of games of each pair. A meeting that has begun counts as played, because its
    remaining games are planned first.
    """

    def __init__(self, inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> None:
        self.games = inputs.games_per_meeting
        self.results_by_seats: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.game_counts: defaultdict[tuple[int, int], int] = defaultdict(int)
        for result in results:
            first, second = result.player_indexes
            self.results_by_seats[first, second][round(2 - 2 * result.points[0])] += 1
            self.game_counts[min(first, second), max(first, second)] += 1
        for pair, game_count in self.game_counts.items():
            self.game_counts[pair] = math.ceil(game_count / self.games) * self.games

    def pairs_that_met(self) -> list[tuple[int, int]]:
        """Return the pairs that have had a meeting."""
        return sorted(self.game_counts)

    def games_so_far(self, pair: tuple[int, int]) -> list[ScheduledGame]:
        """Return the games of all meetings of a pair so far."""
        return [_create_game(pair, number) for number in range(self.game_counts[pair])]

    def add_meeting(self, pair: tuple[int, int]) -> list[ScheduledGame]:
        """Count one more meeting, and return its games."""
        self.game_counts[pair] += self.games
        return self.games_so_far(pair)[-self.games :]


def _create_game(pair: tuple[int, int], number: int) -> ScheduledGame:
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

    def __init__(self, inputs: ScheduleInput, meeting_counts: _MeetingCounts) -> None:
        self._meeting_counts = meeting_counts
        self._games = inputs.games_per_meeting
        players = range(inputs.player_count)
        meetings = [PairCounts(*pair, *counts) for pair, counts in sorted(meeting_counts.results_by_seats.items())]
        self._fit = fit_davidson(inputs.player_count, meetings, [_PRIOR] * (inputs.player_count + 1))
        information = [[0.0] * inputs.player_count for _ in players]
        for player in players:
            win_probability = 1 / (1 + math.exp(-self._fit.strengths[player]))
            information[player][player] = sum(_PRIOR) * win_probability * (1 - win_probability)
        self._information = {
            (first, second): _score_variance(self._fit, first, second) for first, second in combinations(players, 2)
        }
        for (first, second), game_count in meeting_counts.game_counts.items():
            added_information = game_count * self._information[first, second]
            information[first][first] += added_information
            information[second][second] += added_information
            information[first][second] -= added_information
            information[second][first] -= added_information
        unit_matrix = [[float(first == second) for second in players] for first in players]
        self._covariance = solve_linear_systems(information, unit_matrix)

    def next_pair(self) -> tuple[int, int]:
        """Return the pair whose meeting gives most information, and count this meeting as played."""
        pair = min(self._information, key=self._sort_key)
        self._assume_meeting(pair)
        return pair

    def _sort_key(self, pair: tuple[int, int]) -> tuple[float, int, tuple[int, int]]:
        gain = round(self._information_gain(pair), _GAIN_DIGITS)
        return -gain, self._meeting_counts.game_counts[pair], pair

    def _information_gain(self, pair: tuple[int, int]) -> float:
        return math.log1p(self._games * self._information[pair] * self._difference_variance(pair)) / 2

    def _difference_variance(self, pair: tuple[int, int]) -> float:
        first, second = pair
        return self._covariance[first][first] + self._covariance[second][second] - 2 * self._covariance[first][second]

    def _assume_meeting(self, pair: tuple[int, int]) -> None:
        """Update the covariance as if a pair had met: the inverse of a matrix after a rank-one change (J. Sherman and
        W. J. Morrison, Annals of Mathematical Statistics 21, 1950).
        """
        added_information, (first, second) = self._games * self._information[pair], pair
        change: Sequence[float] = [row[first] - row[second] for row in self._covariance]
        scale = added_information / (1 + added_information * self._difference_variance(pair))
        for row, row_change in zip(self._covariance, change, strict=True):
            for column, column_change in enumerate(change):
                row[column] -= scale * row_change * column_change


def _score_variance(fitted: DavidsonFit, first: int, second: int) -> float:
    """Return the variance of the score of a game between two players, as the mean over both seat orders."""
    lead, advantage = fitted.strengths[first] - fitted.strengths[second], fitted.seat_advantage_nats or 0.0
    variance = 0.0
    for seat_lead in (lead + advantage, lead - advantage):
        win, _, loss = fitted.outcome_probabilities(seat_lead)
        variance += ((win + loss) - (win - loss) ** 2) / 4
    return variance / 2


FORMAT = TournamentFormat(
    "An endless tournament that always plays the most informative game.",
    schedule_ladder,
    count_games,
    check_input,
    options=(FormatOption("games", PositiveCount | None),),
    players_may_change=True,
    balances_seats=True,
)
