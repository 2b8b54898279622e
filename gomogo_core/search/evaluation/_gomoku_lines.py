"""A number for every point of a Gomoku board, packed into one int, and the contribution of each line to it.

Uses lines, and the effect of a stone on them, but no whole position, no turns, no search.

A *lane* is 16 bits of an int; lane p holds a number of point p. Adding two such ints adds the numbers of all points at
once, at the speed of C. A question about all points ("does a stone win anywhere?") is one mask: D. Knuth, The Art of
Computer Programming 4A, 7.1.3 ("broadword computing"). A stone changes four lines. It changes the numbers of all points
by four subtractions and four additions, whether the board is empty or full.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from struct import Struct
from sys import byteorder
from typing import NamedTuple

from gomogo_core.games.boards.points import PointBoard
from gomogo_core.games.gomoku import BLACK, WHITE, Gomoku
from gomogo_core.search.evaluation._gomoku_windows import RowShape, changes, window_value

LANE = 16
FULL = (1 << LANE) - 1
BIAS = 4096  # added to a gain in each of a point's four lines: lanes cannot hold negative numbers
_FOURS = 0b0000_1111  # mask of black's threats on a point: the number of winning points that a stone there creates
_WINS = 0b0111_0000  # mask of black's threats on a point: the number of its four lines in which a stone there wins
_WHITES = 8  # white's threats are this many bits above black's
_NEAR = 2  # a move is at most this many rows and columns from a stone
_MEMORY = 100_000_000  # bytes for a board's entries, approximately: a long game uses half of it
_KEPT = 5000  # cached windows per colour, about 300 bytes each


class LineScore(NamedTuple):
    """The contribution of one line, with its stones, to a position's numbers.

    value: the line as an octal number, its first point the highest digit: 0 empty, 1 black, 2 white.
    score: black's value minus white's. threats: lanes of the threats of a stone of either colour. black_gains,
    white_gains: lanes of the gain of a stone for its own side's score, plus BIAS; 0 on an occupied point.
    """

    value: int
    score: int
    threats: int
    black_gains: int
    white_gains: int


class BoardLine(dict[int, LineScore]):
    """One line of a board: its entries by value, computed on demand."""

    def __init__(self, points: range, black: _Windows, white: _Windows, room: _WindowRoom) -> None:
        super().__init__()
        self.points, self.black, self.white, self.room = points, black, white, room

    def __missing__(self, value: int) -> LineScore:
        signs = f"{value:o}".zfill(len(self.points))
        black = [self.black[stretch] for stretch in signs.split("2")]
        white = [self.white[stretch] for stretch in signs.split("1")]
        self.room.take()
        self[value] = entry = LineScore(
            value,
            sum(part.worth for part in black) - sum(part.worth for part in white),
            self._spread(
                _join_windows(part.threats for part in black) | _join_windows(part.threats for part in white) << _WHITES
            ),
            self._spread(_join_windows(part.gains for part in black) + _join_windows(part.losses for part in white)),
            self._spread(_join_windows(part.gains for part in white) + _join_windows(part.losses for part in black)),
        )
        return entry

    def _spread(self, lanes: int) -> int:
        """Return adjacent lanes, moved to the line's points."""
        points = self.points
        if points.step > 1:
            apart = array("H", bytes(2 * len(points) * points.step))
            apart[:: points.step] = array("H", lanes.to_bytes(2 * len(points), "little"))
            lanes = int.from_bytes(apart.tobytes(), "little")
        return lanes << LANE * points.start


