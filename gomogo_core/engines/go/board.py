"""A compiled board of stones: chains, captures, ko, suicide, rows and scores, by the rules of gomogo_core.games.

The module uses array_layout.py only. A chain is a ring of stones. The record of its first stone, the head, describes
the whole chain. A chain stores the number of its pseudo-liberties, the sum of their cells and the sum of the squares.
These three numbers tell whether all pseudo-liberties are the same point. So the board finds an atari without a walk
along the chain. Empty points and walls belong to the chain of cell 0, whose numbers are never read; so code that
changes them needs no test. The functions that every move needs are always inlined, since LLVM does not inline them by
itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (
    BLACK,
    CAPTURE_GO,
    CAPTURES,
    CELLS,
    COLUMNS,
    DIAGONAL,
    DIAGONALS,
    EMPTIES,
    EMPTY,
    GO,
    HEAD,
    KIND,
    KO,
    KO_RULE,
    KOMI,
    LAST,
    LAST_BUT_ONE,
    LIBERTIES,
    LINE,
    LIST,
    MOST_MOVES,
    NEXT,
    NUMBER,
    PASS,
    PASSES,
    PASSING,
    POSITION,
    RANDOM,
    RECORD,
    RECORDS,
    ROBOGO,
    ROW_STEPS,
    ROWS,
    SCORING,
    SEEN,
    SIMPLE,
    SITUATIONAL,
    SIZE,
    SQUARES,
    STACK,
    STAMP,
    STEPS,
    STONE,
    STONES,
    STRIDE,
    SUICIDE,
    SUM,
    TAKEN,
    TARGET,
    TERRITORY,
    TURN,
    UNCHANGED,
    WALL,
    WHITE,
    WINNER,
    BoardArray,
    Boolean,
    Cell,
    Colour,
    Number,
)
from gomogo_core.engines.unowned import without_length

ZOBRIST = np.random.default_rng(20260101).integers(0, 2**63, 3 * CELLS, dtype=np.int64)
UNDECIDED = -1  # a result is 2 if black wins, 1 for a draw, 0 if white wins


@njit("void(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _clear_cell(board: BoardArray, cell: Cell) -> None:
    board = without_length(board)
    board[cell] = EMPTY
    board[RECORDS + RECORD * cell + HEAD] = 0
    board[RECORDS + RECORD * cell + POSITION] = board[EMPTIES]
    board[LIST + board[EMPTIES]] = cell
    board[EMPTIES] += 1


@njit("void(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def reset(board: BoardArray) -> None:
    """Set up an empty board of board[ROWS] × board[COLUMNS] points, with black to move."""
    for cell in range(CELLS):
        board[cell] = WALL
        board[RECORDS + RECORD * cell + HEAD] = 0
    board[EMPTIES] = 0
    for row in range(1, board[ROWS] + 1):
        for column in range(1, board[COLUMNS] + 1):
            _clear_cell(board, row * STRIDE + column)
    for i in range(3):
        board[TAKEN + i] = 0
        board[STONES + i] = 0
    board[TURN] = BLACK
    board[KO] = board[PASSES] = board[NUMBER] = board[LAST] = board[LAST_BUT_ONE] = board[WINNER] = 0


@njit("void(int32[::1], int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def copy(source: BoardArray, target: BoardArray) -> None:
    """Copy the position, but not the state of a search."""
    source, target = without_length(source), without_length(target)
    rows = source[ROWS] + 2
    for i in range(LIST + source[EMPTIES]):
        target[i] = source[i]
    for i in range(RECORDS, RECORDS + rows * STRIDE * RECORD):
        target[i] = source[i]


@njit("int64(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def random_below(board: BoardArray, count: Number) -> Number:
    """Return a random number from 0 to count - 1."""
    board = without_length(board)
    x = np.uint32(board[RANDOM])
    x ^= np.uint32(x << np.uint32(13))
    x ^= np.uint32(x >> np.uint32(17))
    x ^= np.uint32(x << np.uint32(5))
    board[RANDOM] = np.int32(x)
    return np.int64((np.uint64(x) * np.uint64(count)) >> np.uint64(32))


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _remove_chain(board: BoardArray, head: Cell, colour: Colour) -> Number:
    """Remove the chain of `head`, and return the number of its stones."""
    board = without_length(board)
    cell, count = np.int64(head), 0
    while True:
        _clear_cell(board, cell)
        count += 1
        for k in range(4):
            first = RECORDS + RECORD * board[RECORDS + RECORD * (cell + STEPS[k]) + HEAD]
            board[first + LIBERTIES] += 1
            board[first + SUM] += cell
            board[first + SQUARES] += cell * cell
        cell = np.int64(board[RECORDS + RECORD * cell + NEXT])
        if cell == head:
            break
    board[STONES + colour] -= count
    return count


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _join_chains(board: BoardArray, head: Cell, other_head: Cell) -> Cell:
    """Join two chains, and return the head of the new chain."""
    board = without_length(board)
    first, second = RECORDS + RECORD * head, RECORDS + RECORD * other_head
    if board[first + SIZE] < board[second + SIZE]:
        head, other_head = other_head, head
        first, second = second, first
    cell = other_head
    while True:
        record = RECORDS + RECORD * cell
        board[record + HEAD] = head
        cell = np.int64(board[record + NEXT])
        if cell == other_head:
            break
    board[first + NEXT], board[second + NEXT] = board[second + NEXT], board[first + NEXT]
    board[first + LIBERTIES] += board[second + LIBERTIES]
    board[first + SUM] += board[second + SUM]
    board[first + SQUARES] += board[second + SQUARES]
    board[first + SIZE] += board[second + SIZE]
    return head


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _place_stone(board: BoardArray, cell: Cell, colour: Colour) -> Number:
    """Place a stone on an empty point, and remove chains without liberties; return the cell that simple ko forbids.

    Return 0 if ko forbids none, and UNCHANGED if the stone was a suicide that left the board as it was.
    """
    board = without_length(board)
    other = 3 - colour
    last = board[LIST + board[EMPTIES] - 1]
    at = board[RECORDS + RECORD * cell + POSITION]
    board[LIST + at] = last
    board[RECORDS + RECORD * last + POSITION] = at
    board[EMPTIES] -= 1
    board[cell] = colour
    board[STONES + colour] += 1
    if not board[CAPTURES]:
        return 0
    liberties = total = squares = 0
    for k in range(4):  # no branches: the processor could not predict them
        near = cell + STEPS[k]
        free: Any = np.int64(board[near] == EMPTY)
        liberties += free
        total += near * free
        squares += near * near * free
        # for a wall or an empty point, this record is never read
        first = RECORDS + RECORD * board[RECORDS + RECORD * near + HEAD]
        board[first + LIBERTIES] -= 1
        board[first + SUM] -= cell
        board[first + SQUARES] -= cell * cell
    own = RECORDS + RECORD * cell
    board[own + HEAD] = board[own + NEXT] = cell
    board[own + LIBERTIES] = liberties
    board[own + SUM] = total
    board[own + SQUARES] = squares
    board[own + SIZE] = 1
    head = np.int64(cell)
    captures = False
    for k in range(4):
        near = cell + STEPS[k]
        c = board[near]
        beside = np.int64(board[RECORDS + RECORD * near + HEAD])
        captures |= (c == other) & (board[RECORDS + RECORD * beside + LIBERTIES] == 0)
        joined = beside if c == colour else head
        if joined != head:
            head = _join_chains(board, head, joined)
    taken = 0
    hole = np.int64(0)
    if captures:
        for k in range(4):
            near = cell + STEPS[k]
            if board[near] == other:
                beside = np.int64(board[RECORDS + RECORD * near + HEAD])
                if board[RECORDS + RECORD * beside + LIBERTIES] == 0:
                    taken += _remove_chain(board, beside, other)
                    hole = near
    board[TAKEN + colour] += taken
    first = RECORDS + RECORD * head
    if board[first + LIBERTIES] == 0:
        lost = _remove_chain(board, head, colour)
        board[TAKEN + other] += lost
        return UNCHANGED if lost == 1 else 0
    if taken == 1 and board[first + SIZE] == 1 and board[first + LIBERTIES] == 1:
        return hole
    return 0


@njit("boolean(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def makes_row(board: BoardArray, cell: Cell, colour: Colour) -> Boolean:
    """Return whether a stone of `colour` on `cell` makes a row of board[LINE] or more stones, before captures."""
    for k in range(4 if board[DIAGONALS] else 2):
        step = ROW_STEPS[k]
        count = 1
        near = cell + step
        while board[near] == colour:
            count += 1
            near += step
        near = cell - step
        while board[near] == colour:
            count += 1
            near -= step
        if count >= board[LINE]:
            return True
    return False


@njit("void(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def play(board: BoardArray, cell: Cell) -> None:
    """Play a legal move of the player to move: a stone, or PASS."""
    board = without_length(board)
    colour = board[TURN]
    board[LAST_BUT_ONE] = board[LAST]
    board[LAST] = cell
    board[NUMBER] += 1
    board[TURN] = 3 - colour
    if cell == PASS:
        board[PASSES] += 1
        board[KO] = UNCHANGED
        return
    board[PASSES] = 0
    board[KO] = _place_stone(board, cell, colour)
    if board[KIND] == ROBOGO and board[cell] == colour and makes_row(board, cell, colour):
        board[WINNER] = colour


@njit("boolean(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def has_one_liberty(board: BoardArray, first: Number) -> Boolean:
    """Return whether a chain has one liberty. first: the index in `board` of the record of the chain's first stone."""
    board = without_length(board)
    total = np.int64(board[first + SUM])
    return np.int64(board[first + LIBERTIES]) * np.int64(board[first + SQUARES]) == total * total


