"""The results that Black can force by strategies that never need an earlier board: bounds for every ko rule.

A result is forced in n plies if each line of the strategy ends within n plies, though the opponent may play every
move, those too that a ko rule forbids. After a stone of Black, the new board must be worth the same result in fewer
plies with the opponent to move, and also with Black to move. Then no board of the line, with either player to move,
is the new one, because on the line the number of plies falls: no ko rule forbids Black's moves.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.small_go.graph import NO_ROW

NOTHING = -100  # the game may go on: nothing is forced
TOP = 100  # no stone can be placed

# The rows of a table, one for each kind of position: who moves, and after how many passes.
BLACK_MOVES, BLACK_AFTER_PASS, WHITE_MOVES, WHITE_AFTER_PASS = range(4)


@njit("void(int8[::1], int8[:, ::1])", cache=True, nogil=True)
def begin(ends, table):
    """Set the results that are forced in no ply: those of finished games."""
    for number in range(len(ends)):
        for kind in range(4):
            table[kind, number] = NOTHING if ends[number] == NO_ROW else ends[number]


@njit(
    "int64(int8[::1], int8[::1], int32[::1], int32[::1], boolean[::1], int8[:, ::1], int8[:, ::1])",
    cache=True,
    nogil=True,
)
def sweep(scores, ends, starts, after, banned, old, new):
    """Set the results that Black can force in one ply more; return the number of changes.

    banned: boards that Black's stones must not lead to.
    """
    changes = 0
    for number in range(len(scores)):
        if ends[number] != NO_ROW:
            continue
        best, worst, score = np.int64(NOTHING), np.int64(TOP), np.int64(scores[number])
        for at in range(starts[2 * number], starts[2 * number + 1]):
            to = after[at]
            if not banned[to]:
                best = max(best, min(np.int64(old[WHITE_MOVES, to]), np.int64(old[BLACK_MOVES, to])))
        for at in range(starts[2 * number + 1], starts[2 * number + 2]):
            worst = min(worst, np.int64(old[BLACK_MOVES, after[at]]))
        black, white = max(best, np.int64(old[WHITE_AFTER_PASS, number])), max(best, score)
        black_passed = min(worst, np.int64(old[BLACK_AFTER_PASS, number]))
        if black != old[BLACK_MOVES, number] or black_passed != old[WHITE_MOVES, number]:
            changes += 1
        new[BLACK_MOVES, number], new[BLACK_AFTER_PASS, number] = black, white
        new[WHITE_MOVES, number], new[WHITE_AFTER_PASS, number] = black_passed, min(worst, score)
        if new[BLACK_AFTER_PASS, number] != old[BLACK_AFTER_PASS, number]:
            changes += 1
        if new[WHITE_AFTER_PASS, number] != old[WHITE_AFTER_PASS, number]:
            changes += 1
    return changes
