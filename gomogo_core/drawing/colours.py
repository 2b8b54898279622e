"""Colours: the names of the players' colours, the terminal's colour code of each mark, and coloured text.

The module uses the marks of positions, and draws no boards.
"""

from __future__ import annotations

from gomogo_core.games.base import Position, Seat
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import PointBoard

FAINT, REVERSE_VIDEO = "2", "7"  # parameters of the control function SGR, ECMA-48 section 8.3.117
_MARK_CODES = ("1;36", "1;31", "1;33", "1;35", "1;32", "1;34")  # colour-blind people can tell the first two apart too

# the names of the colours of stones by mark, and of the colours of boxes by seat, as pictures draw them
_STONE_COLOURS = {"x": "Black", "o": "White"}
_BOX_COLOURS = ("Blue", "Orange", "Yellow", "Pink", "Green", "Grey")


def side_name(position: Position, seat: Seat) -> str:
    """Return the name of a seat in a sentence: its colour on a board, such as "Black" or "Blue".

    Seats without a colour of their own have a number, such as "Player 7".
    """
    board, number = position.game.board, f"Player {seat}"
    if isinstance(board, PointBoard):
        return _STONE_COLOURS.get(position.mark(seat), number)
    return _BOX_COLOURS[seat - 1] if isinstance(board, EdgeBoard) and seat <= len(_BOX_COLOURS) else number


def colour_text(text: str, code: str) -> str:
    """Return `text` between escape sequences that show it in a colour. code: the parameters of SGR."""
    return f"\x1b[{code}m{text}\x1b[m"


def mark_colours(position: Position) -> dict[str, str]:
    """Return the colour code of each mark. A mark keeps its code when the players swap stones."""
    marks = sorted({position.mark(seat) for seat in range(1, position.game.seats + 1)})
    return {mark: _MARK_CODES[i % len(_MARK_CODES)] for i, mark in enumerate(marks)}
