"""Packs one number for each point of a Gomoku board into one int, and computes each line's part of these numbers.

The module uses lines, and the effect of a stone on them, but no whole position, no turns and no search.

A *window* is a part of a line between two stones of the opponent, or between such a stone and the edge. A *lane* is 16
bits of an int; lane p holds the number for point p. Adding two such ints adds the numbers of all points at once, at the
speed of C. One mask tests all points at once, for example whether a stone wins anywhere. Source: D. Knuth, The Art of
Computer Programming 4A, 7.1.3 ("broadword computing"). A stone changes four lines, so four subtractions and four
additions update the numbers of all points.
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
from gomogo_core.search.evaluation.gomoku_windows import RowShape, stone_effects, window_value

LANE_BITS = 16
FULL_LANE = (1 << LANE_BITS) - 1
GAIN_BIAS = 4096  # added to the gain in each of a point's four lines, because lanes cannot hold negative numbers
# the bits of a lane that hold black's threat on a point: the number of winning points that a stone there creates
_FOUR_COUNT_MASK = 0b0000_1111
# the bits of a lane that hold black's wins on a point: the number of lines in which a stone there wins, at most four
_WIN_COUNT_MASK = 0b0111_0000
_WHITE_SHIFT = 8  # white's threats are this many bits above black's
_MAX_DISTANCE = 2  # a move is at most this many rows and columns from a stone
_MEMORY_LIMIT = 100_000_000  # approximate limit in bytes of the entries of one board; a long game uses half of it
_MAX_WINDOWS = 5000  # cached windows per colour, about 300 bytes each


class LineScore(NamedTuple):
    """The contribution of one line, with its stones, to a position's numbers.

    `code` is the line as an octal number: one digit for each point, the first point highest, 0 for empty, 1 for black,
    2 for white. `score` is the value of black's rows minus white's. `threats` has a lane for each point, with the wins
    and threats that a stone of either colour would make there. `black_gains` and `white_gains` also have a lane for
    each point: the increase of the side's score by a stone of that colour there, plus GAIN_BIAS; 0 on an occupied
    point.
    """

    code: int
    score: int
    threats: int
    black_gains: int
    white_gains: int


class LineScores(dict[int, LineScore]):
    """The LineScore of each arrangement of stones on one line of a board, by its code; computed on demand."""

    def __init__(self, points: range, black: _WindowCache, white: _WindowCache, entry_limit: _EntryLimit) -> None:
        super().__init__()
        self.points, self.black, self.white, self.entry_limit = points, black, white, entry_limit

    def __missing__(self, value: int) -> LineScore:
        signs = f"{value:o}".zfill(len(self.points))
        black = [self.black[window] for window in signs.split("2")]
        white = [self.white[window] for window in signs.split("1")]
        self.entry_limit.clear_if_full_and_count()
        score = sum(part.value_of_stones for part in black) - sum(part.value_of_stones for part in white)
        white_threats = _join_windows(part.threats for part in white)
        threats = _join_windows(part.threats for part in black) | white_threats << _WHITE_SHIFT
        black_gains = _join_windows(part.gains for part in black) + _join_windows(part.losses for part in white)
        white_gains = _join_windows(part.gains for part in white) + _join_windows(part.losses for part in black)
        lanes_of_points = map(self._move_to_points, (threats, black_gains, white_gains))
        self[value] = entry = LineScore(value, score, *lanes_of_points)
        return entry

    def _move_to_points(self, lanes: int) -> int:
        """Move adjacent lanes to the lanes of the line's points."""
        points = self.points
        if points.step > 1:
            spaced_lanes = array("H", bytes(2 * len(points) * points.step))
            spaced_lanes[:: points.step] = array("H", lanes.to_bytes(2 * len(points), "little"))
            lanes = int.from_bytes(spaced_lanes.tobytes(), "little")
        return lanes << LANE_BITS * points.start


