"""Seats agents that play by files: each gets a folder and a process. Some processes are kept for the next game.

The module uses processes, game folders and agents, and gives no verdict.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gomogo_core.arena import shutdown
from gomogo_core.arena.confinement import Confinement
from gomogo_core.arena.shutdown import ArenaFolder, BackgroundShutdown
from gomogo_core.catalogue import Agent
from gomogo_core.play.clock import CLASSIC_PACE
from gomogo_core.processes import disk_space
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.processes.process import Process
from gomogo_core.protocols.files import END_NOTICE_DELAY, FilesPlayer
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.lines import distinct_team_names

# the largest number of processes that wait for another game, since `gomogo tune` plays with hundreds of agents
MAX_WAITING_PROCESSES = 16


@dataclass
class SeatedFileAgent:
    """An agent in the current game. previous_folder: the folder of its last game, if its process has played before."""

    agent: Agent
    confinement: Confinement
    player: FilesPlayer
    game_folder: GameFolder
    previous_folder: GameFolder | None = None
    remarks: ClassVar[tuple[str, ...]] = ()  # no remarks: programs that play by files cannot comment on a finished game

    @property
    def output(self) -> str:
        """The output of the agent's program so far."""
        return self.player.process.output_text if self.player.process is not None else ""


@dataclass
class _WaitingProcess:
    """A process that waits in the folder of its last game for the next game. spec: the spec of its agent."""

    spec: str
    process: Process
    game_folder: GameFolder


class FileAgents:
    """The agents of one arena that play by files."""

    def __init__(self, folder: ArenaFolder, shutdowns: BackgroundShutdown, level: SandboxLevel) -> None:
        self._folder, self._shutdowns, self._sandbox_level = folder, shutdowns, level
        self._waiting_processes: list[_WaitingProcess] = []

    def seat(self, agent: Agent, names: Sequence[str], name: str, game_number: int) -> SeatedFileAgent:
        """Give the agent a folder for game `game_number`, and either a waiting process or a function that starts a
        process.

        names: the players of the game. name: the agent's name among them.
        """
        confinement = Confinement(agent, self._sandbox_level)
        team_aliases = {} if agent.fixed_team is None else _team_names_in_folder(names, name, agent.fixed_team)
        team_names = [team_aliases.get(player_name, player_name) for player_name in names]
        own_team = team_aliases.get(name, name)
        game_folder = GameFolder(
            self._folder.path / str(game_number) / name, team_names, owner=own_team, user=confinement.user
        )
        waiting_process = self._take_waiting_process(agent) if confinement.is_reusable else None

        def launch() -> Process:
            if waiting_process is not None:
                waiting_process.process.change_folder(game_folder.folder)
                waiting_process.game_folder.announce_next_game(str(game_folder.folder))
                return waiting_process.process
            return self._folder.record_process(confinement.start(agent.command_line(own_team), game_folder.folder))

        player = FilesPlayer(
            name,
            game_folder,
            launch,
            agent.says_ready,
            is_human=agent.is_human,
            is_sandboxed=confinement.level == "bwrap",
            team_aliases=team_aliases,
            turn_gap=CLASSIC_PACE if agent.classic_pace else 0.0,
            other_folders=[agent.folder],
        )
        previous_folder = None if waiting_process is None else waiting_process.game_folder
        return SeatedFileAgent(agent, confinement, player, game_folder, previous_folder)

    def _take_waiting_process(self, agent: Agent) -> _WaitingProcess | None:
        for waiting in [candidate for candidate in reversed(self._waiting_processes) if candidate.spec == agent.spec]:
            self._waiting_processes.remove(waiting)
            if waiting.process.exit_description() is None:
                return waiting
            waiting.process.end()
            self._remove_game_folder(waiting.game_folder)
        return None

    def release(self, seated: SeatedFileAgent, *, is_void: bool, has_forfeited: bool, continues: bool) -> None:
        """Keep the process for another game, or ask it to exit and end it after a timeout.

        continues: whether the same agents play on at once, after moves were taken back.
        """
        process, player = seated.player.process, seated.player
        seated.game_folder.close()
        if seated.previous_folder is not None:
            self._remove_game_folder(seated.previous_folder)
        if process is None:
            seated.confinement.close()
            self._remove_game_folder(seated.game_folder)
            return
        can_play_again = seated.agent.keeps_running and seated.confinement.is_reusable and player.says_ready
        is_kept = not is_void or (continues and player.is_idle)
        if can_play_again and is_kept and not has_forfeited and process.exit_description() is None:
            self._waiting_processes.append(_WaitingProcess(seated.agent.spec, process, seated.game_folder))
            if len(self._waiting_processes) > MAX_WAITING_PROCESSES:
                self._end_waiting_processes([self._waiting_processes.pop(0)])
            return
        # after an interrupted or void game, no program gets time to exit: Gomogo's own agents exit at once
        timeout = 0.0 if is_void else shutdown.EXIT_TIMEOUT + self._shutdowns.slack
        self._shutdowns.run(lambda: self._shut_down(seated, process, timeout))

    def _shut_down(self, seated: SeatedFileAgent, process: Process, timeout: float) -> None:
        if process.exit_description() is None and timeout:
            if not seated.player.says_ready:
                process.wait(END_NOTICE_DELAY)
            seated.player.announce_last_game()
            process.wait(timeout)
        process.end()
        self._remove_game_folder(seated.game_folder)

    def _remove_game_folder(self, game_folder: GameFolder) -> None:
        game_folder.close()
        if self._folder.keep_folder is None:
            with contextlib.suppress(OSError):  # remaining files are removed with the arena's folder
                disk_space.record_full_disk(game_folder.folder)
                game_folder.remove()
                game_folder.folder.parent.rmdir()

    def close(self) -> None:
        """Ask the processes that wait for another game to exit, and end the processes that do not exit."""
        waiting_processes, self._waiting_processes = self._waiting_processes, []
        self._end_waiting_processes(waiting_processes)

    def _end_waiting_processes(self, waiting_processes: Sequence[_WaitingProcess]) -> None:
        for waiting_process in waiting_processes:
            with contextlib.suppress(OSError):
                waiting_process.game_folder.announce_next_game("")
        for waiting_process in waiting_processes:
            waiting_process.process.wait(shutdown.EXIT_TIMEOUT + self._shutdowns.slack)
            waiting_process.process.end()
            self._remove_game_folder(waiting_process.game_folder)


def _team_names_in_folder(names: Sequence[str], name: str, team: str) -> dict[str, str]:
    """Return the team name of each player, as used in the folder of a program that has a fixed team name.

    name: the player whose program it is. team: the fixed name. Another player of that name gets a different team name.
    """
    other_players = [player for player in names if player != name]
    return dict(zip((name, *other_players), distinct_team_names([team, *other_players]), strict=True))
