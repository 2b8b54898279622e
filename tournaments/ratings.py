"""Ratings on the Elo scale from results: maximum-likelihood ratings with intervals, and tests of which player is
better.

The module knows numbers only: no games, no store, no screen. The model is in davidson.py. At each end of a strength's
interval, twice the log-likelihood is lower than its maximum by a quantile of the chi-squared distribution. So the
interval need not be symmetric: the strength of a player that never lost has no upper bound. Between two players, all
other parameters are fitted again at each end (the penalized profile likelihood of G. Heinze and M. Schemper, Statistics
in Medicine 21, 2002). With more players, only the player's own strength varies, and the interval is widened by the
errors of the other strengths. The results of one group, such as two games from one opening, are not independent.
Therefore the drop of the likelihood is multiplied by the dispersion of the groups (P. McCullagh and J. A. Nelder,
Generalized Linear Models, 1989, section 4.5). docs/why/ratings.md has the measured coverage.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import NamedTuple

from tournaments.davidson import Fit, PairCounts, covariance, fit, lead_log_likelihood, log_likelihood
from tournaments.pair_test import PairTest, pair_test, student_t_tail

ELO_PER_NAT = 400 / math.log(10)
# drawn games against an average player that are added for each player, and for the first seat's advantage
_PRIOR_GAMES = 1.0
_DROP = NormalDist().inv_cdf(0.975) ** 2  # the 95 % quantile of the chi-squared distribution
_MIN_FREEDOM = 2  # minimum degrees of freedom of Student's t
# groups of dispersion 1 that are added to the observed groups: a few groups say little about their dispersion
_PRIOR_GROUPS = 30.0
_PRECISION = 1e-4  # relative precision of the drop at the ends of an interval
_MAX_STEPS = 60


class Meeting(NamedTuple):
    """Results of the games between two players in which `first` had the first seat, as wins, draws and losses of
    `first`.
    """

    first: str
    second: str
    wins: float = 0
    draws: float = 0
    losses: float = 0


class MeetingGroup(NamedTuple):
    """Results that depend on each other, such as those of a pair of games. times: how often exactly these results
    occurred.
    """

    meetings: tuple[Meeting, ...]
    times: int = 1


class Rating(NamedTuple):
    """A rating on the Elo scale, and the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


class Ratings(NamedTuple):
    """The ratings of the largest set of players that games connect, with mean 0.

    first_seat_advantage: None if no players swapped seats. draw_probability: the probability of a draw between equally
    strong players without the seat's advantage. pair_tests: for each two players, the test of whether they are equally
    strong. If there are only two players, this is the test of their pairs of games. unrated: the sets of players that
    no game connects to the rated players.
    """

    players: dict[str, Rating]
    first_seat_advantage: Rating | None
    draw_probability: float
    pair_tests: dict[tuple[str, str], PairTest]
    unrated: tuple[tuple[str, ...], ...]


def rate(results: Iterable[MeetingGroup | Meeting], *, prior_games: float = _PRIOR_GAMES) -> Ratings:
    """Rate the largest set of players that games connect, the strongest first.

    The ratings of players that no chain of games connects cannot be compared. prior_games: the number of drawn games
    against an average player that are added for each player.
    """
    group_counts = _count_equal_groups(results)
    player_sets = _connected_players(meeting for meetings in group_counts for meeting in meetings)
    players = player_sets[0] if player_sets else ()
    known = set(players)
    rated = _RatedPlayers(
        players, {unit: times for unit, times in group_counts.items() if unit[0].first in known}, prior_games
    )
    order = sorted(range(len(players)), key=lambda i: -rated.best.strengths[i])
    if len(players) == 2:
        test = pair_test(count_differences(players[0], rated.groups))
        lead = _agree_with_test(rated.lead_interval(), test)
        found = {players[0]: _rating(lead, 0.5), players[1]: _rating([-lead[0], -lead[2], -lead[1]], 0.5)}
        tests = {players: test, players[::-1]: PairTest(test.p, 1 - test.superiority)}
    else:
        found = {players[i]: _rating(rated.strength_interval(i)) for i in range(len(players))}
        tests = {}
        for i, j in combinations(range(len(players)), 2):
            test = rated.compare(i, j)
            tests[players[i], players[j]] = test
            tests[players[j], players[i]] = PairTest(test.p, 1 - test.superiority)
    return Ratings(
        {players[i]: found[players[i]] for i in order},
        None if rated.best.seat_advantage_nats is None else _rating(rated.advantage_interval()),
        rated.best.outcome_probabilities(0.0)[1],
        tests,
        tuple(player_sets[1:]),
    )


