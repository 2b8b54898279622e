"""Plays one game at a time between agents: starts a process for each, plays, and cleans up.

The arena starts the programs of agents; the game loop gives the verdicts. The package needs only the standard library.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from gomogo_core.arena._file_agents import FileAgents, SeatedFileAgent
from gomogo_core.arena.build import BUILD_TIMEOUT, BuildResult, build_agent, child_environment, run_build_command
from gomogo_core.arena.confinement import Confinement, prepare_agent, record_agent_as_prepared
from gomogo_core.arena.shutdown import EXIT_TIMEOUT, ArenaFolder, BackgroundShutdown
from gomogo_core.cancellation import GameCancelled, shielded
from gomogo_core.catalogue import Agent, check_agents
from gomogo_core.games.base import Game, Outcome, Reason, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import CLASSIC_PACE, TimeControl
from gomogo_core.play.events import GameSetup, Listener, Ply
from gomogo_core.play.game_loop import play_game
from gomogo_core.play.player import Player, SoloPlayer
from gomogo_core.play.time_guard import Disturbance, TimeGuard
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.processes.suspend import Heartbeat
from gomogo_core.protocols.conversation_log import ConversationLog
from gomogo_core.records.game_record import PlayedGame, Recorder
from gomogo_core.wire.lines import distinct_team_names

if TYPE_CHECKING:
    from gomogo_core.arena._pipe_agents import PipeAgents, SeatedPipeAgent
    from gomogo_core.processes.process import Process

_IGNORED_CPU_OUT_OF_TURN = 0.02  # seconds of CPU time out of turn that the referee ignores
# A program that uses this many seconds of CPU time out of turn loses the game if its opponent was late.
_GRAVE_CPU_OUT_OF_TURN = 1.0
_GRAVE_CPU_WHILE_LOADING = 3 * _GRAVE_CPU_OUT_OF_TURN  # the same limit for a program that may still be loading

_SeatedAgent: TypeAlias = "SeatedFileAgent | SeatedPipeAgent"

__all__ = [
    "BUILD_TIMEOUT",
    "EXIT_TIMEOUT",
    "Arena",
    "BuildResult",
    "Confinement",
    "build_agent",
    "child_environment",
    "distinct_team_names",
    "prepare_agent",
    "record_agent_as_prepared",
    "run_build_command",
]


class Arena:
    """Plays games one after another. As a context manager, it ends every process that it has started.

    keep_folder: a folder that keeps the game folders and the logs of the games; by default the game folders are in
    memory and are removed after the game. sandbox: the sandbox level of the agents' programs; at "bwrap" each game has
    new, isolated processes. capture_output: whether to add the programs' output to the record of every game, as in
    games with a log. slack: additional seconds in which programs may exit, for a busy machine. An arena is not
    thread-safe: each thread needs an arena of its own.
    """

    def __init__(
        self,
        keep_folder: Path | None = None,
        sandbox: SandboxLevel = DEFAULT_SANDBOX,
        *,
        capture_output: bool = False,
        slack: float = 0.0,
    ) -> None:
        self._game_numbers, self._sandbox_level = itertools.count(1), sandbox
        self._folder, self._shutdowns = ArenaFolder(keep_folder), BackgroundShutdown(slack)
        self._heartbeat = Heartbeat()
        # by process: the CPU time out of turn
        self._total_cpu_out_of_turn: WeakKeyDictionary[Process, float] = WeakKeyDictionary()
        self._logged_output: WeakKeyDictionary[Process, str] = WeakKeyDictionary()  # the output in earlier logs
        self._file_agents = FileAgents(self._folder, self._shutdowns, sandbox)
        self._captures_output = capture_output
        self._single_agent: _SeatedAgent | None = None  # the agent that `seat_agent` seated
        self._seated_agents: dict[Seat, _SeatedAgent] = {}
        self._pipe_agents: PipeAgents | None = None  # created for the first engine; agents that play by files need none

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        """The folder of the arena's games."""
        return self._folder.path

    @staticmethod
    def names(agents: Sequence[Agent]) -> tuple[str, ...]:
        """Return the distinct names of the players in a game between these agents, by seat."""
        return distinct_team_names([agent.name for agent in agents])

    def play(
        self,
        game: Game,
        agents: Sequence[Agent],
        controls: Sequence[TimeControl],
        *,
        opening: Sequence[Ply] = (),
        seed: int | None = None,
        listeners: Sequence[Listener] = (),
        retry_illegal: bool = False,
        pace: float = 0.0,
        players: Mapping[Seat, Player] | None = None,
        adjudication: Adjudication | None = None,
        log: Path | None = None,
    ) -> PlayedGame:
        """Play one game and return its record, even if the game is void.

        agents, controls: the agents and their time controls, by seat. players: players that replace the agent's process
        in a seat, such as a human. pace: the minimum number of seconds between two turns; an agent's `classic_pace` may
        require more. adjudication: the conditions that end a game before its rules do. log: a file to which every line
        to and from the agents is appended, and then their other output; by default a file in the folder that is kept.
        Raises UserError if an agent cannot play. Re-raises an interrupt after it has released every player.
        """
        players_by_seat = players or {}
        check_agents(game, agents, bool(opening))
        names = self.names(agents)
        setup = GameSetup(game, names, tuple(controls), tuple(opening), seed)
        recorder = Recorder(setup, tuple(agent.spec for agent in agents), self._sandbox_level)
        seated_agents = self._seated_agents = dict[Seat, _SeatedAgent]()
        game_number = next(self._game_numbers)
        if log is None and self._folder.keep_folder is not None:
            log = self._folder.path / str(game_number) / "conversation.log"
        conversation_log = ConversationLog(log) if log is not None else None
        has_human = bool(players_by_seat) or any(agent.is_human for agent in agents)
        continues = False
        suspended_before, starved_before = self._heartbeat.suspended_seconds(), self._heartbeat.starved_seconds
        try:
            for seat, agent in enumerate(agents, 1):
                if seat not in players_by_seat:
                    seated_agents[seat] = self._seat(agent, names, seat, game_number)
                    seated_agents[seat].player.log_line = (
                        conversation_log.logger_for(names[seat - 1]) if conversation_log is not None else None
                    )
            all_players = [
                players_by_seat[seat_number] if seat_number in players_by_seat else seated_agents[seat_number].player
                for seat_number in range(1, len(agents) + 1)
            ]
            play_game(
                setup,
                all_players,
                (recorder, *listeners),
                retry_illegal=retry_illegal,
                pace=max([pace, *(CLASSIC_PACE for agent in agents if agent.classic_pace)]),
                adjudication=adjudication,
                guard=TimeGuard(
                    lambda: self._heartbeat.suspended_seconds() - suspended_before,
                    allows_suspension=has_human,
                    starved_seconds=lambda: self._heartbeat.starved_seconds - starved_before,
                    find_disturbance=self._largest_disturbance,
                ),
            )
        except GameCancelled as cancellation:
            continues = cancellation.continues
            raise
        finally:
            remarks = [(seat, remark) for seat, seated in seated_agents.items() for remark in seated.remarks]
            cpu_by_seat = {
                seat: self._cpu_seconds_out_of_turn(seated, remarks, seat) for seat, seated in seated_agents.items()
            }
            with shielded():
                outputs_by_seat = self._release_players(
                    seated_agents, recorder.played_game, conversation_log, continues=continues
                )
            if conversation_log is not None:
                conversation_log.close()
        outputs = tuple(outputs_by_seat.get(seat, "") for seat in range(1, len(agents) + 1))
        cpu_out_of_turn = tuple(cpu_by_seat.get(seat, 0.0) for seat in range(1, len(agents) + 1))
        return recorder.with_outputs(outputs, remarks, cpu_out_of_turn if any(cpu_out_of_turn) else ())

    def _cpu_seconds_out_of_turn(self, seated: _SeatedAgent, remarks: list[tuple[Seat, str]], seat: Seat) -> float:
        """Return the seconds of CPU time that a program used out of turn in this game.

        If the arena stopped the program for this reason, append a remark to `remarks`.
        """
        if (process := seated.player.process) is None:
            return 0.0
        cpu = process.cpu_out_of_turn()
        used_seconds = round(cpu.cpu_since_start - self._total_cpu_out_of_turn.get(process, 0.0), 4)
        self._total_cpu_out_of_turn[process] = cpu.cpu_since_start
        if cpu.is_stopped and not seated.agent.ponders:
            remarks.append(
                (seat, f"used {used_seconds:.2f} s of CPU time out of turn: it is stopped while others move")
            )
        return used_seconds

    def _release_players(
        self,
        seated_agents: Mapping[Seat, _SeatedAgent],
        played_game: PlayedGame | None,
        conversation_log: ConversationLog | None,
        *,
        continues: bool,
    ) -> dict[Seat, str]:
        """Release every player after a game, and return the known output of each.

        conversation_log: the log of the game, or None. continues: whether the same agents play on at once.
        """
        outputs_by_seat = dict[Seat, str]()
        for seat, seated_agent in seated_agents.items():
            is_void = played_game is None or played_game.outcome.is_void
            has_forfeited = played_game is not None and seat in played_game.forfeits
            captures_output = has_forfeited or self._captures_output or conversation_log is not None
            if captures_output and (process := seated_agent.player.process) is not None:
                process.capture_output()
                if conversation_log is not None:
                    self._log_output(process, conversation_log.logger_for(seated_agent.player.name))
            outputs_by_seat[seat] = seated_agent.output
            self._release_seat(seated_agent, is_void=is_void, has_forfeited=has_forfeited, continues=continues)
        return outputs_by_seat

    def _log_output(self, process: Process, log_line: Callable[[str, str], None]) -> None:
        """Log the output that a program has printed in this game. A program may play several games."""
        text = process.output_text
        for line in text.removeprefix(self._logged_output.get(process, "")).splitlines():
            log_line("!", line)
        self._logged_output[process] = text

    def process_ids(self) -> dict[Seat, int]:
        """Return the id of each player's root process in the current game. A listener may call this method."""
        return {
            seat: seated_agent.player.process.pid
            for seat, seated_agent in self._seated_agents.items()
            if seated_agent.player.process is not None
        }

    def cpu_before_turn(self, seat: Seat) -> float | None:
        """Return an upper bound of the seconds of CPU time that a seat's program used before its last turn, or None.

        A listener may call this method.
        """
        process = self._seated_agents[seat].player.process if seat in self._seated_agents else None
        return None if process is None else process.cpu_before_turn()

    def _largest_disturbance(self, seat: Seat) -> Disturbance | None:
        """Return the largest use of CPU time by another program in this turn, except by programs that may ponder."""
        largest: Disturbance | None = None
        for other_seat, seated_agent in self._seated_agents.items():
            process = seated_agent.player.process
            if other_seat == seat or process is None or seated_agent.agent.ponders:
                continue
            cpu_seconds, seconds, _, is_loading, is_stopped = process.cpu_out_of_turn(measure_now=True)
            if (
                cpu_seconds > _IGNORED_CPU_OUT_OF_TURN
                and (is_stopped or is_loading)
                and (largest is None or cpu_seconds > largest.seconds)
            ):
                cpu_text = f"used {cpu_seconds:.2f} s of CPU time in the {seconds:.2f} s since its own turn"
                is_grave = cpu_seconds > max(
                    _GRAVE_CPU_WHILE_LOADING if is_loading else _GRAVE_CPU_OUT_OF_TURN, seconds / 2
                )
                largest = Disturbance(other_seat, cpu_seconds, f"{seated_agent.player.name} {cpu_text}", is_grave)
        return largest

    def seat_agent(self, agent: Agent, setup: GameSetup, seat: Seat) -> SoloPlayer:
        """Seat a single agent, to ask it for moves without a game loop. Only one agent can be seated at a time.

        Raises UserError if the agent cannot play. `release_agent` releases the agent.
        """
        # the referee sends only one move to a legacy agent, so it cannot know a longer opening
        check_agents(setup.game, [agent] * setup.game.seats, len(setup.opening) > 1)
        self._single_agent = self._seat(agent, setup.names, seat, next(self._game_numbers))
        self._single_agent.player.start(setup, seat)
        return self._single_agent.player

    def release_agent(self) -> str:
        """Release the agent that `seat_agent` seated, if any, and return its output."""
        if self._single_agent is None:
            return ""
        seated_agent, self._single_agent = self._single_agent, None
        seated_agent.player.finish(Outcome((0, 0), Reason.INTERRUPTED, "the game was interrupted"))
        if seated_agent.player.process is not None:
            seated_agent.player.process.capture_output()
        output = seated_agent.output
        self._release_seat(seated_agent, is_void=False, has_forfeited=False)
        return output

    def _seat(self, agent: Agent, names: tuple[str, ...], seat: Seat, game_number: int) -> _SeatedAgent:
        name = names[seat - 1]
        if agent.uses_pipes:
            if self._pipe_agents is None:
                from gomogo_core.arena._pipe_agents import PipeAgents

                self._pipe_agents = PipeAgents(self._folder, self._shutdowns, self._sandbox_level)
            return self._pipe_agents.seat(agent, name, game_number)
        return self._file_agents.seat(agent, names, name, game_number)

    def _release_seat(
        self, seated: _SeatedAgent, *, is_void: bool, has_forfeited: bool, continues: bool = False
    ) -> None:
        if isinstance(seated, SeatedFileAgent):
            self._file_agents.release(seated, is_void=is_void, has_forfeited=has_forfeited, continues=continues)
        elif self._pipe_agents is not None:
            self._pipe_agents.release(seated, is_void=is_void, has_forfeited=has_forfeited)

    def close(self) -> None:
        """Ask every program to exit, end the programs that do not exit, and remove the folders."""
        with shielded():
            self._file_agents.close()
            if self._pipe_agents is not None:
                self._pipe_agents.close()
            self._shutdowns.join()
        self._folder.close()
        self._heartbeat.close()
