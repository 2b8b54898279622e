"""The agent `greedy` on many boards at once. A test compares the scores with those of agents/greedy.py.

The module uses boards and colours, but no learning.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit

from training.gomoku.boards import BORDER_WIDTH, EMPTY, Array, GomokuBoards

VALUE_FACTOR_PER_STONE = 6  # as in agents/greedy.py
OPPONENT_WEIGHT = 1.1


def greedy_scores(boards: GomokuBoards) -> Array:
    """Return the score of every point on every board, float64; -1 if a point is occupied."""
    scores = np.empty((boards.count, boards.cell_of_point.size))
    _write_greedy_scores(
        boards.cells, boards.keys, boards.stones, boards.cell_of_point, _row_values(boards.line), scores
    )
    return scores


def greedy_moves(boards: GomokuBoards, generator: np.random.Generator) -> Array:
    """Return the agent's move on each board: a random point among those with the highest score."""
    scores = greedy_scores(boards)
    is_best = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(is_best * generator.random(is_best.shape), axis=1))


@cache
def _row_values(line: int) -> Array:
    """Return the values of the rows that a stone makes.

    The first index is the colour of the stone, the second is 0 for its player and 1 for the opponent, and the third is
    the key.

    The agent looks at five cells in each direction, and a key has only four. The fifth matters only if the row has
    already won.
    """
    values = np.zeros((2, 2, 1 << 4 * BORDER_WIDTH), np.int64)
    _fill_row_values(values, line)
    return values


@njit(cache=True, nogil=True)
def _fill_row_values(values: Array, line: int) -> None:
    for colour in (1, 2):
        for key in range(values.shape[2]):
            stones_ahead = stones_behind = open_ends = 0
            while stones_ahead < BORDER_WIDTH and (key >> 2 * (BORDER_WIDTH + stones_ahead)) & 3 == colour:
                stones_ahead += 1
            if stones_ahead < BORDER_WIDTH and (key >> 2 * (BORDER_WIDTH + stones_ahead)) & 3 == EMPTY:
                open_ends += 1
            while stones_behind < BORDER_WIDTH and (key >> 2 * (BORDER_WIDTH - 1 - stones_behind)) & 3 == colour:
                stones_behind += 1
            if stones_behind < BORDER_WIDTH and (key >> 2 * (BORDER_WIDTH - 1 - stones_behind)) & 3 == EMPTY:
                open_ends += 1
            length = 1 + stones_ahead + stones_behind
            value = 1
            for _ in range(length):
                value *= VALUE_FACTOR_PER_STONE
            values[colour - 1, 0, key] = value * (3 if length >= line else open_ends)
            values[colour - 1, 1, key] = value * (2 if length >= line else open_ends)


@njit(cache=True, nogil=True)
def _write_greedy_scores(
    cells: Array, keys: Array, stones: Array, cell_of_point: Array, row_values: Array, scores: Array
) -> None:
    for board_number in range(cells.shape[0]):
        mover = stones[board_number] % 2
        for point in range(cell_of_point.size):
            cell = cell_of_point[point]
            if cells[board_number, cell] != EMPTY:
                scores[board_number, point] = -1.0
                continue
            own_value = other_value = 0
            for direction in range(4):
                own_value += row_values[mover, 0, keys[board_number, cell, direction]]
                other_value += row_values[1 - mover, 1, keys[board_number, cell, direction]]
            scores[board_number, point] = own_value + OPPONENT_WEIGHT * other_value
