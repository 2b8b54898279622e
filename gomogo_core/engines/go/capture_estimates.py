"""Estimates of positions and the order of moves, for the search of Capture Go to the first capture.

The module uses the board. The estimate is the influence of gomogo_core/search/go/influence.py.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (  # isort: skip
    BLACK, CELL_COUNT, CELL_RECORDS_START, CHAIN_HEAD, COLUMNS, EMPTY, EMPTY_CELLS_START, EMPTY_COUNT, LAST_MOVE,
    NEIGHBOUR_STEPS, NEXT_STONE, PASS, PASSING_ALLOWED, RECORD_SIZE, ROWS, STRIDE, TURN, WALL, WHITE, BoardArray, Cell,
    CellPair, EstimateMemory, Int64, MoveList,
)  # fmt: skip
from gomogo_core.engines.go.board import has_one_liberty, is_eye, is_legal
from gomogo_core.engines.go.playouts import capped_liberties_after, last_liberty

UNITS_PER_POINT = 16  # the value of one point of the board in an estimate
# the influence of a stone, by the liberties of its chain
_INFLUENCE_BY_LIBERTIES = np.array((0, 0, 4, 12, 24, 36, 48, 64), np.int32)
_SPREAD_STEPS = 4  # the number of steps over which influence spreads
_TABLE_MOVE_SCORE, _KILLER_SCORE = 1 << 30, 1 << 24  # scores of the transposition table's move and of a killer move

# The indices of the int32 working memory: marks of cells and the current mark, the sources and flows of influence of
# both colours, the history table of both colours, and the liberties of each chain, by its head.
_CELL_MARKS_START, _CURRENT_MARK = 0, CELL_COUNT
_INFLUENCE_FLOWS_START = CELL_COUNT + 8  # + colour · 3 · CELL_COUNT: sources, then two arrays of flows
HISTORY_TABLE_START = _INFLUENCE_FLOWS_START + 6 * CELL_COUNT
_LIBERTY_COUNTS_START = HISTORY_TABLE_START + 2 * CELL_COUNT
ESTIMATE_MEMORY_SIZE = _LIBERTY_COUNTS_START + CELL_COUNT


@njit("int64(int32[::1], int32[::1], int64)", nogil=True, cache=True)
def _liberties_of_chain(board: BoardArray, estimate_memory: EstimateMemory, head: Cell) -> Int64:
    """Return the number of liberties of a chain, at most 7."""
    estimate_memory[_CURRENT_MARK] += 1
    mark, count, stone = estimate_memory[_CURRENT_MARK], 0, head
    while True:
        for k in range(4):
            neighbour = stone + NEIGHBOUR_STEPS[k]
            if board[neighbour] == EMPTY and estimate_memory[_CELL_MARKS_START + neighbour] != mark:
                estimate_memory[_CELL_MARKS_START + neighbour] = mark
                count += 1
                if count == 7:
                    return count
        stone = np.int64(board[CELL_RECORDS_START + RECORD_SIZE * stone + NEXT_STONE])
        if stone == head:
            return count


@njit("int64(int32[::1], int32[::1])", nogil=True, cache=True)
def estimate(board: BoardArray, estimate_memory: EstimateMemory) -> Int64:
    """Return the mover's lead by influence, in units: UNITS_PER_POINT units are one point of the board."""
    size = (board[ROWS] + 2) * STRIDE
    for i in range(size):
        estimate_memory[_INFLUENCE_FLOWS_START + i] = estimate_memory[_INFLUENCE_FLOWS_START + 3 * CELL_COUNT + i] = 0
        estimate_memory[_INFLUENCE_FLOWS_START + CELL_COUNT + i] = estimate_memory[
            _INFLUENCE_FLOWS_START + 4 * CELL_COUNT + i
        ] = 0
        estimate_memory[_INFLUENCE_FLOWS_START + 2 * CELL_COUNT + i] = 0
        estimate_memory[_INFLUENCE_FLOWS_START + 5 * CELL_COUNT + i] = 0
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            if board[cell] == EMPTY or board[CELL_RECORDS_START + RECORD_SIZE * cell + CHAIN_HEAD] != cell:
                continue
            strength = _INFLUENCE_BY_LIBERTIES[_liberties_of_chain(board, estimate_memory, cell)]
            source_index, stone = _INFLUENCE_FLOWS_START + (board[cell] - BLACK) * 3 * CELL_COUNT, np.int64(cell)
            while True:
                estimate_memory[source_index + stone] = estimate_memory[source_index + CELL_COUNT + stone] = strength
                stone = np.int64(board[CELL_RECORDS_START + RECORD_SIZE * stone + NEXT_STONE])
                if stone == cell:
                    break
    for colour in range(2):
        source = _INFLUENCE_FLOWS_START + 3 * colour * CELL_COUNT
        first_output, second_output = source + CELL_COUNT, source + 2 * CELL_COUNT
        blocked = WHITE - colour
        for _ in range(_SPREAD_STEPS):
            for row in range(1, board[ROWS] + 1):
                for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
                    if board[cell] == blocked:
                        estimate_memory[second_output + cell] = estimate_memory[source + cell]
                        continue
                    i = first_output + cell
                    neighbour_sum = (
                        estimate_memory[i + 1]
                        + estimate_memory[i - 1]
                        + estimate_memory[i + STRIDE]
                        + estimate_memory[i - STRIDE]
                    )
                    estimate_memory[second_output + cell] = estimate_memory[source + cell] + (neighbour_sum >> 2)
            first_output, second_output = second_output, first_output
    lead = 0
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            own_flow = estimate_memory[_INFLUENCE_FLOWS_START + CELL_COUNT + cell]
            opponent_flow = estimate_memory[_INFLUENCE_FLOWS_START + 4 * CELL_COUNT + cell]
            lead += max(-UNITS_PER_POINT, min(UNITS_PER_POINT, own_flow - opponent_flow))
    return lead if board[TURN] == BLACK else -lead


