"""The solver behind one class: masks of drawn edges in, values and best edges out.

Uses games, clocks as moments of time.monotonic(), and the compiled search. It keeps its table from call to call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.boxes import board, search
from gomogo_core.engines.boxes.layout import (
    BOTTOM,
    BUCKETS,
    CHAIN,
    CHAIN_LENGTH,
    GEOMETRY_SIZE,
    GROUPS,
    INSIDE,
    LEFT,
    LOOP,
    LOOP_LENGTH,
    MIRRORED,
    MOST_BITS,
    MOST_BOXES,
    MOVES_SIZE,
    NODE_LIMIT,
    NODES,
    RANK,
    RIGHT,
    STATE_SIZE,
    STOP,
    STRIDE,
    SYMMETRIES,
    TOP,
    TWIN_COUNT,
    TWIN_EDGES,
    TWIN_MASKS,
    TWIN_SIZE,
    TWINS,
    field_widths,
)
from gomogo_core.games.base import MAX_CACHED_BOARDS

MEMORY_MB = 64
ENDLESS = 1 << 62  # nodes
_BUCKET = 8 * search.SLOTS  # bytes
# On boards with a share of free edges above OPEN, positions with a share above MIRRORED are looked up by the least of
# their mirror images. In the middle of a game, mirror images save no time.
_OPEN, _MIRRORED = 0.7, 0.4


class Stopped(Exception):
    """The time or the nodes are used up. The table keeps the results so far."""


class Geometry(NamedTuple):
    """The tables that the compiled functions use for one size of board.

    numbers, state: the arrays of layout.py. images: the mirror images of each byte of a position. edges: the bit of
    each edge in the game's order, as two masks. boxes: the numbers of the four edges of each box.
    """

    rows: int
    cols: int
    numbers: Any
    state: Any
    images: Any
    edges: tuple[tuple[int, int], ...]
    boxes: tuple[frozenset[int], ...]


def can_solve(rows: int, cols: int) -> bool:
    """Return whether a board fits the compiled position: up to 6 × 6 boxes."""
    return rows * cols <= MOST_BOXES and (rows + 1) * (cols + 1) <= MOST_BITS


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def geometry(rows: int, cols: int) -> Geometry:
    """Return the geometry of a board. Its arrays are shared: a solver copies the state."""
    stride = cols + 1
    across = [(1 << row * stride + col, 0) for row in range(rows + 1) for col in range(cols)]
    down = [(0, 1 << row * stride + col) for row in range(rows) for col in range(stride)]
    edges = (*across, *down)
    number = {edge: index for index, edge in enumerate(edges)}
    sides = {}
    for row in range(rows):
        for col in range(cols):
            b = 1 << row * stride + col
            sides[row, col] = (number[b, 0], number[b << stride, 0], number[0, b], number[0, b << 1])
    numbers, state = np.zeros(GEOMETRY_SIZE, np.uint64), np.zeros(STATE_SIZE, np.int64)
    top, left = sum(1 << col for col in range(cols)), sum(1 << row * stride for row in range(rows))
    numbers[INSIDE] = sum(top << row * stride for row in range(rows))
    numbers[TOP], numbers[BOTTOM], numbers[LEFT], numbers[RIGHT] = top, top << rows * stride, left, left << cols
    state[STRIDE] = stride
    _fields(numbers, state, rows * cols)
    uses = [edge for four in sides.values() for edge in four]
    for four in sides.values():
        rim = sorted(edge for edge in four if uses.count(edge) == 1)
        if len(rim) > 1:
            at = TWINS + TWIN_SIZE * int(state[GROUPS])
            numbers[at + TWIN_MASKS] = sum(edges[edge][0] for edge in rim)
            numbers[at + TWIN_MASKS + 1] = sum(edges[edge][1] for edge in rim)
            numbers[at + TWIN_COUNT] = len(rim)
            for index, edge in enumerate(rim):
                numbers[at + TWIN_EDGES + 2 * index], numbers[at + TWIN_EDGES + 2 * index + 1] = edges[edge]
            state[GROUPS] += 1
    _ranks(state, rows, cols)
    images = _images(rows, cols)
    state[SYMMETRIES] = len(images)
    return Geometry(rows, cols, numbers, state, images, edges, tuple(map(frozenset, sides.values())))


def _fields(numbers: Any, state: Any, boxes: int) -> None:
    """Assign bits to the fields that count chains and loops by their lengths; the shortest have the lowest bits."""
    for lengths, ones, back in (
        (list(range(1, boxes + 1)), CHAIN, CHAIN_LENGTH),
        (list(range(4, boxes + 1, 2)), LOOP, LOOP_LENGTH),
    ):
        bit = 0
        for length, width in zip(lengths, field_widths(boxes, lengths), strict=True):
            numbers[ones + length] = 1 << bit
            state[back + bit : back + bit + width] = length
            bit += width
        assert bit <= MOST_BITS


def _ranks(state: Any, rows: int, cols: int) -> None:
    """Let the search try the edges near the centre first: on 2 × 5 boxes this saves four nodes of five."""
    for upright in (0, 1):
        for row in range(rows + 1 - upright):
            for col in range(cols + upright):
                down = (row + upright / 2) / rows - 0.5
                right = (col + (1 - upright) / 2) / cols - 0.5
                state[RANK + 64 * upright + row * (cols + 1) + col] = -int(1000 * (down**2 + right**2))


def _images(rows: int, cols: int) -> Any:
    """Return the images of every byte of a position under each mirroring except the identity."""
    stride, images = cols + 1, []
    for down, right, swap in np.ndindex(2, 2, 2 if rows == cols else 1):
        if not down | right | swap:
            continue
        image = np.zeros((16, 256, 2), np.uint64)
        for upright in (0, 1):
            for row in range(rows + 1 - upright):
                for col in range(cols + upright):
                    to_row = rows - upright - row if down else row
                    to_col = cols - 1 + upright - col if right else col
                    other = upright
                    if swap:
                        to_row, to_col, other = to_col, to_row, 1 - upright
                    byte, bit = divmod(row * stride + col, 8)
                    values = np.arange(256) >> bit & 1 == 1
                    image[8 * upright + byte, values, other] |= np.uint64(1 << to_row * stride + to_col)
        images.append(image)
    return np.array(images)


class BoxesSolver:
    """Perfect play for two players on one board. The table serves every position of that board.

    memory_mb: the size of the table.
    """

    def __init__(self, rows: int, cols: int, memory_mb: float = MEMORY_MB) -> None:
        self.geometry = geometry(rows, cols)
        self.state = self.geometry.state.copy()
        self.buckets = max(1, min(int(memory_mb * 1e6) // _BUCKET, (1 << 32) - 1))
        self.table = np.zeros(self.buckets * search.SLOTS, np.uint64)
        self.moves = np.zeros(MOVES_SIZE, np.uint64)
        self.state[BUCKETS] = self.buckets
        self.state[NODE_LIMIT] = ENDLESS

    @property
    def nodes(self) -> int:
        """The positions visited since the solver was made."""
        return int(self.state[NODES])

    @contextmanager
    def until(self, stop_at: float | None = None, nodes: int = 0) -> Iterator[None]:
        """Within this context, limit searches by a moment of time.monotonic() and a number of nodes, 0 for no limit."""
        self.state[NODE_LIMIT] = self.nodes + nodes if nodes else ENDLESS
        try:
            with stop_flag.set_at(stop_at, self.state, STOP):
                yield
        finally:
            self.state[STOP], self.state[NODE_LIMIT] = 0, ENDLESS

    def interrupt(self) -> None:
        """End the search that runs now, from another thread."""
        self.state[STOP] = 1

    def value(self, drawn: int) -> int:
        """Return the mover's open boxes minus the opponent's, with best play. Raises Stopped.

        drawn: the mask of the drawn edges in the game's order.
        """
        least = 0  # of a full board
        for least, _ in self.bounds(drawn):  # noqa: B007  (the last counts)
            pass
        return least

    def bounds(self, drawn: int, first: int = 0) -> Iterator[tuple[int, int]]:
        """Yield closer and closer bounds of the value, until they meet; nothing for a full board. Raises Stopped.

        first: the number that the value is compared with first, or one more if the value cannot be this number.
        """
        self._set_mirrored(drawn)
        boxes = sum(any(not drawn >> edge & 1 for edge in box) for box in self.geometry.boxes)
        low, high, target = -boxes, boxes, first + (boxes - first) % 2
        while low < high:
            target = min(max(target, low + 2), high)
            if self._at_least(drawn, target):
                low = target
            else:
                high = target - 2
            target = high if high < target else low + 2
            yield low, high

    def best(self, drawn: int) -> tuple[int, list[int]]:
        """Return the value and the number of every edge that leads to it. Raises Stopped."""
        value = self.value(drawn)
        return value, [edge for edge in self.undrawn(drawn) if self.edge_reaches_margin(drawn, edge, value)]

    def undrawn(self, drawn: int) -> list[int]:
        """Return the numbers of the edges that can be drawn."""
        return [edge for edge in range(len(self.geometry.edges)) if not drawn >> edge & 1]

    def edge_reaches_margin(self, drawn: int, edge: int, least: int) -> bool:
        """Tell whether the mover leads by at least `least` open boxes after drawing `edge`. Raises Stopped."""
        after, taken = drawn | 1 << edge, self.captured_boxes(drawn, edge)
        return self._at_least(after, least - taken) if taken else not self._at_least(after, 1 - least)

    def edge_reaches_margin_within(self, nodes: int, drawn: int, edge: int, least: int) -> bool | None:
        """Return what `edge_reaches_margin` does; None if it takes more than `nodes` positions. Raises Stopped."""
        most = int(self.state[NODE_LIMIT])
        self.state[NODE_LIMIT] = min(most, self.nodes + nodes)
        try:
            return self.edge_reaches_margin(drawn, edge, least)
        except Stopped:
            if self.state[STOP] or self.nodes >= most:
                raise
            return None
        finally:
            self.state[NODE_LIMIT] = most

    def order(self, drawn: int, edge: int) -> tuple[bool, bool, int]:
        """Return a key that sorts edges as the search tries them: captures, safe edges from the centre on, others."""
        h, v = self.geometry.edges[edge]
        rank = int(self.state[RANK + (h.bit_length() - 1 if h else 63 + v.bit_length())])
        return not self.captured_boxes(drawn, edge), self.captures(drawn | 1 << edge)[0] > 0, -rank

    def captured_boxes(self, drawn: int, edge: int) -> int:
        """Return the number of boxes that `edge` closes."""
        after = drawn | 1 << edge
        return sum(edge in box and all(after >> side & 1 for side in box) for box in self.geometry.boxes)

    def captures(self, drawn: int) -> tuple[int, int, int, int]:
        """Return the boxes that can be captured in a row, the least number that can be handed out, and the remaining
        edges as masks.
        """
        found = board.captures(self.geometry.numbers, self.state, *self._masks(drawn))
        total, kept, h, v = map(int, found)
        return total, kept, h, v

    def _masks(self, drawn: int) -> tuple[Any, Any]:
        h = v = 0
        for edge in self.undrawn(drawn):
            h |= self.geometry.edges[edge][0]
            v |= self.geometry.edges[edge][1]
        return np.uint64(h), np.uint64(v)

    def _at_least(self, drawn: int, least: int) -> bool:
        geometry, masks = self.geometry, self._masks(drawn)
        found = search.reaches_margin(
            geometry.numbers, self.state, self.table, self.moves, geometry.images, *masks, least
        )
        if found == search.STOPPED:
            raise Stopped
        return bool(found == search.YES)

    def _set_mirrored(self, drawn: int) -> None:
        edges = len(self.geometry.edges)
        is_open = edges - drawn.bit_count() > _OPEN * edges
        self.state[MIRRORED] = int(_MIRRORED * edges) if is_open else edges
