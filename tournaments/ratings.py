"""Ratings on the Elo scale from results: maximum-likelihood ratings with intervals, and tests of which player is
better.

The module uses numbers only: no games, no store, no screen. The model is in davidson.py. At each end of a strength's
interval, twice the log-likelihood is lower than its maximum by a quantile of the chi-squared distribution. So the
interval need not be symmetric: the strength of a player that never lost has no upper bound. Between two players, all
other parameters are fitted again at each end (the penalized profile likelihood of G. Heinze and M. Schemper, Statistics
in Medicine 21, 2002). With more players, only the player's own strength varies, and the interval is widened by the
errors of the other strengths. The results of one group of games, such as two games from one opening, are not
independent. Therefore the drop of the likelihood is multiplied by the dispersion of the groups' results (P. McCullagh
and J. A. Nelder, Generalized Linear Models, 1989, section 4.5). docs/why/ratings.md has the measured coverage.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import NamedTuple

from tournaments.davidson import DavidsonFit, PairCounts, covariance, fit_davidson, lead_log_likelihood, log_likelihood
from tournaments.pair_test import PairTestResult, pair_test, student_t_tail

ELO_PER_NAT = 400 / math.log(10)
# drawn games against an average player that are added for each player, and for the first seat's advantage
_PRIOR_GAME_COUNT = 1.0
_LIKELIHOOD_DROP = NormalDist().inv_cdf(0.975) ** 2  # the 95 % quantile of the chi-squared distribution
_MIN_DEGREES_OF_FREEDOM = 2  # minimum degrees of freedom of Student's t
# added groups of games with dispersion 1, because a few observed groups hardly show their dispersion
_PRIOR_GROUPS = 30.0
_RELATIVE_PRECISION = 1e-4  # relative precision of the drop of the likelihood at the ends of an interval
_MAX_SECANT_STEPS = 60


class Meeting(NamedTuple):
    """Results of the games between two players in which `first_player` had the first seat, as wins, draws and losses of
    `first_player`.
    """

    first_player: str
    second_player: str
    wins: float = 0
    draws: float = 0
    losses: float = 0


class MeetingGroup(NamedTuple):
    """The results of a group of games that depend on each other, such as two games from one opening. repetitions: the
    number of groups with exactly these results.
    """

    meetings: tuple[Meeting, ...]
    repetitions: int = 1


class Rating(NamedTuple):
    """A rating on the Elo scale, and the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


class RatingBound(NamedTuple):
    """The bound of the rating of a player who won every game, or lost every game.

    elo: the end of the 95 % interval that the results support. is_lower: True if the rating is at least `elo`, False if
    it is at most `elo`. Without the prior, such a player's rating would be infinite, so the estimate and the other end
    of the interval say little. As a one-sided interval, the bound holds in at least 97.5 % of the cases.
    """

    elo: float
    is_lower: bool


class RatingTable(NamedTuple):
    """The ratings of the largest set of players that games connect, with mean 0.

    first_seat_advantage: None if no players swapped seats. draw_probability: the probability of a draw between equally
    strong players without the seat's advantage. pair_tests: for each two players, the test of whether they are equally
    strong. If there are only two players, this is the test of their pairs of games. unrated_sets: the sets of players
    that no game connects to the rated players. bounds_by_player: the bounds of the players who won or lost every game.
    """

    ratings_by_player: dict[str, Rating]
    first_seat_advantage: Rating | None
    draw_probability: float
    pair_tests: dict[tuple[str, str], PairTestResult]
    unrated_sets: tuple[tuple[str, ...], ...]
    bounds_by_player: dict[str, RatingBound]


