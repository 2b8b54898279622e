"""Draws the progress of a training: results, missed fives, accuracy and losses, each with a rolling average.

The module uses rows of statistics, but no training. It needs matplotlib, not torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from training.statistics import Row, curves, games_learnt, rolling_mean


def draw_curves(runs: Mapping[str, Sequence[Row]], path: Path) -> None:
    """Draw the curves of one or several trainings to a file; the ending of its name determines the format."""
    panels = [curves(rows) for rows in runs.values()]
    figure = Figure(figsize=(10, 9), layout="constrained")
    figures = figure.subplots(3, 2)
    for axes, title in zip(figures.flat, panels[0], strict=True):
        for run, (name, rows) in enumerate(runs.items()):
            games = games_learnt(rows)
            for number, (line, values) in enumerate(panels[run][title].items()):
                colour = f"C{2 * run + number}"
                label = " ".join(filter(None, (name if len(runs) > 1 else "", line)))
                axes.plot(games, values, ".", color=colour, alpha=0.25)
                axes.plot(games, rolling_mean(values), color=colour, label=label)
        axes.set_title(title)
        axes.set_xlabel("games")
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[1] != [""]:
            axes.legend()
    figure.savefig(path, dpi=110)
