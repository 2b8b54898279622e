"""The test of two players' pairs has the p-values of scipy, and the error rates that it claims."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from tournaments.pair_test import MIN_PAIRS_FOR_T_TEST, pair_test, student_t_tail


def by_scipy(differences: Sequence[int]) -> float:
    """Return the two-sided p-value: over all signs for few pairs, else by the t-test."""
    if not sum(differences) or len(differences) == 1:  # which scipy refuses
        return 1.0
    if len(differences) < MIN_PAIRS_FOR_T_TEST:
        scipy_result = stats.permutation_test((differences,), np.sum, permutation_type="samples", n_resamples=np.inf)
        return float(scipy_result.pvalue)
    with np.errstate(divide="ignore"):
        return float(stats.ttest_1samp(differences, 0).pvalue)


@pytest.mark.parametrize("seed", range(200))
def test_scipy_finds_the_same_p_value(seed: int) -> None:
    rng = random.Random(seed)
    pairs = rng.choice([1, 2, 3, 5, 7, 8, 9, 10, 12, 20, 60, 400, 5_000])
    shares = [rng.random() ** 2 for _ in range(5)]
    differences = rng.choices((-2, -1, 0, 1, 2), shares, k=pairs)
    least_p_value = 2.0 ** (1 - min(pairs, 1000))  # the smallest p-value that the exact test can give
    test_result = pair_test(Counter(differences))
    expected = by_scipy(differences)
    assert test_result.p_value == pytest.approx(
        max(expected, least_p_value if pairs >= MIN_PAIRS_FOR_T_TEST else 0), rel=1e-6
    )
    mirrored = pair_test(Counter(-difference for difference in differences))
    assert mirrored.p_value == pytest.approx(test_result.p_value)
    assert mirrored.superiority_probability == pytest.approx(1 - test_result.superiority_probability)


@pytest.mark.parametrize("freedom", [1, 2, 9, 40, 5_000, 100_000])
@pytest.mark.parametrize("t", [0.0, 0.1, 1.0, 1.96, 5.0, 30.0])
def test_students_tail_is_scipys(t: float, freedom: int) -> None:
    assert student_t_tail(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9, abs=1e-290)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ({2: 5}, 2 / 2**5),  # 10:0, which in five pairs may still be chance
        ({2: 6}, 2 / 2**6),
        ({2: 5, 1: 1}, 2 / 2**6),
        ({2: 5, 0: 3}, 2 / 2**5),
        ({2: 20}, 2 / 2**20),  # the t-test has no error here to compare with
        ({0: 50}, 1.0),
        ({}, 1.0),
        ({1: 3, -1: 3, 0: 100}, 1.0),
    ],
    ids=str,
)
def test_known_p_values(differences: dict[int, int], p: float) -> None:
    assert pair_test(differences).p_value == pytest.approx(p)


def test_small_p_values_are_not_clipped() -> None:
    """For 273:12:115 of 400 games, a plain test gives 10⁻¹⁵."""
    games = pair_test({1: 273, 0: 12, -1: 115})
    pairs = pair_test({2: 95, 1: 6, 0: 77, -1: 6, -2: 16})
    assert games.p_value < 1e-15
    assert pairs.p_value < 1e-12
    assert games.superiority_probability > 1 - 1e-14


@pytest.mark.parametrize("pairs", [3, 6, 8, 9])
@pytest.mark.parametrize("draws", [0.0, 0.3, 0.6])
def test_equal_players_are_rarely_called_different_after_few_pairs(pairs: int, draws: float) -> None:
    p = equal_matches(pairs, draws, 20_000)
    for level in (0.01, 0.05, 0.1, 0.2, 0.5):
        assert np.mean(p <= level) <= level + 4 * math.sqrt(level * (1 - level) / len(p))


@pytest.mark.parametrize("pairs", [10, 14, 20, 40, 100])
@pytest.mark.parametrize("draws", [0.0, 0.3, 0.6])
def test_p_values_of_equal_players_are_uniform(pairs: int, draws: float) -> None:
    p = equal_matches(pairs, draws, 20_000)
    assert 0.04 <= np.mean(p <= 0.05) <= 0.06
    assert np.mean(p <= 0.01) <= 0.015
    for level in (0.1, 0.2, 0.3, 0.5, 0.7):  # scores are whole numbers: p has as many steps as they have
        assert np.mean(p < level) - 0.08 <= level <= np.mean(p <= level) + 0.08


def equal_matches(pairs: int, draws: float, matches: int) -> np.ndarray:
    """Return the p-values of simulated matches between equal players."""
    game = np.array([(1 - draws) / 2, draws, (1 - draws) / 2])
    count_tables = np.random.default_rng(5).multinomial(pairs, np.convolve(game, game), size=matches)
    tables, back = np.unique(count_tables, axis=0, return_inverse=True)
    p_values = [pair_test(dict(zip((-2, -1, 0, 1, 2), map(int, table), strict=True))).p_value for table in tables]
    return np.array(p_values)[back.ravel()]


@pytest.mark.parametrize(
    ("differences", "games"), [({2: 5}, 10), ({2: 8, -2: 5, 0: 9}, 44), ({1: 30, 0: 40, -1: 21}, 182)]
)
def test_the_needed_further_games_make_a_result_significant(differences: dict[int, int], games: int) -> None:
    test = pair_test(differences)
    assert not test.is_significant
    games_needed = test.further_games_needed(games)
    as_many = 1 + games_needed / games
    assert pair_test({d: math.ceil(times * as_many * 1.15) for d, times in differences.items()}).is_significant
    assert not pair_test({d: math.floor(times * as_many * 0.8) for d, times in differences.items()}).is_significant
    assert pair_test({1: 1, -1: 1}).further_games_needed(2) == math.inf