def compute_ratings(results: Iterable[MeetingGroup | Meeting]) -> RatingTable:
    """Rate the largest set of players that games connect, the strongest first.

    The ratings of players that no chain of games connects cannot be compared.
    """
    group_counts = _count_equal_groups(results)
    player_sets = _find_connected_players(meeting for meetings in group_counts for meeting in meetings)
    players = player_sets[0] if player_sets else ()
    rated_names = set(players)
    counts = {meetings: times for meetings, times in group_counts.items() if meetings[0].first_player in rated_names}
    rated = _RatedPlayers(players, counts)
    order = sorted(range(len(players)), key=lambda index: -rated.best_fit.strengths[index])
    if len(players) == 2:
        test = pair_test(count_differences(players[0], rated.groups))
        lead = _adjust_to_test(rated.lead_interval(), test)
        opposite_lead = [-lead[0], -lead[2], -lead[1]]
        ratings = {players[0]: _create_rating(lead, 0.5), players[1]: _create_rating(opposite_lead, 0.5)}
        pair_tests = {players: test, players[::-1]: PairTestResult(test.p_value, 1 - test.superiority_probability)}
    else:
        ratings = {players[index]: _create_rating(rated.strength_interval(index)) for index in range(len(players))}
        pair_tests = {}
        for index, other_index in combinations(range(len(players)), 2):
            test = rated.compare(index, other_index)
            pair_tests[players[index], players[other_index]] = test
            pair_tests[players[other_index], players[index]] = PairTestResult(
                test.p_value, 1 - test.superiority_probability
            )
    return RatingTable(
        {players[index]: ratings[players[index]] for index in order},
        None if rated.best_fit.seat_advantage_nats is None else _create_rating(rated.advantage_interval()),
        rated.best_fit.outcome_probabilities(0.0)[1],
        pair_tests,
        tuple(player_sets[1:]),
        _find_bounds(ratings, rated.groups),
    )


def _find_bounds(ratings: dict[str, Rating], groups: Iterable[MeetingGroup]) -> dict[str, RatingBound]:
    """Return the bounds of the players who won every game, or lost every game, by name."""
    without_loss, without_win = set(ratings), set(ratings)
    for meetings, _ in groups:
        for first, second, wins, draws, losses in meetings:
            without_loss -= {first} if draws or losses else set()
            without_loss -= {second} if draws or wins else set()
            without_win -= {first} if draws or wins else set()
            without_win -= {second} if draws or losses else set()
    return {
        **{player: RatingBound(ratings[player].low, is_lower=True) for player in without_loss},
        **{player: RatingBound(ratings[player].high, is_lower=False) for player in without_win},
    }


def count_differences(player: str, groups: Iterable[MeetingGroup]) -> Counter[int]:
    """Return the number of groups of games for each difference between a player's wins and losses in a group."""
    counts = Counter[int]()
    for meetings, times in groups:
        signs = (1 if meeting.first_player == player else -1 for meeting in meetings)
        difference = sum((meeting.wins - meeting.losses) * sign for meeting, sign in zip(meetings, signs, strict=True))
        counts[round(difference)] += times
    return counts


def _count_equal_groups(groups: Iterable[MeetingGroup | Meeting]) -> dict[tuple[Meeting, ...], int]:
    """Return the number of groups of games for each combination of results. Each game of a Meeting that is in no
    MeetingGroup counts as a group.
    """
    counts: defaultdict[tuple[Meeting, ...], int] = defaultdict(int)
    for group in groups:
        if isinstance(group, MeetingGroup):
            meetings = tuple(m for m in group.meetings if m.first_player != m.second_player and any(m[2:]))
            if meetings and group.repetitions:
                counts[meetings] += group.repetitions
        elif group.first_player != group.second_player:
            for name, count in zip(("wins", "draws", "losses"), group[2:], strict=True):
                if count:
                    counts[(Meeting(group.first_player, group.second_player, **{name: 1}),)] += int(count)
    return counts


