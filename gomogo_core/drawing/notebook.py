"""The picture of a position as the output of a notebook cell.

Knows positions and their pictures; works without a notebook. `Position._repr_svg_` calls it.
"""

from __future__ import annotations

from gomogo_core.drawing.svg import svg
from gomogo_core.games.base import Position

_COLOURS = {"x": "black", "o": "white"}


def picture(position: Position) -> str:
    """Return the position as Jupyter and IPython display it."""
    seats = range(1, position.game.seats + 1)
    return svg(position, [_COLOURS.get(position.mark(seat), f"seat {seat}") for seat in seats])
