"""A plain search of Gomoku that shares nothing with the champion, to check the champion's proofs in bench.champion."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True)
def _makes_row(cells: Any, size: int, point_number: int, colour: int, exact: bool) -> bool:
    """Return whether a stone of `colour` on a point completes a row of five; a longer row counts, too, unless `exact`
    is true.
    """
    row, column = point_number // size, point_number % size
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (-1, 1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < size and 0 <= c < size and cells[r * size + c] == colour:
                length += 1
                r, c = r + sign * down, c + sign * right
        if length == 5 or (length > 5 and not exact):
            return True
    return False


@njit(nogil=True)
def forced_result(cells: Any, size: int, mover: int, plies: int, exact: bool) -> int:
    """Return 1 if the mover can force a row of five within `plies` plies, -1 if the opponent can, else 0.

    Every move is tried, except where a player can complete a row at once, or must stop the opponent from doing so.
    """
    if plies == 0:
        return 0
    threats, answer = 0, -1
    for point_number in range(size * size):
        if cells[point_number] == 0:
            if _makes_row(cells, size, point_number, mover, exact):
                return 1
            if _makes_row(cells, size, point_number, 3 - mover, exact):
                threats, answer = threats + 1, point_number
    if plies == 1:
        return 0
    if threats > 1:
        return -1
    best_value, moves = -1, 0
    for point_number in range(size * size):
        if cells[point_number] == 0 and answer in (-1, point_number):
            moves += 1
            cells[point_number] = mover
            value = -forced_result(cells, size, 3 - mover, plies - 1, exact)
            cells[point_number] = 0
            if value == 1:
                return 1
            best_value = max(best_value, value)
    return best_value if moves else 0


def result_within(cells: bytes, size: int, mover: int, plies: int, exact: bool) -> int:
    """Call `forced_result` for a board given as in GomokuPosition.cells."""
    return int(forced_result(np.frombuffer(cells, np.uint8).copy(), size, mover, plies, exact))
