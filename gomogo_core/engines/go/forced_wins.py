"""Forced wins: captures by one atari after another in Capture Go, rows by one threat after another in Robogo.

Uses the board. In Capture Go to the first capture, an atari leaves the opponent one answer: a stone on the last liberty
of the chain. In Robogo, stones that lack one for a row leave few: a stone on the missing point, or a capture. So long
sequences are read quickly, as sequences of fours are in Gomoku. A playout would follow them only by chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.board import copy, is_atari, is_legal, makes_row, play
from gomogo_core.engines.go.layout import (
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
)
from gomogo_core.engines.go.playouts import in_atari, last_liberty

_MOST_TRIED = 40  # ataris or threats in one position
_TRIED = BOARD_SIZE  # in a row of the array of boards: the number of ataris or threats tried, then their cells
_ANSWERS, _MOST_ANSWERS = _TRIED + 1 + _MOST_TRIED, 20  # the same for the answers to a threat
_ROW = _ANSWERS + 1 + _MOST_ANSWERS
_LEVELS = 80  # boards: two for each atari or threat of a sequence
# Fields of the working memory: the positions that may still be read, the first move of a win, and the move that a
# search has chosen.
LEFT, FOUND, CHOSEN = 0, 1, 2
MEMORY = 3


def new_boards() -> Any:
    """Return the boards that `wins` needs: int32, one row for each level of the search."""
    return np.zeros((_LEVELS, _ROW), np.int32)


@njit("boolean(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def first_capture_wins(board: Any) -> Any:
    """Return whether the next capture, by either player, wins."""
    return (
        board[KIND] == CAPTURE_GO
        and board[TAKEN + BLACK] == board[TARGET] - 1
        and board[TAKEN + WHITE] == board[TARGET] - 1
    )


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _has_atari(board: Any, colour: Any) -> Any:
    """Return whether a chain of this colour has one liberty."""
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            first = RECORDS + RECORD * cell
            if board[cell] == colour and board[first + HEAD] == cell and is_atari(board, first):
                return True
    return False


@njit("UniTuple(int64, 2)(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _two_liberties(board: Any, head: Any) -> Any:
    """Return the liberties of a chain that has exactly two; else (0, 0)."""
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
def _is_new(board: Any, move: Any) -> Any:
    """Return whether this atari was not tried on this board, and mark it as tried."""
    for i in range(board[_TRIED]):
        if board[_TRIED + 1 + i] == move:
            return False
    if board[_TRIED] < _MOST_TRIED:
        board[_TRIED] += 1
        board[_TRIED + board[_TRIED]] = move
    return True


@njit("boolean(int32[:, ::1], int64, int64, boolean)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _play_atari(boards: Any, level: Any, move: Any, is_threatened: Any) -> Any:
    """Play an atari from boards[level] to boards[level + 1]. Return whether the opponent cannot capture after it.

    is_threatened: whether an own chain has one liberty before.
    """
    board, after = boards[level], boards[level + 1]
    if not is_legal(board, move):
        return False
    copy(board, after)
    play(after, move)
    if after[move] != board[TURN]:  # a suicide
        return False
    return not (_has_atari(after, board[TURN]) if is_threatened else in_atari(after, move))


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _answer(after: Any, move: Any, direction: Any) -> Any:
    """Return the legal answer to the atari that `move` gives the chain in this direction; 0 if there is none."""
    near = move + STEPS[direction]
    if after[near] != after[TURN] or not in_atari(after, near):
        return 0
    cell = last_liberty(after, near)
    return cell if is_legal(after, cell) else 0


@njit("boolean(int32[:, ::1], int64, int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def captures_by_ataris(boards: Any, level: Any, memory: Any) -> Any:
    """Return whether the player to move on boards[level] captures first, by ataris alone.

    memory[LEFT] limits the positions; when it is used up, the answer is False. memory[FOUND] receives the first move.
    """
    board = boards[level]
    if memory[LEFT] <= 0 or level + 2 >= _LEVELS:
        return False
    memory[LEFT] -= 1
    other, is_threatened = 3 - board[TURN], False
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            first = RECORDS + RECORD * cell
            if board[cell] != EMPTY and board[first + HEAD] == cell and is_atari(board, first):
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
                if not move or not _is_new(board, move) or not _play_atari(boards, level, move, is_threatened):
                    continue
                is_won, after, then = True, boards[level + 1], boards[level + 2]
                for k in range(4):
                    answer = _answer(after, move, k)
                    if answer and is_won:
                        copy(after, then)
                        play(then, answer)
                        is_won = _has_atari(then, other) or captures_by_ataris(boards, level + 2, memory)
                if is_won:
                    memory[FOUND] = move
                    return True
    return False


@njit("UniTuple(int64, 2)(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def completing_points(board: Any, colour: Any) -> Any:
    """Return up to two points where a stone of `colour`, if it is its turn, completes a row; 0 for none."""
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
def stones_in_window(board: Any, cell: Any, step: Any, colour: Any) -> Any:
    """Return the stones of `colour` on the LINE points from `cell` on; -1 if another stone or the edge is there."""
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
def _plays_threat(board: Any, after: Any, answers: Any, move: Any) -> Any:
    """Play a move that lacks one stone for a row. Return whether it is legal and the opponent does not complete a row.

    answers: receives the number of the opponent's answers, and then these: the missing point, and captures.
    """
    if not is_legal(board, move):
        return False
    copy(board, after)
    play(after, move)
    own, other = board[TURN], 3 - board[TURN]
    if completing_points(after, other)[0]:
        return False
    one, two = completing_points(after, own)
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
                if is_head and is_atari(after, first) and answers[0] < _MOST_ANSWERS:
                    answers[0] += 1
                    answers[answers[0]] = last_liberty(after, cell)
    return True


@njit("boolean(int32[:, ::1], int64, int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def completes_by_threats(boards: Any, level: Any, memory: Any) -> Any:
    """Return whether the player to move on boards[level] completes a row first, by threats alone; see
    `captures_by_ataris`.
    """
    board = boards[level]
    if memory[LEFT] <= 0 or level + 2 >= _LEVELS:
        return False
    memory[LEFT] -= 1
    own = board[TURN]
    now = completing_points(board, own)[0]
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
                        or not _is_new(board, move)
                        or not _plays_threat(board, after, answers, move)
                    ):
                        continue
                    is_won = True
                    for j in range(answers[0]):
                        if is_won:
                            copy(after, then)
                            play(then, answers[1 + j])
                            is_won = completes_by_threats(boards, level + 2, memory)
                    if is_won:
                        memory[FOUND] = move
                        return True
    return False


@njit("boolean(int32[:, ::1], int64, int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def wins(boards: Any, level: Any, memory: Any, most: Any) -> Any:
    """Return whether the player to move on boards[level] has a forced win that is found within `most` positions.

    memory[FOUND] receives its first move. The boards of later levels are used.
    """
    memory[LEFT] = most
    if boards[level][KIND] == ROBOGO:
        return completes_by_threats(boards, level, memory)
    return first_capture_wins(boards[level]) and captures_by_ataris(boards, level, memory)
