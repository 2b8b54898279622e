"""Searches for forced wins: captures by a sequence of ataris in Capture Go, rows by a sequence of threats in Robogo.

The module uses the board. In Capture Go to the first capture, an atari leaves the opponent one answer: a stone on the
last liberty of the chain. In Robogo, a row that lacks one stone leaves the opponent few answers: a stone on the missing
point, or a capture. So a search of such moves reads long sequences quickly, as a search of fours does in Gomoku. A
playout would find them only by chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (  # isort: skip
    BLACK, BOARD_ARRAY_SIZE, CAPTURE_COUNTS_START, CAPTURE_GO, CAPTURE_TARGET, CAPTURES_ALLOWED, CELL_COUNT,
    CELL_RECORDS_START, CHAIN_HEAD, COLUMNS, DIAGONAL_ROWS, EMPTY, EMPTY_CELLS_START, EMPTY_COUNT, GAME_KIND,
    NEIGHBOUR_STEPS, NEXT_STONE, RECORD_SIZE, ROBOGO, ROW_LENGTH, ROW_STEPS, ROWS, STRIDE, TURN, WALL, WHITE,
    BoardArray, BoardStack, Boolean, Cell, CellPair, Colour, ForcedWinMemory, Int64, MoveList,
)  # fmt: skip
from gomogo_core.engines.go.board import copy_board, has_one_liberty, is_legal, makes_row, play
from gomogo_core.engines.go.playouts import is_in_atari, last_liberty

_MAX_TRIED_MOVES = 40  # the largest number of ataris or threats that are tried in one position
# in a row of the stack, after the board: the number of ataris or threats that were tried on it, then their cells
TRIED_MOVES_START = BOARD_ARRAY_SIZE
# after these cells: the number of answers to a threat, then the cells of the answers
_ANSWERS_START, _MAX_ANSWERS = TRIED_MOVES_START + 1 + _MAX_TRIED_MOVES, 20
_STACK_ROW_SIZE = _ANSWERS_START + 1 + _MAX_ANSWERS
STACK_LEVELS = 80  # boards of the stack; each atari or threat of a sequence takes two
# The indices of the working memory: the number of positions that may still be searched, the first move of a win, and
# the best move of a search.
POSITIONS_LEFT, WINNING_MOVE, BEST_MOVE = 0, 1, 2
FORCED_WIN_MEMORY_SIZE = 3


def new_board_stack() -> Any:
    """Return the stack of boards that `has_forced_win` needs: an int32 array with a row for each level of search."""
    return np.zeros((STACK_LEVELS, _STACK_ROW_SIZE), np.int32)


@njit("boolean(int32[::1])", nogil=True, cache=True)
def first_capture_wins(board: BoardArray) -> Boolean:
    """Return whether the next capture by either player wins the game."""
    wanted_count = board[CAPTURE_TARGET] - 1
    black_count, white_count = board[CAPTURE_COUNTS_START + BLACK], board[CAPTURE_COUNTS_START + WHITE]
    return board[GAME_KIND] == CAPTURE_GO and black_count == wanted_count and white_count == wanted_count


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)
def _has_chain_in_atari(board: BoardArray, colour: Colour) -> Boolean:
    """Return whether a chain of `colour` is in atari."""
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            record = CELL_RECORDS_START + RECORD_SIZE * cell
            if board[cell] == colour and board[record + CHAIN_HEAD] == cell and has_one_liberty(board, record):
                return True
    return False


@njit("UniTuple(int64, 2)(int32[::1], int64)", nogil=True, cache=True)
def two_liberties(board: BoardArray, head: Cell) -> CellPair:
    """Return the two liberties of a chain that has exactly two, or (0, 0)."""
    first_liberty = second_liberty = 0
    stone = head
    while True:
        for k in range(4):
            neighbour = stone + NEIGHBOUR_STEPS[k]
            if board[neighbour] == EMPTY and neighbour not in (first_liberty, second_liberty):
                if first_liberty == 0:
                    first_liberty = neighbour
                elif second_liberty == 0:
                    second_liberty = neighbour
                else:
                    return 0, 0
        stone = np.int64(board[CELL_RECORDS_START + RECORD_SIZE * stone + NEXT_STONE])
        if stone == head:
            return (first_liberty, second_liberty) if second_liberty else (0, 0)


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)
def mark_tried(board: BoardArray, move: Cell) -> Boolean:
    """Mark an atari or a threat as tried on this board; return whether it had not been tried before."""
    for i in range(board[TRIED_MOVES_START]):
        if board[TRIED_MOVES_START + 1 + i] == move:
            return False
    if board[TRIED_MOVES_START] < _MAX_TRIED_MOVES:
        board[TRIED_MOVES_START] += 1
        board[TRIED_MOVES_START + board[TRIED_MOVES_START]] = move
    return True


@njit("boolean(int32[:, ::1], int64, int64, boolean)", nogil=True, cache=True)
def _play_atari(boards: BoardStack, level: Int64, move: Cell, is_threatened: Boolean) -> Boolean:
    """Play an atari on the next level; return whether it is legal and the opponent cannot then capture.

    `is_threatened` tells whether a chain of the mover is in atari before the move.
    """
    board, next_board = boards[level], boards[level + 1]
    if not is_legal(board, move):
        return False
    copy_board(board, next_board)
    play(next_board, move)
    if next_board[move] != board[TURN]:  # a suicide
        return False
    return not (_has_chain_in_atari(next_board, board[TURN]) if is_threatened else is_in_atari(next_board, move))


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)
def _answer_to_atari(next_board: BoardArray, move: Cell, neighbour_index: Int64) -> Cell:
    """Return the legal answer of the chain on this neighbour of `move` if the chain is in atari, or 0."""
    neighbour = move + NEIGHBOUR_STEPS[neighbour_index]
    if next_board[neighbour] != next_board[TURN] or not is_in_atari(next_board, neighbour):
        return 0
    cell = last_liberty(next_board, neighbour)
    return cell if is_legal(next_board, cell) else 0


@njit("boolean(int32[:, ::1], int64, int32[::1])", nogil=True, cache=True)
def can_capture_by_ataris(boards: BoardStack, level: Int64, memory: ForcedWinMemory) -> Boolean:
    """Return whether the player to move on boards[level] can capture first by ataris alone.

    memory[POSITIONS_LEFT] limits the number of positions; at the limit, the result is False. memory[WINNING_MOVE]
    receives the first move.
    """
    board = boards[level]
    if memory[POSITIONS_LEFT] <= 0 or level + 2 >= STACK_LEVELS:
        return False
    memory[POSITIONS_LEFT] -= 1
    opponent, is_threatened = 3 - board[TURN], False
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            record = CELL_RECORDS_START + RECORD_SIZE * cell
            if board[cell] != EMPTY and board[record + CHAIN_HEAD] == cell and has_one_liberty(board, record):
                if board[cell] == opponent:
                    memory[WINNING_MOVE] = last_liberty(board, cell)
                    return True
                is_threatened = True
    board[TRIED_MOVES_START] = 0
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            if board[cell] != opponent or board[CELL_RECORDS_START + RECORD_SIZE * cell + CHAIN_HEAD] != cell:
                continue
            liberties = two_liberties(board, cell)
            for i in range(2):
                move = liberties[i]
                if not move or not mark_tried(board, move) or not _play_atari(boards, level, move, is_threatened):
                    continue
                is_won, next_board, later_board = True, boards[level + 1], boards[level + 2]
                for k in range(4):
                    answer = _answer_to_atari(next_board, move, k)
                    if answer and is_won:
                        copy_board(next_board, later_board)
                        play(later_board, answer)
                        is_won = _has_chain_in_atari(later_board, opponent)
                        is_won = is_won or can_capture_by_ataris(boards, level + 2, memory)
                if is_won:
                    memory[WINNING_MOVE] = move
                    return True
    return False


@njit("UniTuple(int64, 2)(int32[::1], int64)", nogil=True, cache=True)
def row_completing_points(board: BoardArray, colour: Colour) -> CellPair:
    """Return up to two points where a stone of `colour` on the next turn would complete a row; 0 means no point."""
    turn, first_point = board[TURN], np.int64(0)
    board[TURN] = colour
    for i in range(board[EMPTY_COUNT]):
        cell = np.int64(board[EMPTY_CELLS_START + i])
        has_neighbour = board[cell + 1] == colour or board[cell - 1] == colour or board[cell + STRIDE] == colour
        has_neighbour |= board[cell - STRIDE] == colour or bool(board[DIAGONAL_ROWS])
        if has_neighbour and makes_row(board, cell, colour) and is_legal(board, cell):
            if first_point:
                board[TURN] = turn
                return first_point, cell
            first_point = cell
    board[TURN] = turn
    return first_point, np.int64(0)


@njit("int64(int32[::1], int64, int64, int64)", nogil=True, cache=True)
def stones_in_window(board: BoardArray, cell: Cell, step: Int64, colour: Colour) -> Int64:
    """Return the number of stones of `colour` in the row of points that begins at `cell`; -1 if the row contains an
    opponent's stone or leaves the board.
    """
    count, last_cell = 0, cell + (board[ROW_LENGTH] - 1) * step
    if last_cell >= CELL_COUNT or board[last_cell] == WALL:  # a row that leaves the board would meet a wall earlier
        return -1
    for _ in range(board[ROW_LENGTH]):
        colour_here = board[cell]
        if colour_here == colour:
            count += 1
        elif colour_here != EMPTY:
            return -1
        cell += step
    return count


@njit("boolean(int32[::1], int32[::1], int32[::1], int64)", nogil=True, cache=True)
def _play_threat(board: BoardArray, next_board: BoardArray, answers: MoveList, move: Cell) -> Boolean:
    """Play `move` on `next_board` if it is legal; return whether one more stone of the mover then completes a row.

    The result is also False if the opponent could then complete a row. `answers` receives the number of the opponent's
    answers, and then the answers: the missing point, and captures.
    """
    if not is_legal(board, move):
        return False
    copy_board(board, next_board)
    play(next_board, move)
    own_colour, opponent = board[TURN], 3 - board[TURN]
    if row_completing_points(next_board, opponent)[0]:
        return False
    first_point, second_point = row_completing_points(next_board, own_colour)
    if not first_point:
        return False
    answers[0] = 0
    if not second_point and is_legal(next_board, first_point):
        answers[0], answers[1] = 1, first_point
    if board[CAPTURES_ALLOWED]:
        for row in range(1, board[ROWS] + 1):
            for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
                record = CELL_RECORDS_START + RECORD_SIZE * cell
                is_head = next_board[cell] == own_colour and next_board[record + CHAIN_HEAD] == cell
                if is_head and has_one_liberty(next_board, record) and answers[0] < _MAX_ANSWERS:
                    answers[0] += 1
                    answers[answers[0]] = last_liberty(next_board, cell)
    return True


@njit("boolean(int32[:, ::1], int64, int32[::1])", nogil=True, cache=True)
def can_complete_row_by_threats(boards: BoardStack, level: Int64, memory: ForcedWinMemory) -> Boolean:
    """Return whether the player to move on boards[level] can complete a row first by threats alone.

    The parameters are those of `can_capture_by_ataris`.
    """
    board = boards[level]
    if memory[POSITIONS_LEFT] <= 0 or level + 2 >= STACK_LEVELS:
        return False
    memory[POSITIONS_LEFT] -= 1
    own_colour = board[TURN]
    winning_point = row_completing_points(board, own_colour)[0]
    if winning_point:
        memory[WINNING_MOVE] = winning_point
        return True
    board[TRIED_MOVES_START] = 0
    for row in range(1, board[ROWS] + 1):
        for start in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            for k in range(4 if board[DIAGONAL_ROWS] else 2):
                step = ROW_STEPS[k]
                if stones_in_window(board, start, step, own_colour) != board[ROW_LENGTH] - 2:
                    continue
                for i in range(board[ROW_LENGTH]):
                    move = np.int64(start + i * step)
                    next_board, later_board = boards[level + 1], boards[level + 2]
                    answers = next_board[_ANSWERS_START:]
                    if (
                        board[move] != EMPTY
                        or not mark_tried(board, move)
                        or not _play_threat(board, next_board, answers, move)
                    ):
                        continue
                    is_won = True
                    for j in range(answers[0]):
                        if is_won:
                            copy_board(next_board, later_board)
                            play(later_board, answers[1 + j])
                            is_won = can_complete_row_by_threats(boards, level + 2, memory)
                    if is_won:
                        memory[WINNING_MOVE] = move
                        return True
    return False


@njit("boolean(int32[:, ::1], int64, int32[::1], int64)", nogil=True, cache=True)
def has_forced_win(boards: BoardStack, level: Int64, memory: ForcedWinMemory, max_positions: Int64) -> Boolean:
    """Return whether the mover on boards[level] has a forced win that a search of `max_positions` positions finds.

    memory[WINNING_MOVE] receives its first move. The function overwrites the boards of later levels.
    """
    memory[POSITIONS_LEFT] = max_positions
    if boards[level][GAME_KIND] == ROBOGO:
        return can_complete_row_by_threats(boards, level, memory)
    return first_capture_wins(boards[level]) and can_capture_by_ataris(boards, level, memory)
