"""What those who play by files read of `game.json` and `position.json`; `facts.py` is what writes them.

In a folder that others can write into, anything may stand there: what is not as a referee writes it says nothing.
Knows no game.
"""

from __future__ import annotations

import json
from typing import Any

from gomogo_core.wire.folder import look

_MOST = 1 << 20  # bytes
_LONGEST = 1e12  # seconds


def about_in(file: str) -> dict[str, Any]:
    """What a `game.json` says; nothing where there is none, as with a referee of old."""
    told = _object_in(file)
    teams, times, you = told.get("teams", []), told.get("time", {}), told.get("you", "")
    fits = isinstance(teams, list) and all(isinstance(team, str) for team in teams) and isinstance(you, str)
    return told if fits and isinstance(times, dict) and all(_are_seconds(one) for one in times.values()) else {}


def clocks_in(file: str) -> dict[str, float | None]:
    """What each team has left of the whole game by a `position.json`: None where only moves are limited."""
    clocks = _object_in(file).get("clocks")
    return clocks if isinstance(clocks, dict) and _are_seconds(clocks) else {}


def _object_in(file: str) -> dict[str, Any]:
    try:
        told = json.loads(look(file, _MOST).content or b"{}")
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _are_seconds(values: object) -> bool:
    return isinstance(values, dict) and all(
        value is None or (isinstance(value, int | float) and -_LONGEST < value < _LONGEST) for value in values.values()
    )
