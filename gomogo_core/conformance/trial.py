"""Plays one agent in one game against scripted opponents in an arena, and describes its faults.

The module uses arenas and records. The checks define the situations to test, and the expected behaviour.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from gomogo_core.arena import Arena
from gomogo_core.arena.conditions import ConditionsMeter, core_wait_sentence
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.opponents import Script, ScriptedOpponent
from gomogo_core.conformance.variants import variant_text, with_board_size_of, wpi_game
from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Game, Reason, Seat
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.play.events import Event, Listener, Moved, Ply, Started
from gomogo_core.play.player import Player, Turn
from gomogo_core.processes import cores
from gomogo_core.processes.cpu_times import process_tree_times
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.processes.process import Process
from gomogo_core.protocols import protocols_by_name
from gomogo_core.protocols.engine_client import Engine
from gomogo_core.protocols.files import START_LIMIT, START_PAUSE, FilesPlayer
from gomogo_core.records.game_record import PlayedGame

WPI_LIMIT = 10.0  # seconds per move for a program that cannot read its limit
_OPPONENT_AGENT = Agent("conformance:opponent", "opponent", "plays by a script", (), Path(), says_ready=True)
_SIZE_REFUSAL = re.compile(r"answered START \d+ by '|refused 'boardsize")  # it refused RECTSTART after START
_CHECK_INTERVAL = 0.05  # seconds between two checks whether a program is loaded
_SHOWN_OUTPUT_LINE_COUNT = 12  # lines of the program's output that are shown with a fault


class CheckFailed(Exception):
    """Raised if the agent fails a check.

    behaviour: a sentence about the agent's behaviour. expected: a sentence about the expected behaviour. output: the
    output of the program, of which only the end is kept. doubt: the reason why the failure may be the machine's fault,
    or empty.
    """

    def __init__(self, behaviour: str, expected: str, output: str = "", doubt: str = "") -> None:
        super().__init__(behaviour, expected)
        self.behaviour, self.expected, self.doubt = behaviour, expected, doubt
        self.output = "\n".join(output.rstrip().splitlines()[-_SHOWN_OUTPUT_LINE_COUNT:])


class NotApplicable(Exception):
    """Raised if the check does not apply to this agent. The message is the reason."""


@dataclass
class Trial:
    """The checks of an agent in one game. As a context manager, a trial ends all processes.

    keep_folder: a folder in which the game folders are kept. sandbox: the sandbox level of the agent's program. slack:
    the additional seconds that a repeated check allows after each limit, because the machine may be busy. A repeated
    check counts only the time in which the program had a core. made_no_move: whether the agent has failed to make a
    move in the usual game. is_too_slow: whether a check with more time has failed, so that a further repetition would
    show nothing new. board_game: a game with the size of the board for the checks; None for the default size of each
    game.
    """

    agent: Agent
    game_name: str
    keep_folder: Path | None = None
    sandbox: SandboxLevel = DEFAULT_SANDBOX
    slack: float = 0.0
    made_no_move: bool = False
    is_too_slow: bool = False
    board_game: Game | None = None
    _exit_stack: ExitStack = field(default_factory=ExitStack)
    _arena: Arena | None = None

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, *_: object) -> None:
        self._exit_stack.close()

    def begin_check(self, check_name: str, slack: float = 0.0) -> None:
        """Open a new arena for the next check, because the program in the last arena may still be exiting."""
        suffix = "-again" if slack else ""
        folder = None if self.keep_folder is None else self.keep_folder / f"{self.game_name}-{check_name}{suffix}"
        self.slack = slack
        self._arena = self._exit_stack.enter_context(Arena(folder, self.sandbox, slack=slack))

    @property
    def folder(self) -> Path:
        """The folder for a program in a dialogue without a game."""
        return self.arena.folder / "dialogue"

    @property
    def arena(self) -> Arena:
        """The arena of the current check."""
        assert self._arena is not None
        return self._arena

    @cached_property
    def learns_settings(self) -> bool:
        """Whether the agent learns the game, its options and limits.

        Programs that read `game.json` report when they are ready. If the agent's description does not say whether it
        does so, the trial finds out by a game that the opponent resigns immediately.
        """
        if self.agent.says_ready is not None:
            return self.agent.says_ready
        loaded_states = list[bool]()

        def resign(turn: Turn) -> str:
            loaded_states.extend(_says_ready(player) for player in turn.opponents if isinstance(player, FilesPlayer))
            return RESIGN

        opponent = ScriptedOpponent(resign)
        self.play(wpi_game() if self.game_name == "gomoku" else load(self.game_name), 2, lambda _: opponent)
        return any(loaded_states)

    @property
    def default_game(self) -> Game:
        """The game with its default options, on the board of `board_game` if there is one."""
        game = wpi_game() if self.game_name == "gomoku" and not self.learns_settings else load(self.game_name)
        return game if self.board_game is None else with_board_size_of(game, self.board_game)

    def time_control_for(self, seconds: float) -> TimeControl:
        """Return a time control with a limit per move. A program that cannot read the limit gets the 10 s that it
        assumes.
        """
        if protocols_by_name()[self.agent.protocol].counts_whole_seconds:
            seconds = math.ceil(seconds)
        return TimeControl(seconds if self.learns_settings else WPI_LIMIT)

    def require_settings(self, reason: str) -> None:
        """Raise NotApplicable if the agent does not learn the game, its options and limits.

        reason: the facts that the agent cannot know, as a phrase for the message.
        """
        if not self.learns_settings:
            raise NotApplicable(f"it does not report that it is ready, so it cannot know {reason}")

    def play(
        self,
        game: Game,
        seat: Seat,
        opponent_for: Callable[[Seat], ScriptedOpponent],
        control: TimeControl | None = None,
        opening: Sequence[Ply] = (),
    ) -> PlayedGame:
        """Play one game with the agent in `seat`, and with the results of `opponent_for` in all other seats.

        Raises CheckFailed if the agent forfeits or the game is void, and NotApplicable if the agent refuses an unusual
        board, as its protocol allows.
        """
        opponents: dict[Seat, Player] = {
            other_seat: opponent_for(other_seat) for other_seat in range(1, game.seats + 1) if other_seat != seat
        }
        agents, controls = [_OPPONENT_AGENT] * game.seats, [NO_LIMIT] * game.seats
        time_control = TimeControl(WPI_LIMIT) if control is None else control
        agents[seat - 1] = self.agent
        controls[seat - 1] = replace(time_control, grace=time_control.grace + self.slack)
        meter, wait_meter = ConditionsMeter(self.arena, cores.allowed_cores()), _CoreWaitMeter(self.arena, seat)
        listeners: list[Listener] = [meter, *([wait_meter] if self.slack else [])]
        played_game = self.arena.play(
            game, agents, controls, opening=opening, seed=seat, players=opponents, listeners=listeners
        )
        played_game = meter.add_conditions(played_game)
        if (fault := _fault_of_agent(played_game, seat)) is not None:
            reason, evidence = fault
            if _SIZE_REFUSAL.match(evidence) and _board_size(game) != _board_size(self.default_game):
                raise NotApplicable(f"it refuses boards of other sizes, as its protocol allows: it {evidence}")
            fault_clause = _BEHAVIOUR_BY_REASON.get(reason, "the game could not be played")
            if reason is Reason.CRASHED and self.agent.uses_pipes:
                fault_clause = "it could not continue"  # the program may still run after it refused a command
            behaviour = f"{_moment_text(played_game, seat)}, {fault_clause}: {evidence}."
            self.made_no_move |= game == self.default_game and not moves_of(played_game, seat)
            expected = _expected_behaviour(reason, time_control, self.agent)
            raise CheckFailed(behaviour, expected, played_game.outputs[seat - 1], played_game.doubtful)
        if self.slack and (lateness := wait_meter.lateness(played_game, time_control)):
            behaviour = f"{game_and_seat_text(game, seat)}, it ran out of time: {lateness}."
            expected = _expected_behaviour(Reason.OUT_OF_TIME, time_control, self.agent)
            raise CheckFailed(behaviour, expected, played_game.outputs[seat - 1])
        return played_game

    def play_all_seats(
        self, game: Game, script_for: Callable[[Seat], Script], control: TimeControl
    ) -> list[PlayedGame]:
        """Play one game with the agent in each seat.

        script_for: a function that returns the script of the opponent in a seat.
        """
        return [
            self.play(game, seat, lambda other_seat: ScriptedOpponent(script_for(other_seat)), control)
            for seat in range(1, game.seats + 1)
        ]

    def play_and_exit(self, opponent: ScriptedOpponent, control: TimeControl) -> Process:
        """Play a game with the agent in the first seat, let the agent exit, and return its ended process."""
        self.play(self.default_game, 1, lambda other_seat: opponent, control)
        process = processes_of(opponent.opponents)[0]  # a closed arena has no processes of engines
        self.arena.close()
        return process


def _says_ready(player: FilesPlayer) -> bool:
    """Return whether a program reports that it is loaded.

    On a busy machine, the program gets as much more time to load as it has waited for a core.
    """
    began_at, process = time.monotonic(), player.process
    deadline = began_at + START_LIMIT
    while process is not None and player.game_folder.ready_pid(player.name) is None and time.monotonic() < deadline:
        waited = process_tree_times(process.pid).waited
        if process.exit_description() or waited is None or not core_wait_sentence(waited, START_PAUSE):
            return False
        if time.monotonic() - began_at >= waited:
            return False
        time.sleep(_CHECK_INTERVAL)
    return player.game_folder.ready_pid(player.name) is not None


class _CoreWaitMeter:
    """A listener that measures how long the program of a seat waited for a core, in each of its moves."""

    def __init__(self, arena: Arena, seat: Seat) -> None:
        self._arena, self._seat = arena, seat
        self._wait_before_turn, self._core_waits = 0.0, list[float]()

    def __call__(self, event: Event) -> None:
        """Read the system's counters of the wait for a core, at the start and the end of each turn."""
        if isinstance(event, Started | Moved):
            process = self._arena.process_ids().get(self._seat)
            core_wait = (process_tree_times(process).waited if process is not None else None) or 0.0
            if isinstance(event, Moved) and event.seat == self._seat:
                self._core_waits.append(max(0.0, core_wait - self._wait_before_turn))
            self._wait_before_turn = core_wait

    def lateness(self, played_game: PlayedGame, control: TimeControl) -> str:
        """Return a clause if the time in which the program had a core exceeded a limit, else an empty text."""
        moves = zip(played_game.plies[played_game.opening_length :], played_game.seconds, strict=True)
        turn_seconds = [seconds for ply, seconds in moves if ply.seat == self._seat]
        core_seconds = [
            max(0.0, seconds - waited) for seconds, waited in zip(turn_seconds, self._core_waits, strict=True)
        ]
        longest_turn, total = max(core_seconds, default=0.0), sum(core_seconds)
        if control.per_move is not None and longest_turn > control.per_move + control.grace:
            return f"it had a core for {longest_turn:.3f} s, {control.per_move:g} s allowed"
        if control.total is not None and total > control.total + control.grace:
            return f"it had a core for {total:.3f} s in the whole game, {control.total:g} s allowed"
        return ""


