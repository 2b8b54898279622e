"""The accuracy of a player in percent, as lichess.org computes it from the win chances before and after each move.

Uses numbers only, no game. Sources: https://lichess.org/page/accuracy for a move, and `AccuracyPercent.scala` of the
lichess server for a game.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, harmonic_mean, pstdev

_WINDOWS = 2, 8  # win chances that say how lively a part of the game is
_WEIGHTS = 0.5, 12.0


def move_accuracy(loss: float) -> float:
    """Return the accuracy of a move, from 0 to 100. loss: the percent points of win chance that it gave away.

    >>> round(move_accuracy(0.0)), round(move_accuracy(10.0)), round(move_accuracy(50.0))
    (100, 64, 9)
    """
    return min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * max(0.0, loss)) - 3.1669))


def weights(chances: Sequence[float]) -> list[float]:
    """Return the weight of each move of a game: large if the win chances change much around it.

    chances: those of one player in percent, before the first move and after each one.
    """
    size = min(max(len(chances) // 10, _WINDOWS[0]), _WINDOWS[1])
    windows = (chances[max(0, end - size) : max(size, end)] for end in range(2, len(chances) + 1))
    return [min(max(pstdev(window), _WEIGHTS[0]), _WEIGHTS[1]) for window in windows]


def player_accuracy(accuracies: Sequence[float], weights: Sequence[float]) -> float:
    """Return the accuracy of a player: halfway between the weighted and the harmonic mean of that of the moves.

    The harmonic mean lets a few bad moves count. Raises StatisticsError without moves.
    """
    return (fmean(accuracies, weights) + harmonic_mean([max(1.0, one) for one in accuracies])) / 2
