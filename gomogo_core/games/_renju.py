"""The points that Renju forbids to black, each with the name of the broken rule.

The module looks at stones and their lines. It does not depend on players, turns or the penalty for a forbidden move.

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
_LINE_REACH = 5  # a five ends at most 4 points from the new stone; the fifth point shows whether the row is longer
_FIVE = "five"


class _LineShapes(NamedTuple):
    """The shapes that a new black stone makes in one line.

    `row_length` is the number of black stones in the unbroken row through the new stone. `fours` is the number of fours
    to which the new stone belongs. `straight_four_offsets` are the distances from the new stone, along the line, at
    which one more stone makes a straight four.
    """

    row_length: int
    fours: int
    straight_four_offsets: tuple[int, ...]


def why_forbidden(cells: bytes, size: int, point_number: int) -> str | None:
    """Return the rule that forbids black to play on the empty point number `point_number`, or None if black may play
    there.

    The rules are "overline", "double four" and "double three". A stone that makes five in a row is always allowed.
    `cells` holds size² bytes row by row: 0 for empty, 1 for black, 2 for white.
    """
    shape_name = _shape_name(cells, size, point_number)
    return None if shape_name == _FIVE else shape_name


def _shape_name(cells: bytes, size: int, point_number: int) -> str | None:
    """Return the shape that a black stone at `point_number` makes: "five" or a forbidden shape; None for an ordinary
    move.
    """
    shapes = []
    for line, index, step in _line_parts_near_points(size)[point_number]:
        line_part = cells[line]
        # every forbidden shape has at least three stones, so there must be two other stones in a line
        if line_part.count(_BLACK) > 1:
            shapes.append((_shapes_of_stone(line_part, index), step))
    if not shapes:
        return None
    if any(shape.row_length == 5 for shape, _ in shapes):
        return _FIVE
    if any(shape.row_length > 5 for shape, _ in shapes):
        return "overline"
    if sum(shape.fours for shape, _ in shapes) > 1:
        return "double four"
    extensions = [
        [point_number + offset * step for offset in shape.straight_four_offsets]
        for shape, step in shapes
        if shape.straight_four_offsets
    ]
    if len(extensions) < 2:
        return None
    cells_after = cells[:point_number] + _BLACK_STONE + cells[point_number + 1 :]
    # A row is a three if one more stone makes it a straight four without making a five (section 3), and if black may
    # place that stone (section 9). The recursion ends, since each step adds a stone.
    threes = sum(any(_shape_name(cells_after, size, point) is None for point in points) for points in extensions)
    return "double three" if threes > 1 else None


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def _line_parts_near_points(size: int) -> tuple[tuple[tuple[slice, int, int], ...], ...]:
    """Return, for each point, the part of each of its four lines that can matter to a stone on the point.

    Each part is given by a slice of the board, the point's index in the slice, and the slice's step.
    """
    board = point_board(size, size)
    parts_by_point = []
    for lines, indices in zip(board.lines_through, board.index_in_line, strict=True):
        line_parts = []
        for line, index in zip(lines, indices, strict=True):
            part = range(line.start, line.stop, line.step)[max(index - _LINE_REACH, 0) : index + _LINE_REACH + 1]
            line_parts.append((slice(part.start, part.stop, part.step), min(index, _LINE_REACH), line.step))
        parts_by_point.append(tuple(line_parts))
    return tuple(parts_by_point)


@lru_cache(maxsize=1 << 16)  # a game has a few hundred different lines
def _shapes_of_stone(line_part: bytes, index: int) -> _LineShapes:
    """Return the shapes that a black stone makes on the empty point at `index` of a line."""
    line = _with_stone(line_part, index)
    row_length = _row_length(line, index)
    fives = _points_completing_five(line, index)
    if row_length > 4 or fives:
        return _LineShapes(row_length, 1 if _is_straight_four(fives) else len(fives), ())
    offsets = (
        end - index
        for end in _open_ends(line, index)
        if _is_straight_four(_points_completing_five(_with_stone(line, end), index))
    )
    return _LineShapes(row_length, 0, tuple(offsets))


def _is_straight_four(five_points: list[int]) -> bool:
    """Return whether `five_points` are the two ends of a straight four: a stone on either end makes a five.

    Two points at another distance belong to two different fours in one line, as in x.xxx.x.
    """
    return len(five_points) == 2 and five_points[1] - five_points[0] == 5


def _points_completing_five(line: bytes, index: int) -> list[int]:
    """Return the points where one more stone makes a row of exactly five through the stone at `index`."""
    return [end for end in _open_ends(line, index) if _row_length(_with_stone(line, end), index) == 5]


def _open_ends(line: bytes, index: int) -> list[int]:
    """Return the empty points next to the row of stones through `index`."""
    first_index, last_index = _row_ends(line, index)
    return [end for end in (first_index - 1, last_index + 1) if 0 <= end < len(line) and line[end] == _EMPTY]


def _row_length(line: bytes, index: int) -> int:
    first_index, last_index = _row_ends(line, index)
    return last_index - first_index + 1


def _row_ends(line: bytes, index: int) -> tuple[int, int]:
    """Return the indices of the first and the last stone of the unbroken row through `index`."""
    first_index = last_index = index
    while first_index and line[first_index - 1] == line[index]:
        first_index -= 1
    while last_index + 1 < len(line) and line[last_index + 1] == line[index]:
        last_index += 1
    return first_index, last_index


def _with_stone(line: bytes, index: int) -> bytes:
    return line[:index] + _BLACK_STONE + line[index + 1 :]
