"""Patterns of three by three points that have a good move in the middle.

The module does not depend on rules or turns. The patterns are those of S. Gelly, Y. Wang, R. Munos and O. Teytaud,
Modification of UCT with Patterns in Monte-Carlo Go (INRIA, RR-6062, 2006), figure 5: hane, cuts, and moves on the edge.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import product
from typing import TypeAlias

from gomogo_core.games.base import MAX_CACHED_BOARDS
from gomogo_core.games.stones.board import BitGeometry

# The rows of each pattern: X and O are the two colours, and may be exchanged; . is an empty point, ? any point, x any
# point except X, o any point except O, and # lies off the board.
SHAPES = (
    ("XOX", "...", "???"),  # hane that encloses
    ("XO.", "...", "?.?"),  # hane that does not cut
    ("XO?", "X..", "x.?"),  # hane at a wall (the magari)
    (".O.", "X..", "..."),  # the knight's answer
    ("XO?", "O.o", "?o?"),  # a cut of two stones, not yet stopped
    ("XO?", "O.X", "???"),  # a cut that is peeped at
    ("?X?", "O.O", "ooo"),  # a cut straight through
    ("OX?", "o.O", "???"),  # a cut from the side
    ("X.?", "O.?", "###"),  # the edge: a stone is drawn back
    ("OX?", "X.O", "###"),  # the edge: a cut
    ("?X?", "x.O", "###"),  # the edge: blocked
    ("?XO", "x.x", "###"),  # the edge: a hane beneath
    ("?OX", "X.O", "###"),  # the edge: a cut from above
)
_MATCHING_CELLS = {"X": "X", "O": "O", ".": ".", "?": "XO.", "x": "O.", "o": "X.", "#": "#"}
_CELL_BITS = {"X": 1, "O": 1 << 9, ".": 0, "#": 1 << 18}

ShapeRows: TypeAlias = tuple[str, ...]


@cache
def matching_keys() -> frozenset[int]:
    """Return the keys of all neighbourhoods that match a pattern in any rotation or reflection, in either colour."""
    keys = set[int]()
    for shape in SHAPES:
        for rows in _rotations(shape):
            for cells in product(*(_MATCHING_CELLS[sign] for sign in "".join(rows))):
                key = sum(_CELL_BITS[sign] << index for index, sign in enumerate(cells))
                swapped = key >> 18 << 18 | (key & 0o777) << 9 | key >> 9 & 0o777
                keys.update((key, swapped))
    return frozenset(keys)


def _rotations(shape: ShapeRows) -> list[ShapeRows]:
    rotations = []
    for _ in range(4):
        rotations += [shape, tuple(row[::-1] for row in shape)]
        shape = tuple("".join(column) for column in zip(*shape[::-1], strict=True))
    return rotations


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def off_board_key_parts(geometry: BitGeometry) -> tuple[int, ...]:
    """Return, for each point, the part of its key that marks the neighbours off the board."""
    neighbours = [rows * geometry.stride + columns for rows in (-1, 0, 1) for columns in (-1, 0, 1)]
    return tuple(
        sum(1 << 18 + n for n, step in enumerate(neighbours) if not geometry.has_point(i + step))
        for i in range(geometry.length)
    )


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def shape_test(geometry: BitGeometry) -> Callable[[int, int, int], bool]:
    """Return a function of two masks of stones and an empty point, which tells whether a pattern matches there."""
    keys, outside, stride = matching_keys(), off_board_key_parts(geometry), geometry.stride
    second, third, shift = stride, 2 * stride, stride + 1

    def is_shape(own_mask: int, other_mask: int, point_index: int) -> bool:
        own_mask, other_mask = own_mask << shift >> point_index, other_mask << shift >> point_index
        return (
            own_mask & 7 | (own_mask >> second & 7) << 3 | (own_mask >> third & 7) << 6
            | (other_mask & 7) << 9 | (other_mask >> second & 7) << 12 | (other_mask >> third & 7) << 15
            | outside[point_index]
        ) in keys  # fmt: skip

    return is_shape
