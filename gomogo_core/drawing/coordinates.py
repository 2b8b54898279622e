"""How points are called where a person reads and types them: as everywhere here, or as in books of Go.

Knows letters, numbers and sentences; no position. Files and records have one way only, ours: columns a, b, c … with i,
row 1 at the top. Books of Go leave out i, and count rows from the bottom.
"""

from __future__ import annotations

import re

from gomogo_core.errors import UserError
from gomogo_core.games._grid import LETTERS, Grid, Point
from gomogo_core.games.base import Game, NotAMove

KINDS = ("ours", "book")
_BOOK = LETTERS.replace("i", "")
_NAMED = re.compile(r"(?<![\w-])([a-z])([0-9]{1,2})(?![\w-])")  # a point among other words
_TYPED = re.compile(r"([a-z])[\s,]*([0-9]{1,4})|([0-9]{1,4})\s*[,\s]\s*([0-9]{1,4})")


class Coordinates:
    """Our own: what is shown and typed is what is written."""

    def letters(self, columns: int) -> str:
        """The names of the columns, from the left."""
        return LETTERS[:columns]

    def row(self, number: int) -> int:
        """What the row with this number, from 1 at the top, is called."""
        return number

    def shown(self, text: str) -> str:
        """A sentence of the rules, or a move as it is written, with the points called as a person sees them."""
        return text

    def read(self, typed: str) -> str:
        """What a person typed, as it is written. Raises NotAMove for a point that the board does not have."""
        return typed


class BookCoordinates(Coordinates):
    """Those of books of Go, on one board."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid

    def letters(self, columns: int) -> str:
        """The names of the columns, without i."""
        return _BOOK[:columns]

    def row(self, number: int) -> int:
        """The row, counted from the bottom."""
        return self._grid.rows + 1 - number

    def shown(self, text: str) -> str:
        """The text, each point of the board in it called as in books."""
        return _NAMED.sub(self._shown_point, text)

    def _shown_point(self, match: re.Match[str]) -> str:
        point = Point(LETTERS.index(match[1]) + 1, int(match[2]))
        return f"{_BOOK[point.column - 1]}{self.row(point.row)}" if point in self._grid.number else match[0]

    def read(self, typed: str) -> str:
        """A point in our own words; anything else as it is."""
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
    """The coordinates of one of the KINDS for a game. Raises UserError where it has none of that kind."""
    if kind == "ours":
        return OURS
    grid = getattr(game, "grid", None)
    if not isinstance(grid, Grid):
        raise UserError(f"{game.name} has no points to be called as in books.", "Leave out --coordinates.")
    if grid.columns > len(_BOOK):
        raise UserError(
            f"Books have {len(_BOOK)} letters, without i, and this board has {grid.columns} columns.",
            "Leave out --coordinates, or take a smaller board.",
        )
    return BookCoordinates(grid)
