"""Principal variation search with a transposition table. Pruning and reductions make it deep.

The module uses the board, its threats and the table. Begin to read at `search_root`, then `_search`.

The first half of `_search` handles nodes with a five, a four to answer or a threat of a winning four. There the counts
of point classes decide the result or leave few moves. docs/why/champion.md has the matches that measured each block
that prunes other moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.gomoku.array_layout import (
    BLACK,
    BOARD,
    COLOUR,
    CONTEXT,
    COUNT,
    COUNTER,
    HIDDEN,
    HIDDEN_UNITS,
    HISTORY,
    LAST_FIVE,
    LAST_MOVE,
    LIST,
    LIST_SIZE,
    MOST_PLY,
    NODE_LIMIT,
    NODES,
    OCCUPIED,
    OTHER,
    REACH,
    RECORD,
    ROOT,
    ROOT_COUNT,
    ROOT_DEPTH,
    ROOT_ENTRY,
    RULE,
    SEARCH_PARAMETERS,
    SELECTIVE_DEPTH,
    SHAPES,
    SIZE,
    STONES,
    STOP,
    STRIDE,
    TURN,
    VALUE,
    VCF_NODES,
    Cell,
    ClassTables,
    Colour,
    HashArray,
    LineTable,
    Number,
    StateArray,
    TableArray,
)
from gomogo_core.engines.gomoku.board import U, lowest_bit, make, unmake
from gomogo_core.engines.gomoku.classes import (
    COUNT_STEPS,
    COUNTED,
    COUNTED_FROM,
    DIRECT_BITS,
    FORBIDDEN,
    FOUR_AND_MORE,
    FOUR_PLAIN,
    FOUR_THREE,
    HEAD,
    POLICY,
    POLICY_BITS,
    POLICY_OWN,
    POLICY_UNITS,
    POLICY_WIDTH,
    RANK_BITS,
    RESULT_BITS,
    SHAPE_SETS,
    STEPS_OF_COUNTS,
    TABLE_COLUMNS,
    THREE,
    WIN,
    WINNING_FOUR,
)
from gomogo_core.engines.gomoku.shapes import RENJU
from gomogo_core.engines.gomoku.table import EXACT, LOWER, UPPER, WINS, probe, store, stored_value
from gomogo_core.engines.gomoku.threats import (
    NO_CELL,
    class_at,
    count_class,
    five_point,
    may_play,
    replies,
    vcf,
    winning_four,
)
from gomogo_core.engines.gomoku.weights import TEMPO

WON = 30000  # WON - n is the value of a win in n plies
INFINITY = 31000
MOST_VALUE = 12000  # the largest value of an evaluation

# The numbers of the search, which tuning may change; state[SEARCH_PARAMETERS:] holds them.
(
    VCF_LEAF,
    VCF_INNER,
    RAZOR,
    FUTILITY_BASE,
    FUTILITY_SLOPE,
    STATIC_SLOPE,
    LATE_BASE,
    LATE_SLOPE,
    REDUCTION_BASE,
    REDUCTION_SLOPE,
    ASPIRATION,
    THREAT_PLIES,
    SINGULAR_DEPTH,
    SINGULAR_MARGIN,
    HISTORY_SHARE,
    RANK_BASE,
    RANK_SLOPE,
    REDUCTION_RANK,
    REDUCTION_RANK_FROM,
) = range(19)
_LOGARITHMS = np.round(16 * np.log(np.maximum(np.arange(64), 1))).astype(np.int32)
DEFAULT_SEARCH_PARAMETERS = np.array(
    [20, 30, 78, 74, 26, 68, 5, 1, 47, 8, 39, 16, 7, 3, 220, 210, 34, 9, 134], dtype=np.int32
)


@njit("int64(int32[::1])", cache=True, nogil=True)
def sum_of_points(state: StateArray) -> Number:
    """Return the sum of the values of the mover's points, as the player to move, minus the sum for the opponent."""
    packed = state[VALUE]
    for_white = ((packed + 32768) & 0xFFFF) - 32768
    return (for_white if state[TURN] != BLACK else (packed - for_white) >> 16) + TEMPO


