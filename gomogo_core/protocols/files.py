"""A player that the referee reaches through the file protocol, in a folder of its own or in one that all players share.

The module writes the turns of the game loop to files, and reads the answers. It applies the rules only to parse a line,
and gives no verdict.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gomogo_core import procfs
from gomogo_core.cancellation import GameCancelled, check_cancelled
from gomogo_core.games.base import RESIGN, Outcome, Reason, Seat
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.judge import judge
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.processes import cpu_times, disk_space
from gomogo_core.processes.io_counters import WriteCounter, WriteCounts
from gomogo_core.processes.process import Process
from gomogo_core.procfs import is_alive
from gomogo_core.protocols._exits import disk_full_failure, failure_of_exit
from gomogo_core.protocols.descriptor import AgentProtocol
from gomogo_core.wire.analysis import analysis_in_move_file
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.lines import LineMeaning, move_line, result_line
from gomogo_core.wire.misnamed_files import find_misnamed_move_file
from gomogo_core.wire.move_reader import FinalLine, TimeOver
from gomogo_core.wire.position_json import PositionFormatter, game_json

START_LIMIT = 30.0  # seconds that an agent may take to load if it creates `TEAM.ready`
START_PAUSE = 1.0  # seconds before the first turn of an agent that does not create `TEAM.ready`
# The least seconds without `TEAM.go` between two turns of an agent that may wait until this file disappears.
MIN_TURN_GAP = 0.1
_RESTORE_GO_AFTER = 0.2  # seconds until a `TEAM.go` is created again, if it disappeared before the player has written
# the most repeated turns per game, because a program that forges lines could otherwise go on for ever
MAX_REPEATED_TURNS = 3
END_NOTICE_DELAY = 0.2  # seconds between the end of a game and waking the waiting agents
_CHECK_INTERVAL = 0.1  # seconds between two checks for changes that no descriptor reports
_EARLY_LINE_WARNING = "wrote a line before its turn"
_FOREIGN_LINE_WARNING = "a line that its program did not write appeared in its folder, and was ignored"
_UNCLOSED_FILE_WARNING = "did not close move_file, so its line was read when its time was over"
_CLASSIC_PACE_ADVICE = "if it sleeps after a move, or waits until its .go disappears, set classic_pace = true for it"
_EXIT_OF_LEAVING_HUMAN = "exited with code 3"  # how the process of a human ends after Ctrl-C
# the failures that are caused by the content of move_file
_REASONS_FROM_MOVE_FILE = (Reason.OUT_OF_TIME, Reason.OUT_OF_TURN, Reason.NOT_A_MOVE)
_MACHINE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS}


class FilesPlayer:
    """One agent in one game. Several players may share one game folder.

    launch: a function that starts the agent's process when the folder is prepared; None if the agent is started by
    hand. says_ready: whether the agent creates `TEAM.ready`; None if unknown. is_human: whether a human at this
    terminal plays through the agent's process. If the human leaves, the game stops, and nobody loses. is_sandboxed:
    whether no other program can write into the agent's folder.

    team_aliases: maps a player's name to its team name in this folder where the two differ, because a program may have
    a built-in team name. turn_gap: the least number of seconds between two turns of the agent. other_folders: other
    folders to which the agent may have written its line by mistake.
    """

    def __init__(
        self,
        name: str,
        game_folder: GameFolder,
        launch: Callable[[], Process] | None = None,
        says_ready: bool | None = None,
        *,
        is_human: bool = False,
        is_sandboxed: bool = False,
        team_aliases: Mapping[str, str] = MappingProxyType({}),
        turn_gap: float = 0.0,
        other_folders: Sequence[Path] = (),
    ) -> None:
        self._team_aliases, self._turn_gap, self._other_folders = team_aliases, turn_gap, other_folders
        self.team = self._team_name(name)  # the name of the team in its folder
        self.name, self.game_folder, self.says_ready, self.is_human = name, game_folder, says_ready, is_human
        self._is_writable_by_others = game_folder.owner is not None and not is_sandboxed
        self.process: Process | None = None
        self.seat: Seat = 0
        self._launch = launch
        self._setup: GameSetup | None = None
        self._started_at = 0.0
        self._started_at_epoch = 0.0  # the time.time() at which the agent was started
        self._go_missing_since: float | None = None  # the moment since which `TEAM.go` has been missing in this turn
        self._answer_count = 0
        self._repeated_turns = 0  # repeated turns of this game
        self._move_count = 0
        self._pid_fd: int | None = None
        self._proc_files = procfs.OpenFileCache()  # of the thread that plays the game
        self._has_turn = False  # whether the agent has a turn, and has not answered
        self._has_begun = False  # whether the agent is ready for the turns of this game
        self._core_wait_before_turn: float | None = None  # the seconds for which this thread had waited for a core
        # the write counts of the agent's program, if the system has them
        self._write_counter: WriteCounter | None = None
        self._opponents: tuple[Player, ...] = ()  # the players that wait while the agent thinks
        self._exit_failure: Failure | None = None
        # the waiting players, and all exit descriptors
        self._exit_fds_cache: tuple[Sequence[Player], tuple[int, ...]] = ((), ())
        self.log_line: Callable[[str, str], None] | None = None  # a function that receives the lines written and read

    def _team_name(self, name: str) -> str:
        """Return the name of this team in this folder."""
        return self._team_aliases.get(name, name)

    def start(self, setup: GameSetup, seat: Seat) -> None:
        """Prepare the folder and start the process."""
        self._take_seat(setup, seat)
        self._move_count, self._answer_count, self._repeated_turns = len(setup.opening), 0, 0
        self._started_at, self._started_at_epoch = time.monotonic(), time.time()
        if not self.game_folder.has_game:
            opening = [move_line(self._team_names[ply.seat - 1], ply.move) for ply in setup.opening]
            self.game_folder.prepare_game(self._game_json(), opening)
        if self._launch is not None:
            self.process = self._launch()

    def set_limits_and_seat(self, setup: GameSetup, seat: Seat) -> Failure | None:
        """Change the time limits and the seat, by writing a new `game.json`."""
        self._take_seat(setup, seat)
        try:
            self.game_folder.set_game_json(self._game_json())
        except OSError as error:  # the agent has destroyed its folder, which is created again for its turn
            if error.errno in _MACHINE_ERRORS or not self.game_folder.owner:
                raise
        return None

    def _take_seat(self, setup: GameSetup, seat: Seat) -> None:
        self._setup, self.seat = setup, seat
        self._team_names = tuple(self._team_name(name) for name in setup.names)
        self._position_formatter = PositionFormatter(self._team_names)

    def _game_json(self) -> dict[str, Any]:
        """Return the content of `game.json`."""
        assert self._setup is not None
        controls = dict(zip(self._team_names, (control.as_dict() for control in self._setup.controls), strict=True))
        return game_json(self._setup.game, self._team_names, controls, len(self._setup.opening), self._setup.seed)

    def await_ready(self) -> Failure | None:
        """Wait for the file `TEAM.ready`: 30 s for an agent that is known to create it, else 1 s."""
        failure = self._wait_until_agent_is_ready()
        if failure is None and self.process is not None:
            self.process.end_turn(loaded=self.says_ready is True)
        self._has_begun = failure is None
        return failure

    @property
    def is_idle(self) -> bool:
        """Whether the agent is ready and waits for a turn, so that it can begin another game."""
        return self._has_begun and not self._has_turn

    def _wait_until_agent_is_ready(self) -> Failure | None:
        deadline = self._started_at + (START_LIMIT if self.says_ready else START_PAUSE)
        while not self._is_ready():
            if failure := self.exit_failure():
                return failure
            now = time.monotonic()
            if now >= deadline:
                if self.says_ready:
                    return Failure(Reason.OUT_OF_TIME, f"was not ready {START_LIMIT:g} s after its start")
                self.says_ready = False
                return None
            self.game_folder.wait_for_change(self._started_at, deadline, self._exit_descriptors(()))
        self.says_ready = True
        return None

    def _is_ready(self) -> bool:
        pid = self.game_folder.ready_pid(self.team)
        if pid is None:
            return False
        if self.process is not None:
            if self._write_counter is None and self._is_writable_by_others and not self.is_human:
                self._write_counter = WriteCounter.for_supervised_process(pid, self.process.pid)
        elif is_alive(pid) and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):  # the process is on another machine, or has just ended
                self._pid_fd = os.pidfd_open(pid)
        return True

    def exit_fd(self) -> int | None:
        """Return a descriptor that becomes readable when the process ends."""
        return self._pid_fd if self.process is None else self.process.exit_fd

    def exit_failure(self) -> Failure | None:
        """Return a failure, with the last line of the output, if the process has ended; else None.

        Raises GameCancelled if a human has left.
        """
        if self._exit_failure is None:
            if self.process is not None and (description := self.process.exit_description()):
                self.process.end()
                if self.is_human and description == _EXIT_OF_LEAVING_HUMAN:
                    raise GameCancelled("the human left")
                self._exit_failure = failure_of_exit(self.process, description, self.seat)
            elif self._pid_fd is not None and not _is_running(self._pid_fd):
                self._exit_failure = Failure(Reason.CRASHED, "its process has ended", seat=self.seat)
        return self._exit_failure

    def _exit_descriptors(self, opponents: Sequence[Player]) -> tuple[int, ...]:
        return tuple([fd for player in (self, *opponents) if (fd := player.exit_fd()) is not None])

    def await_move(self, turn: Turn) -> Reply | Failure:
        """Ask for a move. Ask again if the player would forfeit by a line that another program may have written."""
        warnings: tuple[str, ...] = ()
        while True:
            answer = self._run_turn(turn)
            if (doubt := self._doubt_about_writer(turn, answer)) is None:
                break
            self._repeated_turns += 1
            if not self.says_ready or self._repeated_turns > MAX_REPEATED_TURNS:
                return Failure(Reason.INTERRUPTED, doubt)
            warnings, turn = (*warnings, *answer.warnings, f"{doubt}: asked again"), turn._replace(refusal=doubt)
        if not warnings:
            return answer
        warnings += answer.warnings
        return answer._replace(warnings=warnings) if isinstance(answer, Reply) else replace(answer, warnings=warnings)

    def _run_turn(self, turn: Turn) -> Reply | Failure:
        """Start the turn. Wait until a line is final, until the time is over, or until a player's program exits."""
        if self.process is not None:
            self.process.begin_turn()
        try:
            return self._wait_for_line(turn)
        except OSError as error:
            if error.errno in _MACHINE_ERRORS or not self.game_folder.owner:
                raise
            return Failure(Reason.CRASHED, f"its game folder can no longer be used: {error.strerror}")
        finally:
            if self.process is not None:
                self.process.end_turn()

    def _wait_for_line(self, turn: Turn) -> Reply | Failure:
        if turn.refusal:  # the player must notice that its `TEAM.go` disappears and is created again
            self.game_folder.end_turn(self.team)
        turn_began_at = time.monotonic()
        rejected_lines: list[FinalLine] = []
        if not self._has_turn or turn.refusal:  # otherwise another player left in this turn, and the agent still thinks
            if self._turn_gap or not self.says_ready:
                self._wait_between_turns()
            self._count_writes(turn)
            # read this counter before the turn begins, because the program may answer before this thread runs again
            self._core_wait_before_turn = cpu_times.thread_core_wait(self._proc_files.read)
            turn_began_at = self._give_turn(turn)
        self._has_turn = True
        turn.on_waiting()
        deadline = turn_began_at + turn.allowed_seconds + turn.grace
        is_loaded = self.says_ready is not False
        if self._exit_fds_cache[0] is not turn.opponents:
            self._exit_fds_cache = (turn.opponents, self._exit_descriptors(turn.opponents))
        exit_fds = self._exit_fds_cache[1]
        # a descriptor reports the exit of a process; if a descriptor is missing, check from time to time
        can_see_exits = len(exit_fds) > len(turn.opponents)
        while True:
            return_at = None if is_loaded and can_see_exits else time.monotonic() + _CHECK_INTERVAL
            if not is_loaded:
                self._restore_turn_file()
            result = self.game_folder.reader.wait(
                self.team, turn.position, turn_began_at, deadline, return_at, exit_fds
            )
            if isinstance(result, FinalLine):
                if self._write_counter is not None and self._write_counter.has_written_nothing():
                    self.game_folder.reader.reject_line()
                    rejected_lines.append(result)
                    continue
                return self._reply(turn, result, turn_began_at, bool(rejected_lines))
            if failure := self._any_exit_failure(turn, turn_began_at):
                return failure
            if isinstance(result, TimeOver):
                if (later_deadline := turn_began_at + turn.allowed_seconds + turn.grace + turn.extend()) > deadline:
                    deadline = later_deadline
                    continue
                # the rejected line may be the agent's own, because some ways to write a file are not counted
                if rejected_lines and True not in self._have_others_written():
                    return self._reply(turn, rejected_lines[0], turn_began_at)
                evidence = self._missing_move_evidence(result, turn)
                return self._failure_or_full_disk(Reason.OUT_OF_TIME, evidence, time.monotonic() - turn_began_at)
            if not is_loaded and self._is_ready():  # the agent has just become ready, so its first turn starts now
                is_loaded = self.says_ready = True
                if time.monotonic() < self._started_at + START_LIMIT:
                    turn_began_at = time.monotonic()
                    deadline = turn_began_at + turn.allowed_seconds + turn.grace

    def _wait_between_turns(self) -> None:
        """Wait before the next turn of an agent that creates no `TEAM.ready`, so that the agent notices the
        removal of `TEAM.go`.
        """
        turn_gap = max(self._turn_gap, 0.0 if self.says_ready else MIN_TURN_GAP)
        next_turn_at = self.game_folder.turn_ended_at(self.team) + turn_gap
        while (seconds_left := next_turn_at - time.monotonic()) > 0:
            check_cancelled()
            time.sleep(min(seconds_left, _CHECK_INTERVAL))

    def _restore_turn_file(self) -> None:
        """Create `TEAM.go` again if it disappeared a while ago and the agent has written nothing.

        An agent that removes `TEAM.go` after its move may remove the file of its next turn, and would then wait for
        ever.
        """
        if self.game_folder.has_turn_file(self.team) or not self.game_folder.reader.is_untouched:
            self._go_missing_since = None
        elif self._go_missing_since is None:
            self._go_missing_since = time.monotonic()
        elif time.monotonic() - self._go_missing_since >= _RESTORE_GO_AFTER:
            self._go_missing_since = None
            self.game_folder.create_turn_file(self.team)

    def _missing_move_evidence(self, time_over: TimeOver, turn: Turn) -> str:
        """Return the evidence that no move came in time, with a possible reason."""
        if turn.refusal:
            return f"{turn.refusal}: refused, and no legal move followed within {turn.allowed_seconds:.4g} s"
        evidence = f"{time_over.evidence} within {turn.allowed_seconds:.4g} s"
        if not time_over.is_untouched:
            return evidence
        folder = self.game_folder.folder
        if misnamed_file := find_misnamed_move_file(folder, self._other_folders, self._started_at_epoch, self.team):
            return f"{evidence}; it wrote {misnamed_file} instead of move_file in its game folder"
        if self.says_ready:
            return evidence
        if not self._answer_count:
            return f"{evidence}; does it play under another team name than {self.team}?"
        return evidence if self._turn_gap else f"{evidence}; {_CLASSIC_PACE_ADVICE}"

    def _give_turn(self, turn: Turn) -> float:
        last_line = move_line(self._team_names[turn.plies[-1].seat - 1], turn.plies[-1].move) if turn.plies else ""
        self._go_missing_since = None
        allowed_seconds = None if math.isinf(turn.allowed_seconds) else turn.allowed_seconds
        position_json = self._position_formatter.format_position(
            turn.position, turn.previous_position, len(turn.plies), allowed_seconds, turn.clocks
        )
        if self.log_line is not None:
            self.log_line(">", f"{self.team}.go after {last_line.strip() or 'nothing'!r}")
        try:
            return self.game_folder.give_turn(self.team, last_line, position_json)
        except OSError as error:
            if error.errno in _MACHINE_ERRORS or not self.game_folder.owner:
                raise
            self.game_folder.repair()
            return self.game_folder.give_turn(self.team, last_line, position_json)

    def _reply(
        self, turn: Turn, final_line: FinalLine, turn_began_at: float, had_foreign_line: bool = False
    ) -> Reply | Failure:
        seconds, self._has_turn = max(0.0, final_line.readable_at - turn_began_at), False
        reading_delay = self._reading_delay(final_line.readable_at) if seconds > turn.allowed_seconds else 0.0
        seconds = max(0.0, seconds - reading_delay)
        if self.log_line is not None:
            self.log_line("<", final_line.line.move_or_error)
        if final_line.line.meaning is LineMeaning.OTHER_TEAM:
            return self._failure_or_full_disk(Reason.OUT_OF_TURN, final_line.line.move_or_error, seconds)
        if final_line.line.meaning is LineMeaning.NO_MOVE:
            return self._failure_or_full_disk(Reason.NOT_A_MOVE, final_line.line.move_or_error, seconds)
        self._answer_count += 1
        warnings = self._warnings(final_line, had_foreign_line)
        if reading_delay:
            warnings += (f"the referee had no core, and read its line {reading_delay:.3f} s late: not counted",)
        thoughts, score, line, values = analysis_in_move_file(final_line.content)
        return Reply(final_line.line.move_or_error, seconds, thoughts, warnings, score, line, values)

    def _reading_delay(self, read_at: float) -> float:
        """Return the seconds by which the line was read late because this thread waited for a core.

        read_at: the moment by time.monotonic() at which the line was read. The system's time of the last change of
        `move_file` says when it was written. A program can write by mmap(2) without changing this time, so the delay is
        at most the time for which this thread has waited for a core in this turn.
        """
        core_wait, age = cpu_times.thread_core_wait(self._proc_files.read), self.game_folder.seconds_since_last_change()
        if core_wait is None or self._core_wait_before_turn is None or age is None:
            return 0.0
        return max(0.0, min(core_wait - self._core_wait_before_turn, read_at - time.monotonic() + age))

    def _warnings(self, final_line: FinalLine, had_foreign_line: bool) -> tuple[str, ...]:
        reader, warnings = self.game_folder.reader, list[str]()
        if reader.had_early_line:
            warnings.append(_EARLY_LINE_WARNING)
        if had_foreign_line:
            warnings.append(_FOREIGN_LINE_WARNING)
        if final_line.is_open:
            warnings.append(_UNCLOSED_FILE_WARNING)
        if reader.other_team_lines:
            warnings.append(f"{reader.other_team_lines[0]}: not counted")
        return tuple(warnings)

    def _failure_or_full_disk(self, reason: Reason, evidence: str, seconds: float) -> Failure:
        """Return the failure of a wrong or missing line. If the disk is full, the full disk is the reason."""
        is_disk_full = disk_space.is_disk_full_by_others(self.game_folder.folder)
        return disk_full_failure() if is_disk_full else Failure(reason, evidence, seconds)

    def _count_writes(self, turn: Turn) -> None:
        """Count the writes of the agent's program from now on, and those of the other programs since their last
        turns.
        """
        self._opponents = turn.opponents
        if self._write_counter is not None:
            self._write_counter.start()
        for player in turn.opponents:
            if isinstance(player, FilesPlayer) and player._write_counter is not None:
                player._write_counter.resume()

    def _has_written_anything(self) -> bool | None:
        """Return whether the agent's program has written anything in this turn; None if that is unknown."""
        if self._write_counter is None:
            return None
        return False if self._write_counter.has_written_nothing() else (True if self._write_counter.count() else None)

    def _have_others_written(self) -> list[bool | None]:
        return [
            player._has_written_anything() if isinstance(player, FilesPlayer) else None for player in self._opponents
        ]

    def _doubt_about_writer(self, turn: Turn, answer: Reply | Failure) -> str | None:
        """Return the evidence that another program may have written the line by which this player would forfeit.

        Another program may have written the line if `move_file` was written more than once in this turn, or contains
        more bytes than the player's program wrote. If one of the other programs wrote anything, the writer of the last
        line is unknown. Returns None if this player's program must be the writer, for example if no other program
        wrote.
        """
        if not self._is_writable_by_others or self.is_human or not self._would_forfeit(turn, answer):
            return None
        closings, size = self.game_folder.reader.final_closings_and_size()
        own_writes = None if self._write_counter is None else self._write_counter.count()
        others_wrote = self._have_others_written()
        if all(other_wrote is False for other_wrote in others_wrote) or not (
            _wrote_too_little(own_writes, closings, size) or (closings > 1 and True in others_wrote)
        ):
            return None
        evidence = f"its move_file of {size} bytes was written {_times_text(closings)}"
        if own_writes is not None:
            evidence += f"; it wrote {own_writes.byte_count} bytes in {_times_text(own_writes.calls)}"
        return f"{evidence}: another program may have done that"

    def _would_forfeit(self, turn: Turn, answer: Reply | Failure) -> bool:
        """Return whether the player forfeits by its line, and the counters allow that another program wrote the line.

        The counters exclude another writer for nearly every line, so this method rarely has to judge the move.
        """
        if isinstance(answer, Failure):
            return answer.reason in _REASONS_FROM_MOVE_FILE
        closings, size = self.game_folder.reader.closings_and_size()
        own_writes = None if self._write_counter is None else self._write_counter.last_result
        is_suspicious = closings > 1 or _wrote_too_little(own_writes, closings, size)
        if not is_suspicious and _UNCLOSED_FILE_WARNING not in answer.warnings:
            return False
        clock = turn.clock
        if answer.seconds_taken > turn.allowed_seconds + turn.grace:
            clock.extension_seconds = turn.extend()
        return isinstance(judge(turn.position, answer, clock), Failure)

    def _any_exit_failure(self, turn: Turn, turn_began_at: float) -> Reply | Failure | None:
        """Return the failure if a program has exited, else None.

        If the player's last line was complete, return that line as a reply.
        """
        if own_failure := self.exit_failure():
            result = self.game_folder.reader.wait(self.team, turn.position, turn_began_at, time.monotonic())
            return self._reply(turn, result, turn_began_at) if isinstance(result, FinalLine) else own_failure
        return turn.opponent_failure(turn_began_at)

    def notify_move(self, ply: Ply) -> None:
        """Append the move to the history, and end the turn of its player, if that player is in this folder.

        The process of a player that has left is ended, because it would take CPU time from the other players.
        """
        team, is_own_move = self._team_names[ply.seat - 1], ply.seat == self.seat
        if is_own_move and ply.move == RESIGN and self.process is not None and not self.is_human:
            self.process.end()
        self._move_count += 1
        has_go_here = is_own_move or self.game_folder.owner is None
        try:
            self.game_folder.record_move(self._move_count, move_line(team, ply.move), team if has_go_here else None)
        except OSError as error:
            # the agent replaced `TEAM.go`, for example by a folder; then its next turn fails
            if error.errno in _MACHINE_ERRORS or not self.game_folder.owner:
                raise

    def finish(self, outcome: Outcome) -> None:
        """Write the end of the game. The caller decides when to end the process."""
        self._proc_files.close()
        if self._pid_fd is not None:
            os.close(self._pid_fd)
            self._pid_fd = None
        if self._write_counter is not None:
            self._write_counter.close()
            self._write_counter = None
        if self.process is not None:
            self.process.let_run()
        if self._setup is None or not self.game_folder.has_game:
            return
        with contextlib.suppress(OSError):  # an agent may have damaged its folder, or the disk is full
            self.game_folder.write_end(result_line(outcome, self._team_names))

    def announce_last_game(self) -> None:
        """Tell the agent that no other game follows. Wake a legacy agent by the file `TEAM.go`, so that the agent sees
        the end.
        """
        with contextlib.suppress(OSError):
            if self.says_ready:
                self.game_folder.announce_next_game("")
            else:
                self.game_folder.create_turn_file(self.team)


def _wrote_too_little(own_writes: WriteCounts | None, closings: int, size: int) -> bool:
    """Return whether a program certainly did not write `size` bytes and close the file `closings` times."""
    return own_writes is not None and (own_writes.calls < closings or own_writes.byte_count < size)


def _times_text(count: int) -> str:
    return "one time" if count == 1 else f"{count} times"


def _is_running(pidfd: int) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return not poll.poll(0)


PROTOCOL = AgentProtocol("files", "files in a folder of its own (the default)", settings=("memory_mb", "threads"))
