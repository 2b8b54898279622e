"""The description of an agent: the facts that the arena knows before it starts the program.

Uses the folder of the built-in agents; the catalogue finds agents. Standard library only.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.play.clock import TimeControl
from gomogo_core.protocols.settings import NO_SETTINGS, Settings


@dataclass(frozen=True)
class Agent:
    """A program on disk that plays.

    spec: its identity. name: its name in tables and files, valid as a team's name. about: a sentence. games: names of
    the games that it plays, empty for all. command: its words, with {team} for the team's name. folder: the folder of
    the program. says_ready: whether it reports when it is loaded; None if unknown before a run. keep: whether one
    process plays many games. settings: the user's settings. owns_folder: whether all files in its folder belong to it.
    ponders: whether it also thinks out of turn. classic_pace: whether it relies on the slow turns of WPI's referee.
    team: the team's name that is built into its program; None if the program learns its name. control: the times that
    its spec sets, if any; see `under`. has_clock: whether it is a Python function that receives a clock on each turn.
    is_engine: whether it plays so well that random openings would decide its games; matches between engines have
    balanced openings by default. values: the numeric options of a Python function; see `numeric_options`.
    """

    spec: str
    name: str
    about: str
    command: tuple[str, ...]
    folder: Path
    games: tuple[str, ...] = ()
    protocol: str = "files"
    says_ready: bool | None = None
    keep: bool = False
    build: str = ""
    settings: Settings = NO_SETTINGS
    owns_folder: bool = False
    ponders: bool = False
    classic_pace: bool = False
    team: str | None = None
    control: TimeControl | None = None
    has_clock: bool = False
    is_engine: bool = False
    values: tuple[tuple[str, int | float], ...] = ()

    def time_control(self, usual: TimeControl) -> TimeControl:
        """Return the agent's own times if its spec sets any, else the usual times. All agents have the same grace
        period.
        """
        return usual if self.control is None else replace(self.control, grace=usual.grace)

    @property
    def is_human(self) -> bool:
        """Whether the player is a human, not a program."""
        return self.protocol == "human"

    @property
    def by_pipes(self) -> bool:
        """Whether its program plays over its standard input and output."""
        return self.protocol not in ("files", "human")

    @property
    def built_in(self) -> bool:
        """Whether it comes with Gomogo."""
        return self.folder.is_relative_to(AGENTS_FOLDER)

    def plays(self, game: str) -> bool:
        """Return whether it plays the game of this name."""
        return not self.games or game in self.games

    @property
    def cores(self) -> int:
        """The number of cores that it uses on its turn: one for each thread in its settings."""
        return self.settings.threads or 1

    @property
    def numeric_options(self) -> dict[str, int | float]:
        """The numeric options of the agent with their values: all options of its function, else those that the user
        set.
        """
        found: dict[str, int | float] = {**self.settings.limits, **dict(self.values)}
        for name, text in self.settings.options:
            with suppress(ValueError):
                found[name] = int(text) if text.isdigit() else float(text)
        return found

    @property
    def knows_history(self) -> bool:
        """Whether it can start from a position with moves on the board: a legacy program reads only the last move."""
        return self.says_ready is True

    def words(self, team: str) -> list[str]:
        """Return its command line for a team of this name."""
        return [word.replace("{team}", team).replace("{here}", str(self.folder)) for word in self.command]


def fit_name(text: str) -> str:
    """Return a valid team name made from any text."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:36] or "agent"
