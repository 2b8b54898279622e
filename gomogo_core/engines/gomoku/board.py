"""The board: it places stones and takes them back, and updates the values of the points around them.

Uses the state array (layout.py) and the tables of shapes and classes. Every function takes the same four arrays:

    s  the state, int32        lines    shapes by key, uint8
    h  hashes, uint64          classes  class and value by four shapes, int32

A stone changes the keys of the points within reach along its four lines. A lookup in `lines` gives the new shapes of
both colours there. If they differ, a lookup in `classes` for each colour gives the point's new class and value. The old
record goes to the undo stack, so that taking back restores instead of computing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import trailing_zeros

from gomogo_core.engines.gomoku.classes import FOUR_PLAIN, TABLE_COLUMNS, THREE, TWO_THREES, WIN
from gomogo_core.engines.gomoku.layout import (
    BLACK,
    BOARD,
    CELLS,
    CLASSES,
    COLOUR,
    COUNT,
    COUNTER,
    FOURS,
    HASH,
    KEY,
    LAST_FIVE,
    LAST_MOVE,
    OCCUPIED,
    OTHER,
    REACH,
    RECORD,
    RULE,
    SHAPES,
    SIDE,
    SIZE,
    SPAN,
    STONES,
    STRIDE,
    THREES,
    TOP,
    TURN,
    UNDO,
    UNDO_ENTRY,
    VALUE,
    WALL,
    ZOBRIST,
)

Array = np.ndarray[Any, Any]
_WHITE_TABLE = 65536 * TABLE_COLUMNS
_PER_ROW = 40  # rows of bits in a mask
U = np.uint32  # an unsigned index, which Numba need not test for negative values


@njit("int64(int64)", cache=True, nogil=True)
def lowest_bit(bits):
    """The number of the lowest bit that is set."""
    return trailing_zeros(bits)  # type: ignore[call-arg]


@njit(cache=True, nogil=True, inline="always")
def _set_masks(s, cell, before, after):
    """Move the point `cell` from the classes `before` to the classes `after`; both colours' are packed."""
    row, bit = cell >> 5, 1 << (cell & 31)
    for colour in range(1, 3):
        shift = 4 * (colour - 1)
        old, new = (before >> shift) & 15, (after >> shift) & 15
        if old != new:
            s[U(COUNT + 16 * colour + old)] -= 1
            s[U(COUNT + 16 * colour + new)] += 1
            offset = _PER_ROW * (colour - 1) + row
            if (FOUR_PLAIN <= old <= WIN) != (FOUR_PLAIN <= new <= WIN):
                s[U(FOURS + offset)] ^= bit
            if (THREE <= old <= TWO_THREES) != (THREE <= new <= TWO_THREES):
                s[U(THREES + offset)] ^= bit
            if new == WIN:
                s[U(LAST_FIVE + colour)] = cell


