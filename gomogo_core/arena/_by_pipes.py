"""Seats engines that are reached through pipes: a process each, which plays game after game.

Knows processes and who plays; no protocol's words and no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from gomogo_core.arena._farewells import Farewells, Place
from gomogo_core.arena._holding import Hold
from gomogo_core.catalogue import Agent
from gomogo_core.processes.limits import Level
from gomogo_core.processes.process import Process
from gomogo_core.protocols._engine import Engine
from gomogo_core.protocols.engines import ENGINES

MOST_KEPT = 8  # engines that wait for another game: each is a process, perhaps a large one
PATIENCE = 1.0  # seconds an engine has to leave after its last words: it has read the end of its input by then


@dataclass
class SeatedByPipes:
    """An engine at the table."""

    agent: Agent
    hold: Hold
    player: Engine

    @property
    def printed(self) -> str:
        """What it printed to its standard error, as far as that is known."""
        return self.player.printed

    @property
    def remarks(self) -> tuple[str, ...]:
        """What it says of the game that has ended."""
        return self.player.remarks


class ByPipes:
    """The engines of one arena."""

    def __init__(self, place: Place, farewells: Farewells, level: Level) -> None:
        self._place, self._farewells, self._level = place, farewells, level
        self._kept: list[SeatedByPipes] = []  # who waits for another game, the latest last

    def seat(self, agent: Agent, name: str, number: int) -> SeatedByPipes:
        """An engine that has played before, or a new one, with a folder of its own to run in."""
        for one in reversed(self._kept):
            if one.agent == agent:
                self._kept.remove(one)
                one.player.name = name
                return one
        folder, hold = self._place.path / str(number) / name, Hold(agent, self._level)

        def launch() -> Process:
            folder.mkdir(parents=True, exist_ok=True)
            return self._place.noted(hold.start(agent.words(name), folder, pipes=True))

        return SeatedByPipes(agent, hold, ENGINES[agent.protocol](name, launch, agent.settings))

    def let_go(self, one: SeatedByPipes, *, void: bool, forfeited: bool) -> None:
        """Keep the engine for another game; one that lost by its own fault, or whose game broke off, begins anew.

        So does one that was thinking when another's fault ended the game: its answer would come in the next one. Where
        a person stopped the game, it goes on perhaps, with moves taken back, and its engine with it.
        """
        player = one.player
        player.note = None
        broken = (void and not player.stopped) or forfeited or player.asked or player.death() is not None
        if one.agent.keep and one.hold.keeps and not broken:
            self._kept.append(one)
            if len(self._kept) > MOST_KEPT:
                self._part(self._kept.pop(0), PATIENCE)
            return
        self._part(one, 0.0 if void else PATIENCE)

    def _part(self, one: SeatedByPipes, patience: float) -> None:
        self._farewells.say(lambda: self._see_off(one, patience))

    def _see_off(self, one: SeatedByPipes, patience: float) -> None:
        one.player.leave(patience)
        one.hold.close()

    def close(self) -> None:
        """Say goodbye to all, and end who stays."""
        for one in self._kept:
            self._part(one, PATIENCE)
        self._kept.clear()
