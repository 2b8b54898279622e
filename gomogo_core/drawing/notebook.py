"""Pictures of positions in notebooks: once this is imported, a position that a cell ends with is shown as SVG.

Knows positions and their pictures; no notebook needs to be there. `import gomogo_core.drawing.notebook` is enough, and
so is `%load_ext gomogo_core.drawing.notebook`.
"""

from __future__ import annotations

from gomogo_core.drawing.svg import svg
from gomogo_core.games.base import Position

_COLOURS = {"x": "black", "o": "white"}


def _repr_svg_(position: Position) -> str:
    """The position as Jupyter and IPython show it."""
    seats = range(1, position.game.seats + 1)
    return svg(position, [_COLOURS.get(position.mark(seat), f"seat {seat}") for seat in seats])


def load_ipython_extension(_: object) -> None:
    """For `%load_ext`; importing has done all there is to do."""


Position._repr_svg_ = _repr_svg_  # type: ignore[attr-defined]  # the rules know no pictures
