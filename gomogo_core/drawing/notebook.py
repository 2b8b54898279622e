"""The picture of a position that a notebook's cell ends with.

Knows positions and their pictures; no notebook needs to be there. `Position._repr_svg_` asks for it.
"""

from __future__ import annotations

from gomogo_core.drawing.svg import svg
from gomogo_core.games.base import Position

_COLOURS = {"x": "black", "o": "white"}


def picture(position: Position) -> str:
    """The position as Jupyter and IPython show it."""
    seats = range(1, position.game.seats + 1)
    return svg(position, [_COLOURS.get(position.mark(seat), f"seat {seat}") for seat in seats])
