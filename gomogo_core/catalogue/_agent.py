"""What is known of an agent before it is started.

Knows where the house's agents lie; not how any is found. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from gomogo_core.play.clock import TimeControl
from gomogo_core.protocols.settings import NO_SETTINGS, Settings

HOUSE = Path(__file__).resolve().parent.parent.parent / "agents"


@dataclass(frozen=True)
class Agent:
    """A program on disk that plays.

    spec: its identity. name: what tables and files call it, fit for a team's name. about: a sentence. games: names of
    those it plays, none for all. command: its words, with {team} for the team's name. folder: where it lies.
    says_ready: it tells when it is loaded; None where only running it would show. keep: one process plays many games.
    settings: what the user asks of it. owns_folder: all that lies in its folder is its own. ponders: it thinks while it
    is not its turn too. control: the times that its spec gives it, if any; `under` says what holds.
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
    control: TimeControl | None = None

    def under(self, usual: TimeControl) -> TimeControl:
        """Its own times where its spec gives any, else the usual ones. The grace is the same for all."""
        return usual if self.control is None else replace(self.control, grace=usual.grace)

    @property
    def house(self) -> bool:
        """Whether it is one of the house's."""
        return self.folder.is_relative_to(HOUSE)

    def plays(self, game: str) -> bool:
        """Whether it plays the game of this name."""
        return not self.games or game in self.games

    @property
    def cores(self) -> int:
        """How many cores it keeps busy on its turn: as many as the threads that it is told to use."""
        return self.settings.threads or 1

    @property
    def knows_history(self) -> bool:
        """Whether it can be told of moves made before it came: a program of old sees only the last one."""
        return self.says_ready is True

    def words(self, team: str) -> list[str]:
        """Its command line for a team of this name."""
        return [word.replace("{team}", team).replace("{here}", str(self.folder)) for word in self.command]


def fit_name(text: str) -> str:
    """A team's name made of any text."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:36] or "agent"
