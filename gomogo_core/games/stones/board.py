"""A board of stones as bit masks: chains, liberties, captures, territory.

Turns, ko and the end of a game are in rules.py. The point in row r and column c, both counted from 0, is bit r ·
(columns + 1) + c of a mask. One bit after each row is never a point, so a shift by one bit never connects the end of
one row with the start of the next row.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress
from operator import add
from typing import TypeAlias

from gomogo_core.games.base import MAX_CACHED_BOARDS
from gomogo_core.games.boards.points import Point, PointBoard, point_board

EMPTY, BLACK, WHITE = 0, 1, 2
_DIGITS = bytes.maketrans(b"01", b"\0\1")
_SIGNS = str.maketrans("012", ".xo")

# Connected stones of one colour: the mask of the stones, the mask of their liberties, and the bits of the stones.
Chain: TypeAlias = tuple[int, int, tuple[int, ...]]
_NO_CHAIN: Chain = (0, 0, ())


class BitGeometry:
    """The bits of a board of `columns` × `rows` points.

    `stride` is the distance in bits between a point and the point below it. `full_mask` is the mask of all points.
    `points` holds the Point of each bit, or None off the board; `index_of` holds the bit of each Point. `masks` holds
    `1 << bit` for each bit. `neighbours` lists the bits of the points next to each point, and `neighbour_masks` has the
    same points as a mask. `diagonal_neighbours` lists the points that touch each point at a corner, and
    `eight_neighbours` lists both kinds.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.point_board: PointBoard = point_board(columns, rows)
        self.columns, self.rows, self.stride = columns, rows, columns + 1
        self.length = self.stride * rows
        self.points: list[Point | None] = [None] * self.length
        for point in self.point_board.points:
            self.points[(point.row - 1) * self.stride + point.column - 1] = point
        self.reversed_points = self.points[::-1]
        self.index_of = {point: i for i, point in enumerate(self.points) if point is not None}
        self.masks = tuple(1 << i for i in range(self.length))
        self.full_mask = sum(1 << i for i in self.index_of.values())
        self.neighbours = self._neighbour_lists(-1, 1, -self.stride, self.stride)
        corners = (-self.stride - 1, -self.stride + 1, self.stride - 1, self.stride + 1)
        self.diagonal_neighbours = self._neighbour_lists(*corners)
        self.neighbour_masks = tuple(sum(1 << n for n in neighbours) for neighbours in self.neighbours)
        self.eight_neighbours: tuple[tuple[int, ...], ...] = tuple(map(add, self.neighbours, self.diagonal_neighbours))

    def _neighbour_lists(self, *distances: int) -> tuple[tuple[int, ...], ...]:
        """Return, for each bit, the bits of the points at these distances; an empty list for a bit that is no point."""
        return tuple(
            tuple(bit + d for d in distances if self.has_point(bit) and self.has_point(bit + d))
            for bit in range(self.length)
        )

    def has_point(self, index: int) -> bool:
        """Return whether an index is a point of the board."""
        return 0 <= index < self.length and self.points[index] is not None

    def neighbours_of(self, mask: int) -> int:
        """Return the mask of the neighbours of the points in `mask`.

        The result may contain bits off the board; the caller must remove them, for example with `& full_mask`.
        """
        return mask << 1 | mask >> 1 | mask << self.stride | mask >> self.stride

    def spread(self, mask: int, within: int) -> int:
        """Return the points of `within` that are in or next to `mask`, and all points of `within` connected to them."""
        reached = (mask | self.neighbours_of(mask)) & within
        while (reachable := (reached | self.neighbours_of(reached)) & within) != reached:
            reached = reachable
        return reached

    def point_indices_in(self, mask: int) -> Iterator[int]:
        """Yield the numbers of the bits that are set in `mask`, row by row."""
        while mask:
            lowest_bit = mask & -mask
            yield lowest_bit.bit_length() - 1
            mask ^= lowest_bit

    def points_in(self, mask: int) -> list[Point]:
        """Return the points in `mask`, row by row."""
        digits = format(mask, f"0{self.length}b").encode().translate(_DIGITS)
        points = list(compress(self.reversed_points, digits))
        points.reverse()
        return points  # type: ignore[return-value]  # a mask of points has no None

    def groups(self, mask: int) -> Iterator[int]:
        """Yield the mask of each connected group of points in `mask`."""
        while mask:
            group = self.spread(mask & -mask, mask)
            yield group
            mask ^= group

    def rows_of(self, black: int, white: int) -> tuple[str, ...]:
        """Return the board as rows of characters: "x" for black, "o" for white, "." for an empty point."""
        # read the binary digits as hexadecimal digits: then an addition joins the two colours without a carry
        hexadecimal_number = int(format(black, "b"), 16) + 2 * int(format(white, "b"), 16)
        text = format(hexadecimal_number, f"0{self.length}x").translate(_SIGNS)[::-1]
        return tuple([text[i : i + self.columns] for i in range(0, self.length, self.stride)])


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def bit_geometry(columns: int, rows: int) -> BitGeometry:
    """Return the cached BitGeometry of this size."""
    return BitGeometry(columns, rows)


