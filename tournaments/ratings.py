"""Ratings from results, on the Elo scale: the most likely ones, with intervals, and tests of which player is better.

Uses numbers only: no games, no store, no screen; the model is davidson.py's. The interval of a strength ends where the
likelihood has fallen by half of chi-square's quantile. So it need not be symmetric: the strength of a player that never
lost has no upper bound. Between two players, all other parameters are fitted again at each end (the penalized profile
likelihood of G. Heinze and M. Schemper, Statistics in Medicine 21, 2002). With more players, only the player's own
strength moves, and the interval is widened by the errors of the other strengths. Dependent results, such as the two
games of a pair from one opening, are no independent evidence: the drop is multiplied by the dispersion of the pairs (P.
McCullagh and J. A. Nelder, Generalized Linear Models, 1989, section 4.5). docs/why/ratings.md has the measured
coverage.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import NamedTuple

from tournaments.davidson import Cell, Fit, covariance, fit, lead_log_likelihood, log_likelihood
from tournaments.pair_test import PairTest, pair_test, student_tail

ELO_PER_NAT = 400 / math.log(10)
# drawn games of each player against the average that are added; as many for the first seat's advantage
_PRIOR_GAMES = 1.0
_DROP = NormalDist().inv_cdf(0.975) ** 2  # chi-square's 95 % quantile
_FREEDOM = 2  # degrees of freedom of Student's t, at least
# pairs of dispersion 1 that are added to the observed ones: a few pairs say little about their dispersion
_SHRINK = 30.0
_NEARLY = 1e-4  # relative precision of the drop at the ends of an interval
_STEPS = 60


class Meeting(NamedTuple):
    """Games between two players with `first` in the first seat: wins, draws and losses of the first."""

    first: str
    second: str
    wins: float = 0
    draws: float = 0
    losses: float = 0


class MeetingGroup(NamedTuple):
    """Dependent meetings, such as the games of a pair, and the number of times that exactly these results occurred."""

    meetings: tuple[Meeting, ...]
    times: int = 1


class Rating(NamedTuple):
    """A rating on the Elo scale, and the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


class Ratings(NamedTuple):
    """The ratings of all players that games link, with mean 0.

    first_seat: the value of that seat, None if nobody changed seats. draws: the probability of a draw between equals,
    without the seats' advantage. better: for each two players the test of whether they are equal, with the likelihood
    that the first is stronger; of two alone the test of their pairs of games. apart: the groups of players that no
    games link to these.
    """

    players: dict[str, Rating]
    first_seat: Rating | None
    draws: float
    better: dict[tuple[str, str], PairTest]
    apart: tuple[tuple[str, ...], ...]


def rate(units: Iterable[MeetingGroup | Meeting], *, prior_games: float = _PRIOR_GAMES) -> Ratings:
    """Rate the largest group of players that games link, strongest first.

    Ratings of groups that never met cannot be compared, so only the largest group is rated. prior_games: should be few,
    so that they have little weight.
    """
    gathered = _count_groups(units)
    groups = _groups(meeting for meetings in gathered for meeting in meetings)
    players = groups[0] if groups else ()
    known = set(players)
    rated = _Rated(players, {unit: times for unit, times in gathered.items() if unit[0].first in known}, prior_games)
    order = sorted(range(len(players)), key=lambda i: -rated.best.strengths[i])
    if len(players) == 2:
        test = pair_test(differences(players[0], rated.units))
        lead = _agree_with_test(rated.lead(), test)
        found = {players[0]: _in_elo(lead, 0.5), players[1]: _in_elo([-lead[0], -lead[2], -lead[1]], 0.5)}
        better = {players: test, players[::-1]: PairTest(test.p, 1 - test.superiority)}
    else:
        found = {players[i]: _in_elo(rated.strength(i)) for i in range(len(players))}
        better = {}
        for i, j in combinations(range(len(players)), 2):
            test = rated.compare(i, j)
            better[players[i], players[j]] = test
            better[players[j], players[i]] = PairTest(test.p, 1 - test.superiority)
    return Ratings(
        {players[i]: found[players[i]] for i in order},
        None if rated.best.first_seat is None else _in_elo(rated.first_seat()),
        rated.best.outcome_probabilities(0.0)[1],
        better,
        tuple(groups[1:]),
    )


def differences(player: str, units: Iterable[MeetingGroup]) -> Counter[int]:
    """Count the units by the difference of a player's wins and losses."""
    found = Counter[int]()
    for meetings, times in units:
        ahead = sum((m.wins - m.losses) * (1 if m.first == player else -1) for m in meetings)
        found[round(ahead)] += times
    return found