class _EntryLimit:
    """A limit on the number of entries of all lines of a board; at the limit, all entries are cleared."""

    def __init__(self, area: int) -> None:
        # the bytes of an entry: its lanes, of which about half are used, and its objects
        self.max_entries = self.entries_left = max(_MEMORY_LIMIT // (area * 4 + 300), 1)
        self.lines: list[LineScores] = []

    def clear_if_full_and_count(self) -> None:
        """Count one more entry, and first clear all lines if the limit is reached."""
        if self.entries_left == 0:
            for line in self.lines:
                line.clear()
            self.entries_left = self.max_entries
        self.entries_left -= 1


def _join_windows(windows: Iterable[bytes]) -> int:
    """Join the lanes of a line's windows into one int. Between two windows is one opposing stone, whose lane is 0."""
    return int.from_bytes(b"\0\0".join(windows), "little")


class _WindowValues(NamedTuple):
    """The value of a window for the player who owns its stones.

    threats, gains, losses: a lane for each point of the window. The lanes of `threats` and `gains` hold the owner's
    threats and gain if the owner places a stone on the point. The lanes of `losses` hold the owner's loss if the
    opponent places a stone there.
    """

    value_of_stones: int
    threats: bytes
    gains: bytes
    losses: bytes


class _WindowCache(dict[str, _WindowValues]):
    """The _WindowValues of each window of one colour, computed on demand."""

    def __init__(self, row: RowShape) -> None:
        super().__init__()
        self.row = row

    def __missing__(self, signs: str) -> _WindowValues:
        window = signs.replace("2", "1")
        threats, gains, losses = (array("H", bytes(2 * len(window))) for _ in range(3))
        for index, stone_effect in enumerate(stone_effects(window, self.row)):
            if stone_effect is not None:
                threats[index] = stone_effect.wins * (_WIN_COUNT_MASK & -_WIN_COUNT_MASK) + stone_effect.fours
                gains[index] = stone_effect.gain + GAIN_BIAS
                losses[index] = stone_effect.loss
            elif window[index] == "0":
                gains[index] = GAIN_BIAS
        if len(self) >= _MAX_WINDOWS:
            self.clear()
        encoded_values = map(_little_endian_bytes, (threats, gains, losses))
        self[signs] = window_values = _WindowValues(window_value(window, self.row), *encoded_values)
        return window_values


def _little_endian_bytes(lanes: array[int]) -> bytes:
    if byteorder == "big":
        lanes.byteswap()
    return lanes.tobytes()


class BoardLines:
    """The lines of one board under given rules, and masks for reading the lanes.

    `points` holds the Point of each number, and `number_of` the number of each Point. `winning_length` is the number of
    stones in a winning row. `lines` holds all lines. `lines_through[colour][point]` lists the lines through a point,
    each with the change that a stone makes to the code of the line. The lines are the row, the column and two
    diagonals, or only the first `directions` of these. `line_numbers_through[point]` has the numbers of these lines.
    `zero_gain_lane` is the lane of a gain of 0. `stone_key[colour][point]` is a stone's part of the board's key.
    `near_lanes[point]` has the points near a stone there, as full lanes. `same_row_lanes[point]` has the points that
    can belong to the same winning row as `point`, as full lanes. `win_masks`, `four_masks` and `two_four_masks` hold,
    for each colour, a mask that selects threats. `win_masks` selects stones that win at once, `four_masks` stones that
    create at least one winning point, and `two_four_masks` stones that create at least two.
    `win_masks_at[colour][point]` is the part of `win_masks` in one lane. `ones` has 1 in each lane, and `high_bits` the
    highest bit of each lane.
    """

    def __init__(self, grid: PointBoard, black: RowShape, white: RowShape, directions: int = 4) -> None:
        self.points, self.number_of, self.area, self.winning_length = grid.points, grid.number_of, grid.area, black.line
        lines_by_point = [[range(s.start, s.stop, s.step) for s in four[:directions]] for four in grid.lines_through]
        lines = list(dict.fromkeys(chain(*lines_by_point)))
        window_caches, entry_limit = (_WindowCache(black), _WindowCache(white)), _EntryLimit(self.area)
        self.lines = entry_limit.lines = [LineScores(line, *window_caches, entry_limit) for line in lines]
        number_of_line = {line: k for k, line in enumerate(lines)}
        self.lines_through: list[list[tuple[tuple[int, int], ...]]] = [[], [], []]
        self.near_lanes: list[int] = []
        self.same_row_lanes: list[int] = []
        for point, lines_of_point in enumerate(lines_by_point):
            for colour in (BLACK, WHITE):
                places = ((number_of_line[line], len(line) - 1 - line.index(point)) for line in lines_of_point)
                self.lines_through[colour].append(tuple((number, colour << 3 * place) for number, place in places))
            self.near_lanes.append(_square_around(grid, point))
            parts = (_part_of_line(line, point, black.line) for line in lines_of_point)
            self.same_row_lanes.append(fill_lanes(chain(*parts)))
        self.zero_gain_lane = directions * GAIN_BIAS
        self.line_numbers_through = [tuple(k for k, _ in parts) for parts in self.lines_through[BLACK]]
        self.stone_key = [[colour << 2 * point for point in range(self.area)] for colour in (0, BLACK, WHITE)]
        self.centre = grid.rows // 2 * grid.columns + grid.columns // 2
        self.ones = fill_lanes(range(self.area)) // FULL_LANE
        self.high_bits = self.ones << LANE_BITS - 1
        self.win_masks, self.four_masks, self.two_four_masks = (
            (0, self.ones * mask, self.ones * mask << _WHITE_SHIFT)
            for mask in (_WIN_COUNT_MASK, _FOUR_COUNT_MASK, _FOUR_COUNT_MASK & ~1)
        )
        full_lanes = [FULL_LANE << LANE_BITS * point for point in range(self.area)]
        self.win_masks_at = [[mask & full_lane for full_lane in full_lanes] for mask in self.win_masks]
        self._width = self.area * LANE_BITS // 8
        self._unpack = Struct(f"<{self.area}H").unpack

    def unpack(self, lanes: int) -> tuple[int, ...]:
        """Return the numbers of all lanes."""
        return self._unpack(lanes.to_bytes(self._width, "little"))

    def fill_nonzero_lanes(self, threats: int) -> int:
        """Return lanes that are FULL_LANE where `threats` has a lane that is not 0, and 0 elsewhere."""
        for shift in (8, 4, 2, 1):
            threats |= threats >> shift
        return (threats & self.ones) * FULL_LANE


def fill_lanes(points: Iterable[int]) -> int:
    """Return lanes that are FULL_LANE for `points`, and 0 elsewhere."""
    return sum(FULL_LANE << LANE_BITS * point for point in set(points))


def first_point(lanes: int) -> int:
    """Return the lowest number of a point whose lane is not 0."""
    return ((lanes & -lanes).bit_length() - 1) // LANE_BITS


def _square_around(grid: PointBoard, point: int) -> int:
    """Return lanes that are FULL_LANE in the square around `point`."""
    row, column = divmod(point, grid.columns)
    left_column, right = max(column - _MAX_DISTANCE, 0), min(column + _MAX_DISTANCE, grid.columns - 1)
    full_lanes = (1 << LANE_BITS * (right - left_column + 1)) - 1
    rows = range(max(row - _MAX_DISTANCE, 0), min(row + _MAX_DISTANCE, grid.rows - 1) + 1)
    return sum(full_lanes << LANE_BITS * (r * grid.columns + left_column) for r in rows)


def _part_of_line(line: range, point: int, length: int) -> range:
    index = line.index(point)
    return line[max(index - length + 1, 0) : index + length]


@lru_cache(maxsize=4)
def lines_of_board(game: Gomoku) -> BoardLines:
    """Return the cached BoardLines for these rules."""
    black = RowShape(game.line, longer_wins=not (game.exact or game.renju))
    white = RowShape(game.line, longer_wins=not game.exact)
    return BoardLines(game.board, black, white)
