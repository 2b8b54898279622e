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

from gomogo_core.engines.go.array_layout import (
    BLACK,
    BOARD_SIZE,
    CAPTURE_GO,
    CAPTURES,
    CELLS,
    COLUMNS,
    DIAGONALS,
    EMPTIES,
    EMPTY,
    HEAD,
    KIND,
    LINE,
    LIST,
    NEXT,
    RECORD,
    RECORDS,
    ROBOGO,
    ROW_STEPS,
    ROWS,
    STEPS,
    STRIDE,
    TAKEN,
    TARGET,
    TURN,
    WALL,
    WHITE,
    BoardArray,
    BoardStack,
    Boolean,
    Cell,
    CellPair,
    Colour,
    MemoryArray,
    MoveList,
    Number,
)
from gomogo_core.engines.go.board import copy, has_one_liberty, is_legal, makes_row, play
from gomogo_core.engines.go.playouts import in_atari, last_liberty

_MOST_TRIED = 40  # the largest number of ataris or threats that are tried in one position
_TRIED = BOARD_SIZE  # after each board of the stack: the number of ataris or threats tried there, then their cells
_ANSWERS, _MOST_ANSWERS = _TRIED + 1 + _MOST_TRIED, 20  # likewise the number of answers to a threat, then their cells
_ROW = _ANSWERS + 1 + _MOST_ANSWERS
_LEVELS = 80  # boards of the stack; each atari or threat of a sequence takes two
# The indices of the working memory: the number of positions that may still be searched, the first move of a win, and
# the best move of a search.
LEFT, FOUND, CHOSEN = 0, 1, 2
MEMORY = 3


def new_board_stack() -> Any:
    """Return the stack of boards that `wins` needs, int32, one row for each level of the search."""
    return np.zeros((_LEVELS, _ROW), np.int32)


