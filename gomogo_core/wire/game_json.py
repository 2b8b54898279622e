"""Reads `game.json` and `position.json` for agents and humans that play by files; `position_json` writes them.

Other programs may write into the folder, so wrong content is treated like an empty file. Knows no game.
"""

from __future__ import annotations

import json
from typing import Any

from gomogo_core.wire.small_files import read_state

_MOST = 1 << 20  # bytes
_LONGEST = 1e12  # seconds


def about_in(file: str) -> dict[str, Any]:
    """Return the content of a `game.json`; empty without that file, as with a legacy referee."""
    about = _object_in(file)
    teams, times, you = about.get("teams", []), about.get("time", {}), about.get("you", "")
    valid = isinstance(teams, list) and all(isinstance(team, str) for team in teams) and isinstance(you, str)
    return about if valid and isinstance(times, dict) and all(_are_seconds(one) for one in times.values()) else {}


def clocks_in(file: str) -> dict[str, float | None]:
    """Read the seconds that each team has left in the game from a `position.json`; None if only moves are limited."""
    clocks = _object_in(file).get("clocks")
    return clocks if isinstance(clocks, dict) and _are_seconds(clocks) else {}


def _object_in(file: str) -> dict[str, Any]:
    try:
        value = json.loads(read_state(file, _MOST).content or b"{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _are_seconds(values: object) -> bool:
    return isinstance(values, dict) and all(
        value is None or (isinstance(value, int | float) and -_LONGEST < value < _LONGEST) for value in values.values()
    )
