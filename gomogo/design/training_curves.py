"""The curves of trainings as SVG, for page and report.

Uses rows of statistics, but no training. A live page draws them again after each round, hence plain SVG, and not the
library for a report's other charts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from gomogo_core.drawing.svg_elements import element, escape_text
from gomogo_core.errors import UserError
from training.statistics import LOCK, ROLLING, Row, curves, games_learnt, read, rolling

MOST = 4  # trainings in one drawing: each has two of the eight kinds of lines
CAPTION = f"Each line is the mean of {ROLLING} rounds; the legend shows the last value."
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 360, 54, 352, 8, 128
_LEGEND = 20  # units a line
_LONGEST = 36  # characters of a name
_POINTS = 300  # points of a line
TrainingRow = Row
_Line = tuple[str, int, list[tuple[int, float]]]  # name, number of its kind, games and values


__all__ = ["CAPTION", "LOCK", "MOST", "TrainingRow", "read", "read_rows", "training_charts"]


def read_rows(folder: Path) -> tuple[Row, ...]:
    """Return the rows of a training; none if it has none yet, or they cannot be read."""
    try:
        return tuple(read(folder))
    except UserError:
        return ()


def training_charts(trainings: Mapping[str, Sequence[Row]]) -> str:
    """Draw the curves of at most `MOST` trainings together, a chart for each kind of value."""
    panels = {name: (games_learnt(rows), curves(rows)) for name, rows in list(trainings.items())[:MOST] if rows}
    titles = next(iter(panels.values()))[1] if panels else ()
    charts = []
    for title in titles:
        lines: list[_Line] = []
        for run, (name, (games, panel)) in enumerate(panels.items()):
            for number, (called, values) in enumerate(panel[title].items()):
                label = ", ".join(filter(None, (name if len(panels) > 1 else "", called)))
                points = [pair for pair in zip(games, rolling(values), strict=True) if not math.isnan(pair[1])]
                lines.append((label, 2 * run + number, points[:: -(-len(points) // _POINTS) or 1]))
        caption = element("figcaption", escape_text(title))
        charts.append(element("figure", caption + _chart(title, [line for line in lines if line[2]])))
    return "".join(charts)


def _chart(title: str, lines: Sequence[_Line]) -> str:
    values = [value for *_, points in lines for _, value in points]
    low, high = (0.0, 100.0) if "%" in title else (min(values, default=0.0), max(values, default=1.0))
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    most = max((game for *_, points in lines for game, _ in points), default=1)

    def place(game: int, value: float) -> str:
        x = _LEFT + (_RIGHT - _LEFT) * game / most
        return f"{x:.1f},{_BOTTOM - (_BOTTOM - _TOP) * (value - low) / (high - low):.1f}"

    parts = [
        element("line", class_="zero", x1=float(_LEFT), y1=float(y), x2=float(_RIGHT), y2=float(y))
        for y in (_TOP, _BOTTOM)
    ]
    for down, value in ((_TOP + 4, high), (_BOTTOM + 4, low)):
        parts.append(element("text", f"{value:.2g}", x=float(_LEFT - 6), y=float(down), text_anchor="end"))
    parts.append(element("text", f"{most:,} games", x=float(_RIGHT), y=_BOTTOM + 16.0, text_anchor="end"))
    for row, (label, kind, points) in enumerate(lines):
        drawn = " ".join(place(game, value) for game, value in points)
        parts.append(element("polyline", class_=f"line line-{kind}", points=drawn))
        y = _BOTTOM + 20.0 + _LEGEND * (row + 1)
        parts.append(element("line", class_=f"line line-{kind}", x1=8.0, y1=y - 4, x2=_LEFT - 4.0, y2=y - 4))
        short = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
        parts.append(element("text", escape_text(f"{short} {points[-1][1]:.3g}".strip()), x=float(_LEFT), y=y))
    said = "; ".join(f"{label} {points[-1][1]:.3g}".strip() for label, _, points in lines)
    height = _BOTTOM + 26 + _LEGEND * len(lines)
    called = f"{title}, by games learnt; last values: {said or 'none'}"
    return element(
        "svg", "".join(parts), class_="chart", viewBox=f"0 0 {_WIDTH} {height}", role="img", aria_label=called
    )
