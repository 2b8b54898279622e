"""Estimates of positions and the order of moves, for the search of Capture Go to the first capture.

The module uses the board. The estimate is the influence of gomogo_core/search/go/influence.py.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (
    BLACK,
    CELLS,
    COLUMNS,
    EMPTIES,
    EMPTY,
    HEAD,
    LAST,
    LIST,
    NEXT,
    PASS,
    PASSING,
    RECORD,
    RECORDS,
    ROWS,
    STEPS,
    STRIDE,
    TURN,
    WALL,
    WHITE,
    BoardArray,
    Cell,
    CellPair,
    MoveList,
    Number,
    WorkArray,
)
from gomogo_core.engines.go.board import has_one_liberty, is_eye, is_legal
from gomogo_core.engines.go.playouts import last_liberty, liberties_after

UNITS = 16  # the value of one point of the board in an estimate
# the influence of a stone, by the liberties of its chain
_STRENGTHS = np.array((0, 0, 4, 12, 24, 36, 48, 64), np.int32)
_FLOWS = 4  # the number of steps over which influence spreads
_FIRST, _KILLER = 1 << 30, 1 << 24  # scores of the transposition table's move and of a killer move

# The indices of the int32 working memory: marks of cells and the current mark, the sources and flows of influence of
# both colours, the history table of both colours, and the liberties of each chain, by its head.
_MARKS, _STAMP = 0, CELLS
_FLOW = CELLS + 8  # + colour · 3 · CELLS: sources, then two arrays of flows
HISTORY = _FLOW + 6 * CELLS
_CHAINS = HISTORY + 2 * CELLS
WORK = _CHAINS + CELLS


@njit("int64(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _liberties(board: BoardArray, work: WorkArray, head: Cell) -> Number:
    """Return the number of liberties of a chain, at most 7."""
    work[_STAMP] += 1
    stamp, count, stone = work[_STAMP], 0, head
    while True:
        for k in range(4):
            near = stone + STEPS[k]
            if board[near] == EMPTY and work[_MARKS + near] != stamp:
                work[_MARKS + near] = stamp
                count += 1
                if count == 7:
                    return count
        stone = np.int64(board[RECORDS + RECORD * stone + NEXT])
        if stone == head:
            return count


@njit("int64(int32[::1], int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def estimate(board: BoardArray, work: WorkArray) -> Number:
    """Return the mover's lead by influence, where a point of the board counts UNITS."""
    size = (board[ROWS] + 2) * STRIDE
    for i in range(size):
        work[_FLOW + i] = work[_FLOW + 3 * CELLS + i] = 0
        work[_FLOW + CELLS + i] = work[_FLOW + 4 * CELLS + i] = 0
        work[_FLOW + 2 * CELLS + i] = work[_FLOW + 5 * CELLS + i] = 0
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            if board[cell] == EMPTY or board[RECORDS + RECORD * cell + HEAD] != cell:
                continue
            strength = _STRENGTHS[_liberties(board, work, cell)]
            at, stone = _FLOW + (board[cell] - BLACK) * 3 * CELLS, np.int64(cell)
            while True:
                work[at + stone] = work[at + CELLS + stone] = strength
                stone = np.int64(board[RECORDS + RECORD * stone + NEXT])
                if stone == cell:
                    break
    for colour in range(2):
        source = _FLOW + 3 * colour * CELLS
        here, there = source + CELLS, source + 2 * CELLS
        blocked = WHITE - colour
        for _ in range(_FLOWS):
            for row in range(1, board[ROWS] + 1):
                for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
                    if board[cell] == blocked:
                        work[there + cell] = work[source + cell]
                        continue
                    i = here + cell
                    near = work[i + 1] + work[i - 1] + work[i + STRIDE] + work[i - STRIDE]
                    work[there + cell] = work[source + cell] + (near >> 2)
            here, there = there, here
    lead = 0
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            lead += max(-UNITS, min(UNITS, work[_FLOW + CELLS + cell] - work[_FLOW + 4 * CELLS + cell]))
    return lead if board[TURN] == BLACK else -lead


