"""The formats of tournaments. Each module in this package defines FORMAT, a `TournamentFormat`; its file name is the
name of the format.

The formats do not depend on agents, rules or stores.
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


def schedule_input(settings: Mapping[str, Any], seats: int, *, games_ahead: int = 1) -> ScheduleInput:
    """Return the input of a schedule. settings: the stored settings of the run. games_ahead: see `ScheduleInput`."""
    options = FORMATS[settings["format"]].options
    return ScheduleInput(
        player_count=len(settings["players"]),
        seat_count=seats,
        games_per_meeting=settings["games_per_pair"],
        options={option.name: settings.get(option.name, option.default) for option in options},
        seed=settings["seed"],
        games_ahead=games_ahead,
    )
