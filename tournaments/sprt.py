"""The sequential test of whether one player is better than another: play until the results decide.

Uses counts only: no games, no store, no screen.

A. Wald, Sequential Tests of Statistical Hypotheses, Annals of Mathematical Statistics 16 (1945): the test compares the
likelihoods of two hypotheses after each result, and ends when their ratio leaves two bounds, which alpha and beta give.
Here the hypotheses are strengths in normalized Elo. All else about the results (the share of draws, the dependence in a
pair) is the best fit under each: M. Van den Bergh, Normalized Elo; A Practical Introduction (2020), section 4.1, and as
the testing framework of Stockfish computes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gomogo_core.errors import UserError

NORMALIZED_ELO = 800 / math.log(10)  # normalized Elo of a mean score one standard deviation (of a game) above one half
MOST_ELO = 1_000
NEVER_SEEN = 1e-3  # the value for a count of 0, so that no outcome counts as impossible
_ITERATIONS = 200
_SMALL = 1e-12
_STEEPEST = 40.0  # with this slope, nearly all of the distribution is at one end

CONTINUE, ACCEPT_H0, ACCEPT_H1 = "continue", "H0", "H1"


class SprtVerdict(NamedTuple):
    """The state of a test. llr: the logarithm of the likelihood ratio of H1 to H0. verdict: H0, H1, continue."""

    llr: float
    lower: float
    upper: float
    verdict: str

    def summary(self) -> str:
        """Return the same as a line of text."""
        ends = {ACCEPT_H0: "H0 is accepted", ACCEPT_H1: "H1 is accepted", CONTINUE: "not decided yet"}
        return f"LLR {self.llr:+.2f}, bounds {self.lower:.2f} and {self.upper:.2f}: {ends[self.verdict]}."


class Sprt(NamedTuple):
    """Test H1 (the first player is better by `elo1`) against H0 (it is better by `elo0`), in normalized Elo.

    alpha: the probability of accepting H1 if H0 is true. beta: the probability of accepting H0 if H1 is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @staticmethod
    def of(elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> Sprt:
        """Create the test with these numbers. Raises UserError for impossible ones."""
        if not -MOST_ELO <= elo0 < elo1 <= MOST_ELO:
            raise UserError(
                f"elo0={elo0:g} and elo1={elo1:g} do not make two hypotheses.",
                f"Choose elo0 less than elo1, both between -{MOST_ELO} and {MOST_ELO}.",
            )
        for name, rate in (("alpha", alpha), ("beta", beta)):
            if not 0 < rate < 0.5:
                raise UserError(f"{name} {rate:g} is not a valid error rate.", f"Let {name} be above 0 and below 0.5.")
        return Sprt(elo0, elo1, alpha, beta)

    def bounds(self) -> tuple[float, float]:
        """Return the log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def judge(self, counts: Sequence[int]) -> SprtVerdict:
        """Return the state for these results: counts as for `log_likelihood_ratio`. Without results, the ratio is 0."""
        lower, upper = self.bounds()
        llr = log_likelihood_ratio(counts, self.elo0, self.elo1) if any(counts) else 0.0
        return SprtVerdict(llr, lower, upper, ACCEPT_H1 if llr >= upper else ACCEPT_H0 if llr <= lower else CONTINUE)


def log_likelihood_ratio(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """Return the log-likelihood ratio of "the first player is better by `elo1`" to "better by `elo0`".

    counts: five, the numbers of pairs of games in which the first player scored 0, ½, 1, 1½ and 2; or three, its
    losses, draws and wins. Raises ValueError for another number of counts.
    """
    if len(counts) not in (3, 5):
        raise ValueError(f"{len(counts)} counts: there are 3 results of a game, and 5 of a pair")
    seen = [count or NEVER_SEEN for count in counts]
    total = sum(seen)
    observed = [count / total for count in seen]
    # the mean of a pair spreads less than a game: by the square root of two
    scale = (math.sqrt(2) if len(counts) == 5 else 1.0) / NORMALIZED_ELO
    less, more = most_likely_distribution(observed, elo0 * scale), most_likely_distribution(observed, elo1 * scale)
    return total * sum(p * math.log(b / a) for p, a, b in zip(observed, less, more, strict=True))


def most_likely_distribution(observed: Sequence[float], t: float) -> list[float]:
    """Return the distribution that makes `observed` most likely, with its mean `t` standard deviations above one half.

    Both are shares of equally spaced scores from 0 to 1. The condition is not linear. It is linearized at the last
    distribution, again and again, until the distribution no longer changes (Van den Bergh, section 4.1).
    """
    last = len(observed) - 1
    scores = [i / last for i in range(last + 1)]
    found = _tilted_distribution(scores, t)
    for _ in range(_ITERATIONS):
        mean, spread = _mean_and_spread(found, scores)
        bent = [score - 0.5 - t * spread * (1 + ((mean - score) / spread) ** 2) / 2 for score in scores]
        before, found = found, _with_mean_zero(observed, bent)
        if max(abs(p - q) for p, q in zip(found, before, strict=True)) < _SMALL:
            break
    return found


def _tilted_distribution(scores: Sequence[float], t: float) -> list[float]:
    """Return a distribution that grows or falls evenly, whose mean is `t` standard deviations above one half."""

    def tilted(slope: float) -> list[float]:
        weights = [math.exp(slope * (score - (slope > 0))) for score in scores]
        return [weight / sum(weights) for weight in weights]

    def lacking(slope: float) -> float:
        mean, spread = _mean_and_spread(tilted(slope), scores)
        return t * spread - (mean - 0.5)

    return tilted(_root_of_falling(lacking, -_STEEPEST, _STEEPEST))


def _mean_and_spread(shares: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation."""
    mean = sum(p * score for p, score in zip(shares, scores, strict=True))
    return mean, math.sqrt(sum(p * (score - mean) ** 2 for p, score in zip(shares, scores, strict=True)))


def _with_mean_zero(observed: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the likeliest distribution under which `values`, some below and some above 0, have the mean 0.

    By a Lagrange multiplier x it is p / (1 + x · value), with x such that it sums to 1 (A. Owen, Biometrika 75, 1988).
    """

    def mean(x: float) -> float:
        return sum(p * value / (1 + x * value) for p, value in zip(observed, values, strict=True))

    x = _root_of_falling(mean, -1 / max(values), -1 / min(values))
    return [p / (1 + x * value) for p, value in zip(observed, values, strict=True)]


def _root_of_falling(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a function that falls from above 0 at `low` to below 0 at `high`, by bisection."""
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return middle
        if function(middle) > 0:
            low = middle
        else:
            high = middle
