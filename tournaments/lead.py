"""The lead in a match between two players, and the figures that fastchess and cutechess print.

The module uses numbers only: no games, no store, no screen. Users can compare a match with one of those programs,
because Elo by points, normalized Elo and their errors are computed in the same way: the score s of a game is 1 / (1 +
10^(-Elo/400)), and the error of s is the error of the mean score of the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

from tournaments.sprt import NORMALIZED_ELO

_CONFIDENCE_QUANTILE = NormalDist().inv_cdf(0.975)  # half the width of a 95 % interval, in standard errors
_PAIR_SIZE = 2  # games of a pair


class LeadByPoints(NamedTuple):
    """The lead of a player by points alone. score: the player's points per game. An error is half the width of a 95 %
    interval.

    elo, normalized_elo and their errors: None if the score is 0 or 1, or if all pairs have the same result. draws: the
    share of drawn games. pairs: the numbers of complete pairs in which the player scored 0, ½, 1, 1½ and 2; empty if
    games were not paired.
    """

    score: float
    elo: float | None
    elo_error: float | None
    normalized_elo: float | None
    normalized_elo_error: float | None
    draws: float
    pairs: tuple[int, ...]


class Lead(NamedTuple):
    """The lead in Elo of one of two players. low, high: the ends of the 95 % interval of the lead.

    p: the probability that equally strong players would differ by at least this lead. los: likelihood of superiority.
    points: the lead by points alone.
    """

    higher: str
    lower: str
    elo: float
    low: float
    high: float
    p: float
    los: float
    points: LeadByPoints


def lead_by_points(units: Mapping[tuple[int, int, int], int]) -> LeadByPoints:
    """Compute the figures of one player. units: the results of the player in pairs of games or in single games, each as
    wins, draws and losses, with the number of times that this result occurred.

    Raises ValueError if there are no games.
    """
    games = sum(sum(counts) * count for counts, count in units.items())
    if not games:
        raise ValueError("no games")
    score = sum((wins + draws / 2) * count for (wins, draws, _), count in units.items()) / games
    square_sum = sum(_score_above_expected(counts, score) ** 2 * count for counts, count in units.items())
    elo = elo_error = normalized_elo = normalized_elo_error = None
    if 0 < score < 1 and square_sum > 0:
        deviation = math.sqrt(square_sum / games)
        error = _CONFIDENCE_QUANTILE * deviation / math.sqrt(games)
        elo = elo_from_score(score)
        if score - error > 0 and score + error < 1:
            elo_error = (elo_from_score(score + error) - elo_from_score(score - error)) / 2
        normalized_elo = (score - 0.5) / deviation * NORMALIZED_ELO
        normalized_elo_error = _CONFIDENCE_QUANTILE * NORMALIZED_ELO / math.sqrt(games)
    pairs = [0] * (2 * _PAIR_SIZE + 1)
    for (wins, draws, losses), count in units.items():
        if wins + draws + losses == _PAIR_SIZE:
            pairs[2 * wins + draws] += count
    draw_share = sum(draws * count for (_, draws, _), count in units.items()) / games
    complete_pairs = tuple(pairs) if any(pairs) else ()
    return LeadByPoints(score, elo, elo_error, normalized_elo, normalized_elo_error, draw_share, complete_pairs)


def _score_above_expected(counts: Sequence[int], score: float) -> float:
    """Return the score of a unit (a pair of games, or a single game) minus the expected score of its games."""
    wins, draws, losses = counts
    return wins + draws / 2 - score * (wins + draws + losses)


def elo_from_score(score: float) -> float:
    """Return the lead in Elo for a score per game, which must be above 0 and below 1."""
    return -400 * math.log10(1 / score - 1)
