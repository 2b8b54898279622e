"""What a move changes on the board, as short texts: our rules say it, and a page's script only draws it.

Knows positions; no page. A change is groups, separated by `|`, of a sign and the places that bear it from now on:
`xh8|.c3,c4` is a black stone on h8, and c3 and c4 empty; `-h7|x#4` is an edge drawn, and box number 4, counted row by
row from 0, owned by x.
"""

from __future__ import annotations

from gomogo_core.games._stones import StonesPosition
from gomogo_core.games.base import Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.games.gomoku import GomokuPosition

_COLOURS = ("x", "o")


def change(before: Position, after: Position) -> str:
    """What is to be drawn to come from one position to the next."""
    if isinstance(after, GomokuPosition) and isinstance(before, GomokuPosition):
        if after.cells == before.cells or after.last is None:
            return ""
        return f"{' xo'[after.cells[after.last]]}{after.game.grid.names[after.last]}"
    if isinstance(after, StonesPosition) and isinstance(before, StonesPosition):
        return _of_stones(before, after)
    if isinstance(after, DotsAndBoxesPosition) and isinstance(before, DotsAndBoxesPosition):
        return _of_boxes(before, after)
    return ""


def _of_stones(before: StonesPosition, after: StonesPosition) -> str:
    plane, one, other = after.game.plane, before.board, after.board
    groups = [
        (sign, new & ~old)
        for sign, old, new in zip(_COLOURS, (one.black, one.white), (other.black, other.white), strict=True)
    ]
    groups.append((".", (one.black | one.white) & ~(other.black | other.white)))
    return "|".join(sign + ",".join(map(str, plane.listed(mask))) for sign, mask in groups if mask)


def _of_boxes(before: DotsAndBoxesPosition, after: DotsAndBoxesPosition) -> str:
    drawn, names = after.drawn & ~before.drawn, after.game.board.names
    groups = [f"-{names[drawn.bit_length() - 1]}"] if drawn else []
    closed = [box for box, (was, now) in enumerate(zip(before.owners, after.owners, strict=True)) if was != now]
    if closed:
        groups.append(f"{after.mark(after.owners[closed[0]])}#{','.join(map(str, closed))}")
    return "|".join(groups)
