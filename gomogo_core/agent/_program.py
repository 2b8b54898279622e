"""The agent's side of the file protocol: waits for its turn, reads the played moves, and writes a move.

The module depends on games and the files of the protocol. The caller provides the function that chooses moves.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gomogo_core.agent._delays import MeasuredDelays
from gomogo_core.agent._options import Choose
from gomogo_core.agent._traceback import TracebackTimer
from gomogo_core.agent.clock import AgentClock
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Position
from gomogo_core.wire import inotify
from gomogo_core.wire.game_json import read_clocks, read_game_json
from gomogo_core.wire.lines import move_line, moves_in_history
from gomogo_core.wire.small_files import open_to_read, read_state, write_in_place
from gomogo_core.wire.waiter import Waiter

# the referee creates the files that must wake an agent, and renames all other files into place
_FILE_CREATED = inotify.CREATE
_NO_MOVE_FILE = (0, b"")
_MAX_HISTORY_BYTES = 1 << 20  # bytes, enough for a game of 70,000 moves
_MAX_NEW_LINES_BYTES = 512  # bytes of new lines that are read at once


class AgentProgram:
    """The program of a team, which plays one game after another.

    choose, options: the function that chooses moves, and the values of its options. prepare: a function that is called
    with each new game. game_names: the names of the games that the program plays; empty for all games.
    """

    def __init__(
        self,
        team: str,
        choose: Choose,
        options: dict[str, Any],
        prepare: Callable[[Game], None] | None,
        game_names: tuple[str, ...],
    ) -> None:
        self.team, self.choose, self.options, self.prepare, self.game_names = team, choose, options, prepare, game_names
        self.delays = MeasuredDelays()
        self.traceback_timer = TracebackTimer()

    def play_games(self) -> None:
        """Play the game of this folder, then each next game that the referee names."""
        folder: Path | None = Path.cwd()
        while folder is not None:
            os.chdir(folder)
            waiter = Waiter(folder, _FILE_CREATED)
            try:
                folder = AgentGame(self, waiter).play()
            finally:
                waiter.close()


class AgentGame:
    """One game from the agent's side. The game folder is the working directory."""

    def __init__(self, program: AgentProgram, waiter: Waiter) -> None:
        self.program, self.waiter = program, waiter
        self.game_json: dict[str, Any] = {}
        self.seats: dict[str, int] = {}
        self.game: Game | None = None
        self.is_game_supported = True  # whether the agent plays this game
        self.position: Position | None = None
        self.history_lines = b""  # the lines of the moves up to `position`
        self.history_descriptor = -1  # the open `history_file`, to which the referee of a private folder appends
        self.game_json_stamp: tuple[int, int] | None = None
        # the `end_game` of an earlier game, which may exist until the referee cleans the folder
        self.stale_end_stamp = _file_stamp("end_game")
        self.last_go_stamp: tuple[int, int] | None = None  # the stamp of `TEAM.go` in the last turn
        self.ignored_go_stamp: tuple[int, int] | None = None  # the stamp of a `TEAM.go` of another game

    def play(self) -> Path | None:
        self._read_game_json()
        # otherwise game.json may belong to an earlier game, or may not exist yet; the first turn shows which game it is
        if self.game_json and self.stale_end_stamp is None:
            self._require_supported_game()
        self.program.team = self.game_json.get("you", self.program.team)  # the next game may give the team another name
        ready_file = Path.cwd() / f"{self.program.team}.ready"
        write_in_place(str(ready_file), str(os.getpid()).encode())
        atexit.register(_remove_ready_file, ready_file)
        try:
            self._play_turns()
        finally:
            if self.history_descriptor >= 0:
                os.close(self.history_descriptor)
        _remove_ready_file(ready_file)
        atexit.unregister(_remove_ready_file)
        return self._wait_for_next_folder()

    def _play_turns(self) -> None:
        answered_file = _NO_MOVE_FILE
        while (turn_started_at := self._wait_for_turn(answered_file)) is not None:
            if _file_stamp("game.json") != self.game_json_stamp:
                self._read_game_json()
            if not self.is_game_supported:
                if self.stale_end_stamp is None:
                    self._require_supported_game()
                # The turn belongs to another game, whose `move_file` may look the same: wait for another `TEAM.go`.
                self.ignored_go_stamp = self.last_go_stamp
                continue
            position = self._current_position()
            clock = self._create_clock(turn_started_at, position)
            is_over = position.outcome() is not None
            answered_file = self._current_move_file() if is_over else self._choose_and_write_move(position, clock)

    def _wait_for_turn(self, answered_file: tuple[int, bytes]) -> float | None:
        """Wait for the next turn. Return the moment when the turn began, or None when the game is over.

        answered_file: the inode and the content of the file with the agent's last move. The returned moment is by
        time.monotonic().
        """
        wait_start, go_file = time.monotonic(), f"{self.program.team}.go"
        # checking the files before the first event would cost 10 % of a quick turn
        if answered_file != _NO_MOVE_FILE and self.waiter.uses_events:
            self.waiter.wait(wait_start, math.inf)
        only_go_event = [(_FILE_CREATED, go_file.encode())]
        while True:
            # if this is the only event, there is no `end_game` yet
            if self.waiter.events() == only_go_event:
                go_stamp = _file_stamp(go_file)
                # the event may belong to a `TEAM.go` seen before
                is_new_turn = go_stamp is not None and go_stamp != self.last_go_stamp
            else:
                if (end_stamp := _file_stamp("end_game")) is not None and end_stamp != self.stale_end_stamp:
                    return None
                if end_stamp is None:
                    self.stale_end_stamp = None
                is_new_turn = False
            if not is_new_turn:
                # The agent's file `TEAM.go` still exists for a moment after the agent's turn. But before each turn the
                # referee first removes it, and then replaces `move_file`. So a `TEAM.go` that exists after the agent
                # has seen the new `move_file` is new too.
                current_file, go_stamp = self._current_move_file(), _file_stamp(go_file)
                is_new_turn = current_file != answered_file and go_stamp not in (None, self.ignored_go_stamp)
            if is_new_turn and go_stamp is not None:
                self.last_go_stamp = go_stamp
                return _monotonic_time(go_stamp[1])
            self.waiter.wait(wait_start, math.inf)

    def _current_move_file(self, written_file: tuple[int, bytes] | None = None) -> tuple[int, bytes]:
        """Return the inode of `move_file` and, in a shared folder, its content.

        written_file: the inode and the content of the file that the agent has just written, if any. In a private folder
        the inode is enough, because the next `move_file` has another inode. In a shared folder the inode is not enough,
        because file systems reuse inodes immediately.
        """
        if "you" in self.game_json:
            return _NO_MOVE_FILE if (stamp := written_file or _file_stamp("move_file")) is None else (stamp[0], b"")
        if written_file is not None:
            return written_file
        state = read_state("move_file", 4096)
        return _NO_MOVE_FILE if state.content is None else (state.stamp[1], state.content)

    def _read_game_json(self) -> None:
        """Read the game and its time limits.

        Without `game.json`, as with a legacy referee, the game is Gomoku with take-over, as in WPI's course CS4341.
        """
        self.game_json_stamp = _file_stamp("game.json")
        game_json = read_game_json("game.json")
        if self.game_json and self.game_json != game_json == {**self.game_json, "time": game_json.get("time")}:
            self.game_json = game_json  # the same game continues with other time limits
            return
        try:
            game = load(game_json["game"], **game_json["options"])
        except (ValueError, KeyError, TypeError):
            game_json, game = {}, load("gomoku", opening="takeover")
        if game_json.get("seed") is not None:
            random.seed(f"{game_json['seed']} {self.program.team}")
        if game != self.game and self.program.prepare is not None and self._supports_game(game):
            self.program.prepare(game)
        self.game_json, self.game, self.position, self.history_lines = game_json, game, game.start(), b""
        self.is_game_supported = self._supports_game(game)
        self.seats = {team: seat for seat, team in enumerate(game_json.get("teams", ()), 1)}

    def _supports_game(self, game: Game | None) -> bool:
        return game is None or not self.program.game_names or game.name in self.program.game_names

    def _require_supported_game(self) -> None:
        """Raise UserError if the agent does not play this game."""
        assert self.game is not None
        if not self.is_game_supported:
            plays = ", ".join(self.program.game_names)
            raise UserError(f"{self.program.team} does not play {self.game.name}.", f"It plays {plays}.")

    def _create_clock(self, turn_started_at: float, position: Position) -> AgentClock:
        team, reserve = self.program.team, self.program.delays.deadline_reserve
        limits = self.game_json.get("time", {}).get(team, {"per_move": 10.0})
        if limits.get("total") is None:
            return AgentClock(limits, None, turn_started_at, reserve)
        seconds_left = read_clocks("position.json").get(team)
        own_move_count = sum(line.startswith(f"{team} ".encode()) for line in self.history_lines.splitlines())
        max_moves_left = -(-sum(1 for _ in position.moves()) // position.game.seats)
        return AgentClock(limits, seconds_left, turn_started_at, reserve, own_move_count, max_moves_left)

    def _current_position(self) -> Position:
        """Return the current position, from `history_file`; without a history, from the line in `move_file`."""
        assert self.game is not None
        assert self.position is not None
        content = self._read_history()
        if content is None:
            last_line = (read_state("move_file", 4096).content or b"").strip()
            content = self.history_lines
            if last_line and last_line not in content.splitlines()[-1:]:
                content += last_line + b"\n"
        # another game, or the agent's move was refused: replay from the start
        if not content.startswith(self.history_lines):
            self.history_lines, self.position = b"", self.game.start()
        new_lines = content[len(self.history_lines) : content.rfind(b"\n") + 1]
        for team, move in moves_in_history(new_lines.decode("ascii", "replace")):
            try:
                self.position = self.game.apply_action(self.position, self.seats.get(team, 0), move)
            except (NotAMove, IllegalMove):
                continue  # a line of a legacy referee
        self.history_lines += new_lines
        return self.position

    def _read_history(self) -> bytes | None:
        """Return the content of `history_file`, or None if there is no such file.

        In a private folder the file stays open, because nobody replaces the file during a game. So reading it takes one
        system call per turn instead of four.
        """
        if "you" not in self.game_json:
            return read_state("history_file", _MAX_HISTORY_BYTES).content
        try:
            if self.history_descriptor < 0:
                self.history_descriptor = open_to_read("history_file")
            max_bytes = len(self.history_lines) + _MAX_NEW_LINES_BYTES
            content = os.pread(self.history_descriptor, max_bytes, 0)
            return content if len(content) < max_bytes else os.pread(self.history_descriptor, _MAX_HISTORY_BYTES, 0)
        except OSError:
            return None

    def _choose_and_write_move(self, position: Position, clock: AgentClock) -> tuple[int, bytes]:
        """Choose and write a move. Return the inode and the content of the written file."""
        assert self.game is not None
        woken_at = time.monotonic()
        self.program.traceback_timer.begin_turn(clock.seconds_left)
        move = self.program.choose(position, clock, **self.program.options)
        self.program.traceback_timer.end_turn()
        move_text = self._move_text(move)
        line = move_line(self.program.team, move_text)
        # a legacy referee, and agents in a shared folder, expect a single line
        content = (line + (clock.analysis_text if "you" in self.game_json else "")).encode()
        answered_file = self._current_move_file((write_in_place("move_file", content), content))
        self.program.delays.record_move_delays(woken_at - clock.started, time.monotonic() - clock.planned_end)
        # play the move while the opponents think; if it is refused, the next turn replays the game from the start
        try:
            self.position = position.play(self.game.parse(move_text))
            self.history_lines += line.encode()
        except (NotAMove, IllegalMove):
            pass
        return answered_file

    def _move_text(self, move: Any) -> str:
        if isinstance(move, str):
            return move.strip().casefold()
        assert self.game is not None
        try:
            return self.game.format(move)
        except (LookupError, TypeError, AttributeError, ValueError):
            raise TypeError(
                f"choose returned {move!r}, which is not a move of {self.game.name}: "
                'return one of position.moves(), or its text, like "h8"'
            ) from None

    def _wait_for_next_folder(self) -> Path | None:
        """Wait for the folder of the next game. Return None if there is no other game, or if the folder is shared."""
        if "you" not in self.game_json:
            return None
        wait_start = time.monotonic()
        while True:
            self.waiter.events()
            state = read_state("next_game", 4096)
            if state.content is not None:
                return Path(os.fsdecode(state.content)) if state.content.strip() else None
            if not os.path.exists("game.json"):
                return None  # the folder was removed
            self.waiter.wait(wait_start, math.inf)


def _file_stamp(path: str) -> tuple[int, int] | None:
    """Return the inode and the time of a file, which distinguish successive files of one name; None if there is no
    file.
    """
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _monotonic_time(file_time_ns: int) -> float:
    """Convert the time stamp of a file to a moment by time.monotonic().

    On a busy machine the agent may wake up long after its turn began, so the time stamp of the turn's file is used as
    the beginning. The system's clock may be set at any time, so the result is at most one second ago.
    """
    return time.monotonic() - min(max(0.0, time.time() - file_time_ns / 1e9), 1.0)


def _remove_ready_file(ready_file: Path) -> None:
    with contextlib.suppress(OSError):
        ready_file.unlink()
