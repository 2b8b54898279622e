"""Which of several workers spoil the results: programs lose on time there far more than elsewhere, or it is too slow.

Uses counts and speeds, but no worker, no store. Method: Pearson's chi-squared with Yates' correction for two by two.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import erfc, sqrt
from statistics import median
from typing import NamedTuple

LEVEL = 0.001  # probability of setting any good worker aside in one check; the checked workers share it
FAR_MORE = 2.0  # a worker's rate of losses on time must be at least this multiple of the rate elsewhere
_EXPECTED = 5.0  # expected games of each kind that the test needs to be valid (Cochran)
SLOWEST = 0.5  # share of the median speed


class Count(NamedTuple):
    """The number of a worker's games, and of those lost on time."""

    games: int
    late: int


def set_aside(counts: Mapping[str, Count], level: float = LEVEL) -> tuple[str, ...]:
    """Return the workers whose programs lose on time far more than those of the others, the worst first.

    Each is tested against all others together; the worst is left out, and the rest is tested again, so that one bad
    worker does not hide another. The last remaining worker is never set aside.
    """
    left, found = {name: count for name, count in counts.items() if count.games}, list[str]()
    while len(left) > 1:
        p, worst = min((late_by_chance(count, _count_of_others(left, name)), name) for name, count in left.items())
        if p >= level / len(left):
            break
        found.append(worst)
        del left[worst]
    return tuple(found)


def _count_of_others(counts: Mapping[str, Count], name: str) -> Count:
    return Count(
        sum(count.games for other, count in counts.items() if other != name),
        sum(count.late for other, count in counts.items() if other != name),
    )


def late_by_chance(own: Count, others: Count) -> float:
    """Return the p-value of this worker's loss rate; 1 if it is not far higher, or if there are too few games."""
    games, late = own.games + others.games, own.late + others.late
    fewest = min(own.games, others.games) * min(late, games - late) / games
    if fewest < _EXPECTED or own.late * others.games < FAR_MORE * others.late * own.games:
        return 1.0
    return chi_squared_p(own, others)


def chi_squared_p(own: Count, others: Count) -> float:
    """Return the chi-squared p-value of a 2×2 table: late or not, here or elsewhere; erfc gives it for one degree."""
    games, late = own.games + others.games, own.late + others.late
    difference = abs(own.late * (others.games - others.late) - others.late * (own.games - own.late))
    apart = max(0.0, difference - games / 2)  # Yates
    return erfc(sqrt(games * apart**2 / (own.games * others.games * late * (games - late)) / 2))


def too_slow(speeds: Mapping[str, float]) -> tuple[str, ...]:
    """Return the workers that are slower than half the median of all."""
    least = SLOWEST * median(speeds.values()) if speeds else 0.0
    return tuple(name for name, speed in speeds.items() if speed < least)
