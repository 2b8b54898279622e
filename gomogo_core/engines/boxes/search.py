"""Perfect play for two players, by alpha-beta search with a transposition table.

Uses the board and the arrays of layout.py. The search visits only positions without captures, and a move is a safe edge
or a whole chain given away. The rules for captures and chains are those of gomogo_core/search/boxes/exact.py: J. Barker
and R. Korf, Solving Dots-And-Boxes, AAAI (2012). Chains and loops that touch no other are only counted; their value
follows M. Buzzard and M. Ciere, Playing simple loony dots and boxes endgames optimally, Integers 14 (2014).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.boxes.board import (
    CLOSED_KEPT,
    CYCLE,
    GROUND,
    HALF_OPEN_KEPT,
    LONG,
    ONE,
    ZERO,
    U,
    captures,
    degrees,
    exits,
    first_side,
    follow,
    highest,
    lowest,
    popcount,
    run_from,
    safe_edges,
    settled,
    untouched,
)
from gomogo_core.engines.boxes.layout import (
    BUCKETS,
    CHAIN,
    CHAIN_LENGTH,
    ENTRY,
    INSIDE,
    LENGTHS,
    LOOP,
    LOOP_LENGTH,
    MIRRORED,
    NODE_LIMIT,
    NODES,
    RANK,
    STOP,
    STRIDE,
    SYMMETRIES,
    VALUES,
)
from gomogo_core.engines.unowned import unowned, without_length

NO, YES, STOPPED = 0, 1, 2
OTHERWISE = (YES, NO, STOPPED)
SLOTS = 8  # entries of a bucket: one cache line
_K = tuple(
    np.uint64(k)
    for k in (
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
        0x8EBC6AF09C88C6E3,
        0x589965CC75374CC3,
    )
)
K0, K1, K2, K3, K4, K5, K6, K7 = _K
M1, M2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
S29, S31, S32, S33 = np.uint64(29), np.uint64(31), np.uint64(32), np.uint64(33)
# An entry: 48 bits of the key, 4 for the logarithm of the nodes, 6 for each bound (half of boxes + value).
KEY_BITS = np.uint64(0xFFFFFFFFFFFF0000)
S6, S12, LOW6, LOW4 = np.uint64(6), np.uint64(12), np.uint64(63), np.uint64(15)

_AFTER = (
    "Tuple((uint64, uint64, uint64, uint64, int64))"
    "(uint64[::1], int64[::1], uint64, uint64, uint64, uint64, int64, int64)"
)
_SEARCH = "int64(uint64[::1], int64[::1], uint64[::1], uint64[::1], uint64[:, :, :, ::1], uint64, uint64, "


@njit("uint64(uint64)", cache=True, nogil=True, inline="always")
def mix_hash(x):
    """The finalizer of MurmurHash3 (A. Appleby)."""
    x = (x ^ (x >> S33)) * M1
    x = (x ^ (x >> S29)) * M2
    return x ^ (x >> S32)


@njit("UniTuple(uint64, 2)(int64[::1], uint64, uint64, uint64, uint64)", cache=True, nogil=True)
def slot_of(state, free_h, free_v, chains, loops):
    """The first number of the position's bucket, and the key that its entry begins with."""
    state = without_length(state)
    b, d = free_v * K1, free_v * K5
    x = mix_hash((free_h * K0) ^ ((b << S31) | (b >> S33)) ^ (chains * K2) ^ (loops * K3))
    y = mix_hash((free_h * K4) ^ ((d << S29) | (d >> U(35))) ^ (chains * K6) ^ (loops * K7))
    return U(SLOTS) * (((x >> S32) * U(state[BUCKETS])) >> S32), (y & KEY_BITS) | U(0x10000)


@njit("uint64(uint64[::1], uint64, uint64)", cache=True, nogil=True, inline="always")
def entry_of(table, slot, key):
    """The entry of a position, or 0."""
    for i in range(SLOTS):
        entry = table[slot + U(i)]
        if ((entry & KEY_BITS) | U(0x10000)) == key and entry:
            return entry
    return ZERO


