"""A compiled board of stones: chains, captures, ko, suicide, rows and scores, by the rules of gomogo_core.games.

Uses the layout only. A chain is a ring of stones; pseudo-liberties with their sum and sum of squares tell whether all
of them are the same point, so that an atari is found without a walk along the chain. Empty points and walls belong to
the chain of cell 0, which has no owner: its numbers are changed without a test, and never read. The functions that
every move needs are always inlined, since LLVM does not inline them by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.layout import (
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
)
from gomogo_core.engines.unowned import without_length

ZOBRIST = np.random.default_rng(20260101).integers(0, 2**63, 3 * CELLS, dtype=np.int64)
UNDECIDED = -1  # a result is 2 if black wins, 1 for a draw, 0 if white wins


@njit("void(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _free(b: Any, cell: Any) -> None:
    b = without_length(b)
    b[cell] = EMPTY
    b[RECORDS + RECORD * cell + HEAD] = 0
    b[RECORDS + RECORD * cell + POSITION] = b[EMPTIES]
    b[LIST + b[EMPTIES]] = cell
    b[EMPTIES] += 1


@njit("void(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def reset(b: Any) -> None:
    """Empty the board of b[ROWS] × b[COLUMNS] points; black moves."""
    for cell in range(CELLS):
        b[cell] = WALL
        b[RECORDS + RECORD * cell + HEAD] = 0
    b[EMPTIES] = 0
    for row in range(1, b[ROWS] + 1):
        for column in range(1, b[COLUMNS] + 1):
            _free(b, row * STRIDE + column)
    for i in range(3):
        b[TAKEN + i] = 0
        b[STONES + i] = 0
    b[TURN] = BLACK
    b[KO] = b[PASSES] = b[NUMBER] = b[LAST] = b[LAST_BUT_ONE] = b[WINNER] = 0


@njit("void(int32[::1], int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def copy(source: Any, target: Any) -> None:
    """Copy the position, but not the state of a search."""
    source, target = without_length(source), without_length(target)
    rows = source[ROWS] + 2
    for i in range(LIST + source[EMPTIES]):
        target[i] = source[i]
    for i in range(RECORDS, RECORDS + rows * STRIDE * RECORD):
        target[i] = source[i]


@njit("int64(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def random_below(b: Any, count: Any) -> Any:
    """Return a random number from 0 to count - 1."""
    b = without_length(b)
    x = np.uint32(b[RANDOM])
    x ^= np.uint32(x << np.uint32(13))
    x ^= np.uint32(x >> np.uint32(17))
    x ^= np.uint32(x << np.uint32(5))
    b[RANDOM] = np.int32(x)
    return np.int64((np.uint64(x) * np.uint64(count)) >> np.uint64(32))


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _remove(b: Any, head: Any, colour: Any) -> Any:
    """Remove the chain of `head`. Returns the number of its stones."""
    b = without_length(b)
    cell, count = np.int64(head), 0
    while True:
        _free(b, cell)
        count += 1
        for k in range(4):
            first = RECORDS + RECORD * b[RECORDS + RECORD * (cell + STEPS[k]) + HEAD]
            b[first + LIBERTIES] += 1
            b[first + SUM] += cell
            b[first + SQUARES] += cell * cell
        cell = np.int64(b[RECORDS + RECORD * cell + NEXT])
        if cell == head:
            break
    b[STONES + colour] -= count
    return count


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _join(b: Any, one: Any, two: Any) -> Any:
    """Join two chains. Returns the head of the new chain."""
    b = without_length(b)
    first, second = RECORDS + RECORD * one, RECORDS + RECORD * two
    if b[first + SIZE] < b[second + SIZE]:
        one, two = two, one
        first, second = second, first
    cell = two
    while True:
        record = RECORDS + RECORD * cell
        b[record + HEAD] = one
        cell = np.int64(b[record + NEXT])
        if cell == two:
            break
    b[first + NEXT], b[second + NEXT] = b[second + NEXT], b[first + NEXT]
    b[first + LIBERTIES] += b[second + LIBERTIES]
    b[first + SUM] += b[second + SUM]
    b[first + SQUARES] += b[second + SQUARES]
    b[first + SIZE] += b[second + SIZE]
    return one


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _place(b: Any, cell: Any, colour: Any) -> Any:
    """Place a stone on an empty point, and remove chains without liberties. Returns the cell that simple ko forbids."""
    b = without_length(b)
    other = 3 - colour
    last = b[LIST + b[EMPTIES] - 1]
    at = b[RECORDS + RECORD * cell + POSITION]
    b[LIST + at] = last
    b[RECORDS + RECORD * last + POSITION] = at
    b[EMPTIES] -= 1
    b[cell] = colour
    b[STONES + colour] += 1
    if not b[CAPTURES]:
        return 0
    liberties = total = squares = 0
    for k in range(4):  # no branches: the processor could not predict them
        near = cell + STEPS[k]
        free: Any = np.int64(b[near] == EMPTY)
        liberties += free
        total += near * free
        squares += near * near * free
        # for a wall or an empty point, this record is never read
        first = RECORDS + RECORD * b[RECORDS + RECORD * near + HEAD]
        b[first + LIBERTIES] -= 1
        b[first + SUM] -= cell
        b[first + SQUARES] -= cell * cell
    own = RECORDS + RECORD * cell
    b[own + HEAD] = b[own + NEXT] = cell
    b[own + LIBERTIES] = liberties
    b[own + SUM] = total
    b[own + SQUARES] = squares
    b[own + SIZE] = 1
    head = np.int64(cell)
    captures = False
    for k in range(4):
        near = cell + STEPS[k]
        c = b[near]
        beside = np.int64(b[RECORDS + RECORD * near + HEAD])
        captures |= (c == other) & (b[RECORDS + RECORD * beside + LIBERTIES] == 0)
        joined = beside if c == colour else head
        if joined != head:
            head = _join(b, head, joined)
    taken = 0
    hole = np.int64(0)
    if captures:
        for k in range(4):
            near = cell + STEPS[k]
            if b[near] == other:
                beside = np.int64(b[RECORDS + RECORD * near + HEAD])
                if b[RECORDS + RECORD * beside + LIBERTIES] == 0:
                    taken += _remove(b, beside, other)
                    hole = near
    b[TAKEN + colour] += taken
    first = RECORDS + RECORD * head
    if b[first + LIBERTIES] == 0:
        lost = _remove(b, head, colour)
        b[TAKEN + other] += lost
        return UNCHANGED if lost == 1 else 0
    if taken == 1 and b[first + SIZE] == 1 and b[first + LIBERTIES] == 1:
        return hole
    return 0


@njit("boolean(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def makes_row(b: Any, cell: Any, colour: Any) -> Any:
    """Return whether a stone of `colour` on `cell` stands in a row of b[LINE] or more; captures are not considered."""
    for k in range(4 if b[DIAGONALS] else 2):
        step = ROW_STEPS[k]
        count = 1
        near = cell + step
        while b[near] == colour:
            count += 1
            near += step
        near = cell - step
        while b[near] == colour:
            count += 1
            near -= step
        if count >= b[LINE]:
            return True
    return False


@njit("void(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def play(b: Any, cell: Any) -> None:
    """Play a legal move of the player to move: a stone, or PASS."""
    b = without_length(b)
    colour = b[TURN]
    b[LAST_BUT_ONE] = b[LAST]
    b[LAST] = cell
    b[NUMBER] += 1
    b[TURN] = 3 - colour
    if cell == PASS:
        b[PASSES] += 1
        b[KO] = UNCHANGED
        return
    b[PASSES] = 0
    b[KO] = _place(b, cell, colour)
    if b[KIND] == ROBOGO and b[cell] == colour and makes_row(b, cell, colour):
        b[WINNER] = colour


@njit("boolean(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def is_atari(b: Any, first: Any) -> Any:
    """Return whether the chain whose head has the record `first` has one liberty."""
    b = without_length(b)
    total = np.int64(b[first + SUM])
    return np.int64(b[first + LIBERTIES]) * np.int64(b[first + SQUARES]) == total * total


@njit("boolean(int32[::1], int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def is_legal(b: Any, cell: Any) -> Any:
    """Return whether the player to move may play on the empty `cell`, as far as the board and simple ko tell."""
    b = without_length(b)
    if not b[CAPTURES]:
        return True
    if cell == b[KO] and b[KO_RULE] == SIMPLE:
        return False
    colour = b[TURN]
    joins = allowed = False
    for k in range(4):  # no branches: the processor could not predict them
        near = cell + STEPS[k]
        c = b[near]
        atari = is_atari(b, RECORDS + RECORD * b[RECORDS + RECORD * near + HEAD])
        joins |= c == colour
        # it has a liberty, joins a chain with another one, or captures
        allowed |= (c == EMPTY) | ((c != WALL) & ((c == colour) != atari))
    if allowed:
        return True
    if not b[SUICIDE]:
        return False
    if joins:
        return True
    # the suicide of a single stone leaves the board as it is
    return b[KO_RULE] != SIMPLE or b[KO] != UNCHANGED


@njit("boolean(int32[::1], int64, int64)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def is_eye(b: Any, cell: Any, colour: Any) -> Any:
    """Return whether an empty point is probably an eye: stones of `colour` surround it and hold enough of its
    corners.
    """
    b = without_length(b)
    if not b[cell + 1] & b[cell - 1] & b[cell + STRIDE] & b[cell - STRIDE] & colour:  # a wall has the bits of both
        return False
    others = walls = 0
    for k in range(4):
        c = b[cell + DIAGONAL[k]]
        others += c == 3 - colour
        walls += c == WALL
    return others + (walls > 0) < 2


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def margin(b: Any) -> Any:
    """Return twice black's lead in points if the game ended now, komi included."""
    b = without_length(b)
    lead = 0
    if b[SCORING] != TERRITORY:
        lead = b[STONES + BLACK] - b[STONES + WHITE]
    if b[SCORING] != STONE:
        b[STAMP] += 1
        stamp = b[STAMP]
        for i in range(b[EMPTIES]):
            if b[SEEN + b[LIST + i]] == stamp:
                continue
            b[SEEN + b[LIST + i]] = stamp
            b[STACK] = b[LIST + i]
            top, points, borders = 1, 0, 0
            while top:
                top -= 1
                cell = b[STACK + top]
                points += 1
                for k in range(4):
                    near = cell + STEPS[k]
                    c = b[near]
                    if c != EMPTY:
                        borders |= c & 3 if c != WALL else 0
                    elif b[SEEN + near] != stamp:
                        b[SEEN + near] = stamp
                        b[STACK + top] = near
                        top += 1
            lead += points if borders == BLACK else -points if borders == WHITE else 0
    return 2 * lead - b[KOMI]


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def result(b: Any) -> Any:
    """Return the result if the game is over, else UNDECIDED. It does not detect a player without a legal move."""
    if b[KIND] == GO:
        if b[PASSES] < 2 and b[NUMBER] < b[MOST_MOVES]:
            return UNDECIDED
        lead = margin(b)
        return 1 + (lead > 0) - (lead < 0)
    if b[KIND] == CAPTURE_GO:
        one, other = b[TAKEN + BLACK], b[TAKEN + WHITE]
        if one != other and (max(one, other) >= b[TARGET] or b[PASSES] >= 2):
            return 2 if one > other else 0
        return 1 if b[PASSES] >= 2 else UNDECIDED
    if b[WINNER]:
        return 2 if b[WINNER] == BLACK else 0
    if b[PASSES] >= 2 or b[NUMBER] >= b[MOST_MOVES] or (not b[PASSING] and b[EMPTIES] == 0):
        return 1
    return UNDECIDED


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def board_hash(b: Any) -> Any:
    """Return the number that identifies this board when superko compares boards."""
    found = np.int64(0)
    for row in range(1, b[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + b[COLUMNS]):
            if b[cell]:
                found ^= ZOBRIST[b[cell] * CELLS + cell]
    if b[KO_RULE] == SITUATIONAL and b[TURN] == BLACK:
        found ^= ZOBRIST[0]
    return found
