"""Seats engines that play over pipes: each has a process, which plays game after game.

The module uses processes and agents, and gives no verdict. The protocol modules contain the commands.
"""

from __future__ import annotations

from dataclasses import dataclass

from gomogo_core.arena import shutdown
from gomogo_core.arena.confinement import Confinement
from gomogo_core.arena.shutdown import ArenaFolder, BackgroundShutdown
from gomogo_core.catalogue import Agent
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.processes.process import Process
from gomogo_core.protocols import engine_class_of
from gomogo_core.protocols.engine_client import Engine

MAX_WAITING_ENGINES = 8  # the most engines that wait for another game, because each is a process, perhaps a large one
EXIT_TIMEOUT = 1.0  # seconds in which an engine that has not forfeited must exit after the end of its input


@dataclass
class SeatedPipeAgent:
    """An engine in the current game."""

    agent: Agent
    confinement: Confinement
    player: Engine

    @property
    def output(self) -> str:
        """The engine's output on standard error so far."""
        return self.player.output

    @property
    def remarks(self) -> tuple[str, ...]:
        """The engine's remarks about the finished game."""
        return self.player.remarks


class PipeAgents:
    """The engines of one arena."""

    def __init__(self, folder: ArenaFolder, shutdowns: BackgroundShutdown, level: SandboxLevel) -> None:
        self._folder, self._shutdowns, self._sandbox_level = folder, shutdowns, level
        self._waiting_engines: list[SeatedPipeAgent] = []  # engines that wait for another game, the latest last

    def seat(self, agent: Agent, name: str, game_number: int) -> SeatedPipeAgent:
        """Return an engine that waits for another game, or a new engine with a folder of its own.

        game_number: the number of the game.
        """
        for waiting_engine in reversed(self._waiting_engines):
            if waiting_engine.agent == agent:
                self._waiting_engines.remove(waiting_engine)
                waiting_engine.player.name = name
                return waiting_engine
        folder, confinement = self._folder.path / str(game_number) / name, Confinement(agent, self._sandbox_level)

        def launch() -> Process:
            folder.mkdir(parents=True, exist_ok=True)
            return self._folder.record_process(confinement.start(agent.command_line(name), folder, pipes=True))

        return SeatedPipeAgent(agent, confinement, engine_class_of(agent.protocol)(name, launch, agent.settings))

    def release(self, seated: SeatedPipeAgent, *, is_void: bool, has_forfeited: bool) -> None:
        """Keep the engine for another game. If it forfeited, or its game was interrupted, end it instead.

        An engine that was thinking when another player's fault ended the game is also ended, because its answer would
        arrive in the next game. If a human stopped the game, keep the engine, because the human may take moves back and
        continue.
        """
        player = seated.player
        player.log_line = None
        is_unusable = has_forfeited or player.is_answer_pending or (is_void and not player.was_interrupted)
        is_unusable = is_unusable or player.exit_failure() is not None
        if seated.agent.keeps_running and seated.confinement.is_reusable and not is_unusable:
            self._waiting_engines.append(seated)
            if len(self._waiting_engines) > MAX_WAITING_ENGINES:
                self._shut_down_later(self._waiting_engines.pop(0), EXIT_TIMEOUT)
            return
        # a late engine may continue to compute, like a program that plays by files, so that `overtime` can watch it
        self._shut_down_later(seated, 0.0 if is_void else shutdown.EXIT_TIMEOUT if has_forfeited else EXIT_TIMEOUT)

    def _shut_down_later(self, seated: SeatedPipeAgent, timeout: float) -> None:
        self._shutdowns.run(lambda: self._shut_down(seated, timeout))

    def _shut_down(self, seated: SeatedPipeAgent, timeout: float) -> None:
        seated.player.shut_down(timeout and timeout + self._shutdowns.slack)
        seated.confinement.close()

    def close(self) -> None:
        """Ask all kept engines to exit, and end the engines that do not exit."""
        for waiting_engine in self._waiting_engines:
            self._shut_down_later(waiting_engine, EXIT_TIMEOUT)
        self._waiting_engines.clear()
