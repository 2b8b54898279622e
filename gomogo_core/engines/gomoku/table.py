"""The transposition table: the results of earlier searches of a position, kept from move to move.

Uses the uint64 array only. An entry is two numbers: the key exclusive-or the data, and the data, so that an entry torn
by two threads matches no position (R. Hyatt and T. Mann, A Lock-less Transposition-Table Implementation, ICGA Journal
25, 2002).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.gomoku.board import U
from gomogo_core.engines.gomoku.layout import GENERATION, HASH, TABLE, TABLE_MASK

# Data, from the lowest bit: value + 32768 (16), evaluation + 32768 (16), move (12), depth + 8 (8), bound (2), age (8).
LOWER, UPPER, EXACT = 1, 2, 3
WINS = 29000  # values beyond it are wins, counted in plies


@njit("int64(int32[::1], uint64[::1])", cache=True, nogil=True)
def probe(state, hashes):
    """Return the data of the position on the board; 0 if the table does not have it."""
    slot = U(TABLE) + U(2) * (U(hashes[HASH]) & U(state[TABLE_MASK]))
    data = hashes[slot + U(1)]
    if hashes[slot] ^ data != hashes[HASH]:
        return 0
    return np.int64(data)


@njit("void(int32[::1], uint64[::1], int64, int64, int64, int64, int64, int64)", cache=True, nogil=True)
def store(state, hashes, value, evaluation, move, depth, bound, ply):
    """Store a position, unless the entry holds a deeper search of the current move. Wins are stored as plies from
    this position.
    """
    slot = U(TABLE) + U(2) * (U(hashes[HASH]) & U(state[TABLE_MASK]))
    old = np.int64(hashes[slot + U(1)])
    same = hashes[slot] ^ hashes[slot + U(1)] == hashes[HASH]
    if same and move == 0:
        move = (old >> 32) & 0xFFF
    if not same and old and (old >> 54) & 0xFF == state[GENERATION] & 0xFF and ((old >> 44) & 0xFF) - 8 > depth + 4:
        return
    if same and bound != EXACT and ((old >> 44) & 0xFF) - 8 > depth + 2:
        return
    if value > WINS:
        value += ply
    elif value < -WINS:
        value -= ply
    data = np.uint64(
        (value + 32768)
        | ((evaluation + 32768) << 16)
        | (move << 32)
        | ((depth + 8) << 44)
        | (bound << 52)
        | ((state[GENERATION] & 0xFF) << 54)
    )
    hashes[slot] = hashes[HASH] ^ data
    hashes[slot + U(1)] = data


@njit("int64(int64, int64)", cache=True, nogil=True)
def value_of(data, ply):
    """Return the value in an entry's data; a win is converted to plies from the root, which is `ply` plies earlier."""
    value = (data & 0xFFFF) - 32768
    if value > WINS:
        return value - ply
    if value < -WINS:
        return value + ply
    return value
