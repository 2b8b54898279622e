"""The significance test for two players, from the results of their pairs of games.

The module knows counts only: no games, no store, no screen. The null hypothesis is that both players are equally
strong, so that each result of a pair is as likely as its opposite. For up to nine pairs the test is exact: it counts
all combinations of signs of the pairs' results (R. A. Fisher, The Design of Experiments, 1935, section 21). From ten
pairs on, the test is Student's t-test. At the 5 % level, the t-test calls 4 to 5.5 % of equal players different. The
exact test would call 1 to 4 % different; it is conservative, because many pairs end 1:1. The t-test of eight pairs
would call 6.5 % different.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import NamedTuple

SIGNIFICANCE_LEVEL = 0.05  # a p-value up to this shows that one player is better
T_TEST_PAIRS = 10  # from this number of pairs on, the t-test is as good as the exact test
_MAX_TERMS = 100_000  # the most terms of a continued fraction; it needs about the square root of the number of pairs
_PRECISION = 1e-15
_TINY = 1e-300


class PairTest(NamedTuple):
    """The result of a test of two players. p: the two-sided p-value of equal strength. superiority: the likelihood of
    superiority (LOS) of the first player.
    """

    p: float
    superiority: float

    @property
    def is_significant(self) -> bool:
        """Return whether the test shows that one of the two players is better."""
        return self.p <= SIGNIFICANCE_LEVEL

    def further_games_needed(self, games: float) -> float:
        """Return the number of further games after which the difference might be significant; may be infinite.

        games: the number of games played. After that number of further games with similar results, the lead will be
        1.96 times its error, because the error falls with the square root of the number of games.
        """
        share = 1 - self.p / 2 if self.p < 1 else max(self.superiority, 1 - self.superiority)  # one pair has p = 1
        z = NormalDist().inv_cdf(share) if share < 1 else math.inf
        wanted = NormalDist().inv_cdf(1 - SIGNIFICANCE_LEVEL / 2)
        return games * max(0.0, (wanted / z) ** 2 - 1) if z else math.inf


def pair_test(differences: Mapping[int, int]) -> PairTest:
    """Test the results of pairs of games between two players.

    differences: the number of pairs for each difference of wins and losses. A game that is not part of a pair counts as
    a pair of its own.
    """
    pairs = sum(differences.values())
    ahead = sum(difference * times for difference, times in differences.items())
    if ahead == 0:
        return PairTest(1.0, 0.5)
    if pairs < T_TEST_PAIRS:
        return _sign_flip_test(differences, ahead)
    squares = sum(difference**2 * times for difference, times in differences.items())
    rest = squares - ahead**2 / pairs
    tail = (
        student_t_tail(abs(ahead) / math.sqrt(pairs * rest / (pairs - 1)), pairs - 1)
        if rest > _PRECISION * squares
        else 0
    )
    p = max(tail, 2.0 ** (1 - min(pairs, 1000)))  # the smallest p-value of the exact test for this number of pairs
    return PairTest(p, 1 - p / 2 if ahead > 0 else p / 2)


def _sign_flip_test(differences: Mapping[int, int], ahead: int) -> PairTest:
    """Return the result of the sign-flip test. Its p-value is the share of sign combinations with at least this sum."""
    ways = {0: 1}
    for difference, times in differences.items():
        for _ in range(times if difference else 0):
            after: dict[int, int] = {}
            for total, number in ways.items():
                for sign in (difference, -difference):
                    after[total + sign] = after.get(total + sign, 0) + number
            ways = after
    both = sum(number for total, number in ways.items() if abs(total) >= abs(ahead))
    below = sum(number for total, number in ways.items() if total < ahead)
    every = sum(ways.values())
    return PairTest(both / every, (below + ways[ahead] / 2) / every)


def student_t_tail(t: float, degrees_of_freedom: float) -> float:
    """Return the probability that the absolute value of Student's t with these degrees of freedom is at least `t`."""
    return _incomplete_beta(
        degrees_of_freedom / 2,
        0.5,
        degrees_of_freedom / (degrees_of_freedom + t * t),
        t * t / (degrees_of_freedom + t * t),
    )


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularized incomplete beta function of `x`. rest: 1 - x, which a caller may know more precisely.

    Lentz's method evaluates the function's continued fraction (NIST Digital Library of Mathematical Functions,
    8.17.22).
    """
    if x <= 0 or rest <= 0:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest))
    upper, lower = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    found = lower
    for m in range(1, _MAX_TERMS):
        before = found
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            lower = 1 / _away_from_zero(1 + term * lower)
            upper = _away_from_zero(1 + term / upper)
            found *= lower * upper
        if abs(found - before) <= _PRECISION * abs(found):
            break
    return scale * found / a


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
