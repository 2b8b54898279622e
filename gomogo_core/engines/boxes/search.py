"""Perfect play for two players, by alpha-beta search with a transposition table.

The arrays are those of array_layout.py. The search visits only positions without captures, and a move is a safe edge or
a whole chain given away. The rules for captures and chains are those of gomogo_core/search/boxes/exact.py: J. Barker
and R. Korf, Solving Dots-And-Boxes, AAAI (2012). Chains and loops that touch no other chain are independent; the search
stores only their number of each length. Their value follows M. Buzzard and M. Ciere, Playing simple loony dots and
boxes endgames optimally, Integers 14 (2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, njit, types, uint64

from gomogo_core.engines.boxes.array_layout import (  # isort: skip
    ALL_BOXES, BUCKET_COUNT, CHAIN_LENGTHS_OF_BITS_START, CHAIN_UNITS_START, CHAIN_VALUES_START, EDGE_RANKS_START,
    LOOP_LENGTHS_OF_BITS_START, LOOP_LENGTHS_START, LOOP_UNITS_START, MIRRORING_THRESHOLD, NODE_COUNT, NODE_LIMIT,
    NUMBERS_PER_SACRIFICE, STOP_FLAG, STRIDE, SYMMETRY_COUNT, Arrays, Box, GeometryArray, HorizontalEdges, Int64, Mask,
    MoveStack, PackedChains, PackedPosition, StateArray, SymmetryTables, TranspositionTable, VerticalEdges,
)  # fmt: skip
from gomogo_core.engines.boxes.board import (  # isort: skip
    CLOSED_HANDOUT, CYCLE_END, GROUND_END, HALF_OPEN_HANDOUT, MIN_LONG_CHAIN, ONE, U64, ZERO, boxes_by_degree,
    capture_run_from, draw_lowest_twins, find_captures, first_side, follow_chain, free_sides, highest_bit,
    independent_chain_of, lowest_bit, popcount, safe_edges,
)  # fmt: skip
from gomogo_core.engines.array_views import unchecked_view
from gomogo_core.engines.clock import count_node

NO, YES, STOPPED = 0, 1, 2
OPPOSITE_ANSWER = (YES, NO, STOPPED)
SLOTS_PER_BUCKET = 8  # entries of a bucket: one cache line
_HASH_MULTIPLIERS = tuple(map(np.uint64, (
    0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93,
    0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3,
)))  # fmt: skip
MIX_0, MIX_1, MIX_2, MIX_3, MIX_4, MIX_5, MIX_6, MIX_7 = _HASH_MULTIPLIERS
MURMUR_1, MURMUR_2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
SHIFT_29, SHIFT_31, SHIFT_32, SHIFT_33 = np.uint64(29), np.uint64(31), np.uint64(32), np.uint64(33)
# A table entry has 48 bits of the key, 4 for the logarithm of the number of nodes, and 6 for each bound, which is
# stored as (boxes + value) / 2.
KEY_BITS = np.uint64(0xFFFFFFFFFFFF0000)
SHIFT_6, SHIFT_12, LOW_6_BITS, LOW_4_BITS = np.uint64(6), np.uint64(12), np.uint64(63), np.uint64(15)

# the types of Arrays and PackedPosition
ARRAYS = types.NamedTuple(  # type: ignore[no-untyped-call]
    (uint64[::1], int64[::1], uint64[::1], uint64[::1], uint64[:, :, :, ::1]), Arrays
)
POSITION = types.NamedTuple((uint64, uint64, uint64, uint64, int64), PackedPosition)  # type: ignore[no-untyped-call]
# Options of compiled functions. These functions allocate no arrays, so they do not need Numba's runtime (nrt). Without
# it, Numba does not count references to arrays, which takes time.
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}


@njit("uint64(uint64)", **OPTIONS, inline="always")
def mix_hash(number: Mask) -> Mask:
    """Mix the bits of a number by the finalizer of MurmurHash3 (A. Appleby)."""
    number = (number ^ (number >> SHIFT_33)) * MURMUR_1
    number = (number ^ (number >> SHIFT_29)) * MURMUR_2
    return number ^ (number >> SHIFT_32)


@njit(types.UniTuple(uint64, 2)(int64[::1], POSITION), **OPTIONS)  # type: ignore[no-untyped-call]
def bucket_and_key(state: StateArray, position: PackedPosition) -> tuple[Mask, Mask]:
    """Return the index of the first entry of a position's bucket, and the key bits of its entry."""
    state = unchecked_view(state)
    free_h, free_v, chains, loops, _ = position
    slot_v, key_v = free_v * MIX_1, free_v * MIX_5
    rotated_v = (slot_v << SHIFT_31) | (slot_v >> SHIFT_33)
    slot_hash = mix_hash((free_h * MIX_0) ^ rotated_v ^ (chains * MIX_2) ^ (loops * MIX_3))
    rotated_v = (key_v << SHIFT_29) | (key_v >> U64(35))
    key_hash = mix_hash((free_h * MIX_4) ^ rotated_v ^ (chains * MIX_6) ^ (loops * MIX_7))
    bucket = ((slot_hash >> SHIFT_32) * U64(state[BUCKET_COUNT])) >> SHIFT_32
    return U64(SLOTS_PER_BUCKET) * bucket, (key_hash & KEY_BITS) | U64(0x10000)


