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
def first_capture_wins(b: Any) -> Any:
    """Return whether the next capture, by either player, wins."""
    return b[KIND] == CAPTURE_GO and b[TAKEN + BLACK] == b[TARGET] - 1 and b[TAKEN + WHITE] == b[TARGET] - 1


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _has_atari(b: Any, colour: Any) -> Any:
    """Return whether a chain of this colour has one liberty."""
    for row in range(1, b[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + b[COLUMNS]):
            first = RECORDS + RECORD * cell
            if b[cell] == colour and b[first + HEAD] == cell and is_atari(b, first):
                return True
    return False


@njit("UniTuple(int64, 2)(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _two_liberties(b: Any, head: Any) -> Any:
    """Return the liberties of a chain that has exactly two; else (0, 0)."""
    one = two = 0
    stone = head
    while True:
        for k in range(4):
            near = stone + STEPS[k]
            if b[near] == EMPTY and near not in (one, two):
                if one == 0:
                    one = near
                elif two == 0:
                    two = near
                else:
                    return 0, 0
        stone = np.int64(b[RECORDS + RECORD * stone + NEXT])
        if stone == head:
            return (one, two) if two else (0, 0)


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _is_new(b: Any, move: Any) -> Any:
    """Return whether this atari was not tried on this board, and mark it as tried."""
    for i in range(b[_TRIED]):
        if b[_TRIED + 1 + i] == move:
            return False
    if b[_TRIED] < _MOST_TRIED:
        b[_TRIED] += 1
        b[_TRIED + b[_TRIED]] = move
    return True


@njit("boolean(int32[:, ::1], int64, int64, boolean)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _play_atari(boards: Any, level: Any, move: Any, is_threatened: Any) -> Any:
    """Play an atari from boards[level] to boards[level + 1]. Return whether the opponent cannot capture after it.

    is_threatened: whether an own chain has one liberty before.
    """
    b, after = boards[level], boards[level + 1]
    if not is_legal(b, move):
        return False
    copy(b, after)
    play(after, move)
    if after[move] != b[TURN]:  # a suicide
        return False
    return not (_has_atari(after, b[TURN]) if is_threatened else in_atari(after, move))


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _answer(after: Any, move: Any, k: Any) -> Any:
    """Return the legal move that answers the atari of `move` on its neighbour number `k`; 0 if there is none."""
    near = move + STEPS[k]
    if after[near] != after[TURN] or not in_atari(after, near):
        return 0
    cell = last_liberty(after, near)
    return cell if is_legal(after, cell) else 0


@njit("boolean(int32[:, ::1], int64, int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def captures_by_ataris(boards: Any, level: Any, memory: Any) -> Any:
    """Return whether the player to move on boards[level] captures first, by ataris alone.

    memory[LEFT] limits the positions; when it is used up, the answer is False. memory[FOUND] receives the first move.
    """
    b = boards[level]
    if memory[LEFT] <= 0 or level + 2 >= _LEVELS:
        return False
    memory[LEFT] -= 1
    other, is_threatened = 3 - b[TURN], False
    for row in range(1, b[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + b[COLUMNS]):
            first = RECORDS + RECORD * cell
            if b[cell] != EMPTY and b[first + HEAD] == cell and is_atari(b, first):
                if b[cell] == other:
                    memory[FOUND] = last_liberty(b, cell)
                    return True
                is_threatened = True
    b[_TRIED] = 0
    for row in range(1, b[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + b[COLUMNS]):
            if b[cell] != other or b[RECORDS + RECORD * cell + HEAD] != cell:
                continue
            liberties = _two_liberties(b, cell)
            for i in range(2):
                move = liberties[i]
                if not move or not _is_new(b, move) or not _play_atari(boards, level, move, is_threatened):
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
def completing_points(b: Any, colour: Any) -> Any:
    """Return up to two points where a stone of `colour`, if it is its turn, completes a row; 0 for none."""
    turn, one = b[TURN], np.int64(0)
    b[TURN] = colour
    for i in range(b[EMPTIES]):
        cell = np.int64(b[LIST + i])
        beside = b[cell + 1] == colour or b[cell - 1] == colour or b[cell + STRIDE] == colour
        beside |= b[cell - STRIDE] == colour or bool(b[DIAGONALS])
        if beside and makes_row(b, cell, colour) and is_legal(b, cell):
            if one:
                b[TURN] = turn
                return one, cell
            one = cell
    b[TURN] = turn
    return one, np.int64(0)


@njit("int64(int32[::1], int64, int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def stones_in_window(b: Any, cell: Any, step: Any, colour: Any) -> Any:
    """Return the stones of `colour` on the LINE points from `cell` on; -1 if another stone or the edge is there."""
    count, end = 0, cell + (b[LINE] - 1) * step
    if end >= CELLS or b[end] == WALL:  # a row that leaves the board would meet a wall earlier
        return -1
    for _ in range(b[LINE]):
        c = b[cell]
        if c == colour:
            count += 1
        elif c != EMPTY:
            return -1
        cell += step
    return count


@njit("boolean(int32[::1], int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _plays_threat(b: Any, after: Any, answers: Any, move: Any) -> Any:
    """Play a move that lacks one stone for a row. Return whether it is legal and the opponent does not complete a row.

    answers: receives the number of the opponent's answers, and then these: the missing point, and captures.
    """
    if not is_legal(b, move):
        return False
    copy(b, after)
    play(after, move)
    own, other = b[TURN], 3 - b[TURN]
    if completing_points(after, other)[0]:
        return False
    one, two = completing_points(after, own)
    if not one:
        return False
    answers[0] = 0
    if not two and is_legal(after, one):
        answers[0], answers[1] = 1, one
    if b[CAPTURES]:
        for row in range(1, b[ROWS] + 1):
            for cell in range(row * STRIDE + 1, row * STRIDE + 1 + b[COLUMNS]):
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
    b = boards[level]
    if memory[LEFT] <= 0 or level + 2 >= _LEVELS:
        return False
    memory[LEFT] -= 1
    own = b[TURN]
    now = completing_points(b, own)[0]
    if now:
        memory[FOUND] = now
        return True
    b[_TRIED] = 0
    for row in range(1, b[ROWS] + 1):
        for start in range(row * STRIDE + 1, row * STRIDE + 1 + b[COLUMNS]):
            for k in range(4 if b[DIAGONALS] else 2):
                step = ROW_STEPS[k]
                if stones_in_window(b, start, step, own) != b[LINE] - 2:
                    continue
                for i in range(b[LINE]):
                    move = np.int64(start + i * step)
                    after, then = boards[level + 1], boards[level + 2]
                    answers = after[_ANSWERS:]
                    if b[move] != EMPTY or not _is_new(b, move) or not _plays_threat(b, after, answers, move):
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
