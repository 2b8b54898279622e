"""Principal variation search with a transposition table. Pruning and reductions make it deep.

The module uses the board, its threats and the table. Begin to read at `search_root`, then `_search`.

The first half of `_search` handles nodes with a five, a four to answer or a threat of a winning four. There the counts
of point classes decide the result or leave few moves. docs/why/champion.md has the matches that measured each block
that prunes other moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, njit, void

from gomogo_core.engines.clock import count_node

from gomogo_core.engines.gomoku.array_layout import (  # isort: skip
    BLACK, BOARD_MASKS_START, BOARD_SIZE, BORDER_WIDTH, CLASS_COUNTS_START, COLOUR, COLOUR_SUM, COUNTER_MOVES_START,
    HIDDEN_SUMS_START, HIDDEN_UNITS, HISTORY_SCORES, LAST_MOVE, MAX_PLIES, MOVE_LIST_SIZE, MOVE_LISTS_START, NODE_COUNT,
    NODE_LIMIT, OCCUPIED_MASKS_START, POINT_SHAPES, POINT_VALUE_SUM, POLICY_CONTEXT_START, RECORD_SIZE, ROOT_DEPTH,
    ROOT_MOVE_COUNT, ROOT_MOVE_SIZE, ROOT_MOVES_START, RULE, SEARCH_PARAMETERS_START, SELECTIVE_DEPTH, STONE_COUNT,
    STOP_FLAG, STRIDE, TURN, VCF_MOVE, VCF_NODE_COUNT, Arrays, Cell, ClassTables, Colour, Int64, StateArray,
)  # fmt: skip
from gomogo_core.engines.gomoku.board import ARRAYS, OPTIONS, U64, lowest_bit, place_stone, remove_last_stone

from gomogo_core.engines.gomoku.classes import (  # isort: skip
    CLASS_TABLE_COLUMNS, COUNT_STEPS, COUNTED_CLASSES, DIRECT_BITS, FIRST_COUNTED_CLASS, FIVE, FORBIDDEN, FOUR_AND_MORE,
    FOUR_THREE, HIDDEN_BITS, LINE_HEAD_COUNTS_OFFSET, LINE_HEAD_OFFSET, PLAIN_FOUR, POLICY_BITS, POLICY_OFFSET,
    POLICY_OWN_SHAPES_ROW, POLICY_ROW_SIZE, POLICY_UNITS, RANK_BITS, RESULT_BITS, SHAPE_SET_COUNT, STEP_OF_COUNT, THREE,
    VALUE_NETWORK_OFFSET, WINNING_FOUR,
)  # fmt: skip
from gomogo_core.engines.array_views import unchecked_view
from gomogo_core.engines.gomoku.line_network import (
    compute_units,
    line_policy_rank,
    prepare_policy_for_position,
    update_sums,
)
from gomogo_core.engines.gomoku.shapes import RENJU
from gomogo_core.engines.gomoku.table import (
    CERTAIN_THRESHOLD,
    EXACT_VALUE,
    LOWER_BOUND,
    UPPER_BOUND,
    probe,
    store,
    stored_value,
)
from gomogo_core.engines.gomoku.threats import (
    NO_CELL,
    class_at,
    count_points_of_class,
    five_point,
    may_play,
    vcf,
    winning_four_point,
    write_replies,
)
from gomogo_core.engines.gomoku.weights import TEMPO

WIN_VALUE = 30000  # WIN_VALUE - n is the value of a win in n plies
INFINITY = 31000
MAX_EVALUATION = 12000  # the largest value of an evaluation

# The parameters of the search, which `gomogo tune` can change; state[SEARCH_PARAMETERS_START:] holds them.
(
    VCF_LEAF, VCF_INNER, RAZOR, FUTILITY_BASE, FUTILITY_SLOPE, STATIC_SLOPE, LATE_BASE, LATE_SLOPE, REDUCTION_BASE,
    REDUCTION_SLOPE, ASPIRATION, THREAT_PLIES, SINGULAR_DEPTH, SINGULAR_MARGIN, HISTORY_SHARE, RANK_BASE, RANK_SLOPE,
    REDUCTION_RANK, REDUCTION_RANK_FROM,
) = range(19)  # fmt: skip
_LOGARITHMS = np.round(16 * np.log(np.maximum(np.arange(64), 1))).astype(np.int32)
DEFAULT_SEARCH_PARAMETERS = np.array(
    [20, 30, 78, 74, 26, 68, 5, 1, 47, 8, 39, 16, 7, 3, 220, 210, 34, 11, 134], dtype=np.int32
)


@njit("int64(int32[::1])", **OPTIONS)
def point_value_sum(state: StateArray) -> Int64:
    """Return the sum of all point values from the view of the player to move, plus TEMPO."""
    packed = state[POINT_VALUE_SUM]
    for_white = ((packed + 32768) & 0xFFFF) - 32768
    return (for_white if state[TURN] != BLACK else (packed - for_white) >> 16) + TEMPO


@njit("void(int32[::1], int32[::1], int64, int64)", **OPTIONS)
def _add_counts(state: StateArray, class_tables: ClassTables, row: Int64, units: Int64) -> None:
    """Add one row of weights for each counted class to the HIDDEN_UNITS numbers at `state[units:]`.

    The number of points of a class selects its row. The rows, of the value network or the policy, begin at `row`.
    """
    counts = CLASS_COUNTS_START + 16 * state[TURN] + FIRST_COUNTED_CLASS
    for _ in range(2):
        for kind in range(COUNTED_CLASSES):
            count = state[U64(counts + kind)]
            if count:
                at = row + HIDDEN_UNITS * STEP_OF_COUNT[U64(min(count, 63))]
                for j in range(HIDDEN_UNITS):
                    state[U64(units + j)] += class_tables[U64(at + j)]
            row += HIDDEN_UNITS * COUNT_STEPS
        counts = CLASS_COUNTS_START + 16 * (COLOUR_SUM - state[TURN]) + FIRST_COUNTED_CLASS


@njit(void(ARRAYS), **OPTIONS)
def _compute_hidden_units(arrays: Arrays) -> None:
    """Write the hidden units of the line network's head to HIDDEN_SUMS_START."""
    update_sums(arrays)
    compute_units(arrays)
    _add_counts(arrays.state, arrays.class_tables, LINE_HEAD_COUNTS_OFFSET, HIDDEN_SUMS_START)


