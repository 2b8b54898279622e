"""The accuracy of a player in percent, which lichess.org computes from the win chances before and after each move.

The module uses numbers only, and no game. Sources: https://lichess.org/page/accuracy for a move, and
`AccuracyPercent.scala` of the lichess server for a game. Two limits differ from those of lichess, which uses win
chances of a chess engine, and these are never certain. In Gomogo they may be proved: in a short game of Dots and Boxes,
the win chance stays at 100 % and falls to 0 at a mistake. With the limits of lichess, a player with two such mistakes
in twelve moves has an accuracy of 11 %; with Gomogo's limits, of 48 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, harmonic_mean, pstdev

# the weight of a move is the deviation of the win chances in a window of a tenth of the game, within these limits
_WINDOW_SIZE_LIMITS = 2, 8
_WEIGHT_LIMITS = 3.0, 12.0  # the least and the greatest weight; lichess: 0.5 and 12
_MIN_HARMONIC_ACCURACY = 10.0  # lower accuracies count as this one in the harmonic mean; lichess: 1
_UNCERTAINTY_BONUS = 1.0  # percentage points of accuracy, because the search that measures a loss may err


def move_accuracy(loss: float) -> float:
    """Return the accuracy of a move, from 0 to 100. loss: the percentage points of win chance that the move gave away.

    >>> round(move_accuracy(0.0)), round(move_accuracy(10.0)), round(move_accuracy(50.0))
    (100, 65, 10)
    """
    return min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * max(0.0, loss)) - 3.1669 + _UNCERTAINTY_BONUS))


def move_weights(win_chances: Sequence[float]) -> list[float]:
    """Return the weight of each move of a game: large if the win chances change much around the move.

    win_chances: one player's win chances in percent, before the first move and after each move.
    """
    size = min(max((len(win_chances) - 1) // 10, _WINDOW_SIZE_LIMITS[0]), _WINDOW_SIZE_LIMITS[1])
    windows = (win_chances[max(0, end - size) : max(size, end)] for end in range(2, len(win_chances) + 1))
    return [min(max(pstdev(window), _WEIGHT_LIMITS[0]), _WEIGHT_LIMITS[1]) for window in windows]


def player_accuracy(move_accuracies: Sequence[float], weights: Sequence[float]) -> float:
    """Return the accuracy of a player, from the accuracies and weights of the player's moves.

    The result is halfway between the weighted mean and the harmonic mean; a few bad moves make the harmonic mean much
    lower. Raises StatisticsError without moves.
    """
    limited_accuracies = [max(_MIN_HARMONIC_ACCURACY, accuracy) for accuracy in move_accuracies]
    return (fmean(move_accuracies, weights) + harmonic_mean(limited_accuracies)) / 2
