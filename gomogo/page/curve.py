"""What the players thought of a position, move by move, as one small picture.

Knows scores and names; no store. It moves with the board, one line for the move that is shown, and is drawn anew for
each: hence by hand, and not by the library that draws a report's charts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gomogo_core.drawing._svg_elements import element, words

_WIDTH, _LEFT, _RIGHT, _HEIGHT = 360, 8, 352, 120
_LONGEST = 34  # characters of a name


def evaluations(names: Sequence[str], scored: Sequence[Sequence[tuple[int, float]]], moves: int, at: int) -> str:
    """What each player thought of its position: the number of a move, and its score, in the player's own unit.

    Above the middle is better for who thinks so. moves: of the whole game. at: how many of them are shown.
    """
    shown = [(number, line) for number, line in enumerate(scored) if line]

    def x(move: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * move / max(1, moves)

    parts = [_line(_LEFT, _HEIGHT / 2, _RIGHT, _HEIGHT / 2, "zero")]
    for row, (number, line) in enumerate(shown):
        most = math.log1p(max(abs(score) for _, score in line)) or 1.0
        up = [(move, math.copysign(math.log1p(abs(score)), score) / most) for move, score in line]
        points = " ".join(f"{x(move):.1f},{_HEIGHT / 2 - share * (_HEIGHT / 2 - 8):.1f}" for move, share in up)
        parts.append(element("polyline", class_=f"line line-{number % 8}", points=points))
        y = _HEIGHT + 20 * row + 12
        name = names[number] if len(names[number]) <= _LONGEST else f"{names[number][: _LONGEST - 1]}…"
        parts.append(_line(_LEFT, y - 4, 48, y - 4, f"line line-{number % 8}"))
        parts.append(element("text", words(name), x=56.0, y=float(y)))
    parts.append(_line(x(at), 0, x(at), _HEIGHT, "now"))
    called = f"What {' and '.join(names[number] for number, _ in shown)} thought of the position, move by move"
    return element(
        "svg",
        "".join(parts),
        class_="chart",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT + 20 * len(shown)}",
        role="img",
        aria_label=f"{called}; above the middle is better for the one who thinks so",
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return element("line", class_=kind, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))