@njit("uint64(uint64[::1], uint64, uint64)", **OPTIONS, inline="always")
def table_entry(table: TranspositionTable, slot: Mask, key: Mask) -> Mask:
    """Return the table entry of a position, or 0."""
    for i in range(SLOTS_PER_BUCKET):
        entry = table[slot + U64(i)]
        if ((entry & KEY_BITS) | U64(0x10000)) == key and entry:
            return entry
    return ZERO


@njit("void(uint64[::1], uint64, uint64, int64, int64, int64)", **OPTIONS)
def store(table: TranspositionTable, slot: Mask, key: Mask, low: Int64, high: Int64, log_nodes: Int64) -> None:
    """Store the bounds of a position in its own entry, in an empty entry, or in the entry with the fewest nodes."""
    table = unchecked_view(table)
    best_slot, least_weight = slot, U64(99)
    for i in range(SLOTS_PER_BUCKET):
        entry = table[slot + U64(i)]
        if entry == ZERO or (entry & KEY_BITS) | U64(0x10000) == key:
            best_slot = slot + U64(i)
            break
        weight = (entry >> SHIFT_12) & LOW_4_BITS
        if weight < least_weight:
            best_slot, least_weight = slot + U64(i), weight
    table[best_slot] = key | (U64(log_nodes) << SHIFT_12) | (U64(high) << SHIFT_6) | U64(low)


@njit(POSITION(uint64[::1], int64[::1], POSITION, int64), **OPTIONS)
def position_with_chain_packed(
    geometry: GeometryArray, state: StateArray, position: PackedPosition, box: Box
) -> PackedPosition:
    """Return the position with the chain or loop of `box` in the packed counts instead of the free edges. If the chain
    touches another chain, return the same position.
    """
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    free_h, free_v, chains, loops, boxes = position
    length, is_loop, chain_h, chain_v = independent_chain_of(geometry, state, free_h, free_v, box)
    if length == 0:
        return position
    free_h &= ~chain_h
    free_v &= ~chain_v
    if is_loop:
        return PackedPosition(free_h, free_v, chains, loops + geometry[LOOP_UNITS_START + length], boxes)
    if length >= MIN_LONG_CHAIN:
        return PackedPosition(free_h, free_v, chains + geometry[CHAIN_UNITS_START + length], loops, boxes)
    unit = geometry[CHAIN_UNITS_START + length]
    if chains & unit:  # two short chains of equal length cancel: a player who opens one is answered by the other
        boxes -= 2 * length
    return PackedPosition(free_h, free_v, chains ^ unit, loops, boxes)


@njit(POSITION(uint64[::1], int64[::1], POSITION), **OPTIONS)
def position_with_chains_packed(geometry: GeometryArray, state: StateArray, position: PackedPosition) -> PackedPosition:
    """Return a position without captures with all independent chains and loops in the packed counts."""
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    free_h, free_v = draw_lowest_twins(geometry, state, position.free_h, position.free_v)
    position = PackedPosition(free_h, free_v, position.chains, position.loops, position.boxes)
    degree_two = boxes_by_degree(geometry, state, free_h, free_v)[1]
    while degree_two:
        position = position_with_chain_packed(geometry, state, position, lowest_bit(degree_two))
        degree_two &= degree_two - ONE
    return position


