"""Ratings are the maximum of the likelihood, as other programs and pencil and paper find it."""

from __future__ import annotations

import math
import random

import choix
import numpy as np
import pytest
from scipy import optimize, stats

from tournaments.ratings import ELO_PER_NAT, Meeting, bradley_terry


def some_results(players: int, games: int, seed: int) -> list[Meeting]:
    chance = random.Random(seed)
    names = [f"p{i}" for i in range(players)]
    return [
        Meeting(a, b, games, sum(chance.choice((0, 0.5, 1)) for _ in range(games)))
        for i, a in enumerate(names)
        for b in names[:i]
    ]


def test_three_wins_to_one_loss_are_191_elo() -> None:
    ratings = bradley_terry([Meeting("ann", "bob", 40, 30)], prior_games=1e-9)
    assert ratings["ann"].elo == pytest.approx(400 * math.log10(3) / 2, abs=1e-4)
    assert ratings["bob"].elo == pytest.approx(-ratings["ann"].elo)


def test_the_interval_of_a_match_is_that_of_its_score() -> None:
    rating = bradley_terry([Meeting("ann", "bob", 40, 30)], prior_games=1e-9)["ann"]
    spread = 1 / math.sqrt(40 * 0.75 * 0.25)  # of the difference, whose half each of the two has
    assert rating.high - rating.elo == pytest.approx(1.959964 * spread / 2 * 400 / math.log(10), rel=1e-5)
    assert rating.elo - rating.low == pytest.approx(rating.high - rating.elo)


@pytest.mark.parametrize("seed", range(3))
def test_choix_finds_the_same_strengths(seed: int) -> None:
    meetings = some_results(6, 30, seed)
    ratings = bradley_terry(meetings, prior_games=1e-9)
    names = sorted(ratings)
    wins = np.zeros((6, 6))
    for first, second, games, points in meetings:
        wins[names.index(first), names.index(second)] += points
        wins[names.index(second), names.index(first)] += games - points
    expected = choix.ilsr_pairwise_dense(wins, tol=1e-12)
    assert [ratings[name].elo / ELO_PER_NAT for name in names] == pytest.approx(
        list(expected - expected.mean()), abs=1e-6
    )


@pytest.mark.parametrize("seed", range(3))
def test_scipy_finds_the_same_maximum_and_spread(seed: int) -> None:
    meetings = some_results(4, 10, seed)
    ratings = bradley_terry(meetings)
    names = sorted(ratings)

    def loss(x: np.ndarray) -> float:
        total = -0.5 * float(np.sum(np.log(stats.logistic.cdf(x)) + np.log(stats.logistic.cdf(-x))))
        for first, second, games, points in meetings:
            ahead = x[names.index(first)] - x[names.index(second)]
            total -= points * stats.logistic.logcdf(ahead) + (games - points) * stats.logistic.logcdf(-ahead)
        return total

    found = optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    strengths = [ratings[name].elo / ELO_PER_NAT for name in names]
    assert strengths == pytest.approx(list(found.x - found.x.mean()), abs=1e-5)
    centring = np.eye(4) - 0.25
    hessian = optimize.approx_fprime(found.x, lambda x: optimize.approx_fprime(x, loss, 1e-5), 1e-5)
    spreads = np.sqrt(np.diag(centring @ np.linalg.inv(hessian) @ centring)) * 1.959964 * ELO_PER_NAT
    assert [ratings[name].high - ratings[name].elo for name in names] == pytest.approx(list(spreads), rel=0.01)


def test_who_never_lost_has_a_finite_rating_well_above_zero() -> None:
    ratings = bradley_terry([Meeting("ann", "bob", 40, 40)])
    assert 200 < ratings["ann"].elo < 600
    assert ratings["ann"].low > 0


def test_a_few_games_say_little() -> None:
    ratings = bradley_terry([Meeting("ann", "bob", 2, 2)])
    assert ratings["ann"].low < 0 < ratings["ann"].elo


def test_the_mean_is_zero() -> None:
    assert sum(rating.elo for rating in bradley_terry(some_results(7, 5, 1)).values()) == pytest.approx(0, abs=1e-9)


def test_who_met_nobody_has_no_rating() -> None:
    assert set(bradley_terry([Meeting("ann", "bob", 3, 1), Meeting("ann", "eve", 0, 0)])) == {"ann", "bob"}
    assert bradley_terry([]) == {}
    assert bradley_terry([Meeting("ann", "ann", 3, 1)]) == {}


def test_groups_that_never_met_are_not_compared() -> None:
    meetings = [Meeting("a", "b", 9, 5), Meeting("c", "d", 9, 5), Meeting("d", "e", 9, 5)]
    assert set(bradley_terry(meetings)) == {"c", "d", "e"}


def test_a_draw_is_half_a_win() -> None:
    assert bradley_terry([Meeting("a", "b", 10, 5)]) == bradley_terry(
        [Meeting("a", "b", 6, 3), Meeting("b", "a", 4, 2)]
    )


@pytest.mark.parametrize("players", [2, 5])
def test_a_landslide_converges(players: int) -> None:
    names = [f"p{i}" for i in range(players)]
    ratings = bradley_terry([Meeting(a, b, 1000, 1000) for i, a in enumerate(names) for b in names[i + 1 :]])
    ordered = [ratings[name].elo for name in names]
    assert ordered == sorted(ordered, reverse=True)
    assert all(math.isfinite(elo) for elo in ordered)


@pytest.mark.long
def test_intervals_hold_the_truth_19_times_out_of_20() -> None:
    chance = random.Random(1)
    truth = {f"p{i}": (i - 3.5) * 85 for i in range(8)}
    names, held, asked = list(truth), 0, 0
    for _ in range(200):
        meetings = []
        for i, a in enumerate(names):
            for b in names[:i]:
                expected = 1 / (1 + 10 ** ((truth[b] - truth[a]) / 400))
                meetings.append(Meeting(a, b, 100, sum(chance.random() < expected for _ in range(100))))
        ratings = bradley_terry(meetings)
        held += sum(ratings[name].low <= truth[name] <= ratings[name].high for name in names)
        asked += len(names)
    assert 0.93 <= held / asked <= 0.97
