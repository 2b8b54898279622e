"""Draws the curves of trainings as SVG, for the page and for reports.

The page draws them again after each round. So they are plain SVG, which is faster than matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from gomogo_core.drawing.svg_elements import element, escape_text
from gomogo_core.errors import UserError
from training.statistics import LOCK_FILE, ROLLING_ROUNDS, Row, curves, games_learnt, read_statistics, rolling_mean

MAX_TRAININGS = 4  # the most trainings in one chart: each training has two of the eight kinds of lines
CAPTION = f"Each line is the mean of {ROLLING_ROUNDS} rounds; the legend shows the last value."
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 360, 54, 352, 8, 128
_LEGEND_LINE = 20  # height of a line of the legend, in units
_MAX_NAME = 36  # characters
_MAX_POINTS = 300  # points of a line
TrainingRow = Row
_Line = tuple[
    str, int, list[tuple[int, float]]
]  # a line's name, the number of its kind, and its points as games and values


__all__ = ["CAPTION", "LOCK_FILE", "MAX_TRAININGS", "TrainingRow", "read_rows", "read_statistics", "training_charts"]


def read_rows(folder: Path) -> tuple[Row, ...]:
    """Return the statistics of a training, a row for each round; empty if there are none, or they cannot be read."""
    try:
        return tuple(read_statistics(folder))
    except UserError:
        return ()


def training_charts(trainings: Mapping[str, Sequence[Row]]) -> str:
    """Draw the curves of at most `MAX_TRAININGS` trainings together, in one chart for each kind of value."""
    panels = {
        name: (games_learnt(rows), curves(rows)) for name, rows in list(trainings.items())[:MAX_TRAININGS] if rows
    }
    titles = next(iter(panels.values()))[1] if panels else ()
    charts = []
    for title in titles:
        lines: list[_Line] = []
        for run, (name, (games, panel)) in enumerate(panels.items()):
            for number, (curve_name, values) in enumerate(panel[title].items()):
                label = ", ".join(filter(None, (name if len(panels) > 1 else "", curve_name)))
                points = [pair for pair in zip(games, rolling_mean(values), strict=True) if not math.isnan(pair[1])]
                lines.append((label, 2 * run + number, points[:: -(-len(points) // _MAX_POINTS) or 1]))
        caption = element("figcaption", escape_text(title))
        charts.append(element("figure", caption + _chart(title, [line for line in lines if line[2]])))
    return "".join(charts)


def _chart(title: str, lines: Sequence[_Line]) -> str:
    values = [value for *_, points in lines for _, value in points]
    low, high = (0.0, 100.0) if "%" in title else (min(values, default=0.0), max(values, default=1.0))
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    max_game = max((game for *_, points in lines for game, _ in points), default=1)

    def place(game: int, value: float) -> str:
        x = _LEFT + (_RIGHT - _LEFT) * game / max_game
        return f"{x:.1f},{_BOTTOM - (_BOTTOM - _TOP) * (value - low) / (high - low):.1f}"

    parts = [
        element("line", class_="zero", x1=float(_LEFT), y1=float(y), x2=float(_RIGHT), y2=float(y))
        for y in (_TOP, _BOTTOM)
    ]
    for down, value in ((_TOP + 4, high), (_BOTTOM + 4, low)):
        parts.append(element("text", f"{value:.2g}", x=float(_LEFT - 6), y=float(down), text_anchor="end"))
    parts.append(element("text", f"{max_game:,} games", x=float(_RIGHT), y=_BOTTOM + 16.0, text_anchor="end"))
    for row, (label, kind, points) in enumerate(lines):
        path_points = " ".join(place(game, value) for game, value in points)
        parts.append(element("polyline", class_=f"line line-{kind}", points=path_points))
        y = _BOTTOM + 20.0 + _LEGEND_LINE * (row + 1)
        parts.append(element("line", class_=f"line line-{kind}", x1=8.0, y1=y - 4, x2=_LEFT - 4.0, y2=y - 4))
        short = label if len(label) <= _MAX_NAME else f"{label[: _MAX_NAME - 1]}…"
        parts.append(element("text", escape_text(f"{short} {points[-1][1]:.3g}".strip()), x=float(_LEFT), y=y))
    last_values = "; ".join(f"{label} {points[-1][1]:.3g}".strip() for label, _, points in lines)
    height = _BOTTOM + 26 + _LEGEND_LINE * len(lines)
    label = f"{title}, by number of games learnt from; last values: {last_values or 'none'}"
    return element(
        "svg", "".join(parts), class_="chart", viewBox=f"0 0 {_WIDTH} {height}", role="img", aria_label=label
    )