@njit("int64(uint64[::1], int64[::1], uint64, uint64)", **OPTIONS)
def value_of_independent_chains(
    geometry: GeometryArray, state: StateArray, chains: PackedChains, loops: PackedChains
) -> Int64:
    """Return the value of a position that has only independent chains and loops.

    The mover opens the shortest chain or the shortest loop. The opponent has two choices. It can take all boxes and
    move next; or it can leave two boxes of a chain, or four of a loop, so that the mover must open the next one.
    """
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    # the number of loops; at CHAIN_VALUES_START + i is the value of the chains so far, without the i shortest loops
    loop_count = 0
    # Longer chains and loops are processed first, since they are opened last.
    loops_left = loops
    while loops_left:
        bit = lowest_bit(loops_left)
        length = state[LOOP_LENGTHS_OF_BITS_START + bit]
        state[LOOP_LENGTHS_START + loop_count] = length
        loop_count += 1
        loops_left -= geometry[LOOP_UNITS_START + length]
    state[CHAIN_VALUES_START + loop_count] = 0
    for i in range(loop_count - 1, -1, -1):
        next_value = state[CHAIN_VALUES_START + i + 1]
        state[CHAIN_VALUES_START + i] = -(
            state[LOOP_LENGTHS_START + i] - CLOSED_HANDOUT + abs(next_value + CLOSED_HANDOUT)
        )
    chains_left = chains
    while chains_left:
        bit = highest_bit(chains_left)
        length = state[CHAIN_LENGTHS_OF_BITS_START + bit]
        chains_left -= geometry[CHAIN_UNITS_START + length]
        for i in range(loop_count, -1, -1):
            next_value = state[CHAIN_VALUES_START + i]
            best_value = (
                -(length + next_value)
                if length < MIN_LONG_CHAIN
                else -(length - HALF_OPEN_HANDOUT + abs(next_value + HALF_OPEN_HANDOUT))
            )
            if i < loop_count:
                loop_value = -(
                    state[LOOP_LENGTHS_START + i]
                    - CLOSED_HANDOUT
                    + abs(state[CHAIN_VALUES_START + i + 1] + CLOSED_HANDOUT)
                )
                best_value = max(best_value, loop_value)
            state[CHAIN_VALUES_START + i] = best_value
    return state[CHAIN_VALUES_START]


@njit("UniTuple(uint64, 2)(uint64[::1], int64[::1], uint64[:, :, :, ::1], uint64, uint64)", **OPTIONS)
def canonical_position(
    geometry: GeometryArray,
    state: StateArray,
    symmetry_tables: SymmetryTables,
    free_h: HorizontalEdges,
    free_v: VerticalEdges,
) -> tuple[Mask, Mask]:
    """Return the least of the mirror images of a position, which represents all of them."""
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    best_h, best_v = free_h, free_v
    for i in range(state[SYMMETRY_COUNT]):
        image_h, image_v = ZERO, ZERO
        bits_left = free_h
        for byte in range(8):
            image_h |= symmetry_tables[i, byte, np.int64(bits_left & U64(255)), 0]
            image_v |= symmetry_tables[i, byte, np.int64(bits_left & U64(255)), 1]
            bits_left >>= U64(8)
        bits_left = free_v
        for byte in range(8, 16):
            image_h |= symmetry_tables[i, byte, np.int64(bits_left & U64(255)), 0]
            image_v |= symmetry_tables[i, byte, np.int64(bits_left & U64(255)), 1]
            bits_left >>= U64(8)
        image_h, image_v = draw_lowest_twins(geometry, state, image_h, image_v)
        if image_h < best_h or (image_h == best_h and image_v < best_v):
            best_h, best_v = image_h, image_v
    return best_h, best_v