@njit("void(int32[::1], int32[::1])", nogil=True, cache=True)
def _write_liberty_counts(board: BoardArray, estimate_memory: EstimateMemory) -> None:
    """Write the number of liberties of each chain to the working memory."""
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            if board[cell] != EMPTY and board[CELL_RECORDS_START + RECORD_SIZE * cell + CHAIN_HEAD] == cell:
                estimate_memory[_LIBERTY_COUNTS_START + cell] = _liberties_of_chain(board, estimate_memory, cell)


@njit("UniTuple(int64, 2)(int32[::1])", nogil=True, cache=True)
def capturing_move_and_answer(board: BoardArray) -> CellPair:
    """Return a point where the mover captures, or 0, and the point that answers the opponent's threat to capture.

    The second point is 0 if there is no threat, and -1 if no single stone answers the threat.
    """
    own_colour, answer = board[TURN], np.int64(0)
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            record = CELL_RECORDS_START + RECORD_SIZE * cell
            if board[cell] != EMPTY and board[record + CHAIN_HEAD] == cell and has_one_liberty(board, record):
                liberty = np.int64(last_liberty(board, cell))
                if board[cell] != own_colour:
                    return liberty, np.int64(0)
                # a stone on one of two points does not save the chain at the other
                answer = liberty if answer in (0, liberty) else np.int64(-1)
    return np.int64(0), answer


@njit("int64(int32[::1], int32[::1], int64)", nogil=True, cache=True)
def _score_by_liberties(board: BoardArray, estimate_memory: EstimateMemory, cell: Cell) -> Int64:
    """Return a score for a move, by the liberties of the neighbouring chains."""
    score, own_colour = 0, board[TURN]
    for k in range(4):
        neighbour = cell + NEIGHBOUR_STEPS[k]
        neighbour_colour = board[neighbour]
        if neighbour_colour in (EMPTY, WALL):
            continue
        liberties = estimate_memory[
            _LIBERTY_COUNTS_START + board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD]
        ]
        if neighbour_colour == own_colour:
            score += 3_000 if liberties == 2 else 800 if liberties == 3 else 0
        else:
            score += 4_000 if liberties == 2 else 1_500 if liberties == 3 else 300
    return score


@njit("int64(int64[::1], int64, int64)", nogil=True, cache=True)
def _insert_sorted(moves: MoveList, count: Int64, entry: Int64) -> Int64:
    """Insert an entry into the `count` entries of `moves`, the highest first; return the new number of entries."""
    index = count
    while index and moves[index - 1] < entry:
        moves[index] = moves[index - 1]
        index -= 1
    moves[index] = entry
    return count + 1


@njit("int64(int32[::1], int32[::1], int64[::1], int64, int64, int64)", nogil=True, cache=True)
def write_sorted_moves(
    board: BoardArray, estimate_memory: EstimateMemory, moves: MoveList, table_move: Cell, killer: Cell, answer: Cell
) -> Int64:
    """Write the moves that the opponent cannot capture at once, the most promising first; return their number.

    `table_move` is the move of the transposition table, or -1. `answer` is the only point that answers a threat, or 0.
    An entry of `moves` is score · 2^16 + cell.
    """
    own_colour, count = board[TURN], 0
    _write_liberty_counts(board, estimate_memory)
    for i in range(board[EMPTY_COUNT]):
        cell = np.int64(board[EMPTY_CELLS_START + i])
        if (
            (answer and cell != answer)
            or not is_legal(board, cell)
            or capped_liberties_after(board, cell, own_colour) < 2
        ):
            continue
        history_score = np.int64(estimate_memory[HISTORY_TABLE_START + (own_colour - BLACK) * CELL_COUNT + cell])
        score = history_score + _score_by_liberties(board, estimate_memory, cell)
        if board[LAST_MOVE] != PASS:
            distance = abs(cell // STRIDE - board[LAST_MOVE] // STRIDE) + abs(cell % STRIDE - board[LAST_MOVE] % STRIDE)
            score += 600 // (1 + distance)
        column, row = cell % STRIDE, cell // STRIDE
        score += 40 * min(min(column, board[COLUMNS] + 1 - column), min(row, board[ROWS] + 1 - row), 4)
        if is_eye(board, cell, own_colour):
            score = 0
        score = _TABLE_MOVE_SCORE if cell == table_move else score + _KILLER_SCORE if cell == killer else score
        count = _insert_sorted(moves, count, score << 16 | cell)
    if board[PASSING_ALLOWED] and not answer:
        count = _insert_sorted(moves, count, (_TABLE_MOVE_SCORE if table_move == PASS else 0) << 16 | PASS)
    return count
