"""Ranks of moves in Go, by the stones around them: the priors of new nodes of the tree.

A rank is a sum of fitted weights, one for each feature of the move: its 3 × 3 neighbourhood, captures, rescues, ataris,
the distances to the last two moves, and the line of the board. `training/go_priors.py` fitted them (`priors.npy`). The
model is a softmax over the legal moves, as in R. Coulom, Computing Elo ratings of move patterns in the game of Go
(2007).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.board import is_atari
from gomogo_core.engines.go.layout import (
    AROUND,
    BLACK,
    CANDIDATES,
    COLUMNS,
    EMPTY,
    HEAD,
    LAST,
    LAST_BUT_ONE,
    PASS,
    PASSES,
    RECORD,
    RECORDS,
    ROWS,
    SIZE,
    STEPS,
    STRIDE,
    TURN,
    WALL,
)
from gomogo_core.engines.go.playouts import liberties_after

UNIT = 64  # units of a rank per unit of the logarithm of the odds
NEIGHBOURHOODS = 1 << 16  # two bits a neighbour, layout.AROUND: 0 empty, 1 the mover's, 2 the opponent's, 3 the edge

# The features besides the neighbourhood. Each range ends before the next one begins.
CAPTURE = NEIGHBOURHOODS  # + 0 for one stone, 1 for two, 2 for more
RESCUE = CAPTURE + 3  # as CAPTURE: own stones in atari that have two liberties afterwards
LOST = RESCUE + 3  # as CAPTURE: own stones in atari that still have fewer than two liberties afterwards
SELF_ATARI = LOST + 1  # as CAPTURE: the new chain's stones
ATARI = SELF_ATARI + 3  # as CAPTURE
NEAR_LAST = ATARI + 3  # + steps between, less 2, at most 11; + 12 after a pass or at the start
NEAR_LAST_BUT_ONE = NEAR_LAST + 13
LINE = NEAR_LAST_BUT_ONE + 13  # + line of the board, 1 to 5; + 5 if no stone is within two steps
PASSING = LINE + 10  # + 0 for a pass, 1 for a pass after one
FEATURES = PASSING + 2
MOST = 8  # features of a move


@cache
def weights() -> Any:
    """Return the shipped weights, int16 of shape (FEATURES,)."""
    return np.load(Path(__file__).with_name("priors.npy"))


@njit("int64(int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def steps_between(one: Any, two: Any) -> Any:
    """Return the distance of two cells: the sum of rows and columns between, and the larger of them once more."""
    down, across = abs(one // STRIDE - two // STRIDE), abs(one % STRIDE - two % STRIDE)
    return down + across + max(down, across)


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def is_empty_around(board: Any, cell: Any) -> Any:
    """Return whether no stone is within two steps."""
    for down in range(-2, 3):
        for across in range(-2, 3):
            row, column = cell // STRIDE + down, cell % STRIDE + across
            if 1 <= row <= board[ROWS] and 1 <= column <= board[COLUMNS] and board[row * STRIDE + column] != EMPTY:
                return False
    return True


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def liberties_left(board: Any, stone: Any, cell: Any) -> Any:
    """Return the liberties of the chain on `stone` after a stone on `cell`, one of them; 2 means two or more."""
    first = RECORDS + RECORD * board[RECORDS + RECORD * stone + HEAD]
    count, total, squares = board[first + 2], board[first + 3], board[first + 4]
    for k in range(4):
        near = cell + STEPS[k]
        if board[near] == board[stone] and RECORDS + RECORD * board[RECORDS + RECORD * near + HEAD] == first:
            count -= 1
            total -= cell
            squares -= cell * cell
    if count == 0:
        return 0
    return 1 if count * squares == total * total else 2


@njit("int64(int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _of_stones(number: Any) -> Any:
    return min(number, 3) - 1


@njit("int64(int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _nearness(cell: Any, before: Any) -> Any:
    return 12 if before == PASS else max(0, min(11, steps_between(cell, before) - 2))


@njit("int64(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def features(board: Any, cell: Any) -> Any:
    """Write the numbers of the features of a legal move, at most MOST, to CANDIDATES; returns how many."""
    if cell == PASS:
        board[CANDIDATES] = PASSING + (board[PASSES] > 0)
        return 1
    colour = board[TURN]
    code = 0
    for k in range(8):
        near = board[cell + AROUND[k]]
        if colour != BLACK and (near == 1 or near == 2):
            near = 3 - near
        code |= near << 2 * k
    board[CANDIDATES] = code
    count = 1
    captured = saved = threatened = own = 0
    for k in range(4):
        near = cell + STEPS[k]
        c = board[near]
        if c in (EMPTY, WALL):
            continue
        first = RECORDS + RECORD * board[RECORDS + RECORD * near + HEAD]
        stones = board[first + SIZE]
        if is_atari(board, first):
            if c == colour:
                saved += stones
            else:
                captured += stones
        elif c != colour and liberties_left(board, near, cell) == 1:
            threatened = max(threatened, stones)
        if c == colour:
            own += stones
    if captured:
        board[CANDIDATES + count] = CAPTURE + _of_stones(captured)
        count += 1
    safe = liberties_after(board, cell, colour) == 2
    if saved:
        board[CANDIDATES + count] = RESCUE + _of_stones(saved) if safe else LOST
        count += 1
    if not safe:
        board[CANDIDATES + count] = SELF_ATARI + _of_stones(own + 1)
        count += 1
    if threatened:
        board[CANDIDATES + count] = ATARI + _of_stones(threatened)
        count += 1
    board[CANDIDATES + count] = NEAR_LAST + _nearness(cell, board[LAST])
    board[CANDIDATES + count + 1] = NEAR_LAST_BUT_ONE + _nearness(cell, board[LAST_BUT_ONE])
    row, column = cell // STRIDE, cell % STRIDE
    line = min(min(row, board[ROWS] + 1 - row), min(column, board[COLUMNS] + 1 - column))
    board[CANDIDATES + count + 2] = LINE + min(line, 5) - 1 + (5 if is_empty_around(board, cell) else 0)
    return count + 3


@njit("int64(int32[::1], int64, int16[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def rank(board: Any, cell: Any, weights: Any) -> Any:
    """Return the rank of a move, UNIT for each unit of the logarithm of its odds."""
    total = 0
    for i in range(features(board, cell)):
        total += weights[board[CANDIDATES + i]]
    return total