@njit(int64(ARRAYS, int64, POSITION), **OPTIONS)
def write_safe_edges(arrays: Arrays, start: Int64, position: PackedPosition) -> Int64:
    """Write the numbers of the safe edges to the move stack, the highest rank first; return the count of them.

    The number of an edge is the index of its bit, plus 64 for a vertical edge.
    """
    geometry, state = unchecked_view(arrays.geometry), unchecked_view(arrays.state)
    moves = unchecked_view(arrays.moves)
    count, free_h, free_v = 0, position.free_h, position.free_v
    degree_many = boxes_by_degree(geometry, state, free_h, free_v)[2]
    safe_horizontal, safe_vertical = safe_edges(geometry, state, free_h, free_v, degree_many)
    while safe_horizontal | safe_vertical:
        if safe_horizontal:
            edge = lowest_bit(safe_horizontal)
            safe_horizontal &= safe_horizontal - ONE
        else:
            edge = 64 + lowest_bit(safe_vertical)
            safe_vertical &= safe_vertical - ONE
        index = count
        rank = state[EDGE_RANKS_START + edge]
        while index and state[EDGE_RANKS_START + np.int64(moves[start + index - 1])] < rank:
            moves[start + index] = moves[start + index - 1]
            index -= 1
        moves[start + index] = U64(edge)
        count += 1
    return count


@njit(POSITION(uint64[::1], int64[::1], POSITION, int64), **OPTIONS)
def position_after_edge(
    geometry: GeometryArray, state: StateArray, position: PackedPosition, edge: Int64
) -> PackedPosition:
    """Return the position after a safe edge."""
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    free_h, free_v, chains, loops, boxes = position
    if edge < 64:
        free_h &= ~(ONE << U64(edge))
        first_box, second_box = edge, edge - state[STRIDE]
    else:
        free_v &= ~(ONE << U64(edge - 64))
        first_box, second_box = edge - 64, edge - 65
    position = PackedPosition(free_h, free_v, chains, loops, boxes)
    if (geometry[ALL_BOXES] >> U64(first_box)) & ONE:
        position = position_with_chain_packed(geometry, state, position, first_box)
    if second_box >= 0 and (geometry[ALL_BOXES] >> U64(second_box)) & ONE:
        position = position_with_chain_packed(geometry, state, position, second_box)
    return position


@njit(int64(uint64[::1], int64, int64, POSITION, int64, int64), **OPTIONS)
def insert_sacrifice(
    moves: MoveStack, start: Int64, count: Int64, next_position: PackedPosition, length: Int64, handed_out: Int64
) -> Int64:
    """Insert a sacrifice into the move stack, sorted by its cost; return the new number of sacrifices.

    The fifth number of an entry packs four counts, from the highest bits to the lowest: the cost, the boxes given away,
    the boxes that the opponent can hand back, and the boxes left.
    """
    moves = unchecked_view(moves)
    sort_key = U64(((length - handed_out) << 24) | (length << 16) | (handed_out << 8) | next_position.boxes)
    index = count
    while index and moves[start + NUMBERS_PER_SACRIFICE * index - 1] > sort_key:
        for i in range(NUMBERS_PER_SACRIFICE):
            moves[start + NUMBERS_PER_SACRIFICE * index + i] = moves[start + NUMBERS_PER_SACRIFICE * (index - 1) + i]
        index -= 1
    entry = start + NUMBERS_PER_SACRIFICE * index
    moves[entry], moves[entry + 1] = next_position.free_h, next_position.free_v
    moves[entry + 2], moves[entry + 3] = next_position.chains, next_position.loops
    moves[entry + 4] = sort_key
    return count + 1


@njit(types.Tuple((POSITION, int64, int64))(uint64[::1], int64), **OPTIONS)  # type: ignore[no-untyped-call]
def read_sacrifice(moves: MoveStack, entry: Int64) -> tuple[PackedPosition, Int64, Int64]:
    """Return the position after a sacrifice, the boxes given away, and the boxes that the opponent can hand back."""
    moves = unchecked_view(moves)
    counts = np.int64(moves[entry + 4])
    next_position = PackedPosition(moves[entry], moves[entry + 1], moves[entry + 2], moves[entry + 3], counts & 255)
    return next_position, (counts >> 16) & 255, (counts >> 8) & 255