@njit("void(uint64[::1], uint64, uint64, int64, int64, int64)", cache=True, nogil=True)
def store(table, slot, key, low, high, size):
    """Store the bounds of a position; they replace its own entry, an empty one, or that of the smallest search."""
    table = without_length(table)
    found, least = slot, U(99)
    for i in range(SLOTS):
        entry = table[slot + U(i)]
        if entry == ZERO or (entry & KEY_BITS) | U(0x10000) == key:
            found = slot + U(i)
            break
        weight = (entry >> S12) & LOW4
        if weight < least:
            found, least = slot + U(i), weight
    table[found] = key | (U(size) << S12) | (U(high) << S6) | U(low)


@njit(_AFTER, cache=True, nogil=True)
def split_at(geometry, state, free_h, free_v, chains, loops, boxes, box):
    """Count the chain or loop of `box` as an independent one, if it touches nothing else."""
    geometry, state = without_length(geometry), without_length(state)
    length, is_loop, mh, mv = untouched(geometry, state, free_h, free_v, box)
    if length == 0:
        return free_h, free_v, chains, loops, boxes
    free_h &= ~mh
    free_v &= ~mv
    if is_loop:
        return free_h, free_v, chains, loops + geometry[LOOP + length], boxes
    if length >= LONG:
        return free_h, free_v, chains + geometry[CHAIN + length], loops, boxes
    field = geometry[CHAIN + length]
    if chains & field:  # the two chains of a pair cancel: the second one answers the first
        boxes -= 2 * length
    return free_h, free_v, chains ^ field, loops, boxes


@njit(
    "Tuple((uint64, uint64, uint64, uint64, int64))(uint64[::1], int64[::1], uint64, uint64, int64)",
    cache=True,
    nogil=True,
)
def split(geometry, state, free_h, free_v, boxes):
    """Count every independent chain and loop of a position without captures, after `settled`."""
    geometry, state = without_length(geometry), without_length(state)
    chains, loops = ZERO, ZERO
    free_h, free_v = settled(geometry, state, free_h, free_v)
    two = degrees(geometry, state, free_h, free_v)[1]
    while two:
        free_h, free_v, chains, loops, boxes = split_at(
            geometry, state, free_h, free_v, chains, loops, boxes, lowest(two)
        )
        two &= two - ONE
    return free_h, free_v, chains, loops, boxes


