"""Coordinates of points for display and input: our own, or those of books about Go.

Uses letters, numbers and sentences, but no position. Files and records use our own coordinates only: columns a, b, c …
with i, row 1 at the top. Books about Go leave out i, and count rows from the bottom.
"""

from __future__ import annotations

import re

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, NotAMove
from gomogo_core.games.boards.points import LETTERS, Point, PointBoard

KINDS = ("ours", "book")
_BOOK = LETTERS.replace("i", "")
_NAMED = re.compile(r"(?<![\w-])([a-z])([0-9]{1,2})(?![\w-])")  # a point among other words
_TYPED = re.compile(r"([a-z])[\s,]*([0-9]{1,4})|([0-9]{1,4})\s*[,\s]\s*([0-9]{1,4})")


class Coordinates:
    """Our own coordinates: moves are shown and typed as they are written in files."""

    def letters(self, columns: int) -> str:
        """Return the names of the columns, from the left."""
        return LETTERS[:columns]

    def row(self, number: int) -> int:
        """Return the name of the row with this number, from 1 at the top."""
        return number

    def display(self, text: str) -> str:
        """Convert the points in a sentence or a written move to these coordinates."""
        return text

    def read(self, typed: str) -> str:
        """Convert a typed move to the written form. Raises NotAMove for a point that is not on the board."""
        return typed


class BookCoordinates(Coordinates):
    """The coordinates of books about Go, on one board."""

    def __init__(self, grid: PointBoard) -> None:
        self._grid = grid

    def letters(self, columns: int) -> str:
        """Return the names of the columns, without i."""
        return _BOOK[:columns]

    def row(self, number: int) -> int:
        """Return the row, counted from the bottom."""
        return self._grid.rows + 1 - number

    def display(self, text: str) -> str:
        """Convert each point of the board in the text to the coordinates of books."""
        return _NAMED.sub(self._shown_point, text)

    def _shown_point(self, match: re.Match[str]) -> str:
        point = Point(LETTERS.index(match[1]) + 1, int(match[2]))
        return f"{_BOOK[point.column - 1]}{self.row(point.row)}" if point in self._grid.number_of else match[0]

    def read(self, typed: str) -> str:
        """Convert a point to our own coordinates; leave other text unchanged."""
        match = _TYPED.fullmatch(typed.strip().casefold())
        if match is None:
            return typed
        letters = self.letters(self._grid.columns)
        column = letters.find(match[1]) + 1 if match[1] else int(match[3])
        row = int(match[2] or match[4])
        if not 1 <= column <= self._grid.columns:
            skipped = ", without i" if letters[-1] > "i" else ""
            raise NotAMove(typed, f"columns are a to {letters[-1]}{skipped}")
        if not 1 <= row <= self._grid.rows:
            raise NotAMove(typed, f"rows are 1 to {self._grid.rows}")
        return str(Point(column, self.row(row)))


OURS = Coordinates()


def coordinates_of(kind: str, game: Game) -> Coordinates:
    """Return coordinates of one of the KINDS for a game. Raises UserError if the game has none of that kind."""
    if kind == "ours":
        return OURS
    grid = game.board
    if not isinstance(grid, PointBoard):
        raise UserError(f"{game.name} has no points to be called as in books.", "Leave out --coordinates.")
    if grid.columns > len(_BOOK):
        raise UserError(
            f"Books have {len(_BOOK)} letters, without i, and this board has {grid.columns} columns.",
            "Leave out --coordinates, or take a smaller board.",
        )
    return BookCoordinates(grid)
