"""A class that solves positions, given as masks of drawn edges: it finds the value and the best edges.

The class keeps its transposition table from call to call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.boxes import board, search

from gomogo_core.engines.boxes.array_layout import (  # isort: skip
    ALL_BOXES, BOTTOM_EDGES, BUCKET_COUNT, CHAIN_LENGTHS_OF_BITS_START, CHAIN_UNITS_START, EDGE_RANKS_START,
    GEOMETRY_SIZE, LEFT_EDGES, LOOP_LENGTHS_OF_BITS_START, LOOP_UNITS_START, MAX_BOXES, MIRRORING_THRESHOLD,
    MOVE_STACK_SIZE, NODE_COUNT, NODE_LIMIT, RIGHT_EDGES, STATE_SIZE, STOP_FLAG, STRIDE, SYMMETRY_COUNT, TOP_EDGES,
    TWIN_COUNT, TWIN_EDGES, TWIN_GROUP_COUNT, TWIN_GROUP_SIZE, TWIN_GROUPS_START, TWIN_MASKS, WORD_BITS, Arrays,
    counter_widths,
)  # fmt: skip
from gomogo_core.engines.stop_flag import SearchStopped
from gomogo_core.games.base import MAX_CACHED_BOARDS

DEFAULT_MEMORY_MB = 64
NO_NODE_LIMIT = 1 << 62  # nodes
_BUCKET_BYTES = 8 * search.SLOTS_PER_BUCKET  # bytes of a bucket of the transposition table
# If the share of free edges is above _OPEN_SHARE, mirror images with a share above _MIRRORED_SHARE have one entry.
_OPEN_SHARE, _MIRRORED_SHARE = 0.7, 0.4


class Geometry(NamedTuple):
    """The tables that the compiled functions use for one size of board.

    `array` and `state` are the arrays of array_layout.py. `symmetry_tables` holds the mirror images of each byte of a
    position. `edges` holds, for each edge in the game's order, its bit as two masks (one of them is 0). `boxes` holds
    the numbers of the four edges of each box.
    """

    rows: int
    cols: int
    array: Any
    state: Any
    symmetry_tables: Any
    edges: tuple[tuple[int, int], ...]
    boxes: tuple[frozenset[int], ...]


def can_solve(rows: int, cols: int) -> bool:
    """Return whether the solver supports boards of this size: at most 6 × 6 boxes."""
    return rows * cols <= MAX_BOXES and (rows + 1) * (cols + 1) <= WORD_BITS


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def geometry_of(rows: int, cols: int) -> Geometry:
    """Return the cached geometry of a board. Its arrays are shared, so each solver copies the state."""
    stride = cols + 1
    horizontal_masks = [(1 << row * stride + col, 0) for row in range(rows + 1) for col in range(cols)]
    vertical_masks = [(0, 1 << row * stride + col) for row in range(rows) for col in range(stride)]
    edges = (*horizontal_masks, *vertical_masks)
    number_of_edge = {edge: index for index, edge in enumerate(edges)}
    sides = {}
    for row in range(rows):
        for col in range(cols):
            box_bit = 1 << row * stride + col
            sides[row, col] = (
                number_of_edge[box_bit, 0],
                number_of_edge[box_bit << stride, 0],
                number_of_edge[0, box_bit],
                number_of_edge[0, box_bit << 1],
            )
    geometry_array, state = np.zeros(GEOMETRY_SIZE, np.uint64), np.zeros(STATE_SIZE, np.int64)
    top_edges, left_edges = sum(1 << col for col in range(cols)), sum(1 << row * stride for row in range(rows))
    geometry_array[ALL_BOXES] = sum(top_edges << row * stride for row in range(rows))
    geometry_array[TOP_EDGES], geometry_array[BOTTOM_EDGES] = top_edges, top_edges << rows * stride
    geometry_array[LEFT_EDGES], geometry_array[RIGHT_EDGES] = left_edges, left_edges << cols
    state[STRIDE] = stride
    _assign_counter_bits(geometry_array, state, rows * cols)
    edges_of_all_boxes = [edge for box_edges in sides.values() for edge in box_edges]
    for box_edges in sides.values():
        rim_edges = sorted(edge for edge in box_edges if edges_of_all_boxes.count(edge) == 1)
        if len(rim_edges) > 1:
            group_start = TWIN_GROUPS_START + TWIN_GROUP_SIZE * int(state[TWIN_GROUP_COUNT])
            geometry_array[group_start + TWIN_MASKS] = sum(edges[edge][0] for edge in rim_edges)
            geometry_array[group_start + TWIN_MASKS + 1] = sum(edges[edge][1] for edge in rim_edges)
            geometry_array[group_start + TWIN_COUNT] = len(rim_edges)
            for index, edge in enumerate(rim_edges):
                first = group_start + TWIN_EDGES + 2 * index
                geometry_array[first : first + 2] = edges[edge]
            state[TWIN_GROUP_COUNT] += 1
    _set_edge_ranks(state, rows, cols)
    symmetry_tables = _symmetry_tables(rows, cols)
    state[SYMMETRY_COUNT] = len(symmetry_tables)
    return Geometry(rows, cols, geometry_array, state, symmetry_tables, edges, tuple(map(frozenset, sides.values())))


def _assign_counter_bits(geometry_array: Any, state: Any, box_count: int) -> None:
    """Assign bits to the counters of chains and loops of each length; the shortest lengths have the lowest bits."""
    for lengths, unit_start, length_start in (
        (list(range(1, box_count + 1)), CHAIN_UNITS_START, CHAIN_LENGTHS_OF_BITS_START),
        (list(range(4, box_count + 1, 2)), LOOP_UNITS_START, LOOP_LENGTHS_OF_BITS_START),
    ):
        bit = 0
        for length, width in zip(lengths, counter_widths(box_count, lengths), strict=True):
            geometry_array[unit_start + length] = 1 << bit
            state[length_start + bit : length_start + bit + width] = length
            bit += width
        assert bit <= WORD_BITS


def _set_edge_ranks(state: Any, rows: int, cols: int) -> None:
    """Rank the edges near the centre first; on 2 × 5 boxes this saves four fifths of the nodes."""
    for is_upright in (0, 1):
        for row in range(rows + 1 - is_upright):
            for col in range(cols + is_upright):
                row_offset = (row + is_upright / 2) / rows - 0.5
                column_offset = (col + (1 - is_upright) / 2) / cols - 0.5
                squared_distance = row_offset**2 + column_offset**2
                state[EDGE_RANKS_START + 64 * is_upright + row * (cols + 1) + col] = -int(1000 * squared_distance)


def _symmetry_tables(rows: int, cols: int) -> Any:
    """Return, for each symmetry of the board except the identity, the edges to which it maps each value of each byte.

    A byte stands for eight edges of a position.
    """
    stride, symmetry_tables = cols + 1, []
    for flips_rows, flips_columns, swaps_axes in np.ndindex(2, 2, 2 if rows == cols else 1):
        if not flips_rows | flips_columns | swaps_axes:
            continue
        image = np.zeros((16, 256, 2), np.uint64)
        for is_upright in (0, 1):
            for row in range(rows + 1 - is_upright):
                for col in range(cols + is_upright):
                    image_row = rows - is_upright - row if flips_rows else row
                    image_col = cols - 1 + is_upright - col if flips_columns else col
                    is_upright_image = is_upright
                    if swaps_axes:
                        image_row, image_col, is_upright_image = image_col, image_row, 1 - is_upright
                    byte, bit = divmod(row * stride + col, 8)
                    has_bit = np.arange(256) >> bit & 1 == 1
                    image_bit = np.uint64(1 << image_row * stride + image_col)
                    image[8 * is_upright + byte, has_bit, is_upright_image] |= image_bit
        symmetry_tables.append(image)
    return np.array(symmetry_tables)


class BoxesSolver:
    """Perfect play for two players on one board. The table can be used for every position of that board.

    memory_mb: the size of the table.
    """

    def __init__(self, rows: int, cols: int, memory_mb: float = DEFAULT_MEMORY_MB) -> None:
        self.geometry = geometry_of(rows, cols)
        self.state = self.geometry.state.copy()
        self.bucket_count = max(1, min(int(memory_mb * 1e6) // _BUCKET_BYTES, (1 << 32) - 1))
        self.transposition_table = np.zeros(self.bucket_count * search.SLOTS_PER_BUCKET, np.uint64)
        self.arrays = Arrays(
            self.geometry.array,
            self.state,
            self.transposition_table,
            np.zeros(MOVE_STACK_SIZE, np.uint64),
            self.geometry.symmetry_tables,
        )
        self.state[BUCKET_COUNT] = self.bucket_count
        self.state[NODE_LIMIT] = NO_NODE_LIMIT

    @property
    def nodes(self) -> int:
        """The number of positions that this solver has visited so far."""
        return int(self.state[NODE_COUNT])

    @contextmanager
    def search_limits(self, stop_at: float | None = None, nodes: int = 0) -> Iterator[None]:
        """Limit the searches in this context by a time of time.monotonic() and a number of nodes; 0 means no limit."""
        self.state[NODE_LIMIT] = self.nodes + nodes if nodes else NO_NODE_LIMIT
        try:
            with stop_flag.set_flag_at(stop_at, self.state, STOP_FLAG):
                yield
        finally:
            self.state[STOP_FLAG], self.state[NODE_LIMIT] = 0, NO_NODE_LIMIT

    def interrupt(self) -> None:
        """Stop the current search. Another thread calls this."""
        self.state[STOP_FLAG] = 1

    def value(self, drawn_mask: int) -> int:
        """Return the mover's open boxes minus the opponent's, with best play. Raises SearchStopped.

        `drawn_mask` is the mask of the drawn edges in the game's order.
        """
        value = 0  # the value of a full board
        for value, _ in self.bounds(drawn_mask):  # noqa: B007  (the last lower bound is the value)
            pass
        return value

    def bounds(self, drawn_mask: int, first_guess: int = 0) -> Iterator[tuple[int, int]]:
        """Yield bounds of the value that become narrower until they are equal. Raises SearchStopped.

        The value is first compared with `first_guess`, or with `first_guess + 1` if the guess has the wrong parity. For
        a full board no bounds are yielded.
        """
        self._set_mirroring_threshold(drawn_mask)
        boxes = sum(any(not drawn_mask >> edge & 1 for edge in box) for box in self.geometry.boxes)
        low, high, target = -boxes, boxes, first_guess + (boxes - first_guess) % 2
        while low < high:
            target = min(max(target, low + 2), high)
            if self._reaches_margin(drawn_mask, target):
                low = target
            else:
                high = target - 2
            target = high if high < target else low + 2
            yield low, high

    def best_edges(self, drawn_mask: int) -> tuple[int, list[int]]:
        """Return the value, and the numbers of all edges that lead to it. Raises SearchStopped."""
        value = self.value(drawn_mask)
        edges = self.undrawn_edges(drawn_mask)
        return value, [edge for edge in edges if self.edge_reaches_margin(drawn_mask, edge, value)]

    def undrawn_edges(self, drawn_mask: int) -> list[int]:
        """Return the numbers of the edges that are not drawn yet."""
        return [edge for edge in range(len(self.geometry.edges)) if not drawn_mask >> edge & 1]

    def edge_reaches_margin(self, drawn_mask: int, edge: int, margin: int) -> bool:
        """Return whether `edge` gives the mover a margin of at least `margin` open boxes. Raises SearchStopped."""
        next_mask, boxes_taken = drawn_mask | 1 << edge, self.captured_boxes(drawn_mask, edge)
        if boxes_taken:
            return self._reaches_margin(next_mask, margin - boxes_taken)
        return not self._reaches_margin(next_mask, 1 - margin)

    def edge_reaches_margin_within(self, max_nodes: int, drawn_mask: int, edge: int, margin: int) -> bool | None:
        """Return the result of `edge_reaches_margin`, or None after a search of `max_nodes` nodes without a result.

        Raises SearchStopped.
        """
        node_limit = int(self.state[NODE_LIMIT])
        self.state[NODE_LIMIT] = min(node_limit, self.nodes + max_nodes)
        try:
            return self.edge_reaches_margin(drawn_mask, edge, margin)
        except SearchStopped:
            if self.state[STOP_FLAG] or self.nodes >= node_limit:
                raise
            return None
        finally:
            self.state[NODE_LIMIT] = node_limit

    def edge_sort_key(self, drawn_mask: int, edge: int) -> tuple[bool, bool, int]:
        """Return a sort key of an edge: captures first, then safe edges from the centre outwards, then others."""
        h, v = self.geometry.edges[edge]
        rank = int(self.state[EDGE_RANKS_START + (h.bit_length() - 1 if h else 63 + v.bit_length())])
        return not self.captured_boxes(drawn_mask, edge), self.find_captures(drawn_mask | 1 << edge)[0] > 0, -rank

    def captured_boxes(self, drawn_mask: int, edge: int) -> int:
        """Return the number of boxes that `edge` closes."""
        next_mask = drawn_mask | 1 << edge
        return sum(edge in box and all(next_mask >> side & 1 for side in box) for box in self.geometry.boxes)

    def find_captures(self, drawn_mask: int) -> tuple[int, int, int, int]:
        """Return the number of boxes that the mover can capture in a row, the number that it can hand out instead, and
        the free edges after the captures as two masks.
        """
        capture_result = board.find_captures(self.geometry.array, self.state, *self._free_edge_masks(drawn_mask))
        box_count, handed_out, left_h, left_v = map(int, capture_result)
        return box_count, handed_out, left_h, left_v

    def _free_edge_masks(self, drawn_mask: int) -> tuple[Any, Any]:
        free_h = free_v = 0
        for edge in self.undrawn_edges(drawn_mask):
            free_h |= self.geometry.edges[edge][0]
            free_v |= self.geometry.edges[edge][1]
        return np.uint64(free_h), np.uint64(free_v)

    def _reaches_margin(self, drawn_mask: int, margin: int) -> bool:
        answer = search.reaches_margin(self.arrays, *self._free_edge_masks(drawn_mask), margin)
        if answer == search.STOPPED:
            raise SearchStopped
        return bool(answer == search.YES)

    def _set_mirroring_threshold(self, drawn_mask: int) -> None:
        edges = len(self.geometry.edges)
        is_open = edges - drawn_mask.bit_count() > _OPEN_SHARE * edges
        self.state[MIRRORING_THRESHOLD] = int(_MIRRORED_SHARE * edges) if is_open else edges
