"""A game folder, from the referee's side: create it, start a turn, record a move, end the game.

Uses the files of the protocol; `move_reader` reads the agents' lines. Makes no verdict, starts no process.
"""

from __future__ import annotations

import errno
import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gomogo_core.errors import UserError
from gomogo_core.wire import inotify
from gomogo_core.wire.move_reader import MoveReader
from gomogo_core.wire.process_alive import alive
from gomogo_core.wire.small_files import (
    clear,
    create,
    create_at_once,
    create_to_write,
    open_to_write,
    put,
    read_state,
    remove_tree,
    write_in_place,
)
from gomogo_core.wire.waiting import Waiter

# MODIFY itself is unused, but separates two closings: the kernel merges successive events that are equal
_MASK = inotify.CLOSE_WRITE | inotify.MOVED_TO | inotify.DELETE_SELF | inotify.MOVE_SELF | inotify.MODIFY
_STALE = ("end_game", "history_file", "game.json", "position.json", "next_game")


class GameFolder:
    """One game folder. A private folder belongs to one team, the owner; a shared folder to all teams.

    user: the user id of the owner's program, if it differs from ours; the folder then belongs to that user.
    """

    def __init__(self, folder: Path, teams: Sequence[str], owner: str | None = None, user: int | None = None) -> None:
        self.folder, self.teams, self.owner, self._user = folder, tuple(teams), owner, user
        self._path, self._moves = str(folder), str(folder / "move_file")
        self._go = {team: str(folder / f"{team}.go") for team in teams}
        # for a private folder the unfinished file is outside it, so that only a turn wakes the agent
        self._aside = f"{folder}.aside" if owner else str(folder / ".move_file.new")
        self.reader = MoveReader(self._moves, self.teams, owner, self._is_elsewhere, self._restore_line)
        self._next = -1
        self._history, self._position = -1, -1
        self._position_length = 0
        self._recorded = 0
        self._about, self._lines = b"", list[str]()  # the contents of game.json and of history_file
        self._last = ""
        self._turn_ended: dict[str, float] = {}  # by team, the time.monotonic() moment at which its last turn ended
        self._waiter: Waiter | None = None
        self._ended = False
        self._number = 0  # the inode of our folder: an agent may replace it by a link to another folder

    @property
    def has_game(self) -> bool:
        """Whether a game is prepared here and not yet closed."""
        return self._waiter is not None

    def prepare_game(self, about: Mapping[str, Any], opening: Sequence[str]) -> None:
        """Prepare the folder for a game: remove the files of an earlier one, and write those that an agent needs.

        about: the content of game.json. opening: the lines of the opening moves. Raises UserError if the folder
        cannot be used.
        """
        if not self._has_made_folder():
            self._clear_earlier_game()
        self.tell(about)
        self._last = opening[-1] if opening else ""
        self.reader.begin(self._last.encode())
        self._lines = list(opening)
        self._write_history()
        self._recorded = len(opening)
        put(self._moves, self.reader.delivered, self._aside, self._user)
        self._watch()

    def _has_made_folder(self) -> bool:
        """Create the owner's folder. Returns False if there was one already, or teams share it."""
        if not self.owner:
            return False
        try:
            self.folder.mkdir(parents=True)
        except FileExistsError:
            self.folder.mkdir(exist_ok=True)  # raises FileExistsError if it is a file
            is_new = False
        else:
            is_new = True
        self._hand_over()
        return is_new

    def _clear_earlier_game(self) -> None:
        mine = [self.owner] if self.owner else self.teams
        for team in mine:
            self._refuse_source(team)
        for name in (*(f"{team}.go" for team in mine), *_STALE):  # remove old turns first, so that no agent acts on one
            clear(f"{self._path}/{name}")
        for team in mine:
            if (pid := self.ready_pid(team)) is not None and not alive(pid):
                clear(f"{self._path}/{team}.ready")

    def _watch(self) -> None:
        self._waiter = Waiter(self.folder, _MASK)
        self.reader.observe_events_of(self._waiter)

    def tell(self, about: Mapping[str, Any]) -> None:
        """Write `game.json`, or replace it. Raises OSError if the folder cannot be written."""
        private = {"you": self.owner} if self.owner else {}
        # a line for each entry; json.dumps with an indent would take twelve times as long
        entries = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in {**about, **private}.items()]
        self._about = ("{\n" + ",\n".join(entries) + "\n}").encode()
        self._write_game_json()

    def _write_game_json(self) -> None:
        if self._next >= 0:  # without this, the next line would be written into this file
            os.close(self._next)
            self._next = -1
            clear(self._aside)
        put(f"{self._path}/game.json", self._about, self._aside)

    def _hand_over(self) -> None:
        """Let the owner's program write here. Other users cannot: only our user can enter the parent folder."""
        if self._user is not None:
            self.folder.chmod(0o755)
            os.chown(self.folder, self._user, self._user)

    def _refuse_source(self, team: str) -> None:
        """Never delete a Go source file: a turn's file contains `go!` at most."""
        there = read_state(f"{self._path}/{team}.go", 16)
        if there.content is not None and there.content.strip() not in (b"", b"go!"):
            raise UserError(
                f"{team}.go in this folder is no game file, and a team {team!r} would overwrite it.",
                "Move it away, give the team another name, or play in an empty folder.",
            )

    def _write_history(self) -> None:
        """Write the lines of all moves so far, and open the file to append to it."""
        write_in_place(f"{self._path}/history_file", "".join(self._lines).encode())
        self._open_files()

    def _open_files(self) -> None:
        """Open `history_file` and `position.json` for the whole game: a move then costs one system call, not three."""
        self._history = open_to_write(f"{self._path}/history_file", os.O_APPEND)
        self._position, self._position_length = open_to_write(f"{self._path}/position.json", 0), 0
        self._number = os.lstat(self._path).st_ino

    def ready_pid(self, team: str) -> int | None:
        """Return the process id in the team's `.ready` file, None without a file, 0 without a number in it."""
        there = read_state(f"{self._path}/{team}.ready", 32)
        if there.content is None or not there.content.strip():
            return None
        number = there.content.strip().decode("ascii", "replace")
        return int(number) if number.isascii() and number.isdigit() else 0

    def wait_any(self, since: float, until: float, exit_fds: tuple[int, ...] = ()) -> list[int]:
        """Wait for a change in the folder or a readable descriptor, LONGEST at most; return those of `exit_fds`."""
        assert self._waiter is not None
        felt = self._waiter.wait(since, until, exit_fds)
        self._waiter.events()
        return felt

    def give_turn(self, team: str, last: str, position: bytes) -> float:
        """Write the last line and the position, then create the team's `.go`; return the moment when the turn begins.

        The moment is in time.monotonic() seconds. Raises OSError if the folder cannot be written.
        """
        assert self._waiter is not None
        if self._is_elsewhere():
            raise FileNotFoundError(errno.ENOENT, "the folder was taken away", str(self.folder))
        self.reader.deliver(last.encode())
        self._tell_position(position)
        self._put_line()
        self.show_turn(team)
        since = time.monotonic()
        # the remaining work delays no player: the agent is awake, and reads
        self.reader.expect(since)
        self._prepare()
        return since

    def _is_elsewhere(self) -> bool:
        """Return whether the owner's folder is no longer in its place; another one may be there."""
        try:
            return self.owner is not None and os.lstat(self._path).st_ino != self._number
        except OSError:
            return True

    def _prepare(self) -> None:
        """Create the file for the next line: half of the work of replacing `move_file`."""
        self._next = create_to_write(self._aside)
        if self._user is not None:
            os.fchown(self._next, self._user, self._user)

    def _put_line(self) -> None:
        """Replace `move_file` by the line to be delivered, even if it is the same line: it marks a new turn."""
        if self._next < 0:
            self._prepare()
        os.write(self._next, self.reader.delivered)
        os.close(self._next)  # close it before the rename: a close event of move_file would look like an agent's write
        self._next = -1
        try:
            os.rename(self._aside, self._moves)
        except OSError:  # an agent has created a folder of that name, or removed our folder
            put(self._moves, self.reader.delivered, self._aside, self._user)

    def _restore_line(self) -> None:
        """Write the delivered line again, within a turn."""
        self._put_line()
        self._prepare()

    def _tell_position(self, position: bytes) -> None:
        """Overwrite `position.json` in place, which is safe since its reader's turn has not begun."""
        os.pwrite(self._position, position, 0)
        if len(position) < self._position_length:
            os.ftruncate(self._position, len(position))
        self._position_length = len(position)

    def record(self, number: int, line: str, mover: str | None = None) -> None:
        """End the turn of `mover`, if it plays here, and append the line of move `number` (from 1) to `history_file`.

        In a shared folder this happens once per move: the mover may have its next turn before the last player is
        notified.
        """
        if number > self._recorded:
            self._lines.append(line)
            self._recorded, self._last = number, line
            try:
                if mover is not None:
                    self.end_turn(mover)
            finally:
                os.write(self._history, line.encode())

    def end_turn(self, team: str) -> None:
        """Remove the team's `.go`, unless the agent has removed it."""
        clear(self._go[team])
        self._turn_ended[team] = time.monotonic()

    def turn_ended(self, team: str) -> float:
        """Return the time.monotonic() moment at which the team's last turn ended; minus infinity before its first."""
        return self._turn_ended.get(team, -math.inf)

    def shows_turn(self, team: str) -> bool:
        """Return whether the team's `.go` exists."""
        return os.path.lexists(self._go[team])

    def show_end(self, result: str) -> None:
        """Write the last accepted line, then `end_game`; once in a shared folder."""
        if self._ended:
            return
        self._ended = True
        # first remove old turns: with a new line, an old turn would look new
        for team in [self.owner] if self.owner else self.teams:
            self.end_turn(team)
        put(self._moves, self._last.encode(), self._aside, self._user)
        clear(f"{self._path}/end_game")
        create_at_once(f"{self._path}/end_game", result.encode(), self._aside)

    def show_turn(self, team: str) -> None:
        """Create the team's `.go`.

        Also used after the end: an agent without `.ready` waits only for this file, and then finds `end_game`.
        """
        create(self._go[team], b"go!")

    def next_game(self, following: str) -> None:
        """Write the name of the next game's folder for agents that wrote `.ready`; an empty text means no game."""
        create_at_once(f"{self._path}/next_game", following.encode(), self._aside)

    def repair(self) -> None:
        """Create the folder again after an agent has destroyed it. Raises OSError if this fails."""
        if self.folder.is_symlink() or (self.folder.exists() and not self.folder.is_dir()):
            self.folder.unlink()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        self._hand_over()
        if self._waiter is not None:
            self._waiter.close()
        self._watch()
        for file in (self._history, self._position):
            os.close(file)
        self._write_game_json()
        self._write_history()

    def close(self) -> None:
        """Stop watching the folder, and keep its files."""
        if self._waiter is not None:
            self._waiter.close()
            self._waiter = None
        self.reader.close()
        for file in (self._history, self._position, self._next):
            if file >= 0:
                os.close(file)
        self._history = self._position = self._next = -1
        clear(self._aside)

    def remove(self) -> None:
        """Remove the folder and its content."""
        self.close()
        if self.folder.exists():
            remove_tree(self.folder)
