"""Coordinates of points for display and input: Gomogo's own, or those of books about Go.

Gomogo's own coordinates are the only ones in files and records. Their columns are a, b, c …, including i, and row 1 is
at the top. Books about Go leave out i, and count rows from the bottom. The module uses boards and text, but no
position.
"""

from __future__ import annotations

import re

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, NotAMove
from gomogo_core.games.boards.points import LETTERS, Point, PointBoard

COORDINATE_KINDS = ("ours", "book")
_BOOK_LETTERS = LETTERS.replace("i", "")
_POINT_IN_TEXT = re.compile(r"(?<![\w-])([a-z])([0-9]{1,2})(?![\w-])")
_TYPED_POINT = re.compile(r"([a-z])[\s,]*([0-9]{1,4})|([0-9]{1,4})\s*[,\s]\s*([0-9]{1,4})")


class Coordinates:
    """Gomogo's own coordinates: on the screen, moves have the same names as in files."""

    def column_letters(self, columns: int) -> str:
        """Return the letters of the columns, from the left. columns: the number of columns."""
        return LETTERS[:columns]

    def row_label(self, number: int) -> int:
        """Return the label of a row. number: the row's number, counted from 1 at the top."""
        return number

    def display(self, text: str) -> str:
        """Convert the points in a sentence or a move from Gomogo's own coordinates to these coordinates."""
        return text

    def parse(self, typed_move: str) -> str:
        """Convert a typed move to Gomogo's own coordinates. Raises NotAMove for a point that is not on the board."""
        return typed_move


class BookCoordinates(Coordinates):
    """The coordinates of books about Go, for one board."""

    def __init__(self, board: PointBoard) -> None:
        self._board = board

    def column_letters(self, columns: int) -> str:
        """Return the letters of the columns, without i."""
        return _BOOK_LETTERS[:columns]

    def row_label(self, number: int) -> int:
        """Return the label of a row: its number counted from the bottom."""
        return self._board.rows + 1 - number

    def display(self, text: str) -> str:
        """Convert each point of the board in the text to the coordinates of books."""
        return _POINT_IN_TEXT.sub(self._book_point, text)

    def _book_point(self, match: re.Match[str]) -> str:
        point = Point(LETTERS.index(match[1]) + 1, int(match[2]))
        if point not in self._board.number_of:
            return match[0]
        return f"{_BOOK_LETTERS[point.column - 1]}{self.row_label(point.row)}"

    def parse(self, typed_move: str) -> str:
        """Convert a point to Gomogo's own coordinates; leave other text unchanged."""
        match = _TYPED_POINT.fullmatch(typed_move.strip().casefold())
        if match is None:
            return typed_move
        letters = self.column_letters(self._board.columns)
        column = letters.find(match[1]) + 1 if match[1] else int(match[3])
        row = int(match[2] or match[4])
        if not 1 <= column <= self._board.columns:
            skipped = ", without i" if letters[-1] > "i" else ""
            raise NotAMove(typed_move, f"columns are a to {letters[-1]}{skipped}")
        if not 1 <= row <= self._board.rows:
            raise NotAMove(typed_move, f"rows are 1 to {self._board.rows}")
        return str(Point(column, self.row_label(row)))


FILE_COORDINATES = Coordinates()


def coordinates_of(kind: str | None, game: Game) -> Coordinates:
    """Return the coordinates for a game. kind: one of COORDINATE_KINDS; None for those that people use in this game.

    Raises UserError if the game has no coordinates of that kind.
    """
    grid = game.board
    if kind is None:
        has_letters = isinstance(grid, PointBoard) and grid.columns <= len(_BOOK_LETTERS)
        kind = "book" if game.row_1_is_at_bottom and has_letters else "ours"
    if kind == "ours":
        return FILE_COORDINATES
    if not isinstance(grid, PointBoard):
        raise UserError(f"{game.name} has no points that books could name.", "Leave out --coordinates.")
    if grid.columns > len(_BOOK_LETTERS):
        raise UserError(
            f"Books have {len(_BOOK_LETTERS)} letters, without i, and this board has {grid.columns} columns.",
            "Leave out --coordinates, or choose a smaller board.",
        )
    return BookCoordinates(grid)
