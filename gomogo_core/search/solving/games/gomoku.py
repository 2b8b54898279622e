"""Gomoku for its exact solution: which points each row still lacks.

Knows the plain rule alone, `line` or more in a row: where `exact`, `renju` or an opening says otherwise, the game's
own positions are taken. Three things make the difference to those:

- A row with stones of both is dead, and a point on no living row is never tried: it is no better than any other, as
  one stone more never hurts its owner.
- Who can give each living row of the other two empty points of its own is safe: whichever of the two the other takes,
  they take its partner. A. Hales and R. Jewett, Regularity and Positional Games, Trans. AMS 106 (1963).
- Turned and mirrored boards are the same, the rule having no direction; while stones are few, that pays.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache

from gomogo_core.games._grid import Point, grid
from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.gomoku import EMPTY, GomokuPosition, Phase
from gomogo_core.search.solving.games._images import least_image
from gomogo_core.search.solving.state import NEVER, NOBODY, Decided, State

_TURNED = 8  # stones up to which boards are compared with their mirror images
_STEEP = 5  # a stone more on a living row makes its points so many times as urgent


def state(position: Position) -> State | None:
    """The state of `position`, where the plain rule alone is left."""
    assert isinstance(position, GomokuPosition)
    game = position.game
    takeover = game.opening == "takeover" and (position.stones == 0 or position.can_take_over)
    if game.exact or game.renju or takeover or position.phase is not Phase.PLAY:
        return None
    one, two = (
        sum(1 << i for i, colour in enumerate(position.cells) if colour != EMPTY and position.seat_of(colour) == seat)
        for seat in (1, 2)
    )
    rows = rows_of(game.size, game.line)
    lacking = [row & ~one for row in rows if not row & two], [row & ~two for row in rows if not row & one]
    outcome = position.outcome()
    winner = None if outcome is None else outcome.winner or NOBODY
    return RowsState(game.size, game.line, (one, two), lacking, position.to_move, winner)


@cache
def rows_of(size: int, line: int) -> tuple[int, ...]:
    """The masks of all rows of `line` points, bit `row · size + column` a point."""
    found = set()
    for places in grid(size, size).lines:
        numbers = range(places.start, places.stop, places.step)
        found |= {sum(1 << i for i in numbers[at : at + line]) for at in range(len(numbers) - line + 1)}
    return tuple(sorted(found))


class RowsState(State):
    """Stones as masks by seat, and by seat the points that each of its living rows lacks.

    winner: the seat whose row stands, NOBODY for a full board, None while the game is on.
    """

    __slots__ = ("_decided", "_soonest", "_threat", "lacking", "line", "size", "stones", "to_move")

    def __init__(
        self,
        size: int,
        line: int,
        stones: tuple[int, int],
        lacking: tuple[list[int], list[int]],
        to_move: Seat,
        winner: Seat | None,
    ) -> None:
        self.size, self.line, self.stones, self.lacking, self.to_move = size, line, stones, lacking, to_move
        self._decided = Decided(winner, 0) if winner is not None else self._in_sight()

    def _in_sight(self) -> Decided | None:
        """A row that lacks one point; two of the other's, that cannot both be stopped; or nothing left to complete."""
        mover = self.to_move
        if _ones(self.lacking[mover - 1]):
            return Decided(mover, 1)
        self._threat = _ones(self.lacking[2 - mover])
        if self._threat & (self._threat - 1):
            return Decided(3 - mover, 2)
        self._soonest = self._plies_of(1), self._plies_of(2)
        return Decided(NOBODY, 0) if self._soonest == (NEVER, NEVER) else None

    def _plies_of(self, seat: Seat) -> int:
        """How many plies `seat` needs at least: a stone every second ply, or NEVER where the other is safe."""
        lacking = self.lacking[seat - 1]
        empty = self.size * self.size - (self.stones[0] | self.stones[1]).bit_count()
        if 2 * len(lacking) <= empty and _paired(lacking):
            return NEVER
        return 2 * min(map(int.bit_count, lacking)) - (seat == self.to_move)

    def decided(self) -> Decided | None:
        """A finished game, or an end in plain sight."""
        return self._decided

    def soonest(self, seat: Seat) -> int:
        """How many plies the row that lacks fewest takes."""
        return self._soonest[seat - 1]

    def key(self) -> Hashable:
        """The board; of few stones the least of its mirror images; and who is to move."""
        one, two = self.stones
        if (one | two).bit_count() <= _TURNED:
            one, two = least_image(self.size, one, two)
        return one, two, self.to_move

    def moves(self) -> Sequence[Move]:
        """The one point that stops a row; else the empty points of living rows, where most is at stake first."""
        masks = [self._threat]
        if not self._threat:
            worth: dict[int, int] = {}
            for rows in self.lacking:
                for left in rows:
                    share = _STEEP ** (self.line - left.bit_count())
                    while left:
                        point = left & -left
                        left ^= point
                        worth[point] = worth.get(point, 0) + share
            masks = sorted(worth, key=worth.__getitem__, reverse=True)
        points = grid(self.size, self.size).points
        return [points[mask.bit_length() - 1] for mask in masks]

    def play(self, move: Move) -> RowsState:
        """The state after a stone on `move`."""
        assert isinstance(move, Point)
        bit = 1 << (move.row - 1) * self.size + move.column - 1
        one, two = self.stones
        if self.to_move == 1:
            stones = one | bit, two
            lacking = [row & ~bit for row in self.lacking[0]], [row for row in self.lacking[1] if not row & bit]
        else:
            stones = one, two | bit
            lacking = [row for row in self.lacking[0] if not row & bit], [row & ~bit for row in self.lacking[1]]
        full = (one | two | bit).bit_count() == self.size * self.size
        winner = self.to_move if 0 in lacking[self.to_move - 1] else NOBODY if full else None
        return RowsState(self.size, self.line, stones, lacking, 3 - self.to_move, winner)


def _ones(lacking: list[int]) -> int:
    """The points that alone are lacking to a row."""
    found = 0
    for row in lacking:
        if not row & (row - 1):
            found |= row
    return found


def _paired(lacking: list[int]) -> bool:
    """Whether two points of its own can be given to each row: a matching, rows passing points on to find room.

    Rows that lack the same points share them. H. Kuhn, The Hungarian Method for the Assignment Problem, Naval Research
    Logistics 2 (1955).
    """
    rows, union = set(lacking), 0
    for row in rows:
        union |= row
    if 2 * len(rows) > union.bit_count():
        return False
    owner: dict[int, int] = {}
    taken = tried = 0

    def give(row: int) -> int:
        """Give `row` a point that is free, or that its owner can do without; 0 where there is none."""
        nonlocal tried
        if free := row & ~tried & ~taken:
            point = free & -free
            owner[point] = row
            return point
        while left := row & ~tried:
            point = left & -left
            tried |= point
            if owner[point] != row and (other := give(owner[point])):
                owner[point] = row
                return other
        return 0

    for row in sorted(rows, key=int.bit_count):
        for _ in range(2):
            tried = 0
            if not (found := give(row)):
                return False
            taken |= found
    return True
