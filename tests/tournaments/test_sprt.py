"""The sequential test agrees with scipy's constrained maximum, with published values, and with simulated matches."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest
from scipy import optimize

from gomogo_core.errors import UserError
from tournaments.sprt import (
    ACCEPT_H0,
    ACCEPT_H1,
    CONTINUE,
    NORMALIZED_ELO,
    Sprt,
    fit_distribution,
    log_likelihood_ratio,
)


def t_of(shares: np.ndarray) -> float:
    """Return the number of standard deviations by which the mean of equally spaced scores exceeds one half."""
    scores = np.linspace(0, 1, len(shares))
    mean = float(shares @ scores)
    return (mean - 0.5) / math.sqrt(float(shares @ (scores - mean) ** 2))


def by_scipy(observed: np.ndarray, t: float) -> np.ndarray:
    """Return the most likely distribution whose t-value is `t`."""
    scipy_fit = optimize.minimize(
        lambda p: -float(observed @ np.log(p)),
        np.full(len(observed), 1 / len(observed)),
        jac=lambda p: -observed / p,
        bounds=[(1e-9, 1)] * len(observed),
        constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": lambda p: t_of(p) - t}],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1_000},
    )
    return np.asarray(scipy_fit.x)


COUNTS = [(12, 51, 80, 44, 9), (3, 10, 24, 14, 5), (20, 31, 29), (100, 3, 240, 5, 110), (1, 0, 7, 2, 0)]


@pytest.mark.parametrize("counts", COUNTS, ids=str)
@pytest.mark.parametrize("t", [-0.2, 0.0, 0.05, 0.4])
def test_scipy_finds_the_same_distribution(counts: tuple[int, ...], t: float) -> None:
    counts_seen = np.array([count or 1e-3 for count in counts])
    observed = counts_seen / counts_seen.sum()
    distribution = np.array(fit_distribution(list(observed), t))
    assert t_of(distribution) == pytest.approx(t, abs=1e-9)
    assert distribution.sum() == pytest.approx(1)
    scipys = by_scipy(observed, t)
    assert observed @ np.log(distribution) == pytest.approx(observed @ np.log(scipys), abs=1e-7)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [  # as the program computes it that Stockfish's testing framework uses, run apart from ours
        ((12, 51, 80, 44, 9), 0, 5, -0.317347460),
        ((3, 10, 24, 14, 5), 0, 10, 0.278929972),
        ((20, 31, 29), -5, 5, 0.330982478),
        ((100, 3, 240, 5, 110), 2, 4.5, 0.102881401),
        ((0, 20, 500, 900, 400), 0, 30, 138.466586551),
        ((1, 0, 7, 2, 0), 0, 20, -0.031908108),
    ],
)
def test_the_likelihood_ratio_equals_the_published_values(
    counts: tuple[int, ...], elo0: float, elo1: float, llr: float
) -> None:
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(llr, abs=1e-6)


@pytest.mark.parametrize("t", [-4.0, -1.2, 0.7, 2.5, 4.0])
@pytest.mark.parametrize(
    "observed", [(0.999, 0.0004, 0.0002, 0.0002, 0.0002), (0.2, 0.1, 0.4, 0.1, 0.2), (0.3, 0.3, 0.4)]
)
def test_the_fitted_distribution_has_the_requested_t_far_from_the_observation(
    observed: tuple[float, ...], t: float
) -> None:
    assert t_of(np.array(fit_distribution(observed, t))) == pytest.approx(t, abs=1e-6)


def test_reversed_results_negate_the_likelihood_ratio() -> None:
    forwards = log_likelihood_ratio((12, 51, 80, 44, 9), -3, 7)
    assert log_likelihood_ratio((9, 44, 80, 51, 12), -7, 3) == pytest.approx(-forwards)


def test_twice_as_many_results_double_the_likelihood_ratio() -> None:
    assert log_likelihood_ratio((24, 102, 160, 88, 18), 0, 5) == pytest.approx(
        2 * log_likelihood_ratio((12, 51, 80, 44, 9), 0, 5)
    )


def test_verdicts_and_bounds() -> None:
    sprt = Sprt.create(0, 10)
    assert list(sprt.bounds()) == pytest.approx([-math.log(19), math.log(19)])
    assert sprt.compute_verdict((0, 0, 0, 0, 0)).verdict == CONTINUE
    assert sprt.compute_verdict((0, 0, 0, 0, 0)).llr == 0
    assert sprt.compute_verdict((0, 20, 500, 900, 400)).verdict == ACCEPT_H1
    assert sprt.compute_verdict((400, 900, 500, 20, 0)).verdict == ACCEPT_H0
    uneven = Sprt.create(0, 10, alpha=0.01, beta=0.1).bounds()
    assert list(uneven) == pytest.approx([math.log(0.1 / 0.99), math.log(0.9 / 0.01)])


@pytest.mark.parametrize("bad", [(10, 0), (5, 5), (0, 5_000), (float("nan"), 5), (0, 5, 0.0), (0, 5, 0.05, 0.5)])
def test_impossible_sprt_bounds_are_refused(bad: tuple[float, ...]) -> None:
    with pytest.raises(UserError):
        Sprt.create(*bad)


def test_counts_of_neither_games_nor_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="4 counts"):
        log_likelihood_ratio((1, 2, 3, 4), 0, 5)


def simulated(sprt: Sprt, elo: float, runs: int, seed: int) -> float:
    """Return the share of simulated matches with many draws that accept H1. elo: the first player's lead."""
    even_shares = [0.06, 0.24, 0.4, 0.24, 0.06]
    shares = fit_distribution(even_shares, elo * math.sqrt(2) / NORMALIZED_ELO)
    rng, accepted = random.Random(seed), 0
    for _ in range(runs):
        counts = [0] * 5
        while True:
            counts[rng.choices(range(5), shares)[0]] += 1
            if (verdict := sprt.compute_verdict(counts).verdict) != CONTINUE:
                accepted += verdict == ACCEPT_H1
                break
    return accepted / runs


@pytest.mark.slow
def test_the_sprt_detects_a_much_stronger_player() -> None:
    assert simulated(Sprt.create(0, 150), 150, 30, 1) > 0.8
    assert simulated(Sprt.create(0, 150), 0, 30, 2) < 0.2


@pytest.mark.long
@pytest.mark.parametrize(("elo", "min_share", "max_share"), [(0, 0.0, 0.065), (60, 0.935, 1.0)])
def test_the_sprt_errs_as_often_as_its_levels(elo: float, min_share: float, max_share: float) -> None:
    share = simulated(Sprt.create(0, 60), elo, 1_000, 5)
    print(f"true {elo} Elo: H1 accepted in {share:.3f}")
    assert min_share <= share <= max_share


def test_json_has_plain_numbers() -> None:
    assert set(json.loads(json.dumps(Sprt.create(0, 5).compute_verdict((1, 2, 3, 4, 5))._asdict()))) == {
        "llr",
        "lower",
        "upper",
        "verdict",
    }
