"""The points that Renju forbids to black, each with the name of the broken rule.

The module looks at stones and their lines. It knows no players, no turns, and no penalty for a forbidden move.

Source: The International Rules of Renju, Renju International Federation (RIF, 2 May 1996, corrected 3 May 1998),
sections 3 (terms) and 9 (black's restrictions).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from gomogo_core.games.base import MAX_CACHED_BOARDS
from gomogo_core.games.boards.points import point_board

_EMPTY, _BLACK = 0, 1
_BLACK_STONE = bytes((_BLACK,))
_REACH = 5  # a five ends at most 4 points away; the next point shows whether the row is longer than five
_FIVE = "five"


class _Shape(NamedTuple):
    """The shapes that a new black stone makes in one line.

    `row_length` is the number of black stones in the unbroken row through the new stone. `fours` is the number of fours
    to which the new stone belongs. `straight_four_offsets` are the distances from the new stone, along the line, at
    which one more stone makes a straight four.
    """

    row_length: int
    fours: int
    straight_four_offsets: tuple[int, ...]


_LONE_STONE = _Shape(1, 0, ())


def why_forbidden(cells: bytes, size: int, cell: int) -> str | None:
    """Return the rule that forbids black to play on the empty point number `cell`, or None if black may play there.

    The rules are "overline", "double four" and "double three". A stone that makes five in a row is always allowed.
    `cells` holds size² bytes row by row: 0 for empty, 1 for black, 2 for white.
    """
    made = _shape_made(cells, size, cell)
    return None if made == _FIVE else made


def _shape_made(cells: bytes, size: int, cell: int) -> str | None:
    """Return the shape that a black stone at `cell` makes: "five" or a forbidden shape; None for an ordinary move."""
    shapes = []
    for line, place, step in _line_parts_near_points(size)[cell]:
        near = cells[line]
        # every forbidden shape has at least three stones, so there must be two other stones in a line
        if near.count(_BLACK) > 1:
            shapes.append((_shape(near, place), step))
    if not shapes:
        return None
    if any(shape.row_length == 5 for shape, _ in shapes):
        return _FIVE
    if any(shape.row_length > 5 for shape, _ in shapes):
        return "overline"
    if sum(shape.fours for shape, _ in shapes) > 1:
        return "double four"
    extensions = [
        [cell + offset * step for offset in shape.straight_four_offsets]
        for shape, step in shapes
        if shape.straight_four_offsets
    ]
    if len(extensions) < 2:
        return None
    after = cells[:cell] + _BLACK_STONE + cells[cell + 1 :]
    # In a three, one more stone makes a straight four and no five (section 3). Black must be allowed to place that
    # stone (section 9). The recursion ends, since each step adds a stone.
    threes = sum(any(_shape_made(after, size, point) is None for point in points) for points in extensions)
    return "double three" if threes > 1 else None


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def _line_parts_near_points(size: int) -> tuple[tuple[tuple[slice, int, int], ...], ...]:
    """Return, for each point, the near part of each of its four lines: a slice of the board, the point's index in the
    slice, and the slice's step.
    """
    board = point_board(size, size)
    near = []
    for lines, places in zip(board.lines_through, board.index_in_line, strict=True):
        four = []
        for line, place in zip(lines, places, strict=True):
            reach = range(line.start, line.stop, line.step)[max(place - _REACH, 0) : place + _REACH + 1]
            four.append((slice(reach.start, reach.stop, reach.step), min(place, _REACH), line.step))
        near.append(tuple(four))
    return tuple(near)


@lru_cache(maxsize=1 << 16)  # a game has a few hundred different lines
def _shape(near: bytes, place: int) -> _Shape:
    """Return the shape that a black stone makes on the empty `place` of a line."""
    line = _with_stone(near, place)
    row = _row_length(line, place)
    fives = _points_completing_five(line, place)
    if row > 4 or fives:
        return _Shape(row, 1 if _is_straight_four(fives) else len(fives), ())
    offsets = (
        end - place
        for end in _open_ends(line, place)
        if _is_straight_four(_points_completing_five(_with_stone(line, end), place))
    )
    return _Shape(row, 0, tuple(offsets))


def _is_straight_four(five_points: list[int]) -> bool:
    """Return whether `five_points` are the two ends of a straight four: a stone on either end makes a five.

    Two points at another distance belong to two different fours in one line, as in x.xxx.x.
    """
    return len(five_points) == 2 and five_points[1] - five_points[0] == 5


def _points_completing_five(line: bytes, place: int) -> list[int]:
    """Return the points where one more stone gives the stone on `place` a row of exactly five."""
    return [end for end in _open_ends(line, place) if _row_length(_with_stone(line, end), place) == 5]


def _open_ends(line: bytes, place: int) -> list[int]:
    """Return the empty points next to the row through `place`."""
    first, last = _span(line, place)
    return [end for end in (first - 1, last + 1) if 0 <= end < len(line) and line[end] == _EMPTY]


def _row_length(line: bytes, place: int) -> int:
    first, last = _span(line, place)
    return last - first + 1


def _span(line: bytes, place: int) -> tuple[int, int]:
    """Return the first and the last stone of the unbroken row through `place`."""
    first = last = place
    while first and line[first - 1] == line[place]:
        first -= 1
    while last + 1 < len(line) and line[last + 1] == line[place]:
        last += 1
    return first, last


def _with_stone(line: bytes, place: int) -> bytes:
    return line[:place] + _BLACK_STONE + line[place + 1 :]
