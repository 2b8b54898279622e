"""A compiled board of stones: chains, captures, ko, suicide, rows and scores, by the rules of gomogo_core.games.

The module uses array_layout.py only. A chain is a ring of stones. The record of its first stone, the head, describes
the whole chain. A chain stores the number of its pseudo-liberties, the sum of their cells and the sum of the squares.
These three numbers tell whether all pseudo-liberties are the same point. So the board recognises an atari without
following the chain. Empty points and walls belong to the chain of cell 0, whose numbers are never read. Code may
therefore change the numbers of a neighbour's chain without testing that the neighbour is a stone. The functions that
every move needs are always inlined, since LLVM does not inline them by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (  # isort: skip
    BLACK, BOARD_UNCHANGED, CAPTURE_COUNTS_START, CAPTURE_GO, CAPTURE_TARGET, CAPTURES_ALLOWED, CELL_COUNT,
    CELL_MARKS_START, CELL_RECORDS_START, CELL_STACK_START, CHAIN_HEAD, CHAIN_SIZE, COLUMNS, CURRENT_MARK,
    DIAGONAL_ROWS, DIAGONAL_STEPS, DOUBLED_KOMI, EMPTY, EMPTY_CELLS_START, EMPTY_COUNT, EMPTY_INDEX, GAME_KIND, GO,
    KO_CELL, KO_RULE, LAST_MOVE, LIBERTY_SQUARES, LIBERTY_SUM, MAX_MOVES, MOVE_NUMBER, NEIGHBOUR_STEPS, NEXT_STONE,
    PASS, PASSES, PASSING_ALLOWED, PSEUDO_LIBERTIES, RANDOM_STATE, RECORD_SIZE, ROBOGO, ROW_LENGTH, ROW_STEPS, ROWS,
    SCORING, SECOND_LAST_MOVE, SIMPLE_KO, SITUATIONAL_SUPERKO, STONE_COUNTS_START, STONE_SCORING, STRIDE,
    SUICIDE_ALLOWED, TERRITORY_SCORING, TURN, WALL, WHITE, WINNER, BoardArray, Boolean, Cell, Colour, Int64,
)  # fmt: skip
from gomogo_core.engines.array_views import unchecked_view

ZOBRIST = np.random.default_rng(20260101).integers(0, 2**63, 3 * CELL_COUNT, dtype=np.int64)
UNDECIDED = -1  # a result is 2 if black wins, 1 for a draw, 0 if white wins


@njit("void(int32[::1], int64)", nogil=True, cache=True, forceinline=True)
def _clear_cell(board: BoardArray, cell: Cell) -> None:
    board = unchecked_view(board)
    board[cell] = EMPTY
    board[CELL_RECORDS_START + RECORD_SIZE * cell + CHAIN_HEAD] = 0
    board[CELL_RECORDS_START + RECORD_SIZE * cell + EMPTY_INDEX] = board[EMPTY_COUNT]
    board[EMPTY_CELLS_START + board[EMPTY_COUNT]] = cell
    board[EMPTY_COUNT] += 1


@njit("void(int32[::1])", nogil=True, cache=True)
def reset(board: BoardArray) -> None:
    """Set up an empty board of board[ROWS] × board[COLUMNS] points, with black to move."""
    for cell in range(CELL_COUNT):
        board[cell] = WALL
        board[CELL_RECORDS_START + RECORD_SIZE * cell + CHAIN_HEAD] = 0
    board[EMPTY_COUNT] = 0
    for row in range(1, board[ROWS] + 1):
        for column in range(1, board[COLUMNS] + 1):
            _clear_cell(board, row * STRIDE + column)
    for i in range(3):
        board[CAPTURE_COUNTS_START + i] = 0
        board[STONE_COUNTS_START + i] = 0
    board[TURN] = BLACK
    board[KO_CELL] = board[PASSES] = board[MOVE_NUMBER] = board[LAST_MOVE] = board[SECOND_LAST_MOVE] = board[WINNER] = 0


@njit("void(int32[::1], int32[::1])", nogil=True, cache=True)
def copy_board(source: BoardArray, target: BoardArray) -> None:
    """Copy the position, but not the state of a search."""
    source, target = unchecked_view(source), unchecked_view(target)
    rows = source[ROWS] + 2
    for i in range(EMPTY_CELLS_START + source[EMPTY_COUNT]):
        target[i] = source[i]
    for i in range(CELL_RECORDS_START, CELL_RECORDS_START + rows * STRIDE * RECORD_SIZE):
        target[i] = source[i]


@njit("int64(int32[::1], int64)", nogil=True, cache=True, forceinline=True)
def random_below(board: BoardArray, count: Int64) -> Int64:
    """Return a random number from 0 to count - 1."""
    board = unchecked_view(board)
    x = np.uint32(board[RANDOM_STATE])
    x ^= np.uint32(x << np.uint32(13))
    x ^= np.uint32(x >> np.uint32(17))
    x ^= np.uint32(x << np.uint32(5))
    board[RANDOM_STATE] = np.int32(x)
    return np.int64((np.uint64(x) * np.uint64(count)) >> np.uint64(32))


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)
def _remove_chain(board: BoardArray, head: Cell, colour: Colour) -> Int64:
    """Remove the chain of `head`, and return the number of its stones."""
    board = unchecked_view(board)
    cell, count = np.int64(head), 0
    while True:
        _clear_cell(board, cell)
        count += 1
        for k in range(4):
            neighbour_head = board[CELL_RECORDS_START + RECORD_SIZE * (cell + NEIGHBOUR_STEPS[k]) + CHAIN_HEAD]
            chain_record = CELL_RECORDS_START + RECORD_SIZE * neighbour_head
            board[chain_record + PSEUDO_LIBERTIES] += 1
            board[chain_record + LIBERTY_SUM] += cell
            board[chain_record + LIBERTY_SQUARES] += cell * cell
        cell = np.int64(board[CELL_RECORDS_START + RECORD_SIZE * cell + NEXT_STONE])
        if cell == head:
            break
    board[STONE_COUNTS_START + colour] -= count
    return count


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)
def _join_chains(board: BoardArray, head: Cell, other_head: Cell) -> Cell:
    """Join two chains, and return the head of the new chain."""
    board = unchecked_view(board)
    head_record, other_record = CELL_RECORDS_START + RECORD_SIZE * head, CELL_RECORDS_START + RECORD_SIZE * other_head
    if board[head_record + CHAIN_SIZE] < board[other_record + CHAIN_SIZE]:
        head, other_head = other_head, head
        head_record, other_record = other_record, head_record
    cell = other_head
    while True:
        stone_record = CELL_RECORDS_START + RECORD_SIZE * cell
        board[stone_record + CHAIN_HEAD] = head
        cell = np.int64(board[stone_record + NEXT_STONE])
        if cell == other_head:
            break
    board[head_record + NEXT_STONE], board[other_record + NEXT_STONE] = (
        board[other_record + NEXT_STONE],
        board[head_record + NEXT_STONE],
    )
    board[head_record + PSEUDO_LIBERTIES] += board[other_record + PSEUDO_LIBERTIES]
    board[head_record + LIBERTY_SUM] += board[other_record + LIBERTY_SUM]
    board[head_record + LIBERTY_SQUARES] += board[other_record + LIBERTY_SQUARES]
    board[head_record + CHAIN_SIZE] += board[other_record + CHAIN_SIZE]
    return head


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)
def _place_stone(board: BoardArray, cell: Cell, colour: Colour) -> Int64:
    """Place a stone on an empty point, and remove chains without liberties; return the cell that simple ko forbids.

    Return 0 if ko forbids none, and BOARD_UNCHANGED if the stone was a suicide that left the board as it was.
    """
    board = unchecked_view(board)
    opponent = 3 - colour
    last_empty = board[EMPTY_CELLS_START + board[EMPTY_COUNT] - 1]
    index = board[CELL_RECORDS_START + RECORD_SIZE * cell + EMPTY_INDEX]
    board[EMPTY_CELLS_START + index] = last_empty
    board[CELL_RECORDS_START + RECORD_SIZE * last_empty + EMPTY_INDEX] = index
    board[EMPTY_COUNT] -= 1
    board[cell] = colour
    board[STONE_COUNTS_START + colour] += 1
    if not board[CAPTURES_ALLOWED]:
        return 0
    liberties = liberty_sum = square_sum = 0
    for k in range(4):  # no branches: the processor could not predict them
        neighbour = cell + NEIGHBOUR_STEPS[k]
        is_free: Any = np.int64(board[neighbour] == EMPTY)
        liberties += is_free
        liberty_sum += neighbour * is_free
        square_sum += neighbour * neighbour * is_free
        # for a wall or an empty point, this record is never read
        chain_record = (
            CELL_RECORDS_START + RECORD_SIZE * board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD]
        )
        board[chain_record + PSEUDO_LIBERTIES] -= 1
        board[chain_record + LIBERTY_SUM] -= cell
        board[chain_record + LIBERTY_SQUARES] -= cell * cell
    own_record = CELL_RECORDS_START + RECORD_SIZE * cell
    board[own_record + CHAIN_HEAD] = board[own_record + NEXT_STONE] = cell
    board[own_record + PSEUDO_LIBERTIES] = liberties
    board[own_record + LIBERTY_SUM] = liberty_sum
    board[own_record + LIBERTY_SQUARES] = square_sum
    board[own_record + CHAIN_SIZE] = 1
    head = np.int64(cell)
    captures = False
    for k in range(4):
        neighbour = cell + NEIGHBOUR_STEPS[k]
        neighbour_colour = board[neighbour]
        neighbour_head = np.int64(board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD])
        pseudo_liberties = board[CELL_RECORDS_START + RECORD_SIZE * neighbour_head + PSEUDO_LIBERTIES]
        captures |= (neighbour_colour == opponent) & (pseudo_liberties == 0)
        joined_head = neighbour_head if neighbour_colour == colour else head
        if joined_head != head:
            head = _join_chains(board, head, joined_head)
    captured_count = 0
    captured_cell = np.int64(0)
    if captures:
        for k in range(4):
            neighbour = cell + NEIGHBOUR_STEPS[k]
            if board[neighbour] == opponent:
                neighbour_head = np.int64(board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD])
                if board[CELL_RECORDS_START + RECORD_SIZE * neighbour_head + PSEUDO_LIBERTIES] == 0:
                    captured_count += _remove_chain(board, neighbour_head, opponent)
                    captured_cell = neighbour
    board[CAPTURE_COUNTS_START + colour] += captured_count
    chain_record = CELL_RECORDS_START + RECORD_SIZE * head
    if board[chain_record + PSEUDO_LIBERTIES] == 0:
        removed_count = _remove_chain(board, head, colour)
        board[CAPTURE_COUNTS_START + opponent] += removed_count
        return BOARD_UNCHANGED if removed_count == 1 else 0
    if captured_count == 1 and board[chain_record + CHAIN_SIZE] == 1 and board[chain_record + PSEUDO_LIBERTIES] == 1:
        return captured_cell
    return 0


@njit("boolean(int32[::1], int64, int64)", nogil=True, cache=True)
def makes_row(board: BoardArray, cell: Cell, colour: Colour) -> Boolean:
    """Return whether a stone of `colour` on `cell` makes a row of board[ROW_LENGTH] or more stones, before captures."""
    for k in range(4 if board[DIAGONAL_ROWS] else 2):
        step = ROW_STEPS[k]
        count = 1
        next_cell = cell + step
        while board[next_cell] == colour:
            count += 1
            next_cell += step
        next_cell = cell - step
        while board[next_cell] == colour:
            count += 1
            next_cell -= step
        if count >= board[ROW_LENGTH]:
            return True
    return False


@njit("void(int32[::1], int64)", nogil=True, cache=True, forceinline=True)
def play(board: BoardArray, cell: Cell) -> None:
    """Play a legal move for the player to move: a stone on a cell, or PASS."""
    board = unchecked_view(board)
    colour = board[TURN]
    board[SECOND_LAST_MOVE] = board[LAST_MOVE]
    board[LAST_MOVE] = cell
    board[MOVE_NUMBER] += 1
    board[TURN] = 3 - colour
    if cell == PASS:
        board[PASSES] += 1
        board[KO_CELL] = BOARD_UNCHANGED
        return
    board[PASSES] = 0
    board[KO_CELL] = _place_stone(board, cell, colour)
    if board[GAME_KIND] == ROBOGO and board[cell] == colour and makes_row(board, cell, colour):
        board[WINNER] = colour


@njit("boolean(int32[::1], int64)", nogil=True, cache=True, forceinline=True)
def has_one_liberty(board: BoardArray, head_record: Int64) -> Boolean:
    """Return whether a chain has one liberty.

    `head_record` is the index in `board` of the record of the chain's first stone.
    """
    board = unchecked_view(board)
    liberty_sum = np.int64(board[head_record + LIBERTY_SUM])
    square_sum = np.int64(board[head_record + LIBERTY_SQUARES])
    return np.int64(board[head_record + PSEUDO_LIBERTIES]) * square_sum == liberty_sum * liberty_sum


@njit("boolean(int32[::1], int64)", nogil=True, cache=True, forceinline=True)
def is_legal(board: BoardArray, cell: Cell) -> Boolean:
    """Return whether the player to move may play on the empty `cell`. Superko is not checked."""
    board = unchecked_view(board)
    if not board[CAPTURES_ALLOWED]:
        return True
    if cell == board[KO_CELL] and board[KO_RULE] == SIMPLE_KO:
        return False
    colour = board[TURN]
    joins_chain = has_liberty = False
    for k in range(4):  # no branches: the processor could not predict them
        neighbour = cell + NEIGHBOUR_STEPS[k]
        neighbour_colour = board[neighbour]
        head = board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD]
        is_in_atari = has_one_liberty(board, CELL_RECORDS_START + RECORD_SIZE * head)
        joins_chain |= neighbour_colour == colour
        # the stone has a liberty, joins a chain with another liberty, or captures
        has_liberty |= (neighbour_colour == EMPTY) | (
            (neighbour_colour != WALL) & ((neighbour_colour == colour) != is_in_atari)
        )
    if has_liberty:
        return True
    if not board[SUICIDE_ALLOWED]:
        return False
    if joins_chain:
        return True
    # the suicide of a single stone leaves the board as it is
    return board[KO_RULE] != SIMPLE_KO or board[KO_CELL] != BOARD_UNCHANGED


@njit("boolean(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)
def is_eye(board: BoardArray, cell: Cell, colour: Colour) -> Boolean:
    """Return whether stones of `colour` surround an empty point and occupy enough of its corners for an eye."""
    board = unchecked_view(board)
    # a wall has the bits of both colours
    if not board[cell + 1] & board[cell - 1] & board[cell + STRIDE] & board[cell - STRIDE] & colour:
        return False
    opponent_count = wall_count = 0
    for k in range(4):
        corner = board[cell + DIAGONAL_STEPS[k]]
        opponent_count += corner == 3 - colour
        wall_count += corner == WALL
    return opponent_count + (wall_count > 0) < 2


@njit("int64(int32[::1])", nogil=True, cache=True)
def doubled_lead(board: BoardArray) -> Int64:
    """Return twice the lead in points that black would have if the game ended now, komi included."""
    board = unchecked_view(board)
    lead = 0
    if board[SCORING] != TERRITORY_SCORING:
        lead = board[STONE_COUNTS_START + BLACK] - board[STONE_COUNTS_START + WHITE]
    if board[SCORING] != STONE_SCORING:
        board[CURRENT_MARK] += 1
        mark = board[CURRENT_MARK]
        for i in range(board[EMPTY_COUNT]):
            if board[CELL_MARKS_START + board[EMPTY_CELLS_START + i]] == mark:
                continue
            board[CELL_MARKS_START + board[EMPTY_CELLS_START + i]] = mark
            board[CELL_STACK_START] = board[EMPTY_CELLS_START + i]
            stack_size, point_count, border_colours = 1, 0, 0
            while stack_size:
                stack_size -= 1
                cell = board[CELL_STACK_START + stack_size]
                point_count += 1
                for k in range(4):
                    neighbour = cell + NEIGHBOUR_STEPS[k]
                    neighbour_colour = board[neighbour]
                    if neighbour_colour != EMPTY:
                        border_colours |= neighbour_colour & 3 if neighbour_colour != WALL else 0
                    elif board[CELL_MARKS_START + neighbour] != mark:
                        board[CELL_MARKS_START + neighbour] = mark
                        board[CELL_STACK_START + stack_size] = neighbour
                        stack_size += 1
            lead += point_count if border_colours == BLACK else -point_count if border_colours == WHITE else 0
    return 2 * lead - board[DOUBLED_KOMI]


@njit("int64(int32[::1])", nogil=True, cache=True)
def game_result(board: BoardArray) -> Int64:
    """Return 2 if black has won, 1 for a draw, 0 if white has won, or UNDECIDED while the game goes on.

    The function does not detect that a player has no legal move.
    """
    if board[GAME_KIND] == GO:
        if board[PASSES] < 2 and board[MOVE_NUMBER] < board[MAX_MOVES]:
            return UNDECIDED
        lead = doubled_lead(board)
        return 1 + (lead > 0) - (lead < 0)
    if board[GAME_KIND] == CAPTURE_GO:
        black_captures, white_captures = board[CAPTURE_COUNTS_START + BLACK], board[CAPTURE_COUNTS_START + WHITE]
        if black_captures != white_captures and (
            max(black_captures, white_captures) >= board[CAPTURE_TARGET] or board[PASSES] >= 2
        ):
            return 2 if black_captures > white_captures else 0
        return 1 if board[PASSES] >= 2 else UNDECIDED
    if board[WINNER]:
        return 2 if board[WINNER] == BLACK else 0
    if (
        board[PASSES] >= 2
        or board[MOVE_NUMBER] >= board[MAX_MOVES]
        or (not board[PASSING_ALLOWED] and board[EMPTY_COUNT] == 0)
    ):
        return 1
    return UNDECIDED


@njit("int64(int32[::1])", nogil=True, cache=True)
def board_hash(board: BoardArray) -> Int64:
    """Return the Zobrist hash by which superko compares boards."""
    hash_value = np.int64(0)
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            if board[cell]:
                hash_value ^= ZOBRIST[board[cell] * CELL_COUNT + cell]
    if board[KO_RULE] == SITUATIONAL_SUPERKO and board[TURN] == BLACK:
        hash_value ^= ZOBRIST[0]
    return hash_value
