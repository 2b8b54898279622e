"""Alpha-beta search of Capture Go to the first capture, on boards that are too large for perfect play.

The module uses the board, forced_wins.py and capture_estimates.py. One capture decides the game. So a player must find
every winning sequence of ataris, which playouts find only by chance. The search tests each position for such sequences
of both players. If there is none, it estimates the position. Its other parts are standard: principal variation search,
a transposition table, killer moves, the history heuristic and late move reductions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64, njit, types

from gomogo_core.engines.clock import check_clock

from gomogo_core.engines.go.array_layout import (  # isort: skip
    BLACK, CELL_COUNT, PASSES, STOP_FLAG, TURN, BoardArray, BoardStack, Boolean, Cell, EstimateMemory, ForcedWinMemory,
    Int64, MoveLists, SearchMemory, TranspositionTable,
)  # fmt: skip
from gomogo_core.engines.go.board import board_hash, copy_board, play
from gomogo_core.engines.go.capture_estimates import (
    ESTIMATE_MEMORY_SIZE,
    HISTORY_TABLE_START,
    UNITS_PER_POINT,
    capturing_move_and_answer,
    estimate,
    write_sorted_moves,
)
from gomogo_core.engines.go.forced_wins import (
    BEST_MOVE,
    FORCED_WIN_MEMORY_SIZE,
    WINNING_MOVE,
    has_forced_win,
    new_board_stack,
)

WIN_VALUE = 30_000  # the value of a win at the root; each ply to the win subtracts 1
CERTAIN_THRESHOLD = 29_000  # a value above this is a certain win, a value below its negative a certain loss
MAX_DEPTH = 36  # the largest depth in plies; the remaining boards of the stack are for the sequences of ataris
STOPPED = 1 << 20  # the value of a search that was interrupted
# the largest number of positions that one search for a winning sequence of ataris visits: inside the tree, at a leaf,
# at the root
_INNER_READING_LIMIT, _LEAF_READING_LIMIT, _ROOT_READING_LIMIT = 100, 30, 20_000
_MAX_EXTENSION = 6  # plies by which ataris may extend a line
# Late move reductions: the first 5 moves are searched to the full depth, the next 9 to one ply less, others to two
# less.
_FIRST_REDUCTION_FROM, _SECOND_REDUCTION_FROM = 5, 14
_EXACT_VALUE, _LOWER_BOUND, _UPPER_BOUND = 0, 1, 2
_TABLE_ENTRIES = 1 << 20  # entries of the transposition table: 16 MB
_CLEAR_LEAD = 16.0  # a lead of this many points counts as a winning probability of 0.88
_TURN_KEY, _PASS_KEY = np.int64(0x5851F42D4C957F2D), np.int64(0x14057B7EF767814F)
# The indices of the int64 array SearchMemory: the number of visited positions, and the killer moves by ply.
NODE_COUNT, _KILLERS_START = 0, 1
_SEARCH_MEMORY_SIZE = _KILLERS_START + MAX_DEPTH
_KEY, _DATA = 0, 1


class _Arrays(NamedTuple):
    """The arrays that the compiled functions of this search share. `state` is the board of the root, with the stop
    flag.
    """

    state: BoardArray
    boards: BoardStack
    forced_win_memory: ForcedWinMemory
    estimate_memory: EstimateMemory
    table: TranspositionTable
    moves: MoveLists
    search_memory: SearchMemory


_ARRAYS = types.NamedTuple(  # type: ignore[no-untyped-call]
    (int32[::1], int32[:, ::1], int32[::1], int32[::1], int64[:, ::1], int64[:, ::1], int64[::1]), _Arrays
)


@njit("boolean(int32[:, ::1], int64, int32[::1], int64, boolean)", nogil=True, cache=True)
def _wins_by_ataris(
    boards: BoardStack, level: Int64, memory: ForcedWinMemory, max_positions: Int64, of_opponent: Boolean
) -> Boolean:
    """Return whether a sequence of ataris wins on boards[level]: for the mover, or for the opponent after a pass."""
    copy_board(boards[level], boards[level + 1])
    if of_opponent:
        boards[level + 1][TURN] = 3 - boards[level][TURN]
    return has_forced_win(boards, level + 1, memory, max_positions)


@njit("void(int64[:, ::1], int64, int64, int64, int64, int64, int64)", nogil=True, cache=True)
def _store(
    table: TranspositionTable,
    slot: Int64,
    position_key: Int64,
    move: Cell,
    bound_kind: Int64,
    depth: Int64,
    value: Int64,
) -> None:
    """Store a result in the table. A certain result counts its plies from this position."""
    table[slot, _KEY] = position_key
    table[slot, _DATA] = (value + (1 << 15)) << 20 | max(0, min(255, depth)) << 12 | bound_kind << 10 | (move & 1023)


@njit(int64(_ARRAYS, int64, int64, int64, int64, int64), nogil=True, cache=True)
def _value(arrays: _Arrays, level: Int64, depth: Int64, plies_extended: Int64, alpha: Int64, beta: Int64) -> Int64:
    """Return the mover's value of boards[level]: exact between alpha and beta, else a bound; STOPPED if interrupted.

    `level` is the number of plies from the root. `plies_extended` is the number of plies by which ataris have extended
    this line.
    """
    state, boards, memory, estimate_memory, table, moves, search_memory = arrays
    board = boards[level]
    check_clock(state, STOP_FLAG)
    if state[STOP_FLAG]:
        return STOPPED
    search_memory[NODE_COUNT] += 1
    if board[PASSES] >= 2:
        return 0
    capturing_point, answer = capturing_move_and_answer(board)
    if capturing_point:
        return WIN_VALUE - level - 1
    if answer == -1:
        return level + 2 - WIN_VALUE
    if level >= MAX_DEPTH - 1:
        return estimate(board, estimate_memory)
    position_key = (
        board_hash(board) ^ (_TURN_KEY if board[TURN] == BLACK else np.int64(0)) ^ (_PASS_KEY * board[PASSES])
    )
    slot, table_move = np.int64(np.uint64(position_key) % np.uint64(len(table))), np.int64(-1)
    if answer:
        depth += 1
    if table[slot, _KEY] == position_key:
        entry = table[slot, _DATA]
        table_move = entry & 1023
        bound_kind, known_depth, value = (entry >> 10) & 3, (entry >> 12) & 255, (entry >> 20) - (1 << 15)
        if value > CERTAIN_THRESHOLD:
            value -= level
        elif value < -CERTAIN_THRESHOLD:
            value += level
        is_bound = (
            bound_kind == _EXACT_VALUE
            or (bound_kind == _LOWER_BOUND and value >= beta)
            or (bound_kind == _UPPER_BOUND and value <= alpha)
        )
        if known_depth >= depth and level and is_bound:
            return value
    reading_limit = _INNER_READING_LIMIT if depth > 0 else _LEAF_READING_LIMIT
    if level and _wins_by_ataris(boards, level, memory, reading_limit, False):
        return WIN_VALUE - level - 5
    if depth <= 0:
        if plies_extended >= _MAX_EXTENSION or not _wins_by_ataris(boards, level, memory, _LEAF_READING_LIMIT, True):
            return estimate(board, estimate_memory)
        depth, plies_extended = 1, plies_extended + 1
    killer = search_memory[_KILLERS_START + level]
    count = write_sorted_moves(board, estimate_memory, moves[level], table_move, killer, answer)
    if count == 0:  # every move is captured at once
        return level + 2 - WIN_VALUE
    best_value, chosen_move, raised_alpha = -WIN_VALUE, np.int64(-1), alpha
    next_board, depth_left = boards[level + 1], depth - 1
    for i in range(count):
        cell = moves[level, i] & 0xFFFF
        copy_board(board, next_board)
        play(next_board, cell)
        reduction = 0
        if i >= _FIRST_REDUCTION_FROM and depth >= 3 and not answer:
            reduction = 1 if i < _SECOND_REDUCTION_FROM else 2
        value = STOPPED
        if i:
            value = -_value(arrays, level + 1, depth_left - reduction, plies_extended, -raised_alpha - 1, -raised_alpha)
            if reduction and value > raised_alpha and value != -STOPPED:
                value = -_value(arrays, level + 1, depth_left, plies_extended, -raised_alpha - 1, -raised_alpha)
        if i == 0 or raised_alpha < value < beta:
            value = -_value(arrays, level + 1, depth_left, plies_extended, -beta, -raised_alpha)
        if value == -STOPPED:
            if level == 0 and i:  # use the result of the moves that were searched
                break
            return STOPPED
        if value > best_value:
            best_value, chosen_move = value, cell
            if level == 0:
                memory[BEST_MOVE] = cell
        raised_alpha = max(raised_alpha, value)
        if raised_alpha >= beta:
            search_memory[_KILLERS_START + level] = cell
            history_index = HISTORY_TABLE_START + (board[TURN] - BLACK) * CELL_COUNT + cell
            estimate_memory[history_index] = min(2_000, estimate_memory[history_index] + depth * depth)
            break
    if not state[STOP_FLAG]:
        bound_kind = _LOWER_BOUND if best_value >= beta else _EXACT_VALUE if best_value > alpha else _UPPER_BOUND
        if abs(best_value) <= CERTAIN_THRESHOLD:
            value_from_here = best_value
        else:
            value_from_here = best_value + (level if best_value > 0 else -level)
        _store(table, slot, position_key, chosen_move, bound_kind, depth, value_from_here)
    return best_value


@njit(int64(_ARRAYS, int64), nogil=True, cache=True)
def _search(arrays: _Arrays, depth: Int64) -> Int64:
    """Search to a depth in plies; return the mover's value, and write the best move to memory[BEST_MOVE].

    Return STOPPED if state[STOP_FLAG] was set before the first move was searched.
    """
    state, boards, memory, estimate_memory, _, _, search_memory = arrays
    copy_board(state, boards[0])
    memory[BEST_MOVE] = -1
    if depth == 1:
        search_memory[NODE_COUNT] = 0
        for i in range(2 * CELL_COUNT):
            estimate_memory[HISTORY_TABLE_START + i] = 0
        for i in range(MAX_DEPTH):
            search_memory[_KILLERS_START + i] = -1
        if has_forced_win(boards, 0, memory, _ROOT_READING_LIMIT):
            memory[BEST_MOVE] = memory[WINNING_MOVE]
            return WIN_VALUE - 1
    return _value(arrays, 0, depth, 0, -WIN_VALUE, WIN_VALUE)


class CaptureGoSearch:
    """An alpha-beta search that keeps its tables from move to move."""

    def __init__(self) -> None:
        self._boards, self._forced_win_memory = new_board_stack(), np.zeros(FORCED_WIN_MEMORY_SIZE, np.int32)
        self._estimate_memory = np.zeros(ESTIMATE_MEMORY_SIZE, np.int32)
        self._table = np.zeros((_TABLE_ENTRIES, 2), np.int64)
        self._moves = np.zeros((MAX_DEPTH, CELL_COUNT), np.int64)
        self._search_memory = np.zeros(_SEARCH_MEMORY_SIZE, np.int64)

    @property
    def nodes(self) -> int:
        """The number of positions visited since the start of the last search to depth 1."""
        return int(self._search_memory[NODE_COUNT])

    def search_to_depth(self, state: Any, depth: int) -> tuple[int, int] | None:
        """Search to a depth of 1 or more plies; return the cell of the best move, and the mover's value.

        A new position must first be searched to depth 1. Return None if state[STOP_FLAG] was set before any move was
        searched, or if every move loses at once.
        """
        memories = self._boards, self._forced_win_memory, self._estimate_memory
        arrays = _Arrays(state, *memories, self._table, self._moves, self._search_memory)
        value = _search(arrays, depth)
        return None if self._forced_win_memory[BEST_MOVE] < 0 else (int(self._forced_win_memory[BEST_MOVE]), int(value))


def win_probability(value: int) -> float:
    """Return the winning probability that corresponds to a value; 1 or 0 if the result is certain."""
    if abs(value) > CERTAIN_THRESHOLD:
        return float(value > 0)
    return 0.5 + math.tanh(value / UNITS_PER_POINT / _CLEAR_LEAD) / 2
