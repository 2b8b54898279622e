"""The formats of tournaments, found by file name: each module here defines FORMAT, a `TournamentFormat`.

Uses the formats, but no agents, rules or store.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tournaments.schedules import ScheduleInput, TournamentFormat

FORMATS: dict[str, TournamentFormat] = {
    name[:-3]: import_module(f"{__name__}.{name[:-3]}").FORMAT
    for name in sorted(os.listdir(os.path.dirname(__file__)))
    if name.endswith(".py") and not name.startswith("_")
}


def entry(settings: Mapping[str, Any], seats: int, *, ahead: int = 1) -> ScheduleInput:
    """Return the input of a schedule from the settings in the store."""
    options = FORMATS[settings["format"]].options
    return ScheduleInput(
        players=len(settings["players"]),
        seats=seats,
        games=settings["games_per_pair"],
        options={option.name: settings.get(option.name, option.default) for option in options},
        seed=settings["seed"],
        ahead=ahead,
    )
