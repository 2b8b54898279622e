"""The results that Black can force without ever repeating a board, which are bounds under every ko rule.

Black forces a result in n plies if Black can end the game with it within n plies, even against an opponent who ignores
the ko rule. Each stone of Black must lead to a board from which Black forces the same result in fewer plies, with
either player to move. The number of plies therefore falls from board to board. So no board occurs twice, and no ko rule
forbids Black's moves.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.small_go.graph import NO_ROW, BooleanArray, IndexArray, Int64, ResultArray, ResultTable

NOT_FORCED = -100  # no result is forced yet, because the game may continue
NO_STONE_POSSIBLE = 100  # Black's worst result over White's stones, if White can place none

# The rows of a table, one for each kind of position: the player to move, and whether the last move was a pass.
BLACK_MOVES, BLACK_AFTER_PASS, WHITE_MOVES, WHITE_AFTER_PASS = range(4)


@njit("void(int8[::1], int8[:, ::1])", cache=True, nogil=True)
def set_finished_results(final_results: ResultArray, table: ResultTable) -> None:
    """Set the results that are forced in 0 plies: the results of finished games."""
    for number in range(len(final_results)):
        for kind in range(4):
            table[kind, number] = NOT_FORCED if final_results[number] == NO_ROW else final_results[number]


@njit(
    "int64(int8[::1], int8[::1], int32[::1], int32[::1], boolean[::1], int8[:, ::1], int8[:, ::1], int64, int64)",
    cache=True,
    nogil=True,
)
def extend_by_one_ply(
    scores: ResultArray,
    final_results: ResultArray,
    successor_starts: IndexArray,
    successors: IndexArray,
    forbidden_boards: BooleanArray,
    previous_table: ResultTable,
    next_table: ResultTable,
    first: Int64,
    end: Int64,
) -> Int64:
    """Set the results that Black can force in one ply more than in `previous_table`; return the number of changes.

    The function does this for the boards from the number `first` to the number `end` - 1. `forbidden_boards` holds, for
    each board, whether Black's stones must not lead to it.
    """
    changes = 0
    for number in range(first, end):
        if final_results[number] != NO_ROW:
            continue
        best_stone_result, worst_stone_result = np.int64(NOT_FORCED), np.int64(NO_STONE_POSSIBLE)
        score = np.int64(scores[number])
        for index in range(successor_starts[2 * number], successor_starts[2 * number + 1]):
            next_number = successors[index]
            if not forbidden_boards[next_number]:
                next_if_white_moves = np.int64(previous_table[WHITE_MOVES, next_number])
                next_if_black_moves = np.int64(previous_table[BLACK_MOVES, next_number])
                best_stone_result = max(best_stone_result, min(next_if_white_moves, next_if_black_moves))
        for index in range(successor_starts[2 * number + 1], successor_starts[2 * number + 2]):
            worst_stone_result = min(worst_stone_result, np.int64(previous_table[BLACK_MOVES, successors[index]]))
        black_moves = max(best_stone_result, np.int64(previous_table[WHITE_AFTER_PASS, number]))
        black_after_pass = max(best_stone_result, score)
        white_moves = min(worst_stone_result, np.int64(previous_table[BLACK_AFTER_PASS, number]))
        if black_moves != previous_table[BLACK_MOVES, number] or white_moves != previous_table[WHITE_MOVES, number]:
            changes += 1
        next_table[BLACK_MOVES, number], next_table[BLACK_AFTER_PASS, number] = black_moves, black_after_pass
        next_table[WHITE_MOVES, number] = white_moves
        next_table[WHITE_AFTER_PASS, number] = min(worst_stone_result, score)
        if next_table[BLACK_AFTER_PASS, number] != previous_table[BLACK_AFTER_PASS, number]:
            changes += 1
        if next_table[WHITE_AFTER_PASS, number] != previous_table[WHITE_AFTER_PASS, number]:
            changes += 1
    return changes
