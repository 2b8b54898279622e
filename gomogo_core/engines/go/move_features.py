"""Ranks the moves of Go by the stones around them; the priors of new tree nodes depend on these ranks.

The rank of a move is the sum of the weights of its features. These are its 3 × 3 neighbourhood, captures, rescues,
ataris, the distances to the last two moves, and the line of the board. `training/go_priors.py` fitted the weights
(`priors.npy`). The model is a softmax over the legal moves, as in R. Coulom, Computing Elo ratings of move patterns in
the game of Go (2007).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (  # isort: skip
    BLACK, CANDIDATES_START, CELL_RECORDS_START, CHAIN_HEAD, CHAIN_SIZE, COLUMNS, EMPTY, LAST_MOVE, LIBERTY_SQUARES,
    LIBERTY_SUM, NEIGHBOUR_OFFSETS, NEIGHBOUR_STEPS, PASS, PASSES, PSEUDO_LIBERTIES, RECORD_SIZE, ROWS,
    SECOND_LAST_MOVE, STRIDE, TURN, WALL, BoardArray, Boolean, Cell, FeatureWeights, Int64,
)  # fmt: skip
from gomogo_core.engines.go.board import has_one_liberty
from gomogo_core.engines.go.playouts import capped_liberties_after

UNITS_PER_LOG_ODDS = 64  # the rank that corresponds to one unit of the logarithm of the odds
# two bits for each neighbour of array_layout.NEIGHBOUR_OFFSETS: 0 for empty, 1 for the mover's stone, 2 for the
# opponent's stone, 3 for the edge
NEIGHBOURHOOD_COUNT = 1 << 16

# The first number of each other kind of features. Each range ends before the next one begins.
CAPTURE_FEATURES = NEIGHBOURHOOD_COUNT  # + 0 for one captured stone, 1 for two, 2 for more
# counted as for CAPTURE_FEATURES: own stones in atari that have two or more liberties after the move
RESCUE_FEATURES = CAPTURE_FEATURES + 3
FAILED_RESCUE_FEATURE = RESCUE_FEATURES + 3  # own stones in atari that have fewer than two liberties after the move
# counted as for CAPTURE_FEATURES: the stones of the new chain, which is in atari
SELF_ATARI_FEATURES = FAILED_RESCUE_FEATURE + 1
# counted as for CAPTURE_FEATURES: the opponent's stones that the move puts into atari
ATARI_FEATURES = SELF_ATARI_FEATURES + 3
# to be added: the distance to the last move minus 2, at most 11; or 12 after a pass and at the start
LAST_MOVE_DISTANCE_FEATURES = ATARI_FEATURES + 3
SECOND_LAST_MOVE_DISTANCE_FEATURES = LAST_MOVE_DISTANCE_FEATURES + 13
# to be added: the line of the board, from 0 for the edge to 4; and 5 if no stone is within two steps
LINE_FEATURES = SECOND_LAST_MOVE_DISTANCE_FEATURES + 13
PASS_FEATURES = LINE_FEATURES + 10  # + 0 for a pass, 1 for a pass after a pass
FEATURE_COUNT = PASS_FEATURES + 2
MAX_FEATURES_PER_MOVE = 8  # the largest number of features of a move


@cache
def weights() -> Any:
    """Return the weights in the file priors.npy, int16 of shape (FEATURE_COUNT,)."""
    return np.load(Path(__file__).with_name("priors.npy"))


@njit("int64(int64, int64)", nogil=True, cache=True)
def cell_distance(cell: Cell, other_cell: Cell) -> Int64:
    """Return the distance dx + dy + max(dx, dy) of two cells; dx and dy are the differences of columns and of rows."""
    row_distance, column_distance = abs(cell // STRIDE - other_cell // STRIDE), abs(cell % STRIDE - other_cell % STRIDE)
    return row_distance + column_distance + max(row_distance, column_distance)


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)
def is_empty_around(board: BoardArray, cell: Cell) -> Boolean:
    """Return whether there is no stone within two rows and columns of `cell`."""
    for row_step in range(-2, 3):
        for column_step in range(-2, 3):
            row, column = cell // STRIDE + row_step, cell % STRIDE + column_step
            if 1 <= row <= board[ROWS] and 1 <= column <= board[COLUMNS] and board[row * STRIDE + column] != EMPTY:
                return False
    return True


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)
def liberties_after_filling(board: BoardArray, stone: Cell, cell: Cell) -> Int64:
    """Return the liberties of the chain on `stone` after a stone on its liberty `cell`; 2 means two or more."""
    record = CELL_RECORDS_START + RECORD_SIZE * board[CELL_RECORDS_START + RECORD_SIZE * stone + CHAIN_HEAD]
    count, liberty_sum = board[record + PSEUDO_LIBERTIES], board[record + LIBERTY_SUM]
    square_sum = board[record + LIBERTY_SQUARES]
    for k in range(4):
        neighbour = cell + NEIGHBOUR_STEPS[k]
        if (
            board[neighbour] == board[stone]
            and CELL_RECORDS_START + RECORD_SIZE * board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD]
            == record
        ):
            count -= 1
            liberty_sum -= cell
            square_sum -= cell * cell
    if count == 0:
        return 0
    return 1 if count * square_sum == liberty_sum * liberty_sum else 2


@njit("int64(int64)", nogil=True, cache=True)
def stone_count_index(stone_count: Int64) -> Int64:
    """Return the offset of a number of stones from the first number of a kind of features, such as CAPTURE_FEATURES."""
    return min(stone_count, 3) - 1


@njit("int64(int64, int64)", nogil=True, cache=True)
def _distance_index(cell: Cell, earlier_cell: Cell) -> Int64:
    return 12 if earlier_cell == PASS else max(0, min(11, cell_distance(cell, earlier_cell) - 2))


@njit("int64(int32[::1], int64)", nogil=True, cache=True)
def write_features(board: BoardArray, cell: Cell) -> Int64:
    """Write the features of a legal move to the candidates; return their number, at most MAX_FEATURES_PER_MOVE."""
    if cell == PASS:
        board[CANDIDATES_START] = PASS_FEATURES + (board[PASSES] > 0)
        return 1
    colour = board[TURN]
    neighbourhood = 0
    for k in range(8):
        neighbour = board[cell + NEIGHBOUR_OFFSETS[k]]
        if colour != BLACK and (neighbour == 1 or neighbour == 2):
            neighbour = 3 - neighbour
        neighbourhood |= neighbour << 2 * k
    board[CANDIDATES_START] = neighbourhood
    count = 1
    captured = saved = threatened = own_stones = 0
    for k in range(4):
        neighbour = cell + NEIGHBOUR_STEPS[k]
        neighbour_colour = board[neighbour]
        if neighbour_colour in (EMPTY, WALL):
            continue
        record = CELL_RECORDS_START + RECORD_SIZE * board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD]
        stones = board[record + CHAIN_SIZE]
        if has_one_liberty(board, record):
            if neighbour_colour == colour:
                saved += stones
            else:
                captured += stones
        elif neighbour_colour != colour and liberties_after_filling(board, neighbour, cell) == 1:
            threatened = max(threatened, stones)
        if neighbour_colour == colour:
            own_stones += stones
    if captured:
        board[CANDIDATES_START + count] = CAPTURE_FEATURES + stone_count_index(captured)
        count += 1
    is_safe = capped_liberties_after(board, cell, colour) == 2
    if saved:
        board[CANDIDATES_START + count] = (
            RESCUE_FEATURES + stone_count_index(saved) if is_safe else FAILED_RESCUE_FEATURE
        )
        count += 1
    if not is_safe:
        board[CANDIDATES_START + count] = SELF_ATARI_FEATURES + stone_count_index(own_stones + 1)
        count += 1
    if threatened:
        board[CANDIDATES_START + count] = ATARI_FEATURES + stone_count_index(threatened)
        count += 1
    board[CANDIDATES_START + count] = LAST_MOVE_DISTANCE_FEATURES + _distance_index(cell, board[LAST_MOVE])
    board[CANDIDATES_START + count + 1] = SECOND_LAST_MOVE_DISTANCE_FEATURES + _distance_index(
        cell, board[SECOND_LAST_MOVE]
    )
    row, column = cell // STRIDE, cell % STRIDE
    line = min(min(row, board[ROWS] + 1 - row), min(column, board[COLUMNS] + 1 - column))
    board[CANDIDATES_START + count + 2] = LINE_FEATURES + min(line, 5) - 1 + (5 if is_empty_around(board, cell) else 0)
    return count + 3


@njit("int64(int32[::1], int64, int16[::1])", nogil=True, cache=True)
def move_rank(board: BoardArray, cell: Cell, weights: FeatureWeights) -> Int64:
    """Return the rank of a move: UNITS_PER_LOG_ODDS times the logarithm of its odds."""
    total = 0
    for i in range(write_features(board, cell)):
        total += weights[board[CANDIDATES_START + i]]
    return total
