"""Seats engines that are reached through pipes: a process each, which plays game after game.

Knows processes and who plays; no protocol's words and no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from gomogo_core.arena._building import environment
from gomogo_core.arena._farewells import Farewells, Place
from gomogo_core.catalogue import Agent
from gomogo_core.processes.process import Process
from gomogo_core.protocols._engine import Engine
from gomogo_core.protocols.engines import ENGINES

PATIENCE = 1.0  # seconds an engine has to leave after its last words: it has read the end of its input by then


@dataclass
class SeatedByPipes:
    """An engine at the table."""

    agent: Agent
    player: Engine

    @property
    def printed(self) -> str:
        """What it printed to its standard error, as far as that is known."""
        return self.player.printed


class ByPipes:
    """The engines of one arena."""

    def __init__(self, place: Place, farewells: Farewells) -> None:
        self._place, self._farewells = place, farewells
        self._kept: dict[Agent, list[Engine]] = {}

    def seat(self, agent: Agent, name: str, number: int) -> SeatedByPipes:
        """An engine that has played before, or a new one, with a folder of its own to run in."""
        waiting = self._kept.get(agent, [])
        if waiting:
            player = waiting.pop()
            player.name = name
            return SeatedByPipes(agent, player)
        folder = self._place.path / str(number) / name

        def launch() -> Process:
            folder.mkdir(parents=True, exist_ok=True)
            return Process(agent.words(name), folder, environment(), pipes=True)

        return SeatedByPipes(agent, ENGINES[agent.protocol](name, launch, agent.settings))

    def let_go(self, one: SeatedByPipes, *, void: bool, forfeited: bool) -> None:
        """Keep the engine for another game; one that lost by its own fault, or whose game broke off, begins anew.

        So does one that was thinking when another's fault ended the game: its answer would come in the next one.
        """
        player = one.player
        player.note = None
        if not void and not forfeited and not player.asked and player.death() is None:
            self._kept.setdefault(one.agent, []).append(player)
            return
        self._farewells.say(lambda: player.leave(0.0 if void else PATIENCE))

    def close(self) -> None:
        """Say goodbye to all, and end who stays."""
        for player in [player for several in self._kept.values() for player in several]:
            self._farewells.say(lambda player=player: player.leave(PATIENCE))  # type: ignore[misc]
        self._kept.clear()
