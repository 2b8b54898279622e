"""Alpha-beta search of Capture Go to the first capture, on boards that are too large for perfect play.

The module uses the board, forced_wins.py and capture_estimates.py. One capture decides the game. So a player must find
every winning sequence of ataris, which playouts find only by chance. The search tests each position for such sequences
of both players. If there is none, it estimates the position. Its other parts are standard: principal variation search,
a transposition table, killer moves, the history heuristic and late move reductions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (
    BLACK,
    CELLS,
    PASSES,
    STOP,
    TURN,
    BoardArray,
    BoardStack,
    Boolean,
    Cell,
    MemoryArray,
    MoveLists,
    Number,
    PathArray,
    TableArray,
    WorkArray,
)
from gomogo_core.engines.go.board import board_hash, copy, play
from gomogo_core.engines.go.capture_estimates import (
    HISTORY,
    UNITS,
    WORK,
    captures_and_answer,
    estimate,
    write_sorted_moves,
)
from gomogo_core.engines.go.forced_wins import CHOSEN, FOUND, MEMORY, new_board_stack, wins

WIN = 30_000  # the value of a win at the root; each ply to the win subtracts 1
CERTAIN = 29_000  # values above it are certain wins, values below its negative certain losses
DEEPEST = 36  # the largest depth in plies; the sequences of ataris need the other boards of the stack
STOPPED = 1 << 20  # the value of a search that was interrupted
# limits of the positions that are searched for a sequence of ataris: inside the tree, at a leaf, at the root
_READ, _READ_LEAF, _READ_ROOT = 100, 30, 20_000
_EXTENSIONS = 6  # plies by which ataris may extend a line
# Late move reductions: the first 5 moves are searched to the full depth, the next 9 to one ply less, others to two
# less.
_LATE, _LATER = 5, 14
_EXACT, _LOWER, _UPPER = 0, 1, 2
_ENTRIES = 1 << 20  # entries of the transposition table: 16 MB
_CLEAR = 16.0  # a lead of this many points is taken for a winning probability of 0.88
_TURN_KEY, _PASS_KEY = np.int64(0x5851F42D4C957F2D), np.int64(0x14057B7EF767814F)
_ARRAYS = "int32[::1], int32[:, ::1], int32[::1], int32[::1], int64[:, ::1], int64[:, ::1], int64[::1]"
# The indices of the int64 array of the path: the number of visited positions, and the killer moves by ply.
NODES, _KILLERS = 0, 1
_PATH_SIZE = _KILLERS + DEEPEST
_KEY, _ENTRY = 0, 1


@njit("boolean(int32[:, ::1], int64, int32[::1], int64, boolean)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _wins_by_ataris(
    boards: BoardStack, level: Number, memory: MemoryArray, most: Number, of_opponent: Boolean
) -> Boolean:
    """Return whether a sequence of ataris wins on boards[level]: for the mover, or for the opponent after a pass."""
    copy(boards[level], boards[level + 1])
    if of_opponent:
        boards[level + 1][TURN] = 3 - boards[level][TURN]
    return wins(boards, level + 1, memory, most)


@njit("void(int64[:, ::1], int64, int64, int64, int64, int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _store(
    table: TableArray, slot: Number, number: Number, move: Cell, kind: Number, depth: Number, value: Number
) -> None:
    """Store a result in the table. A certain result counts its plies from this position."""
    table[slot, _KEY] = number
    table[slot, _ENTRY] = (value + (1 << 15)) << 20 | max(0, min(255, depth)) << 12 | kind << 10 | (move & 1023)


@njit(f"int64({_ARRAYS}, int64, int64, int64, int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _value(
    state: BoardArray,
    boards: BoardStack,
    memory: MemoryArray,
    work: WorkArray,
    table: TableArray,
    moves: MoveLists,
    path: PathArray,
    level: Number,
    depth: Number,
    extended: Number,
    alpha: Number,
    beta: Number,
) -> Number:
    """Return the mover's value of boards[level]: exact between alpha and beta, else a bound; STOPPED if interrupted.

    `state` is the board of the root, with the stop flag. `level` is the number of plies from the root. `extended` is
    the number of plies by which ataris have extended this line. The other parameters are the arrays of array_layout.py.
    """
    board = boards[level]
    if state[STOP]:
        return STOPPED
    path[NODES] += 1
    if board[PASSES] >= 2:
        return 0
    win, answer = captures_and_answer(board)
    if win:
        return WIN - level - 1
    if answer == -1:
        return level + 2 - WIN
    if level >= DEEPEST - 1:
        return estimate(board, work)
    number = board_hash(board) ^ (_TURN_KEY if board[TURN] == BLACK else np.int64(0)) ^ (_PASS_KEY * board[PASSES])
    slot, first = np.int64(np.uint64(number) % np.uint64(len(table))), np.int64(-1)
    if answer:
        depth += 1
    if table[slot, _KEY] == number:
        entry = table[slot, _ENTRY]
        first = entry & 1023
        kind, known, value = (entry >> 10) & 3, (entry >> 12) & 255, (entry >> 20) - (1 << 15)
        if value > CERTAIN:
            value -= level
        elif value < -CERTAIN:
            value += level
        is_bound = kind == _EXACT or (kind == _LOWER and value >= beta) or (kind == _UPPER and value <= alpha)
        if known >= depth and level and is_bound:
            return value
    if level and _wins_by_ataris(boards, level, memory, _READ if depth > 0 else _READ_LEAF, False):
        return WIN - level - 5
    if depth <= 0:
        if extended >= _EXTENSIONS or not _wins_by_ataris(boards, level, memory, _READ_LEAF, True):
            return estimate(board, work)
        depth, extended = 1, extended + 1
    count = write_sorted_moves(board, work, moves[level], first, path[_KILLERS + level], answer)
    if count == 0:  # every move is captured at once
        return level + 2 - WIN
    best, chosen, low = -WIN, np.int64(-1), alpha
    then, rest = boards[level + 1], depth - 1
    for i in range(count):
        cell = moves[level, i] & 0xFFFF
        copy(board, then)
        play(then, cell)
        late = 0
        if i >= _LATE and depth >= 3 and not answer:
            late = 1 if i < _LATER else 2
        value = STOPPED
        if i:
            value = -_value(
                state, boards, memory, work, table, moves, path, level + 1, rest - late, extended, -low - 1, -low
            )
            if late and value > low and value != -STOPPED:
                value = -_value(
                    state, boards, memory, work, table, moves, path, level + 1, rest, extended, -low - 1, -low
                )
        if i == 0 or low < value < beta:
            value = -_value(state, boards, memory, work, table, moves, path, level + 1, rest, extended, -beta, -low)
        if value == -STOPPED:
            if level == 0 and i:  # use the result of the moves that were searched
                break
            return STOPPED
        if value > best:
            best, chosen = value, cell
            if level == 0:
                memory[CHOSEN] = cell
        low = max(low, value)
        if low >= beta:
            path[_KILLERS + level] = cell
            place = HISTORY + (board[TURN] - BLACK) * CELLS + cell
            work[place] = min(2_000, work[place] + depth * depth)
            break
    if not state[STOP]:
        kind = _LOWER if best >= beta else _EXACT if best > alpha else _UPPER
        _store(
            table,
            slot,
            number,
            chosen,
            kind,
            depth,
            best + level if best > CERTAIN else best - level if best < -CERTAIN else best,
        )
    return best


@njit(f"int64({_ARRAYS}, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _search(
    state: BoardArray,
    boards: BoardStack,
    memory: MemoryArray,
    work: WorkArray,
    table: TableArray,
    moves: MoveLists,
    path: PathArray,
    depth: Number,
) -> Number:
    """Search the board `state` to a depth in plies; return the mover's value, and write the best move to
    memory[CHOSEN].

    Return STOPPED if state[STOP] was set before the first move was searched.
    """
    copy(state, boards[0])
    memory[CHOSEN] = -1
    if depth == 1:
        path[NODES] = 0
        for i in range(2 * CELLS):
            work[HISTORY + i] = 0
        for i in range(DEEPEST):
            path[_KILLERS + i] = -1
        if wins(boards, 0, memory, _READ_ROOT):
            memory[CHOSEN] = memory[FOUND]
            return WIN - 1
    return _value(state, boards, memory, work, table, moves, path, 0, depth, 0, -WIN, WIN)


class CaptureSearch:
    """An alpha-beta search that keeps its tables from move to move."""

    def __init__(self) -> None:
        self._boards, self._memory = new_board_stack(), np.zeros(MEMORY, np.int32)
        self._work = np.zeros(WORK, np.int32)
        self._table = np.zeros((_ENTRIES, 2), np.int64)
        self._moves = np.zeros((DEEPEST, CELLS), np.int64)
        self._path = np.zeros(_PATH_SIZE, np.int64)

    @property
    def nodes(self) -> int:
        """The number of positions visited since the start of the last search to depth 1."""
        return int(self._path[NODES])

    def search_to_depth(self, state: Any, depth: int) -> tuple[int, int] | None:
        """Search the board `state` to a depth of 1 or more plies; return the cell of the best move, and the mover's
        value.

        A new position must first be searched to depth 1. Return None if state[STOP] was set before any move was
        searched, or if every move loses at once.
        """
        arrays = self._boards, self._memory, self._work, self._table, self._moves, self._path
        value = _search(state, *arrays, depth)
        return None if self._memory[CHOSEN] < 0 else (int(self._memory[CHOSEN]), int(value))


def win_probability(value: int) -> float:
    """Return the winning probability that corresponds to a value; 1 or 0 if the result is certain."""
    if abs(value) > CERTAIN:
        return float(value > 0)
    return 0.5 + math.tanh(value / UNITS / _CLEAR) / 2
