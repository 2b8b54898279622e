"""Terminal colours: the code of each mark, and coloured text.

Uses the marks of positions, but no drawing of boards.
"""

from __future__ import annotations

from gomogo_core.games.base import Position

FAINT, STRONG = "2", "7"  # SGR parameters, ECMA-48 section 8.3.117
_MARKS = ("1;36", "1;31", "1;33", "1;35", "1;32", "1;34")  # cyan and red first: they differ to colour-blind eyes too


def colour_text(text: str, code: str) -> str:
    """Return `text` in the colour of an SGR code."""
    return f"\x1b[{code}m{text}\x1b[m"


def colours(position: Position) -> dict[str, str]:
    """Return the colour of each mark: a mark keeps it, whichever seat plays it."""
    marks = sorted({position.mark(seat) for seat in range(1, position.game.seats + 1)})
    return {mark: _MARKS[i % len(_MARKS)] for i, mark in enumerate(marks)}
