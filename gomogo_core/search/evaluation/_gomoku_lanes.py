"""A number for every point of a Gomoku board side by side in one int, and what each line adds to it.

Knows lines, and what a stone changes in them; no whole position, no turns, no search.

A *lane* is 16 bits of an int; lane p holds a number of point p. Adding two such ints adds the numbers of all points
at once, at the speed of C, and a question about all points ("does a stone win anywhere?") is one mask: D. Knuth, The
Art of Computer Programming 4A, 7.1.3 ("broadword computing"). A stone changes four lines; so it changes the numbers
of all points by four subtractions and four additions, whether the board is empty or full.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from struct import Struct
from sys import byteorder
from typing import NamedTuple

from gomogo_core.games._grid import Grid
from gomogo_core.games.gomoku import BLACK, WHITE, Gomoku
from gomogo_core.search.evaluation._gomoku_stretches import Row, changes, worth

LANE = 16
FULL = (1 << LANE) - 1
BIAS = 4096  # added to a gain in each of a point's four lines: lanes cannot hold negative numbers
_FOURS = 0b0000_1111  # of black's threats on a point: how many winning points a stone there would leave
_WINS = 0b0111_0000  # of black's threats on a point: in how many of the four lines a stone there wins
_WHITES = 8  # white's threats are that many bits above black's
_NEAR = 2  # a move is at most so many rows and columns from a stone
_MEMORY = 100_000_000  # bytes that a board's entries may take, about: a game of long thought takes half of it
_KEPT = 5000  # stretches remembered of a colour, some 300 bytes each


class Entry(NamedTuple):
    """What one line, with the stones that stand in it, adds to a position's numbers.

    value: the line as an octal number, its first point the highest digit: 0 empty, 1 black, 2 white.
    score: black's worth less white's. threats: lanes of what a stone of either colour would threaten.
    black_gains, white_gains: lanes of what a stone would add to its own side's score, and BIAS; 0 where one stands.
    """

    value: int
    score: int
    threats: int
    black_gains: int
    white_gains: int


class Line(dict[int, Entry]):
    """One line of a board: its entries by value, worked out as values come up."""

    def __init__(self, points: range, black: _Stretches, white: _Stretches, room: _Room) -> None:
        super().__init__()
        self.points, self.black, self.white, self.room = points, black, white, room

    def __missing__(self, value: int) -> Entry:
        signs = f"{value:o}".zfill(len(self.points))
        black = [self.black[stretch] for stretch in signs.split("2")]
        white = [self.white[stretch] for stretch in signs.split("1")]
        self.room.take()
        self[value] = entry = Entry(
            value,
            sum(part.worth for part in black) - sum(part.worth for part in white),
            self._spread(_joined(part.threats for part in black) | _joined(part.threats for part in white) << _WHITES),
            self._spread(_joined(part.gains for part in black) + _joined(part.losses for part in white)),
            self._spread(_joined(part.gains for part in white) + _joined(part.losses for part in black)),
        )
        return entry

    def _spread(self, lanes: int) -> int:
        """Lanes side by side, moved to the line's points."""
        points = self.points
        if points.step > 1:
            apart = array("H", bytes(2 * len(points) * points.step))
            apart[:: points.step] = array("H", lanes.to_bytes(2 * len(points), "little"))
            lanes = int.from_bytes(apart.tobytes(), "little")
        return lanes << LANE * points.start


