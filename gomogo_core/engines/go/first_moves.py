"""The usual first moves of Go, which playouts cannot tell from moves near the edge.

On boards whose shorter side has 9 or 10 points, the first move takes the centre, or a corner point on the third and
fourth or on both fourth lines. On larger boards it takes a corner point on the third or fourth lines; from 13 × 13, the
first four stones take such points of empty corners.
"""

from __future__ import annotations

from numba import njit

from gomogo_core.engines.go.array_layout import (  # isort: skip
    CELL_COUNT, COLUMNS, EMPTY, EMPTY_COUNT, GAME_KIND, GO, NEIGHBOUR_STEPS, ROWS, STRIDE, WALL, BoardArray, Boolean,
    Cell,
)  # fmt: skip

_MIN_SIZE, _MIN_CORNER_SIZE, _MIN_FOUR_CORNERS_SIZE = 9, 11, 13  # the shorter side of a board
_CORNERS = 4


@njit("boolean(int32[::1])", nogil=True, cache=True)
def may_be_beginning(board: BoardArray) -> Boolean:
    """Return whether a position of Go has so few stones that usual first moves may exist, and no stones that touch."""
    rows, columns = board[ROWS], board[COLUMNS]
    if board[GAME_KIND] != GO or min(rows, columns) < _MIN_SIZE:
        return False
    stones = rows * columns - board[EMPTY_COUNT]
    if stones == 0:
        return True
    if stones >= _CORNERS or min(rows, columns) < _MIN_FOUR_CORNERS_SIZE:
        return False
    for cell in range(STRIDE, CELL_COUNT - STRIDE):
        if board[cell] in (EMPTY, WALL):
            continue
        for k in range(4):
            if board[cell + NEIGHBOUR_STEPS[k]] not in (EMPTY, WALL):
                return False
    return True


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)
def is_usual_first_move(board: BoardArray, cell: Cell) -> Boolean:
    """Return whether an empty cell is a usual first move; only for positions for which `may_be_beginning` holds."""
    rows, columns = board[ROWS], board[COLUMNS]
    row, column = cell // STRIDE, cell % STRIDE
    row_line, column_line = min(row, rows + 1 - row), min(column, columns + 1 - column)
    is_large = min(rows, columns) >= _MIN_CORNER_SIZE
    if not is_large and 2 * row == rows + 1 and 2 * column == columns + 1:
        return True
    lowest, highest = min(row_line, column_line), max(row_line, column_line)
    if lowest < 3 or highest > 4 or (highest == 3 and not is_large):
        return False
    first_row = 1 if row == row_line else rows + 1 - rows // 2
    first_column = 1 if column == column_line else columns + 1 - columns // 2
    for other_row in range(first_row, first_row + rows // 2):
        for other_column in range(first_column, first_column + columns // 2):
            if board[other_row * STRIDE + other_column] != EMPTY:
                return False
    return True