@njit(int64(ARRAYS), **OPTIONS)
def evaluate(arrays: Arrays) -> Int64:
    """Evaluate the position for the mover, by the line network and the number of points of each class.

    Without a line network (`rows` is empty), the inputs are the sum of the point values and these numbers. The sum
    alone would not take account of combined threats.
    """
    state, class_tables = unchecked_view(arrays.state), arrays.class_tables
    if arrays.rows.size:
        _compute_hidden_units(arrays)
        total = np.int64(0)
        for j in range(HIDDEN_UNITS):
            unit = np.int64(state[HIDDEN_SUMS_START + j])
            if j < HIDDEN_UNITS - 1:
                unit = max(unit, np.int64(0))
            total += unit * class_tables[U64(LINE_HEAD_OFFSET + HIDDEN_UNITS + j)]
        return max(-MAX_EVALUATION, min(MAX_EVALUATION, total >> (HIDDEN_BITS + RESULT_BITS)))
    value = max(-MAX_EVALUATION, min(MAX_EVALUATION, point_value_sum(state)))
    for j in range(HIDDEN_UNITS):
        weight = class_tables[U64(VALUE_NETWORK_OFFSET + HIDDEN_UNITS + j)]
        state[HIDDEN_SUMS_START + j] = class_tables[U64(VALUE_NETWORK_OFFSET + j)] + ((value * weight) >> 8)
    _add_counts(state, class_tables, VALUE_NETWORK_OFFSET + 4 * HIDDEN_UNITS, HIDDEN_SUMS_START)
    result = (
        value * class_tables[U64(VALUE_NETWORK_OFFSET + 3 * HIDDEN_UNITS)]
        + class_tables[U64(VALUE_NETWORK_OFFSET + 3 * HIDDEN_UNITS + 1)]
    )
    for j in range(HIDDEN_UNITS):
        result += max(0, state[HIDDEN_SUMS_START + j]) * class_tables[U64(VALUE_NETWORK_OFFSET + 2 * HIDDEN_UNITS + j)]
    return max(-MAX_EVALUATION, min(MAX_EVALUATION, result >> RESULT_BITS))