@njit("int64(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def simple_value(geometry, state, chains, loops):
    """The value of independent chains and loops alone: the mover opens the shortest chain or the shortest loop.

    The opponent takes all and moves, or leaves two boxes of a chain, four of a loop, and lets the mover open the next.
    """
    geometry, state = without_length(geometry), without_length(state)
    count = 0  # number of loops; VALUES + i: the value with the chains looked at so far, without the i shortest loops
    # Lengths descend: the last chain and the last loop are opened last.
    rest = loops
    while rest:
        bit = lowest(rest)
        length = state[LOOP_LENGTH + bit]
        state[LENGTHS + count] = length
        count += 1
        rest -= geometry[LOOP + length]
    state[VALUES + count] = 0
    for i in range(count - 1, -1, -1):
        after = state[VALUES + i + 1]
        state[VALUES + i] = -(state[LENGTHS + i] - CLOSED_KEPT + abs(after + CLOSED_KEPT))
    left = chains
    while left:
        bit = highest(left)
        length = state[CHAIN_LENGTH + bit]
        left -= geometry[CHAIN + length]
        for i in range(count, -1, -1):
            after = state[VALUES + i]
            best = -(length + after) if length < LONG else -(length - HALF_OPEN_KEPT + abs(after + HALF_OPEN_KEPT))
            if i < count:
                other = -(state[LENGTHS + i] - CLOSED_KEPT + abs(state[VALUES + i + 1] + CLOSED_KEPT))
                best = max(best, other)
            state[VALUES + i] = best
    return state[VALUES]


@njit("UniTuple(uint64, 2)(uint64[::1], int64[::1], uint64[:, :, :, ::1], uint64, uint64)", cache=True, nogil=True)
def lowest_image(geometry, state, images, free_h, free_v):
    """The least of the mirror images of a position, which stands for all of them."""
    geometry, state = without_length(geometry), without_length(state)
    best_h, best_v = free_h, free_v
    for i in range(state[SYMMETRIES]):
        ih, iv = ZERO, ZERO
        part = free_h
        for byte in range(8):
            ih |= images[i, byte, np.int64(part & U(255)), 0]
            iv |= images[i, byte, np.int64(part & U(255)), 1]
            part >>= U(8)
        part = free_v
        for byte in range(8, 16):
            ih |= images[i, byte, np.int64(part & U(255)), 0]
            iv |= images[i, byte, np.int64(part & U(255)), 1]
            part >>= U(8)
        ih, iv = settled(geometry, state, ih, iv)
        if ih < best_h or (ih == best_h and iv < best_v):
            best_h, best_v = ih, iv
    return best_h, best_v


@njit("int64(uint64[::1], int64[::1], uint64[::1], int64, uint64, uint64)", cache=True, nogil=True)
def ordered_edges(geometry, state, moves, start, free_h, free_v):
    """Write the numbers of the safe edges to the move stack, those of the highest rank first; return the count.

    An edge is its bit in the horizontal edges, or 64 more than its bit in the vertical ones.
    """
    geometry, state, moves = without_length(geometry), without_length(state), without_length(moves)
    count = 0
    across, down = safe_edges(geometry, state, free_h, free_v, degrees(geometry, state, free_h, free_v)[2])
    while across | down:
        if across:
            edge = lowest(across)
            across &= across - ONE
        else:
            edge = 64 + lowest(down)
            down &= down - ONE
        place = count
        score = state[RANK + edge]
        while place and state[RANK + np.int64(moves[start + place - 1])] < score:
            moves[start + place] = moves[start + place - 1]
            place -= 1
        moves[start + place] = U(edge)
        count += 1
    return count


@njit(_AFTER, cache=True, nogil=True)
def after_edge(geometry, state, free_h, free_v, chains, loops, boxes, edge):
    """The position after a safe edge."""
    geometry, state = without_length(geometry), without_length(state)
    if edge < 64:
        free_h &= ~(ONE << U(edge))
        one, other = edge, edge - state[STRIDE]
    else:
        free_v &= ~(ONE << U(edge - 64))
        one, other = edge - 64, edge - 65
    if (geometry[INSIDE] >> U(one)) & ONE:
        free_h, free_v, chains, loops, boxes = split_at(geometry, state, free_h, free_v, chains, loops, boxes, one)
    if other >= 0 and (geometry[INSIDE] >> U(other)) & ONE:
        free_h, free_v, chains, loops, boxes = split_at(geometry, state, free_h, free_v, chains, loops, boxes, other)
    return free_h, free_v, chains, loops, boxes


@njit("int64(uint64[::1], int64, int64, uint64, uint64, uint64, uint64, int64, int64, int64)", cache=True, nogil=True)
def add_sacrifice(moves, start, count, free_h, free_v, chains, loops, boxes, length, kept):
    """Insert a sacrifice by its cost."""
    moves = without_length(moves)
    order = U(((length - kept) << 24) | (length << 16) | (kept << 8) | boxes)
    place = count
    while place and moves[start + ENTRY * place - 1] > order:
        for i in range(ENTRY):
            moves[start + ENTRY * place + i] = moves[start + ENTRY * (place - 1) + i]
        place -= 1
    to = start + ENTRY * place
    moves[to], moves[to + 1], moves[to + 2], moves[to + 3], moves[to + 4] = free_h, free_v, chains, loops, order
    return count + 1


@njit(
    "int64(uint64[::1], int64[::1], uint64[::1], int64, uint64, uint64, uint64, uint64, int64, int64)",
    cache=True,
    nogil=True,
)
def sacrifices(geometry, state, moves, start, free_h, free_v, chains, loops, boxes, target):
    """Write the position after each chain given away that may reach `target`, the cheapest first; return the number.

    The last number of an entry: the cost, the boxes given, the boxes of them that can be handed out, the boxes left.
    """
    geometry, state, moves = without_length(geometry), without_length(state), without_length(moves)
    count = 0
    two = degrees(geometry, state, free_h, free_v)[1]
    stride = U(state[STRIDE])
    while two:
        box = lowest(two)
        sides = exits(state, free_h, free_v, box)
        side = first_side(sides)
        length, mh, mv, first = follow(geometry, state, free_h, free_v, box, side)
        second = GROUND
        length += 1
        if first != CYCLE:
            more, nh, nv, second = follow(geometry, state, free_h, free_v, box, first_side(sides & ~(1 << side)))
            length += more
            mh |= nh
            mv |= nv
        else:
            first = GROUND
        # the boxes of this chain: those with two free edges, one of which belongs to it
        two &= ~(ONE << U(box)) & ~(mh | (mh >> stride) | mv | (mv >> ONE))
        nh, nv = free_h & ~mh, free_v & ~mv
        nchains, nloops, nboxes = chains, loops, boxes
        if (
            first >= 0 and popcount(U(exits(state, nh, nv, first))) == ONE
        ):  # both ends led to this box: the chain goes on
            more, mh, mv, end = run_from(geometry, state, nh, nv, first)
            length += more
            nh &= ~mh
            nv &= ~mv
            first, second = GROUND, end
        kept = HALF_OPEN_KEPT if length >= LONG else 0
        cost = length - kept
        if target > (-cost if kept else boxes - 2 * length):
            continue
        if first >= 0:
            nh, nv, nchains, nloops, nboxes = split_at(geometry, state, nh, nv, nchains, nloops, nboxes, first)
        if second >= 0 and second != first:
            nh, nv, nchains, nloops, nboxes = split_at(geometry, state, nh, nv, nchains, nloops, nboxes, second)
        count = add_sacrifice(moves, start, count, nh, nv, nchains, nloops, nboxes - length, length, kept)
    if chains:
        length = state[CHAIN_LENGTH + lowest(chains)]
        kept = HALF_OPEN_KEPT if length >= LONG else 0
        if target <= (kept - length if kept else boxes - 2 * length):
            rest = chains - geometry[CHAIN + length]
            count = add_sacrifice(moves, start, count, free_h, free_v, rest, loops, boxes - length, length, kept)
    if loops:
        length = state[LOOP_LENGTH + lowest(loops)]
        if target <= CLOSED_KEPT - length:
            rest = loops - geometry[LOOP + length]
            count = add_sacrifice(
                moves, start, count, free_h, free_v, chains, rest, boxes - length, length, CLOSED_KEPT
            )
    return count


@njit(_SEARCH + "uint64, uint64, int64, int64, int64)", cache=True, nogil=True)
def edge_reaches_margin(geometry, state, table, moves, images, free_h, free_v, chains, loops, boxes, target, start):
    """Tell whether the mover gets at least `target` more of the open boxes than the opponent: NO, YES or STOPPED."""
    geometry, state, table, moves = (
        without_length(geometry),
        without_length(state),
        without_length(table),
        without_length(moves),
    )
    target += (boxes - target) & 1  # the value is odd exactly if the number of boxes is
    if target <= -boxes:
        return YES
    if target > boxes:
        return NO
    if not free_h | free_v:
        return YES if simple_value(geometry, state, chains, loops) >= target else NO
    if np.int64(popcount(free_h) + popcount(free_v)) > state[MIRRORED]:
        free_h, free_v = lowest_image(geometry, state, images, free_h, free_v)
    slot, key = slot_of(state, free_h, free_v, chains, loops)
    entry = entry_of(table, slot, key)
    low, high = -boxes, boxes
    if entry:
        low, high = 2 * np.int64(entry & LOW6) - boxes, 2 * np.int64((entry >> S6) & LOW6) - boxes
        if low >= target:
            return YES
        if high < target:
            return NO
    before = state[NODES]
    if state[STOP] or before >= state[NODE_LIMIT]:
        return STOPPED
    state[NODES] += 1
    found = NO
    count = ordered_edges(geometry, state, moves, start, free_h, free_v)
    beyond = start + count
    i = 0
    while i < count and found == NO:
        edge = np.int64(moves[start + i])
        nh, nv, nchains, nloops, left = after_edge(geometry, state, free_h, free_v, chains, loops, boxes, edge)
        found = OTHERWISE[
            edge_reaches_margin(
                geometry, state, table, moves, images, nh, nv, nchains, nloops, left, 1 - target, beyond
            )
        ]
        i += 1
    if found == NO:
        count = sacrifices(geometry, state, moves, start, free_h, free_v, chains, loops, boxes, target)
        beyond = start + ENTRY * count
    i = 0
    while i < count and found == NO:
        m = start + ENTRY * i
        order = np.int64(moves[m + 4])
        left, kept, given = order & 255, (order >> 8) & 255, (order >> 16) & 255
        nh, nv, nchains, nloops = moves[m], moves[m + 1], moves[m + 2], moves[m + 3]
        most = kept - given - target  # the largest |value + kept| that the mover can afford
        if kept:
            found = edge_reaches_margin(
                geometry, state, table, moves, images, nh, nv, nchains, nloops, left, -most - kept, beyond
            )
        if not kept or found == YES:
            below = most - kept + 1 if kept else 1 - target - given
            found = OTHERWISE[
                edge_reaches_margin(geometry, state, table, moves, images, nh, nv, nchains, nloops, left, below, beyond)
            ]
        i += 1
    if found == STOPPED:
        return STOPPED
    if found == YES:
        low = target
    else:
        high = target - 2
    size = min(15, (highest(U(state[NODES] - before)) + 1) // 2)
    store(table, slot, key, (low + boxes) >> 1, (high + boxes) >> 1, size)
    return found


@njit(_SEARCH + "int64)", cache=True, nogil=True)
def reaches_margin(geometry, state, entries, stack, mirrored, free_h, free_v, target):
    """Tell for any position whether the mover gets at least `target` more open boxes: NO, YES or STOPPED."""
    geometry, state, table, moves, images = (
        without_length(geometry),
        without_length(state),
        without_length(entries),
        without_length(stack),
        unowned(mirrored),
    )
    one, two, more = degrees(geometry, state, free_h, free_v)
    boxes = np.int64(popcount(one | two | more))
    taken, kept = 0, 0
    if one:
        taken, kept, free_h, free_v = captures(geometry, state, free_h, free_v)
        boxes -= taken
        target -= taken
    free_h, free_v, chains, loops, left = split(geometry, state, free_h, free_v, boxes)
    if not kept:
        return edge_reaches_margin(
            geometry, state, table, moves, images, free_h, free_v, chains, loops, left, target, 0
        )
    # the mover takes all boxes and moves, or hands out the last ones: the value is |value + kept| - kept
    if target + kept <= 0:
        return YES
    found = edge_reaches_margin(geometry, state, table, moves, images, free_h, free_v, chains, loops, left, target, 0)
    if found != NO:
        return found
    found = edge_reaches_margin(
        geometry, state, table, moves, images, free_h, free_v, chains, loops, left, 1 - target - 2 * kept, 0
    )
    return STOPPED if found == STOPPED else OTHERWISE[found]
