"""The transposition table: results of earlier searches of positions, kept from move to move.

The table is a uint64 array of its own, which the threads of a search share without locks. An entry is two numbers: the
exclusive or of key and data, and the data. So an entry whose halves come from two threads matches no position (R. Hyatt
and T. Mann, A Lock-less Transposition-Table Implementation, ICGA Journal 25, 2002).
"""

from __future__ import annotations

import numpy as np
from numba import int64, njit, void

from gomogo_core.engines.gomoku.array_layout import POSITION_KEY, TABLE_GENERATION, Arrays, Cell, Int64
from gomogo_core.engines.gomoku.board import ARRAYS, OPTIONS, U64

# The fields of the data from the lowest bit, with their bits: value + 32768 (16), evaluation + 32768 (16), move (12),
# depth + 8 (8), bound (2), generation (8).
LOWER_BOUND, UPPER_BOUND, EXACT_VALUE = 1, 2, 3
CERTAIN_THRESHOLD = 29000  # values above it are certain wins, values below its negative certain losses


@njit(int64(ARRAYS), **OPTIONS)
def probe(arrays: Arrays) -> Int64:
    """Return the data that the table has for the position on the board, or 0."""
    hashes, table = arrays.hashes, arrays.table
    slot = (U64(hashes[POSITION_KEY]) << U64(1)) & U64(table.size - 2)
    data = table[slot + U64(1)]
    if table[slot] ^ data != hashes[POSITION_KEY]:
        return 0
    return np.int64(data)


@njit(void(ARRAYS, int64, int64, int64, int64, int64, int64), **OPTIONS)
def store(arrays: Arrays, value: Int64, evaluation: Int64, move: Cell, depth: Int64, bound: Int64, ply: Int64) -> None:
    """Store a result, unless the entry has a deeper result from the search of the same move. The value of a win counts
    the plies from this position.
    """
    state, hashes, table = arrays.state, arrays.hashes, arrays.table
    slot = (U64(hashes[POSITION_KEY]) << U64(1)) & U64(table.size - 2)
    before = table[slot + U64(1)]
    old = np.int64(before)
    is_same_position = table[slot] ^ before == hashes[POSITION_KEY]
    if is_same_position and move == 0:
        move = (old >> 32) & 0xFFF
    if (
        not is_same_position
        and old
        and (old >> 54) & 0xFF == state[TABLE_GENERATION] & 0xFF
        and ((old >> 44) & 0xFF) - 8 > depth + 4
    ):
        return
    if is_same_position and bound != EXACT_VALUE and ((old >> 44) & 0xFF) - 8 > depth + 2:
        return
    if value > CERTAIN_THRESHOLD:
        value += ply
    elif value < -CERTAIN_THRESHOLD:
        value -= ply
    data = np.uint64(
        (value + 32768)
        | ((evaluation + 32768) << 16)
        | (move << 32)
        | ((depth + 8) << 44)
        | (bound << 52)
        | ((state[TABLE_GENERATION] & 0xFF) << 54)
    )
    table[slot] = hashes[POSITION_KEY] ^ data
    table[slot + U64(1)] = data


@njit("int64(int64, int64)", **OPTIONS)
def stored_value(data: Int64, ply: Int64) -> Int64:
    """Return the value in the data of an entry; a win counts its plies from the root, which is `ply` plies earlier."""
    value = (data & 0xFFFF) - 32768
    if value > CERTAIN_THRESHOLD:
        return value - ply
    if value < -CERTAIN_THRESHOLD:
        return value + ply
    return value
