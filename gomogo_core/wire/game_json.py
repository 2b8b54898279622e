"""Reads the files `game.json` and `position.json` for agents and humans that play by files. The module `position_json`
formats these files.

Other programs may write into the folder, so wrong content is treated like an empty file. The module does not depend on
games.
"""

from __future__ import annotations

import json
from typing import Any

from gomogo_core.wire.small_files import read_state

_MAX_FILE_BYTES = 1 << 20
_MAX_SECONDS = 1e12


def read_game_json(file: str) -> dict[str, Any]:
    """Return the content of a `game.json`. It is empty if the file does not exist, as with a legacy referee."""
    game_json = _read_object(file)
    teams, times = game_json.get("teams", []), game_json.get("time", {})
    names = game_json.get("game", ""), game_json.get("you", "")
    is_valid = (
        isinstance(teams, list)
        and all(isinstance(name, str) for name in (*teams, *names))
        and isinstance(times, dict)
        and all(map(_are_seconds, times.values()))
    )
    return game_json if is_valid else {}


def read_clocks(file: str) -> dict[str, float | None]:
    """Read the seconds that each team has left in the game from a `position.json`; None if only moves are limited."""
    clocks = _read_object(file).get("clocks")
    return clocks if isinstance(clocks, dict) and _are_seconds(clocks) else {}


def _read_object(file: str) -> dict[str, Any]:
    try:
        value = json.loads(read_state(file, _MAX_FILE_BYTES).content or b"{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _are_seconds(values: object) -> bool:
    return isinstance(values, dict) and all(
        value is None or (isinstance(value, int | float) and -_MAX_SECONDS < value < _MAX_SECONDS)
        for value in values.values()
    )