class _Room:
    """How many more entries a board's lines may take together; when there is no more room, all are forgotten."""

    def __init__(self, area: int) -> None:
        self.most = self.left = max(_MEMORY // (area * 4 + 300), 1)  # an entry's lanes, half full, and its objects
        self.lines: list[Line] = []

    def take(self) -> None:
        """Make room for one more."""
        if self.left == 0:
            for line in self.lines:
                line.clear()
            self.left = self.most
        self.left -= 1


def _joined(stretches: Iterable[bytes]) -> int:
    """The lanes of stretches with a stone of the other colour, whose lane is 0, between each two."""
    return int.from_bytes(b"\0\0".join(stretches), "little")


class _Known(NamedTuple):
    """A stretch's worth, and lanes of what its own side's stones would threaten and gain, and the other's take."""

    worth: int
    threats: bytes
    gains: bytes
    losses: bytes


class _Stretches(dict[str, _Known]):
    """What there is to know of one colour's stretches, worked out as they come up."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self.row = row

    def __missing__(self, signs: str) -> _Known:
        stretch = signs.replace("2", "1")
        threats, gains, losses = (array("H", bytes(2 * len(stretch))) for _ in range(3))
        for place, would in enumerate(changes(stretch, self.row)):
            if would is not None:
                threats[place] = would.wins * (_WINS & -_WINS) + would.fours
                gains[place] = would.gain + BIAS
                losses[place] = would.loss
            elif stretch[place] == "0":
                gains[place] = BIAS
        if len(self) >= _KEPT:
            self.clear()
        self[signs] = known = _Known(worth(stretch, self.row), *(_little(each) for each in (threats, gains, losses)))
        return known


def _little(lanes: array[int]) -> bytes:
    if byteorder == "big":
        lanes.byteswap()
    return lanes.tobytes()


class Lanes:
    """The lines of one board under given rules, and the masks with which lanes are read.

    points, number: each point's Point, and back. row: how many stones in a row win. lines: all lines.
    through: by colour and point, the lines through the point, with what the stone adds to their values: row, column
    and two diagonals, or as many of these as `directions` says.
    crossing: the same lines without the colours. unchanged: a lane of gains that says "nothing".
    stone: by colour and point, the point's part of a number that tells boards apart.
    near: by point, lanes of FULL where a move is near a stone there. reach: by point, lanes of FULL where a stone can
    stand in one winning row with it.
    wins, fours, two_fours: by colour, masks of the threats in which a stone wins at once; leaves a winning point or
    more; leaves two or more. wins_at: by colour and point.
    ones: 1 in each lane. high: the highest bit of each.
    """

    def __init__(self, grid: Grid, black: Row, white: Row, directions: int = 4) -> None:
        self.points, self.number, self.area, self.row = grid.points, grid.number, grid.area, black.line
        through = [[range(s.start, s.stop, s.step) for s in four[:directions]] for four in grid.through]
        lines = list(dict.fromkeys(chain(*through)))
        known, room = (_Stretches(black), _Stretches(white)), _Room(self.area)
        self.lines = room.lines = [Line(line, *known, room) for line in lines]
        index = {line: k for k, line in enumerate(lines)}
        self.through: list[list[tuple[tuple[int, int], ...]]] = [[], [], []]
        self.near: list[int] = []
        self.reach: list[int] = []
        for point, crossing in enumerate(through):
            for colour in (BLACK, WHITE):
                self.through[colour].append(
                    tuple((index[line], colour << 3 * (len(line) - 1 - line.index(point))) for line in crossing)
                )
            self.near.append(_near(grid, point))
            self.reach.append(full_lanes(chain(*(_within(line, point, black.line) for line in crossing))))
        self.unchanged = directions * BIAS
        self.crossing = [tuple(k for k, _ in parts) for parts in self.through[BLACK]]
        self.stone = [[colour << 2 * point for point in range(self.area)] for colour in (0, BLACK, WHITE)]
        self.centre = grid.rows // 2 * grid.columns + grid.columns // 2
        self.ones = full_lanes(range(self.area)) // FULL
        self.high = self.ones << LANE - 1
        self.wins, self.fours, self.two_fours = (
            (0, self.ones * mask, self.ones * mask << _WHITES) for mask in (_WINS, _FOURS, _FOURS & ~1)
        )
        self.wins_at = [[mask & FULL << LANE * point for point in range(self.area)] for mask in self.wins]
        self._width = self.area * LANE // 8
        self._unpack = Struct(f"<{self.area}H").unpack

    def unpack(self, lanes: int) -> tuple[int, ...]:
        """The number of each point."""
        return self._unpack(lanes.to_bytes(self._width, "little"))

    def widen(self, threats: int) -> int:
        """FULL in each lane that is not 0."""
        for shift in (8, 4, 2, 1):
            threats |= threats >> shift
        return (threats & self.ones) * FULL


def full_lanes(points: Iterable[int]) -> int:
    """FULL in the lanes of `points`, 0 in the others."""
    return sum(FULL << LANE * point for point in set(points))


def lowest(lanes: int) -> int:
    """The first point whose lane is not 0."""
    return ((lanes & -lanes).bit_length() - 1) // LANE


def _near(grid: Grid, point: int) -> int:
    """Lanes of FULL in the square around `point`, row by row."""
    row, column = divmod(point, grid.columns)
    left, right = max(column - _NEAR, 0), min(column + _NEAR, grid.columns - 1)
    part = (1 << LANE * (right - left + 1)) - 1
    rows = range(max(row - _NEAR, 0), min(row + _NEAR, grid.rows - 1) + 1)
    return sum(part << LANE * (r * grid.columns + left) for r in rows)


def _within(line: range, point: int, length: int) -> range:
    place = line.index(point)
    return line[max(place - length + 1, 0) : place + length]


@lru_cache(maxsize=4)
def lanes_of(game: Gomoku) -> Lanes:
    """The one Lanes for these rules."""
    black = Row(game.line, longer=not (game.exact or game.renju))
    white = Row(game.line, longer=not game.exact)
    return Lanes(game.grid, black, white)