class _RatedPlayers:
    """The fit to the results between some players, and its uncertainty."""

    def __init__(self, players: Sequence[str], groups: dict[tuple[Meeting, ...], int]) -> None:
        index_by_player = {player: index for index, player in enumerate(players)}
        self.groups = [MeetingGroup(meetings, times) for meetings, times in groups.items()]
        self._pair_counts = _count_by_pair(index_by_player, self.groups)
        self._prior = [(_PRIOR_GAME_COUNT / 2, _PRIOR_GAME_COUNT / 2)] * (len(players) + 1)
        self.best_fit: DavidsonFit = fit_davidson(len(players), self._pair_counts, self._prior)
        self._covariance = covariance(self.best_fit, self._pair_counts, self._prior) if players else []
        covariance_sum = sum(sum(row[: len(players)]) for row in self._covariance[: len(players)])
        self._mean_strength_variance = covariance_sum / max(1, len(players)) ** 2
        # for each player, the counts of its games, each with the sign of the player's strength in the lead
        self._counts_by_player: list[list[tuple[int, PairCounts]]] = [[] for _ in players]
        for counts in self._pair_counts:
            self._counts_by_player[counts.first_player].append((1, counts))
            self._counts_by_player[counts.second_player].append((-1, counts))
        self._dispersions = self._estimate_dispersions(index_by_player)

    def _estimate_dispersions(self, index_by_player: dict[str, int]) -> list[_DispersionEstimate]:
        """Return dispersions of the results of the groups of games: one for each player's strength, then one for the
        first seat's advantage.
        """
        dispersions = [_DispersionEstimate() for _ in range(len(index_by_player) + 1)]
        for meetings, times in self.groups:
            slopes: defaultdict[int, float] = defaultdict(float)
            information: defaultdict[int, float] = defaultdict(float)
            for first, second, wins, draws, losses in meetings:
                first_index = index_by_player[first]
                second_index = index_by_player[second]
                games = wins + draws + losses
                win, _, loss = self.best_fit.outcome_probabilities(self._lead_with_advantage(first_index, second_index))
                slope = (wins - losses - games * (win - loss)) / 2
                for parameter, sign in ((first_index, 1), (second_index, -1), (len(index_by_player), 1)):
                    slopes[parameter] += sign * slope
                    information[parameter] += games * (win + loss - (win - loss) ** 2) / 4
            for parameter, slope in slopes.items():
                dispersions[parameter].add(slope, information[parameter], times)
        return dispersions

    def _lead_with_advantage(self, first: int, second: int) -> float:
        strengths, advantage = self.best_fit.strengths, self.best_fit.seat_advantage_nats or 0.0
        return strengths[first] - strengths[second] + advantage

    def lead_interval(self) -> list[float]:
        """Return the lead of the first player over the second, and the ends of its interval, in nats."""
        lead = self.best_fit.strengths[0] - self.best_fit.strengths[1]
        max_log_likelihood = log_likelihood(self.best_fit, self._pair_counts, self._prior)

        def likelihood_drop(other_lead: float) -> float:
            fixed = {0: other_lead / 2, 1: -other_lead / 2}
            refitted = fit_davidson(2, self._pair_counts, self._prior, self.best_fit, fixed=fixed)
            return 2 * (max_log_likelihood - log_likelihood(refitted, self._pair_counts, self._prior))

        drop, error = _LIKELIHOOD_DROP * self._dispersions[0].dispersion, math.sqrt(self._difference_variance(0, 1))
        return _find_interval(lead, likelihood_drop, drop, error)

    def strength_interval(self, player: int) -> list[float]:
        """Return a player's strength, and the ends of its interval, in nats."""
        estimate, share = self.best_fit.strengths[player], 1 / len(self.best_fit.strengths)
        players = range(len(self.best_fit.strengths))
        mean_covariance = sum(self._covariance[player][other_player] for other_player in players) * share
        variance = self._covariance[player][player] - 2 * mean_covariance + self._mean_strength_variance

        def log_likelihood_at(strength: float) -> float:
            total = _prior_log_likelihood(strength, self._prior[player])
            for sign, (first, second, *counts) in self._counts_by_player[player]:
                lead = self._lead_with_advantage(first, second) + sign * (strength - estimate)
                total += lead_log_likelihood(self.best_fit, lead, *counts)
            return total

        return self._widened_interval(estimate, log_likelihood_at, variance, self._dispersions[player].dispersion)

    def advantage_interval(self) -> list[float]:
        """Return the first seat's advantage, and the ends of its interval, in nats."""
        estimate, parameter = self.best_fit.seat_advantage_nats or 0.0, len(self.best_fit.strengths)

        def log_likelihood_at(advantage: float) -> float:
            total = _prior_log_likelihood(advantage, self._prior[-1])
            for first, second, *counts in self._pair_counts:
                lead = self._lead_with_advantage(first, second) + advantage - estimate
                total += lead_log_likelihood(self.best_fit, lead, *counts)
            return total

        variance, dispersion = self._covariance[parameter][parameter], self._dispersions[parameter].dispersion
        return self._widened_interval(estimate, log_likelihood_at, variance, dispersion)

    def _widened_interval(
        self, estimate: float, log_likelihood_at: Callable[[float], float], variance: float, dispersion: float
    ) -> list[float]:
        """Return the likelihood interval of one parameter, widened by the uncertainty of the other parameters."""
        step, maximum = 1e-3, log_likelihood_at(estimate)
        curvature = (2 * maximum - log_likelihood_at(estimate + step) - log_likelihood_at(estimate - step)) / step**2
        drop = _LIKELIHOOD_DROP * dispersion * variance * curvature
        return _find_interval(
            estimate, lambda value: 2 * (maximum - log_likelihood_at(value)), drop, math.sqrt(variance)
        )

    def compare(self, player: int, opponent: int) -> PairTestResult:
        """Test whether two of several players are equally strong: by Student's t, from their ratings."""
        estimates = self._dispersions[player], self._dispersions[opponent]
        dispersion = max(estimate.dispersion for estimate in estimates)
        error = math.sqrt(self._difference_variance(player, opponent) * dispersion)
        t = (self.best_fit.strengths[player] - self.best_fit.strengths[opponent]) / error
        p = student_t_tail(t, max(_MIN_DEGREES_OF_FREEDOM, min(estimate.groups for estimate in estimates) - 1))
        return PairTestResult(p, 1 - p / 2 if t > 0 else p / 2)

    def _difference_variance(self, player: int, opponent: int) -> float:
        covariances = self._covariance
        return covariances[player][player] + covariances[opponent][opponent] - 2 * covariances[player][opponent]