def _count_groups(units: Iterable[MeetingGroup | Meeting]) -> dict[tuple[Meeting, ...], int]:
    """Count equal groups of meetings. A Meeting alone stands for separate games."""
    found: defaultdict[tuple[Meeting, ...], int] = defaultdict(int)
    for unit in units:
        if isinstance(unit, MeetingGroup):
            meetings = tuple(m for m in unit.meetings if m.first != m.second and m.wins + m.draws + m.losses)
            if meetings and unit.times:
                found[meetings] += unit.times
        elif unit.first != unit.second:
            for name, times in zip(("wins", "draws", "losses"), unit[2:], strict=True):
                if times:
                    found[(Meeting(unit.first, unit.second, **{name: 1}),)] += int(times)
    return found


class _Rated:
    """The fit to all units between some players, and its uncertainty."""

    def __init__(self, players: Sequence[str], units: dict[tuple[Meeting, ...], int], prior_games: float) -> None:
        number = {player: i for i, player in enumerate(players)}
        self.units = [MeetingGroup(meetings, times) for meetings, times in units.items()]
        self._cells = _cells(number, self.units)
        self._prior = [(prior_games / 2, prior_games / 2)] * (len(players) + 1)
        self.best: Fit = fit(len(players), self._cells, self._prior)
        self._covariance = covariance(self.best, self._cells, self._prior) if players else []
        rows = range(len(players))
        self._of_mean = sum(self._covariance[i][j] for i in rows for j in rows) / max(1, len(players)) ** 2
        # the cells of each player, with the sign of its strength in them
        self._own: list[list[tuple[int, Cell]]] = [[] for _ in players]
        for cell in self._cells:
            self._own[cell.first].append((1, cell))
            self._own[cell.second].append((-1, cell))
        self._spreads = self._deviations(number)

    def _deviations(self, number: dict[str, int]) -> list[_Spread]:
        """Return how far the results of units differ from the expectation, for each strength and for the first seat."""
        spreads = [_Spread() for _ in range(len(number) + 1)]
        for meetings, times in self.units:
            slopes: defaultdict[int, float] = defaultdict(float)
            information: defaultdict[int, float] = defaultdict(float)
            for first, second, wins, draws, losses in meetings:
                one, other, games = number[first], number[second], wins + draws + losses
                win, _, loss = self.best.outcome_probabilities(self._lead(one, other))
                slope = (wins - losses - games * (win - loss)) / 2
                for which, sign in ((one, 1), (other, -1), (len(number), 1)):
                    slopes[which] += sign * slope
                    information[which] += games * (win + loss - (win - loss) ** 2) / 4
            for which, slope in slopes.items():
                spreads[which].add(slope, information[which], times)
        return spreads

    def _lead(self, one: int, other: int) -> float:
        return self.best.strengths[one] - self.best.strengths[other] + (self.best.first_seat or 0.0)

    def lead(self) -> list[float]:
        """Return the lead of the first of two over the second, and the ends of the interval, in nats."""
        lead = self.best.strengths[0] - self.best.strengths[1]
        top = log_likelihood(self.best, self._cells, self._prior)

        def fallen(other: float) -> float:
            held = fit(2, self._cells, self._prior, self.best, held={0: other / 2, 1: -other / 2})
            return 2 * (top - log_likelihood(held, self._cells, self._prior))

        return _interval(lead, fallen, _DROP * self._spreads[0].dispersion, math.sqrt(self._variance(0, 1)))

    def strength(self, i: int) -> list[float]:
        """Return a player's strength, and the ends of its interval, in nats."""
        own, share = self.best.strengths[i], 1 / len(self.best.strengths)
        rows = range(len(self.best.strengths))
        mean = sum(self._covariance[i][j] for j in rows) * share
        variance = self._covariance[i][i] - 2 * mean + self._of_mean

        def likelihood(other: float) -> float:
            total = -sum(
                games * math.log1p(math.exp(sign * other)) for sign, games in zip((-1, 1), self._prior[i], strict=True)
            )
            for sign, (first, second, *counts) in self._own[i]:
                lead = self._lead(first, second) + sign * (other - own)
                total += lead_log_likelihood(self.best, lead, *counts)
            return total

        return self._widened_interval(own, likelihood, variance, self._spreads[i].dispersion)

    def first_seat(self) -> list[float]:
        """Return the value of the first seat, and the ends of its interval, in nats."""
        own, which = self.best.first_seat or 0.0, len(self.best.strengths)

        def likelihood(other: float) -> float:
            total = -sum(
                games * math.log1p(math.exp(sign * other)) for sign, games in zip((-1, 1), self._prior[-1], strict=True)
            )
            for first, second, *counts in self._cells:
                total += lead_log_likelihood(self.best, self._lead(first, second) + other - own, *counts)
            return total

        return self._widened_interval(own, likelihood, self._covariance[which][which], self._spreads[which].dispersion)

    def _widened_interval(
        self, own: float, likelihood: Callable[[float], float], variance: float, dispersion: float
    ) -> list[float]:
        """Return the likelihood interval with all other parameters fixed, widened by their uncertainty."""
        step = 1e-3
        top = likelihood(own)
        curvature = (2 * top - likelihood(own + step) - likelihood(own - step)) / step**2
        drop = _DROP * dispersion * variance * curvature
        return _interval(own, lambda other: 2 * (top - likelihood(other)), drop, math.sqrt(variance))

    def compare(self, i: int, j: int) -> PairTest:
        """Test by Student's t, from the ratings, whether two of several players are equally strong."""
        spreads = self._spreads[i], self._spreads[j]
        error = math.sqrt(self._variance(i, j) * max(spread.dispersion for spread in spreads))
        t = (self.best.strengths[i] - self.best.strengths[j]) / error
        p = student_tail(t, max(_FREEDOM, min(spread.units for spread in spreads) - 1))
        return PairTest(p, 1 - p / 2 if t > 0 else p / 2)

    def _variance(self, i: int, j: int) -> float:
        return self._covariance[i][i] + self._covariance[j][j] - 2 * self._covariance[i][j]