def count_differences(player: str, groups: Iterable[MeetingGroup]) -> Counter[int]:
    """Return the number of groups for each difference between a player's wins and losses."""
    found = Counter[int]()
    for meetings, times in groups:
        ahead = sum((m.wins - m.losses) * (1 if m.first == player else -1) for m in meetings)
        found[round(ahead)] += times
    return found


def _count_equal_groups(groups: Iterable[MeetingGroup | Meeting]) -> dict[tuple[Meeting, ...], int]:
    """Return how often each group of results occurs. The games of a single Meeting are separate groups."""
    found: defaultdict[tuple[Meeting, ...], int] = defaultdict(int)
    for unit in groups:
        if isinstance(unit, MeetingGroup):
            meetings = tuple(m for m in unit.meetings if m.first != m.second and m.wins + m.draws + m.losses)
            if meetings and unit.times:
                found[meetings] += unit.times
        elif unit.first != unit.second:
            for name, times in zip(("wins", "draws", "losses"), unit[2:], strict=True):
                if times:
                    found[(Meeting(unit.first, unit.second, **{name: 1}),)] += int(times)
    return found


class _RatedPlayers:
    """The fit to the results between some players, and its uncertainty."""

    def __init__(self, players: Sequence[str], groups: dict[tuple[Meeting, ...], int], prior_games: float) -> None:
        number = {player: i for i, player in enumerate(players)}
        self.groups = [MeetingGroup(meetings, times) for meetings, times in groups.items()]
        self._pair_counts = _pair_counts(number, self.groups)
        self._prior = [(prior_games / 2, prior_games / 2)] * (len(players) + 1)
        self.best: Fit = fit(len(players), self._pair_counts, self._prior)
        self._covariance = covariance(self.best, self._pair_counts, self._prior) if players else []
        rows = range(len(players))
        self._variance_of_mean = sum(self._covariance[i][j] for i in rows for j in rows) / max(1, len(players)) ** 2
        # for each player, the counts of its games, each with the sign of the player's strength in the lead
        self._own_counts: list[list[tuple[int, PairCounts]]] = [[] for _ in players]
        for counts in self._pair_counts:
            self._own_counts[counts.first].append((1, counts))
            self._own_counts[counts.second].append((-1, counts))
        self._dispersions = self._estimate_dispersions(number)

    def _estimate_dispersions(self, number: dict[str, int]) -> list[_DispersionEstimate]:
        """Return the dispersion of the groups' results: one for each player's strength, then one for the first seat's
        advantage.
        """
        dispersions = [_DispersionEstimate() for _ in range(len(number) + 1)]
        for meetings, times in self.groups:
            slopes: defaultdict[int, float] = defaultdict(float)
            information: defaultdict[int, float] = defaultdict(float)
            for first, second, wins, draws, losses in meetings:
                one, other, games = number[first], number[second], wins + draws + losses
                win, _, loss = self.best.outcome_probabilities(self._lead_with_advantage(one, other))
                slope = (wins - losses - games * (win - loss)) / 2
                for which, sign in ((one, 1), (other, -1), (len(number), 1)):
                    slopes[which] += sign * slope
                    information[which] += games * (win + loss - (win - loss) ** 2) / 4
            for which, slope in slopes.items():
                dispersions[which].add(slope, information[which], times)
        return dispersions

    def _lead_with_advantage(self, one: int, other: int) -> float:
        return self.best.strengths[one] - self.best.strengths[other] + (self.best.seat_advantage_nats or 0.0)

    def lead_interval(self) -> list[float]:
        """Return the lead of the first player over the second, and the ends of its interval, in nats."""
        lead = self.best.strengths[0] - self.best.strengths[1]
        top = log_likelihood(self.best, self._pair_counts, self._prior)

        def likelihood_drop(other: float) -> float:
            refitted = fit(2, self._pair_counts, self._prior, self.best, fixed={0: other / 2, 1: -other / 2})
            return 2 * (top - log_likelihood(refitted, self._pair_counts, self._prior))

        return _interval(
            lead, likelihood_drop, _DROP * self._dispersions[0].dispersion, math.sqrt(self._difference_variance(0, 1))
        )

    def strength_interval(self, i: int) -> list[float]:
        """Return a player's strength, and the ends of its interval, in nats."""
        estimate, share = self.best.strengths[i], 1 / len(self.best.strengths)
        rows = range(len(self.best.strengths))
        mean = sum(self._covariance[i][j] for j in rows) * share
        variance = self._covariance[i][i] - 2 * mean + self._variance_of_mean

        def likelihood(other: float) -> float:
            total = -sum(
                games * math.log1p(math.exp(sign * other)) for sign, games in zip((-1, 1), self._prior[i], strict=True)
            )
            for sign, (first, second, *counts) in self._own_counts[i]:
                lead = self._lead_with_advantage(first, second) + sign * (other - estimate)
                total += lead_log_likelihood(self.best, lead, *counts)
            return total

        return self._widened_interval(estimate, likelihood, variance, self._dispersions[i].dispersion)

    def advantage_interval(self) -> list[float]:
        """Return the first seat's advantage, and the ends of its interval, in nats."""
        estimate, which = self.best.seat_advantage_nats or 0.0, len(self.best.strengths)

        def likelihood(other: float) -> float:
            total = -sum(
                games * math.log1p(math.exp(sign * other)) for sign, games in zip((-1, 1), self._prior[-1], strict=True)
            )
            for first, second, *counts in self._pair_counts:
                total += lead_log_likelihood(
                    self.best, self._lead_with_advantage(first, second) + other - estimate, *counts
                )
            return total

        return self._widened_interval(
            estimate, likelihood, self._covariance[which][which], self._dispersions[which].dispersion
        )

    def _widened_interval(
        self, estimate: float, likelihood: Callable[[float], float], variance: float, dispersion: float
    ) -> list[float]:
        """Return the likelihood interval for fixed other parameters, widened by the uncertainty of those parameters."""
        step = 1e-3
        top = likelihood(estimate)
        curvature = (2 * top - likelihood(estimate + step) - likelihood(estimate - step)) / step**2
        drop = _DROP * dispersion * variance * curvature
        return _interval(estimate, lambda other: 2 * (top - likelihood(other)), drop, math.sqrt(variance))

    def compare(self, i: int, j: int) -> PairTest:
        """Test by Student's t, from the ratings, whether two of several players are equally strong."""
        dispersions = self._dispersions[i], self._dispersions[j]
        error = math.sqrt(self._difference_variance(i, j) * max(estimate.dispersion for estimate in dispersions))
        t = (self.best.strengths[i] - self.best.strengths[j]) / error
        p = student_t_tail(t, max(_MIN_FREEDOM, min(estimate.groups for estimate in dispersions) - 1))
        return PairTest(p, 1 - p / 2 if t > 0 else p / 2)

    def _difference_variance(self, i: int, j: int) -> float:
        return self._covariance[i][i] + self._covariance[j][j] - 2 * self._covariance[i][j]


