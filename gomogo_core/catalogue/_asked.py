"""What a spec may ask for any program, however that is reached: the arena sees to it, and the program need not know.

Knows the words of specs; no program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gomogo_core.errors import UserError
from gomogo_core.protocols.settings import NO_SETTINGS, Settings

HELD = ("memory_mb", "threads")  # that are kept to, or given room, by whoever starts the program
WORDS = ("name", "ponders", *HELD)


@dataclass(frozen=True)
class Asked:
    """name: what tables call it, empty where its own name will do. settings: only what any program can be held to."""

    name: str = ""
    ponders: bool | None = None
    settings: Settings = NO_SETTINGS

    @staticmethod
    def of(given: Mapping[str, str], where: str) -> Asked:
        """What is asked in words like memory_mb=200. Raises UserError for what cannot be read."""
        ponders = given.get("ponders")
        if ponders not in ("true", "false", None):
            raise UserError(
                f"{where}: ponders={ponders} is neither true nor false.", "Write ponders=true, or leave it out."
            )
        limits = {name: text for name, text in given.items() if name in HELD}
        return Asked(given.get("name", ""), None if ponders is None else ponders == "true", Settings.of(limits, where))
