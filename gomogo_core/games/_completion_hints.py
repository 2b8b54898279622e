"""Hints for beginners: the points where one more stone completes a winning row.

The caller finds these points; the module depends only on the names of points, not on boards.
"""

from __future__ import annotations

from collections.abc import Sequence

_MAX_NAMED_POINTS = 8


def completion_sentences(colour: str, row_length: int, point_names: Sequence[str]) -> list[str]:
    """Return a list with one sentence about the points where a colour completes its row, or an empty list if there are
    no points.

    >>> completion_sentences("Black", 5, ["a1", "a6"])
    ['Black would have 5 in a row, and win, with a stone at a1 or a6.']
    """
    if not point_names:
        return []
    *other_names, last_name = point_names[:_MAX_NAMED_POINTS]
    places = f"{', '.join(other_names)} or {last_name}" if other_names else last_name
    if (unnamed_count := len(point_names) - _MAX_NAMED_POINTS) > 0:
        places += f" and {unnamed_count} more points"
    return [f"{colour} would have {row_length} in a row, and win, with a stone at {places}."]