class _DispersionEstimate:
    """Compares the squared differences between results and expectation with the variance of independent games."""

    def __init__(self) -> None:
        self.groups, self._squares, self._expected = 0, 0.0, 0.0

    def add(self, slope: float, information: float, times: int) -> None:
        self.groups += times
        self._squares += slope * slope * times
        self._expected += information * times

    @property
    def dispersion(self) -> float:
        """The variance of the groups' results divided by the variance of independent games; 1 if there are too few
        groups.

        A group with a nearly certain result says little about the dispersion. So groups are weighted by their
        information; a pair of games between equal players without draws has weight 1.
        """
        if self.groups < 2 or not self._expected:
            return 1.0
        weight = min(2 * self._expected, self.groups)
        observed = self._squares / self._expected * self.groups / (self.groups - 1)
        return (weight * observed + _PRIOR_GROUPS) / (weight + _PRIOR_GROUPS)


def _interval(estimate: float, likelihood_drop: Callable[[float], float], drop: float, error: float) -> list[float]:
    """Return `estimate`, where the function `likelihood_drop` is 0, and the points below and above it where the
    function reaches `drop`.

    error: the standard error, from which the search for these points starts.
    """
    return [
        estimate,
        *(_interval_end(estimate, likelihood_drop, drop, sign * error * math.sqrt(_DROP)) for sign in (-1, 1)),
    ]