@njit("void(int32[::1], int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _count_liberties(board: BoardArray, work: WorkArray) -> None:
    """Write the number of liberties of each chain to the working memory."""
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            if board[cell] != EMPTY and board[RECORDS + RECORD * cell + HEAD] == cell:
                work[_CHAINS + cell] = _liberties(board, work, cell)


@njit("UniTuple(int64, 2)(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def captures_and_answer(board: BoardArray) -> CellPair:
    """Return a point where the mover captures, or 0, and the point that answers the opponent's threat to capture.

    The second number is 0 without a threat, and -1 if no stone answers it.
    """
    own, answer = board[TURN], np.int64(0)
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            first = RECORDS + RECORD * cell
            if board[cell] != EMPTY and board[first + HEAD] == cell and has_one_liberty(board, first):
                point = np.int64(last_liberty(board, cell))
                if board[cell] != own:
                    return point, np.int64(0)
                # a stone on one of two points does not save the chain at the other
                answer = point if answer in (0, point) else np.int64(-1)
    return np.int64(0), answer


@njit("int64(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _score_by_liberties(board: BoardArray, work: WorkArray, cell: Cell) -> Number:
    """Return a score for a move, by the liberties of the neighbouring chains."""
    score, own = 0, board[TURN]
    for k in range(4):
        near = cell + STEPS[k]
        c = board[near]
        if c in (EMPTY, WALL):
            continue
        liberties = work[_CHAINS + board[RECORDS + RECORD * near + HEAD]]
        if c == own:
            score += 3_000 if liberties == 2 else 800 if liberties == 3 else 0
        else:
            score += 4_000 if liberties == 2 else 1_500 if liberties == 3 else 300
    return score


@njit("int64(int64[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _insert_sorted(moves: MoveList, count: Number, entry: Number) -> Number:
    """Insert an entry into the `count` entries of `moves`, which descend; return the new number of entries."""
    place = count
    while place and moves[place - 1] < entry:
        moves[place] = moves[place - 1]
        place -= 1
    moves[place] = entry
    return count + 1


@njit("int64(int32[::1], int32[::1], int64[::1], int64, int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def write_sorted_moves(
    board: BoardArray, work: WorkArray, moves: MoveList, table_move: Cell, killer: Cell, answer: Cell
) -> Number:
    """Write the moves that the opponent cannot capture at once, the most promising first; return their number.

    `table_move` is the move of the transposition table, or -1. `answer` is the only point that answers a threat, or 0.
    An entry of `moves` is score · 2^16 + cell.
    """
    own, count = board[TURN], 0
    _count_liberties(board, work)
    for i in range(board[EMPTIES]):
        cell = np.int64(board[LIST + i])
        if (answer and cell != answer) or not is_legal(board, cell) or liberties_after(board, cell, own) < 2:
            continue
        score = np.int64(work[HISTORY + (own - BLACK) * CELLS + cell]) + _score_by_liberties(board, work, cell)
        if board[LAST] != PASS:
            gap = abs(cell // STRIDE - board[LAST] // STRIDE) + abs(cell % STRIDE - board[LAST] % STRIDE)
            score += 600 // (1 + gap)
        column, row = cell % STRIDE, cell // STRIDE
        score += 40 * min(min(column, board[COLUMNS] + 1 - column), min(row, board[ROWS] + 1 - row), 4)
        if is_eye(board, cell, own):
            score = 0
        score = _FIRST if cell == table_move else score + _KILLER if cell == killer else score
        count = _insert_sorted(moves, count, score << 16 | cell)
    if board[PASSING] and not answer:
        count = _insert_sorted(moves, count, (_FIRST if table_move == PASS else 0) << 16 | PASS)
    return count
