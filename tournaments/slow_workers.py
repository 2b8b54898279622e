"""Find workers that would distort the results: workers on which programs lose on time far more often than elsewhere,
and workers that are too slow.

The module uses counts and speeds, but no worker and no store. The test is Pearson's chi-squared test of a two-by-two
table with Yates' correction.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import erfc, sqrt
from statistics import median
from typing import NamedTuple

# the probability that one check rejects at least one good worker; it is divided equally among the workers
UNRELIABLE_WORKER_SIGNIFICANCE = 0.001
MIN_TIME_LOSS_RATE_RATIO = 2.0  # a worker's rate of losses on time must be at least this multiple of the rate elsewhere
_MIN_EXPECTED_GAMES = 5.0  # the test is valid if each cell of the table has at least this many expected games (Cochran)
MIN_SPEED_SHARE = 0.5  # the minimum speed of a worker, as a share of the median speed


class TimeLossCount(NamedTuple):
    """The number of a worker's games. time_losses: the number of these games that were lost on time."""

    game_count: int
    time_losses: int


def find_unreliable_workers(counts: Mapping[str, TimeLossCount]) -> tuple[str, ...]:
    """Return the workers on which programs lose on time far more often than on the other workers, the worst worker
    first.

    Each worker is tested against all other workers together. The worst worker is removed and the rest is tested again,
    so that one bad worker does not hide another. The last remaining worker is never returned.
    """
    remaining, unreliable = {name: count for name, count in counts.items() if count.game_count}, list[str]()
    while len(remaining) > 1:
        totals = TimeLossCount(*map(sum, zip(*remaining.values(), strict=True)))
        p_value, worst_worker = min((_p_value_against_others(totals, count), name) for name, count in remaining.items())
        if p_value >= UNRELIABLE_WORKER_SIGNIFICANCE / len(remaining):
            break
        unreliable.append(worst_worker)
        del remaining[worst_worker]
    return tuple(unreliable)


def _p_value_against_others(totals: TimeLossCount, own: TimeLossCount) -> float:
    others = TimeLossCount(totals.game_count - own.game_count, totals.time_losses - own.time_losses)
    return time_loss_p_value(own, others)


def time_loss_p_value(own: TimeLossCount, others: TimeLossCount) -> float:
    """Return the p-value of a worker's rate of losses on time compared with the other workers.

    The result is 1 if the rate is not far higher, or if there are too few games.
    """
    games, time_losses = own.game_count + others.game_count, own.time_losses + others.time_losses
    min_expected_games = min(own.game_count, others.game_count) * min(time_losses, games - time_losses) / games
    min_product = MIN_TIME_LOSS_RATE_RATIO * others.time_losses * own.game_count
    if min_expected_games < _MIN_EXPECTED_GAMES or own.time_losses * others.game_count < min_product:
        return 1.0
    return chi_squared_p_value(own, others)


def chi_squared_p_value(own: TimeLossCount, others: TimeLossCount) -> float:
    """Return the chi-squared p-value of a 2×2 table: lost on time or not, on this worker or on the other workers.

    With one degree of freedom, this p-value is a value of the complementary error function.
    """
    games, time_losses = own.game_count + others.game_count, own.time_losses + others.time_losses
    difference = abs(own.time_losses * others.game_count - others.time_losses * own.game_count)
    corrected_difference = max(0.0, difference - games / 2)  # Yates' correction
    product_of_sums = own.game_count * others.game_count * time_losses * (games - time_losses)
    return erfc(sqrt(games * corrected_difference**2 / product_of_sums / 2))


def find_slow_workers(speeds: Mapping[str, float]) -> tuple[str, ...]:
    """Return the workers with less than half the median speed."""
    minimum = MIN_SPEED_SHARE * median(speeds.values()) if speeds else 0.0
    return tuple(name for name, speed in speeds.items() if speed < minimum)
