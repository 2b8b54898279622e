"""The agent's side of a game by files: wait for the turn, read the moves played, and write a move.

Uses games and the wire; the caller provides the function that chooses moves.
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

from gomogo_core.agent._delays import Delays
from gomogo_core.agent._options import Choose
from gomogo_core.agent._traceback import TracebackTimer
from gomogo_core.agent.clock import AgentClock
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Position
from gomogo_core.wire import inotify
from gomogo_core.wire.game_json import about_in, clocks_in
from gomogo_core.wire.lines import move_line, plies_of
from gomogo_core.wire.small_files import open_to_read, read_state, write_in_place
from gomogo_core.wire.waiting import Waiter

_BORN = inotify.CREATE  # the referee renames files that must not wake an agent, and creates those that must
_NOTHING = (0, b"")
_MOST_HISTORY = 1 << 20  # bytes: a game of 70,000 moves
_MOST_NEWS = 512  # bytes of new lines that are read at once


class Program:
    """The program of a team, which plays one game after another. plays: the names of its games; empty for all games."""

    def __init__(
        self,
        team: str,
        choose: Choose,
        options: dict[str, Any],
        prepare: Callable[[Game], None] | None,
        plays: tuple[str, ...],
    ) -> None:
        self.team, self.choose, self.options, self.prepare, self.plays = team, choose, options, prepare, plays
        self.delays = Delays()
        self.traceback_timer = TracebackTimer()

    def play_on(self) -> None:
        """Play the game of this folder, then each next game that the referee names."""
        folder: Path | None = Path.cwd()
        while folder is not None:
            os.chdir(folder)
            waiter = Waiter(folder, _BORN)
            try:
                folder = Seat(self, waiter).play()
            finally:
                waiter.close()


class Seat:
    """The agent in one game. The folder is the working directory, so that names stay short."""

    def __init__(self, agent: Program, waiter: Waiter) -> None:
        self.agent, self.waiter = agent, waiter
        self.about: dict[str, Any] = {}
        self.seats: dict[str, int] = {}
        self.game: Game | None = None
        self.is_supported = True  # whether the agent plays this game
        self.position: Position | None = None
        self.history = b""  # the lines of the moves that `position` contains
        self.history_file = -1  # the open `history_file`, to which the referee of a private folder appends
        self.about_mark: tuple[int, int] | None = None
        # an `end_game` of an earlier game may stay until the referee cleans the folder
        self.stale_end = _file_stamp("end_game")
        self.go_mark: tuple[int, int] | None = None  # identifies the last `.go` that we saw
        self.passed_over: tuple[int, int] | None = None  # identifies a `.go` of another game

    def play(self) -> Path | None:
        self._read_about()
        # without it, these files may belong to an earlier game, or not be written yet
        if self.about and self.stale_end is None:
            self._check_game()
        self.agent.team = self.about.get("you", self.agent.team)  # the next game may give the process another name
        ready = Path.cwd() / f"{self.agent.team}.ready"
        write_in_place(str(ready), str(os.getpid()).encode())
        atexit.register(_forget, ready)
        try:
            self._play_turns()
        finally:
            if self.history_file >= 0:
                os.close(self.history_file)
        _forget(ready)
        atexit.unregister(_forget)
        return self._next_folder()

    def _play_turns(self) -> None:
        answered = _NOTHING
        while (started := self._await_turn(answered)) is not None:
            if _file_stamp("game.json") != self.about_mark:
                self._read_about()
            if not self.is_supported:
                if self.stale_end is None:
                    self._check_game()
                # a turn in the remains of another game: the `move_file` of the next game may also be empty, and have
                # the same inode
                self.passed_over = self.go_mark
                continue
            clock = self._clock(started)
            position = self._catch_up()
            answered = self._answer(position, clock) if position.outcome() is None else self._current_move_file()

    def _await_turn(self, answered: tuple[int, bytes]) -> float | None:
        """Wait for the next turn. Returns the moment when it began, or None when the game is over.

        answered: the inode and content of the file with our last move.
        """
        since, go = time.monotonic(), f"{self.agent.team}.go"
        # looking before the first event would cost 10 % of a quick turn
        if answered != _NOTHING and self.waiter.watching:
            self._wait(since)
        only_go = [(_BORN, go.encode())]
        while True:
            # the usual event says that there is no `end_game` yet
            if self.waiter.events() == only_go:
                mark = _file_stamp(go)
                is_new = mark is not None and mark != self.go_mark  # the event may belong to a `.go` seen before
            else:
                if (end := _file_stamp("end_game")) is not None and end != self.stale_end:
                    return None
                if end is None:
                    self.stale_end = None
                is_new = False
            if not is_new:
                # Our `.go` outlasts our turn for a moment, but the referee replaces `move_file` before each turn. It
                # removes our `.go` before that, so a `.go` seen after the new file is new too.
                current, mark = self._current_move_file(), _file_stamp(go)
                is_new = current != answered and mark is not None and mark != self.passed_over
            if is_new and mark is not None:
                self.go_mark = mark
                return _as_monotonic(mark[1])
            self._wait(since)

    def _wait(self, since: float) -> None:
        """Wait for a change in the folder. since: the time.monotonic() start of the wait."""
        self.waiter.wait(since, math.inf)

    def _current_move_file(self, written: tuple[int, bytes] | None = None) -> tuple[int, bytes]:
        """The inode of `move_file`, with its content in a shared folder.

        written: the inode and the content that we have just written, if any. In a private folder the next `move_file`
        has another inode; if the inode is the same, another process overwrote our answer. In a shared folder the inode
        is not enough: file systems reuse inodes at once.
        """
        if "you" in self.about:
            return _NOTHING if (mark := written or _file_stamp("move_file")) is None else (mark[0], b"")
        if written is not None:
            return written
        there = read_state("move_file", 4096)
        return _NOTHING if there.content is None else (there.mark[1], there.content)

    def _read_about(self) -> None:
        """Read the game and its time limits; without `game.json` (a legacy referee) it is WPI's Gomoku."""
        self.about_mark = _file_stamp("game.json")
        about = about_in("game.json")
        if self.about and self.about != about == {**self.about, "time": about.get("time")}:
            self.about = about  # the same game continues under other limits
            return
        try:
            game = load(about["game"], **about["options"])
        except (ValueError, KeyError, TypeError):
            about, game = {}, load("gomoku", opening="takeover")
        if about.get("seed") is not None:
            random.seed(f"{about['seed']} {self.agent.team}")
        if game != self.game and self.agent.prepare is not None and self._supports_game(game):
            self.agent.prepare(game)
        self.about, self.game, self.position, self.history = about, game, game.start(), b""
        self.is_supported = self._supports_game(game)
        self.seats = {team: seat for seat, team in enumerate(about.get("teams", ()), 1)}

    def _supports_game(self, game: Game | None) -> bool:
        return game is None or not self.agent.plays or game.name in self.agent.plays

    def _check_game(self) -> None:
        """Raise UserError if the agent does not play this game."""
        assert self.game is not None
        if not self.is_supported:
            plays = ", ".join(self.agent.plays)
            raise UserError(f"{self.agent.team} does not play {self.game.name}.", f"It plays {plays}.")

    def _clock(self, started: float) -> AgentClock:
        limits = self.about.get("time", {}).get(self.agent.team, {"per_move": 10.0})
        bank = None
        if limits.get("total") is not None:
            bank = clocks_in("position.json").get(self.agent.team)
        return AgentClock(limits, bank, started, self.agent.delays.reserve)

    def _catch_up(self) -> Position:
        """Return the current position, from `history_file`, or from the line in `move_file` if there is no history."""
        assert self.game is not None
        assert self.position is not None
        content = self._read_history()
        if content is None:
            last = (read_state("move_file", 4096).content or b"").strip()
            known = self.history.splitlines()
            content = self.history + (last + b"\n" if last and last not in known[-1:] else b"")
        if not content.startswith(self.history):  # another game, or a refused move of ours: replay from the start
            self.history, self.position = b"", self.game.start()
        new = content[len(self.history) : content.rfind(b"\n") + 1]
        for team, move in plies_of(new.decode("ascii", "replace")):
            try:
                self.position = self.game.apply_action(self.position, self.seats.get(team, 0), move)
            except (NotAMove, IllegalMove):
                continue  # a line of a legacy referee
        self.history += new
        return self.position

    def _read_history(self) -> bytes | None:
        """Return the content of `history_file`, or None without that file.

        In a private folder the file stays open, since nobody replaces it within a game: a turn then costs one system
        call, not four.
        """
        if "you" not in self.about:
            return read_state("history_file", _MOST_HISTORY).content
        try:
            if self.history_file < 0:
                self.history_file = open_to_read("history_file")
            most = len(self.history) + _MOST_NEWS
            content = os.pread(self.history_file, most, 0)
            return content if len(content) < most else os.pread(self.history_file, _MOST_HISTORY, 0)
        except OSError:
            return None

    def _answer(self, position: Position, clock: AgentClock) -> tuple[int, bytes]:
        """Choose and write a move. Returns the inode and content of the file written."""
        assert self.game is not None
        woken = time.monotonic()
        self.agent.traceback_timer.begin(clock.left)
        move = self.agent.choose(position, clock, **self.agent.options)
        self.agent.traceback_timer.end()
        text = self._move_text(move)
        line = move_line(self.agent.team, text)
        # a legacy referee, and agents in a shared folder, expect a single line
        written = (line + (clock.said if "you" in self.about else "")).encode()
        answered = self._current_move_file((write_in_place("move_file", written), written))
        self.agent.delays.record(woken - clock.started, time.monotonic() - clock.stop_at)
        # assume that our move is accepted, and apply it while the opponents think; `_catch_up` corrects this after a
        # refusal
        try:
            self.position = position.play(self.game.parse(text))
            self.history += line.encode()
        except (NotAMove, IllegalMove):
            pass
        return answered

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

    def _next_folder(self) -> Path | None:
        """The folder of the next game, or None. Only a referee with a private folder for this agent names one."""
        if "you" not in self.about:
            return None
        since = time.monotonic()
        while True:
            self.waiter.events()
            there = read_state("next_game", 4096)
            if there.content is not None:
                return Path(os.fsdecode(there.content)) if there.content.strip() else None
            if not os.path.exists("game.json"):
                return None  # the folder was removed
            self._wait(since)


def _file_stamp(path: str) -> tuple[int, int] | None:
    """The inode and the time stamp, which distinguish successive files of one name; None if the file does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _as_monotonic(written_ns: int) -> float:
    """Return the time.monotonic() moment at which a file was written, by its time stamp.

    On a busy machine the agent may wake up long after its turn began. The system's clock may be set at any time, so the
    result is at most one second ago.
    """
    return time.monotonic() - min(max(0.0, time.time() - written_ns / 1e9), 1.0)


def _forget(ready: Path) -> None:
    with contextlib.suppress(OSError):
        ready.unlink()
