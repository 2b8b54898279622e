"""Draws charts of a game as SVG: the players' evaluations after each move, or the advantage according to a review.

A chart marks the move on the board, so the server draws it anew for each position. The module writes the SVG itself,
because matplotlib is too slow for this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gomogo_core.analysis.review import Review
from gomogo_core.drawing.svg_elements import element, escape_text
from gomogo_core.games.base import Seat

_WIDTH, _LEFT, _RIGHT, _HEIGHT = 360, 8, 352, 80
_BAND = 14  # the height of a label above the review's graph, or below it, so that no label covers a mark
_MAX_NAME = 34  # characters of a name
_MIN_MARK_DISTANCE = 18.0  # units between the marks of two mistakes


def draw_evaluations(
    names: Sequence[str], scores: Sequence[Sequence[tuple[int, float]]], moves: int, move_number: int
) -> str:
    """Draw a line with the evaluations of each player. A point above the middle is good for the player of the line.

    scores: for each player, the numbers of moves and the score after each, in the player's own unit. moves: the number
    of moves in the game. move_number: the number of moves on the board.
    """
    shown = [(number, line) for number, line in enumerate(scores) if line]

    def x_of(move: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * move / max(1, moves)

    parts = [_line(_LEFT, _HEIGHT / 2, _RIGHT, _HEIGHT / 2, "zero")]
    for row, (number, line) in enumerate(shown):
        largest = math.log1p(max(abs(score) for _, score in line)) or 1.0
        heights = [(move, math.copysign(math.log1p(abs(score)), score) / largest) for move, score in line]
        points = " ".join(f"{x_of(move):.1f},{_HEIGHT / 2 - share * (_HEIGHT / 2 - 8):.1f}" for move, share in heights)
        parts.append(element("polyline", class_=f"line line-{number % 8}", points=points))
        y = _HEIGHT + 20 * row + 12
        name = names[number] if len(names[number]) <= _MAX_NAME else f"{names[number][: _MAX_NAME - 1]}…"
        parts.append(_line(_LEFT, y - 4, 48, y - 4, f"line line-{number % 8}"))
        parts.append(element("text", escape_text(name), x=56.0, y=float(y)))
    parts.append(_line(x_of(move_number), 0, x_of(move_number), _HEIGHT, "now"))
    label = f"Evaluations by {' and '.join(names[number] for number, _ in shown)} after each move"
    return element(
        "svg",
        "".join(parts),
        class_="chart",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT + 20 * len(shown)}",
        role="img",
        aria_label=f"{label}; above the middle is good for the player of the line",
    )


def draw_review(
    review: Review, sides: Sequence[str], moves: int, winner: Seat | None, move_number: int, url_end: str
) -> str:
    """Draw the first player's advantage after each move, with marks for mistakes. Each move is a link.

    sides: the names of both players in a sentence. moves: the number of moves in the game. winner: the winner's seat,
    or None. move_number: the number of moves on the board. url_end: the end of each link's URL.
    """
    middle, half, height = _BAND + _HEIGHT / 2, _HEIGHT / 2 - 12, 2 * _BAND + _HEIGHT

    def x_of(number: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * number / max(1, moves)

    def y_of(number: int) -> float:
        one = review.results[number]
        return middle - half * (one.score if one.seat == 1 else -one.score)

    points = [(x_of(number), y_of(number)) for number in sorted(review.results)]
    if points:
        points.append((x_of(moves), middle - half * {None: 0, 1: 1, 2: -1}[winner]))
    parts = [_line(_LEFT, middle, _RIGHT, middle, "zero")]
    for side, y in zip(sides, (10.0, height - 3.0), strict=True):
        parts.append(element("text", escape_text(f"{side} better"), x=float(_LEFT), y=y))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    if points:
        ends = f"{points[0][0]:.1f},{middle:.1f} {line} {points[-1][0]:.1f},{middle:.1f}"
        parts.append(element("polygon", class_="area", points=ends))
    parts.append(element("polyline", class_="line line-0", points=line))
    current_x = x_of(move_number)
    parts.append(_line(current_x, _BAND, current_x, height - _BAND, "now"))
    last_mark_x = -math.inf
    for finding in review.findings:
        # the review has no search result after the last move
        after = finding.number if finding.number in review.results else finding.number - 1
        x, y = x_of(finding.number), y_of(after)
        parts.append(element("circle", class_="mistake-dot", cx=x, cy=y, r=5.0 if finding.is_blunder else 3.5))
        if x - last_mark_x >= _MIN_MARK_DISTANCE:
            last_mark_x = x
            parts.append(element("text", finding.annotation, class_="mistake-mark", x=x, y=y - 7))
    width = (_RIGHT - _LEFT) / max(1, moves)
    for number in range(moves + 1):
        target = element("rect", class_="target", x=_LEFT + width * (number - 0.5), y=0, width=width, height=height)
        step = {"href": f"?move={number}{url_end}", "data_step": "to", "tabindex": -1, "aria_label": f"Move {number}"}
        parts.append(element("a", target, **step))
    return element(
        "svg",
        "".join(parts),
        class_="chart",
        viewBox=f"0 0 {_WIDTH} {height}",
        role="group",
        aria_label="The advantage of the first player, above the middle, after each move; mistakes are marked",
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return element("line", class_=kind, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))