def _prior_log_likelihood(parameter: float, prior: tuple[float, float]) -> float:
    """Return the log-likelihood of the wins and losses in `prior` against a player of strength 0."""
    wins, losses = prior
    return -wins * math.log1p(math.exp(-parameter)) - losses * math.log1p(math.exp(parameter))


class _DispersionEstimate:
    """Compares the squared differences between results and expectation with the variance of independent games."""

    def __init__(self) -> None:
        self.groups, self._squares, self._expected = 0, 0.0, 0.0

    def add(self, surprise: float, information: float, times: int) -> None:
        """Add `times` groups of games. For each, the result minus its expectation is `surprise`, and the variance of
        the result is `information`.
        """
        self.groups += times
        self._squares += surprise * surprise * times
        self._expected += information * times

    @property
    def dispersion(self) -> float:
        """The variance of the results of groups of games, divided by the variance of independent games; 1 if fewer than
        two groups are known.

        A group with a nearly certain result says little about the dispersion. So groups are weighted by their
        information; a pair of games between equal players without draws has weight 1.
        """
        if self.groups < 2 or not self._expected:
            return 1.0
        weight = min(2 * self._expected, self.groups)
        observed = self._squares / self._expected * self.groups / (self.groups - 1)
        return (weight * observed + _PRIOR_GROUPS) / (weight + _PRIOR_GROUPS)