@njit("void(int32[::1], int32[::1], int64, int64)", cache=True, nogil=True)
def _add_counts(state: StateArray, class_tables: ClassTables, row: Number, units: Number) -> None:
    """Add to the HIDDEN_UNITS numbers at `state[units:]` one row of the head or the policy for each class of points.

    The counts of points of the class select the row; the rows begin at `row`.
    """
    counts = COUNT + 16 * state[TURN] + COUNTED_FROM
    for _ in range(2):
        for kind in range(COUNTED):
            count = state[U(counts + kind)]
            if count:
                at = row + HIDDEN_UNITS * STEPS_OF_COUNTS[U(min(count, 63))]
                for j in range(HIDDEN_UNITS):
                    state[U(units + j)] += class_tables[U(at + j)]
            row += HIDDEN_UNITS * COUNT_STEPS
        counts = COUNT + 16 * (OTHER - state[TURN]) + COUNTED_FROM


@njit("int64(int32[::1], int32[::1])", cache=True, nogil=True)
def evaluate(state: StateArray, class_tables: ClassTables) -> Number:
    """Evaluate the position for the mover, by a small network.

    Its inputs are the sum of the point values and the number of points of each class. The sum alone would not take
    account of combined threats.
    """
    value = max(-MOST_VALUE, min(MOST_VALUE, sum_of_points(state)))
    for j in range(HIDDEN_UNITS):
        weight = class_tables[U(HEAD + HIDDEN_UNITS + j)]
        state[U(HIDDEN + j)] = class_tables[U(HEAD + j)] + ((value * weight) >> 8)
    _add_counts(state, class_tables, HEAD + 4 * HIDDEN_UNITS, HIDDEN)
    result = value * class_tables[U(HEAD + 3 * HIDDEN_UNITS)] + class_tables[U(HEAD + 3 * HIDDEN_UNITS + 1)]
    for j in range(HIDDEN_UNITS):
        result += max(0, state[U(HIDDEN + j)]) * class_tables[U(HEAD + 2 * HIDDEN_UNITS + j)]
    return max(-MOST_VALUE, min(MOST_VALUE, result >> RESULT_BITS))