def processes_of(players: Sequence[Player]) -> list[Process]:
    """Return the processes of the players that have one at this moment."""
    seated = [player.process for player in players if isinstance(player, FilesPlayer | Engine)]
    return [process for process in seated if process is not None]


def _board_size(game: Game) -> object:
    return game.options.get("size")


def moves_of(played_game: PlayedGame, seat: Seat) -> list[str]:
    """Return the moves of the player on `seat`, without the opening."""
    return [ply.move for ply in played_game.plies[played_game.opening_length :] if ply.seat == seat]


def game_and_seat_text(game: Game, seat: Seat) -> str:
    """Return the game and the seat of a fault, as the start of a sentence."""
    return f"In {variant_text(game)}, on seat {seat}"


def _moment_text(played_game: PlayedGame, seat: Seat) -> str:
    moves = [ply.move for ply in played_game.plies]
    moment = f"after {' '.join(['…'] * (len(moves) > 6) + moves[-6:])}" if moves else "before the first move"
    return f"{game_and_seat_text(played_game.rules(), seat)}, {moment}"


def _fault_of_agent(played_game: PlayedGame, seat: Seat) -> tuple[Reason, str] | None:
    """Return the reason for which the agent forfeited or the game is void, and the evidence; None if neither is so."""
    if played_game.outcome.is_void:
        return played_game.outcome.reason, played_game.outcome.detail
    reason = played_game.forfeits.get(seat)
    return None if reason is None else (reason, played_game.detail_of_loss(seat))


