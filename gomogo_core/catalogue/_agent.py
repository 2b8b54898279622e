"""The description of an agent, which the arena knows before it starts the agent's program.

The rest of the catalogue finds agents and fills in their descriptions. The module needs only the standard library.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.play.clock import TimeControl
from gomogo_core.protocols.settings import NO_SETTINGS, Settings

_LIBRARY_OF_EXTRA = {"engines": "numba", "neural": "onnxruntime"}


@dataclass(frozen=True)
class Agent:
    """A program on disk that plays.

    spec: the text that identifies the agent. name: the agent's name in tables and files, valid as a team's name.
    summary: a sentence about the agent. command: the words of the command line that starts it, with {team} for the
    team's name. folder: the folder of the program. games: the names of the games that the agent plays; empty for all
    games. protocol: the name of its protocol. says_ready: whether it reports that it is loaded; None if unknown.
    keeps_running: whether one process plays many games. build_command: the command that builds the program; empty for
    none. settings: the user's settings. owns_folder: whether all files in the folder belong to the agent. ponders:
    whether the agent also thinks out of turn. classic_pace: whether it relies on the slow turns of WPI's referee.
    fixed_team: the team's name that is built into its program; None if the arena chooses the name. own_time_control:
    the times that its spec sets, if any; see `time_control`. receives_clock: whether it is a Python function that
    receives a clock on each turn. needs_balanced_openings: whether the agent plays so well that random openings would
    decide its games; matches between such agents have balanced openings by default. engine_package: the package of the
    compiled engine that the agent uses, or empty; without the engine, the agent uses a weaker search. extra: the extra
    of Gomogo that the agent needs, or empty. numeric_option_values: the numeric options of a Python function; see
    `numeric_options`.
    """

    spec: str
    name: str
    summary: str
    command: tuple[str, ...]
    folder: Path
    games: tuple[str, ...] = ()
    protocol: str = "files"
    says_ready: bool | None = None
    keeps_running: bool = False
    build_command: str = ""
    settings: Settings = NO_SETTINGS
    owns_folder: bool = False
    ponders: bool = False
    classic_pace: bool = False
    fixed_team: str | None = None
    own_time_control: TimeControl | None = None
    receives_clock: bool = False
    needs_balanced_openings: bool = False
    engine_package: str = ""
    extra: str = ""
    numeric_option_values: tuple[tuple[str, int | float], ...] = ()

    def time_control(self, default: TimeControl) -> TimeControl:
        """Return the times that the agent's spec sets, with the grace period of `default`. If the spec sets no times,
        return `default`.
        """
        return default if self.own_time_control is None else replace(self.own_time_control, grace=default.grace)

    @property
    def is_human(self) -> bool:
        """Whether this is a human, not a program."""
        return self.protocol == "human"

    @property
    def uses_pipes(self) -> bool:
        """Whether the agent's program plays over its standard input and output."""
        return self.protocol not in ("files", "human")

    @property
    def is_built_in(self) -> bool:
        """Whether the agent comes with Gomogo."""
        return self.folder.is_relative_to(AGENTS_FOLDER)

    def plays(self, game: str) -> bool:
        """Return whether the agent plays the game of this name."""
        return not self.games or game in self.games

    @property
    def missing_extra(self) -> str:
        """The extra of Gomogo that the agent needs, if it is not installed; else empty."""
        library = _LIBRARY_OF_EXTRA.get(self.extra)
        return self.extra if library and find_spec(library) is None else ""

    def require_extra(self, name: str = "") -> None:
        """Raise UserError if the extra that the agent needs is not installed. name: the agent's name for a human."""
        if extra := self.missing_extra:
            raise UserError(
                f"{name or self.name} needs the extra {extra!r}, which is not installed.",
                f"Run: pip install 'gomogo[{extra}]'",
            )

    @property
    def core_count(self) -> int:
        """The number of cores that the agent uses in its turn: one for each thread in its settings."""
        return self.settings.threads or 1

    @property
    def numeric_options(self) -> dict[str, int | float]:
        """The agent's numeric options and their values. They are all such options of a Python function; for another
        program, they are the options in the settings.
        """
        values: dict[str, int | float] = {**self.settings.limits, **dict(self.numeric_option_values)}
        for name, text in self.settings.options:
            with suppress(ValueError):
                values[name] = int(text) if text.isdigit() else float(text)
        return values

    @property
    def knows_history(self) -> bool:
        """Whether the agent can start with moves on the board. Legacy programs cannot, because they read only the last
        move.
        """
        return self.says_ready is True

    def command_line(self, team: str) -> list[str]:
        """Return the words of the agent's command line for a team of this name."""
        return [word.replace("{team}", team).replace("{here}", str(self.folder)) for word in self.command]


def to_team_name(text: str) -> str:
    """Turn any text into a valid team name."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:36] or "agent"
