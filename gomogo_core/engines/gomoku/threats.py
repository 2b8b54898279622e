"""Threats on the board: fives and winning fours, the answers to them, wins by continuous fours, forbidden points.

Uses the board. Nothing here guesses: `replies` holds every move that does not lose at once, and a win that `vcf` finds
holds against every defence, since each of its fours leaves one answer.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.gomoku.board import U, lowest_bit, make, unmake
from gomogo_core.engines.gomoku.classes import (
    BARRED,
    FOUR_PLAIN,
    FOUR_THREE,
    TABLE_COLUMNS,
    WIN,
    WINNING_FOUR,
)
from gomogo_core.engines.gomoku.layout import (
    BLACK,
    CLASSES,
    COLOUR,
    COUNT,
    FOURS,
    HASH,
    KEY,
    LAST_FIVE,
    LAST_MOVE,
    OTHER,
    REACH,
    RECORD,
    RULE,
    SHAPES,
    SIZE,
    SPAN,
    STONES,
    STOP,
    STRIDE,
    TURN,
    VCF_LIMIT,
    VCF_NODES,
    VCF_TABLE,
)
from gomogo_core.engines.gomoku.shapes import OPEN_FOUR, RENJU, THREE_MANY, THREE_ONE

_WHITE_TABLE = 65536 * TABLE_COLUMNS
_PER_ROW = 40
NO_CELL = 0  # no cell: a cell of the border
_MOST_VCF_DEPTH = 60


@njit("int64(int32[::1], int64, int64)", cache=True, nogil=True)
def class_at(s, cell, colour):
    """Return the class that a stone of `colour` on the empty point `cell` makes."""
    return (s[U(cell * RECORD + CLASSES)] >> (4 * (colour - 1))) & 15


@njit("int64(int32[::1], int64, int64)", cache=True, nogil=True)
def count_class(s, colour, kind):
    """Return how many empty points are of the class `kind` for `colour`."""
    return s[U(COUNT + 16 * colour + kind)]


@njit("int64(int32[::1], int64, int64)", cache=True, nogil=True)
def find_class(s, colour, kind):
    """The first point of the class `kind`, FOUR_PLAIN or better, for `colour`; NO_CELL without one."""
    masks = FOURS + _PER_ROW * (colour - 1)
    for row in range(REACH, REACH + s[SIZE]):
        bits = s[masks + row]
        while bits:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            if class_at(s, cell, colour) == kind:
                return cell
    return NO_CELL


@njit("int64(int32[::1], int64)", cache=True, nogil=True)
def five_point(s, colour):
    """A point where `colour` completes a five; there must be one."""
    cell = s[LAST_FIVE + colour]
    if s[cell * RECORD + COLOUR] == 0 and class_at(s, cell, colour) == WIN:
        return cell
    return find_class(s, colour, WIN)


@njit("int64(int32[::1], int64)", cache=True, nogil=True)
def threes_at(s, cell):
    """Return the number of directions in which black makes an open three there."""
    shapes = s[cell * RECORD + SHAPES]
    found = 0
    for direction in range(4):
        shape = (shapes >> (4 * direction)) & 15
        found += shape in (THREE_ONE, THREE_MANY)
    return found


@njit("boolean(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def is_barred(s, lines, classes, h, cell):
    """Return whether Renju forbids black the empty point `cell`.

    Leaves the state unchanged. A three counts only if a point that makes it a straight four is itself allowed (RIF
    rules, section 9).
    """
    kind = class_at(s, cell, BLACK)
    if kind == WIN:
        return False
    if kind == BARRED:
        return True
    if threes_at(s, cell) < 2:
        return False
    turn = s[TURN]
    shapes = s[cell * RECORD + SHAPES]
    s[TURN] = BLACK
    make(s, lines, classes, h, cell)
    real = 0
    for direction in range(4):
        shape = (shapes >> (4 * direction)) & 15
        if shape != THREE_ONE and shape != THREE_MANY:
            continue
        step = STRIDE - 2 + direction if direction else 1
        allowed = False
        for way in (-step, step):
            end = cell + way
            while s[end * RECORD + COLOUR] == BLACK:
                end += way
            if s[end * RECORD + COLOUR] != 0 or allowed:
                continue
            if (s[end * RECORD + SHAPES] >> (4 * direction)) & 15 != OPEN_FOUR:
                continue
            if class_at(s, end, BLACK) != WIN and not is_barred(s, lines, classes, h, np.int64(end)):
                allowed = True
        real += allowed
    s[TURN] = OTHER - BLACK
    unmake(s, lines, classes, h)
    s[TURN] = turn
    return real > 1


@njit("boolean(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def may_play(s, lines, classes, h, cell):
    """Return whether the mover may place a stone on the empty point `cell` without losing at once by a forbidden
    move.
    """
    return s[RULE] != RENJU or s[TURN] != BLACK or not is_barred(s, lines, classes, h, cell)


@njit("int64(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def winning_four(s, lines, classes, h, colour):
    """A point where `colour` makes a four that nothing stops, allowed to it; NO_CELL without one."""
    if s[RULE] != RENJU or colour != BLACK:
        return find_class(s, colour, WINNING_FOUR)
    for row in range(REACH, REACH + s[SIZE]):
        bits = s[FOURS + row]
        while bits:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            if class_at(s, cell, BLACK) == WINNING_FOUR and not is_barred(s, lines, classes, h, cell):
                return cell
    return NO_CELL


@njit("boolean(int32[::1], uint8[::1], int32[::1], int64, int64, int64)", cache=True, nogil=True)
def stops_winning_four(s, lines, classes, colour, point, cell):
    """Whether a stone of the opponent on `cell` keeps `colour` from a winning four on `point`."""
    away = cell - point
    if away == 0:
        return True
    span = s[SPAN]
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1
        k = away // step
        if k * step != away or k > span or k < -span:
            continue
        slot = span + k if k < 0 else span + k - 1
        key = s[point * RECORD + KEY + direction] ^ ((OTHER - colour) << (2 * slot))
        shape = lines[key] >> (4 * (colour - 1)) & 15
        shapes = (s[point * RECORD + SHAPES] >> (16 * (colour - 1))) & 0xFFFF
        shapes = (shapes & ~(15 << (4 * direction))) | (shape << (4 * direction))
        kind = classes[shapes * TABLE_COLUMNS + (_WHITE_TABLE if colour != BLACK else 0)]
        return kind != WINNING_FOUR and kind != WIN
    return False


@njit("int64(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def replies(s, lines, classes, h, start):
    """Write every move that may answer the opponent's threat of a winning four to `s[start:]`, as `generate` does.

    They are the points that stop each such four, and the mover's own fours. Returns their number.
    """
    us, colour = s[TURN], OTHER - s[TURN]
    first = winning_four(s, lines, classes, h, colour)
    count = 0
    span = s[SPAN]
    s[start] = first
    count = 1
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1
        for k in range(-span, span + 1):
            cell = first + k * step
            if k != 0 and s[cell * RECORD + COLOUR] == 0 and stops_winning_four(s, lines, classes, colour, first, cell):
                s[start + 2 * count] = cell
                count += 1
    black_in_renju = s[RULE] == RENJU and colour == BLACK
    for row in range(REACH, REACH + s[SIZE]):
        bits = s[FOURS + _PER_ROW * (colour - 1) + row]
        while bits:
            point = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            if point == first or class_at(s, point, colour) != WINNING_FOUR:
                continue
            if black_in_renju and is_barred(s, lines, classes, h, point):
                continue
            kept = 0
            for i in range(count):
                cell = s[start + 2 * i]
                if stops_winning_four(s, lines, classes, colour, point, cell):
                    s[start + 2 * kept] = cell
                    kept += 1
            count = kept
    stopping = count
    for row in range(REACH, REACH + s[SIZE]):
        bits = s[FOURS + _PER_ROW * (us - 1) + row]
        while bits:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            new = True
            for i in range(stopping):
                new = new and s[start + 2 * i] != cell
            if new:
                s[start + 2 * count] = cell
                count += 1
    return count


@njit("int64(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def _vcf(s, lines, classes, h, depth):
    """The plies to a five if the mover wins by fours, else 0."""
    us = s[TURN]
    them = OTHER - us
    if count_class(s, us, WIN):
        return 1
    s[VCF_NODES] += 1
    answer = NO_CELL
    threats = count_class(s, them, WIN)
    if threats:
        if threats > 1:
            return 0
        answer = five_point(s, them)
        kind = class_at(s, answer, us)
        if kind < FOUR_PLAIN or kind > WINNING_FOUR or not may_play(s, lines, classes, h, answer):
            return 0
        if kind == WINNING_FOUR:
            return 3
    elif count_class(s, us, WINNING_FOUR) and winning_four(s, lines, classes, h, us):
        return 3
    if depth <= 0 or s[VCF_NODES] >= s[VCF_LIMIT] or s[STOP] or s[STONES] + 2 > s[SIZE] * s[SIZE]:
        return 0
    key = h[HASH] + np.uint64(us)
    slot = U(VCF_TABLE) + U(key >> np.uint64(48))
    if h[slot] == key:
        return 0
    for kind in range(FOUR_THREE, FOUR_PLAIN - 1, -1):
        if not count_class(s, us, kind):
            continue
        for row in range(REACH, REACH + s[SIZE]):
            bits = s[FOURS + _PER_ROW * (us - 1) + row]
            while bits:
                cell = row * STRIDE + lowest_bit(bits)
                bits &= bits - 1
                if class_at(s, cell, us) != kind or (answer != NO_CELL and cell != answer):
                    continue
                if not may_play(s, lines, classes, h, cell):
                    continue
                make(s, lines, classes, h, cell)
                block = five_point(s, us)
                if not may_play(s, lines, classes, h, block):
                    unmake(s, lines, classes, h)
                    return 3
                make(s, lines, classes, h, block)
                rest = _vcf(s, lines, classes, h, depth - 1)
                unmake(s, lines, classes, h)
                unmake(s, lines, classes, h)
                if rest:
                    s[LAST_FIVE] = cell
                    return rest + 2
    if s[VCF_NODES] < s[VCF_LIMIT] and not s[STOP]:
        h[slot] = key
    return 0


@njit("int64(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def vcf(s, lines, classes, h, nodes):
    """The plies to a five if the mover wins by continuous fours, found within `nodes` nodes, else 0.

    The table stores positions in which a complete search found no win. The first move is in `s[LAST_FIVE]`.
    """
    s[VCF_NODES] = 0
    s[VCF_LIMIT] = nodes
    s[LAST_FIVE] = NO_CELL
    return _vcf(s, lines, classes, h, _MOST_VCF_DEPTH)


@njit("int64(int32[::1], uint8[::1], int32[::1], uint64[::1], uint8[::1], int64)", cache=True, nogil=True)
def vcf_after(s, lines, classes, h, cells, nodes):
    """Return what `vcf` finds after the stones of `cells`, row by row, that the board lacks; it then takes them back.

    -1 if `cells` lacks a stone of the board.
    """
    size, turn, placed, plies = s[SIZE], s[TURN], 0, 0
    for i in range(size * size):
        cell = (i // size + REACH) * STRIDE + i % size + REACH
        before = s[cell * RECORD + COLOUR]
        if before == cells[i]:
            continue
        if before:
            plies = -1
            break
        s[TURN] = cells[i]
        make(s, lines, classes, h, cell)
        placed += 1
    if plies == 0:
        s[TURN] = 2 if s[STONES] % 2 else 1
        plies = vcf(s, lines, classes, h, nodes)
    for _ in range(placed):
        s[TURN] = OTHER - s[s[LAST_MOVE] * RECORD + COLOUR]  # unmake expects the turn after the stone
        unmake(s, lines, classes, h)
    s[TURN] = turn
    return plies
