"""A board as two bit masks of free edges: degrees of boxes, safe edges, chains, captures.

Uses the arrays of layout.py. In the dual of the board a box is a coin, and a free edge is a string between two coins
or between a coin and the ground (E. Berlekamp, J. Conway and R. Guy, Winning Ways for your Mathematical Plays, ch. 16).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros
from numba.extending import intrinsic

from gomogo_core.engines.boxes.layout import (
    BOTTOM,
    GROUPS,
    INSIDE,
    LEFT,
    RIGHT,
    STRIDE,
    TOP,
    TWIN_COUNT,
    TWIN_EDGES,
    TWIN_MASKS,
    TWIN_SIZE,
    TWINS,
)
from gomogo_core.engines.unowned import without_length

U = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)
GROUND, CYCLE, CLOSED = -1, -2, -100  # ends of a run; a closed one ends at CLOSED - box
LONG = 3  # boxes of the shortest chain whose opener may get two of them back
HALF_OPEN_KEPT, CLOSED_KEPT = 2, 4


def _popcount(typing: Any, number: Any) -> Any:
    """The number of bits that are 1."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


popcount: Any = intrinsic(_popcount)


@njit("int64(uint64)", cache=True, nogil=True, inline="always")
def lowest(mask):
    """The number of the lowest bit."""
    return np.int64(trailing_zeros(mask))  # type: ignore[call-arg]


@njit("int64(uint64)", cache=True, nogil=True, inline="always")
def highest(mask):
    """The number of the highest bit."""
    return 63 - np.int64(leading_zeros(mask))  # type: ignore[call-arg]


