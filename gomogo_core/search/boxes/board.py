"""A board of boxes as bit masks: the free edges, the number of free edges of each box, and the safe edges.

The module contains nothing about players or turns. Other parts of the program use masks of *drawn* edges in the game's
own order. Search uses masks of *free* edges, those that are not drawn yet. Such a mask has two halves: one for the
horizontal edges, one for the vertical edges. A box, its upper edge and its left edge have the same bit number, each in
its own mask. So a few integer operations compute a property of every box at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, reduce
from operator import xor

from gomogo_core.games.base import MAX_CACHED_BOARDS

GROUND = 0  # the outer side of an edge on the rim; "ground" is the term of the game of strings and coins


class BoxesGeometry:
    """The boxes and edges of a board as bits: `all_boxes_mask` has a bit for each box, `all_edges_mask` for each edge.

    `edges` holds the bit of each edge in the game's order: the horizontal edges row by row, then the vertical edges.
    `number_of` maps a bit to its index in `edges`. `sides` holds the mask of the four edges of each box. `boxes_beside`
    holds the one or two boxes beside each edge. `other_box[edge] ^ box` is the box on the other side of an edge, or
    GROUND. If a box has two or more edges on the rim, these edges are its *twins*, and `rim_twins` holds them. All
    twins of a box are equally good moves, so a search always draws the lowest of them first.
    """

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.stride = stride = cols + 1
        self.half_width = half_width = (rows + 1) * stride
        horizontal_edges = [1 << row * stride + col for row in range(rows + 1) for col in range(cols)]
        vertical_edges = [1 << half_width + row * stride + col for row in range(rows) for col in range(cols + 1)]
        self.edges = (*horizontal_edges, *vertical_edges)
        self.number_of = {edge: number for number, edge in enumerate(self.edges)}
        self.all_edges_mask = sum(self.edges)
        boxes = [1 << row * stride + col for row in range(rows) for col in range(cols)]
        self.all_boxes_mask = sum(boxes)
        self.sides = {box: box | box << stride | box << half_width | box << half_width + 1 for box in boxes}
        all_sides = self.sides.items()
        self.boxes_beside = {edge: tuple(box for box, sides in all_sides if sides & edge) for edge in self.edges}
        self.other_box = {edge: reduce(xor, beside) for edge, beside in self.boxes_beside.items()}
        rim_edges_by_box = [
            [edge for edge in one_bit_masks(sides) if self.other_box[edge] == box] for box, sides in all_sides
        ]
        self.rim_twins = tuple(tuple(edges) for edges in rim_edges_by_box if len(edges) > 1)
        top_edges, left_edges = sum(1 << col for col in range(cols)), sum(1 << row * stride for row in range(rows))
        self._horizontal = (1 << half_width) - 1
        self._top, self._bottom, self._left = top_edges, top_edges << rows * stride, left_edges
        self._right = left_edges << cols

    def free_edge_mask(self, drawn_mask: int) -> int:
        """Return the mask of the free edges, where `drawn_mask` is the mask of the drawn edges in the game's order."""
        return sum(edge for number, edge in enumerate(self.edges) if not drawn_mask >> number & 1)

    def boxes_left(self, free_edge_mask: int) -> int:
        """Return the number of boxes with a free edge."""
        degree_one, degree_two, degree_many = self.boxes_by_degree(free_edge_mask)
        return (degree_one | degree_two | degree_many).bit_count()

    def boxes_by_degree(self, free_edge_mask: int) -> tuple[int, int, int]:
        """Return the masks of the boxes with one free edge, with two (in a chain or loop), and with more."""
        all_boxes_mask, half_width = self.all_boxes_mask, self.half_width
        a, b = free_edge_mask & all_boxes_mask, free_edge_mask >> self.stride & all_boxes_mask
        c, d = free_edge_mask >> half_width & all_boxes_mask, free_edge_mask >> half_width + 1 & all_boxes_mask
        ab, cd, both_ab, both_cd = a ^ b, c ^ d, a & b, c & d
        degree_many = both_ab & (c | d) | both_cd & (a | b)
        return (ab ^ cd) & ~degree_many, (both_ab ^ both_cd | ab & cd) & ~degree_many, degree_many

    def safe_edges(self, free_edge_mask: int, joint_box_mask: int) -> int:
        """Return the free edges that give no box away. The boxes of `joint_box_mask` have more than two free edges.

        Edges on the rim of the same box are equivalent; only the lowest of them is returned.
        """
        joined_above, joined_below = joint_box_mask | self._bottom, joint_box_mask << self.stride | self._top
        safe_horizontal = free_edge_mask & self._horizontal & joined_above & joined_below
        joined_left, joined_right = joint_box_mask | self._right, joint_box_mask << 1 | self._left
        safe_vertical = free_edge_mask >> self.half_width & joined_left & joined_right
        safe = safe_horizontal | safe_vertical << self.half_width
        for twins in self.rim_twins:
            lowest = 0
            for edge in twins:
                if safe & edge:
                    if lowest:
                        safe ^= edge
                    lowest = edge
        return safe

    def draw_lowest_twins(self, free_edge_mask: int) -> int:
        """Return the free edges of an equivalent position: of each box's twins, the lowest are drawn first."""
        for twins in self.rim_twins:
            if len(twins) == 2:
                if free_edge_mask & twins[0] and not free_edge_mask & twins[1]:
                    free_edge_mask ^= twins[0] | twins[1]
                continue
            mask = sum(twins)
            count = (free_edge_mask & mask).bit_count()
            free_edge_mask = free_edge_mask & ~mask | sum(twins[len(twins) - count :])
        return free_edge_mask


def one_bit_masks(mask: int) -> Iterator[int]:
    """Yield the bits of `mask`, the lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def geometry_of(rows: int, cols: int) -> BoxesGeometry:
    """Return the cached BoxesGeometry of this size."""
    return BoxesGeometry(rows, cols)
