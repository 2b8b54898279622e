"""Proves wins by threats: victory by continuous fours and threes (VCT), against every defence.

The module uses the board and its threats. The attacker plays only moves that make a four or an open three. The defender
tries every move that may prevent the win. Against a four there is one answer. Against a threat of a winning four, these
moves are each point that stops all winning fours, and each four of the defender. Any other move loses to the winning
four at once, so no defence is left out. L. V. Allis, H. J. van den Herik and M. Huntjens, Go-Moku Solved by New Search
Techniques, Computational Intelligence 12 (1996).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.gomoku.array_layout import (
    BEST_MOVE,
    BLACK,
    FOURS,
    HASH,
    LAST_FIVE,
    LIST,
    LIST_SIZE,
    MOST_PLY,
    NODE_LIMIT,
    NODES,
    OTHER,
    REACH,
    RULE,
    SIZE,
    STONES,
    STOP,
    STRIDE,
    THREES,
    TURN,
    VCF_ENTRIES,
    VCF_NODES,
    VCF_TABLE,
    Boolean,
    ClassTables,
    Colour,
    HashArray,
    LineTable,
    Number,
    StateArray,
)
from gomogo_core.engines.gomoku.board import U, lowest_bit, make, unmake
from gomogo_core.engines.gomoku.classes import FOUR_PLAIN, FOUR_THREE, THREE, TWO_THREES, WIN, WINNING_FOUR
from gomogo_core.engines.gomoku.shapes import RENJU
from gomogo_core.engines.gomoku.threats import (
    NO_CELL,
    class_at,
    count_class,
    count_threes_at,
    five_point,
    is_forbidden,
    may_play,
    replies,
    vcf,
    winning_four,
)

_PER_ROW = 40
_VCF_LIMIT = 2000
_ANSWERED = 4  # plies from the defender's move to the five, if nothing stops the winning four


@njit("boolean(int32[::1], uint8[::1], int32[::1], uint64[::1])", cache=True, nogil=True)
def _fours_stay_allowed(state: StateArray, lines: LineTable, class_tables: ClassTables, hashes: HashArray) -> Boolean:
    """Return whether all of black's winning fours stay allowed in Renju, whatever white plays, since none makes two
    threes.
    """
    for row in range(REACH, REACH + state[SIZE]):
        bits = np.int64(state[FOURS + row])
        while bits:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            uncertain = class_at(state, cell, BLACK) == WINNING_FOUR and count_threes_at(state, cell) > 1
            if uncertain and not is_forbidden(state, lines, class_tables, hashes, cell):
                return False
    return True


@njit("int64(int32[::1], uint8[::1], int32[::1], uint64[::1], int64, int64, int64)", cache=True, nogil=True)
def prove(
    state: StateArray,
    lines: LineTable,
    class_tables: ClassTables,
    hashes: HashArray,
    attacker: Colour,
    depth: Number,
    ply: Number,
) -> Number:
    """Return the number of plies to a five if `attacker` wins by threats, or 0 if the search finds no such win.

    The attacker plays at most `depth` threats before the final sequence of fours. `ply` is the number of plies from the
    root. If the attacker is to move, state[BEST_MOVE] receives its move.
    """
    defender = OTHER - attacker
    state[NODES] += 1
    if (
        state[NODES] >= state[NODE_LIMIT]
        or state[STOP]
        or ply >= MOST_PLY - 1
        or state[STONES] + 4 > state[SIZE] * state[SIZE]
    ):
        return 0
    if state[TURN] == attacker:
        if count_class(state, attacker, WIN):
            state[BEST_MOVE] = five_point(state, attacker)
            return 1
        answer = np.int64(NO_CELL)
        if count_class(state, defender, WIN):
            answer = np.int64(five_point(state, defender))
            if count_class(state, defender, WIN) > 1 or not may_play(state, lines, class_tables, hashes, answer):
                return 0
        else:
            four = winning_four(state, lines, class_tables, hashes, attacker)
            if four != NO_CELL:
                state[BEST_MOVE] = four
                return 3
        plies = vcf(state, lines, class_tables, hashes, _VCF_LIMIT, np.int64(FOUR_PLAIN))
        state[NODES] += state[VCF_NODES]
        if plies:
            state[BEST_MOVE] = state[LAST_FIVE] if state[LAST_FIVE] != NO_CELL else answer
            return plies
        if depth <= 0:
            return 0
        key = hashes[HASH] ^ (np.uint64(0x9E3779B97F4A7C15) * np.uint64(8 * depth + attacker + 4))
        slot = U(VCF_TABLE) + U(key >> np.uint64(48)) % U(VCF_ENTRIES)
        if hashes[slot] == key:
            return 0
        for stage in range(2):
            masks = (THREES if stage == 0 else FOURS) + _PER_ROW * (attacker - 1)
            for row in range(REACH, REACH + state[SIZE]):
                bits = np.int64(state[masks + row])
                while bits:
                    cell = row * STRIDE + lowest_bit(bits)
                    bits &= bits - 1
                    kind = class_at(state, cell, attacker)
                    if not (THREE <= kind <= TWO_THREES or FOUR_PLAIN <= kind <= FOUR_THREE):
                        continue
                    if (answer != NO_CELL and cell != answer) or not may_play(state, lines, class_tables, hashes, cell):
                        continue
                    make(state, lines, class_tables, hashes, cell)
                    plies = prove(
                        state, lines, class_tables, hashes, np.int64(attacker), np.int64(depth - 1), np.int64(ply + 1)
                    )
                    unmake(state, lines, class_tables, hashes)
                    if plies:
                        state[BEST_MOVE] = cell
                        return plies + 1
        if state[NODES] < state[NODE_LIMIT] and not state[STOP]:
            hashes[slot] = key
        return 0

    if count_class(state, defender, WIN):
        return 0
    fives = count_class(state, attacker, WIN)
    if fives:
        block = np.int64(five_point(state, attacker))
        if fives > 1 or not may_play(state, lines, class_tables, hashes, block):
            return 2
        make(state, lines, class_tables, hashes, block)
        plies = prove(state, lines, class_tables, hashes, np.int64(attacker), np.int64(depth), np.int64(ply + 1))
        unmake(state, lines, class_tables, hashes)
        return plies + 1 if plies else 0
    if winning_four(state, lines, class_tables, hashes, defender) != NO_CELL:
        return 0
    threat = winning_four(state, lines, class_tables, hashes, attacker)
    if threat == NO_CELL:
        return 0
    if state[RULE] == RENJU and attacker == BLACK and not _fours_stay_allowed(state, lines, class_tables, hashes):
        return 0
    start = LIST + LIST_SIZE * ply
    count = replies(state, lines, class_tables, hashes, start)
    longest = np.int64(_ANSWERED)
    for i in range(count):
        cell = np.int64(state[start + 2 * i])
        if not may_play(state, lines, class_tables, hashes, cell):
            continue
        make(state, lines, class_tables, hashes, cell)
        plies = prove(state, lines, class_tables, hashes, np.int64(attacker), np.int64(depth), np.int64(ply + 1))
        unmake(state, lines, class_tables, hashes)
        if not plies:
            return 0
        longest = max(longest, plies + 1)
    return longest