@njit("int64(int32[::1], int64)", **OPTIONS)
def generate_moves(state: StateArray, start: Int64) -> Int64:
    """Write the empty points near stones to `state[start:]` as pairs of a cell and an unset rank; return their number.

    A point is near a stone if it is at most two rows and columns away, or three steps along a line. On an empty board,
    the only such point is the centre.
    """
    size = state[BOARD_SIZE]
    if state[STONE_COUNT] == 0:
        state[start] = (BORDER_WIDTH + size // 2) * STRIDE + BORDER_WIDTH + size // 2
        return 1
    count = 0
    for row in range(BORDER_WIDTH, BORDER_WIDTH + size):
        at = OCCUPIED_MASKS_START + row
        wide = state[at - 2] | state[at - 1] | state[at] | state[at + 1] | state[at + 2]
        near = wide | (wide << 1) | (wide >> 1) | (wide << 2) | (wide >> 2)
        up, down = state[at - 3], state[at + 3]
        both_directions = up | down
        near |= both_directions | (both_directions << 3) | (both_directions >> 3) | (state[at] << 3) | (state[at] >> 3)
        bits = near & state[BOARD_MASKS_START + row] & ~state[at]
        while bits and count < MOVE_LIST_SIZE // 2:
            cell = row * STRIDE + lowest_bit(bits)
            bits &= bits - 1
            state[start + 2 * count] = cell
            count += 1
    return count


@njit("int64(int32[::1], int64, int64, int64)", **OPTIONS)
def _select_best(state: StateArray, start: Int64, index: Int64, count: Int64) -> Int64:
    """Find the best move among the places from `index` on, swap it into the place `index`, and return it."""
    best, rank = index, state[U64(start + 2 * index + 1)]
    for j in range(index + 1, count):
        other = state[U64(start + 2 * j + 1)]
        if other > rank:
            best, rank = j, other
    move = state[start + 2 * best]
    state[start + 2 * best], state[start + 2 * best + 1] = state[start + 2 * index], state[start + 2 * index + 1]
    state[start + 2 * index], state[start + 2 * index + 1] = move, rank
    return move


@njit("int64(int32[::1], int32[::1], int64)", **OPTIONS)
def policy_rank(state: StateArray, class_tables: ClassTables, cell: Cell) -> Int64:
    """Return the policy's rank of a move: 60 times the logarithm of its odds.

    The hidden units at POLICY_CONTEXT_START must have been computed.
    """
    shapes = state[U64(cell * RECORD_SIZE + POINT_SHAPES)]
    first, second = shapes & 0xFFFF, (shapes >> 16) & 0xFFFF
    if state[TURN] != BLACK:
        first, second = second, first
    own = POLICY_OFFSET + POLICY_ROW_SIZE * (
        POLICY_OWN_SHAPES_ROW + (class_tables[U64(first * CLASS_TABLE_COLUMNS)] >> 4)
    )
    other = POLICY_OFFSET + POLICY_ROW_SIZE * (
        POLICY_OWN_SHAPES_ROW + SHAPE_SET_COUNT + (class_tables[U64(second * CLASS_TABLE_COLUMNS)] >> 4)
    )
    total = np.int32(0)
    for j in range(POLICY_UNITS):
        unit = np.int32(
            class_tables[U64(own + j)] + class_tables[U64(other + j)] + state[U64(POLICY_CONTEXT_START + j)]
        )
        weight = np.int32(max(unit, np.int32(0)) * class_tables[U64(POLICY_OFFSET + POLICY_ROW_SIZE + j)])
        total = np.int32(total + weight)
    at_once = class_tables[U64(own + POLICY_UNITS)] + class_tables[U64(other + POLICY_UNITS)]
    return (at_once >> DIRECT_BITS) + (total >> (POLICY_BITS + RANK_BITS))


@njit(int64(ARRAYS, int64, int64, int64, int64), **OPTIONS)
def rank_moves(arrays: Arrays, start: Int64, count: Int64, table_move: Int64, last_move: Int64) -> Int64:
    """Write the rank of each move, and return the highest rank.

    The rank depends on the policy, on whether the move refuted `last_move` before, and on the history heuristic. The
    move of the transposition table, `table_move`, gets a rank above all others, which does not count for the result.
    """
    state, class_tables = unchecked_view(arrays.state), arrays.class_tables
    us = state[TURN]
    counter_move = state[COUNTER_MOVES_START + 2 * last_move + us - 1]
    # the policy of the line network was fitted on positions without a threat of a winning four
    by_lines = (
        arrays.rows.size > 0
        and count_points_of_class(state, us, WINNING_FOUR) == 0
        and count_points_of_class(state, COLOUR_SUM - us, WINNING_FOUR) == 0
    )
    if by_lines:
        _compute_hidden_units(arrays)
        prepare_policy_for_position(arrays)
    else:
        for j in range(HIDDEN_UNITS):
            state[POLICY_CONTEXT_START + j] = class_tables[U64(POLICY_OFFSET + j)]
        _add_counts(state, class_tables, POLICY_OFFSET + 2 * POLICY_ROW_SIZE, POLICY_CONTEXT_START)
    highest_rank = -INFINITY
    for i in range(count):
        cell = state[start + 2 * i]
        if cell == table_move:
            state[start + 2 * i + 1] = 1 << 24
            continue
        rank = line_policy_rank(arrays.features, cell) if by_lines else policy_rank(state, class_tables, cell)
        rank += (
            state[cell * RECORD_SIZE + HISTORY_SCORES + us - 1] * state[SEARCH_PARAMETERS_START + HISTORY_SHARE]
        ) >> 10
        if cell == counter_move:
            rank += 30
        state[start + 2 * i + 1] = rank
        if rank > highest_rank:
            highest_rank = rank
    return highest_rank


@njit("void(int32[::1], int64, int64, int64)", **OPTIONS)
def _update_history(state: StateArray, cell: Cell, colour: Colour, bonus: Int64) -> None:
    """Raise the history score of a stone if `bonus` is positive, else lower it; the score stays within ±1024."""
    at = cell * RECORD_SIZE + HISTORY_SCORES + colour - 1
    state[at] += bonus - state[at] * abs(bonus) // 1024


@njit("int64(int64)", **OPTIONS)
def _scaled_log(number: Int64) -> Int64:
    """Return 16 times the natural logarithm of a number, rounded; numbers above 63 count as 63."""
    return _LOGARITHMS[min(number, 63)]


@njit(int64(ARRAYS, int64, int64, int64, int64, int64), **OPTIONS)
def _search(arrays: Arrays, alpha: Int64, beta: Int64, depth: Int64, ply: Int64, excluded_move: Int64) -> Int64:
    """Return the value of the position for its mover: exact between `alpha` and `beta`, else a bound.

    The move `excluded_move`, if it is not NO_CELL, is left out.
    """
    state = unchecked_view(arrays.state)
    count_node(state, NODE_COUNT, STOP_FLAG)
    if state[STOP_FLAG] or state[NODE_COUNT] >= state[NODE_LIMIT]:
        state[STOP_FLAG] = 1
        return 0
    no_cell = np.int64(NO_CELL)  # a recursive call from the cache needs the exact types, not a literal
    us = state[TURN]
    them = COLOUR_SUM - us

    # Positions that the threat counts decide.
    if count_points_of_class(state, us, FIVE):
        return WIN_VALUE - ply - 1
    if state[STONE_COUNT] >= state[BOARD_SIZE] * state[BOARD_SIZE]:
        return 0
    if ply > state[SELECTIVE_DEPTH]:
        state[SELECTIVE_DEPTH] = ply
    fives = count_points_of_class(state, them, FIVE)
    if fives:
        if fives > 1:
            return -(WIN_VALUE - ply - 2)
        answer = five_point(state, them)
        if not may_play(arrays, answer):
            return -(WIN_VALUE - ply - 2)
        if state[STONE_COUNT] + 1 == state[BOARD_SIZE] * state[BOARD_SIZE]:
            return 0
        if ply >= MAX_PLIES:
            return evaluate(arrays)
        place_stone(arrays, answer)  # a forced answer costs no depth
        value = -_search(arrays, -beta, -alpha, depth, ply + 1, no_cell)
        remove_last_stone(arrays)
        return value
    if count_points_of_class(state, us, WINNING_FOUR) and (state[RULE] != RENJU or winning_four_point(arrays, us)):
        return WIN_VALUE - ply - 3
    if ply >= MAX_PLIES:
        return evaluate(arrays)
    alpha = max(alpha, -(WIN_VALUE - ply - 4))
    beta = min(beta, WIN_VALUE - ply - 5)
    if alpha >= beta:
        return alpha
    threatened = count_points_of_class(state, them, WINNING_FOUR) > 0
    if threatened and state[RULE] == RENJU:
        threatened = winning_four_point(arrays, them) != NO_CELL

    # Transposition table.
    is_wide_window = beta - alpha > 1
    entry = 0
    table_move = NO_CELL
    known_depth, known_bound, known_value = -8, 0, 0
    if excluded_move == NO_CELL:
        entry = probe(arrays)
        if entry:
            table_move = (entry >> 32) & 0xFFF
            known_depth = ((entry >> 44) & 0xFF) - 8
            known_bound = (entry >> 52) & 3
            known_value = stored_value(entry, ply)
            if known_depth >= depth and not is_wide_window:
                if known_bound == EXACT_VALUE:
                    return known_value
                if known_bound == LOWER_BOUND and known_value >= beta:
                    return known_value
                if known_bound == UPPER_BOUND and known_value <= alpha:
                    return known_value

    # Look for a win by continuous fours, at leaves only if a four and a three at once are possible. Without the fours
    # that prepare nothing, wins and losses are proved in two thirds of the time.
    if (
        excluded_move == NO_CELL
        and known_depth < -1 + (depth > 0)
        and (
            count_points_of_class(state, us, FOUR_THREE)
            or (depth > 0 and count_points_of_class(state, us, FOUR_AND_MORE))
        )
    ):
        limit = state[SEARCH_PARAMETERS_START + (VCF_INNER if depth > 0 else VCF_LEAF)]
        plies = vcf(arrays, limit, np.int64(FOUR_AND_MORE))
        state[NODE_COUNT] += state[VCF_NODE_COUNT]
        if plies:
            value = WIN_VALUE - ply - plies
            store(arrays, value, MAX_EVALUATION, state[VCF_MOVE] if plies > 3 else NO_CELL, 30, LOWER_BOUND, ply)
            return value
    evaluation = ((entry >> 16) & 0xFFFF) - 32768 if entry else evaluate(arrays)

    if depth <= 0:
        # Answer a threat of a winning four before the position is evaluated.
        if not threatened or ply >= 2 * state[ROOT_DEPTH] + state[SEARCH_PARAMETERS_START + THREAT_PLIES]:
            store(arrays, evaluation, evaluation, NO_CELL, 0, EXACT_VALUE, ply)
            return evaluation
        depth = 1

    # Razoring and reverse futility pruning: if the static value is far outside the window, the searched value is
    # outside, too.
    quiet = not threatened and not is_wide_window and excluded_move == NO_CELL
    if quiet and abs(alpha) < CERTAIN_THRESHOLD and abs(beta) < CERTAIN_THRESHOLD:
        if (
            depth <= 3
            and evaluation
            + state[SEARCH_PARAMETERS_START + RAZOR] * depth * (depth + 1) // 2
            + state[SEARCH_PARAMETERS_START + FUTILITY_BASE]
            < alpha
        ):
            return evaluation
        if depth <= 6 and evaluation - state[SEARCH_PARAMETERS_START + STATIC_SLOPE] * depth >= beta:
            return evaluation
    if table_move == NO_CELL and depth >= 4 and not threatened:
        depth -= 1  # internal iterative reduction: a node without a table move is first searched less deeply

    start = MOVE_LISTS_START + MOVE_LIST_SIZE * ply
    last = state[LAST_MOVE]
    best, best_move, first_alpha = -INFINITY, NO_CELL, alpha
    if threatened:
        best = -(WIN_VALUE - ply - 4)  # without a defence, the mover loses in four plies
    max_searched = (
        state[SEARCH_PARAMETERS_START + LATE_BASE] + state[SEARCH_PARAMETERS_START + LATE_SLOPE] * depth * depth // 2
    )
    # Search the table's move before the others are generated, since it is often good enough.
    i = 0 if table_move == NO_CELL or state[table_move * RECORD_SIZE + COLOUR] else -1
    searched = count = highest_rank = 0
    while True:
        if i == 0:
            count = write_replies(arrays, start) if threatened else generate_moves(state, start)
            highest_rank = rank_moves(arrays, start, count, table_move, last)
        if i == count:
            break
        cell: Any = np.int64(table_move) if i < 0 else _select_best(state, start, i, count)
        i += 1
        if cell == excluded_move or (searched and cell == table_move):
            continue
        own_class, opponent_class = class_at(state, cell, us), class_at(state, cell, them)
        if state[RULE] == RENJU and us == BLACK and (own_class == FORBIDDEN or not may_play(arrays, cell)):
            continue
        forcing = THREE <= own_class <= WINNING_FOUR
        important = forcing or THREE <= opponent_class <= WINNING_FOUR
        rank_deficit = highest_rank - state[start + 2 * i - 1]
        if best > -CERTAIN_THRESHOLD and not threatened and searched > 0 and ply > 0:
            # Move-count pruning, and pruning by rank: a move of low rank is seldom the best.
            if not forcing and (
                searched >= max_searched
                or rank_deficit
                > state[SEARCH_PARAMETERS_START + RANK_BASE] + state[SEARCH_PARAMETERS_START + RANK_SLOPE] * depth
            ):
                continue
            # Futility pruning: a quiet move cannot make up for so large a deficit.
            if (
                not is_wide_window
                and not important
                and depth <= 5
                and evaluation
                + state[SEARCH_PARAMETERS_START + FUTILITY_BASE]
                + state[SEARCH_PARAMETERS_START + FUTILITY_SLOPE] * depth
                <= alpha
            ):
                continue
        extension = 0
        if (
            cell == table_move
            and depth >= state[SEARCH_PARAMETERS_START + SINGULAR_DEPTH]
            and excluded_move == NO_CELL
            and known_bound & LOWER_BOUND
            and known_depth >= depth - 3
            and abs(known_value) < CERTAIN_THRESHOLD
        ):
            # Singular extension: search a move that is much better than all others more deeply.
            margin = known_value - state[SEARCH_PARAMETERS_START + SINGULAR_MARGIN] * depth
            reduced_value = _search(arrays, margin - 1, margin, depth // 2, ply, np.int64(cell))
            if state[STOP_FLAG]:
                return 0
            if reduced_value < margin:
                extension = 1
            elif margin >= beta:
                return margin
        place_stone(arrays, cell)
        next_depth = depth - 1 + extension
        if searched == 0:
            value = -_search(arrays, -beta, -alpha, next_depth, ply + 1, no_cell)
        else:
            reduction = 0
            if depth >= 3 and searched >= 2 and not threatened:
                # Late move reductions.
                reduction = (
                    state[SEARCH_PARAMETERS_START + REDUCTION_BASE]
                    + state[SEARCH_PARAMETERS_START + REDUCTION_SLOPE]
                    * _scaled_log(depth)
                    * _scaled_log(searched)
                    // 16
                    + state[SEARCH_PARAMETERS_START + REDUCTION_RANK]
                    * (rank_deficit - state[SEARCH_PARAMETERS_START + REDUCTION_RANK_FROM])
                    // 60
                ) // 100
                reduction -= is_wide_window
                reduction -= important
                reduction -= state[cell * RECORD_SIZE + HISTORY_SCORES + us - 1] // 512
                reduction = max(0, min(reduction, next_depth - 1))
            value = -_search(arrays, -alpha - 1, -alpha, next_depth - reduction, ply + 1, no_cell)
            if reduction and value > alpha:
                value = -_search(arrays, -alpha - 1, -alpha, next_depth, ply + 1, no_cell)
            if alpha < value < beta:
                value = -_search(arrays, -beta, -alpha, next_depth, ply + 1, no_cell)
        remove_last_stone(arrays)
        if state[STOP_FLAG]:
            return 0
        searched += 1
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                best_move = cell
                if value >= beta:
                    if own_class < PLAIN_FOUR:
                        bonus = min(depth * depth, 256)
                        _update_history(state, cell, us, bonus)
                        state[COUNTER_MOVES_START + 2 * last + us - 1] = cell
                        for j in range(i):  # the moves before it, and itself
                            if state[start + 2 * j] != cell:
                                _update_history(state, state[start + 2 * j], us, -bonus // 2)
                    break
    if searched == 0 and not threatened:
        return evaluation if excluded_move == NO_CELL else first_alpha
    if excluded_move == NO_CELL:
        bound = LOWER_BOUND if best >= beta else EXACT_VALUE if best > first_alpha else UPPER_BOUND
        store(arrays, best, evaluation, best_move, depth, bound, ply)
    return best


@njit(int64(ARRAYS, int64, int64, int64), **OPTIONS)
def search_root(arrays: Arrays, alpha: Int64, beta: Int64, depth: Int64) -> Int64:
    """Search the root's moves, in their order, `depth` plies deep, and return the best value.

    Each root move has four numbers from ROOT_MOVES_START on: its cell, its value, its nodes, and 1 if it is left out.
    The best move is moved to the front. If `state[STOP_FLAG]` is set on return, the values of moves that were searched
    completely are valid; the others are -INFINITY.
    """
    state = unchecked_view(arrays.state)
    state[ROOT_DEPTH] = depth
    best = -INFINITY
    count = state[ROOT_MOVE_COUNT]
    searched = 0
    for i in range(count):
        state[ROOT_MOVES_START + ROOT_MOVE_SIZE * i + 1] = -INFINITY
    for i in range(count):
        at = ROOT_MOVES_START + ROOT_MOVE_SIZE * i
        if state[at + 3]:
            continue
        cell = state[at]
        before = state[NODE_COUNT]
        if class_at(state, cell, state[TURN]) == FIVE:
            state[at + 1] = WIN_VALUE - 1
            return WIN_VALUE - 1
        place_stone(arrays, cell)
        if searched == 0:
            value = -_search(arrays, -beta, -alpha, depth - 1, 1, NO_CELL)
        else:
            reduction = 0
            if depth >= 3 and searched >= 4:
                reduction = min(
                    depth - 2,
                    _scaled_log(depth)
                    * _scaled_log(searched)
                    * state[SEARCH_PARAMETERS_START + REDUCTION_SLOPE]
                    // 3200,
                )
            value = -_search(arrays, -alpha - 1, -alpha, depth - 1 - reduction, 1, NO_CELL)
            if reduction and value > alpha:
                value = -_search(arrays, -alpha - 1, -alpha, depth - 1, 1, NO_CELL)
            if value > alpha and value < beta:
                value = -_search(arrays, -beta, -alpha, depth - 1, 1, NO_CELL)
        remove_last_stone(arrays)
        if state[STOP_FLAG]:
            return best
        searched += 1
        state[at + 2] = state[NODE_COUNT] - before
        state[at + 1] = value if value > alpha or searched == 1 else -INFINITY + 1
        if value > best:
            best = value
            if value > alpha or searched == 1:
                # move the best move to the front, and the others one place down
                a, b, c, d = state[at], state[at + 1], state[at + 2], state[at + 3]
                for j in range(i, 0, -1):
                    for k in range(ROOT_MOVE_SIZE):
                        state[ROOT_MOVES_START + ROOT_MOVE_SIZE * j + k] = state[
                            ROOT_MOVES_START + ROOT_MOVE_SIZE * (j - 1) + k
                        ]
                (
                    state[ROOT_MOVES_START],
                    state[ROOT_MOVES_START + 1],
                    state[ROOT_MOVES_START + 2],
                    state[ROOT_MOVES_START + 3],
                ) = a, b, c, d
            alpha = max(alpha, value)
            if value >= beta:
                return best
    return best


@njit(int64(ARRAYS), **OPTIONS)
def write_root_moves(arrays: Arrays) -> Int64:
    """Write the moves to search to ROOT_MOVES_START, the best ranked first, at least one; return their number.

    If the mover can make a five or must stop one, that is the only move. Against a threat of a winning four, only moves
    that may answer it are written. Points that Renju forbids are written only if there is no other move.
    """
    state = unchecked_view(arrays.state)
    us = state[TURN]
    them = COLOUR_SUM - us
    start = MOVE_LISTS_START
    count = 0
    if count_points_of_class(state, us, FIVE):
        state[start] = five_point(state, us)
        count = 1
    elif count_points_of_class(state, them, FIVE):
        state[start] = five_point(state, them)
        count = 1
    else:
        four = winning_four_point(arrays, us) if count_points_of_class(state, us, WINNING_FOUR) else NO_CELL
        if four != NO_CELL:
            state[start] = four
            count = 1
        elif count_points_of_class(state, them, WINNING_FOUR) and winning_four_point(arrays, them) != NO_CELL:
            count = write_replies(arrays, start)
        else:
            count = generate_moves(state, start)
    entry = probe(arrays)
    rank_moves(arrays, start, count, (entry >> 32) & 0xFFF, state[LAST_MOVE])
    placed = 0
    for i in range(count):
        cell = _select_best(state, start, i, count)
        if may_play(arrays, cell):
            at = ROOT_MOVES_START + ROOT_MOVE_SIZE * placed
            state[at], state[at + 1], state[at + 2], state[at + 3] = cell, -INFINITY, 0, 0
            placed += 1
    for allowed in range(2):
        for row in range(BORDER_WIDTH, BORDER_WIDTH + state[BOARD_SIZE]):
            bits = state[BOARD_MASKS_START + row] & ~state[OCCUPIED_MASKS_START + row]
            while bits and placed == 0:
                cell = row * STRIDE + lowest_bit(bits)
                bits &= bits - 1
                if allowed or may_play(arrays, cell):
                    state[ROOT_MOVES_START], state[ROOT_MOVES_START + 1], state[ROOT_MOVES_START + 2] = (
                        cell,
                        -INFINITY,
                        0,
                    )
                    state[ROOT_MOVES_START + 3] = 0
                    placed = 1
    state[ROOT_MOVE_COUNT] = placed
    return placed


@njit(int64(ARRAYS), **OPTIONS)
def expected_move(arrays: Arrays) -> Int64:
    """Return the move that is forced, or else the move of the transposition table, or NO_CELL."""
    state = unchecked_view(arrays.state)
    us = state[TURN]
    if count_points_of_class(state, us, FIVE):
        return five_point(state, us)
    if count_points_of_class(state, COLOUR_SUM - us, FIVE):
        return five_point(state, COLOUR_SUM - us)
    if count_points_of_class(state, us, WINNING_FOUR):
        return winning_four_point(arrays, us)
    return np.int64((probe(arrays) >> 32) & 0xFFF)