class StoneBoard:
    """Stones on a board. Immutable: `place_stone` returns a new board.

    `black_mask`, `white_mask` and `empty_mask` are masks of points. `chain_ids` holds, for each bit, the index in
    `chains` of the chain to which its stone belongs, or -1. `captured_mask` is the mask of the opponent's stones that
    the last stone captured, and `self_captured_mask` the mask of the player's own stones that the last stone removed
    (suicide).
    """

    __slots__ = ("bit_geometry", "black_mask", "captured_mask", "chain_ids", "chains", "empty_mask",
                 "self_captured_mask", "white_mask")  # fmt: skip

    def __init__(
        self,
        geometry: BitGeometry,
        black: int,
        white: int,
        empty: int,
        chain_ids: list[int],
        chains: list[Chain],
        captured: int,
        self_captured: int,
    ) -> None:
        self.bit_geometry, self.black_mask, self.white_mask, self.empty_mask = geometry, black, white, empty
        self.chain_ids = chain_ids
        self.chains = chains
        self.captured_mask = captured
        self.self_captured_mask = self_captured

    @staticmethod
    def of(geometry: BitGeometry, black: int = 0, white: int = 0) -> StoneBoard:
        """Return the board with these stones, even if a chain has no liberty."""
        empty = geometry.full_mask ^ (black | white)
        chain_ids, chains = [-1] * geometry.length, [_NO_CHAIN] * geometry.length
        for colour in (black, white):
            for mask in geometry.groups(colour):
                bits = tuple(geometry.point_indices_in(mask))
                chains[bits[0]] = (mask, geometry.neighbours_of(mask) & empty, bits)
                for bit in bits:
                    chain_ids[bit] = bits[0]
        return StoneBoard(geometry, black, white, empty, chain_ids, chains, 0, 0)

    @property
    def key(self) -> int:
        """A number that identifies the whole board. Its low bits are the mask of black, its high bits that of white."""
        return self.black_mask | self.white_mask << self.bit_geometry.length

    def stone_mask(self, colour: int) -> int:
        """Return the mask of one colour's stones."""
        return self.black_mask if colour == BLACK else self.white_mask

    def colour(self, point_index: int) -> int:
        """Return the colour of the stone on the point with this index, or EMPTY."""
        mask = self.bit_geometry.masks[point_index]
        return BLACK if self.black_mask & mask else WHITE if self.white_mask & mask else EMPTY

    def chain(self, point_index: int) -> Chain:
        """Return the chain of the stone on the point with this index, which must not be empty."""
        return self.chains[self.chain_ids[point_index]]

    def chains_of(self, mask: int) -> Iterator[Chain]:
        """Yield each chain that has a stone in `mask`, in the order of the chains' first stones in `mask`."""
        while mask:
            chain = self.chain((mask & -mask).bit_length() - 1)
            yield chain
            mask &= ~chain[0]

    def place_stone(self, colour: int, point_index: int) -> StoneBoard:
        """Return the board after a stone of `colour` on the empty point with bit `point_index`, and after all captures.

        The opponent's chains without liberties are removed first, then the new stone's chain if it has no liberty
        either.
        """
        geometry = self.bit_geometry
        masks = geometry.masks
        chain_ids = self.chain_ids.copy()
        chains = self.chains.copy()
        stone_mask, empty = masks[point_index], self.empty_mask ^ masks[point_index]
        if colour == BLACK:
            own_stones, opponent_stones = self.black_mask | stone_mask, self.white_mask
        else:
            own_stones, opponent_stones = self.white_mask | stone_mask, self.black_mask
        chain_mask, liberty_mask = stone_mask, geometry.neighbour_masks[point_index] & empty
        chain_points: tuple[int, ...] = (point_index,)
        captured = self_captured = 0
        removed_bits: tuple[int, ...] = ()
        for neighbour in geometry.neighbours[point_index]:
            chain_id = chain_ids[neighbour]
            if chain_id < 0:
                continue
            stones, liberties, chain_bits = chains[chain_id]
            if stones & own_stones:
                if not stones & chain_mask:
                    chain_mask |= stones
                    liberty_mask |= liberties
                    chain_points += chain_bits
            elif liberties == stone_mask:
                captured |= stones
                removed_bits += chain_bits
                for stone_bit in chain_bits:
                    chain_ids[stone_bit] = -1
            elif liberties & stone_mask:
                chains[chain_id] = (stones, liberties ^ stone_mask, chain_bits)
        if liberty_mask & stone_mask:
            liberty_mask ^= stone_mask
        if captured:
            opponent_stones ^= captured
            empty |= captured
        elif not liberty_mask:
            self_captured, removed_bits = chain_mask, chain_points
            own_stones ^= chain_mask
            empty |= chain_mask
        if self_captured:
            for stone_bit in chain_points:
                chain_ids[stone_bit] = -1
        else:
            chains[point_index] = (chain_mask, liberty_mask, chain_points)
            for stone_bit in chain_points:
                chain_ids[stone_bit] = point_index
        for stone_bit in removed_bits:  # the neighbours of a removed stone gain a liberty
            for neighbour in geometry.neighbours[stone_bit]:
                chain_id = chain_ids[neighbour]
                if chain_id >= 0:
                    stones, liberties, chain_bits = chains[chain_id]
                    chains[chain_id] = (stones, liberties | masks[stone_bit], chain_bits)
        if colour == BLACK:
            return StoneBoard(geometry, own_stones, opponent_stones, empty, chain_ids, chains, captured, self_captured)
        return StoneBoard(geometry, opponent_stones, own_stones, empty, chain_ids, chains, captured, self_captured)

    def place_stone_without_captures(self, colour: int, point_index: int) -> StoneBoard:
        """Return the board with one more stone, and without captures. The chains of the result are not updated."""
        bit = self.bit_geometry.masks[point_index]
        black, white = (
            (self.black_mask | bit, self.white_mask) if colour == BLACK else (self.black_mask, self.white_mask | bit)
        )
        return StoneBoard(self.bit_geometry, black, white, self.empty_mask ^ bit, self.chain_ids, self.chains, 0, 0)

    def suicide_mask(self, colour: int) -> int:
        """Return the mask of the empty points where a stone of `colour` would capture nothing and have no liberty."""
        geometry, own_stones = self.bit_geometry, self.stone_mask(colour)
        surrounded = self.empty_mask & ~geometry.neighbours_of(self.empty_mask)
        return sum(
            geometry.masks[i]
            for i in geometry.point_indices_in(surrounded)
            if not self.has_liberty_after(own_stones, i)
        )

    def has_liberty_after(self, own_mask: int, point_index: int) -> bool:
        """Return whether a stone on the point with bit `point_index`, which has no empty neighbour, would have a
        liberty.

        `own_mask` is the mask of the stones of its colour. The stone has a liberty if it captures a chain, or joins a
        chain with another liberty. This check is faster than placing the stone.
        """
        bit, chain_ids, chains = self.bit_geometry.masks[point_index], self.chain_ids, self.chains
        for neighbour in self.bit_geometry.neighbours[point_index]:
            stones, liberties, _ = chains[chain_ids[neighbour]]
            if (liberties != bit) if stones & own_mask else (liberties == bit):
                return True
        return False

    def territory_masks(self) -> tuple[int, int]:
        """Return the masks of black's and white's territory: empty regions that touch stones of one colour only."""
        black = self.bit_geometry.spread(self.black_mask, self.empty_mask)
        white = self.bit_geometry.spread(self.white_mask, self.empty_mask)
        return black & ~white, white & ~black
