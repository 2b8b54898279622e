"""A square board's eight mirror images, for masks of few stones.

Knows no rules. Bit `row · size + column` is a point.
"""

from __future__ import annotations

from functools import cache


@cache
def _turns(size: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each of the eight symmetries, the mask of each point's image."""
    board = [list(range(start, start + size)) for start in range(0, size * size, size)]
    found = []
    for _ in range(4):
        board = [list(column) for column in zip(*board[::-1], strict=True)]  # a quarter turn
        found += [board, [row[::-1] for row in board]]
    return tuple(tuple(1 << place for row in image for place in row) for image in found)


def least_image(size: int, one: int, two: int) -> tuple[int, int]:
    """Return the least of the eight images of two players' stones: equal for turned and mirrored boards."""
    ones, twos = _places(one), _places(two)
    return min((sum(turn[i] for i in ones), sum(turn[i] for i in twos)) for turn in _turns(size))


def _places(mask: int) -> list[int]:
    found = []
    while mask:
        found.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return found
