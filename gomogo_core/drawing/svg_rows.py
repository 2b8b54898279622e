"""The rows of any other board as SVG: its characters, for games without points and without boxes.

Uses only the rows of positions.
"""

from __future__ import annotations

from gomogo_core.drawing.svg_elements import Place, join_elements, label
from gomogo_core.games.base import Position

CELL = 24


class RowsPicture:
    """The characters on a board of squares. width, height: of the board with its margin."""

    def __init__(self, position: Position) -> None:
        self._rows = position.rows()
        self.width = CELL * (max(map(len, self._rows), default=0) + 1)
        self.height = CELL * (len(self._rows) + 1)

    def at(self, _: str) -> Place | None:
        """Return None: the places of moves are unknown."""
        return None

    def elements(self, _: str | None) -> str:
        """Return all elements."""
        return join_elements(
            label(sign, (CELL * column, CELL * row), "sign")
            for row, signs in enumerate(self._rows, 1)
            for column, sign in enumerate(signs, 1)
            if sign.strip()
        )
