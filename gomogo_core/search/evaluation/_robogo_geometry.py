"""The geometry of a Robogo board for search: lanes and bits of each point, the windows through it, its neighbourhood.

Uses geometry only: no stones, no turns. _gomoku_lines.py defines the lanes, games/stones/board.py the bits.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_

from gomogo_core.games.boards.points import Point
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.search.evaluation._gomoku_lines import FULL, LANE, BoardLines
from gomogo_core.search.evaluation._gomoku_windows import RowShape


class RobogoGeometry:
    """The geometry of one game.

    jump: the distance from a stone within which moves are searched, in steps along the directions of rows; 0 for the
    whole board. captures: whether stones can be captured. plane, lanes: the points as bits, and as lanes. place: the
    bit of each lane; number: the lane of each bit; lane: FULL there. windows: by bit, the masks of the rows of exactly
    `line` points through it. near: by lane, lanes of FULL at most `jump` steps away. removal: by colour and lane, the
    change that removing a stone makes to the values of its lines. urgent: by the mover's colour, the threats that may
    decide the game. images: for each symmetry, the image of each lane.
    """

    def __init__(self, game: Robogo, jump: int) -> None:
        self.jump, self.captures, self.bit_geometry = jump, game.captures, game.bit_geometry
        row = RowShape(game.line, longer=True)
        narrow = min(game.rows, game.cols) == 1  # all lines but one are single points there
        self.lanes = lanes = BoardLines(game.board, row, row, directions=4 if game.diagonals and not narrow else 2)
        self.place = tuple(self.bit_geometry.bit_of[point] for point in lanes.points)
        self.number = {place: number for number, place in enumerate(self.place)}
        self.lane = [FULL << LANE * self.number[i] if i in self.number else 0 for i in range(self.bit_geometry.length)]
        self.windows = self._windows(game)
        self.near = tuple(self._nearby_places(game, place) for place in self.place)
        self.removal = [
            [tuple((k, -part) for k, part in parts) for parts in lanes.lines_through[colour]] if colour else []
            for colour in (0, BLACK, WHITE)
        ]
        wins, soon = lanes.wins[BLACK] | lanes.wins[WHITE], lanes.two_fours
        self.urgent = (0, wins | soon[BLACK], wins | soon[WHITE])
        self.images = tuple(self._images(game.cols, game.rows))

    def _windows(self, game: Robogo) -> tuple[tuple[int, ...], ...]:
        through: list[list[int]] = [[] for _ in range(self.bit_geometry.length)]
        for first in self.place:
            for step in game.row_steps:
                places = [first + step * k for k in range(game.line)]
                if all(map(self.bit_geometry.has_point, places)):
                    for place in places:
                        through[place].append(sum(1 << each for each in places))
        return tuple(map(tuple, through))

    def _nearby_places(self, game: Robogo, place: int) -> int:
        if not self.jump:
            return self.lanes.ones * FULL
        reached = 1 << place
        for _ in range(self.jump):
            around = (reached << step | reached >> step for step in game.row_steps)
            reached = reduce(or_, around, reached) & self.bit_geometry.full_mask
        return self.in_lanes(reached)

    def _images(self, cols: int, rows: int) -> list[tuple[int, ...]]:
        number, points = self.lanes.number, self.lanes.points
        mirrored = tuple(number[Point(cols + 1 - point.column, point.row)] for point in points)
        turned = tuple(number[Point(cols + 1 - point.column, rows + 1 - point.row)] for point in points)
        found = [tuple(range(len(points))), mirrored, turned, tuple(mirrored[n] for n in turned)]
        if cols == rows:
            found += [tuple(number[Point(point.row, point.column)] for point in map(points.__getitem__, image))
                      for image in found]  # fmt: skip
        return found

    def in_lanes(self, mask: int) -> int:
        """Return FULL in the lanes of the points whose bits are in `mask`."""
        lanes = 0
        while mask:
            low = mask & -mask
            lanes |= self.lane[low.bit_length() - 1]
            mask ^= low
        return lanes

    def around(self, stones: int) -> int:
        """Return the lanes near `stones`; if there are none, the middle; all, if `jump` is 0."""
        if not self.jump:
            return self.lanes.ones * FULL
        if not stones:
            return FULL << LANE * self.lanes.centre
        return reduce(or_, (self.near[self.number[place]] for place in self.bit_geometry.bits_in(stones)))


@lru_cache(maxsize=8)
def geometry_of(game: Robogo, jump: int) -> RobogoGeometry:
    """Return the cached RobogoGeometry of these rules."""
    return RobogoGeometry(game, jump)