@njit(int64(ARRAYS, int64, POSITION, int64), **OPTIONS)
def write_sacrifices(arrays: Arrays, start: Int64, position: PackedPosition, margin: Int64) -> Int64:
    """Write to the move stack the position after each sacrifice that may reach `margin`; return their number.

    A sacrifice gives a chain or a loop away. The cheapest come first.
    """
    geometry, state = unchecked_view(arrays.geometry), unchecked_view(arrays.state)
    moves = unchecked_view(arrays.moves)
    free_h, free_v, chains, loops, boxes = position
    count = 0
    degree_two = boxes_by_degree(geometry, state, free_h, free_v)[1]
    stride = U64(state[STRIDE])
    while degree_two:
        box = lowest_bit(degree_two)
        sides = free_sides(state, free_h, free_v, box)
        side = first_side(sides)
        length, chain_h, chain_v, first_end = follow_chain(geometry, state, free_h, free_v, box, side)
        second_end = GROUND_END
        length += 1
        if first_end != CYCLE_END:
            other_side = first_side(sides & ~(1 << side))
            next_length, other_h, other_v, second_end = follow_chain(geometry, state, free_h, free_v, box, other_side)
            length += next_length
            chain_h |= other_h
            chain_v |= other_v
        else:
            first_end = GROUND_END
        # every box with at least one edge of this chain is done: remove it from `degree_two`
        degree_two &= ~(ONE << U64(box)) & ~(chain_h | (chain_h >> stride) | chain_v | (chain_v >> ONE))
        left_h, left_v = free_h & ~chain_h, free_v & ~chain_v
        # if both ends of the chain led to one box, the capture continues through it
        if first_end >= 0 and popcount(U64(free_sides(state, left_h, left_v, first_end))) == ONE:
            next_length, chain_h, chain_v, end = capture_run_from(geometry, state, left_h, left_v, first_end)
            length += next_length
            left_h &= ~chain_h
            left_v &= ~chain_v
            first_end, second_end = GROUND_END, end
        handed_out = HALF_OPEN_HANDOUT if length >= MIN_LONG_CHAIN else 0
        cost = length - handed_out
        if margin > (-cost if handed_out else boxes - 2 * length):
            continue
        next_position = PackedPosition(left_h, left_v, chains, loops, boxes - length)
        if first_end >= 0:
            next_position = position_with_chain_packed(geometry, state, next_position, first_end)
        if second_end >= 0 and second_end != first_end:
            next_position = position_with_chain_packed(geometry, state, next_position, second_end)
        count = insert_sacrifice(moves, start, count, next_position, length, handed_out)
    if chains:
        length = state[CHAIN_LENGTHS_OF_BITS_START + lowest_bit(chains)]
        handed_out = HALF_OPEN_HANDOUT if length >= MIN_LONG_CHAIN else 0
        if margin <= (handed_out - length if handed_out else boxes - 2 * length):
            chains_after = chains - geometry[CHAIN_UNITS_START + length]
            next_position = PackedPosition(free_h, free_v, chains_after, loops, boxes - length)
            count = insert_sacrifice(moves, start, count, next_position, length, handed_out)
    if loops:
        length = state[LOOP_LENGTHS_OF_BITS_START + lowest_bit(loops)]
        if margin <= CLOSED_HANDOUT - length:
            next_position = PackedPosition(
                free_h, free_v, chains, loops - geometry[LOOP_UNITS_START + length], boxes - length
            )
            count = insert_sacrifice(moves, start, count, next_position, length, CLOSED_HANDOUT)
    return count


