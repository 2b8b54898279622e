"""The board: it places and removes stones, and updates the values of the points around them.

The module uses the state array (layout.py) and the tables of shapes and classes. Every function takes the same four
arrays:

state   the board and its counters, int32      lines    shapes by key, uint8
    hashes  keys of positions, uint64            classes  class and value by four shapes, int32

A stone changes the keys of the points within reach along its four lines. A lookup in `lines` gives the new shapes of
both colours there. If they differ from the old ones, a lookup in `classes` for each colour gives the point's new class
and value. The old record goes to the undo stack, so that removing a stone restores values instead of computing them.
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
    Boolean,
    Cell,
    ClassTables,
    HashArray,
    LineTable,
    Mask,
    Number,
    StateArray,
)

Array = np.ndarray[Any, Any]
_WHITE_TABLE = 65536 * TABLE_COLUMNS
_PER_ROW = 40  # numbers of a mask, one for each row of points
_IN_MASKS = 0xCC  # every class that a mask contains has one of these bits, for black or for white
_HEADER = 10  # entries of the undo stack before those of a stone's points: a few numbers, and the counts
_COUNTS = 8  # the place of the counts in the header
U = np.uint32  # an unsigned index, which Numba need not test for negative values


@njit("int64(int64)", cache=True, nogil=True)
def lowest_bit(bits: Mask) -> Number:
    """Return the index of the lowest set bit."""
    return trailing_zeros(bits)  # type: ignore[call-arg]


@njit(cache=True, nogil=True, inline="always")
def _toggle_masks(state: StateArray, cell: Cell, before: Number, after: Number) -> None:
    """Update the masks for the point `cell`, whose packed classes of both colours change from `before` to `after`."""
    row, bit = cell >> 5, 1 << (cell & 31)
    for colour in range(1, 3):
        shift = 4 * (colour - 1)
        old, new = (before >> shift) & 15, (after >> shift) & 15
        offset = _PER_ROW * (colour - 1) + row
        if (FOUR_PLAIN <= old <= WIN) != (FOUR_PLAIN <= new <= WIN):
            state[U(FOURS + offset)] ^= bit
        if (THREE <= old <= TWO_THREES) != (THREE <= new <= TWO_THREES):
            state[U(THREES + offset)] ^= bit


@njit(cache=True, nogil=True, inline="always")
def _change_classes(state: StateArray, cell: Cell, before: Number, after: Number) -> None:
    """Move the point `cell` from the classes `before` to the classes `after`; both colours' are packed."""
    state[U(COUNT + 16 + (before & 15))] -= 1
    state[U(COUNT + 16 + (after & 15))] += 1
    state[U(COUNT + 32 + (before >> 4))] -= 1
    state[U(COUNT + 32 + (after >> 4))] += 1
    if (before | after) & _IN_MASKS:
        _toggle_masks(state, cell, before, after)
        if after & 15 == WIN:
            state[U(LAST_FIVE + 1)] = cell
        if after >> 4 == WIN:
            state[U(LAST_FIVE + 2)] = cell


@njit(cache=True, nogil=True, inline="always")
def _refresh(state: StateArray, classes: ClassTables, cell: Cell, shapes: Number, top: Number, valued: Boolean) -> None:
    """Set the shapes of the empty point `cell`, and store its old record on the undo stack at `top`."""
    at = cell * RECORD
    before = state[U(at + SHAPES)]
    kinds = state[U(at + CLASSES)]
    entry = UNDO + UNDO_ENTRY * top
    state[U(entry)] = cell
    state[U(entry + 1)] = before
    state[U(entry + 2)] = kinds
    state[U(at + SHAPES)] = shapes
    black = (shapes & 0xFFFF) * TABLE_COLUMNS
    white = ((shapes >> 16) & 0xFFFF) * TABLE_COLUMNS + _WHITE_TABLE
    if valued:
        state[U(VALUE + 1)] += classes[U(black + 1)] - classes[U((before & 0xFFFF) * TABLE_COLUMNS + 1)]
        state[U(VALUE + 2)] += (
            classes[U(white + 1)] - classes[U(((before >> 16) & 0xFFFF) * TABLE_COLUMNS + _WHITE_TABLE + 1)]
        )
    after = (classes[U(black)] & 15) | ((classes[U(white)] & 15) << 4)
    if after != kinds:
        _change_classes(state, cell, kinds, after)
        state[U(at + CLASSES)] = after


