"""The rows of any other board as SVG: its characters as they are, for games without points and without boxes.

Knows positions' rows only.
"""

from __future__ import annotations

from gomogo_core.drawing._svg_elements import Place, joined, label
from gomogo_core.games.base import Position

_CELL = 24


class RowsPicture:
    """The characters on a board of squares. width, height: of the board with its margin."""

    def __init__(self, position: Position) -> None:
        self._rows = position.rows()
        self.width = _CELL * (max(map(len, self._rows), default=0) + 1)
        self.height = _CELL * (len(self._rows) + 1)

    def at(self, _: str) -> Place | None:
        """Nothing is known of where moves are made."""
        return None

    def elements(self, _: str | None) -> str:
        """All of the board."""
        return joined(
            label(sign, (_CELL * column, _CELL * row), "sign")
            for row, signs in enumerate(self._rows, 1)
            for column, sign in enumerate(signs, 1)
            if sign.strip()
        )
