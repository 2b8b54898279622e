"""Boards of points: the names of points, the straight lines, and drawing and parsing boards as text.

The module contains no rules of stones. Columns have letters. Rows have numbers; a printed board has row 1 at the top.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from gomogo_core.games.base import MAX_CACHED_BOARDS, BadDiagram, NotAMove
from gomogo_core.games.boards import Board, Change, Symmetry, group_changes

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # the file protocol uses i too, unlike books about Go

# the usual characters for empty (0), black (1) and white (2)
CELL_CODES = {".": 0, "x": 1, "o": 2, "+": 0, "-": 0, "_": 0, "b": 1, "#": 1, "w": 2}

_LETTER_AND_NUMBER = re.compile(r"([a-z])[\s,]*([0-9]{1,4})")
_TWO_NUMBERS = re.compile(r"([0-9]{1,4})\s*[,\s]\s*([0-9]{1,4})")


class Point(NamedTuple):
    """A point of a board. Column and row are counted from 1; a printed board has row 1 at the top."""

    column: int
    row: int

    def __str__(self) -> str:
        if 1 <= self.column <= len(LETTERS):
            return f"{LETTERS[self.column - 1]}{self.row}"
        return f"{self.column},{self.row}"


class PointBoard(Board):
    """The geometry of a board of `columns` × `rows` points, numbered row by row from 0.

    `points` (also called `places`) holds the Point of each number, `names` the name of each number's point, such as
    "h8", and `number_of` the number of each Point. `lines_through` holds, for each number, the four straight lines
    through the point: row, column and two diagonals. A line is a slice of a board in row order, and ends at the edge of
    the board. `index_in_line` holds the point's index within each of those four lines, and `line_neighbours` the
    numbers of the point before it and the point behind it; at an edge, both are the number of the only neighbour.
    `lines` has each line of the board once.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows, self.area = columns, rows, columns * rows
        self.places = self.points = tuple(Point(i % columns + 1, i // columns + 1) for i in range(self.area))
        self.names = tuple(map(str, self.points))
        self.points_by_text = {form: p for p in self.points for form in (str(p), f"{LETTERS[p.column - 1]} {p.row}")}
        self.name_of = dict(zip(self.points, self.names, strict=True))
        self.number_of = {point: i for i, point in enumerate(self.points)}
        self.lines_through = tuple(tuple(self._lines_through(i)) for i in range(self.area))
        self.index_in_line = tuple(
            tuple((i - line.start) // line.step for line in self.lines_through[i]) for i in range(self.area)
        )
        self.line_neighbours = tuple(
            tuple(self._neighbours_in_line(i, line) for line in lines_of_point)
            for i, lines_of_point in enumerate(self.lines_through)
        )
        self.lines = tuple(
            {(s.start, s.stop, s.step): s for lines_of_point in self.lines_through for s in lines_of_point}.values()
        )

    def _neighbours_in_line(self, point_number: int, line: slice) -> tuple[int, int]:
        neighbours = [
            neighbour
            for neighbour in (point_number - line.step, point_number + line.step)
            if line.start <= neighbour < line.stop
        ] or [point_number]
        return neighbours[0], neighbours[-1]

    def _lines_through(self, point_number: int) -> Iterable[slice]:
        row, column = divmod(point_number, self.columns)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            step = down * self.columns + right
            if step < 1:  # a board one column wide: its second diagonals are single points
                yield slice(point_number, point_number + 1, 1)
                continue
            points_before = min(
                row if down else self.area, column if right == 1 else self.columns - 1 - column if right else self.area
            )
            points_behind = min(
                self.rows - 1 - row if down else self.area,
                self.columns - 1 - column if right == 1 else column if right else self.area,
            )
            yield slice(point_number - points_before * step, point_number + points_behind * step + 1, step)

    def parse(self, text: str) -> Point:
        """Parse "h8", "H 8" or "8,8". Raises NotAMove."""
        if (known_point := self.points_by_text.get(text)) is not None:
            return known_point
        cleaned = text.strip().casefold()
        if match := _LETTER_AND_NUMBER.fullmatch(cleaned):
            column, row = LETTERS.index(match[1]) + 1, int(match[2])
        elif match := _TWO_NUMBERS.fullmatch(cleaned):
            column, row = int(match[1]), int(match[2])
        else:
            raise NotAMove(text, f"write a column letter, then a row, like {self.names[self.area // 2]}")
        if not 1 <= column <= self.columns:
            raise NotAMove(text, f"columns are a to {LETTERS[self.columns - 1]}")
        if not 1 <= row <= self.rows:
            raise NotAMove(text, f"rows are 1 to {self.rows}")
        return self.points[(row - 1) * self.columns + column - 1]

    def symmetries(self) -> Sequence[Symmetry]:
        """Return the eight symmetries of a square, or the four of any other rectangle."""
        return [partial(self._apply_symmetry, symmetry) for symmetry in range(8 if self.columns == self.rows else 4)]

    @cached_property
    def symmetric_numbers(self) -> tuple[tuple[int, ...], ...]:
        """For each symmetry, the identity first: the number of the image of each point."""
        return tuple(
            tuple(self.number_of[symmetry(point)] for point in self.points)  # type: ignore[index]
            for symmetry in self.symmetries()
        )

    def _apply_symmetry(self, symmetry: int, place: Hashable) -> Hashable:
        """Return the image of a point under a symmetry, or any other value unchanged.

        Bit 0 of `symmetry` mirrors the columns, bit 1 mirrors the rows, and bit 2 then exchanges rows and columns.
        """
        if not isinstance(place, Point):
            return place
        column, row = place
        if symmetry & 1:
            column = self.columns + 1 - column
        if symmetry & 2:
            row = self.rows + 1 - row
        return Point(row, column) if symmetry & 4 else Point(column, row)

    def changes(self, before: Sequence[str], after: Sequence[str]) -> list[Change]:
        """Return the points whose characters differ."""
        return group_changes(
            (new_character, self.names[row * self.columns + column])
            for row, (old_row, new_row) in enumerate(zip(before, after, strict=True))
            if old_row != new_row
            for column, (old_character, new_character) in enumerate(zip(old_row, new_row, strict=True))
            if old_character != new_character
        )

    def draw(self, rows: Iterable[str], footer: Mapping[str, str]) -> str:
        """Return the board with coordinates on all sides, and a line `name: value` below for each entry of `footer`."""
        width = len(str(self.rows))
        letters = " " * (width + 1) + " ".join(LETTERS[: self.columns])
        board = (f"{n:>{width}} {' '.join(row)} {n}" for n, row in enumerate(rows, 1))
        return "\n".join([letters, *board, letters, *(f"{name}: {value}" for name, value in footer.items())])

    def parse_drawing(self, text: str, cell_codes: Mapping[str, int]) -> tuple[bytes, dict[str, str]]:
        """Parse the text of `draw`. Coordinates may be missing. Raises BadDiagram.

        Return the board in row order, with each character replaced by its number in `cell_codes`, and the footer's
        values by name.
        """
        board = bytearray()
        footer: dict[str, str] = {}
        row_count = 0
        for line in text.casefold().splitlines():
            name, colon, value = line.partition(":")
            if colon:
                footer[name.strip()] = value.strip()
                continue
            words = line.split()
            if len(words) > 1 and words[0].isdecimal():
                # many programs draw row 1 at the bottom; parsing their rows in order would mirror the board
                if words[0].lstrip("0") != str(row_count + 1):
                    raise BadDiagram(
                        f"The row {line.strip()!r} is row {row_count + 1} of the diagram, counted from the top.",
                        "Draw row 1 at the top, or leave the numbers out.",
                    )
                words = words[1:-1] if words[-1].isdecimal() else words[1:]
            row = "".join(words)
            if not row or row == LETTERS[: self.columns]:
                continue
            if len(row) != self.columns or not set(row) <= cell_codes.keys():
                raise BadDiagram(
                    f"The row {line.strip()!r} does not show {self.columns} points.",
                    f"Write each row as {self.columns} of the characters {' '.join(cell_codes)}.",
                )
            board += bytes(cell_codes[character] for character in row)
            row_count += 1
        if row_count != self.rows:
            raise BadDiagram(f"The diagram has {row_count} rows.", f"Write all {self.rows} rows of this board.")
        return bytes(board), footer


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def point_board(columns: int, rows: int) -> PointBoard:
    """Return the cached PointBoard of this size."""
    return PointBoard(columns, rows)
