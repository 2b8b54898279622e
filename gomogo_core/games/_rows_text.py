"""Hints for beginners about rows that one more stone would complete.

Uses the names of points, but no board.
"""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 8  # the largest number of points that a sentence names


def completion_sentences(colour: str, line: int, points: Sequence[str]) -> list[str]:
    """Return a sentence about the points where a colour completes its row, in a list; empty if there are none.

    >>> completion_sentences("Black (x)", 5, ["a1", "a6"])
    ['Black (x) would have 5 in a row, and win, with a stone at a1 or a6.']
    """
    if not points:
        return []
    shown = list(points[:_MOST])
    more = f" and {len(points) - _MOST} more points" if len(points) > _MOST else ""
    places = " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
    return [f"{colour} would have {line} in a row, and win, with a stone at {places}{more}."]
