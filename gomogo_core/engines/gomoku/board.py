"""The board: it places and removes stones, and updates the values of the points around them.

The module uses the state array (array_layout.py) and the tables of shapes and classes. Every function takes the same
four arrays:

    state         the board and its counters, int32
    lines         shapes by key, uint8
    class_tables  class and value by four shapes, int32
    hashes        keys of positions, uint64

One number holds the cells of a line as bits. The *key* of a point on the line is the part of this number around the
point. A stone changes the keys of the points within reach along its four lines. A lookup in `lines` gives the new
shapes of both colours there. Where they differ from the old ones, a lookup in `class_tables` for each colour gives the
point's new class and value. The old record goes to the undo stack, so that removing a stone restores values instead of
computing them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import trailing_zeros

from gomogo_core.engines.gomoku.array_layout import (
    BLACK,
    BOARD,
    CELLS,
    CLASSES,
    COLOUR,
    COUNT,
    COUNTER,
    FOURS,
    HASH,
    LAST_FIVE,
    LAST_MOVE,
    LINES,
    LINES_EACH_WAY,
    OCCUPIED,
    OTHER,
    POINT,
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
    Cell,
    ClassTables,
    HashArray,
    LineTable,
    Mask,
    Number,
    StateArray,
)
from gomogo_core.engines.gomoku.classes import FOUR_PLAIN, TABLE_COLUMNS, THREE, TWO_THREES, WIN

Array = np.ndarray[Any, Any]
WHITE_TABLE = 65536 * TABLE_COLUMNS  # where the class table of white begins
_PER_ROW = 40  # numbers of a mask, one for each row of points
_HEADER = 10  # entries of the undo stack before those of a stone's points: a few numbers, and the counts
_COUNTS = 8  # the place of the counts in the header
U = np.uint64  # an unsigned index, which Numba need not test for negative values; also the type of a line
_CELL_BITS = 64  # bits of a line; those behind its cells stand for walls


def _mask_bits() -> Array:
    """Return the masks that contain a point, for each pair of its classes.

    Bits 0 and 1: black's masks of fours and of threes. Bits 2 and 3: white's. Bits 4 and 5: a five of black, of white.
    """
    found = np.zeros(256, np.int32)
    for kinds in range(256):
        for place, kind in enumerate((kinds & 15, kinds >> 4)):
            found[kinds] |= (FOUR_PLAIN <= kind <= WIN) << (2 * place)
            found[kinds] |= (THREE <= kind <= TWO_THREES) << (2 * place + 1)
            found[kinds] |= (kind == WIN) << (4 + place)
    return found


_MASK_BITS = _mask_bits()


@njit("int64(int64)", cache=True, nogil=True)
def lowest_bit(bits: Mask) -> Number:
    """Return the index of the lowest set bit."""
    return trailing_zeros(bits)  # type: ignore[call-arg]


@njit(cache=True, nogil=True, inline="always")
def _line_of(cell: Cell, direction: Number) -> Number:
    """Return the index in `hashes` of the line through a cell along a direction."""
    row, column = (cell >> 5) - REACH, (cell & 31) - REACH
    number = row
    if direction == 1:
        number = row + column
    elif direction == 2:
        number = column
    elif direction == 3:
        number = column - row + STRIDE - 1
    return LINES + LINES_EACH_WAY * direction + number


@njit(cache=True, nogil=True, inline="always")
def _place_on_line(cell: Cell, direction: Number) -> Number:
    """Return the place of a cell on its line along a direction: its column, or in all other directions its row."""
    return (cell & 31) - REACH if direction == 0 else (cell >> 5) - REACH


@njit(cache=True, nogil=True, inline="always")
def _key_bits(span: Number) -> Mask:
    """Return the bits of a key: the cells on both sides of a point, but not those of the point."""
    return ((U(1) << U(4 * span + 2)) - U(1)) ^ (U(3) << U(2 * span))


@njit(cache=True, nogil=True, inline="always")
def _window(line: Mask, first: Number) -> Mask:
    """Return the bits of a line from the place `first` on. Places before 0 are walls."""
    shift = U(2 * first) & U(_CELL_BITS - 1)
    return (line >> shift) | (line << ((U(_CELL_BITS) - shift) & U(_CELL_BITS - 1)))


@njit("int64(int32[::1], uint64[::1], int64, int64)", cache=True, nogil=True)
def key_at(state: StateArray, hashes: HashArray, cell: Cell, direction: Number) -> Mask:
    """Return the key of a cell along a direction: the cells from SPAN steps back to SPAN steps on, 2 bits each.

    The bits of the cell itself are 0.
    """
    span = state[SPAN]
    line = hashes[_line_of(cell, direction)]
    return np.int64(_window(line, _place_on_line(cell, direction) - span) & _key_bits(span))


@njit(cache=True, nogil=True, inline="always")
def _toggle_masks(state: StateArray, cell: Cell, changed: Mask) -> None:
    """Update the masks for the point `cell`; `changed` has the bits of _MASK_BITS that change."""
    row, column = cell >> 5, cell & 31
    state[U(FOURS + row)] ^= (changed & 1) << column
    state[U(THREES + row)] ^= ((changed >> 1) & 1) << column
    state[U(FOURS + _PER_ROW + row)] ^= ((changed >> 2) & 1) << column
    state[U(THREES + _PER_ROW + row)] ^= ((changed >> 3) & 1) << column


@njit(cache=True, nogil=True, inline="always")
def _classify(state: StateArray, class_tables: ClassTables, cell: Cell, entry: Number) -> None:
    """Set the classes and the value of the empty point `cell` by its shapes.

    The old ones, and the masks that change, go to the entry of the undo stack at `entry`.
    """
    at = cell * RECORD
    shapes = state[U(at + SHAPES)]
    black = U((shapes & 0xFFFF) * TABLE_COLUMNS)
    white = U(((shapes >> 16) & 0xFFFF) * TABLE_COLUMNS + WHITE_TABLE)
    before = state[U(at + CLASSES)]
    after = (class_tables[black] & 15) | ((class_tables[white] & 15) << 4)
    value = class_tables[U(black + U(1))] + class_tables[U(white + U(1))]
    old = state[U(at + POINT)]
    changed = _MASK_BITS[U(before)] ^ _MASK_BITS[U(after)]
    state[U(entry + 2)] = before | (changed << 8)
    state[U(entry + 3)] = old
    state[U(at + CLASSES)] = after
    state[U(at + POINT)] = value
    state[U(VALUE)] += value - old
    state[U(COUNT + 16 + (before & 15))] -= 1
    state[U(COUNT + 16 + (after & 15))] += 1
    state[U(COUNT + 32 + (before >> 4))] -= 1
    state[U(COUNT + 32 + (after >> 4))] += 1
    if changed:
        _toggle_masks(state, cell, changed)
        if after & 15 == WIN:
            state[U(LAST_FIVE + 1)] = cell
        if after >> 4 == WIN:
            state[U(LAST_FIVE + 2)] = cell


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1], int64)", cache=True, nogil=True)
def make(state: StateArray, lines: LineTable, class_tables: ClassTables, hashes: HashArray, cell: Cell) -> None:
    """Place a stone of the colour to move on the empty point `cell`; the turn passes."""
    colour = state[U(TURN)]
    first = state[U(TOP)]
    at = cell * RECORD
    head = UNDO + UNDO_ENTRY * first
    state[U(head)] = state[U(VALUE)]
    state[U(head + 2)] = state[U(LAST_FIVE + 1)]
    state[U(head + 3)] = state[U(LAST_FIVE + 2)]
    state[U(head + 4)] = state[U(LAST_MOVE)]
    state[U(head + 5)] = cell
    for i in range(32):
        state[U(head + _COUNTS + i)] = state[U(COUNT + 16 + i)]
    kinds = state[U(at + CLASSES)]
    state[U(COUNT + 16 + (kinds & 15))] -= 1
    state[U(COUNT + 32 + (kinds >> 4))] -= 1
    _toggle_masks(state, cell, _MASK_BITS[U(kinds)])
    state[U(VALUE)] -= state[U(at + POINT)]
    state[U(at + COLOUR)] = colour
    state[U(OCCUPIED + (cell >> 5))] |= 1 << (cell & 31)
    hashes[HASH] ^= hashes[U(ZOBRIST + 2 * cell + colour - 1)] ^ hashes[SIDE]
    span = state[U(SPAN)]
    bits = _key_bits(span)
    centre = U(2 * span)
    # First the shapes. The loop has no branches, since they would be hard to predict: the entry of a point whose shapes
    # stay the same is overwritten by the next one.
    entry = head + UNDO_ENTRY * _HEADER
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1  # 1, STRIDE - 1, STRIDE, STRIDE + 1
        place = _place_on_line(cell, direction)
        number = _line_of(cell, direction)
        line = hashes[U(number)] ^ (U(colour) << U(2 * place))
        hashes[U(number)] = line
        kept = ~(0x000F000F << (4 * direction))
        there = cell - span * step
        seen = _window(line, place - 2 * span)
        for _ in range(2 * span + 1):
            found = np.int64(lines[seen & bits])
            record = U(there * RECORD + SHAPES)
            old = state[record]
            shapes = np.int32((old & kept) | (((found & 15) | ((found & 0xF0) << 12)) << (4 * direction)))
            if (seen >> centre) & U(3):
                shapes = old
            state[U(entry)] = there
            state[U(entry + 1)] = old
            state[record] = shapes
            entry += UNDO_ENTRY * (shapes != old)
            there += step
            seen >>= U(2)
    # Then the classes and values of the points whose shapes have changed.
    for changed in range(head + UNDO_ENTRY * _HEADER, entry, UNDO_ENTRY):
        _classify(state, class_tables, state[U(changed)], changed)
    state[U(head + 6)] = entry
    top = (entry - UNDO) // UNDO_ENTRY
    state[U(entry)] = first
    state[U(TOP)] = top + 1
    state[U(TURN)] = OTHER - colour
    state[U(STONES)] += 1
    state[U(LAST_MOVE)] = cell


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1])", cache=True, nogil=True)
def unmake(state: StateArray, lines: LineTable, class_tables: ClassTables, hashes: HashArray) -> None:
    """Take back the last stone."""
    first = state[U(UNDO + UNDO_ENTRY * (state[U(TOP)] - 1))]
    head = UNDO + UNDO_ENTRY * first
    cell = state[U(head + 5)]
    at = cell * RECORD
    colour = OTHER - state[U(TURN)]
    state[U(TURN)] = colour
    state[U(TOP)] = first
    state[U(STONES)] -= 1
    state[U(at + COLOUR)] = 0
    state[U(OCCUPIED + (cell >> 5))] ^= 1 << (cell & 31)
    hashes[HASH] ^= hashes[U(ZOBRIST + 2 * cell + colour - 1)] ^ hashes[SIDE]
    for direction in range(4):
        hashes[U(_line_of(cell, direction))] ^= U(colour) << U(2 * _place_on_line(cell, direction))
    for entry in range(head + UNDO_ENTRY * _HEADER, state[U(head + 6)], UNDO_ENTRY):
        there = state[U(entry)]
        record = there * RECORD
        kinds = state[U(entry + 2)]
        state[U(record + SHAPES)] = state[U(entry + 1)]
        state[U(record + CLASSES)] = kinds & 255
        state[U(record + POINT)] = state[U(entry + 3)]
        if kinds >> 8:
            _toggle_masks(state, there, kinds >> 8)
    _toggle_masks(state, cell, _MASK_BITS[U(state[U(at + CLASSES)])])
    for i in range(32):
        state[U(COUNT + 16 + i)] = state[U(head + _COUNTS + i)]
    state[U(VALUE)] = state[U(head)]
    state[U(LAST_FIVE + 1)] = state[U(head + 2)]
    state[U(LAST_FIVE + 2)] = state[U(head + 3)]
    state[U(LAST_MOVE)] = state[U(head + 4)]


@njit("void(int32[::1], uint8[::1], int32[::1], uint64[::1], int64, int64, int64)", cache=True, nogil=True)
def reset(
    state: StateArray,
    lines: LineTable,
    class_tables: ClassTables,
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
    hashes[LINES : LINES + 4 * LINES_EACH_WAY] = ~U(0)
    for row in range(size):
        for column in range(size):
            cell = (row + REACH) * STRIDE + column + REACH
            for direction in range(4):
                hashes[_line_of(cell, direction)] ^= U(3) << U(2 * _place_on_line(cell, direction))
    for row in range(size):
        for column in range(size):
            cell = (row + REACH) * STRIDE + column + REACH
            shapes: Any = 0
            for direction in range(4):
                found = np.int64(lines[key_at(state, hashes, cell, direction)])
                shapes |= ((found & 15) | ((found & 0xF0) << 12)) << (4 * direction)
            state[cell * RECORD + SHAPES] = np.int32(shapes)
            _classify(state, class_tables, cell, UNDO)


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
