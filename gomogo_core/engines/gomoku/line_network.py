"""The line network: it reads the nine cells of each line through each point, and updates its sums move by move.

Four lines run through a point; here, each consists of the point and four cells on each side. Each line selects a row of
CHANNELS numbers from a table, and the *features* of the point are the sum of these four rows, limited to 0 ...
MAX_FEATURE. The state array holds the sums of the features over all points from LINE_SUMS_START on. The first half of
the channels takes black's stones as its own, the second half white's. search.py evaluates a position by the sums, and
ranks a move by the features of its point. training/gomoku_lines.py fits all weights.

A stone changes the rows of 33 points. The search removes many stones before it evaluates a position again, so the sums
are updated only where a position is evaluated: `update_sums` compares the stones on the board with those that the sums
contain. The array `features` holds the features of every cell. After them, it keeps the old values of the features that
each stone in the sums has changed. So the removal of a stone only copies these values back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import int64, njit, types, void
from numba.extending import intrinsic
from numba.np import arrayobj

from gomogo_core.engines.gomoku.array_layout import (  # isort: skip
    BLACK, BOARD_LINES_START, BOARD_SIZE, BORDER_WIDTH, CELL_COUNT, CHANNELS, COLOUR, EMPTY, HIDDEN_SUMS_START,
    HIDDEN_UNITS, LINE_SUMS_START, LINES_PER_DIRECTION, MAX_STONES, NETWORK_LINES_START, NETWORK_STONES_START,
    RECORD_SIZE, SAVED_SUMS_START, STONE_COUNT, STONES_START, STRIDE, SUMMED_STONE_COUNT, TURN, UNCHANGED_STONE_COUNT,
    WALL, WHITE, Arrays, Cell, Colour, FeatureArray, Int64,
)  # fmt: skip
from gomogo_core.engines.array_views import unchecked_view
from gomogo_core.engines.gomoku.board import ARRAYS, OPTIONS, U64, line_index, place_on_line, window
from gomogo_core.engines.gomoku.classes import (
    LINE_HEAD_OFFSET,
    LINE_POLICY_BITS,
    LINE_POLICY_OFFSET,
    LINE_POLICY_SHIFT,
    LINE_SUM_BITS,
)

_intrinsic: Any = intrinsic  # mypy does not understand that it adds the first argument
_make_array: Any = arrayobj.make_array
LINE_REACH = 4  # cells of a line on each side of its point
LINE_CODES = 1 << (2 * (2 * LINE_REACH + 1))  # the code of a line has 2 bits for each cell
MAX_FEATURE = 255
_CHANGED_ROWS = 4 * (2 * LINE_REACH + 1)  # rows that a stone changes
_SAVED_FEATURES_START = CHANNELS * CELL_COUNT  # where the changed features of the first stone begin
# the policy's weights for a point's features
_POLICY_WEIGHTS_START = _SAVED_FEATURES_START + CHANNELS * _CHANGED_ROWS * MAX_STONES
FEATURE_ARRAY_SIZE = _POLICY_WEIGHTS_START + CHANNELS
_NETWORK_LINES_SHIFT = NETWORK_LINES_START - BOARD_LINES_START  # from a line of the board to the network's copy of it


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any, array: int, lane: Any) -> Any:
    """Return a pointer to a vector of CHANNELS elements of an array, from the index that another argument holds."""
    kind = signature.args[array]
    data = _make_array(kind)(context, builder, arguments[array]).data
    bits = kind.dtype.bitwidth
    return builder.bitcast(builder.gep(data, [arguments[lane]]), ir.VectorType(ir.IntType(bits), CHANNELS).as_pointer())


def _limit_features(builder: Any, features: Any) -> Any:
    """Return a vector of features, limited to 0 ... MAX_FEATURE."""
    low, high = (ir.Constant(features.type, [limit] * CHANNELS) for limit in (0, MAX_FEATURE))
    above = builder.select(builder.icmp_signed(">", features, low), features, low)
    return builder.select(builder.icmp_signed("<", above, high), above, high)


@_intrinsic
def _update_features(
    context: Any, features: Any, at: Any, saved: Any, rows: Any, added: Any, removed: Any, state: Any
) -> Any:
    """Compile code that saves the features at `features[at:]` to `features[saved:]`, adds `rows[added:]` and subtracts
    `rows[removed:]`, and updates the sums at LINE_SUMS_START.

    Numba alone would compute with 64 bits for each channel; this code uses the processor's vectors.
    """
    signature = types.void(features, at, saved, rows, added, removed, state)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arguments = [*arguments, ir.Constant(ir.IntType(64), LINE_SUMS_START)]
        features, saved = (_pointer(context, builder, signature, arguments, 0, i) for i in (1, 2))
        added, removed = (_pointer(context, builder, signature, arguments, 3, i) for i in (4, 5))
        sums = _pointer(context, builder, signature, arguments, 6, 7)
        before = builder.load(features, align=2)
        change = builder.sub(builder.load(added, align=2), builder.load(removed, align=2))
        after = builder.add(before, change)
        builder.store(before, saved, align=2)
        builder.store(after, features, align=2)
        old = builder.load(sums, align=4)
        wide = builder.sext(builder.sub(_limit_features(builder, after), _limit_features(builder, before)), old.type)
        builder.store(builder.add(old, wide), sums, align=4)
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def _compute_units(context: Any, state: Any, own: Any, other: Any, class_tables: Any) -> Any:
    """Compile code that computes the hidden units of the head from the sums at `state[own:]` and `state[other:]`."""
    signature = types.void(state, own, other, class_tables)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(32)
        units = ir.VectorType(number, HIDDEN_UNITS)
        state, tables = (_make_array(signature.args[i])(context, builder, arguments[i]).data for i in (0, 3))

        def element(pointer: Any, index: Any, offset: int) -> Any:
            return builder.gep(pointer, [builder.add(index, ir.Constant(ir.IntType(64), offset))])

        def row(i: int) -> Any:
            at = element(tables, ir.Constant(ir.IntType(64), LINE_HEAD_OFFSET), HIDDEN_UNITS * i)
            return builder.load(builder.bitcast(at, units.as_pointer()), align=4)

        total = row(0)
        for i in range(CHANNELS):
            at = element(state, arguments[1 + i // (CHANNELS // 2)], i % (CHANNELS // 2))
            wide = builder.insert_element(ir.Constant(units, ir.Undefined), builder.load(at), number(0))
            mask = ir.Constant(ir.VectorType(number, HIDDEN_UNITS), [0] * HIDDEN_UNITS)
            wide = builder.shuffle_vector(wide, ir.Constant(units, ir.Undefined), mask)
            total = builder.add(total, builder.mul(wide, row(2 + i)))
        shift = ir.Constant(units, [LINE_SUM_BITS] * HIDDEN_UNITS)
        to = element(state, ir.Constant(ir.IntType(64), HIDDEN_SUMS_START), 0)
        builder.store(builder.ashr(total, shift), builder.bitcast(to, units.as_pointer()), align=4)
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def _compute_policy_weights(context: Any, state: Any, class_tables: Any, features: Any) -> Any:
    """Compile code that computes the policy's weights for a point's features from the units at HIDDEN_SUMS_START."""
    signature = types.void(state, class_tables, features)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        index, number = ir.IntType(64), ir.IntType(32)
        weights = ir.VectorType(number, CHANNELS)
        state, tables, features = (
            _make_array(kind)(context, builder, argument).data
            for kind, argument in zip(signature.args, arguments, strict=True)
        )

        def row(i: int) -> Any:
            at = builder.gep(tables, [ir.Constant(index, LINE_POLICY_OFFSET + CHANNELS * i)])
            return builder.load(builder.bitcast(at, weights.as_pointer()), align=4)

        total = row(0)
        mask = ir.Constant(weights, [0] * CHANNELS)
        for i in range(HIDDEN_UNITS - 1):
            unit = builder.load(builder.gep(state, [ir.Constant(index, HIDDEN_SUMS_START + i)]))
            unit = builder.select(builder.icmp_signed(">", unit, number(0)), unit, number(0))
            unit = builder.ashr(unit, number(LINE_POLICY_SHIFT))
            wide = builder.insert_element(ir.Constant(weights, ir.Undefined), unit, number(0))
            wide = builder.shuffle_vector(wide, ir.Constant(weights, ir.Undefined), mask)
            total = builder.add(total, builder.mul(wide, row(1 + i)))
        total = builder.ashr(total, ir.Constant(weights, [LINE_POLICY_SHIFT] * CHANNELS))
        short = ir.VectorType(ir.IntType(16), CHANNELS)
        to = builder.gep(features, [ir.Constant(index, _POLICY_WEIGHTS_START)])
        builder.store(builder.trunc(total, short), builder.bitcast(to, short.as_pointer()), align=2)
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def _weighted_features(context: Any, features: Any, at: Any, weights: Any) -> Any:
    """Compile code that returns the sum of the limited features at `features[at:]`, each times its weight at
    `features[weights:]`.
    """
    signature = types.int32(features, at, weights)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, weights = (
            builder.load(_pointer(context, builder, signature, arguments, 0, i), align=2) for i in (1, 2)
        )
        values = _limit_features(builder, values)
        wide = ir.VectorType(ir.IntType(32), CHANNELS)
        total = builder.mul(builder.sext(values, wide), builder.sext(weights, wide))
        half_channels = CHANNELS // 2
        while half_channels:
            parts = [
                builder.shuffle_vector(
                    total,
                    ir.Constant(total.type, ir.Undefined),
                    ir.Constant(
                        ir.VectorType(ir.IntType(32), half_channels), list(range(first, first + half_channels))
                    ),
                )
                for first in (0, half_channels)
            ]
            total = builder.add(*parts)
            half_channels //= 2
        return builder.extract_element(total, ir.IntType(32)(0))

    return signature, generate


@_intrinsic
def _copy_channels(context: Any, array: Any, to: Any, source: Any) -> Any:
    """Compile code that copies the CHANNELS numbers at `array[source:]` to `array[to:]`."""
    signature = types.void(array, to, source)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, source = (_pointer(context, builder, signature, arguments, 0, i) for i in (1, 2))
        builder.store(builder.load(source, align=2), to, align=2)
        return context.get_dummy_value()

    return signature, generate


def row_table(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the table that the compiled functions read, int16, flat: CHANNELS numbers for each code of a line.

    `rows`, int16 (lines, CHANNELS / 2), has a row for each line up to reversal, in the order of their codes, from the
    view of the player whose stones have the number 1.
    """
    cell_count = 2 * LINE_REACH + 1
    shifts = 2 * np.arange(cell_count)
    codes = np.arange(LINE_CODES)
    cells = (codes[:, None] >> shifts) & 3
    is_wall = cells == WALL
    possible = ~is_wall[:, LINE_REACH]
    for i in range(LINE_REACH - 1):  # behind a wall there are only walls
        for outer, inner in ((i, i + 1), (cell_count - 1 - i, cell_count - 2 - i)):
            possible &= is_wall[:, outer] | ~is_wall[:, inner]
    forms = np.minimum(codes, (cells[:, ::-1] << shifts).sum(axis=1))
    possible_forms = np.unique(forms[possible])
    if len(rows) != len(possible_forms):
        raise ValueError(f"a line network needs {len(possible_forms)} rows, and this one has {len(rows)}")
    swapped = (np.array([EMPTY, WHITE, BLACK, WALL])[cells] << shifts).sum(axis=1)
    table = np.zeros((LINE_CODES, CHANNELS), np.int16)
    table[possible, : CHANNELS // 2] = rows[np.searchsorted(possible_forms, forms[possible])]
    table[possible, CHANNELS // 2 :] = rows[np.searchsorted(possible_forms, forms[swapped[possible]])]
    return table.ravel()


@njit(void(ARRAYS), **OPTIONS)
def _start_sums(arrays: Arrays) -> None:
    """Compute the features and the sums of the empty board."""
    state, hashes, features, rows = arrays.state, arrays.hashes, arrays.features, arrays.rows
    size = state[BOARD_SIZE]
    hashes[NETWORK_LINES_START : NETWORK_LINES_START + 4 * LINES_PER_DIRECTION] = ~U64(0)
    for row in range(size):
        for column in range(size):
            for direction in range(4):
                cell = (row + BORDER_WIDTH) * STRIDE + column + BORDER_WIDTH
                place = place_on_line(cell, direction)
                hashes[line_index(cell, direction) + _NETWORK_LINES_SHIFT] ^= U64(WALL) << U64(2 * place)
    state[LINE_SUMS_START : LINE_SUMS_START + CHANNELS] = 0
    for row in range(size):
        for column in range(size):
            cell = (row + BORDER_WIDTH) * STRIDE + column + BORDER_WIDTH
            features[CHANNELS * cell : CHANNELS * (cell + 1)] = 0
            for direction in range(4):
                line = hashes[line_index(cell, direction) + _NETWORK_LINES_SHIFT]
                code = window(line, place_on_line(cell, direction) - LINE_REACH) & U64(LINE_CODES - 1)
                for i in range(CHANNELS):
                    features[CHANNELS * cell + i] += rows[U64(CHANNELS * np.int64(code) + i)]
            for i in range(CHANNELS):
                state[LINE_SUMS_START + i] += max(0, min(MAX_FEATURE, features[CHANNELS * cell + i]))
    state[SUMMED_STONE_COUNT] = 0


@njit(void(ARRAYS, int64, int64), **OPTIONS)
def _add_stone(arrays: Arrays, cell: Cell, colour: Colour) -> None:
    """Add a stone to the features and the sums, and save the old values of the features that it changes."""
    state, hashes, features, rows = arrays.state, arrays.hashes, arrays.features, arrays.rows
    number = state[SUMMED_STONE_COUNT]
    for i in range(CHANNELS):
        state[U64(SAVED_SUMS_START + CHANNELS * number + i)] = state[U64(LINE_SUMS_START + i)]
    saved_at = np.int64(_SAVED_FEATURES_START + _CHANGED_ROWS * CHANNELS * number)
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1
        place = place_on_line(cell, direction)
        index = U64(line_index(cell, direction) + _NETWORK_LINES_SHIFT)
        old = hashes[index]
        new = old ^ (U64(colour) << U64(2 * place))
        hashes[index] = new
        old, new = window(old, place - 2 * LINE_REACH), window(new, place - 2 * LINE_REACH)
        at = np.int64(CHANNELS * (cell - LINE_REACH * step))
        for _ in range(2 * LINE_REACH + 1):
            if state[U64(at // CHANNELS * RECORD_SIZE + COLOUR)] != WALL:
                added = np.int64((new & U64(LINE_CODES - 1)) * U64(CHANNELS))
                removed = np.int64((old & U64(LINE_CODES - 1)) * U64(CHANNELS))
                _update_features(features, at, saved_at, rows, added, removed, state)
            saved_at += CHANNELS
            at += CHANNELS * step
            old >>= U64(2)
            new >>= U64(2)
    state[U64(NETWORK_STONES_START + number)] = cell + (colour << 12)
    state[SUMMED_STONE_COUNT] = number + 1


@njit(void(ARRAYS), **OPTIONS)
def _remove_stone(arrays: Arrays) -> None:
    """Subtract the newest stone from the features and the sums."""
    state, hashes, features = arrays.state, arrays.hashes, arrays.features
    number = state[SUMMED_STONE_COUNT] - 1
    cell, colour = state[U64(NETWORK_STONES_START + number)] & 0xFFF, state[U64(NETWORK_STONES_START + number)] >> 12
    for i in range(CHANNELS):
        state[U64(LINE_SUMS_START + i)] = state[U64(SAVED_SUMS_START + CHANNELS * number + i)]
    saved_at = np.int64(_SAVED_FEATURES_START + _CHANGED_ROWS * CHANNELS * (number + 1))
    for direction in range(3, -1, -1):  # a point that was saved twice gets its older features last
        step = STRIDE - 2 + direction if direction else 1
        hashes[U64(line_index(cell, direction) + _NETWORK_LINES_SHIFT)] ^= U64(colour) << U64(
            2 * place_on_line(cell, direction)
        )
        at = np.int64(CHANNELS * (cell + LINE_REACH * step))
        for _ in range(2 * LINE_REACH + 1):
            saved_at -= CHANNELS
            if state[U64(at // CHANNELS * RECORD_SIZE + COLOUR)] != WALL:
                _copy_channels(features, at, saved_at)
            at -= CHANNELS * step
    state[SUMMED_STONE_COUNT] = number


@njit(void(ARRAYS), **OPTIONS)
def update_sums(arrays: Arrays) -> None:
    """Update the sums at LINE_SUMS_START to the position on the board."""
    state = unchecked_view(arrays.state)
    if state[SUMMED_STONE_COUNT] < 0:
        _start_sums(arrays)
        state[UNCHANGED_STONE_COUNT] = 0
    while state[SUMMED_STONE_COUNT] > state[UNCHANGED_STONE_COUNT]:
        _remove_stone(arrays)
    while state[SUMMED_STONE_COUNT] < state[STONE_COUNT]:
        stone = state[STONES_START + state[SUMMED_STONE_COUNT]]
        _add_stone(arrays, stone & 0xFFF, stone >> 12)
    state[UNCHANGED_STONE_COUNT] = state[STONE_COUNT]


@njit(void(ARRAYS), **OPTIONS)
def compute_units(arrays: Arrays) -> None:
    """Compute the part of the head's hidden units that depends on the line sums, for the player to move, and write it
    to HIDDEN_SUMS_START.
    """
    state = unchecked_view(arrays.state)
    own = LINE_SUMS_START if state[TURN] == BLACK else LINE_SUMS_START + CHANNELS // 2
    _compute_units(state, own, 2 * LINE_SUMS_START + CHANNELS // 2 - own, arrays.class_tables)


@njit(void(ARRAYS), **OPTIONS)
def prepare_policy_for_position(arrays: Arrays) -> None:
    """Prepare `line_policy_rank` for the position whose hidden units are at HIDDEN_SUMS_START."""
    state, features = arrays.state, arrays.features
    _compute_policy_weights(state, arrays.class_tables, features)
    if state[TURN] != BLACK:  # the first half of the channels is black's
        for i in range(_POLICY_WEIGHTS_START, _POLICY_WEIGHTS_START + CHANNELS // 2):
            features[U64(i)], features[U64(i + CHANNELS // 2)] = features[U64(i + CHANNELS // 2)], features[U64(i)]


@njit("int64(int16[::1], int64)", **OPTIONS)
def line_policy_rank(features: FeatureArray, cell: Cell) -> Int64:
    """Return the policy's rank of a move: 60 times the logarithm of its odds."""
    return _weighted_features(features, np.int64(CHANNELS * cell), np.int64(_POLICY_WEIGHTS_START)) >> LINE_POLICY_BITS
