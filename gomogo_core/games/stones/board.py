"""A board of stones as bit masks: chains, liberties, captures, territory.

Needs no turns, no ko and no end of a game; rules.py has those. Bit `row · (columns + 1) + column` is a point. The
column beyond the last has no points, so that a shift by one never wraps a chain round the edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress
from operator import add
from typing import TypeAlias

from gomogo_core.games.base import MOST_SIZES
from gomogo_core.games.boards.points import Point, PointBoard, point_board

EMPTY, BLACK, WHITE = 0, 1, 2
_DIGITS = bytes.maketrans(b"01", b"\0\1")
_SIGNS = str.maketrans("012", ".xo")

# Connected stones of one colour: the mask of the stones, the mask of their liberties, the stones' places.
Chain: TypeAlias = tuple[int, int, tuple[int, ...]]
_NO_CHAIN: Chain = (0, 0, ())


class BitGeometry:
    """The bits of a board of `columns` × `rows` points.

    stride: the distance in bits between a point and the one below. full: the mask of all points. points: the Point of
    each bit, None off the board. place: the bit of each Point. bits: the mask of each place. around: the mask of each
    place's neighbours; neighbours: their places. diagonals: the places that touch each at a corner; eight: both.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.grid: PointBoard = point_board(columns, rows)
        self.columns, self.rows, self.stride = columns, rows, columns + 1
        self.length = self.stride * rows
        self.points: list[Point | None] = [None] * self.length
        for point in self.grid.points:
            self.points[(point.row - 1) * self.stride + point.column - 1] = point
        self.backwards = self.points[::-1]
        self.place = {point: i for i, point in enumerate(self.points) if point is not None}
        self.bits = tuple(1 << i for i in range(self.length))
        self.full = sum(1 << i for i in self.place.values())
        self.neighbours = self._on_board(-1, 1, -self.stride, self.stride)
        self.diagonals = self._on_board(-self.stride - 1, -self.stride + 1, self.stride - 1, self.stride + 1)
        self.around = tuple(sum(1 << n for n in near) for near in self.neighbours)
        self.eight: tuple[tuple[int, ...], ...] = tuple(map(add, self.neighbours, self.diagonals))

    def _on_board(self, *steps: int) -> tuple[tuple[int, ...], ...]:
        """Return, for each place, the points at these distances."""
        places = range(self.length)
        return tuple(tuple(i + s for s in steps if self.has_point(i) and self.has_point(i + s)) for i in places)

    def has_point(self, i: int) -> bool:
        """Return whether place `i` is a point of the board."""
        return 0 <= i < self.length and self.points[i] is not None

    def neighbours_of(self, mask: int) -> int:
        """Return the neighbours of the points in `mask`, with bits off the board: remove them by a mask of points."""
        return mask << 1 | mask >> 1 | mask << self.stride | mask >> self.stride

    def spread(self, mask: int, within: int) -> int:
        """Return all points of `within` that lines through `within` connect with `mask`, including those in both."""
        reached = (mask | self.neighbours_of(mask)) & within
        while (more := (reached | self.neighbours_of(reached)) & within) != reached:
            reached = more
        return reached

    def places(self, mask: int) -> Iterator[int]:
        """Yield the places in `mask`, row by row."""
        while mask:
            low = mask & -mask
            yield low.bit_length() - 1
            mask ^= low

    def points_in(self, mask: int) -> list[Point]:
        """Return the points in `mask`, row by row."""
        digits = format(mask, f"0{self.length}b").encode().translate(_DIGITS)
        found = list(compress(self.backwards, digits))
        found.reverse()
        return found  # type: ignore[return-value]  # a mask of points has no None

    def groups(self, mask: int) -> Iterator[int]:
        """Yield the connected parts of `mask`, each a mask."""
        while mask:
            part = self.spread(mask & -mask, mask)
            yield part
            mask ^= part

    def rows_of(self, black: int, white: int) -> tuple[str, ...]:
        """Return the board as rows of characters: x black, o white, a point for empty."""
        # read as hexadecimal digits, the bits never carry: one addition joins the two colours
        sixteens = int(format(black, "b"), 16) + 2 * int(format(white, "b"), 16)
        text = format(sixteens, f"0{self.length}x").translate(_SIGNS)[::-1]
        return tuple([text[i : i + self.columns] for i in range(0, self.length, self.stride)])


@lru_cache(maxsize=MOST_SIZES)
def plane(columns: int, rows: int) -> BitGeometry:
    """Return the cached BitGeometry of this size."""
    return BitGeometry(columns, rows)


