"""Ratings maximise the likelihood; other programs and calculations by hand give the same ratings."""

from __future__ import annotations

import math
import random

import choix
import evalica
import numpy as np
import pytest
from scipy import optimize

from tournaments.davidson import PairCounts, fit_davidson
from tournaments.ratings import ELO_PER_NAT, Meeting, MeetingGroup, RatingTable, compute_ratings


@pytest.fixture
def no_prior_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The results alone decide."""
    monkeypatch.setattr("tournaments.ratings._PRIOR_GAME_COUNT", 1e-9)


def elos(ratings: RatingTable) -> dict[str, float]:
    return {player: rating.elo for player, rating in ratings.ratings_by_player.items()}


def some_results(players: int, games: int, seed: int, ways: tuple[int, ...] = (0, 1, 2)) -> list[Meeting]:
    """Return random results of every two players in both seats."""
    rng = random.Random(seed)
    names, meetings = [f"p{i}" for i in range(players)], []
    for a in names:
        for b in names:
            if a != b:
                ends = [rng.choice(ways) for _ in range(games)]
                meetings.append(Meeting(a, b, ends.count(0), ends.count(1), ends.count(2)))
    return meetings


@pytest.mark.usefixtures("no_prior_games")
def test_three_wins_to_one_loss_are_191_elo() -> None:
    ratings = elos(compute_ratings([Meeting("ann", "bob", 30, 0, 10)]))
    assert ratings["ann"] == pytest.approx(400 * math.log10(3) / 2, abs=1e-4)
    assert ratings["bob"] == pytest.approx(-ratings["ann"])


def test_the_interval_of_a_long_match_follows_from_its_score() -> None:
    rating = compute_ratings(
        [Meeting("ann", "bob", 600, 0, 200), Meeting("bob", "ann", 200, 0, 600)]
    ).ratings_by_player["ann"]
    spread = 1 / math.sqrt(1600 * 0.75 * 0.25)  # the interval of the difference; each player's rating is half of it
    assert rating.high - rating.low == pytest.approx(2 * 1.96 * spread / 2 * ELO_PER_NAT, rel=0.08)
    assert rating.low < rating.elo < rating.high


@pytest.mark.usefixtures("no_prior_games")
@pytest.mark.parametrize("seed", range(3))
def test_choix_finds_the_same_strengths(seed: int) -> None:
    meetings_found = some_results(6, 30, seed, (0, 2))
    meetings = [
        *meetings_found,
        *(Meeting(m.second_player, m.first_player, m.losses, 0, m.wins) for m in meetings_found),
    ]  # no seat is better
    ratings = elos(compute_ratings(meetings))
    names = sorted(ratings)
    wins = np.zeros((6, 6))
    for first, second, won, _, losses in meetings:
        wins[names.index(first), names.index(second)] += won
        wins[names.index(second), names.index(first)] += losses
    expected = choix.ilsr_pairwise_dense(wins, tol=1e-12)
    assert [ratings[name] / ELO_PER_NAT for name in names] == pytest.approx(list(expected - expected.mean()), abs=1e-5)


@pytest.mark.usefixtures("no_prior_games")
@pytest.mark.parametrize("seed", range(3))
def test_evalica_finds_the_same_strengths(seed: int) -> None:
    meetings_found = some_results(6, 30, seed, (0, 2))
    meetings = [
        *meetings_found,
        *(Meeting(m.second_player, m.first_player, m.losses, 0, m.wins) for m in meetings_found),
    ]  # no seat is better
    ratings = elos(compute_ratings(meetings))
    games = [(m.first_player, m.second_player, evalica.Winner.X) for m in meetings for _ in range(int(m.wins))]
    games += [(m.first_player, m.second_player, evalica.Winner.Y) for m in meetings for _ in range(int(m.losses))]
    xs, ys, winners = zip(*games, strict=True)
    scores = evalica.bradley_terry(xs, ys, winners, tolerance=1e-13, limit=100_000).scores
    expected = {name: math.log(score) for name, score in scores.items()}
    mean = sum(expected.values()) / len(expected)
    for name, value in expected.items():
        assert ratings[name] / ELO_PER_NAT == pytest.approx(value - mean, abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_scipy_finds_the_same_maximum_with_draws_and_seats(seed: int) -> None:
    meetings = some_results(4, 12, seed)
    cells = [PairCounts(int(m.first_player[1]), int(m.second_player[1]), m.wins, m.draws, m.losses) for m in meetings]
    fitted = fit_davidson(4, cells, [(0.5, 0.5)] * 5)

    def loss(x: np.ndarray) -> float:
        nu, total = math.exp(x[5]), 0.0
        for cell in cells:
            lead = x[cell.first_player] - x[cell.second_player] + x[4]
            weights = np.array([math.exp(lead / 2), nu, math.exp(-lead / 2)])
            total -= float(np.dot([cell.wins, cell.draws, cell.losses], np.log(weights / weights.sum())))
        total += sum(0.5 * math.log1p(math.exp(-value)) + 0.5 * math.log1p(math.exp(value)) for value in x[:5])
        return total - 0.5 * math.log(nu / (nu + 2)) - 0.5 * math.log(2 / (nu + 2))

    best_ratings = optimize.minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-9}).x
    strengths = best_ratings[:4] - best_ratings[:4].mean()
    assert list(fitted.strengths) == pytest.approx(list(strengths), abs=1e-5)
    assert [fitted.seat_advantage_nats, fitted.log_nu] == pytest.approx([best_ratings[4], best_ratings[5]], abs=1e-5)


def test_first_seat_advantage_does_not_change_ratings() -> None:
    ratings = compute_ratings([Meeting("ann", "bob", 30, 0, 10), Meeting("bob", "ann", 30, 0, 10)])
    assert ratings.ratings_by_player["ann"].elo == pytest.approx(0, abs=1e-6)
    assert ratings.first_seat_advantage is not None
    assert ratings.first_seat_advantage.elo == pytest.approx(400 * math.log10(3), rel=0.05)


@pytest.mark.parametrize(
    "meetings",
    [
        [Meeting("a", "b", 9, 1, 5)],
        [Meeting("a", "b", 9, 1, 5), Meeting("b", "c", 9, 1, 5), Meeting("d", "e", 1, 1, 1)],
    ],
)
def test_first_seat_advantage_needs_swapped_seats(meetings: list[Meeting]) -> None:
    assert compute_ratings(meetings).first_seat_advantage is None
    assert compute_ratings([*meetings, Meeting("b", "a", 1, 0, 1)]).first_seat_advantage is not None


def test_two_games_that_always_end_alike_count_as_one() -> None:
    """If the side that the opening favours wins both games of a hundred pairs, the pairs give little information.
    Counted as single games, they would seem to give more.

    """
    same = MeetingGroup((Meeting("ann", "bob", 1), Meeting("bob", "ann", 0, 0, 1)), 50)
    other = MeetingGroup((Meeting("ann", "bob", 0, 0, 1), Meeting("bob", "ann", 1)), 50)
    separate_meetings = [Meeting("ann", "bob", 50, 0, 50), Meeting("bob", "ann", 50, 0, 50)]
    paired, single = (compute_ratings(units).ratings_by_player["ann"] for units in ([same, other], separate_meetings))
    assert (paired.high - paired.low) / (single.high - single.low) == pytest.approx(math.sqrt(2), rel=0.15)


def test_a_player_that_never_lost_has_a_finite_rating_well_above_zero() -> None:
    ann = compute_ratings([Meeting("ann", "bob", 40)]).ratings_by_player["ann"]
    assert 200 < ann.elo < 600
    assert 0 < ann.low < ann.elo < ann.high < 3_000
    assert ann.high - ann.elo > ann.elo - ann.low  # it is unknown how much better


def test_a_few_games_give_a_wide_interval() -> None:
    ann = compute_ratings([Meeting("ann", "bob", 2)]).ratings_by_player["ann"]
    assert ann.low < 0 < ann.elo < ann.high


def test_ratings_have_mean_zero_and_the_strongest_is_first() -> None:
    ratings = elos(compute_ratings(some_results(7, 5, 1)))
    assert sum(ratings.values()) == pytest.approx(0, abs=1e-9)
    assert list(ratings.values()) == sorted(ratings.values(), reverse=True)


def test_a_player_without_games_has_no_rating() -> None:
    assert set(compute_ratings([Meeting("ann", "bob", 1, 0, 2), Meeting("ann", "eve")]).ratings_by_player) == {
        "ann",
        "bob",
    }
    for no_meetings in ([], [Meeting("ann", "ann", 3, 1)]):
        ratings = compute_ratings(no_meetings)
        assert (ratings.ratings_by_player, ratings.first_seat_advantage, ratings.pair_tests) == ({}, None, {})


def test_groups_that_never_met_are_not_compared() -> None:
    ratings = compute_ratings([Meeting("a", "b", 5, 0, 4), Meeting("c", "d", 5, 0, 4), Meeting("d", "e", 5, 0, 4)])
    assert set(ratings.ratings_by_player) == {"c", "d", "e"}
    assert ratings.unrated_sets == (("a", "b"),)


def test_likelihoods_of_superiority_sum_to_one_and_grow_with_games() -> None:
    few_games, many = (
        compute_ratings([Meeting("a", "b", 3 * n, 0, 2 * n), Meeting("b", "a", 2 * n, 0, 3 * n)]).pair_tests
        for n in (2, 40)
    )
    assert few_games["a", "b"].superiority_probability + few_games["b", "a"].superiority_probability == pytest.approx(1)
    assert 0.5 < few_games["a", "b"].superiority_probability < many["a", "b"].superiority_probability
    assert many["a", "b"].superiority_probability > 0.99
    assert few_games["a", "b"].p_value > 0.05 > many["a", "b"].p_value == many["b", "a"].p_value


def test_only_draws_give_equal_ratings() -> None:
    ratings = compute_ratings([Meeting("a", "b", 0, 20), Meeting("b", "a", 0, 20)])
    assert ratings.ratings_by_player["a"].elo == pytest.approx(0, abs=1e-6)
    assert ratings.draw_probability > 0.9


@pytest.mark.parametrize("players", [2, 5])
def test_ratings_of_one_sided_results_converge(players: int) -> None:
    names = [f"p{i}" for i in range(players)]
    ratings = elos(compute_ratings([Meeting(a, b, 1000) for i, a in enumerate(names) for b in names[i + 1 :]]))
    assert list(ratings) == names
    assert all(math.isfinite(elo) for elo in ratings.values())


class Truth:
    """Eight players 85 Elo apart, a first seat worth 30, and draws. `bound`: the smallest error of any estimate."""

    NU, SEAT, GAMES = 0.6, 30 / ELO_PER_NAT, 100

    def __init__(self) -> None:
        self.elo = {f"p{i}": (i - 3.5) * 85.7 for i in range(8)}

    def shares(self, a: str, b: str) -> tuple[float, float, float]:
        lead = (self.elo[a] - self.elo[b]) / ELO_PER_NAT + self.SEAT
        weights = math.exp(lead / 2), self.NU, math.exp(-lead / 2)
        return weights[0] / sum(weights), weights[1] / sum(weights), weights[2] / sum(weights)

    def results(self, rng: random.Random) -> list[Meeting]:
        meetings = []
        for a in self.elo:
            for b in self.elo:
                if a != b:
                    ends = rng.choices((0, 1, 2), self.shares(a, b), k=self.GAMES)
                    meetings.append(Meeting(a, b, ends.count(0), ends.count(1), ends.count(2)))
        return meetings

    def bound(self) -> float:
        """Return the smallest root mean square error that the Cramér-Rao inequality allows, in Elo."""
        names = list(self.elo)
        information = np.zeros((10, 10))
        for a in names:
            for b in names:
                if a == b:
                    continue
                win, draw, loss = self.shares(a, b)
                lead = np.zeros(10)
                lead[names.index(a)], lead[names.index(b)], lead[8] = 1, -1, 1
                nu = np.eye(10)[9]
                for share, direct, draw_count in ((win, 0.5, 0), (draw, 0, 1), (loss, -0.5, 0)):
                    score = lead * (direct - (win - loss) / 2) + nu * (draw_count - draw)
                    information += self.GAMES * share * np.outer(score, score)
        covariance = np.linalg.pinv(information)[:8, :8]
        centring = np.eye(8) - 1 / 8
        return float(np.sqrt(np.trace(centring @ covariance @ centring) / 8)) * ELO_PER_NAT


@pytest.mark.long
def test_rating_intervals_cover_the_truth_in_95_percent_with_minimal_errors() -> None:
    truth, rng, covered, errors = Truth(), random.Random(1), 0, []
    for _ in range(200):
        ratings = compute_ratings(truth.results(rng))
        for name, elo in truth.elo.items():
            rating = ratings.ratings_by_player[name]
            covered += rating.low <= elo <= rating.high
            errors.append(rating.elo - elo)
    print(f"coverage {covered / len(errors):.4f}, RMSE {np.std(errors):.2f}, bound {truth.bound():.2f} Elo")
    assert 0.93 <= covered / len(errors) <= 0.97
    assert math.sqrt(np.mean(np.square(errors))) <= 1.1 * truth.bound()


def a_match(pairs: int, lead: float, draws: float, rng: np.random.Generator) -> list[MeetingGroup]:
    """Return a simulated match in which no seat is better. lead: the lead of ann over bob in Elo. draws: the share of
    draws between equal players.
    """
    nu, weights = 2 * draws / (1 - draws), [math.exp(character * lead / ELO_PER_NAT / 2) for character in (1, -1)]
    shares = np.array([weights[0], nu, weights[1]]) / (sum(weights) + nu)
    times = rng.multinomial(pairs, np.outer(shares, shares).ravel())
    ends = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    end_pairs = [(first_end, other) for first_end in ends for other in ends]
    return [
        MeetingGroup((Meeting("ann", "bob", *first_end), Meeting("bob", "ann", *other[::-1])), int(number))
        for (first_end, other), number in zip(end_pairs, times, strict=True)
        if number
    ]


@pytest.mark.slow
def test_interval_and_test_agree() -> None:
    rng = np.random.default_rng(3)
    for number in range(60):
        pairs, lead = [4, 6, 9, 10, 25, 80][number % 6], float(rng.uniform(-300, 300))
        ratings = compute_ratings(a_match(pairs, lead, 0.2, rng))
        ann, test = ratings.ratings_by_player["ann"], ratings.pair_tests["ann", "bob"]
        if test.is_significant:
            assert ann.low >= 0 or ann.high <= 0
            assert (test.superiority_probability > 0.5) == (ann.elo > 0)
        else:
            assert ann.low <= 0 <= ann.high
        assert ann.low <= ann.elo <= ann.high


@pytest.mark.slow  # 1,000 matches
def test_intervals_of_one_sided_short_matches_are_wide_enough() -> None:
    """In these matches, bootstrap intervals contained the truth in 89 to 91 %."""
    rng, covered, matches = np.random.default_rng(8), 0, 0
    for pairs, lead in ((10, 208), (10, -347), (30, -208), (30, 347)):
        for _ in range(250):
            ann = compute_ratings(a_match(pairs, lead, 0.0, rng)).ratings_by_player["ann"]
            covered += 2 * ann.low <= lead <= 2 * ann.high
            matches += 1
    assert 0.935 <= covered / matches <= 0.985


@pytest.mark.long
@pytest.mark.parametrize("pairs", [6, 8, 10, 15, 20, 30, 100, 1_000, 10_000])
def test_the_interval_of_a_match_covers_its_lead_in_95_percent(pairs: int) -> None:
    """Few pairs have few different results, and each is rated once. With more pairs, fewer matches are simulated."""
    matches, rng, shares = 800 if pairs <= 30 else 300, np.random.default_rng(pairs), {}
    intervals: dict[tuple[MeetingGroup, ...], tuple[float, float]] = {}
    for draws in (0.0, 0.3, 0.6):
        for lead in (0, 60, -120, 208, -347, 470, -600):
            covered = 0
            for _ in range(matches):
                match = tuple(a_match(pairs, lead, draws, rng))
                if match not in intervals:
                    ann = compute_ratings(match).ratings_by_player["ann"]
                    intervals[match] = 2 * ann.low, 2 * ann.high
                low, high = intervals[match]
                covered += low <= lead <= high
            shares[draws, lead] = covered / matches
        print(f"{pairs} pairs, {draws:.0%} draws:", *(f"{shares[draws, lead]:.3f}" for d, lead in shares if d == draws))
    error, interval_shares = math.sqrt(0.05 * 0.95 / matches), list(shares.values())
    assert min(interval_shares) >= (0.94 if pairs >= 100 else 0.92) - 3 * error
    if pairs >= 100:
        assert max(interval_shares) <= 0.96 + 3 * error
        assert 0.94 <= np.mean(interval_shares) <= 0.96
