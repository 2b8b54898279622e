"""The settings that every agent's spec may have, whatever its protocol. The arena applies them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from gomogo_core.errors import UserError
from gomogo_core.play.clock import TimeControl
from gomogo_core.protocols.settings import NO_SETTINGS, Settings

LIMIT_NAMES = ("memory_mb", "threads")  # the launcher enforces the first setting, and reserves cores for the second
TIME_NAMES = ("time", "total", "increment")
SWITCH_NAMES = ("ponders", "classic_pace")
# settings that the arena applies, and never passes to the program
ARENA_SETTING_NAMES = ("name", *SWITCH_NAMES, *TIME_NAMES)
COMMON_SETTING_NAMES = (*ARENA_SETTING_NAMES, *LIMIT_NAMES)


def name_parts(settings: Mapping[str, str], own_options: Container[str] = ()) -> list[str]:
    """Return the settings as parts of an agent's name, such as `depth-3`. A path becomes the name of its file.

    own_options: the names of the agent's own options.

    >>> name_parts({"depth": "3", "network": "runs/round-7.onnx"})
    ['depth-3', 'round-7']
    """
    return [
        PurePath(value).stem if "/" in value else f"{name}-{value}"
        for name, value in settings.items()
        if name in own_options or name not in ("name", *SWITCH_NAMES)
    ]


@dataclass(frozen=True)
class CommonSettings:
    """The common settings of one agent.

    name: the agent's name in tables; empty for the name in its description. limits: the memory limit and the number of
    threads. own_time_control: the times in the spec, or None. ponders, classic_pace: as in `Agent`; None if the spec
    does not set them.
    """

    name: str = ""
    ponders: bool | None = None
    classic_pace: bool | None = None
    limits: Settings = NO_SETTINGS
    own_time_control: TimeControl | None = None

    @staticmethod
    def parse(settings: Mapping[str, str], source: str) -> CommonSettings:
        """Parse settings such as memory_mb=200. Raises UserError for a wrong value. source: the spec with them."""
        limits = {name: text for name, text in settings.items() if name in LIMIT_NAMES}
        return CommonSettings(
            settings.get("name", ""),
            _read_switch(settings, "ponders", source),
            _read_switch(settings, "classic_pace", source),
            Settings.parse(limits, source),
            _read_times(settings, source),
        )


def _read_switch(settings: Mapping[str, str], name: str, source: str) -> bool | None:
    text = settings.get(name)
    if text not in ("true", "false", None):
        raise UserError(f"{source}: {name}={text} is neither true nor false.", f"Write {name}=true, or leave it out.")
    return None if text is None else text == "true"


def _read_times(settings: Mapping[str, str], source: str) -> TimeControl | None:
    times = {name: _read_seconds(name, settings[name], source) for name in TIME_NAMES if name in settings}
    if not times:
        return None
    return TimeControl(times.get("time"), times.get("total"), times.get("increment") or 0.0)


def _read_seconds(name: str, text: str, source: str) -> float | None:
    if name == "time" and text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        problem = f"{source}: {name}={text[:40]} is not a number of seconds."
        raise UserError(problem, f"Write for example {name}=0.5.") from None
