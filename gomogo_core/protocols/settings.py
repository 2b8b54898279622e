"""A user's settings for one engine: limits of its search, its memory and its threads, and its own options.

Settings come from an agent's spec and from agent.toml. The protocols decide which settings they can send.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from gomogo_core.errors import UserError


@dataclass(frozen=True)
class Settings:
    """The settings of one engine. None means no limit.

    nodes, depth: the limits of each search. memory_mb: the memory in megabytes. threads: the number of threads.
    options: the names and values of the engine's own options.
    """

    nodes: int | None = None
    depth: int | None = None
    memory_mb: int | None = None
    threads: int | None = None
    options: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def parse(settings: Mapping[str, str], source: str) -> Settings:
        """Parse settings such as depth=5; unknown names are the engine's own options. Raises UserError.

        source: the place of the settings for error messages, such as a file and its table, or the option of a command.
        """
        limits = {
            name: _parse_whole_number(name, settings[name], source) for name in LIMIT_SETTINGS if name in settings
        }
        options = tuple((name, value) for name, value in settings.items() if name not in LIMIT_SETTINGS)
        for name, value in options:
            if not name or any(character.isspace() for character in name) or not value.isprintable():
                raise UserError(
                    f"{source}: {name!r} = {value!r} is not an option.", "Write NAME=VALUE, each on one line."
                )
        return Settings(**limits, options=options)

    @property
    def limits(self) -> dict[str, int]:
        """The limits that are set, by name, without the engine's own options."""
        return {name: value for name in LIMIT_SETTINGS if (value := getattr(self, name)) is not None}


NO_SETTINGS = Settings()
LIMIT_SETTINGS = tuple(field.name for field in fields(Settings) if field.name != "options")


def _parse_whole_number(name: str, text: str, source: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10**15:
        raise UserError(
            f"{source}: {name}={text} is not a whole number greater than 0.", f"Write for example {name}=4."
        )
    return int(text)
