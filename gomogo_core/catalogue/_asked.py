"""What a spec may ask for any program, however that is reached: the arena sees to it, and the program need not know.

Knows the words of specs; no program.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from gomogo_core.errors import UserError
from gomogo_core.play.clock import TimeControl
from gomogo_core.protocols.settings import NO_SETTINGS, Settings

HELD = ("memory_mb", "threads")  # that are kept to, or given room, by whoever starts the program
TIMES = ("time", "total", "increment")
UNTOLD = ("name", "ponders", *TIMES)  # that are nothing to the program itself, whichever protocol it speaks
WORDS = (*UNTOLD, *HELD)


def shown(given: Mapping[str, str], own: Container[str] = ()) -> list[str]:
    """The settings as a name tells them, `depth-3`. own: those that are the program's, whatever they are called."""
    return [f"{name}-{value}" for name, value in given.items() if name in own or name not in ("name", "ponders")]


@dataclass(frozen=True)
class Asked:
    """name: what tables call it, empty where its own name will do. settings: only what any program can be held to.

    control: its own times, or None where it has those of all.
    """

    name: str = ""
    ponders: bool | None = None
    settings: Settings = NO_SETTINGS
    control: TimeControl | None = None

    @staticmethod
    def of(given: Mapping[str, str], where: str) -> Asked:
        """What is asked in words like memory_mb=200. Raises UserError for what cannot be read."""
        ponders = given.get("ponders")
        if ponders not in ("true", "false", None):
            raise UserError(
                f"{where}: ponders={ponders} is neither true nor false.", "Write ponders=true, or leave it out."
            )
        limits = {name: text for name, text in given.items() if name in HELD}
        return Asked(
            given.get("name", ""),
            None if ponders is None else ponders == "true",
            Settings.of(limits, where),
            _control(given, where),
        )


def _control(given: Mapping[str, str], where: str) -> TimeControl | None:
    told = {name: _seconds(name, given[name], where) for name in TIMES if name in given}
    if not told:
        return None
    return TimeControl(told.get("time"), told.get("total"), told.get("increment") or 0.0)


def _seconds(name: str, text: str, where: str) -> float | None:
    if name == "time" and text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{where}: {name}={text[:40]} is no number of seconds.", f"Write it like {name}=0.5.") from None
