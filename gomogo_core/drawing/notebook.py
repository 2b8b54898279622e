"""The picture of a position as the output of a notebook cell: import this module, and notebooks draw positions.

Uses positions and their pictures; works without a notebook. The rules do not import pictures; this module registers
them.
"""

from __future__ import annotations

from gomogo_core.drawing.svg import svg
from gomogo_core.games.base import Position, draw_positions_by

_COLOURS = {"x": "black", "o": "white"}


def picture(position: Position) -> str:
    """Return the position as Jupyter and IPython display it."""
    seats = range(1, position.game.seats + 1)
    return svg(position, [_COLOURS.get(position.mark(seat), f"seat {seat}") for seat in seats])


draw_positions_by(picture)
