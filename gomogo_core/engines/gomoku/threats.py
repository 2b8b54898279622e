"""Threats on the board: fives and winning fours, the answers to them, wins by continuous fours, forbidden points.

The module uses the board. All results are exact. `write_replies` contains every move that does not lose at once. A win
that `vcf` finds succeeds against every defence, since each of its fours leaves only one answer.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, njit, uint8

from gomogo_core.engines.array_views import unchecked_view
from gomogo_core.engines.gomoku.array_layout import (
    BLACK,
    BOARD_SIZE,
    BORDER_WIDTH,
    CLASS_COUNTS_START,
    COLOUR,
    COLOUR_SUM,
    FOUR_MASKS_START,
    KEY_SPAN,
    LAST_FIVE_POINTS_START,
    LAST_MOVE,
    POINT_CLASSES,
    POINT_SHAPES,
    POSITION_KEY,
    RECORD_SIZE,
    RULE,
    STONE_COUNT,
    STOP_FLAG,
    STRIDE,
    TURN,
    VCF_MOVE,
    VCF_NODE_COUNT,
    VCF_NODE_LIMIT,
    VCF_TABLE_START,
    VCF_WEAKEST_CLASS,
    Arrays,
    Boolean,
    Cell,
    CellArray,
    Colour,
    Int64,
    PointClass,
    StateArray,
)  # fmt: skip
from gomogo_core.engines.gomoku.board import (
    ARRAYS,
    OPTIONS,
    U64,
    WHITE_CLASS_TABLE,
    key_at,
    lowest_bit,
    place_stone,
    remove_last_stone,
)
from gomogo_core.engines.gomoku.classes import (
    CLASS_TABLE_COLUMNS,
    FIVE,
    FORBIDDEN,
    FOUR_THREE,
    PLAIN_FOUR,
    WINNING_FOUR,
)
from gomogo_core.engines.gomoku.shapes import OPEN_FOUR, RENJU, STRONG_OPEN_THREE, WEAK_OPEN_THREE

_MASK_ROWS = 40
NO_CELL = 0  # a cell of the border, which stands for "no cell"
_MAX_VCF_DEPTH = 60


@njit("int64(int32[::1], int64, int64)", **OPTIONS)
def class_at(state: StateArray, cell: Cell, colour: Colour) -> Int64:
    """Return the class of the empty point `cell` for `colour`."""
    return (state[U64(cell * RECORD_SIZE + POINT_CLASSES)] >> (4 * (colour - 1))) & 15


@njit("int64(int32[::1], int64, int64)", **OPTIONS)
def count_points_of_class(state: StateArray, colour: Colour, kind: PointClass) -> Int64:
    """Return the number of empty points that have the class `kind` for `colour`."""
    return state[U64(CLASS_COUNTS_START + 16 * colour + kind)]


@njit("int64(int32[::1], int64, int64)", **OPTIONS)
def find_point_of_class(state: StateArray, colour: Colour, kind: PointClass) -> Int64:
    """Return the first point that has the class `kind`, which is PLAIN_FOUR or stronger, for `colour`, or NO_CELL."""
    masks = FOUR_MASKS_START + _MASK_ROWS * (colour - 1)
    for row in range(BORDER_WIDTH, BORDER_WIDTH + state[BOARD_SIZE]):
        bits = state[masks + row]
        while bits:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            if class_at(state, cell, colour) == kind:
                return cell
    return NO_CELL


@njit("int64(int32[::1], int64)", **OPTIONS)
def five_point(state: StateArray, colour: Colour) -> Int64:
    """Return a point where `colour` completes a five; there must be such a point."""
    cell = state[LAST_FIVE_POINTS_START + colour]
    if state[cell * RECORD_SIZE + COLOUR] == 0 and class_at(state, cell, colour) == FIVE:
        return cell
    return find_point_of_class(state, colour, FIVE)


@njit("int64(int32[::1], int64)", **OPTIONS)
def count_threes_at(state: StateArray, cell: Cell) -> Int64:
    """Return the number of directions in which black makes an open three on `cell`."""
    shapes = state[cell * RECORD_SIZE + POINT_SHAPES]
    three_count = 0
    for direction in range(4):
        shape = (shapes >> (4 * direction)) & 15
        three_count += shape in (WEAK_OPEN_THREE, STRONG_OPEN_THREE)
    return three_count


@njit(boolean(ARRAYS, int64), **OPTIONS)
def is_forbidden(arrays: Arrays, cell: Cell) -> Boolean:
    """Return whether Renju forbids black the empty point `cell`.

    The state is the same afterwards. A three counts only if a point that makes it a straight four is itself allowed
    (RIF rules, section 9).
    """
    state = unchecked_view(arrays.state)
    kind = class_at(state, cell, BLACK)
    if kind == FIVE:
        return False
    if kind == FORBIDDEN:
        return True
    if count_threes_at(state, cell) < 2:
        return False
    turn = state[TURN]
    shapes = state[cell * RECORD_SIZE + POINT_SHAPES]
    state[TURN] = BLACK
    place_stone(arrays, cell)
    real_three_count = 0
    for direction in range(4):
        shape = (shapes >> (4 * direction)) & 15
        if shape != WEAK_OPEN_THREE and shape != STRONG_OPEN_THREE:
            continue
        step = STRIDE - 2 + direction if direction else 1
        allowed = False
        for signed_step in (-step, step):
            end = cell + signed_step
            while state[end * RECORD_SIZE + COLOUR] == BLACK:
                end += signed_step
            if state[end * RECORD_SIZE + COLOUR] != 0 or allowed:
                continue
            if (state[end * RECORD_SIZE + POINT_SHAPES] >> (4 * direction)) & 15 != OPEN_FOUR:
                continue
            if class_at(state, end, BLACK) != FIVE and not is_forbidden(arrays, np.int64(end)):
                allowed = True
        real_three_count += allowed
    state[TURN] = COLOUR_SUM - BLACK
    remove_last_stone(arrays)
    state[TURN] = turn
    return real_three_count > 1


@njit(boolean(ARRAYS, int64), **OPTIONS)
def may_play(arrays: Arrays, cell: Cell) -> Boolean:
    """Return whether Renju allows the mover to play on the empty point `cell`; other rules allow every point."""
    state = unchecked_view(arrays.state)
    return state[RULE] != RENJU or state[TURN] != BLACK or not is_forbidden(arrays, cell)


@njit(int64(ARRAYS, int64), **OPTIONS)
def winning_four_point(arrays: Arrays, colour: Colour) -> Int64:
    """Return an allowed point where `colour` makes a four that cannot be stopped, or NO_CELL."""
    state = unchecked_view(arrays.state)
    if state[RULE] != RENJU or colour != BLACK:
        return find_point_of_class(state, colour, WINNING_FOUR)
    for row in range(BORDER_WIDTH, BORDER_WIDTH + state[BOARD_SIZE]):
        bits = state[FOUR_MASKS_START + row]
        while bits:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            if class_at(state, cell, BLACK) == WINNING_FOUR and not is_forbidden(arrays, cell):
                return cell
    return NO_CELL


@njit(boolean(ARRAYS, int64, int64, int64), **OPTIONS)
def stops_winning_four(arrays: Arrays, colour: Colour, point: Cell, cell: Cell) -> Boolean:
    """Return whether a stone of the opponent on `cell` prevents a winning four of `colour` on `point`."""
    state, hashes = unchecked_view(arrays.state), arrays.hashes
    shape_table, class_tables = arrays.shape_table, arrays.class_tables
    away = cell - point
    if away == 0:
        return True
    span = state[KEY_SPAN]
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1
        k = away // step
        if k * step != away or k > span or k < -span:
            continue
        key = key_at(state, hashes, point, direction) ^ ((COLOUR_SUM - colour) << (2 * (span + k)))
        shape = shape_table[key] >> (4 * (colour - 1)) & 15
        shapes = (state[point * RECORD_SIZE + POINT_SHAPES] >> (16 * (colour - 1))) & 0xFFFF
        shapes = (shapes & ~(15 << (4 * direction))) | (shape << (4 * direction))
        kind = class_tables[shapes * CLASS_TABLE_COLUMNS + (WHITE_CLASS_TABLE if colour != BLACK else 0)] & 15
        return kind != WINNING_FOUR and kind != FIVE
    return False


@njit(int64(ARRAYS, int64), **OPTIONS)
def write_replies(arrays: Arrays, start: Int64) -> Int64:
    """Write every move that may answer the threat of a winning four to `state[start:]`, as `generate_moves` does.

    These are the points that stop all such fours, and the mover's own fours. Return their number.
    """
    state = unchecked_view(arrays.state)
    us, colour = state[TURN], COLOUR_SUM - state[TURN]
    first = winning_four_point(arrays, colour)
    count = 0
    span = state[KEY_SPAN]
    state[start] = first
    count = 1
    for direction in range(4):
        step = STRIDE - 2 + direction if direction else 1
        for k in range(-span, span + 1):
            cell = first + k * step
            if k != 0 and state[cell * RECORD_SIZE + COLOUR] == 0 and stops_winning_four(arrays, colour, first, cell):
                state[start + 2 * count] = cell
                count += 1
    black_in_renju = state[RULE] == RENJU and colour == BLACK
    for row in range(BORDER_WIDTH, BORDER_WIDTH + state[BOARD_SIZE]):
        bits = state[FOUR_MASKS_START + _MASK_ROWS * (colour - 1) + row]
        while bits:
            point = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            if point == first or class_at(state, point, colour) != WINNING_FOUR:
                continue
            if black_in_renju and is_forbidden(arrays, point):
                continue
            reply_count = 0
            for i in range(count):
                cell = state[start + 2 * i]
                if stops_winning_four(arrays, colour, point, cell):
                    state[start + 2 * reply_count] = cell
                    reply_count += 1
            count = reply_count
    stopping_count = count
    for row in range(BORDER_WIDTH, BORDER_WIDTH + state[BOARD_SIZE]):
        bits = state[FOUR_MASKS_START + _MASK_ROWS * (us - 1) + row]
        while bits:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            is_new = True
            for i in range(stopping_count):
                is_new = is_new and state[start + 2 * i] != cell
            if is_new:
                state[start + 2 * count] = cell
                count += 1
    return count


@njit(int64(ARRAYS, int64), **OPTIONS)
def _vcf(arrays: Arrays, depth: Int64) -> Int64:
    """Return the number of plies to a five if the mover wins by continuous fours, else 0."""
    state, hashes = unchecked_view(arrays.state), arrays.hashes
    us = state[TURN]
    them = COLOUR_SUM - us
    if count_points_of_class(state, us, FIVE):
        return 1
    state[VCF_NODE_COUNT] += 1
    answer = NO_CELL
    threats = count_points_of_class(state, them, FIVE)
    if threats:
        if threats > 1:
            return 0
        answer = five_point(state, them)
        kind = class_at(state, answer, us)
        if kind < PLAIN_FOUR or kind > WINNING_FOUR or not may_play(arrays, answer):
            return 0
        if kind == WINNING_FOUR:
            return 3
    elif count_points_of_class(state, us, WINNING_FOUR) and winning_four_point(arrays, us):
        return 3
    if (
        depth <= 0
        or state[VCF_NODE_COUNT] >= state[VCF_NODE_LIMIT]
        or state[STOP_FLAG]
        or state[STONE_COUNT] + 2 > state[BOARD_SIZE] * state[BOARD_SIZE]
    ):
        return 0
    key = hashes[POSITION_KEY] + np.uint64(us + 4 * state[VCF_WEAKEST_CLASS])
    slot = U64(VCF_TABLE_START) + U64(key >> np.uint64(48))
    if hashes[slot] == key:
        return 0
    for kind in range(FOUR_THREE, state[VCF_WEAKEST_CLASS] - 1, -1):
        if not count_points_of_class(state, us, kind):
            continue
        for row in range(BORDER_WIDTH, BORDER_WIDTH + state[BOARD_SIZE]):
            bits = state[FOUR_MASKS_START + _MASK_ROWS * (us - 1) + row]
            while bits:
                cell = row * STRIDE + lowest_bit(bits)
                bits &= bits - 1
                if class_at(state, cell, us) != kind or (answer != NO_CELL and cell != answer):
                    continue
                if not may_play(arrays, cell):
                    continue
                place_stone(arrays, cell)
                block = five_point(state, us)
                if not may_play(arrays, block):
                    remove_last_stone(arrays)
                    state[VCF_MOVE] = cell
                    return 3
                place_stone(arrays, block)
                result = _vcf(arrays, depth - 1)
                remove_last_stone(arrays)
                remove_last_stone(arrays)
                if result:
                    state[VCF_MOVE] = cell
                    return result + 2
    if state[VCF_NODE_COUNT] < state[VCF_NODE_LIMIT] and not state[STOP_FLAG]:
        hashes[slot] = key
    return 0


@njit(int64(ARRAYS, int64, int64), **OPTIONS)
def vcf(arrays: Arrays, nodes: Int64, weakest: Int64) -> Int64:
    """Return the number of plies to a five if a search of at most `nodes` nodes finds a win by continuous fours, or 0.

    With `weakest` PLAIN_FOUR, the search tries every four. With FOUR_AND_MORE, it tries only fours that also prepare
    another threat, and finds most wins with far fewer nodes. The first move of the win is in `state[VCF_MOVE]`.
    A table stores positions in which a complete search of this kind found no win.
    """
    state = unchecked_view(arrays.state)
    state[VCF_NODE_COUNT] = 0
    state[VCF_NODE_LIMIT] = nodes
    state[VCF_WEAKEST_CLASS] = weakest
    state[VCF_MOVE] = NO_CELL
    return _vcf(arrays, _MAX_VCF_DEPTH)


@njit(int64(ARRAYS, uint8[::1], int64), **OPTIONS)
def vcf_after(arrays: Arrays, cells: CellArray, nodes: Int64) -> Int64:
    """Return the result of `vcf` for the position `cells`, given row by row, which adds stones to the board.

    The added stones are removed afterwards. Return -1 if `cells` lacks a stone of the board.
    """
    state = unchecked_view(arrays.state)
    size, turn, placed, plies = state[BOARD_SIZE], state[TURN], 0, 0
    for i in range(size * size):
        cell = (i // size + BORDER_WIDTH) * STRIDE + i % size + BORDER_WIDTH
        before = state[cell * RECORD_SIZE + COLOUR]
        if before == cells[i]:
            continue
        if before:
            plies = -1
            break
        state[TURN] = cells[i]
        place_stone(arrays, cell)
        placed += 1
    if plies == 0:
        state[TURN] = 2 if state[STONE_COUNT] % 2 else 1
        plies = vcf(arrays, nodes, np.int64(PLAIN_FOUR))
    for _ in range(placed):
        # remove_last_stone needs the turn as it is after the stone
        state[TURN] = COLOUR_SUM - state[state[LAST_MOVE] * RECORD_SIZE + COLOUR]
        remove_last_stone(arrays)
    state[TURN] = turn
    return plies
