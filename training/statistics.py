"""The statistics of a training: one line of JSON for each round of games, and the curves drawn from them.

The module uses a file of lines, but no network, so that a program without PyTorch can draw the curves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from gomogo_core.errors import UserError

STATISTICS_FILE = "statistics.jsonl"
LOCK_FILE = "lock"  # the lock file of the process that trains in the folder

ROLLING_ROUNDS = 10  # number of rounds in a rolling mean

Row = Mapping[str, Any]


def read_statistics(folder: Path) -> list[Row]:
    """Return the rows of all rounds. Raises UserError if there are none."""
    try:
        lines = (folder / STATISTICS_FILE).read_text(encoding="utf-8").splitlines()
        rows: list[Row] = [json.loads(line) for line in lines]
    except FileNotFoundError:
        rows = []
    except (OSError, ValueError) as fault:
        raise UserError(f"The statistics in {folder} cannot be read: {fault}.", "Remove the folder.") from None
    if not rows:
        raise UserError(
            f"{folder} has no statistics.", "Train first: gomogo train mm_ai --against greedy --games 3000."
        )
    return rows


def games_learnt(rows: Sequence[Row]) -> list[int]:
    """Return the total number of games after each round."""
    return list(accumulate(row["games"] for row in rows))


def curves(rows: Sequence[Row]) -> dict[str, dict[str, list[float]]]:
    """Return the curves of each panel by titles and names; a curve has one number per round."""

    def percentages(wins: str, games: str) -> list[float]:
        return [100 * row[wins] / row[games] if row[games] else float("nan") for row in rows]

    second_seat_counts = [(row["wins"] - row["first_wins"], row["games"] - row["first_games"]) for row in rows]
    return {
        "games won, %": {
            "as first player": percentages("first_wins", "first_games"),
            "as second player": [100 * wins / games if games else float("nan") for wins, games in second_seat_counts],
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


def rolling_mean(values: Sequence[float]) -> list[float]:
    """Return, for each index, the mean of the last `ROLLING_ROUNDS` values; NaN values are left out."""
    means = []
    for end in range(1, len(values) + 1):
        known_values = [value for value in values[max(0, end - ROLLING_ROUNDS) : end] if value == value]
        means.append(sum(known_values) / len(known_values) if known_values else float("nan"))
    return means
