"""Terminal colours: the colour code of each mark, and coloured text.

The module knows the marks of positions, and draws no boards.
"""

from __future__ import annotations

from gomogo_core.games.base import Position

FAINT, REVERSE_VIDEO = "2", "7"  # parameters of the control function SGR, ECMA-48 section 8.3.117
_MARK_CODES = ("1;36", "1;31", "1;33", "1;35", "1;32", "1;34")  # colour-blind people can tell the first two apart too


def colour_text(text: str, code: str) -> str:
    """Return `text` between escape sequences that show it in a colour. code: the parameters of SGR."""
    return f"\x1b[{code}m{text}\x1b[m"


def mark_colours(position: Position) -> dict[str, str]:
    """Return the colour code of each mark. A mark keeps its code when the players swap stones."""
    marks = sorted({position.mark(seat) for seat in range(1, position.game.seats + 1)})
    return {mark: _MARK_CODES[i % len(_MARK_CODES)] for i, mark in enumerate(marks)}
