"""Draws what a training has learned: results, missed fives, accuracy and losses, each with a rolling average.

Uses rows of statistics, but no training. It needs matplotlib, not torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

Row = Mapping[str, Any]
ROLLING = 10  # rounds


def curves(rows: Sequence[Row]) -> dict[str, dict[str, list[float]]]:
    """Return what each panel shows: by its title, the lines by their names, a number a round."""

    def share(won: str, of: str) -> list[float]:
        return [100 * row[won] / row[of] if row[of] else float("nan") for row in rows]

    second = [{"won": row["wins"] - row["first_wins"], "of": row["games"] - row["first_games"]} for row in rows]
    return {
        "games won, %": {
            "as first player": share("first_wins", "first_games"),
            "as second player": [100 * one["won"] / one["of"] if one["of"] else float("nan") for one in second],
        },
        "missed fives a game": {
            "own": [row["missed_wins"] / row["games"] for row in rows],
            "the opponent's": [row["missed_blocks"] / row["games"] for row in rows],
        },
        "reward of its best move, % of the highest": {"": [100 * row["accuracy"] for row in rows]},
        "final score, -1 to 1": {"": [row["final_score"] for row in rows]},
        "short-term loss": {"": [row["short_loss"] for row in rows]},
        "long-term loss": {"": [row["long_loss"] for row in rows]},
    }


def rolling(values: Sequence[float], length: int = ROLLING) -> list[float]:
    """Return the mean of the last `length` values at each place, of those that are numbers."""
    means = []
    for end in range(1, len(values) + 1):
        known = [value for value in values[max(0, end - length) : end] if value == value]
        means.append(sum(known) / len(known) if known else float("nan"))
    return means


def draw(runs: Mapping[str, Sequence[Row]], path: Path) -> None:
    """Draw the curves of one training, or of several to compare, to a file whose ending says the format."""
    panels = [curves(rows) for rows in runs.values()]
    figure = Figure(figsize=(10, 9), layout="constrained")
    figures = figure.subplots(3, 2)
    for axes, title in zip(figures.flat, panels[0], strict=True):
        for run, (name, rows) in enumerate(runs.items()):
            games, total = [], 0
            for row in rows:
                total += row["games"]
                games.append(total)
            for number, (line, values) in enumerate(panels[run][title].items()):
                colour = f"C{2 * run + number}"
                label = " ".join(filter(None, (name if len(runs) > 1 else "", line)))
                axes.plot(games, values, ".", color=colour, alpha=0.25)
                axes.plot(games, rolling(values), color=colour, label=label)
        axes.set_title(title)
        axes.set_xlabel("games")
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[1] != [""]:
            axes.legend()
    figure.savefig(path, dpi=110)