@njit("UniTuple(uint64, 3)(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def degrees(g, s, h, v):
    """The boxes with one free edge (capturable), with two (in a chain or a loop), and with more."""
    g, s = without_length(g), without_length(s)
    inside = g[INSIDE]
    a, b = h & inside, (h >> U(s[STRIDE])) & inside
    c, d = v & inside, (v >> ONE) & inside
    ab, cd, both_ab, both_cd = a ^ b, c ^ d, a & b, c & d
    more = (both_ab & (c | d)) | (both_cd & (a | b))
    return (ab ^ cd) & ~more, ((both_ab ^ both_cd) | (ab & cd)) & ~more, more


@njit("UniTuple(uint64, 2)(uint64[::1], int64[::1], uint64, uint64, uint64)", cache=True, nogil=True)
def safe_edges(g, s, h, v, more):
    """The free edges that give no box away, of twins only the first; `more`: the boxes with over two free edges."""
    g, s = without_length(g), without_length(s)
    across = h & (more | g[BOTTOM]) & ((more << U(s[STRIDE])) | g[TOP])
    down = v & (more | g[RIGHT]) & ((more << ONE) | g[LEFT])
    for group in range(s[GROUPS]):
        at = TWINS + TWIN_SIZE * group
        a, d = across & g[at + TWIN_MASKS], down & g[at + TWIN_MASKS + 1]
        if popcount(a) + popcount(d) > U(1):
            across &= ~a
            down &= ~d
            if a:
                across |= a & (~a + ONE)
            else:
                down |= d & (~d + ONE)
    return across, down


@njit("UniTuple(uint64, 2)(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def settled(g, s, h, v):
    """The equivalent position in which, in each group of twins, the first edges are the drawn ones."""
    g, s = without_length(g), without_length(s)
    for group in range(s[GROUPS]):
        at = TWINS + TWIN_SIZE * group
        count = np.int64(popcount(h & g[at + TWIN_MASKS]) + popcount(v & g[at + TWIN_MASKS + 1]))
        h &= ~g[at + TWIN_MASKS]
        v &= ~g[at + TWIN_MASKS + 1]
        size = np.int64(g[at + TWIN_COUNT])
        for i in range(size - count, size):
            h |= g[at + TWIN_EDGES + 2 * i]
            v |= g[at + TWIN_EDGES + 2 * i + 1]
    return h, v


@njit("int64(int64[::1], uint64, uint64, int64)", cache=True, nogil=True, inline="always")
def exits(s, h, v, box):
    """The free edges of a box as four bits: up, down, left, right."""
    b = U(box)
    return np.int64(
        ((h >> b) & ONE)
        | (((h >> (b + U(s[STRIDE]))) & ONE) << U(1))
        | (((v >> b) & ONE) << U(2))
        | (((v >> (b + ONE)) & ONE) << U(3))
    )


@njit(
    "Tuple((int64, uint64, uint64, int64))(uint64[::1], int64[::1], uint64, uint64, int64, int64)",
    cache=True,
    nogil=True,
)
def follow(g, s, h, v, start, side):
    """Leave the box `start` by its edge `side`, and go on through boxes with two free edges.

    Returns the number of these boxes, the edges crossed in two masks, and the end: GROUND, CYCLE at `start`, the joint
    (a box with more free edges), or CLOSED - box for a capturable box.
    """
    g, s = without_length(g), without_length(s)
    stride, inside = s[STRIDE], g[INSIDE]
    mh, mv = ZERO, ZERO
    count, box = 0, start
    while True:
        if side == 0:
            mh |= ONE << U(box)
            box -= stride
        elif side == 1:
            box += stride
            mh |= ONE << U(box)
        elif side == 2:
            mv |= ONE << U(box)
            box -= 1
        else:
            box += 1
            mv |= ONE << U(box)
        if box < 0 or not (inside >> U(box)) & ONE:
            return count, mh, mv, GROUND
        if box == start:
            return count, mh, mv, CYCLE
        onwards = exits(s, h, v, box) & ~(1 << (side ^ 1))
        if onwards == 0:
            return count, mh, mv, CLOSED - box
        if onwards & (onwards - 1):
            return count, mh, mv, box
        count += 1
        side = (onwards >> 1) - (onwards >> 3)


@njit("int64(int64)", cache=True, nogil=True, inline="always")
def first_side(sides):
    """The lowest of four bits, as a number."""
    if sides & 1:
        return 0
    if sides & 2:
        return 1
    if sides & 4:
        return 2
    return 3


@njit("Tuple((int64, boolean, uint64, uint64))(uint64[::1], int64[::1], uint64, uint64, int64)", cache=True, nogil=True)
def untouched(g, s, h, v, box):
    """The length of the chain or loop of a box with two free edges, whether it is a loop, and its edges.

    The length is 0 if the chain ends at a joint, or if the box has not two free edges.
    """
    g, s = without_length(g), without_length(s)
    sides = exits(s, h, v, box)
    if popcount(U(sides)) != U(2):
        return 0, False, ZERO, ZERO
    side = first_side(sides)
    count, mh, mv, end = follow(g, s, h, v, box, side)
    if end == CYCLE:
        return count + 1, True, mh, mv
    if end != GROUND:
        return 0, False, ZERO, ZERO
    more, nh, nv, end = follow(g, s, h, v, box, first_side(sides & ~(1 << side)))
    if end != GROUND:
        return 0, False, ZERO, ZERO
    return count + more + 1, False, mh | nh, mv | nv


@njit("Tuple((int64, uint64, uint64, int64))(uint64[::1], int64[::1], uint64, uint64, int64)", cache=True, nogil=True)
def run_from(g, s, h, v, box):
    """The run of captures from a box with one free edge: its length, its edges, and its end as in `follow`."""
    g, s = without_length(g), without_length(s)
    count, mh, mv, end = follow(g, s, h, v, box, first_side(exits(s, h, v, box)))
    return count + (2 if end <= CLOSED else 1), mh, mv, end


@njit("Tuple((int64, int64, uint64, uint64))(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def captures(g, s, h, v):
    """The boxes that can be captured in a row, the least number that can be handed out instead, and the edges left.

    That number is 2 for the end of a half-open run, 4 for a closed run, 0 for none. All other boxes are taken first.
    """
    g, s = without_length(g), without_length(s)
    total, kept = 0, 0
    rest_h, rest_v = h, v
    while True:
        one = degrees(g, s, rest_h, rest_v)[0]
        if not one:
            break
        length, mh, mv, _ = run_from(g, s, rest_h, rest_v, lowest(one))
        total += length
        rest_h &= ~mh
        rest_v &= ~mv
    one = degrees(g, s, h, v)[0]
    while one:
        box = lowest(one)
        one &= one - ONE
        fh, fv = h, v
        while True:
            length, _, _, end = run_from(g, s, fh, fv, box)
            others = degrees(g, s, fh, fv)[0] & ~(ONE << U(box))
            if end <= CLOSED:
                others &= ~(ONE << U(CLOSED - end))
            if not others:
                break
            _, mh, mv, _ = run_from(g, s, fh, fv, lowest(others))
            fh &= ~mh
            fv &= ~mv
        least = CLOSED_KEPT if end <= CLOSED else HALF_OPEN_KEPT
        if length >= least and (kept == 0 or least < kept):
            kept = least
    return total, kept, rest_h, rest_v
