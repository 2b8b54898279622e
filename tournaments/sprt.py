"""The sequential probability ratio test (SPRT) of whether one player is better than another.

The module uses counts only: no games, no store, no screen.

The test compares the likelihoods of two hypotheses after each result. It ends when the ratio of the likelihoods leaves
an interval that depends on the error rates alpha and beta (A. Wald, Sequential Tests of Statistical Hypotheses, Annals
of Mathematical Statistics 16, 1945). In this module the hypotheses are leads in normalized Elo. The other parameters,
such as the share of draws and the dependence within a pair, are fitted under each hypothesis (M. Van den Bergh,
Normalized Elo; A Practical Introduction, 2020, section 4.1), as in the testing framework of Stockfish.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gomogo_core.errors import UserError

# the normalized Elo of a mean score that is one standard deviation of a game's score above one half
NORMALIZED_ELO = 800 / math.log(10)
MAX_ELO = 1_000
ZERO_COUNT_REPLACEMENT = 1e-3  # takes the place of a count of 0, so that no result is impossible
_MAX_LINEARIZATIONS = 200
_PRECISION = 1e-12
_MAX_SLOPE = 40.0  # with this slope, nearly the whole distribution is at one end

CONTINUE, ACCEPT_H0, ACCEPT_H1 = "continue", "H0", "H1"


class SprtVerdict(NamedTuple):
    """The state of a test. llr: the logarithm of the likelihood ratio of H1 to H0. lower, upper: the bounds of llr.
    verdict: "H0", "H1" or "continue".
    """

    llr: float
    lower: float
    upper: float
    verdict: str

    def summary(self) -> str:
        """Return the state of the test in one sentence."""
        states = {ACCEPT_H0: "H0 is accepted", ACCEPT_H1: "H1 is accepted", CONTINUE: "not decided yet"}
        return f"LLR {self.llr:+.2f}, bounds {self.lower:.2f} and {self.upper:.2f}: {states[self.verdict]}."


class Sprt(NamedTuple):
    """A test of two hypotheses about the first player's lead in normalized Elo: `elo0` under H0, `elo1` under H1.

    alpha: the probability of accepting H1 if H0 is true. beta: the probability of accepting H0 if H1 is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @staticmethod
    def create(elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> Sprt:
        """Return the test with these parameters. Raises UserError if one of them is invalid."""
        if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
            raise UserError(
                f"elo0={elo0:g} and elo1={elo1:g} are not valid hypotheses.",
                f"Choose elo0 less than elo1, both between -{MAX_ELO} and {MAX_ELO}.",
            )
        for name, rate in (("alpha", alpha), ("beta", beta)):
            if not 0 < rate < 0.5:
                remedy = f"Choose a number above 0 and below 0.5 for {name}."
                raise UserError(f"{name}={rate:g} is not a valid error rate.", remedy)
        return Sprt(elo0, elo1, alpha, beta)

    def bounds(self) -> tuple[float, float]:
        """Return the log-likelihood ratio at which H0 is accepted, and the ratio at which H1 is accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def compute_verdict(self, counts: Sequence[int]) -> SprtVerdict:
        """Return the state of the test for these results. counts: the same as for `log_likelihood_ratio`."""
        lower, upper = self.bounds()
        llr = log_likelihood_ratio(counts, self.elo0, self.elo1) if any(counts) else 0.0
        return SprtVerdict(llr, lower, upper, ACCEPT_H1 if llr >= upper else ACCEPT_H0 if llr <= lower else CONTINUE)


def log_likelihood_ratio(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """Return the log-likelihood ratio of "the first player is better by `elo1`" to "better by `elo0`".

    counts: either five numbers, of the pairs of games in which the first player scored 0, ½, 1, 1½ and 2; or three
    numbers, of its losses, draws and wins. Raises ValueError for another number of counts.
    """
    if len(counts) not in (3, 5):
        raise ValueError(f"{len(counts)} counts: there are 3 results of a game, and 5 of a pair")
    positive_counts = [count or ZERO_COUNT_REPLACEMENT for count in counts]
    total = sum(positive_counts)
    observed = [count / total for count in positive_counts]
    # the standard deviation of a pair's mean score is that of a game's score divided by the square root of two
    scale = (math.sqrt(2) if len(counts) == 5 else 1.0) / NORMALIZED_ELO
    fit0, fit1 = (fit_distribution(observed, elo * scale) for elo in (elo0, elo1))
    shares = zip(observed, fit0, fit1, strict=True)
    return total * sum(share * math.log(share1 / share0) for share, share0, share1 in shares)


def fit_distribution(observed: Sequence[float], t: float) -> list[float]:
    """Return the distribution with the highest likelihood of `observed` whose mean is `t` standard deviations above one
    half.

    Both distributions are shares of equally spaced scores from 0 to 1. The condition on the mean is not linear. So the
    condition is linearized at the current distribution, repeatedly, until the distribution no longer changes (Van den
    Bergh, section 4.1).
    """
    last_index = len(observed) - 1
    scores = [index / last_index for index in range(last_index + 1)]
    distribution = _create_tilted_distribution(scores, t)
    for _ in range(_MAX_LINEARIZATIONS):
        mean, deviation = _mean_and_deviation(distribution, scores)
        linearized = [score - 0.5 - t * deviation * (1 + ((mean - score) / deviation) ** 2) / 2 for score in scores]
        previous, distribution = distribution, _fit_zero_mean_distribution(observed, linearized)
        if max(abs(new - old) for new, old in zip(distribution, previous, strict=True)) < _PRECISION:
            break
    return distribution


def _create_tilted_distribution(scores: Sequence[float], t: float) -> list[float]:
    """Return the exponential distribution over these scores whose mean is `t` standard deviations above one half."""

    def tilted_shares(slope: float) -> list[float]:
        weights = [math.exp(slope * (score - (slope > 0))) for score in scores]
        return [weight / sum(weights) for weight in weights]

    def mean_deficit(slope: float) -> float:
        mean, deviation = _mean_and_deviation(tilted_shares(slope), scores)
        return t * deviation - (mean - 0.5)

    return tilted_shares(_bisect(mean_deficit, -_MAX_SLOPE, _MAX_SLOPE))


def _mean_and_deviation(shares: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation of scores with these shares."""
    mean = sum(share * score for share, score in zip(shares, scores, strict=True))
    return mean, math.sqrt(sum(share * (score - mean) ** 2 for share, score in zip(shares, scores, strict=True)))


def _fit_zero_mean_distribution(observed: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the distribution with the highest likelihood of `observed` under which `values` have the mean 0.

    Some values must be below 0 and some above. With a Lagrange multiplier x the shares are p / (1 + x · value), where x
    makes their sum 1 (A. Owen, Biometrika 75, 1988).
    """

    def mean(multiplier: float) -> float:
        return sum(share * value / (1 + multiplier * value) for share, value in zip(observed, values, strict=True))

    multiplier = _bisect(mean, -1 / max(values), -1 / min(values))
    return [share / (1 + multiplier * value) for share, value in zip(observed, values, strict=True)]


def _bisect(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a decreasing function by bisection. The function must be positive at `low` and negative at
    `high`.
    """
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return middle
        if function(middle) > 0:
            low = middle
        else:
            high = middle