_BEHAVIOUR_BY_REASON = {
    Reason.OUT_OF_TIME: "it ran out of time",
    Reason.ILLEGAL_MOVE: "it made an illegal move",
    Reason.NOT_A_MOVE: "it wrote a line that is not a move",
    Reason.OUT_OF_TURN: "it wrote a line with another team's name",
    Reason.CRASHED: "its program ended",
    Reason.TOO_MUCH_MEMORY: "it took too much memory",
    Reason.CPU_OUT_OF_TURN: "it used CPU time while it was not its turn",
}


def _expected_behaviour(reason: Reason, control: TimeControl, agent: Agent) -> str:
    """Return the expected behaviour, in the words of this agent's protocol."""
    uses_pipes = agent.uses_pipes
    if reason is Reason.OUT_OF_TIME:
        limit = f"{control.per_move:g} s" if control.total is None else f"{control.total:g} s for the whole game"
        source = "it receives the limit" if uses_pipes else "game.json contains the limit"
        clock = ", and choose(position, clock) has clock.stop_at" if agent.receives_clock else ""
        return f"A legal move within {limit}; {source}{clock}."
    if reason is Reason.CRASHED:
        obeys_text = ", and obeys its protocol," * uses_pipes
        return f"A program that keeps running{obeys_text} until the game is over."
    if uses_pipes:
        return "A legal move, as its protocol writes it."
    if reason is Reason.NOT_A_MOVE:
        choose = "; choose may return one of position.moves(), or its text" if agent.receives_clock else ""
        return f"One line: the team's name, then a move{choose}."
    return "A legal move, in a line that begins with its own team's name."