@njit("boolean(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def is_legal(board: BoardArray, cell: Cell) -> Boolean:
    """Return whether the player to move may play on the empty `cell`. Superko is not checked."""
    board = without_length(board)
    if not board[CAPTURES]:
        return True
    if cell == board[KO] and board[KO_RULE] == SIMPLE:
        return False
    colour = board[TURN]
    joins = allowed = False
    for k in range(4):  # no branches: the processor could not predict them
        near = cell + STEPS[k]
        c = board[near]
        atari = has_one_liberty(board, RECORDS + RECORD * board[RECORDS + RECORD * near + HEAD])
        joins |= c == colour
        # the stone has a liberty, joins a chain with another liberty, or captures
        allowed |= (c == EMPTY) | ((c != WALL) & ((c == colour) != atari))
    if allowed:
        return True
    if not board[SUICIDE]:
        return False
    if joins:
        return True
    # the suicide of a single stone leaves the board as it is
    return board[KO_RULE] != SIMPLE or board[KO] != UNCHANGED


@njit("boolean(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def is_eye(board: BoardArray, cell: Cell, colour: Colour) -> Boolean:
    """Return whether an empty point is probably an eye: stones of `colour` surround it and occupy enough of its
    corners.
    """
    board = without_length(board)
    if (
        not board[cell + 1] & board[cell - 1] & board[cell + STRIDE] & board[cell - STRIDE] & colour
    ):  # a wall has the bits of both
        return False
    others = walls = 0
    for k in range(4):
        c = board[cell + DIAGONAL[k]]
        others += c == 3 - colour
        walls += c == WALL
    return others + (walls > 0) < 2


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def doubled_lead(board: BoardArray) -> Number:
    """Return twice the lead in points that black would have if the game ended now, komi included."""
    board = without_length(board)
    lead = 0
    if board[SCORING] != TERRITORY:
        lead = board[STONES + BLACK] - board[STONES + WHITE]
    if board[SCORING] != STONE:
        board[STAMP] += 1
        stamp = board[STAMP]
        for i in range(board[EMPTIES]):
            if board[SEEN + board[LIST + i]] == stamp:
                continue
            board[SEEN + board[LIST + i]] = stamp
            board[STACK] = board[LIST + i]
            top, points, borders = 1, 0, 0
            while top:
                top -= 1
                cell = board[STACK + top]
                points += 1
                for k in range(4):
                    near = cell + STEPS[k]
                    c = board[near]
                    if c != EMPTY:
                        borders |= c & 3 if c != WALL else 0
                    elif board[SEEN + near] != stamp:
                        board[SEEN + near] = stamp
                        board[STACK + top] = near
                        top += 1
            lead += points if borders == BLACK else -points if borders == WHITE else 0
    return 2 * lead - board[KOMI]


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def result(board: BoardArray) -> Number:
    """Return 2 if black has won, 1 for a draw, 0 if white has won, or UNDECIDED while the game goes on.

    The function does not detect that a player has no legal move.
    """
    if board[KIND] == GO:
        if board[PASSES] < 2 and board[NUMBER] < board[MOST_MOVES]:
            return UNDECIDED
        lead = doubled_lead(board)
        return 1 + (lead > 0) - (lead < 0)
    if board[KIND] == CAPTURE_GO:
        one, other = board[TAKEN + BLACK], board[TAKEN + WHITE]
        if one != other and (max(one, other) >= board[TARGET] or board[PASSES] >= 2):
            return 2 if one > other else 0
        return 1 if board[PASSES] >= 2 else UNDECIDED
    if board[WINNER]:
        return 2 if board[WINNER] == BLACK else 0
    if board[PASSES] >= 2 or board[NUMBER] >= board[MOST_MOVES] or (not board[PASSING] and board[EMPTIES] == 0):
        return 1
    return UNDECIDED


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def board_hash(board: BoardArray) -> Number:
    """Return the Zobrist hash by which superko compares boards."""
    found = np.int64(0)
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            if board[cell]:
                found ^= ZOBRIST[board[cell] * CELLS + cell]
    if board[KO_RULE] == SITUATIONAL and board[TURN] == BLACK:
        found ^= ZOBRIST[0]
    return found
