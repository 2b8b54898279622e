"""The statistics of a training, read back: a line of JSON for each round of games.

Uses a file of lines, but no network, so that curves can be drawn where nothing is trained.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gomogo_core.errors import UserError

STATISTICS = "statistics.jsonl"

Row = dict[str, Any]


def read(folder: Path) -> list[Row]:
    """Return the rows of all rounds. Raises UserError if there are none."""
    try:
        lines = (folder / STATISTICS).read_text(encoding="utf-8").splitlines()
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
