"""And/or search with a transposition table: can the attacker force the first capture within a number of plies?

Points are bits of masks: the point in row r and column c is bit r · columns + c. The first capture ends the game, so no
stone is ever removed, no position repeats, and no ko rule matters. E. van der Werf, AI techniques for the game of Go
(2004), ch. 4, solved the boards up to 5 × 5.

A position consists of the mover's stones and the other player's stones. These exact rules shorten the search:

- A player who can capture has won. A player must play on the last liberty of an own chain in atari. If there are two
  such points, the player has lost.
- A move that leaves the mover's own chain in atari loses in two plies.
- The attacker never passes, since the defender would pass too, and the game would be a draw.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit

from gomogo_core.engines.unowned import unowned

# The types of the parameters of compiled functions. Numba takes them from the signatures; these names are for readers.
MaskArray: TypeAlias = Any  # uint64: masks of the board, with the indices FULL to CENTRE
StateArray: TypeAlias = Any  # int64 (STATE_SIZE,): counters, rules and the stack of moves
ImageMasks: TypeAlias = Any  # uint64 (symmetries, points): the mask of the image of each point
KeyArray: TypeAlias = Any  # uint64: the positions in the transposition table
BoundArray: TypeAlias = Any  # uint64: the bounds in the transposition table
PointMask: TypeAlias = Any  # uint64: a mask of points
Number: TypeAlias = Any  # int64: a count, an index or a result
Boolean: TypeAlias = Any

NOT_YET, YES, NEVER, STOPPED = 0, 1, 2, 3
MOST_POINTS = 28
SLOTS = 4  # entries of a bucket of the transposition table
NONE = 255  # marks a bound that is not known; it exceeds any number of plies

# The indices of the int64 array `state`, which holds counters, rules and the stack of moves.
STOP, NODES, COLUMNS, PASSING, BUCKETS, IMAGE_COUNT, MAX_STONES_FOR_SYMMETRY = range(7)
MOVES = 16
MOST_MOVES = MOST_POINTS + 1
STATE_SIZE = MOVES + MOST_MOVES * 3 * MOST_POINTS
# The indices of the uint64 array `masks`: all points; the first column; the last column; the points not on the edge.
FULL, LEFT, RIGHT, CENTRE = range(4)

U = np.uint64
ZERO, ONE = np.uint64(0), np.uint64(1)
_OPPONENT, _ATTACKS, _SET = np.uint64(28), np.uint64(1 << 56), np.uint64(1 << 57)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_S8, _S16, _S24, _S29, _S32 = (np.uint64(bits) for bits in (8, 16, 24, 29, 32))
_BYTE = np.uint64(255)


@njit("uint64(uint64[::1], int64[::1], uint64)", cache=True, nogil=True)
def touching_points(masks: MaskArray, state: StateArray, stones: PointMask) -> PointMask:
    """Return the mask of the points next to a stone of `stones`; it may contain some of the stones."""
    across = ((stones & ~masks[RIGHT]) << ONE) | ((stones & ~masks[LEFT]) >> ONE)
    columns = U(state[COLUMNS])
    return (across | (stones << columns) | (stones >> columns)) & masks[FULL]


@njit("uint64(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def chain_of(masks: MaskArray, state: StateArray, seed: PointMask, stones: PointMask) -> PointMask:
    """Return the mask of the chain of `stones` that contains the stone `seed`."""
    chain = seed
    while True:
        grown = chain | (touching_points(masks, state, chain) & stones)
        if grown == chain:
            return chain
        chain = grown


@njit("uint64(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def last_liberties(masks: MaskArray, state: StateArray, stones: PointMask, empty: PointMask) -> PointMask:
    """Return the mask of the last liberties of those chains of `stones` that are in atari."""
    found, rest = ZERO, stones
    while rest:
        chain = chain_of(masks, state, rest & (~rest + ONE), stones)
        rest &= ~chain
        liberties = touching_points(masks, state, chain) & empty
        if not liberties & (liberties - ONE):
            found |= liberties
    return found


@njit("int64(uint64)", cache=True, nogil=True)
def bit_count(mask: PointMask) -> Number:
    """Return the number of set bits."""
    count = 0
    while mask:
        mask &= mask - ONE
        count += 1
    return count


@njit("uint64(int64[::1], uint64[:, ::1], uint64, uint64)", cache=True, nogil=True)
def canonical_position(state: StateArray, image_masks: ImageMasks, own: PointMask, other: PointMask) -> PointMask:
    """Return the position as one number; with few stones on the board, the least number of its mirror images."""
    best = own | (other << _OPPONENT)
    if bit_count(own | other) > state[MAX_STONES_FOR_SYMMETRY]:
        return best
    for i in range(state[IMAGE_COUNT]):
        image = ZERO
        rest = own
        while rest:
            bit = rest & (~rest + ONE)
            image |= image_masks[i, bit_count(bit - ONE)]
            rest ^= bit
        rest = other
        while rest:
            bit = rest & (~rest + ONE)
            image |= image_masks[i, bit_count(bit - ONE)] << _OPPONENT
            rest ^= bit
        best = min(best, image)
    return best


@njit("int64(uint64[::1], int64[::1], uint64, uint64, uint64, int64)", cache=True, nogil=True)
def safe_moves(
    masks: MaskArray, state: StateArray, own: PointMask, other: PointMask, points: PointMask, start: Number
) -> Number:
    """Write the moves at `points` that do not leave their chain in atari to the stack; return their number.

    The most promising moves come first: moves that put a chain into atari, then moves with many liberties. Suicide is
    not a move.
    """
    empty = masks[FULL] & ~(own | other)
    count, rest = 0, points
    while rest:
        bit = rest & (~rest + ONE)
        rest ^= bit
        liberties = touching_points(masks, state, chain_of(masks, state, bit, own | bit)) & empty & ~bit
        if not liberties & (liberties - ONE):
            continue
        score = min(bit_count(liberties), 6) + 3 * bit_count(touching_points(masks, state, bit) & other)
        if bit & masks[CENTRE]:
            score += 2
        if last_liberties(masks, state, other, empty & ~bit):
            score += 50
        order = (score << 32) | np.int64(bit)
        place = count
        while place and state[start + place - 1] < order:
            state[start + place] = state[start + place - 1]
            place -= 1
        state[start + place] = order
        count += 1
    return count


@njit("boolean(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def can_move(masks: MaskArray, state: StateArray, own: PointMask, other: PointMask) -> Boolean:
    """Return whether the mover can place a stone that has a liberty. It assumes that no move captures."""
    empty = masks[FULL] & ~(own | other)
    if touching_points(masks, state, empty) & empty:
        return True
    rest = empty
    while rest:
        bit = rest & (~rest + ONE)
        rest ^= bit
        if touching_points(masks, state, chain_of(masks, state, bit, own | bit)) & empty & ~bit:
            return True
    return False


@njit(
    "int64(uint64[::1], int64[::1], uint64[:, ::1], uint64[::1], uint64[::1], uint64, uint64, boolean, int64, int64)",
    cache=True,
    nogil=True,
)
def _wins(
    masks: MaskArray,
    state: StateArray,
    image_masks: ImageMasks,
    keys: KeyArray,
    bounds: BoundArray,
    own: PointMask,
    other: PointMask,
    attacker_to_move: Boolean,
    plies: Number,
    start: Number,
) -> Number:
    """Return the result of `wins` for one position inside the search. `start` is the index of the first free place on
    the stack of moves.
    """
    empty = masks[FULL] & ~(own | other)
    if last_liberties(masks, state, other, empty):
        if not attacker_to_move:
            return NEVER
        return YES if plies >= 1 else NOT_YET
    passing = state[PASSING] != 0
    if not passing and not can_move(masks, state, own, other):
        return NEVER if attacker_to_move else YES
    threats = last_liberties(masks, state, own, empty)
    if threats & (threats - ONE):
        if attacker_to_move:
            return NEVER
        return YES if plies >= 2 else NOT_YET
    if plies < (1 if attacker_to_move and not passing else 3 if attacker_to_move else 2):
        return NOT_YET
    image = canonical_position(state, image_masks, own, other)
    key = image | _SET | (_ATTACKS if attacker_to_move else ZERO)
    mixed = key * _MIX
    mixed = (mixed ^ (mixed >> _S29)) * _MIX
    slot = U(SLOTS) * (((mixed >> _S32) * U(state[BUCKETS])) >> _S32)
    for i in range(SLOTS):
        if keys[slot + U(i)] == key:
            bound = bounds[slot + U(i)]
            low, high = np.int64(bound & _BYTE), np.int64((bound >> _S8) & _BYTE)
            if plies >= high:
                return YES
            if low == NONE:
                return NEVER
            if plies <= low:
                return NOT_YET
            break
    if state[STOP]:
        return STOPPED
    state[NODES] += 1
    before = state[NODES]
    count = safe_moves(masks, state, own, other, threats if threats else empty, start)
    found = NEVER if attacker_to_move else YES
    for i in range(count):
        move = U(state[start + i] & 0xFFFFFFFF)
        answer = _wins(
            masks, state, image_masks, keys, bounds, other, own | move, not attacker_to_move, plies - 1, start + count
        )
        if answer == STOPPED:
            return STOPPED
        if attacker_to_move:
            if answer == YES:
                found = YES
                break
            if answer == NOT_YET:
                found = NOT_YET
        elif answer != YES:
            found = answer
            break
    if not attacker_to_move and found == YES and passing and not threats:
        found = _wins(
            masks, state, image_masks, keys, bounds, other, own, not attacker_to_move, plies - 1, start + count
        )
        if found == STOPPED:
            return STOPPED
    spent, size = state[NODES] - before, ZERO
    while spent:
        spent >>= 1
        size += ONE
    place, least = slot, U(1 << 20)
    for i in range(SLOTS):
        here = keys[slot + U(i)]
        if here == key:
            place = slot + U(i)
            break
        worth = ZERO if here == ZERO else (bounds[slot + U(i)] >> _S16) + ONE
        if worth < least:
            place, least = slot + U(i), worth
    low, high = np.int64(0), np.int64(NONE)
    if keys[place] == key:
        low, high = np.int64(bounds[place] & _BYTE), np.int64((bounds[place] >> _S8) & _BYTE)
    if found == YES:
        high = np.int64(min(plies, NONE - 1))
    else:
        low = np.int64(NONE if found == NEVER else plies)
    keys[place] = key
    bounds[place] = U(low) | (U(high) << _S8) | (size << _S16)
    return found


@njit(
    "int64(uint64[::1], int64[::1], uint64[:, ::1], uint64[::1], uint64[::1], uint64, uint64, boolean, int64)",
    cache=True,
    nogil=True,
)
def wins(
    masks: MaskArray,
    state: StateArray,
    image_masks: ImageMasks,
    keys: KeyArray,
    bounds: BoundArray,
    own: PointMask,
    other: PointMask,
    attacker_to_move: Boolean,
    plies: Number,
) -> Number:
    """Return whether the attacker wins within `plies`: YES, NOT_YET, NEVER (within any number of plies) or STOPPED.

    `own` and `other` are the masks of the mover's and the other player's stones. `attacker_to_move` tells whether the
    mover is the attacker. `keys` and `bounds` are the transposition table.
    """
    masks, state, image_masks = unowned(masks), unowned(state), unowned(image_masks)
    return _wins(masks, state, image_masks, unowned(keys), unowned(bounds), own, other, attacker_to_move, plies, MOVES)
