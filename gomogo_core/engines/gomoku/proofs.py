"""Proves wins by threats: victory by continuous fours and threes (VCT), against every defence.

The module uses the board and its threats. The attacker plays only moves that make a four or an open three. The defender
tries every move that may prevent the win. Against a four there is one answer. Against a threat of a winning four, the
defender tries each point that stops all winning fours, and each of its own fours. Any other move loses to the winning
four at once, so no defence is left out. Source: L. V. Allis, H. J. van den Herik and M. Huntjens, Go-Moku Solved by New
Search Techniques, Computational Intelligence 12 (1996).
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, njit

from gomogo_core.engines.clock import count_node

from gomogo_core.engines.gomoku.array_layout import (  # isort: skip
    BEST_MOVE, BLACK, BOARD_SIZE, BORDER_WIDTH, COLOUR_SUM, FOUR_MASKS_START, MAX_PLIES, MOVE_LIST_SIZE,
    MOVE_LISTS_START, NODE_COUNT, NODE_LIMIT, POSITION_KEY, RULE, STONE_COUNT, STOP_FLAG, STRIDE, THREE_MASKS_START,
    TURN, VCF_MOVE, VCF_NODE_COUNT, VCF_TABLE_SIZE, VCF_TABLE_START, Arrays, Boolean, Colour, Int64,
)  # fmt: skip
from gomogo_core.engines.array_views import unchecked_view
from gomogo_core.engines.gomoku.board import ARRAYS, OPTIONS, U64, lowest_bit, place_stone, remove_last_stone
from gomogo_core.engines.gomoku.classes import DOUBLE_THREE, FIVE, FOUR_THREE, PLAIN_FOUR, THREE, WINNING_FOUR
from gomogo_core.engines.gomoku.shapes import RENJU
from gomogo_core.engines.gomoku.threats import (
    NO_CELL,
    class_at,
    count_points_of_class,
    count_threes_at,
    five_point,
    is_forbidden,
    may_play,
    vcf,
    winning_four_point,
    write_replies,
)

_MASK_ROWS = 40
_MAX_VCF_NODES = 2000
_PLIES_AFTER_DEFENCE = 4  # plies from the defender's move to the five, if nothing stops the winning four


@njit(boolean(ARRAYS), **OPTIONS)
def _fours_stay_allowed(arrays: Arrays) -> Boolean:
    """Return whether Renju still allows each of black's winning fours after any move of white, because none of these
    fours makes two threes.
    """
    state = unchecked_view(arrays.state)
    for row in range(BORDER_WIDTH, BORDER_WIDTH + state[BOARD_SIZE]):
        bits = np.int64(state[FOUR_MASKS_START + row])
        while bits:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            uncertain = class_at(state, cell, BLACK) == WINNING_FOUR and count_threes_at(state, cell) > 1
            if uncertain and not is_forbidden(arrays, cell):
                return False
    return True


@njit(int64(ARRAYS, int64, int64, int64), **OPTIONS)
def prove_win(arrays: Arrays, attacker: Colour, depth: Int64, ply: Int64) -> Int64:
    """Return the number of plies to a five if `attacker` wins by threats, or 0 if the search finds no such win.

    The attacker plays at most `depth` threats before the final sequence of fours. `ply` is the number of plies from the
    root. If the attacker is to move, state[BEST_MOVE] receives its move.
    """
    state, hashes = unchecked_view(arrays.state), arrays.hashes
    defender = COLOUR_SUM - attacker
    count_node(state, NODE_COUNT, STOP_FLAG)
    if (
        state[NODE_COUNT] >= state[NODE_LIMIT]
        or state[STOP_FLAG]
        or ply >= MAX_PLIES - 1
        or state[STONE_COUNT] + 4 > state[BOARD_SIZE] * state[BOARD_SIZE]
    ):
        return 0
    if state[TURN] == attacker:
        if count_points_of_class(state, attacker, FIVE):
            state[BEST_MOVE] = five_point(state, attacker)
            return 1
        answer = np.int64(NO_CELL)
        if count_points_of_class(state, defender, FIVE):
            answer = np.int64(five_point(state, defender))
            if count_points_of_class(state, defender, FIVE) > 1 or not may_play(arrays, answer):
                return 0
        else:
            four = winning_four_point(arrays, attacker)
            if four != NO_CELL:
                state[BEST_MOVE] = four
                return 3
        plies = vcf(arrays, _MAX_VCF_NODES, np.int64(PLAIN_FOUR))
        state[NODE_COUNT] += state[VCF_NODE_COUNT]
        if plies:
            state[BEST_MOVE] = state[VCF_MOVE] if state[VCF_MOVE] != NO_CELL else answer
            return plies
        if depth <= 0:
            return 0
        key = hashes[POSITION_KEY] ^ (np.uint64(0x9E3779B97F4A7C15) * np.uint64(8 * depth + attacker + 4))
        slot = U64(VCF_TABLE_START) + U64(key >> np.uint64(48)) % U64(VCF_TABLE_SIZE)
        if hashes[slot] == key:
            return 0
        for stage in range(2):
            masks = (THREE_MASKS_START if stage == 0 else FOUR_MASKS_START) + _MASK_ROWS * (attacker - 1)
            for row in range(BORDER_WIDTH, BORDER_WIDTH + state[BOARD_SIZE]):
                bits = np.int64(state[masks + row])
                while bits:
                    cell = row * STRIDE + lowest_bit(bits)
                    bits &= bits - 1
                    point_class = class_at(state, cell, attacker)
                    if not (THREE <= point_class <= DOUBLE_THREE or PLAIN_FOUR <= point_class <= FOUR_THREE):
                        continue
                    if (answer != NO_CELL and cell != answer) or not may_play(arrays, cell):
                        continue
                    place_stone(arrays, cell)
                    plies = prove_win(arrays, np.int64(attacker), np.int64(depth - 1), np.int64(ply + 1))
                    remove_last_stone(arrays)
                    if plies:
                        state[BEST_MOVE] = cell
                        return plies + 1
        if state[NODE_COUNT] < state[NODE_LIMIT] and not state[STOP_FLAG]:
            hashes[slot] = key
        return 0

    if count_points_of_class(state, defender, FIVE):
        return 0
    fives = count_points_of_class(state, attacker, FIVE)
    if fives:
        blocking_point = np.int64(five_point(state, attacker))
        if fives > 1 or not may_play(arrays, blocking_point):
            return 2
        place_stone(arrays, blocking_point)
        plies = prove_win(arrays, np.int64(attacker), np.int64(depth), np.int64(ply + 1))
        remove_last_stone(arrays)
        return plies + 1 if plies else 0
    if winning_four_point(arrays, defender) != NO_CELL:
        return 0
    threat = winning_four_point(arrays, attacker)
    if threat == NO_CELL:
        return 0
    if state[RULE] == RENJU and attacker == BLACK and not _fours_stay_allowed(arrays):
        return 0
    start = MOVE_LISTS_START + MOVE_LIST_SIZE * ply
    count = write_replies(arrays, start)
    longest = np.int64(_PLIES_AFTER_DEFENCE)
    for i in range(count):
        cell = np.int64(state[start + 2 * i])
        if not may_play(arrays, cell):
            continue
        place_stone(arrays, cell)
        plies = prove_win(arrays, np.int64(attacker), np.int64(depth), np.int64(ply + 1))
        remove_last_stone(arrays)
        if not plies:
            return 0
        longest = max(longest, plies + 1)
    return longest
