"""The board: it places and removes stones, and updates the values of the points around them.

The module uses the arrays of array_layout.py: the state, the tables of shapes and classes, and the keys of positions.
Most functions take the state by `unchecked_view`, which makes its indices fast.

One number holds the cells of a line as bits. The *key* of a point on the line is the part of this number around the
point. A stone changes the keys of the points within reach along its four lines. A lookup in `shape_table` gives the new
shapes of both colours there. If the shapes of a point change, a lookup in `class_tables` for each colour gives the
point's new class and value. The old record goes to the undo stack, so that removing a stone restores values instead of
computing them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int16, int32, int64, njit, types, uint8, uint64, void
from numba.cpython.unsafe.numbers import trailing_zeros

from gomogo_core.engines.gomoku.array_layout import (  # isort: skip
    BLACK, BOARD_LINES_START, BOARD_MASKS_START, BOARD_SIZE, BORDER_WIDTH, CELL_COUNT, CLASS_COUNTS_START, COLOUR,
    COLOUR_SUM, COUNTER_MOVES_START, FOUR_MASKS_START, KEY_SPAN, LAST_FIVE_POINTS_START, LAST_MOVE, LINES_PER_DIRECTION,
    OCCUPIED_MASKS_START, POINT_CLASSES, POINT_SHAPES, POINT_VALUE, POINT_VALUE_SUM, POSITION_KEY, RECORD_SIZE, RULE,
    STONE_COUNT, STONES_START, STRIDE, SUMMED_STONE_COUNT, THREE_MASKS_START, TURN, TURN_KEY, UNCHANGED_STONE_COUNT,
    UNDO_ENTRY_SIZE, UNDO_STACK_START, UNDO_TOP, WALL, ZOBRIST_KEYS_START, Arrays, Cell, ClassTables, HashArray, Int64,
    Mask, StateArray,
)  # fmt: skip
from gomogo_core.engines.array_views import unchecked_view
from gomogo_core.engines.gomoku.classes import CLASS_TABLE_COLUMNS, DOUBLE_THREE, FIVE, PLAIN_FOUR, THREE

Array = np.ndarray[Any, Any]
WHITE_CLASS_TABLE = 65536 * CLASS_TABLE_COLUMNS  # where the class table of white begins
_MASK_ROWS = 40  # the length of a set of masks: one number for each row of points
# For each stone the undo stack has a header, and then an entry for each point that changes. The header takes this many
# entries: a few numbers, and the counts of the point classes.
_UNDO_HEADER_SIZE = 10
_COUNTS_IN_HEADER = 8  # the index in the header at which the counts begin
# the type of Arrays in the signatures of compiled functions
ARRAYS = types.NamedTuple(  # type: ignore[no-untyped-call]
    (int32[::1], uint8[::1], int32[::1], uint64[::1], uint64[::1], int16[::1], int16[::1]), Arrays
)
# Options of compiled functions. These functions allocate no arrays, so they do not need Numba's runtime (nrt). Without
# it, Numba does not count references to arrays, which took a tenth of the time.
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
U64 = np.uint64  # an unsigned index, which Numba need not test for negative values; also the type of a line
_LINE_BITS = 64  # bits of a line; the bits after those of its cells stand for walls


def _threat_mask_bits() -> Array:
    """Return the masks that contain a point, for each pair of its classes.

    Bits 0 and 1: black's masks of fours and of threes. Bits 2 and 3: white's. Bits 4 and 5: a five of black, of white.
    """
    masks = np.zeros(256, np.int32)
    for kinds in range(256):
        for place, kind in enumerate((kinds & 15, kinds >> 4)):
            masks[kinds] |= (PLAIN_FOUR <= kind <= FIVE) << (2 * place)
            masks[kinds] |= (THREE <= kind <= DOUBLE_THREE) << (2 * place + 1)
            masks[kinds] |= (kind == FIVE) << (4 + place)
    return masks


_THREAT_MASK_BITS = _threat_mask_bits()


@njit("int64(int64)", **OPTIONS)
def lowest_bit(bits: Mask) -> Int64:
    """Return the index of the lowest set bit."""
    return trailing_zeros(bits)  # type: ignore[call-arg]


@njit(inline="always", **OPTIONS)
def line_index(cell: Cell, direction: Int64) -> Int64:
    """Return the index in `hashes` of the line through a cell along a direction."""
    row, column = (cell >> 5) - BORDER_WIDTH, (cell & 31) - BORDER_WIDTH
    number = row
    if direction == 1:
        number = row + column
    elif direction == 2:
        number = column
    elif direction == 3:
        number = column - row + STRIDE - 1
    return BOARD_LINES_START + LINES_PER_DIRECTION * direction + number


@njit(inline="always", **OPTIONS)
def place_on_line(cell: Cell, direction: Int64) -> Int64:
    """Return the place of a cell on its line along a direction: the column on a horizontal line, else the row."""
    return (cell & 31) - BORDER_WIDTH if direction == 0 else (cell >> 5) - BORDER_WIDTH


@njit(inline="always", **OPTIONS)
def _key_bits(span: Int64) -> Mask:
    """Return the bits of a key: the cells on both sides of a point, but not those of the point."""
    return ((U64(1) << U64(4 * span + 2)) - U64(1)) ^ (U64(3) << U64(2 * span))


@njit(inline="always", **OPTIONS)
def window(line: Mask, first: Int64) -> Mask:
    """Return the bits of a line from the place `first` on. Places before 0 are walls."""
    shift = U64(2 * first) & U64(_LINE_BITS - 1)
    return (line >> shift) | (line << ((U64(_LINE_BITS) - shift) & U64(_LINE_BITS - 1)))


@njit("int64(int32[::1], uint64[::1], int64, int64)", **OPTIONS)
def key_at(state: StateArray, hashes: HashArray, cell: Cell, direction: Int64) -> Mask:
    """Return the key of a cell along a direction: 2 bits for each cell up to KEY_SPAN steps before and after it.

    The bits of the cell itself are 0.
    """
    span = state[KEY_SPAN]
    line = hashes[line_index(cell, direction)]
    return np.int64(window(line, place_on_line(cell, direction) - span) & _key_bits(span))


@njit(inline="always", **OPTIONS)
def _toggle_threat_masks(state: StateArray, cell: Cell, changed: Mask) -> None:
    """Update the masks for the point `cell`; `changed` has the bits of _THREAT_MASK_BITS that change."""
    row, column = cell >> 5, cell & 31
    state[FOUR_MASKS_START + row] ^= (changed & 1) << column
    state[THREE_MASKS_START + row] ^= ((changed >> 1) & 1) << column
    state[FOUR_MASKS_START + _MASK_ROWS + row] ^= ((changed >> 2) & 1) << column
    state[THREE_MASKS_START + _MASK_ROWS + row] ^= ((changed >> 3) & 1) << column


@njit(inline="always", **OPTIONS)
def _classify(state: StateArray, class_tables: ClassTables, cell: Cell, entry: Int64) -> Int64:
    """Set the classes and the value of the empty point `cell` by its shapes, and return the increase of its value.

    The old classes and the old value, and the masks that change, go to the entry of the undo stack at `entry`.
    """
    at = cell * RECORD_SIZE
    shapes = state[at + POINT_SHAPES]
    black = U64((shapes & 0xFFFF) * CLASS_TABLE_COLUMNS)
    white = U64(((shapes >> 16) & 0xFFFF) * CLASS_TABLE_COLUMNS + WHITE_CLASS_TABLE)
    before = state[at + POINT_CLASSES]
    after = (class_tables[black] & 15) | ((class_tables[white] & 15) << 4)
    value = class_tables[U64(black + U64(1))] + class_tables[U64(white + U64(1))]
    old = state[at + POINT_VALUE]
    state[entry + 2] = before
    state[entry + 3] = old
    state[at + POINT_CLASSES] = after
    state[at + POINT_VALUE] = value
    if before != after:
        changed = _THREAT_MASK_BITS[U64(before)] ^ _THREAT_MASK_BITS[U64(after)]
        state[CLASS_COUNTS_START + 16 + (before & 15)] -= 1
        state[CLASS_COUNTS_START + 16 + (after & 15)] += 1
        state[CLASS_COUNTS_START + 32 + (before >> 4)] -= 1
        state[CLASS_COUNTS_START + 32 + (after >> 4)] += 1
        if changed:
            state[entry + 2] = before | (changed << 8)
            _toggle_threat_masks(state, cell, changed)
            if after & 15 == FIVE:
                state[LAST_FIVE_POINTS_START + 1] = cell
            if after >> 4 == FIVE:
                state[LAST_FIVE_POINTS_START + 2] = cell
    return value - old


@njit(void(ARRAYS, int64), **OPTIONS)
def place_stone(arrays: Arrays, cell: Cell) -> None:
    """Place a stone of the colour to move on the empty point `cell`, and pass the turn."""
    state, hashes = unchecked_view(arrays.state), arrays.hashes
    shape_table, class_tables = arrays.shape_table, arrays.class_tables
    colour = state[TURN]
    first = state[UNDO_TOP]
    at = cell * RECORD_SIZE
    head = UNDO_STACK_START + UNDO_ENTRY_SIZE * first
    state[head] = state[POINT_VALUE_SUM]
    state[head + 2] = state[LAST_FIVE_POINTS_START + 1]
    state[head + 3] = state[LAST_FIVE_POINTS_START + 2]
    state[head + 4] = state[LAST_MOVE]
    state[head + 5] = cell
    for i in range(32):
        state[head + _COUNTS_IN_HEADER + i] = state[CLASS_COUNTS_START + 16 + i]
    kinds = state[at + POINT_CLASSES]
    state[CLASS_COUNTS_START + 16 + (kinds & 15)] -= 1
    state[CLASS_COUNTS_START + 32 + (kinds >> 4)] -= 1
    _toggle_threat_masks(state, cell, _THREAT_MASK_BITS[U64(kinds)])
    value_sum = state[POINT_VALUE_SUM] - state[at + POINT_VALUE]
    state[at + COLOUR] = colour
    state[OCCUPIED_MASKS_START + (cell >> 5)] |= 1 << (cell & 31)
    hashes[POSITION_KEY] ^= hashes[U64(ZOBRIST_KEYS_START + 2 * cell + colour - 1)] ^ hashes[TURN_KEY]
    span = state[KEY_SPAN]
    bits = _key_bits(span)
    centre = U64(2 * span)
    # First the shapes. The loop has no branches, since they would be hard to predict: the entry of a point whose shapes
    # stay the same is overwritten by the next one.
    entry = head + UNDO_ENTRY_SIZE * _UNDO_HEADER_SIZE
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1  # 1, STRIDE - 1, STRIDE, STRIDE + 1
        place = place_on_line(cell, direction)
        number = line_index(cell, direction)
        line = hashes[U64(number)] ^ (U64(colour) << U64(2 * place))
        hashes[U64(number)] = line
        kept_bits = ~(0x000F000F << (4 * direction))
        line_cell = cell - span * step
        window_key = window(line, place - 2 * span)
        for _ in range(2 * span + 1):
            new_shapes = np.int64(shape_table[window_key & bits])
            record = line_cell * RECORD_SIZE + POINT_SHAPES
            old = state[record]
            shapes = np.int32(
                (old & kept_bits) | (((new_shapes & 15) | ((new_shapes & 0xF0) << 12)) << (4 * direction))
            )
            if (window_key >> centre) & U64(3):
                shapes = old
            state[entry] = line_cell
            state[entry + 1] = old
            state[record] = shapes
            entry += UNDO_ENTRY_SIZE * (shapes != old)
            line_cell += step
            window_key >>= U64(2)
    # Then the classes and values of the points whose shapes have changed.
    for changed in range(head + UNDO_ENTRY_SIZE * _UNDO_HEADER_SIZE, entry, UNDO_ENTRY_SIZE):
        value_sum += _classify(state, class_tables, state[changed], changed)
    state[POINT_VALUE_SUM] = value_sum
    state[head + 6] = entry
    top = (entry - UNDO_STACK_START) // UNDO_ENTRY_SIZE
    state[entry] = first
    state[UNDO_TOP] = top + 1
    state[TURN] = COLOUR_SUM - colour
    state[STONES_START + state[STONE_COUNT]] = cell + (colour << 12)
    state[STONE_COUNT] += 1
    state[LAST_MOVE] = cell


@njit(void(ARRAYS), **OPTIONS)
def remove_last_stone(arrays: Arrays) -> None:
    """Remove the last stone, and give the turn back to its colour."""
    state, hashes = unchecked_view(arrays.state), arrays.hashes
    first = state[UNDO_STACK_START + UNDO_ENTRY_SIZE * (state[UNDO_TOP] - 1)]
    head = UNDO_STACK_START + UNDO_ENTRY_SIZE * first
    cell = state[head + 5]
    at = cell * RECORD_SIZE
    colour = COLOUR_SUM - state[TURN]
    state[TURN] = colour
    state[UNDO_TOP] = first
    stones = state[STONE_COUNT] - 1
    state[STONE_COUNT] = stones
    state[UNCHANGED_STONE_COUNT] = min(state[UNCHANGED_STONE_COUNT], stones)
    state[at + COLOUR] = 0
    state[OCCUPIED_MASKS_START + (cell >> 5)] ^= 1 << (cell & 31)
    hashes[POSITION_KEY] ^= hashes[U64(ZOBRIST_KEYS_START + 2 * cell + colour - 1)] ^ hashes[TURN_KEY]
    for direction in range(4):
        hashes[U64(line_index(cell, direction))] ^= U64(colour) << U64(2 * place_on_line(cell, direction))
    for entry in range(head + UNDO_ENTRY_SIZE * _UNDO_HEADER_SIZE, state[head + 6], UNDO_ENTRY_SIZE):
        line_cell = state[entry]
        record = line_cell * RECORD_SIZE
        kinds = state[entry + 2]
        state[record + POINT_SHAPES] = state[entry + 1]
        state[record + POINT_CLASSES] = kinds & 255
        state[record + POINT_VALUE] = state[entry + 3]
        if kinds >> 8:
            _toggle_threat_masks(state, line_cell, kinds >> 8)
    _toggle_threat_masks(state, cell, _THREAT_MASK_BITS[U64(state[at + POINT_CLASSES])])
    for i in range(32):
        state[CLASS_COUNTS_START + 16 + i] = state[head + _COUNTS_IN_HEADER + i]
    state[POINT_VALUE_SUM] = state[head]
    state[LAST_FIVE_POINTS_START + 1] = state[head + 2]
    state[LAST_FIVE_POINTS_START + 2] = state[head + 3]
    state[LAST_MOVE] = state[head + 4]


@njit(void(ARRAYS, int64, int64, int64), **OPTIONS)
def reset(arrays: Arrays, size: Int64, rule: Int64, span: Int64) -> None:
    """Make `state` an empty board of `size`² points with black to move."""
    state, hashes = arrays.state, arrays.hashes
    shape_table, class_tables = arrays.shape_table, arrays.class_tables
    state[:COUNTER_MOVES_START] = 0
    state[SUMMED_STONE_COUNT] = -1
    state[BOARD_SIZE], state[RULE], state[KEY_SPAN], state[TURN] = size, rule, span, BLACK
    # the key contains the size and the rule as Zobrist keys of border cells, on which no stone can be
    hashes[POSITION_KEY] = hashes[ZOBRIST_KEYS_START + size] ^ hashes[ZOBRIST_KEYS_START + 64 + rule]
    for cell in range(CELL_COUNT):
        row, column = cell // STRIDE - BORDER_WIDTH, cell % STRIDE - BORDER_WIDTH
        if not (0 <= row < size and 0 <= column < size):
            state[cell * RECORD_SIZE + COLOUR] = WALL
        else:
            state[BOARD_MASKS_START + cell // STRIDE] |= 1 << (cell % STRIDE)
    state[CLASS_COUNTS_START + 16] = state[CLASS_COUNTS_START + 32] = size * size
    hashes[BOARD_LINES_START : BOARD_LINES_START + 4 * LINES_PER_DIRECTION] = ~U64(0)
    for row in range(size):
        for column in range(size):
            cell = (row + BORDER_WIDTH) * STRIDE + column + BORDER_WIDTH
            for direction in range(4):
                hashes[line_index(cell, direction)] ^= U64(3) << U64(2 * place_on_line(cell, direction))
    for row in range(size):
        for column in range(size):
            cell = (row + BORDER_WIDTH) * STRIDE + column + BORDER_WIDTH
            shapes: Any = 0
            for direction in range(4):
                new_shapes = np.int64(shape_table[key_at(state, hashes, cell, direction)])
                shapes |= ((new_shapes & 15) | ((new_shapes & 0xF0) << 12)) << (4 * direction)
            state[cell * RECORD_SIZE + POINT_SHAPES] = np.int32(shapes)
            state[POINT_VALUE_SUM] += _classify(state, class_tables, cell, UNDO_STACK_START)


@njit("void(uint64[::1], int64)", **OPTIONS)
def fill_hashes(hashes: HashArray, seed: Int64) -> None:
    """Write random Zobrist keys, by splitmix64 (G. Steele, D. Lea and C. Flood, 2014)."""
    state = np.uint64(seed)
    for i in range(TURN_KEY, ZOBRIST_KEYS_START + 2 * CELL_COUNT):
        state += np.uint64(0x9E3779B97F4A7C15)
        mixed = state
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        hashes[i] = mixed ^ (mixed >> np.uint64(31))