class StoneBoard:
    """Stones on a board. Immutable: `put` returns a new board.

    black, white, empty: the masks of the stones, and of the empty points. ids: for each place the number of its stone's
    chain, or -1; chains: by number. taken: the mask of the opponent's stones that the last stone captured; lost: the
    mask of own stones that it removed (suicide).
    """

    __slots__ = ("black", "chains", "empty", "ids", "lost", "plane", "taken", "white")

    def __init__(
        self,
        plane: BitGeometry,
        black: int,
        white: int,
        empty: int,
        ids: list[int],
        chains: list[Chain],
        taken: int,
        lost: int,
    ) -> None:
        self.plane, self.black, self.white, self.empty = plane, black, white, empty
        self.ids, self.chains, self.taken, self.lost = ids, chains, taken, lost

    @staticmethod
    def of(plane: BitGeometry, black: int = 0, white: int = 0) -> StoneBoard:
        """Return the board with these stones, even if a chain has no liberty."""
        empty = plane.full ^ (black | white)
        ids, chains = [-1] * plane.length, [_NO_CHAIN] * plane.length
        for colour in (black, white):
            for mask in plane.groups(colour):
                places = tuple(plane.places(mask))
                chains[places[0]] = (mask, plane.neighbours_of(mask) & empty, places)
                for i in places:
                    ids[i] = places[0]
        return StoneBoard(plane, black, white, empty, ids, chains, 0, 0)

    @property
    def key(self) -> int:
        """The whole board as one number."""
        return self.black | self.white << self.plane.length

    def stones(self, colour: int) -> int:
        """Return the mask of one colour's stones."""
        return self.black if colour == BLACK else self.white

    def colour(self, i: int) -> int:
        """Return the colour of the stone at place `i`, or EMPTY."""
        bit = self.plane.bits[i]
        return BLACK if self.black & bit else WHITE if self.white & bit else EMPTY

    def chain(self, i: int) -> Chain:
        """Return the chain of the stone at place `i`, which must not be empty."""
        return self.chains[self.ids[i]]

    def chains_of(self, mask: int) -> Iterator[Chain]:
        """Yield the chains that have a stone in `mask`, each once, row by row."""
        while mask:
            chain = self.chain((mask & -mask).bit_length() - 1)
            yield chain
            mask &= ~chain[0]

    def put(self, colour: int, i: int) -> StoneBoard:
        """Return the board after a stone of `colour` on the empty place `i`, and after all captures.

        The opponent's chains without liberties are removed first, then the own chain if it has none.
        """
        plane, bits, ids, chains = self.plane, self.plane.bits, self.ids.copy(), self.chains.copy()
        bit, empty = bits[i], self.empty ^ bits[i]
        if colour == BLACK:
            own, other = self.black | bit, self.white
        else:
            own, other = self.white | bit, self.black
        mask, free = bit, plane.around[i] & empty
        members: tuple[int, ...] = (i,)
        taken = lost = 0
        removed: tuple[int, ...] = ()
        for j in plane.neighbours[i]:
            number = ids[j]
            if number < 0:
                continue
            stones, liberties, places = chains[number]
            if stones & own:
                if not stones & mask:
                    mask |= stones
                    free |= liberties
                    members += places
            elif liberties == bit:
                taken |= stones
                removed += places
                for k in places:
                    ids[k] = -1
            elif liberties & bit:
                chains[number] = (stones, liberties ^ bit, places)
        if free & bit:
            free ^= bit
        if taken:
            other ^= taken
            empty |= taken
        elif not free:
            lost, removed = mask, members
            own ^= mask
            empty |= mask
        if lost:
            for k in members:
                ids[k] = -1
        else:
            chains[i] = (mask, free, members)
            for k in members:
                ids[k] = i
        for k in removed:  # its neighbours gain a liberty
            for j in plane.neighbours[k]:
                number = ids[j]
                if number >= 0:
                    stones, liberties, places = chains[number]
                    chains[number] = (stones, liberties | bits[k], places)
        if colour == BLACK:
            return StoneBoard(plane, own, other, empty, ids, chains, taken, lost)
        return StoneBoard(plane, other, own, empty, ids, chains, taken, lost)

    def put_without_captures(self, colour: int, i: int) -> StoneBoard:
        """Return the board after a stone that captures nothing, whatever liberties remain. Chains are not updated."""
        bit = self.plane.bits[i]
        black, white = (self.black | bit, self.white) if colour == BLACK else (self.black, self.white | bit)
        return StoneBoard(self.plane, black, white, self.empty ^ bit, self.ids, self.chains, 0, 0)

    def suicides(self, colour: int) -> int:
        """Return the mask of the empty points where a stone of `colour` would capture nothing and have no liberty."""
        plane, own = self.plane, self.stones(colour)
        found = 0
        for i in plane.places(self.empty & ~plane.neighbours_of(self.empty)):
            bit = plane.bits[i]
            for j in plane.neighbours[i]:
                stones, liberties, _ = self.chains[self.ids[j]]
                if liberties == bit:
                    if not stones & own:
                        break  # it captures this chain
                elif stones & own:
                    break  # it joins a chain with another liberty
            else:
                found |= bit
        return found

    def territory(self) -> tuple[int, int]:
        """Return the masks of the empty points that reach black stones only, and white stones only."""
        black, white = self.plane.spread(self.black, self.empty), self.plane.spread(self.white, self.empty)
        return black & ~white, white & ~black
