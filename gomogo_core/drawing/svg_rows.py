"""Draws a position as SVG by its characters, for games whose boards have neither points nor boxes.

The module depends only on the rows of positions.
"""

from __future__ import annotations

from gomogo_core.drawing.svg_elements import XY, join_elements, label
from gomogo_core.games.base import Position

CELL_SIZE = 24


class RowsPicture:
    """The picture of the characters of a position. width, height: the size of the board with its margin."""

    def __init__(self, position: Position) -> None:
        self._rows = position.rows()
        self.width = CELL_SIZE * (max(map(len, self._rows), default=0) + 1)
        self.height = CELL_SIZE * (len(self._rows) + 1)

    def centre_of(self, _: str) -> XY | None:
        """Return None, because the places of moves are unknown in these games."""
        return None

    def elements(self, _: str | None) -> str:
        """Return one element for each character that is not blank."""
        return join_elements(
            label(sign, (CELL_SIZE * column, CELL_SIZE * row), "sign")
            for row, signs in enumerate(self._rows, 1)
            for column, sign in enumerate(signs, 1)
            if sign.strip()
        )
