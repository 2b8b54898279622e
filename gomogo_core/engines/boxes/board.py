"""A board as two bit masks of free edges: the free edges of each box, safe edges, chains, captures.

The arrays are those of array_layout.py. In the dual of the board a box is a coin, and a free edge is a string between
two coins or between a coin and the ground (E. Berlekamp, J. Conway and R. Guy, Winning Ways for your Mathematical
Plays, ch. 16).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros
from numba.extending import intrinsic

from gomogo_core.engines.boxes.array_layout import (  # isort: skip
    ALL_BOXES, BOTTOM_EDGES, LEFT_EDGES, RIGHT_EDGES, STRIDE, TOP_EDGES, TWIN_COUNT, TWIN_EDGES, TWIN_GROUP_COUNT,
    TWIN_GROUP_SIZE, TWIN_GROUPS_START, TWIN_MASKS, Boolean, Box, BoxMask, GeometryArray, HorizontalEdges, Int64, Mask,
    StateArray, VerticalEdges,
)  # fmt: skip
from gomogo_core.engines.array_views import unchecked_view

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)
# The ends of a chain or a run of captures: the ground; its own start, in a loop; or CLOSED_END - box for a capturable
# box.
GROUND_END, CYCLE_END, CLOSED_END = -1, -2, -100
MIN_LONG_CHAIN = 3  # the least number of boxes of a long chain
HALF_OPEN_HANDOUT, CLOSED_HANDOUT = 2, 4  # boxes that can be handed out at the end of a half-open run, of a closed run


def _popcount(typing: Any, number: Any) -> Any:
    """Generate the code that counts the set bits of a number."""

    def generate_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate_code


popcount: Any = intrinsic(_popcount)


@njit("int64(uint64)", cache=True, nogil=True, inline="always")
def lowest_bit(mask: Mask) -> Int64:
    """Return the index of the lowest set bit."""
    return np.int64(trailing_zeros(mask))  # type: ignore[call-arg]


@njit("int64(uint64)", cache=True, nogil=True, inline="always")
def highest_bit(mask: Mask) -> Int64:
    """Return the index of the highest set bit."""
    return 63 - np.int64(leading_zeros(mask))  # type: ignore[call-arg]


@njit("UniTuple(uint64, 3)(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def boxes_by_degree(
    geometry: GeometryArray, state: StateArray, free_h: HorizontalEdges, free_v: VerticalEdges
) -> tuple[Mask, Mask, Mask]:
    """Return the masks of the boxes with one free edge (capturable), with two (in a chain or a loop), and with more."""
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    all_boxes = geometry[ALL_BOXES]
    upper, lower = free_h & all_boxes, (free_h >> U64(state[STRIDE])) & all_boxes
    left, right = free_v & all_boxes, (free_v >> ONE) & all_boxes
    one_h, one_v, both_h, both_v = upper ^ lower, left ^ right, upper & lower, left & right
    degree_many = (both_h & (left | right)) | (both_v & (upper | lower))
    return (one_h ^ one_v) & ~degree_many, ((both_h ^ both_v) | (one_h & one_v)) & ~degree_many, degree_many


@njit("UniTuple(uint64, 2)(uint64[::1], int64[::1], uint64, uint64, uint64)", cache=True, nogil=True)
def safe_edges(
    geometry: GeometryArray, state: StateArray, free_h: HorizontalEdges, free_v: VerticalEdges, joint_box_mask: BoxMask
) -> tuple[Mask, Mask]:
    """Return the free edges that give no box away, as masks of horizontal and of vertical edges.

    `joint_box_mask` is the mask of the boxes with more than two free edges. Edges on the rim of the same box are
    equivalent; only the first of them is returned.
    """
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    safe_horizontal = (
        free_h
        & (joint_box_mask | geometry[BOTTOM_EDGES])
        & ((joint_box_mask << U64(state[STRIDE])) | geometry[TOP_EDGES])
    )
    safe_vertical = free_v & (joint_box_mask | geometry[RIGHT_EDGES]) & ((joint_box_mask << ONE) | geometry[LEFT_EDGES])
    for group in range(state[TWIN_GROUP_COUNT]):
        group_start = TWIN_GROUPS_START + TWIN_GROUP_SIZE * group
        twins_h = safe_horizontal & geometry[group_start + TWIN_MASKS]
        twins_v = safe_vertical & geometry[group_start + TWIN_MASKS + 1]
        if popcount(twins_h) + popcount(twins_v) > U64(1):
            safe_horizontal &= ~twins_h
            safe_vertical &= ~twins_v
            if twins_h:
                safe_horizontal |= twins_h & (~twins_h + ONE)
            else:
                safe_vertical |= twins_v & (~twins_v + ONE)
    return safe_horizontal, safe_vertical


@njit("UniTuple(uint64, 2)(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def draw_lowest_twins(
    geometry: GeometryArray, state: StateArray, free_h: HorizontalEdges, free_v: VerticalEdges
) -> tuple[Mask, Mask]:
    """Return an equivalent position: in each group of twins (array_layout.py), the lowest edges are the drawn ones."""
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    for group in range(state[TWIN_GROUP_COUNT]):
        group_start = TWIN_GROUPS_START + TWIN_GROUP_SIZE * group
        count_h = popcount(free_h & geometry[group_start + TWIN_MASKS])
        count = np.int64(count_h + popcount(free_v & geometry[group_start + TWIN_MASKS + 1]))
        free_h &= ~geometry[group_start + TWIN_MASKS]
        free_v &= ~geometry[group_start + TWIN_MASKS + 1]
        size = np.int64(geometry[group_start + TWIN_COUNT])
        for i in range(size - count, size):
            free_h |= geometry[group_start + TWIN_EDGES + 2 * i]
            free_v |= geometry[group_start + TWIN_EDGES + 2 * i + 1]
    return free_h, free_v


@njit("int64(int64[::1], uint64, uint64, int64)", cache=True, nogil=True, inline="always")
def free_sides(state: StateArray, free_h: HorizontalEdges, free_v: VerticalEdges, box: Box) -> Int64:
    """Return the free edges of a box as four bits: up, down, left, right."""
    bit = U64(box)
    return np.int64(
        ((free_h >> bit) & ONE)
        | (((free_h >> (bit + U64(state[STRIDE]))) & ONE) << U64(1))
        | (((free_v >> bit) & ONE) << U64(2))
        | (((free_v >> (bit + ONE)) & ONE) << U64(3))
    )


@njit(
    "Tuple((int64, uint64, uint64, int64))(uint64[::1], int64[::1], uint64, uint64, int64, int64)",
    cache=True,
    nogil=True,
)
def follow_chain(
    geometry: GeometryArray,
    state: StateArray,
    free_h: HorizontalEdges,
    free_v: VerticalEdges,
    start: Int64,
    side: Int64,
) -> tuple[Int64, Mask, Mask, Int64]:
    """Follow a chain: leave the box `start` by its edge `side`, and continue through boxes with two free edges.

    Return the number of these boxes, the crossed edges as two masks, and the end. The end is GROUND_END, CYCLE_END if
    it is `start` again, a joint (a box with more free edges), or CLOSED_END - box for a capturable box.
    """
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    stride, all_boxes = state[STRIDE], geometry[ALL_BOXES]
    crossed_h, crossed_v = ZERO, ZERO
    count, box = 0, start
    while True:
        if side == 0:
            crossed_h |= ONE << U64(box)
            box -= stride
        elif side == 1:
            box += stride
            crossed_h |= ONE << U64(box)
        elif side == 2:
            crossed_v |= ONE << U64(box)
            box -= 1
        else:
            box += 1
            crossed_v |= ONE << U64(box)
        if box < 0 or not (all_boxes >> U64(box)) & ONE:
            return count, crossed_h, crossed_v, GROUND_END
        if box == start:
            return count, crossed_h, crossed_v, CYCLE_END
        next_sides = free_sides(state, free_h, free_v, box) & ~(1 << (side ^ 1))
        if next_sides == 0:
            return count, crossed_h, crossed_v, CLOSED_END - box
        if next_sides & (next_sides - 1):
            return count, crossed_h, crossed_v, box
        count += 1
        side = (next_sides >> 1) - (next_sides >> 3)


@njit("int64(int64)", cache=True, nogil=True, inline="always")
def first_side(sides: Int64) -> Int64:
    """Return the index of the lowest of four bits."""
    if sides & 1:
        return 0
    if sides & 2:
        return 1
    if sides & 4:
        return 2
    return 3


@njit("Tuple((int64, boolean, uint64, uint64))(uint64[::1], int64[::1], uint64, uint64, int64)", cache=True, nogil=True)
def independent_chain_of(
    geometry: GeometryArray, state: StateArray, free_h: HorizontalEdges, free_v: VerticalEdges, box: Box
) -> tuple[Int64, Boolean, Mask, Mask]:
    """Return the length of the independent chain or loop of a box, whether it is a loop, and its edges as two masks.

    The length is 0 if the box does not have two free edges, or if its chain ends at a joint.
    """
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    sides = free_sides(state, free_h, free_v, box)
    if popcount(U64(sides)) != U64(2):
        return 0, False, ZERO, ZERO
    side = first_side(sides)
    count, first_h, first_v, end = follow_chain(geometry, state, free_h, free_v, box, side)
    if end == CYCLE_END:
        return count + 1, True, first_h, first_v
    if end != GROUND_END:
        return 0, False, ZERO, ZERO
    other_side = first_side(sides & ~(1 << side))
    next_length, second_h, second_v, end = follow_chain(geometry, state, free_h, free_v, box, other_side)
    if end != GROUND_END:
        return 0, False, ZERO, ZERO
    return count + next_length + 1, False, first_h | second_h, first_v | second_v


@njit("Tuple((int64, uint64, uint64, int64))(uint64[::1], int64[::1], uint64, uint64, int64)", cache=True, nogil=True)
def capture_run_from(
    geometry: GeometryArray, state: StateArray, free_h: HorizontalEdges, free_v: VerticalEdges, box: Box
) -> tuple[Int64, Mask, Mask, Int64]:
    """Return the run of captures from a box with one free edge: its length, edges, and end as in `follow_chain`."""
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    side = first_side(free_sides(state, free_h, free_v, box))
    count, run_h, run_v, end = follow_chain(geometry, state, free_h, free_v, box, side)
    return count + (2 if end <= CLOSED_END else 1), run_h, run_v, end


@njit("Tuple((int64, int64, uint64, uint64))(uint64[::1], int64[::1], uint64, uint64)", cache=True, nogil=True)
def find_captures(
    geometry: GeometryArray, state: StateArray, free_h: HorizontalEdges, free_v: VerticalEdges
) -> tuple[Int64, Int64, Mask, Mask]:
    """Return two numbers of boxes, and the free edges after all captures as two masks.

    The first number is that of the boxes that the mover can capture in a row. The second is the least number of boxes
    that the mover can leave to the opponent instead: 2 at the end of a half-open run of captures, 4 at the end of a
    closed run (one that ends at another capturable box), or 0 if the mover must take all.
    """
    geometry, state = unchecked_view(geometry), unchecked_view(state)
    box_count, handed_out = 0, 0
    after_h, after_v = free_h, free_v
    while True:
        degree_one = boxes_by_degree(geometry, state, after_h, after_v)[0]
        if not degree_one:
            break
        length, run_h, run_v, _ = capture_run_from(geometry, state, after_h, after_v, lowest_bit(degree_one))
        box_count += length
        after_h &= ~run_h
        after_v &= ~run_v
    degree_one = boxes_by_degree(geometry, state, free_h, free_v)[0]
    while degree_one:
        box = lowest_bit(degree_one)
        degree_one &= degree_one - ONE
        left_h, left_v = free_h, free_v
        while True:
            length, _, _, end = capture_run_from(geometry, state, left_h, left_v, box)
            other_boxes = boxes_by_degree(geometry, state, left_h, left_v)[0] & ~(ONE << U64(box))
            if end <= CLOSED_END:
                other_boxes &= ~(ONE << U64(CLOSED_END - end))
            if not other_boxes:
                break
            _, run_h, run_v, _ = capture_run_from(geometry, state, left_h, left_v, lowest_bit(other_boxes))
            left_h &= ~run_h
            left_v &= ~run_v
        min_length = CLOSED_HANDOUT if end <= CLOSED_END else HALF_OPEN_HANDOUT
        if length >= min_length and (handed_out == 0 or min_length < handed_out):
            handed_out = min_length
    return box_count, handed_out, after_h, after_v