@njit(cache=True, nogil=True, inline="always")
def _place(
    state: StateArray, lines: LineTable, classes: ClassTables, hashes: HashArray, cell: Cell, valued: Boolean
) -> None:
    """Place a stone; where not `valued`, the sums of the points' values stay as they are until it is taken back."""
    colour = state[TURN]
    first = state[TOP]
    at = cell * RECORD
    entry = UNDO + UNDO_ENTRY * first
    state[entry] = state[VALUE + 1]  # a header of two entries: values to restore
    state[entry + 1] = state[VALUE + 2]
    state[entry + 2] = state[LAST_FIVE + 1]
    state[entry + 3] = state[LAST_FIVE + 2]
    state[entry + 4] = state[LAST_MOVE]
    state[entry + 5] = cell
    for i in range(32):
        state[U(entry + _COUNTS + i)] = state[U(COUNT + 16 + i)]
    top = first + _HEADER
    shapes = state[at + SHAPES]
    state[VALUE + 1] -= classes[(shapes & 0xFFFF) * TABLE_COLUMNS + 1]
    state[VALUE + 2] -= classes[((shapes >> 16) & 0xFFFF) * TABLE_COLUMNS + _WHITE_TABLE + 1]
    _change_classes(state, cell, state[at + CLASSES], 0)
    state[COUNT + 16] -= 1
    state[COUNT + 32] -= 1
    state[at + COLOUR] = colour
    state[OCCUPIED + (cell >> 5)] |= 1 << (cell & 31)
    hashes[HASH] ^= hashes[ZOBRIST + 2 * cell + colour - 1]
    hashes[HASH] ^= hashes[SIDE]
    span = state[SPAN]
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1  # 1, STRIDE - 1, STRIDE, STRIDE + 1
        shift = 4 * direction
        slot = 4 * span - 2  # for the point k steps further on, the stone is k steps back
        there = cell - span * step
        for k in range(-span, span + 1):
            if k != 0:
                record = there * RECORD
                key = state[U(record + KEY + direction)] ^ (colour << slot)
                state[U(record + KEY + direction)] = key
                slot -= 2
                if state[U(record + COLOUR)] == 0:
                    found = np.int64(lines[U(key)])
                    old = state[U(record + SHAPES)]
                    found = (found & 15) | ((found & 0xF0) << 12)
                    new = np.int32((old & ~(0x000F000F << shift)) | (found << shift))
                    if new != old:
                        _refresh(state, classes, there, new, top, valued)
                        top += 1
            there += step
    state[UNDO + UNDO_ENTRY * first + 6] = top
    state[UNDO + UNDO_ENTRY * first + 7] = 0
    entry = UNDO + UNDO_ENTRY * top
    state[entry] = first
    state[TOP] = top + 1
    state[TURN] = OTHER - colour
    state[STONES] += 1
    state[LAST_MOVE] = cell


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def make(state: StateArray, lines: LineTable, classes: ClassTables, hashes: HashArray, cell: Cell) -> None:
    """Place a stone of the colour to move on the empty point `cell`; the turn passes."""
    _place(state, lines, classes, hashes, cell, True)


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def make_unvalued(state: StateArray, lines: LineTable, classes: ClassTables, hashes: HashArray, cell: Cell) -> None:
    """Place a stone as `make` does, but a tenth faster: no evaluation is possible until the stone is taken back."""
    _place(state, lines, classes, hashes, cell, False)


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1])", cache=True, nogil=True)
def unmake(state: StateArray, lines: LineTable, classes: ClassTables, hashes: HashArray) -> None:
    """Take back the last stone."""
    top = state[U(TOP)] - 1
    first = state[U(UNDO + UNDO_ENTRY * top)]
    head = UNDO + UNDO_ENTRY * first
    cell = state[U(head + 5)]
    at = cell * RECORD
    colour = OTHER - state[U(TURN)]
    state[U(TURN)] = colour
    state[U(TOP)] = first
    state[U(STONES)] -= 1
    state[U(at + COLOUR)] = 0
    state[U(OCCUPIED + (cell >> 5))] ^= 1 << (cell & 31)
    hashes[HASH] ^= hashes[ZOBRIST + 2 * cell + colour - 1]
    hashes[HASH] ^= hashes[SIDE]
    span = state[SPAN]
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1
        slot = 4 * span - 2
        there = (cell - span * step) * RECORD + KEY + direction
        for k in range(-span, span + 1):
            if k != 0:
                state[U(there)] ^= colour << slot
                slot -= 2
            there += step * RECORD
    for entry in range(UNDO + UNDO_ENTRY * (top - 1), head + UNDO_ENTRY * (_HEADER - 1), -UNDO_ENTRY):
        there = state[U(entry)]
        record = there * RECORD
        state[U(record + SHAPES)] = state[U(entry + 1)]
        before, after = state[U(record + CLASSES)], state[U(entry + 2)]
        state[U(record + CLASSES)] = after
        if (before | after) & _IN_MASKS:
            _toggle_masks(state, there, before, after)
    _toggle_masks(state, cell, 0, state[U(at + CLASSES)])
    for i in range(32):
        state[U(COUNT + 16 + i)] = state[U(head + _COUNTS + i)]
    state[U(VALUE + 1)] = state[U(head)]
    state[U(VALUE + 2)] = state[U(head + 1)]
    state[U(LAST_FIVE + 1)] = state[U(head + 2)]
    state[U(LAST_FIVE + 2)] = state[U(head + 3)]
    state[U(LAST_MOVE)] = state[U(head + 4)]


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1], int64, int64, int64)", cache=True, nogil=True)
def reset(
    state: StateArray,
    lines: LineTable,
    classes: ClassTables,
    hashes: HashArray,
    size: Number,
    rule: Number,
    span: Number,
) -> None:
    """Make `state` an empty board of `size`² points with black to move."""
    state[:COUNTER] = 0
    state[SIZE], state[RULE], state[SPAN], state[TURN] = size, rule, span, BLACK
    # cells of the border, which are never occupied, identify boards
    hashes[HASH] = hashes[ZOBRIST + size] ^ hashes[ZOBRIST + 64 + rule]
    for cell in range(CELLS):
        row, column = cell // STRIDE - REACH, cell % STRIDE - REACH
        if not (0 <= row < size and 0 <= column < size):
            state[cell * RECORD + COLOUR] = WALL
        else:
            state[BOARD + cell // STRIDE] |= 1 << (cell % STRIDE)
    state[COUNT + 16] = state[COUNT + 32] = size * size
    for row in range(size):
        for column in range(size):
            cell = (row + REACH) * STRIDE + column + REACH
            at = cell * RECORD
            shapes = 0
            for direction in range(4):
                step = STRIDE - 2 + direction if direction else 1
                key = 0
                for k in range(1, span + 1):
                    key |= state[(cell - k * step) * RECORD + COLOUR] << (2 * (span - k))
                    key |= state[(cell + k * step) * RECORD + COLOUR] << (2 * (span + k - 1))
                state[at + KEY + direction] = key
                found = lines[key]
                shapes |= ((found & 15) | ((found & 0xF0) << 12)) << (4 * direction)
            _refresh(state, classes, cell, np.int32(shapes), 0, True)


@njit("void(uint64[::1], int64)", cache=True, nogil=True)
def fill_hashes(hashes: HashArray, seed: Number) -> None:
    """Write random Zobrist keys, by splitmix64 (G. Steele, D. Lea and C. Flood, 2014)."""
    state = np.uint64(seed)
    for i in range(SIDE, ZOBRIST + 2 * CELLS):
        state += np.uint64(0x9E3779B97F4A7C15)
        mixed = state
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        hashes[i] = mixed ^ (mixed >> np.uint64(31))