def _find_interval(
    estimate: float, likelihood_drop: Callable[[float], float], drop: float, error: float
) -> list[float]:
    """Return three points: `estimate`, at which the function `likelihood_drop` is 0, and the points below and above it
    at which the function reaches `drop`.

    error: the standard error, from which the search for these points starts.
    """
    step = error * math.sqrt(_LIKELIHOOD_DROP)
    return [estimate, *(_find_interval_end(estimate, likelihood_drop, drop, sign * step) for sign in (-1, 1))]


def _find_interval_end(estimate: float, likelihood_drop: Callable[[float], float], drop: float, step: float) -> float:
    """Return the point at which the function `likelihood_drop` reaches `drop`. step: the first step of the search,
    which starts at `estimate`.

    The function is convex, and is 0 at `estimate`. The search is the rule of false position (the Illinois variant, M.
    Dowell and P. Jarratt, BIT 11, 1971) on the function's square root, which is nearly straight.
    """
    root_of_drop = math.sqrt(drop)

    def missing_drop(point: float) -> float:
        return math.sqrt(max(0.0, likelihood_drop(point))) - root_of_drop

    near, far, below = estimate, estimate + step, -root_of_drop
    while (above := missing_drop(far)) < 0 and abs(far - estimate) < 1e3:
        near, far, below = far, far + 2 * (far - estimate), above
    for _ in range(_MAX_SECANT_STEPS):
        point = far - above * (far - near) / (above - below)
        value = missing_drop(point)
        if abs(value) < _RELATIVE_PRECISION * root_of_drop:
            return point
        if value > 0:
            far, above, below = point, value, below / 2
        else:
            near, below, above = point, value, above / 2
    return far


def _adjust_to_test(lead: list[float], test: PairTestResult) -> list[float]:
    """Return a lead and its interval, changed so that the interval contains 0 if and only if the test finds no
    difference.

    If interval and test disagree, the nearer end of the interval becomes 0. They may disagree because the exact test of
    a few pairs can have a larger p-value than the likelihood of all games implies.
    """
    estimate, low, high = lead
    if not test.is_significant:
        return [estimate, min(low, 0.0), max(high, 0.0)]
    if estimate > 0 and test.superiority_probability > 0.5:
        return [estimate, max(low, 0.0), high]
    return [estimate, low, min(high, 0.0)] if estimate < 0 and test.superiority_probability < 0.5 else lead


def _create_rating(nats: Sequence[float], factor: float = 1.0) -> Rating:
    return Rating(*(value * factor * ELO_PER_NAT for value in nats))


def _count_by_pair(index_by_player: dict[str, int], groups: Iterable[MeetingGroup]) -> list[PairCounts]:
    """Return the sums of the results for each two players in each seat order."""
    sums: dict[tuple[int, int], list[float]] = {}
    for meetings, times in groups:
        for first, second, *counts in meetings:
            total = sums.setdefault((index_by_player[first], index_by_player[second]), [0.0, 0.0, 0.0])
            for index, count in enumerate(counts):
                total[index] += times * count
    return [PairCounts(*pair, *total) for pair, total in sums.items()]


def _find_connected_players(meetings: Iterable[Meeting]) -> list[tuple[str, ...]]:
    """Return the sets of players that games connect, the largest first. Of equally large sets, the set with the earlier
    game comes first.
    """
    representative: dict[str, str] = {}

    def find_representative(player: str) -> str:
        while representative.setdefault(player, player) != player:
            representative[player] = representative[representative[player]]
            player = representative[player]
        return player

    for meeting in meetings:
        representative[find_representative(meeting.second_player)] = find_representative(meeting.first_player)
    groups: dict[str, list[str]] = {}
    for player in representative:
        groups.setdefault(find_representative(player), []).append(player)
    return sorted((tuple(sorted(group)) for group in groups.values()), key=len, reverse=True)
