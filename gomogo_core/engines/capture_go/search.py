"""And/or search with a transposition table: can the attacker force the first capture within a number of plies?

Points are bits of masks: the point in row r and column c is bit r · columns + c. The first capture ends the game, so no
stone is ever removed, no position repeats, and no ko rule matters. E. van der Werf, AI techniques for the game of Go
(2004), ch. 4, solved the boards up to 5 × 5.

A position consists of the mover's stones and the other player's stones. These exact rules shorten the search:

- A player who can capture has won. A player must play on the last liberty of its own chain in atari. If there are two
  such points, the player has lost.
- A move that leaves the mover's own chain in atari loses in two plies.
- The attacker never passes, since the defender would pass too, and the game would be a draw.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit

from gomogo_core.engines.array_views import uncounted_view
from gomogo_core.engines.clock import count_node

# The types of the parameters of compiled functions. Numba takes them from the signatures; these names are for readers.
MaskArray: TypeAlias = Any  # uint64: masks of the board, with the indices ALL_POINTS to INNER_POINTS
StateArray: TypeAlias = Any  # int64 (STATE_SIZE,): counters, rules and the stack of moves
ImageMasks: TypeAlias = Any  # uint64 (symmetries, points): the mask of the image of each point
KeyArray: TypeAlias = Any  # uint64: the positions in the transposition table
BoundArray: TypeAlias = Any  # uint64: the bounds in the transposition table
PointMask: TypeAlias = Any  # uint64: a mask of points
Int64: TypeAlias = Any  # a count, an index or a result
Boolean: TypeAlias = Any

NOT_YET, YES, NEVER, STOPPED = 0, 1, 2, 3
MAX_POINTS = 28
SLOTS_PER_BUCKET = 4  # entries of a bucket of the transposition table
UNKNOWN_BOUND = 255  # marks a bound that is not known; it exceeds any number of plies

# The indices of the int64 array `state`, which holds counters, rules and the stack of moves.
# STOP_FLAG takes three numbers (stop_flag.py).
STOP_FLAG, _, _, NODE_COUNT, COLUMNS, PASSING_ALLOWED, BUCKET_COUNT, IMAGE_COUNT, MAX_STONES_FOR_SYMMETRY = range(9)
MOVE_STACK_START = 16
MAX_MOVES = MAX_POINTS + 1
STATE_SIZE = MOVE_STACK_START + MAX_MOVES * 3 * MAX_POINTS
# The indices of the uint64 array `masks`: all points; the first column; the last column; the points not on the edge.
ALL_POINTS, FIRST_COLUMN, LAST_COLUMN, INNER_POINTS = range(4)

U64 = np.uint64
ZERO, ONE = np.uint64(0), np.uint64(1)
_OPPONENT_SHIFT, _ATTACKER_BIT, _USED_BIT = np.uint64(28), np.uint64(1 << 56), np.uint64(1 << 57)
_HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT_8, _SHIFT_16, _SHIFT_29, _SHIFT_32 = (np.uint64(bits) for bits in (8, 16, 29, 32))
_BYTE_MASK = np.uint64(255)


@njit("uint64(uint64[::1], int64[::1], uint64)", cache=True, nogil=True)
def touching_points(masks: MaskArray, state: StateArray, stones: PointMask) -> PointMask:
    """Return the mask of the points next to a stone of `stones`; it may contain some of the stones."""
    horizontal = ((stones & ~masks[LAST_COLUMN]) << ONE) | ((stones & ~masks[FIRST_COLUMN]) >> ONE)
    columns = U64(state[COLUMNS])
    return (horizontal | (stones << columns) | (stones >> columns)) & masks[ALL_POINTS]


@njit("uint64(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def chain_of(masks: MaskArray, state: StateArray, seed: PointMask, stones: PointMask) -> PointMask:
    """Return the mask of the chain of `stones` that contains the stone `seed`."""
    chain = seed
    while True:
        grown_chain = chain | (touching_points(masks, state, chain) & stones)
        if grown_chain == chain:
            return chain
        chain = grown_chain


@njit("uint64(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def last_liberties(masks: MaskArray, state: StateArray, stones: PointMask, empty: PointMask) -> PointMask:
    """Return the mask of the last liberties of those chains of `stones` that are in atari."""
    found_points, stones_left = ZERO, stones
    while stones_left:
        chain = chain_of(masks, state, stones_left & (~stones_left + ONE), stones)
        stones_left &= ~chain
        liberties = touching_points(masks, state, chain) & empty
        if not liberties & (liberties - ONE):
            found_points |= liberties
    return found_points


@njit("int64(uint64)", cache=True, nogil=True)
def bit_count(mask: PointMask) -> Int64:
    """Return the number of set bits."""
    count = 0
    while mask:
        mask &= mask - ONE
        count += 1
    return count


@njit("uint64(int64[::1], uint64[:, ::1], uint64, uint64)", cache=True, nogil=True)
def canonical_position(state: StateArray, image_masks: ImageMasks, own: PointMask, other: PointMask) -> PointMask:
    """Return the position as one number; with few stones on the board, the least number of its mirror images."""
    least_code = own | (other << _OPPONENT_SHIFT)
    if bit_count(own | other) > state[MAX_STONES_FOR_SYMMETRY]:
        return least_code
    for i in range(state[IMAGE_COUNT]):
        image = ZERO
        stones_left = own
        while stones_left:
            bit = stones_left & (~stones_left + ONE)
            image |= image_masks[i, bit_count(bit - ONE)]
            stones_left ^= bit
        stones_left = other
        while stones_left:
            bit = stones_left & (~stones_left + ONE)
            image |= image_masks[i, bit_count(bit - ONE)] << _OPPONENT_SHIFT
            stones_left ^= bit
        least_code = min(least_code, image)
    return least_code


@njit("int64(uint64[::1], int64[::1], uint64, uint64, uint64, int64)", cache=True, nogil=True)
def write_safe_moves(
    masks: MaskArray, state: StateArray, own: PointMask, other: PointMask, points: PointMask, start: Int64
) -> Int64:
    """Write to the stack the moves at `points` that do not leave their chain in atari; return their number.

    The most promising moves come first: moves that put a chain into atari, then moves with many liberties. Suicide is
    not a move.
    """
    empty_points = masks[ALL_POINTS] & ~(own | other)
    count, points_left = 0, points
    while points_left:
        bit = points_left & (~points_left + ONE)
        points_left ^= bit
        liberties = touching_points(masks, state, chain_of(masks, state, bit, own | bit)) & empty_points & ~bit
        if not liberties & (liberties - ONE):
            continue
        score = min(bit_count(liberties), 6) + 3 * bit_count(touching_points(masks, state, bit) & other)
        if bit & masks[INNER_POINTS]:
            score += 2
        if last_liberties(masks, state, other, empty_points & ~bit):
            score += 50
        entry = (score << 32) | np.int64(bit)
        index = count
        while index and state[start + index - 1] < entry:
            state[start + index] = state[start + index - 1]
            index -= 1
        state[start + index] = entry
        count += 1
    return count


@njit("boolean(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def can_move(masks: MaskArray, state: StateArray, own: PointMask, other: PointMask) -> Boolean:
    """Return whether the mover can place a stone that has a liberty. It assumes that no move captures."""
    empty_points = masks[ALL_POINTS] & ~(own | other)
    if touching_points(masks, state, empty_points) & empty_points:
        return True
    points_left = empty_points
    while points_left:
        bit = points_left & (~points_left + ONE)
        points_left ^= bit
        if touching_points(masks, state, chain_of(masks, state, bit, own | bit)) & empty_points & ~bit:
            return True
    return False


@njit(
    "int64(uint64[::1], int64[::1], uint64[:, ::1], uint64[::1], uint64[::1], uint64, uint64, boolean, int64, int64)",
    cache=True,
    nogil=True,
)
def _attacker_wins(
    masks: MaskArray,
    state: StateArray,
    image_masks: ImageMasks,
    keys: KeyArray,
    bounds: BoundArray,
    own: PointMask,
    other: PointMask,
    attacker_to_move: Boolean,
    max_plies: Int64,
    start: Int64,
) -> Int64:
    """Return the result of `attacker_wins` inside the search. `start` is the first free index of the stack of moves."""
    empty_points = masks[ALL_POINTS] & ~(own | other)
    if last_liberties(masks, state, other, empty_points):
        if not attacker_to_move:
            return NEVER
        return YES if max_plies >= 1 else NOT_YET
    may_pass = state[PASSING_ALLOWED] != 0
    if not may_pass and not can_move(masks, state, own, other):
        return NEVER if attacker_to_move else YES
    threats = last_liberties(masks, state, own, empty_points)
    if threats & (threats - ONE):
        if attacker_to_move:
            return NEVER
        return YES if max_plies >= 2 else NOT_YET
    if max_plies < (1 if attacker_to_move and not may_pass else 3 if attacker_to_move else 2):
        return NOT_YET
    position_code = canonical_position(state, image_masks, own, other)
    key = position_code | _USED_BIT | (_ATTACKER_BIT if attacker_to_move else ZERO)
    mixed_key = key * _HASH_MULTIPLIER
    mixed_key = (mixed_key ^ (mixed_key >> _SHIFT_29)) * _HASH_MULTIPLIER
    slot = U64(SLOTS_PER_BUCKET) * (((mixed_key >> _SHIFT_32) * U64(state[BUCKET_COUNT])) >> _SHIFT_32)
    for i in range(SLOTS_PER_BUCKET):
        if keys[slot + U64(i)] == key:
            bound = bounds[slot + U64(i)]
            low, high = np.int64(bound & _BYTE_MASK), np.int64((bound >> _SHIFT_8) & _BYTE_MASK)
            if max_plies >= high:
                return YES
            if low == UNKNOWN_BOUND:
                return NEVER
            if max_plies <= low:
                return NOT_YET
            break
    if state[STOP_FLAG]:
        return STOPPED
    count_node(state, NODE_COUNT, STOP_FLAG)
    nodes_before = state[NODE_COUNT]
    count = write_safe_moves(masks, state, own, other, threats if threats else empty_points, start)
    result = NEVER if attacker_to_move else YES
    for i in range(count):
        move = U64(state[start + i] & 0xFFFFFFFF)
        answer = _attacker_wins(
            masks, state, image_masks, keys, bounds, other, own | move, not attacker_to_move, max_plies - 1,
            start + count,
        )  # fmt: skip
        if answer == STOPPED:
            return STOPPED
        if attacker_to_move:
            if answer == YES:
                result = YES
                break
            if answer == NOT_YET:
                result = NOT_YET
        elif answer != YES:
            result = answer
            break
    if not attacker_to_move and result == YES and may_pass and not threats:
        result = _attacker_wins(
            masks, state, image_masks, keys, bounds, other, own, not attacker_to_move, max_plies - 1, start + count
        )
        if result == STOPPED:
            return STOPPED
    node_cost, size = state[NODE_COUNT] - nodes_before, ZERO
    while node_cost:
        node_cost >>= 1
        size += ONE
    best_slot, least_size = slot, U64(1 << 20)
    for i in range(SLOTS_PER_BUCKET):
        slot_key = keys[slot + U64(i)]
        if slot_key == key:
            best_slot = slot + U64(i)
            break
        slot_size = ZERO if slot_key == ZERO else (bounds[slot + U64(i)] >> _SHIFT_16) + ONE
        if slot_size < least_size:
            best_slot, least_size = slot + U64(i), slot_size
    low, high = np.int64(0), np.int64(UNKNOWN_BOUND)
    if keys[best_slot] == key:
        low, high = np.int64(bounds[best_slot] & _BYTE_MASK), np.int64((bounds[best_slot] >> _SHIFT_8) & _BYTE_MASK)
    if result == YES:
        high = np.int64(min(max_plies, UNKNOWN_BOUND - 1))
    else:
        low = np.int64(UNKNOWN_BOUND if result == NEVER else max_plies)
    keys[best_slot] = key
    bounds[best_slot] = U64(low) | (U64(high) << _SHIFT_8) | (size << _SHIFT_16)
    return result


@njit(
    "int64(uint64[::1], int64[::1], uint64[:, ::1], uint64[::1], uint64[::1], uint64, uint64, boolean, int64)",
    cache=True,
    nogil=True,
)
def attacker_wins(
    masks: MaskArray,
    state: StateArray,
    image_masks: ImageMasks,
    keys: KeyArray,
    bounds: BoundArray,
    own: PointMask,
    other: PointMask,
    attacker_to_move: Boolean,
    max_plies: Int64,
) -> Int64:
    """Return whether the attacker wins within `max_plies`: YES, NOT_YET, NEVER (with any number of plies) or STOPPED.

    `own` and `other` are the masks of the mover's and the other player's stones. `attacker_to_move` tells whether the
    mover is the attacker. `keys` and `bounds` are the transposition table.
    """
    masks, state, image_masks = uncounted_view(masks), uncounted_view(state), uncounted_view(image_masks)
    return _attacker_wins(
        masks,
        state,
        image_masks,
        uncounted_view(keys),
        uncounted_view(bounds),
        own,
        other,
        attacker_to_move,
        max_plies,
        MOVE_STACK_START,
    )
