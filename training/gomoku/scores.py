"""The score of every point, by a table of the shapes that a stone of either colour makes there.

The module uses boards and shapes, but no network and no reward. A shape depends on the four cells on each side of a
stone along a line; gomogo_core/engines/gomoku/shapes.py derives all shapes from the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
from numba import njit

from gomogo_core.engines.gomoku import shapes
from training.gomoku.boards import EMPTY, Array, GomokuBoards

_SHAPES_BY_NAME = {  # each name in the table of scores, and the shapes that it covers
    "one": (shapes.ONE_CLOSED, shapes.ONE_OPEN),
    "two": (shapes.TWO_CLOSED,),
    "open_two": (shapes.WEAK_OPEN_TWO, shapes.OPEN_TWO, shapes.STRONG_OPEN_TWO),
    "three": (shapes.THREE_CLOSED,),
    "open_three": (shapes.WEAK_OPEN_THREE, shapes.STRONG_OPEN_THREE),
    "four": (shapes.FOUR,),
    "open_four": (shapes.OPEN_FOUR, shapes.DOUBLE_FOUR),
    "five": (shapes.WINNING_ROW,),
}
DOUBLE_THREE, FOUR_THREE, DOUBLE_FOUR = 16, 17, 18  # pairs of shapes in two lines through one point
_PAIRS_BY_NAME = {"double_three": DOUBLE_THREE, "four_three": FOUR_THREE, "double_four": DOUBLE_FOUR}
SCORE_NAMES = (*_SHAPES_BY_NAME, *_PAIRS_BY_NAME)
_SCORE_COUNT = 19


class ScoreTable:
    """The scores of shapes, for the mover's own stones and for the opponent's.

    `own` and `opponent` map the names in SCORE_NAMES to scores; a missing name has the score 0. The score of a pair of
    shapes is added to the scores of the two shapes.
    """

    def __init__(self, own: Mapping[str, float], opponent: Mapping[str, float]) -> None:
        self.values = np.zeros((2, _SCORE_COUNT))
        for side, scores in enumerate((own, opponent)):
            for name, value in scores.items():
                for shape in _SHAPES_BY_NAME.get(name, ()):
                    self.values[side, shape] = value
                if name in _PAIRS_BY_NAME:
                    self.values[side, _PAIRS_BY_NAME[name]] = value
        self.shape_table = _shape_table()


@cache
def _shape_table() -> Array:
    """Return the shapes of both colours by key."""
    return shapes.shape_table_of_rule(shapes.FREESTYLE)


def point_scores(boards: GomokuBoards, table: ScoreTable) -> Array:
    """Return the score of every point for the mover, float64 of shape (count, points); -1 if it is occupied."""
    scores = np.empty((boards.count, boards.cell_of_point.size))
    _write_point_scores(
        boards.cells, boards.keys, boards.stones, boards.cell_of_point, table.shape_table, table.values, scores
    )
    return scores


def required_points(boards: GomokuBoards) -> Array:
    """Return the points that decide the game at once, uint8 of shape (count, points).

    The value of a point is 2 if the mover completes a five there. If the mover has no such point, the value is 1 where
    the opponent would complete a five. All other values are 0.
    """
    required = np.empty((boards.count, boards.cell_of_point.size), np.uint8)
    _write_required_points(boards.cells, boards.keys, boards.stones, boards.cell_of_point, _shape_table(), required)
    return required


@njit(cache=True, nogil=True)
def _write_point_scores(
    cells: Array, keys: Array, stones: Array, cell_of_point: Array, shape_table: Array, values: Array, scores: Array
) -> None:
    for board_number in range(cells.shape[0]):
        board = cells[board_number]
        black_moves = stones[board_number] % 2 == 0
        for point in range(cell_of_point.size):
            cell = cell_of_point[point]
            if board[cell] != EMPTY:
                scores[board_number, point] = -1.0
                continue
            total = 0.0
            fours_own = threes_own = fours_other = threes_other = 0
            for direction in range(4):
                both_shapes = np.int64(shape_table[keys[board_number, cell, direction]])
                own, other = (
                    (both_shapes & 15, both_shapes >> 4) if black_moves else (both_shapes >> 4, both_shapes & 15)
                )
                total += values[0, own] + values[1, other]
                fours_own += own >= shapes.FOUR
                fours_other += other >= shapes.FOUR
                threes_own += own == shapes.WEAK_OPEN_THREE or own == shapes.STRONG_OPEN_THREE
                threes_other += other == shapes.WEAK_OPEN_THREE or other == shapes.STRONG_OPEN_THREE
            total += _pair_score(values[0], fours_own, threes_own) + _pair_score(values[1], fours_other, threes_other)
            scores[board_number, point] = total


@njit(cache=True, nogil=True)
def _pair_score(values: Array, four_count: int, three_count: int) -> float:
    if four_count >= 2:
        return values[DOUBLE_FOUR]
    if four_count and three_count:
        return values[FOUR_THREE]
    return values[DOUBLE_THREE] if three_count >= 2 else 0.0


@njit(cache=True, nogil=True)
def _write_required_points(
    cells: Array, keys: Array, stones: Array, cell_of_point: Array, shape_table: Array, required: Array
) -> None:
    for board_number in range(cells.shape[0]):
        black_moves, wins = stones[board_number] % 2 == 0, False
        for point in range(cell_of_point.size):
            required[board_number, point] = 0
            if cells[board_number, cell_of_point[point]] != EMPTY:
                continue
            for direction in range(4):
                both_shapes = np.int64(shape_table[keys[board_number, cell_of_point[point], direction]])
                own, other = (
                    (both_shapes & 15, both_shapes >> 4) if black_moves else (both_shapes >> 4, both_shapes & 15)
                )
                if own == shapes.WINNING_ROW:
                    required[board_number, point] = 2
                    wins = True
                elif other == shapes.WINNING_ROW and required[board_number, point] == 0:
                    required[board_number, point] = 1
        if wins:
            for point in range(cell_of_point.size):
                required[board_number, point] &= 2