@njit(int64(ARRAYS, POSITION, int64, int64), **OPTIONS)
def reaches_margin_packed(arrays: Arrays, position: PackedPosition, margin: Int64, start: Int64) -> Int64:
    """Return whether the mover gets at least `margin` more of the open boxes than the opponent: YES, NO or STOPPED.

    `start` is the index of the first free place on the move stack.
    """
    geometry, state = unchecked_view(arrays.geometry), unchecked_view(arrays.state)
    table, moves = unchecked_view(arrays.table), unchecked_view(arrays.moves)
    free_h, free_v, chains, loops, boxes = position
    margin += (boxes - margin) & 1  # the value is odd if and only if the number of boxes is odd
    if margin <= -boxes:
        return YES
    if margin > boxes:
        return NO
    if not free_h | free_v:
        return YES if value_of_independent_chains(geometry, state, chains, loops) >= margin else NO
    if np.int64(popcount(free_h) + popcount(free_v)) > state[MIRRORING_THRESHOLD]:
        free_h, free_v = canonical_position(geometry, state, arrays.symmetry_tables, free_h, free_v)
        position = PackedPosition(free_h, free_v, chains, loops, boxes)
    slot, key = bucket_and_key(state, position)
    entry = table_entry(table, slot, key)
    low, high = -boxes, boxes
    if entry:
        low, high = 2 * np.int64(entry & LOW_6_BITS) - boxes, 2 * np.int64((entry >> SHIFT_6) & LOW_6_BITS) - boxes
        if low >= margin:
            return YES
        if high < margin:
            return NO
    nodes_before = state[NODE_COUNT]
    if state[STOP_FLAG] or nodes_before >= state[NODE_LIMIT]:
        return STOPPED
    count_node(state, NODE_COUNT, STOP_FLAG)
    answer = NO
    count = write_safe_edges(arrays, start, position)
    list_end = start + count
    i = 0
    while i < count and answer == NO:
        next_position = position_after_edge(geometry, state, position, np.int64(moves[start + i]))
        answer = OPPOSITE_ANSWER[reaches_margin_packed(arrays, next_position, 1 - margin, list_end)]
        i += 1
    if answer == NO:
        count = write_sacrifices(arrays, start, position, margin)
        list_end = start + NUMBERS_PER_SACRIFICE * count
    i = 0
    while i < count and answer == NO:
        next_position, boxes_given, handed_out = read_sacrifice(arrays.moves, start + NUMBERS_PER_SACRIFICE * i)
        # the largest |value + handed_out| with which the mover still reaches the margin
        max_value = handed_out - boxes_given - margin
        if handed_out:
            answer = reaches_margin_packed(arrays, next_position, -max_value - handed_out, list_end)
        if not handed_out or answer == YES:
            opponent_margin = max_value - handed_out + 1 if handed_out else 1 - margin - boxes_given
            answer = OPPOSITE_ANSWER[reaches_margin_packed(arrays, next_position, opponent_margin, list_end)]
        i += 1
    if answer == STOPPED:
        return STOPPED
    if answer == YES:
        low = margin
    else:
        high = margin - 2
    # the entry keeps the larger number of nodes of the two searches, so that its bounds are not soon replaced
    log_new_nodes = (highest_bit(U64(state[NODE_COUNT] - nodes_before)) + 1) // 2
    log_nodes = max(np.int64((entry >> SHIFT_12) & LOW_4_BITS), min(15, log_new_nodes))
    store(table, slot, key, (low + boxes) >> 1, (high + boxes) >> 1, log_nodes)
    return answer


@njit(int64(ARRAYS, uint64, uint64, int64), **OPTIONS)
def reaches_margin(arrays: Arrays, free_h: HorizontalEdges, free_v: VerticalEdges, margin: Int64) -> Int64:
    """Return the result of `reaches_margin_packed` for any position, which may have captures."""
    geometry, state = arrays.geometry, arrays.state
    degree_one, degree_two, degree_many = boxes_by_degree(geometry, state, free_h, free_v)
    boxes = np.int64(popcount(degree_one | degree_two | degree_many))
    handed_out = 0
    if degree_one:
        boxes_taken, handed_out, free_h, free_v = find_captures(geometry, state, free_h, free_v)
        boxes -= boxes_taken
        margin -= boxes_taken
    position = position_with_chains_packed(geometry, state, PackedPosition(free_h, free_v, ZERO, ZERO, boxes))
    if not handed_out:
        return reaches_margin_packed(arrays, position, margin, 0)
    # the better of two values, with h = handed_out: take all boxes and move, or hand h of them out and let the opponent
    # move; that is |value + h| - h
    if margin + handed_out <= 0:
        return YES
    answer = reaches_margin_packed(arrays, position, margin, 0)
    if answer != NO:
        return answer
    answer = reaches_margin_packed(arrays, position, 1 - margin - 2 * handed_out, 0)
    return STOPPED if answer == STOPPED else OPPOSITE_ANSWER[answer]