@njit("int64(int32[::1], int64)", cache=True, nogil=True)
def generate(state: StateArray, start: Number) -> Number:
    """Write the empty points near stones to `state[start:]` as pairs of a cell and its rank, still unset; return their
    number.

    A point is near a stone if it is at most two rows and columns away, or three steps along a line. On an empty board,
    the only such point is the centre.
    """
    size = state[SIZE]
    if state[STONES] == 0:
        state[start] = (REACH + size // 2) * STRIDE + REACH + size // 2
        return 1
    count = 0
    for row in range(REACH, REACH + size):
        at = OCCUPIED + row
        wide = state[at - 2] | state[at - 1] | state[at] | state[at + 1] | state[at + 2]
        near = wide | (wide << 1) | (wide >> 1) | (wide << 2) | (wide >> 2)
        up, down = state[at - 3], state[at + 3]
        both = up | down
        near |= both | (both << 3) | (both >> 3) | (state[at] << 3) | (state[at] >> 3)
        bits = near & state[BOARD + row] & ~state[at]
        while bits and count < LIST_SIZE // 2:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            state[start + 2 * count] = cell
            count += 1
    return count


@njit("int64(int32[::1], int64, int64, int64)", cache=True, nogil=True)
def _swap_best_to(state: StateArray, start: Number, index: Number, count: Number) -> Number:
    """Swap the best move of the places from `index` on to the place `index`, and return it."""
    best, rank = index, state[U(start + 2 * index + 1)]
    for j in range(index + 1, count):
        other = state[U(start + 2 * j + 1)]
        if other > rank:
            best, rank = j, other
    move = state[start + 2 * best]
    state[start + 2 * best], state[start + 2 * best + 1] = state[start + 2 * index], state[start + 2 * index + 1]
    state[start + 2 * index], state[start + 2 * index + 1] = move, rank
    return move


@njit("int64(int32[::1], int32[::1], int64)", cache=True, nogil=True)
def rank_of(state: StateArray, class_tables: ClassTables, cell: Cell) -> Number:
    """Return the policy's rank of a move: 60 times the logarithm of its odds. CONTEXT must have been computed."""
    shapes = state[U(cell * RECORD + SHAPES)]
    first, second = shapes & 0xFFFF, (shapes >> 16) & 0xFFFF
    if state[TURN] != BLACK:
        first, second = second, first
    own = POLICY + POLICY_WIDTH * (POLICY_OWN + (class_tables[U(first * TABLE_COLUMNS)] >> 4))
    other = POLICY + POLICY_WIDTH * (POLICY_OWN + SHAPE_SETS + (class_tables[U(second * TABLE_COLUMNS)] >> 4))
    total = np.int32(0)
    for j in range(POLICY_UNITS):
        unit = np.int32(class_tables[U(own + j)] + class_tables[U(other + j)] + state[U(CONTEXT + j)])
        weight = np.int32(max(unit, np.int32(0)) * class_tables[U(POLICY + POLICY_WIDTH + j)])
        total = np.int32(total + weight)
    at_once = class_tables[U(own + POLICY_UNITS)] + class_tables[U(other + POLICY_UNITS)]
    return (at_once >> DIRECT_BITS) + (total >> (POLICY_BITS + RANK_BITS))


@njit("int64(int32[::1], int32[::1], int64, int64, int64, int64)", cache=True, nogil=True)
def rank_moves(
    state: StateArray, class_tables: ClassTables, start: Number, count: Number, first: Number, last: Number
) -> Number:
    """Write the rank of each move, and return the highest rank.

    The rank depends on the policy, on whether the move refuted `last` before, and on the history heuristic. The move of
    the transposition table, `first`, gets a rank above all others, which does not count for the result.
    """
    us = state[TURN]
    counter = state[COUNTER + 2 * last + us - 1]
    for j in range(HIDDEN_UNITS):
        state[U(CONTEXT + j)] = class_tables[U(POLICY + j)]
    _add_counts(state, class_tables, POLICY + 2 * POLICY_WIDTH, CONTEXT)
    top = -INFINITY
    for i in range(count):
        cell = state[start + 2 * i]
        if cell == first:
            state[start + 2 * i + 1] = 1 << 24
            continue
        rank = rank_of(state, class_tables, cell)
        rank += (state[cell * RECORD + HISTORY + us - 1] * state[SEARCH_PARAMETERS + HISTORY_SHARE]) >> 10
        if cell == counter:
            rank += 30
        state[start + 2 * i + 1] = rank
        if rank > top:
            top = rank
    return top


@njit("void(int32[::1], int64, int64, int64)", cache=True, nogil=True)
def _update_history(state: StateArray, cell: Cell, colour: Colour, bonus: Number) -> None:
    """Move the history score of a stone towards the sign of `bonus`; the score stays within ±1024."""
    at = cell * RECORD + HISTORY + colour - 1
    state[at] += bonus - state[at] * abs(bonus) // 1024


@njit("int64(int64)", cache=True, nogil=True)
def _log(number: Number) -> Number:
    """Return 16 times the natural logarithm of a number, rounded; numbers above 63 count as 63."""
    return _LOGARITHMS[min(number, 63)]


@njit(
    "int64(int32[::1], uint8[::1], int32[::1], uint64[::1], uint64[::1], int64, int64, int64, int64, int64)",
    cache=True,
    nogil=True,
)
def _search(
    state: StateArray,
    lines: LineTable,
    class_tables: ClassTables,
    hashes: HashArray,
    table: TableArray,
    alpha: Number,
    beta: Number,
    depth: Number,
    ply: Number,
    skipped: Number,
) -> Number:
    """Return the value of the position for its mover: exact between `alpha` and `beta`, else a bound.

    The move `skipped`, if it is not NO_CELL, is left out.
    """
    state[NODES] += 1
    if state[STOP] or state[NODES] >= state[NODE_LIMIT]:
        state[STOP] = 1
        return 0
    none = np.int64(NO_CELL)  # a recursive call from the cache needs the exact types, not a literal
    us = state[TURN]
    them = OTHER - us

    # Positions that the threat counts decide.
    if count_class(state, us, WIN):
        return WON - ply - 1
    if state[STONES] >= state[SIZE] * state[SIZE]:
        return 0
    if ply > state[SELECTIVE_DEPTH]:
        state[SELECTIVE_DEPTH] = ply
    fives = count_class(state, them, WIN)
    if fives:
        if fives > 1:
            return -(WON - ply - 2)
        answer = five_point(state, them)
        if not may_play(state, lines, class_tables, hashes, answer):
            return -(WON - ply - 2)
        if state[STONES] + 1 == state[SIZE] * state[SIZE]:
            return 0
        if ply >= MOST_PLY:
            return evaluate(state, class_tables)
        make(state, lines, class_tables, hashes, answer)  # a forced answer costs no depth
        value = -_search(state, lines, class_tables, hashes, table, -beta, -alpha, depth, ply + 1, none)
        unmake(state, lines, class_tables, hashes)
        return value
    if count_class(state, us, WINNING_FOUR) and (
        state[RULE] != RENJU or winning_four(state, lines, class_tables, hashes, us)
    ):
        return WON - ply - 3
    if ply >= MOST_PLY:
        return evaluate(state, class_tables)
    alpha = max(alpha, -(WON - ply - 4))
    beta = min(beta, WON - ply - 5)
    if alpha >= beta:
        return alpha
    threatened = count_class(state, them, WINNING_FOUR) > 0
    if threatened and state[RULE] == RENJU:
        threatened = winning_four(state, lines, class_tables, hashes, them) != NO_CELL

    # Transposition table.
    wide = beta - alpha > 1
    remembered = 0
    first = NO_CELL
    known_depth, known_bound, known_value = -8, 0, 0
    if skipped == NO_CELL:
        remembered = probe(hashes, table)
        if remembered:
            first = (remembered >> 32) & 0xFFF
            known_depth = ((remembered >> 44) & 0xFF) - 8
            known_bound = (remembered >> 52) & 3
            known_value = stored_value(remembered, ply)
            if known_depth >= depth and not wide:
                if known_bound == EXACT:
                    return known_value
                if known_bound == LOWER and known_value >= beta:
                    return known_value
                if known_bound == UPPER and known_value <= alpha:
                    return known_value
    evaluation = ((remembered >> 16) & 0xFFFF) - 32768 if remembered else evaluate(state, class_tables)

    # Look for a win by continuous fours, at leaves only if a four and a three at once are possible. Fours that prepare
    # nothing are left out: so wins and losses are proved in two thirds of the time.
    if (
        skipped == NO_CELL
        and known_depth < -1 + (depth > 0)
        and (count_class(state, us, FOUR_THREE) or (depth > 0 and count_class(state, us, FOUR_AND_MORE)))
    ):
        limit = state[SEARCH_PARAMETERS + (VCF_INNER if depth > 0 else VCF_LEAF)]
        plies = vcf(state, lines, class_tables, hashes, limit, np.int64(FOUR_AND_MORE))
        state[NODES] += state[VCF_NODES]
        if plies:
            value = WON - ply - plies
            store(state, hashes, table, value, evaluation, state[LAST_FIVE] if plies > 3 else NO_CELL, 30, LOWER, ply)
            return value

    if depth <= 0:
        # Answer a threat of a winning four before the position is evaluated.
        if not threatened or ply >= 2 * state[ROOT_DEPTH] + state[SEARCH_PARAMETERS + THREAT_PLIES]:
            store(state, hashes, table, evaluation, evaluation, NO_CELL, 0, EXACT, ply)
            return evaluation
        depth = 1

    # Razoring and reverse futility pruning: a value far outside the window stays outside.
    quiet = not threatened and not wide and skipped == NO_CELL
    if quiet and abs(alpha) < WINS and abs(beta) < WINS:
        if (
            depth <= 3
            and evaluation
            + state[SEARCH_PARAMETERS + RAZOR] * depth * (depth + 1) // 2
            + state[SEARCH_PARAMETERS + FUTILITY_BASE]
            < alpha
        ):
            return evaluation
        if depth <= 6 and evaluation - state[SEARCH_PARAMETERS + STATIC_SLOPE] * depth >= beta:
            return evaluation
    if first == NO_CELL and depth >= 4 and not threatened:
        depth -= 1  # internal iterative reduction: a node without a table move is first searched less deeply

    start = LIST + LIST_SIZE * ply
    last = state[LAST_MOVE]
    best, best_move, sure = -INFINITY, NO_CELL, alpha
    if threatened:
        best = -(WON - ply - 4)  # without a defence, the mover loses in four plies
    late = state[SEARCH_PARAMETERS + LATE_BASE] + state[SEARCH_PARAMETERS + LATE_SLOPE] * depth * depth // 2
    # The table's move is searched before the others are listed: often it is good enough.
    i = 0 if first == NO_CELL or state[U(first * RECORD + COLOUR)] else -1
    searched = count = top = 0
    while True:
        if i == 0:
            count = replies(state, lines, class_tables, hashes, start) if threatened else generate(state, start)
            top = rank_moves(state, class_tables, start, count, first, last)
        if i == count:
            break
        cell: Any = np.int64(first) if i < 0 else _swap_best_to(state, start, i, count)
        i += 1
        if cell == skipped or (searched and cell == first):
            continue
        ours, theirs = class_at(state, cell, us), class_at(state, cell, them)
        if (
            state[RULE] == RENJU
            and us == BLACK
            and (ours == FORBIDDEN or not may_play(state, lines, class_tables, hashes, cell))
        ):
            continue
        forcing = THREE <= ours <= WINNING_FOUR
        important = forcing or THREE <= theirs <= WINNING_FOUR
        behind = top - state[U(start + 2 * i - 1)]
        if best > -WINS and not threatened and searched > 0 and ply > 0:
            # Move-count pruning, and pruning by rank: a move of low rank is seldom the best.
            if not forcing and (
                searched >= late
                or behind > state[SEARCH_PARAMETERS + RANK_BASE] + state[SEARCH_PARAMETERS + RANK_SLOPE] * depth
            ):
                continue
            # Futility pruning: a quiet move cannot make up for so large a deficit.
            if (
                not wide
                and not important
                and depth <= 5
                and evaluation
                + state[SEARCH_PARAMETERS + FUTILITY_BASE]
                + state[SEARCH_PARAMETERS + FUTILITY_SLOPE] * depth
                <= alpha
            ):
                continue
        extension = 0
        if (
            cell == first
            and depth >= state[SEARCH_PARAMETERS + SINGULAR_DEPTH]
            and skipped == NO_CELL
            and known_bound & LOWER
            and known_depth >= depth - 3
            and abs(known_value) < WINS
        ):
            # Singular extension: search a move that is much better than all others more deeply.
            margin = known_value - state[SEARCH_PARAMETERS + SINGULAR_MARGIN] * depth
            rest = _search(
                state, lines, class_tables, hashes, table, margin - 1, margin, depth // 2, ply, np.int64(cell)
            )
            if state[STOP]:
                return 0
            if rest < margin:
                extension = 1
            elif margin >= beta:
                return margin
        make(state, lines, class_tables, hashes, cell)
        next_depth = depth - 1 + extension
        if searched == 0:
            value = -_search(state, lines, class_tables, hashes, table, -beta, -alpha, next_depth, ply + 1, none)
        else:
            reduction = 0
            if depth >= 3 and searched >= 2 and not threatened:
                # Late move reductions.
                reduction = (
                    state[SEARCH_PARAMETERS + REDUCTION_BASE]
                    + state[SEARCH_PARAMETERS + REDUCTION_SLOPE] * _log(depth) * _log(searched) // 16
                    + state[SEARCH_PARAMETERS + REDUCTION_RANK]
                    * (behind - state[SEARCH_PARAMETERS + REDUCTION_RANK_FROM])
                    // 60
                ) // 100
                reduction -= wide
                reduction -= important
                reduction -= state[cell * RECORD + HISTORY + us - 1] // 512
                reduction = max(0, min(reduction, next_depth - 1))
            value = -_search(
                state, lines, class_tables, hashes, table, -alpha - 1, -alpha, next_depth - reduction, ply + 1, none
            )
            if reduction and value > alpha:
                value = -_search(
                    state, lines, class_tables, hashes, table, -alpha - 1, -alpha, next_depth, ply + 1, none
                )
            if alpha < value < beta:
                value = -_search(state, lines, class_tables, hashes, table, -beta, -alpha, next_depth, ply + 1, none)
        unmake(state, lines, class_tables, hashes)
        if state[STOP]:
            return 0
        searched += 1
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                best_move = cell
                if value >= beta:
                    if ours < FOUR_PLAIN:
                        bonus = min(depth * depth, 256)
                        _update_history(state, cell, us, bonus)
                        state[COUNTER + 2 * last + us - 1] = cell
                        for j in range(i):  # the moves before it, and itself
                            if state[start + 2 * j] != cell:
                                _update_history(state, state[start + 2 * j], us, -bonus // 2)
                    break
    if searched == 0 and not threatened:
        return evaluation if skipped == NO_CELL else sure
    if skipped == NO_CELL:
        bound = LOWER if best >= beta else EXACT if best > sure else UPPER
        store(state, hashes, table, best, evaluation, best_move, depth, bound, ply)
    return best


@njit(
    "int64(int32[::1], uint8[::1], int32[::1], uint64[::1], uint64[::1], int64, int64, int64)",
    cache=True,
    nogil=True,
)
def search_root(
    state: StateArray,
    lines: LineTable,
    class_tables: ClassTables,
    hashes: HashArray,
    table: TableArray,
    alpha: Number,
    beta: Number,
    depth: Number,
) -> Number:
    """Search the root's moves, in their order, `depth` plies deep, and return the best value.

    Each root move has four numbers at ROOT: its cell, its value, its nodes, and 1 if it is left out. The best move is
    moved to the front. If `state[STOP]` is set on return, the values of moves that were searched completely are valid;
    the others are -INFINITY.
    """
    state[ROOT_DEPTH] = depth
    best = -INFINITY
    count = state[ROOT_COUNT]
    searched = 0
    for i in range(count):
        state[ROOT + ROOT_ENTRY * i + 1] = -INFINITY
    for i in range(count):
        at = ROOT + ROOT_ENTRY * i
        if state[at + 3]:
            continue
        cell = state[at]
        before = state[NODES]
        if class_at(state, cell, state[TURN]) == WIN:
            state[at + 1] = WON - 1
            return WON - 1
        make(state, lines, class_tables, hashes, cell)
        if searched == 0:
            value = -_search(state, lines, class_tables, hashes, table, -beta, -alpha, depth - 1, 1, NO_CELL)
        else:
            reduction = 0
            if depth >= 3 and searched >= 4:
                reduction = min(
                    depth - 2, _log(depth) * _log(searched) * state[SEARCH_PARAMETERS + REDUCTION_SLOPE] // 3200
                )
            value = -_search(
                state, lines, class_tables, hashes, table, -alpha - 1, -alpha, depth - 1 - reduction, 1, NO_CELL
            )
            if reduction and value > alpha:
                value = -_search(state, lines, class_tables, hashes, table, -alpha - 1, -alpha, depth - 1, 1, NO_CELL)
            if value > alpha and value < beta:
                value = -_search(state, lines, class_tables, hashes, table, -beta, -alpha, depth - 1, 1, NO_CELL)
        unmake(state, lines, class_tables, hashes)
        if state[STOP]:
            return best
        searched += 1
        state[at + 2] = state[NODES] - before
        state[at + 1] = value if value > alpha or searched == 1 else -INFINITY + 1
        if value > best:
            best = value
            if value > alpha or searched == 1:
                # to the front, the others one place down
                a, b, c, d = state[at], state[at + 1], state[at + 2], state[at + 3]
                for j in range(i, 0, -1):
                    for k in range(ROOT_ENTRY):
                        state[ROOT + ROOT_ENTRY * j + k] = state[ROOT + ROOT_ENTRY * (j - 1) + k]
                state[ROOT], state[ROOT + 1], state[ROOT + 2], state[ROOT + 3] = a, b, c, d
            alpha = max(alpha, value)
            if value >= beta:
                return best
    return best


@njit("int64(int32[::1], uint8[::1], int32[::1], uint64[::1], uint64[::1])", cache=True, nogil=True)
def root_moves(
    state: StateArray, lines: LineTable, class_tables: ClassTables, hashes: HashArray, table: TableArray
) -> Number:
    """Write the moves to search to ROOT, the best ranked first, at least one; return their number.

    If the mover can make a five or must stop one, that is the only move. Against a threat of a winning four, only moves
    that may answer it are written. Points that Renju forbids are written only if there is no other move.
    """
    us = state[TURN]
    them = OTHER - us
    start = LIST
    count = 0
    if count_class(state, us, WIN):
        state[start] = five_point(state, us)
        count = 1
    elif count_class(state, them, WIN):
        state[start] = five_point(state, them)
        count = 1
    else:
        four = winning_four(state, lines, class_tables, hashes, us) if count_class(state, us, WINNING_FOUR) else NO_CELL
        if four != NO_CELL:
            state[start] = four
            count = 1
        elif (
            count_class(state, them, WINNING_FOUR) and winning_four(state, lines, class_tables, hashes, them) != NO_CELL
        ):
            count = replies(state, lines, class_tables, hashes, start)
        else:
            count = generate(state, start)
    remembered = probe(hashes, table)
    rank_moves(state, class_tables, start, count, (remembered >> 32) & 0xFFF, state[LAST_MOVE])
    placed = 0
    for i in range(count):
        cell = _swap_best_to(state, start, i, count)
        if may_play(state, lines, class_tables, hashes, cell):
            at = ROOT + ROOT_ENTRY * placed
            state[at], state[at + 1], state[at + 2], state[at + 3] = cell, -INFINITY, 0, 0
            placed += 1
    for allowed in range(2):
        for row in range(REACH, REACH + state[SIZE]):
            bits = state[BOARD + row] & ~state[OCCUPIED + row]
            while bits and placed == 0:
                cell = row * STRIDE + lowest_bit(bits)
                bits &= bits - 1
                if allowed or may_play(state, lines, class_tables, hashes, cell):
                    state[ROOT], state[ROOT + 1], state[ROOT + 2], state[ROOT + 3] = cell, -INFINITY, 0, 0
                    placed = 1
    state[ROOT_COUNT] = placed
    return placed


@njit("int64(int32[::1], uint8[::1], int32[::1], uint64[::1], uint64[::1])", cache=True, nogil=True)
def expected_move(
    state: StateArray, lines: LineTable, class_tables: ClassTables, hashes: HashArray, table: TableArray
) -> Number:
    """Return the move that is forced, or else the move of the transposition table, or NO_CELL."""
    us = state[TURN]
    if count_class(state, us, WIN):
        return five_point(state, us)
    if count_class(state, OTHER - us, WIN):
        return five_point(state, OTHER - us)
    if count_class(state, us, WINNING_FOUR):
        return winning_four(state, lines, class_tables, hashes, us)
    return np.int64((probe(hashes, table) >> 32) & 0xFFF)
