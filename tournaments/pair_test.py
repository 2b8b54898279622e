"""The significance test for two players, from the results of their pairs of games.

The module uses counts only: no games, no store, no screen. The null hypothesis is that both players are equally
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

SIGNIFICANCE_LEVEL = 0.05  # a p-value up to this level shows that one player is better
MIN_PAIRS_FOR_T_TEST = 10  # from this number of pairs on, the t-test is as good as the exact test
_MAX_TERMS = 100_000  # a continued fraction needs about as many terms as the square root of the number of pairs
_PRECISION = 1e-15  # the relative precision of a continued fraction
_MIN_MAGNITUDE = 1e-300  # takes the place of 0 in a denominator


class PairTestResult(NamedTuple):
    """The result of a significance test for two players. p_value: the two-sided p-value of equal strength.
    superiority_probability: the likelihood of superiority (LOS) of the first player.
    """

    p_value: float
    superiority_probability: float

    @property
    def is_significant(self) -> bool:
        """Return whether the test shows that one of the two players is better."""
        return self.p_value <= SIGNIFICANCE_LEVEL

    def further_games_needed(self, games: float) -> float:
        """Return the number of further games after which the difference might be significant; may be infinite.

        games: the number of games played. After that number of further games with similar results, the lead will be
        1.96 times its error, because the error falls with the square root of the number of games.
        """
        share = 1 - self.p_value / 2
        if self.p_value == 1:  # as for a single pair
            share = max(self.superiority_probability, 1 - self.superiority_probability)
        quantile = NormalDist().inv_cdf(share) if share < 1 else math.inf
        needed_quantile = NormalDist().inv_cdf(1 - SIGNIFICANCE_LEVEL / 2)
        return games * max(0.0, (needed_quantile / quantile) ** 2 - 1) if quantile else math.inf


def pair_test(differences: Mapping[int, int]) -> PairTestResult:
    """Test whether two players are equally strong, by the results of their pairs of games.

    differences: the number of pairs for each difference of wins and losses. A game that is not part of a pair counts as
    a pair of its own.
    """
    pair_count = sum(differences.values())
    difference_sum = sum(difference * count for difference, count in differences.items())
    if difference_sum == 0:
        return PairTestResult(1.0, 0.5)
    if pair_count < MIN_PAIRS_FOR_T_TEST:
        return _sign_flip_test(differences, difference_sum)
    squares = sum(difference**2 * count for difference, count in differences.items())
    residual = squares - difference_sum**2 / pair_count
    p = 2.0 ** (1 - min(pair_count, 1000))  # the smallest p-value of the exact test for this number of pairs
    if residual > _PRECISION * squares:
        t = abs(difference_sum) / math.sqrt(pair_count * residual / (pair_count - 1))
        p = max(p, student_t_tail(t, pair_count - 1))
    return PairTestResult(p, 1 - p / 2 if difference_sum > 0 else p / 2)


def _sign_flip_test(differences: Mapping[int, int], difference_sum: int) -> PairTestResult:
    """Return the result of the sign-flip test. Its p-value is the share of the sign combinations whose sum is at least
    as far from 0 as `difference_sum`.
    """
    counts_by_sum = {0: 1}
    for difference, count in differences.items():
        for _ in range(count if difference else 0):
            next_counts: dict[int, int] = {}
            for signed_sum, combinations in counts_by_sum.items():
                for sign in (difference, -difference):
                    next_counts[signed_sum + sign] = next_counts.get(signed_sum + sign, 0) + combinations
            counts_by_sum = next_counts
    sums = counts_by_sum.items()
    count_as_extreme = sum(count for signed_sum, count in sums if abs(signed_sum) >= abs(difference_sum))
    count_below = sum(count for signed_sum, count in sums if signed_sum < difference_sum)
    total_count = sum(counts_by_sum.values())
    return PairTestResult(
        count_as_extreme / total_count, (count_below + counts_by_sum[difference_sum] / 2) / total_count
    )


def student_t_tail(t: float, degrees_of_freedom: float) -> float:
    """Return the probability that the absolute value of Student's t with these degrees of freedom is at least `t`."""
    total = degrees_of_freedom + t * t
    return _incomplete_beta(degrees_of_freedom / 2, 0.5, degrees_of_freedom / total, t * t / total)


def _incomplete_beta(a: float, b: float, x: float, complement: float) -> float:
    """Return the regularized incomplete beta function of `x`. complement: 1 - x, which a caller may know more
    precisely.

    Lentz's method evaluates the function's continued fraction (NIST Digital Library of Mathematical Functions,
    8.17.22).
    """
    if x <= 0 or complement <= 0:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, complement, x)
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(complement))
    upper, lower = 1.0, 1 / _avoid_zero(1 - (a + b) * x / (a + 1))
    fraction = lower
    for n in range(1, _MAX_TERMS):
        previous = fraction
        for term in (
            n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n)),
            -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1)),
        ):
            lower = 1 / _avoid_zero(1 + term * lower)
            upper = _avoid_zero(1 + term / upper)
            fraction *= lower * upper
        if abs(fraction - previous) <= _PRECISION * abs(fraction):
            break
    return scale * fraction / a


def _avoid_zero(value: float) -> float:
    return value if abs(value) > _MIN_MAGNITUDE else _MIN_MAGNITUDE