@njit(cache=True, nogil=True, inline="always")
def _refresh(s, classes, cell, shapes, top):
    """Set the shapes of the empty point `cell`, and store its old record on the undo stack at `top`."""
    at = cell * RECORD
    before = s[U(at + SHAPES)]
    entry = UNDO + UNDO_ENTRY * top
    s[U(entry)] = cell
    s[U(entry + 1)] = before
    s[U(entry + 2)] = s[U(at + CLASSES)]
    s[U(at + SHAPES)] = shapes
    black = (shapes & 0xFFFF) * TABLE_COLUMNS
    white = ((shapes >> 16) & 0xFFFF) * TABLE_COLUMNS + _WHITE_TABLE
    s[U(VALUE + 1)] += classes[U(black + 1)] - classes[U((before & 0xFFFF) * TABLE_COLUMNS + 1)]
    s[U(VALUE + 2)] += classes[U(white + 1)] - classes[U(((before >> 16) & 0xFFFF) * TABLE_COLUMNS + _WHITE_TABLE + 1)]
    after = classes[U(black)] | (classes[U(white)] << 4)
    if after != s[U(entry + 2)]:
        _set_masks(s, cell, s[U(entry + 2)], after)
        s[U(at + CLASSES)] = after


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def make(s, lines, classes, h, cell):
    """Place a stone of the colour to move on the empty point `cell`; the turn passes."""
    colour = s[TURN]
    first = s[TOP]
    at = cell * RECORD
    entry = UNDO + UNDO_ENTRY * first
    s[entry] = s[VALUE + 1]  # a header of two entries: values to restore
    s[entry + 1] = s[VALUE + 2]
    s[entry + 2] = s[LAST_FIVE + 1]
    s[entry + 3] = s[LAST_FIVE + 2]
    s[entry + 4] = s[LAST_MOVE]
    s[entry + 5] = cell
    top = first + 2
    shapes = s[at + SHAPES]
    s[VALUE + 1] -= classes[(shapes & 0xFFFF) * TABLE_COLUMNS + 1]
    s[VALUE + 2] -= classes[((shapes >> 16) & 0xFFFF) * TABLE_COLUMNS + _WHITE_TABLE + 1]
    _set_masks(s, cell, s[at + CLASSES], 0)
    s[COUNT + 16] -= 1
    s[COUNT + 32] -= 1
    s[at + COLOUR] = colour
    s[OCCUPIED + (cell >> 5)] |= 1 << (cell & 31)
    h[HASH] ^= h[ZOBRIST + 2 * cell + colour - 1]
    h[HASH] ^= h[SIDE]
    span = s[SPAN]
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1  # 1, STRIDE - 1, STRIDE, STRIDE + 1
        shift = 4 * direction
        slot = 4 * span - 2  # for the point k steps further on, the stone is k steps back
        there = cell - span * step
        for k in range(-span, span + 1):
            if k != 0:
                record = there * RECORD
                key = s[U(record + KEY + direction)] ^ (colour << slot)
                s[U(record + KEY + direction)] = key
                slot -= 2
                if s[U(record + COLOUR)] == 0:
                    found = np.int64(lines[U(key)])
                    old = s[U(record + SHAPES)]
                    found = (found & 15) | ((found & 0xF0) << 12)
                    new = np.int32((old & ~(0x000F000F << shift)) | (found << shift))
                    if new != old:
                        _refresh(s, classes, there, new, top)
                        top += 1
            there += step
    s[UNDO + UNDO_ENTRY * first + 6] = top
    s[UNDO + UNDO_ENTRY * first + 7] = 0
    entry = UNDO + UNDO_ENTRY * top
    s[entry] = first
    s[TOP] = top + 1
    s[TURN] = OTHER - colour
    s[STONES] += 1
    s[LAST_MOVE] = cell


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1])", cache=True, nogil=True)
def unmake(s, lines, classes, h):
    """Take back the last stone."""
    top = s[U(TOP)] - 1
    first = s[U(UNDO + UNDO_ENTRY * top)]
    head = UNDO + UNDO_ENTRY * first
    cell = s[U(head + 5)]
    at = cell * RECORD
    colour = OTHER - s[U(TURN)]
    s[U(TURN)] = colour
    s[U(TOP)] = first
    s[U(STONES)] -= 1
    s[U(at + COLOUR)] = 0
    s[U(OCCUPIED + (cell >> 5))] ^= 1 << (cell & 31)
    h[HASH] ^= h[ZOBRIST + 2 * cell + colour - 1]
    h[HASH] ^= h[SIDE]
    span = s[SPAN]
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1
        slot = 4 * span - 2
        there = (cell - span * step) * RECORD + KEY + direction
        for k in range(-span, span + 1):
            if k != 0:
                s[U(there)] ^= colour << slot
                slot -= 2
            there += step * RECORD
    for entry in range(UNDO + UNDO_ENTRY * (top - 1), head + UNDO_ENTRY, -UNDO_ENTRY):
        there = s[U(entry)]
        record = there * RECORD
        s[U(record + SHAPES)] = s[U(entry + 1)]
        if s[U(record + CLASSES)] != s[U(entry + 2)]:
            _set_masks(s, there, s[U(record + CLASSES)], s[U(entry + 2)])
            s[U(record + CLASSES)] = s[U(entry + 2)]
    s[U(COUNT + 16)] += 1
    s[U(COUNT + 32)] += 1
    _set_masks(s, cell, 0, s[U(at + CLASSES)])
    s[U(VALUE + 1)] = s[U(head)]
    s[U(VALUE + 2)] = s[U(head + 1)]
    s[U(LAST_FIVE + 1)] = s[U(head + 2)]
    s[U(LAST_FIVE + 2)] = s[U(head + 3)]
    s[U(LAST_MOVE)] = s[U(head + 4)]


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1], int64, int64, int64)", cache=True, nogil=True)
def reset(s, lines, classes, h, size, rule, span):
    """Make `s` an empty board of `size`² points with black to move. The transposition table in `h` stays."""
    s[:COUNTER] = 0
    s[SIZE], s[RULE], s[SPAN], s[TURN] = size, rule, span, BLACK
    # cells of the border, which are never occupied, identify boards
    h[HASH] = h[ZOBRIST + size] ^ h[ZOBRIST + 64 + rule]
    for cell in range(CELLS):
        row, column = cell // STRIDE - REACH, cell % STRIDE - REACH
        if not (0 <= row < size and 0 <= column < size):
            s[cell * RECORD + COLOUR] = WALL
        else:
            s[BOARD + cell // STRIDE] |= 1 << (cell % STRIDE)
    s[COUNT + 16] = s[COUNT + 32] = size * size
    for row in range(size):
        for column in range(size):
            cell = (row + REACH) * STRIDE + column + REACH
            at = cell * RECORD
            shapes = 0
            for direction in range(4):
                step = STRIDE - 2 + direction if direction else 1
                key = 0
                for k in range(1, span + 1):
                    key |= s[(cell - k * step) * RECORD + COLOUR] << (2 * (span - k))
                    key |= s[(cell + k * step) * RECORD + COLOUR] << (2 * (span + k - 1))
                s[at + KEY + direction] = key
                found = lines[key]
                shapes |= ((found & 15) | ((found & 0xF0) << 12)) << (4 * direction)
            _refresh(s, classes, cell, np.int32(shapes), 0)


@njit("void(uint64[::1], int64)", cache=True, nogil=True)
def fill_hashes(h, seed):
    """Random numbers for the Zobrist keys, by splitmix64 (G. Steele, D. Lea and C. Flood, 2014)."""
    state = np.uint64(seed)
    for i in range(SIDE, ZOBRIST + 2 * CELLS):
        state += np.uint64(0x9E3779B97F4A7C15)
        mixed = state
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        h[i] = mixed ^ (mixed >> np.uint64(31))
