"""The lead in a match between two players, and the figures that other runners of matches print.

Uses numbers only. Elo by points alone, normalized Elo and the errors of both are those of fastchess and cutechess, so
that users can compare a match with theirs: the score s of a game equals 1 / (1 + 10^(-Elo/400)), and its error is that
of the pairs' mean score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

from tournaments.pair_test import PairTest
from tournaments.ratings import Rating
from tournaments.sprt import NORMALIZED_ELO

_Z = NormalDist().inv_cdf(0.975)
_PAIR = 2  # games


class PairPoints(NamedTuple):
    """The lead by points alone. score: of the leader, a game. Errors are half of 95 % intervals.

    elo, normalized_elo: None, as their errors, if the score is 0 or 1 or never varied. draws: the share of games.
    pairs: the numbers of whole pairs that scored 0, ½, 1, 1½ and 2; empty if games were not paired.
    """

    score: float
    elo: float | None
    elo_error: float | None
    normalized_elo: float | None
    normalized_elo_error: float | None
    draws: float
    pairs: tuple[int, ...]


class Lead(NamedTuple):
    """The lead of one of two players, with the ends of its 95 % interval.

    p: the probability of so large a lead, or its opposite, between equals. los: likelihood of superiority.
    """

    higher: str
    lower: str
    elo: float
    low: float
    high: float
    p: float
    los: float
    points: PairPoints

    @staticmethod
    def of(higher: str, lower: str, rating: Rating, test: PairTest, points: PairPoints) -> Lead:
        """Return the lead of `higher`, which is twice its rating: the other rating is its negative."""
        return Lead(higher, lower, 2 * rating.elo, 2 * rating.low, 2 * rating.high, *test, points)


def points(units: Mapping[tuple[int, int, int], int]) -> PairPoints:
    """Compute the figures from counts of units, each with its wins, draws and losses of one player.

    Raises ValueError if there are none.
    """
    games = sum(sum(counts) * times for counts, times in units.items())
    if not games:
        raise ValueError("no games")
    score = sum((won + drawn / 2) * times for (won, drawn, _), times in units.items()) / games
    squares = sum(_excess_score(counts, score) ** 2 * times for counts, times in units.items())
    elo = elo_error = normalized = normalized_error = None
    if 0 < score < 1 and squares > 0:
        spread = math.sqrt(squares / games)
        error = _Z * spread / math.sqrt(games)
        elo = elo_of(score)
        if score - error > 0 and score + error < 1:
            elo_error = (elo_of(score + error) - elo_of(score - error)) / 2
        normalized, normalized_error = (score - 0.5) / spread * NORMALIZED_ELO, _Z * NORMALIZED_ELO / math.sqrt(games)
    pairs = [0] * (2 * _PAIR + 1)
    for (won, drawn, lost), times in units.items():
        if won + drawn + lost == _PAIR:
            pairs[2 * won + drawn] += times
    draws = sum(drawn * times for (_, drawn, _), times in units.items()) / games
    return PairPoints(score, elo, elo_error, normalized, normalized_error, draws, tuple(pairs) if any(pairs) else ())


def _excess_score(counts: Sequence[int], score: float) -> float:
    """Return the difference between a unit's score and the expected score of its games."""
    won, drawn, lost = counts
    return won + drawn / 2 - score * (won + drawn + lost)


def elo_of(score: float) -> float:
    """Return the lead in Elo for a score a game between 0 and 1."""
    return -400 * math.log10(1 / score - 1)
