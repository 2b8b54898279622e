"""Lets notebooks draw positions: once this module is imported, a position is displayed as a picture.

The rules must not import pictures, so this module registers the drawing function with them. The module uses positions
and their pictures, and also works without a notebook.
"""

from __future__ import annotations

from gomogo_core.drawing.svg import svg
from gomogo_core.games.base import Position, set_notebook_renderer

_COLOURS = {"x": "black", "o": "white"}


def picture(position: Position) -> str:
    """Return the SVG picture by which Jupyter and IPython display a position."""
    seats = range(1, position.game.seats + 1)
    return svg(position, [_COLOURS.get(position.mark(seat), f"seat {seat}") for seat in seats])


set_notebook_renderer(picture)
