"""A board of boxes as bits: the free edges, the number of free edges of each box, and the safe edges.

Needs no players and no turns. Other parts of the program use *drawn* edges in the game's own order. Search uses *free*
edges, in an order in which a few integer operations answer a question for every box at once: the upper and the left
edge of a box have the box's own bit, in two halves of the mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, reduce
from operator import xor

from gomogo_core.games.base import MAX_CACHED_BOARDS

GROUND = 0  # the outer side of an edge on the rim: strings and coins end at the ground there


class BoxBits:
    """The geometry of `rows` × `cols` boxes. A box is its bit in `inside`; an edge is its bit in `all`.

    edges: the bit of each edge, in the game's order: the horizontal ones row by row, then the vertical ones. number:
    the index of each bit in `edges`. sides: the mask of the four edges of each box. beyond: for each edge the exclusive
    or of the two boxes beside it, so that `beyond[edge] ^ box` is the other box, or GROUND. beside: those one or two
    boxes. twins: the rim's edges of each box with two or more of them. Twins have the same value: search always draws
    the lowest first.
    """

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.stride = stride = cols + 1
        self.half = half = (rows + 1) * stride
        across = [1 << row * stride + col for row in range(rows + 1) for col in range(cols)]
        down = [1 << half + row * stride + col for row in range(rows) for col in range(cols + 1)]
        self.edges = (*across, *down)
        self.number = {edge: number for number, edge in enumerate(self.edges)}
        self.all = sum(self.edges)
        boxes = [1 << row * stride + col for row in range(rows) for col in range(cols)]
        self.inside = sum(boxes)
        self.sides = {box: box | box << stride | box << half | box << half + 1 for box in boxes}
        self.beside = {edge: tuple(box for box, sides in self.sides.items() if sides & edge) for edge in self.edges}
        self.beyond = {edge: reduce(xor, beside) for edge, beside in self.beside.items()}
        rim = [[edge for edge in bits(sides) if self.beyond[edge] == box] for box, sides in self.sides.items()]
        self.twins = tuple(tuple(edges) for edges in rim if len(edges) > 1)
        top, left = sum(1 << col for col in range(cols)), sum(1 << row * stride for row in range(rows))
        self._across = (1 << half) - 1
        self._top, self._bottom, self._left, self._right = top, top << rows * stride, left, left << cols

    def free(self, drawn: int) -> int:
        """Return the free edges, given the mask `drawn` in the game's order."""
        return sum(edge for number, edge in enumerate(self.edges) if not drawn >> number & 1)

    def boxes_left(self, free: int) -> int:
        """Return the number of boxes with a free edge."""
        one, two, more = self.degrees(free)
        return (one | two | more).bit_count()

    def degrees(self, free: int) -> tuple[int, int, int]:
        """Return the boxes with one free edge (capturable), with two (in a chain or a loop), and with more."""
        inside, half = self.inside, self.half
        a, b = free & inside, free >> self.stride & inside
        c, d = free >> half & inside, free >> half + 1 & inside
        ab, cd, both_ab, both_cd = a ^ b, c ^ d, a & b, c & d
        more = both_ab & (c | d) | both_cd & (a | b)
        return (ab ^ cd) & ~more, (both_ab ^ both_cd | ab & cd) & ~more, more

    def safe(self, free: int, more: int) -> int:
        """Return the free edges that give no box away; `more` are the boxes with more than two free edges.

        Returns only the lowest of the edges that are equivalent because they lie on the rim of the same box.
        """
        across = free & self._across & (more | self._bottom) & (more << self.stride | self._top)
        down = free >> self.half & (more | self._right) & (more << 1 | self._left)
        safe = across | down << self.half
        for twins in self.twins:
            lowest = 0
            for edge in twins:
                if safe & edge:
                    if lowest:
                        safe ^= edge
                    lowest = edge
        return safe

    def settled(self, free: int) -> int:
        """Return the equivalent position in which the lowest twins are drawn first."""
        for twins in self.twins:
            if len(twins) == 2:
                if free & twins[0] and not free & twins[1]:
                    free ^= twins[0] | twins[1]
                continue
            mask = sum(twins)
            count = (free & mask).bit_count()
            free = free & ~mask | sum(twins[len(twins) - count :])
        return free


def bits(mask: int) -> Iterator[int]:
    """Yield the bits of `mask`, the lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def board(rows: int, cols: int) -> BoxBits:
    """Return the cached BoxBits of this size."""
    return BoxBits(rows, cols)