@njit("boolean(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def first_capture_wins(board: BoardArray) -> Boolean:
    """Return whether the next capture, by either player, wins."""
    return (
        board[KIND] == CAPTURE_GO
        and board[TAKEN + BLACK] == board[TARGET] - 1
        and board[TAKEN + WHITE] == board[TARGET] - 1
    )


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _has_chain_in_atari(board: BoardArray, colour: Colour) -> Boolean:
    """Return whether a chain of `colour` is in atari."""
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            first = RECORDS + RECORD * cell
            if board[cell] == colour and board[first + HEAD] == cell and has_one_liberty(board, first):
                return True
    return False


@njit("UniTuple(int64, 2)(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _two_liberties(board: BoardArray, head: Cell) -> CellPair:
    """Return the two liberties of a chain that has exactly two, or (0, 0)."""
    one = two = 0
    stone = head
    while True:
        for k in range(4):
            near = stone + STEPS[k]
            if board[near] == EMPTY and near not in (one, two):
                if one == 0:
                    one = near
                elif two == 0:
                    two = near
                else:
                    return 0, 0
        stone = np.int64(board[RECORDS + RECORD * stone + NEXT])
        if stone == head:
            return (one, two) if two else (0, 0)


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _mark_tried(board: BoardArray, move: Cell) -> Boolean:
    """Mark an atari or a threat as tried on this board; return whether it had not been tried before."""
    for i in range(board[_TRIED]):
        if board[_TRIED + 1 + i] == move:
            return False
    if board[_TRIED] < _MOST_TRIED:
        board[_TRIED] += 1
        board[_TRIED + board[_TRIED]] = move
    return True


@njit("boolean(int32[:, ::1], int64, int64, boolean)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _play_atari(boards: BoardStack, level: Number, move: Cell, is_threatened: Boolean) -> Boolean:
    """Play an atari from boards[level] to boards[level + 1]; return whether it is legal and the opponent cannot then
    capture.

    `is_threatened` tells whether a chain of the mover is in atari before the move.
    """
    board, after = boards[level], boards[level + 1]
    if not is_legal(board, move):
        return False
    copy(board, after)
    play(after, move)
    if after[move] != board[TURN]:  # a suicide
        return False
    return not (_has_chain_in_atari(after, board[TURN]) if is_threatened else in_atari(after, move))


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _answer_to_atari(after: BoardArray, move: Cell, direction: Number) -> Cell:
    """Return the legal answer to the atari that `move` gives to the chain in this direction, or 0."""
    near = move + STEPS[direction]
    if after[near] != after[TURN] or not in_atari(after, near):
        return 0
    cell = last_liberty(after, near)
    return cell if is_legal(after, cell) else 0


@njit("boolean(int32[:, ::1], int64, int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def captures_by_ataris(boards: BoardStack, level: Number, memory: MemoryArray) -> Boolean:
    """Return whether the player to move on boards[level] can capture first by ataris alone.

    memory[LEFT] limits the number of positions; at the limit, the result is False. memory[FOUND] receives the first
    move.
    """
    board = boards[level]
    if memory[LEFT] <= 0 or level + 2 >= _LEVELS:
        return False
    memory[LEFT] -= 1
    other, is_threatened = 3 - board[TURN], False
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            first = RECORDS + RECORD * cell
            if board[cell] != EMPTY and board[first + HEAD] == cell and has_one_liberty(board, first):
                if board[cell] == other:
                    memory[FOUND] = last_liberty(board, cell)
                    return True
                is_threatened = True
    board[_TRIED] = 0
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            if board[cell] != other or board[RECORDS + RECORD * cell + HEAD] != cell:
                continue
            liberties = _two_liberties(board, cell)
            for i in range(2):
                move = liberties[i]
                if not move or not _mark_tried(board, move) or not _play_atari(boards, level, move, is_threatened):
                    continue
                is_won, after, then = True, boards[level + 1], boards[level + 2]
                for k in range(4):
                    answer = _answer_to_atari(after, move, k)
                    if answer and is_won:
                        copy(after, then)
                        play(then, answer)
                        is_won = _has_chain_in_atari(then, other) or captures_by_ataris(boards, level + 2, memory)
                if is_won:
                    memory[FOUND] = move
                    return True
    return False


@njit("UniTuple(int64, 2)(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def row_completing_points(board: BoardArray, colour: Colour) -> CellPair:
    """Return up to two points where a stone of `colour` would complete a row if `colour` were to move; 0 means no
    point.
    """
    turn, one = board[TURN], np.int64(0)
    board[TURN] = colour
    for i in range(board[EMPTIES]):
        cell = np.int64(board[LIST + i])
        beside = board[cell + 1] == colour or board[cell - 1] == colour or board[cell + STRIDE] == colour
        beside |= board[cell - STRIDE] == colour or bool(board[DIAGONALS])
        if beside and makes_row(board, cell, colour) and is_legal(board, cell):
            if one:
                board[TURN] = turn
                return one, cell
            one = cell
    board[TURN] = turn
    return one, np.int64(0)


@njit("int64(int32[::1], int64, int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def stones_in_window(board: BoardArray, cell: Cell, step: Number, colour: Colour) -> Number:
    """Return the number of stones of `colour` on board[LINE] points from `cell` on; -1 if another stone or the edge is
    there.
    """
    count, end = 0, cell + (board[LINE] - 1) * step
    if end >= CELLS or board[end] == WALL:  # a row that leaves the board would meet a wall earlier
        return -1
    for _ in range(board[LINE]):
        c = board[cell]
        if c == colour:
            count += 1
        elif c != EMPTY:
            return -1
        cell += step
    return count


@njit("boolean(int32[::1], int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _play_threat(board: BoardArray, after: BoardArray, answers: MoveList, move: Cell) -> Boolean:
    """Play a move after which one stone completes a row; return whether it is such a move and legal.

    The result is False too if the opponent could then complete a row. `answers` receives the number of the opponent's
    answers, and then the answers: the missing point, and captures.
    """
    if not is_legal(board, move):
        return False
    copy(board, after)
    play(after, move)
    own, other = board[TURN], 3 - board[TURN]
    if row_completing_points(after, other)[0]:
        return False
    one, two = row_completing_points(after, own)
    if not one:
        return False
    answers[0] = 0
    if not two and is_legal(after, one):
        answers[0], answers[1] = 1, one
    if board[CAPTURES]:
        for row in range(1, board[ROWS] + 1):
            for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
                first = RECORDS + RECORD * cell
                is_head = after[cell] == own and after[first + HEAD] == cell
                if is_head and has_one_liberty(after, first) and answers[0] < _MOST_ANSWERS:
                    answers[0] += 1
                    answers[answers[0]] = last_liberty(after, cell)
    return True


@njit("boolean(int32[:, ::1], int64, int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def completes_row_by_threats(boards: BoardStack, level: Number, memory: MemoryArray) -> Boolean:
    """Return whether the player to move on boards[level] can complete a row first by threats alone.

    The parameters are those of `captures_by_ataris`.
    """
    board = boards[level]
    if memory[LEFT] <= 0 or level + 2 >= _LEVELS:
        return False
    memory[LEFT] -= 1
    own = board[TURN]
    now = row_completing_points(board, own)[0]
    if now:
        memory[FOUND] = now
        return True
    board[_TRIED] = 0
    for row in range(1, board[ROWS] + 1):
        for start in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            for k in range(4 if board[DIAGONALS] else 2):
                step = ROW_STEPS[k]
                if stones_in_window(board, start, step, own) != board[LINE] - 2:
                    continue
                for i in range(board[LINE]):
                    move = np.int64(start + i * step)
                    after, then = boards[level + 1], boards[level + 2]
                    answers = after[_ANSWERS:]
                    if (
                        board[move] != EMPTY
                        or not _mark_tried(board, move)
                        or not _play_threat(board, after, answers, move)
                    ):
                        continue
                    is_won = True
                    for j in range(answers[0]):
                        if is_won:
                            copy(after, then)
                            play(then, answers[1 + j])
                            is_won = completes_row_by_threats(boards, level + 2, memory)
                    if is_won:
                        memory[FOUND] = move
                        return True
    return False


@njit("boolean(int32[:, ::1], int64, int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def wins(boards: BoardStack, level: Number, memory: MemoryArray, most: Number) -> Boolean:
    """Return whether the player to move on boards[level] has a forced win that a search of `most` positions finds.

    memory[FOUND] receives its first move. The function overwrites the boards of later levels.
    """
    memory[LEFT] = most
    if boards[level][KIND] == ROBOGO:
        return completes_row_by_threats(boards, level, memory)
    return first_capture_wins(boards[level]) and captures_by_ataris(boards, level, memory)