class _Spread:
    """Return the squared differences of units from their expectation, and the variance of independent games."""

    def __init__(self) -> None:
        self.units, self._squares, self._expected = 0, 0.0, 0.0

    def add(self, slope: float, information: float, times: int) -> None:
        self.units += times
        self._squares += slope * slope * times
        self._expected += information * times

    @property
    def dispersion(self) -> float:
        """Return the variance of units relative to independent games; 1 if there are too few.

        Units with a nearly certain result say little about it. So units are weighted by their information; a pair of
        games between equals without draws has weight 1.
        """
        if self.units < 2 or not self._expected:
            return 1.0
        told = min(2 * self._expected, self.units)
        seen = self._squares / self._expected * self.units / (self.units - 1)
        return (told * seen + _SHRINK) / (told + _SHRINK)


def _interval(own: float, fallen: Callable[[float], float], drop: float, error: float) -> list[float]:
    """Return `own`, where a function is 0, and the points below and above it where the function reaches `drop`."""
    return [own, *(_end(own, fallen, drop, sign * error * math.sqrt(_DROP)) for sign in (-1, 1))]


def _end(own: float, fallen: Callable[[float], float], drop: float, step: float) -> float:
    """Return where a convex function that grows from 0 at `own` reaches `drop`, on the side of `step`.

    Uses the rule of false position on the square root of the function, which is nearly straight (the Illinois variant,
    M. Dowell and P. Jarratt, BIT 11, 1971).
    """
    wanted = math.sqrt(drop)

    def lacking(at: float) -> float:
        return math.sqrt(max(0.0, fallen(at))) - wanted

    near, far, below = own, own + step, -wanted
    while (above := lacking(far)) < 0 and abs(far - own) < 1e3:
        near, far, below = far, far + 2 * (far - own), above
    for _ in range(_STEPS):
        at = far - above * (far - near) / (above - below)
        value = lacking(at)
        if abs(value) < _NEARLY * wanted:
            return at
        if value > 0:
            far, above, below = at, value, below / 2
        else:
            near, below, above = at, value, above / 2
    return far


def _agree_with_test(lead: list[float], test: PairTest) -> list[float]:
    """Return the interval of a lead.

    If interval and test disagree on whether there is a difference, the nearer end becomes 0. They disagree if the exact
    test of a few pairs is less certain than the likelihood of all games.
    """
    own, low, high = lead
    if not test.significant:
        return [own, min(low, 0.0), max(high, 0.0)]
    if own > 0 and test.superiority > 0.5:
        return [own, max(low, 0.0), high]
    return [own, low, min(high, 0.0)] if own < 0 and test.superiority < 0.5 else lead


def _in_elo(nats: Sequence[float], scale: float = 1.0) -> Rating:
    return Rating(*(value * scale * ELO_PER_NAT for value in nats))


def _cells(number: dict[str, int], units: Iterable[MeetingGroup]) -> list[Cell]:
    """Sum all meetings by the players and their seats."""
    sums: dict[tuple[int, int], list[float]] = {}
    for meetings, times in units:
        for first, second, *counts in meetings:
            total = sums.setdefault((number[first], number[second]), [0.0, 0.0, 0.0])
            for i, count in enumerate(counts):
                total[i] += times * count
    return [Cell(*who, *total) for who, total in sums.items()]


def _groups(meetings: Iterable[Meeting]) -> list[tuple[str, ...]]:
    """Return the groups of players that games link, the largest first; of equal ones, the first that met."""
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