class _WindowRoom:
    """A limit on the entries of a board's lines together; at the limit, all are cleared."""

    def __init__(self, area: int) -> None:
        self.most = self.left = max(_MEMORY // (area * 4 + 300), 1)  # an entry's lanes, half full, and its objects
        self.lines: list[BoardLine] = []

    def take(self) -> None:
        """Make room for one more entry."""
        if self.left == 0:
            for line in self.lines:
                line.clear()
            self.left = self.most
        self.left -= 1


def _join_windows(stretches: Iterable[bytes]) -> int:
    """Return the lanes of windows, with a lane of 0 for the opponent's stone between each two."""
    return int.from_bytes(b"\0\0".join(stretches), "little")


class _KnownLines(NamedTuple):
    """The value of a window, and lanes of threats and gains of its own side's stones, and of the opponent's effect."""

    worth: int
    threats: bytes
    gains: bytes
    losses: bytes


class _Windows(dict[str, _KnownLines]):
    """The windows of one colour, computed on demand."""

    def __init__(self, row: RowShape) -> None:
        super().__init__()
        self.row = row

    def __missing__(self, signs: str) -> _KnownLines:
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
        self[signs] = known = _KnownLines(
            window_value(stretch, self.row), *(_little_endian_bytes(each) for each in (threats, gains, losses))
        )
        return known


def _little_endian_bytes(lanes: array[int]) -> bytes:
    if byteorder == "big":
        lanes.byteswap()
    return lanes.tobytes()


class BoardLines:
    """The lines of one board under given rules, and masks for reading the lanes.

    points, number: each point's Point, and back. row: the number of stones in a winning row. lines: all lines. through:
    by colour and point, the lines through the point, with the change that the stone makes to their values: row, column
    and two diagonals, or as many of these as `directions` says. crossing: the same lines without the colours.
    unchanged: a lane of gains that means "nothing". stone: by colour and point, the point's part of the board's key.
    near: by point, lanes of FULL where a move is near a stone there. reach: by point, lanes of FULL on the points that
    can share a winning row with it. wins, fours, two_fours: by colour, masks of the threats where a stone wins at
    once, creates at least one winning point, or at least two. wins_at: by colour and point. ones: 1 in each lane.
    high: the highest bit of each.
    """

    def __init__(self, grid: PointBoard, black: RowShape, white: RowShape, directions: int = 4) -> None:
        self.points, self.number, self.area, self.row = grid.points, grid.number_of, grid.area, black.line
        through = [[range(s.start, s.stop, s.step) for s in four[:directions]] for four in grid.lines_through]
        lines = list(dict.fromkeys(chain(*through)))
        known, room = (_Windows(black), _Windows(white)), _WindowRoom(self.area)
        self.lines = room.lines = [BoardLine(line, *known, room) for line in lines]
        index = {line: k for k, line in enumerate(lines)}
        self.lines_through: list[list[tuple[tuple[int, int], ...]]] = [[], [], []]
        self.near: list[int] = []
        self.reach: list[int] = []
        for point, crossing in enumerate(through):
            for colour in (BLACK, WHITE):
                self.lines_through[colour].append(
                    tuple((index[line], colour << 3 * (len(line) - 1 - line.index(point))) for line in crossing)
                )
            self.near.append(_square_around(grid, point))
            self.reach.append(fill_lanes(chain(*(_part_of_line(line, point, black.line) for line in crossing))))
        self.unchanged = directions * BIAS
        self.crossing = [tuple(k for k, _ in parts) for parts in self.lines_through[BLACK]]
        self.stone = [[colour << 2 * point for point in range(self.area)] for colour in (0, BLACK, WHITE)]
        self.centre = grid.rows // 2 * grid.columns + grid.columns // 2
        self.ones = fill_lanes(range(self.area)) // FULL
        self.high = self.ones << LANE - 1
        self.wins, self.fours, self.two_fours = (
            (0, self.ones * mask, self.ones * mask << _WHITES) for mask in (_WINS, _FOURS, _FOURS & ~1)
        )
        self.wins_at = [[mask & FULL << LANE * point for point in range(self.area)] for mask in self.wins]
        self._width = self.area * LANE // 8
        self._unpack = Struct(f"<{self.area}H").unpack

    def unpack(self, lanes: int) -> tuple[int, ...]:
        """Return the number of each point."""
        return self._unpack(lanes.to_bytes(self._width, "little"))

    def widen(self, threats: int) -> int:
        """Return FULL in each lane that is not 0."""
        for shift in (8, 4, 2, 1):
            threats |= threats >> shift
        return (threats & self.ones) * FULL


def fill_lanes(points: Iterable[int]) -> int:
    """Return FULL in the lanes of `points`, 0 in the others."""
    return sum(FULL << LANE * point for point in set(points))


def lowest(lanes: int) -> int:
    """Return the first point whose lane is not 0."""
    return ((lanes & -lanes).bit_length() - 1) // LANE


def _square_around(grid: PointBoard, point: int) -> int:
    """Return lanes of FULL in the square around `point`, row by row."""
    row, column = divmod(point, grid.columns)
    left, right = max(column - _NEAR, 0), min(column + _NEAR, grid.columns - 1)
    part = (1 << LANE * (right - left + 1)) - 1
    rows = range(max(row - _NEAR, 0), min(row + _NEAR, grid.rows - 1) + 1)
    return sum(part << LANE * (r * grid.columns + left) for r in rows)


def _part_of_line(line: range, point: int, length: int) -> range:
    place = line.index(point)
    return line[max(place - length + 1, 0) : place + length]


@lru_cache(maxsize=4)
def lines_of_board(game: Gomoku) -> BoardLines:
    """Return the cached BoardLines for these rules."""
    black = RowShape(game.line, longer=not (game.exact or game.renju))
    white = RowShape(game.line, longer=not game.exact)
    return BoardLines(game.board, black, white)