def _interval_end(estimate: float, likelihood_drop: Callable[[float], float], drop: float, step: float) -> float:
    """Return the point at which the function `likelihood_drop` reaches `drop`. step: the first step of the search,
    which starts at `estimate`.

    The function is convex, and is 0 at `estimate`. The search is the rule of false position (the Illinois variant, M.
    Dowell and P. Jarratt, BIT 11, 1971) on the function's square root, which is nearly straight.
    """
    wanted = math.sqrt(drop)

    def missing_drop(at: float) -> float:
        return math.sqrt(max(0.0, likelihood_drop(at))) - wanted

    near, far, below = estimate, estimate + step, -wanted
    while (above := missing_drop(far)) < 0 and abs(far - estimate) < 1e3:
        near, far, below = far, far + 2 * (far - estimate), above
    for _ in range(_MAX_STEPS):
        at = far - above * (far - near) / (above - below)
        value = missing_drop(at)
        if abs(value) < _PRECISION * wanted:
            return at
        if value > 0:
            far, above, below = at, value, below / 2
        else:
            near, below, above = at, value, above / 2
    return far


def _agree_with_test(lead: list[float], test: PairTest) -> list[float]:
    """Return a lead and its interval, changed so that the interval contains 0 exactly if the test finds no difference.

    If interval and test disagree, the nearer end of the interval becomes 0. They may disagree because the exact test of
    a few pairs is less certain than the likelihood of all games.
    """
    estimate, low, high = lead
    if not test.is_significant:
        return [estimate, min(low, 0.0), max(high, 0.0)]
    if estimate > 0 and test.superiority > 0.5:
        return [estimate, max(low, 0.0), high]
    return [estimate, low, min(high, 0.0)] if estimate < 0 and test.superiority < 0.5 else lead


def _rating(nats: Sequence[float], scale: float = 1.0) -> Rating:
    return Rating(*(value * scale * ELO_PER_NAT for value in nats))


def _pair_counts(number: dict[str, int], groups: Iterable[MeetingGroup]) -> list[PairCounts]:
    """Return the sums of the results for each two players in each seat order."""
    sums: dict[tuple[int, int], list[float]] = {}
    for meetings, times in groups:
        for first, second, *counts in meetings:
            total = sums.setdefault((number[first], number[second]), [0.0, 0.0, 0.0])
            for i, count in enumerate(counts):
                total[i] += times * count
    return [PairCounts(*who, *total) for who, total in sums.items()]


def _connected_players(meetings: Iterable[Meeting]) -> list[tuple[str, ...]]:
    """Return the sets of players that games connect, the largest first. Of equally large sets, the set with the earlier
    game comes first.
    """
    leader: dict[str, str] = {}

    def find(player: str) -> str:
        while leader.setdefault(player, player) != player:
            leader[player] = leader[leader[player]]
            player = leader[player]
        return player

    for meeting in meetings:
        leader[find(meeting.second)] = find(meeting.first)
    groups: dict[str, list[str]] = {}
    for player in leader:
        groups.setdefault(find(player), []).append(player)
    return sorted((tuple(sorted(group)) for group in groups.values()), key=len, reverse=True)
