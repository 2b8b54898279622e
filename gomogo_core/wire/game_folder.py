"""A game folder, on the referee's side: creates the folder, starts turns, records moves, and ends the game.

The module `move_reader` reads the lines of agents. This module gives no verdict, and starts no process.
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
from gomogo_core.procfs import is_alive
from gomogo_core.wire import inotify
from gomogo_core.wire.move_reader import MoveReader
from gomogo_core.wire.small_files import (
    create_atomically,
    create_file,
    create_to_write,
    open_to_write,
    read_state,
    remove_path,
    remove_tree,
    replace_file,
    write_in_place,
)
from gomogo_core.wire.waiter import Waiter

# MODIFY events only separate CLOSE_WRITE events, because the kernel merges equal successive events.
_WATCHED_EVENTS = inotify.CLOSE_WRITE | inotify.MOVED_TO | inotify.DELETE_SELF | inotify.MOVE_SELF | inotify.MODIFY
_FILES_OF_EARLIER_GAME = ("end_game", "history_file", "game.json", "position.json", "next_game")


class GameFolder:
    """One game folder. A private folder belongs to one team, the owner. A shared folder belongs to all teams.

    user: the user id of the owner's program, if it differs from the referee's; the folder then belongs to that user.
    """

    def __init__(self, folder: Path, teams: Sequence[str], owner: str | None = None, user: int | None = None) -> None:
        self.folder, self.teams, self.owner, self._user_id = folder, tuple(teams), owner, user
        self._folder_path, self._move_file_path = str(folder), str(folder / "move_file")
        self._go_paths = {team: str(folder / f"{team}.go") for team in teams}
        # the unfinished file of a private folder is outside the folder, so that only a turn wakes the agent
        self._unfinished_path = f"{folder}.aside" if owner else str(folder / ".move_file.new")
        self.reader = MoveReader(self._move_file_path, self.teams, owner, self._is_folder_replaced, self._restore_line)
        self._next_move_file = -1
        self._history_descriptor = self._position_descriptor = -1
        self._position_bytes = self._recorded_moves = 0
        self._game_json, self._history_lines = b"", list[str]()  # the contents of game.json and of history_file
        self._last_line = ""
        # by team: the moment by time.monotonic() at which its last turn ended
        self._turn_ended_at: dict[str, float] = {}
        self._waiter: Waiter | None = None
        self._has_ended = False
        self._folder_inode = 0  # the folder's inode, because an agent may replace the folder by a link to another

    @property
    def has_game(self) -> bool:
        """Whether a game has been prepared in this folder, and `close` has not been called."""
        return self._waiter is not None

    def prepare_game(self, game_json: Mapping[str, Any], opening: Sequence[str]) -> None:
        """Prepare the folder for a game: remove the files of an earlier game, and write the files that an agent needs.

        game_json: the content of `game.json`. opening: the lines of the opening moves. Raises UserError if the folder
        cannot be used.
        """
        if not self._create_owner_folder():
            self._clear_earlier_game()
        self.set_game_json(game_json)
        self._last_line = opening[-1] if opening else ""
        self.reader.begin_game(self._last_line.encode())
        self._history_lines = list(opening)
        self._write_history()
        self._recorded_moves = len(opening)
        replace_file(self._move_file_path, self.reader.delivered_line, self._unfinished_path, self._user_id)
        self._watch_folder()

    def _create_owner_folder(self) -> bool:
        """Create the owner's folder. Returns False if the folder existed already, and for a shared folder."""
        if not self.owner:
            return False
        try:
            self.folder.mkdir(parents=True)
            is_new = True
        except FileExistsError:
            self.folder.mkdir(exist_ok=True)  # raises FileExistsError if the path is a file
            is_new = False
        self._give_to_owner()
        return is_new

    def _clear_earlier_game(self) -> None:
        served_teams = [self.owner] if self.owner else self.teams
        for team in served_teams:
            self._refuse_foreign_go_file(team)
        # the files of turns are removed first, so that no agent acts on an old turn
        for name in (*(f"{team}.go" for team in served_teams), *_FILES_OF_EARLIER_GAME):
            remove_path(f"{self._folder_path}/{name}")
        for team in served_teams:
            if (pid := self.ready_pid(team)) is not None and not is_alive(pid):
                remove_path(f"{self._folder_path}/{team}.ready")

    def _watch_folder(self) -> None:
        self._waiter = Waiter(self.folder, _WATCHED_EVENTS)
        self.reader.observe_events_of(self._waiter)

    def set_game_json(self, game_json: Mapping[str, Any]) -> None:
        """Write or replace `game.json`. game_json: the new content. Raises OSError if the folder cannot be written."""
        owner_entry = {"you": self.owner} if self.owner else {}
        # a line for each entry; json.dumps with an indent would take twelve times as long
        json_entries = [
            f" {json.dumps(name)}: {json.dumps(value)}" for name, value in {**game_json, **owner_entry}.items()
        ]
        self._game_json = ("{\n" + ",\n".join(json_entries) + "\n}").encode()
        self._write_game_json()

    def _write_game_json(self) -> None:
        if self._next_move_file >= 0:  # if this file stayed open, the next line would be written into game.json
            os.close(self._next_move_file)
            self._next_move_file = -1
            remove_path(self._unfinished_path)
        replace_file(f"{self._folder_path}/game.json", self._game_json, self._unfinished_path)

    def _give_to_owner(self) -> None:
        """Let the owner's program write into the folder. Other users cannot, because only the referee's user can enter
        the parent folder.
        """
        if self._user_id is not None:
            self.folder.chmod(0o755)
            os.chown(self.folder, self._user_id, self._user_id)

    def _refuse_foreign_go_file(self, team: str) -> None:
        """Raise UserError if TEAM.go is a source file of the language Go. The file of a turn contains at most `go!`."""
        state = read_state(f"{self._folder_path}/{team}.go", 16)
        if state.content is not None and state.content.strip() not in (b"", b"go!"):
            raise UserError(
                f"{team}.go in this folder is not a game file, and a team {team!r} would overwrite it.",
                "Move it away, give the team another name, or play in an empty folder.",
            )

    def _write_history(self) -> None:
        """Write the lines of all moves so far, and open the file to append to it."""
        write_in_place(f"{self._folder_path}/history_file", "".join(self._history_lines).encode())
        self._open_files()

    def _open_files(self) -> None:
        """Open `history_file` and `position.json` for the whole game: then a move takes one system call, not three."""
        self._history_descriptor = open_to_write(f"{self._folder_path}/history_file", os.O_APPEND)
        self._position_descriptor, self._position_bytes = open_to_write(f"{self._folder_path}/position.json", 0), 0
        self._folder_inode = os.lstat(self._folder_path).st_ino

    def ready_pid(self, team: str) -> int | None:
        """Return the process id in the team's file `TEAM.ready`; None if there is no file; 0 if the file contains no
        number.
        """
        state = read_state(f"{self._folder_path}/{team}.ready", 32)
        if state.content is None or not state.content.strip():
            return None
        text = state.content.strip().decode("ascii", "replace")
        return int(text) if text.isascii() and text.isdigit() else 0

    def wait_for_change(self, started_at: float, deadline: float, exit_fds: tuple[int, ...] = ()) -> list[int]:
        """Wait until the folder changes or a descriptor is readable, at most for MAX_WAIT_SECONDS. Return the readable
        descriptors.

        started_at, deadline: as in `Waiter.wait`.
        """
        assert self._waiter is not None
        readable_fds = self._waiter.wait(started_at, deadline, exit_fds)
        self._waiter.events()
        return readable_fds

    def give_turn(self, team: str, last_line: str, position: bytes) -> float:
        """Write the last line and the position, and create the file `TEAM.go`. Return the moment when the turn begins.

        The moment is by time.monotonic(). Raises OSError if the folder cannot be written.
        """
        assert self._waiter is not None
        if self._is_folder_replaced():
            raise FileNotFoundError(errno.ENOENT, "the folder was removed", str(self.folder))
        self.reader.set_delivered_line(last_line.encode())
        self._write_position(position)
        self._replace_move_file()
        self.create_turn_file(team)
        began_at = time.monotonic()
        # the remaining work delays no player, because the agent already reads the other files
        self.reader.begin_turn(began_at)
        self._prepare_next_file()
        return began_at

    def seconds_since_last_change(self) -> float | None:
        """Return the seconds since `move_file` was last changed, by the system's clock; None if it is missing."""
        try:
            return time.time() - os.lstat(self._move_file_path).st_ctime
        except OSError:
            return None

    def _is_folder_replaced(self) -> bool:
        """Return whether the private folder was removed, or replaced by another folder."""
        try:
            return self.owner is not None and os.lstat(self._folder_path).st_ino != self._folder_inode
        except OSError:
            return True

    def _prepare_next_file(self) -> None:
        """Create the file that will later replace `move_file`. This is half of the work of the replacement."""
        self._next_move_file = create_to_write(self._unfinished_path)
        if self._user_id is not None:
            os.fchown(self._next_move_file, self._user_id, self._user_id)

    def _replace_move_file(self) -> None:
        """Replace `move_file` by a new file with the delivered line. Even with the same line, a new file means a new
        turn.
        """
        if self._next_move_file < 0:
            self._prepare_next_file()
        os.write(self._next_move_file, self.reader.delivered_line)
        # close it before the rename: a close event of move_file would look like an agent's write
        os.close(self._next_move_file)
        self._next_move_file = -1
        try:
            os.rename(self._unfinished_path, self._move_file_path)
        except OSError:  # an agent has created a folder of that name, or removed the game folder
            replace_file(self._move_file_path, self.reader.delivered_line, self._unfinished_path, self._user_id)

    def _restore_line(self) -> None:
        """Write the delivered line again during a turn."""
        self._replace_move_file()
        self._prepare_next_file()

    def _write_position(self, position: bytes) -> None:
        """Overwrite `position.json` in place, which is safe because the turn of its reader has not begun."""
        os.pwrite(self._position_descriptor, position, 0)
        if len(position) < self._position_bytes:
            os.ftruncate(self._position_descriptor, len(position))
        self._position_bytes = len(position)

    def record_move(self, move_number: int, line: str, mover: str | None = None) -> None:
        """Append a move to `history_file`, and end the turn of the player that made it. move_number: the number of the
        move, counted from 1.

        mover: the player that made the move; None if that player has no turns in this folder. In a shared folder only
        the first call for a move has an effect, because the mover may have its next turn before the last player is
        notified.
        """
        if move_number > self._recorded_moves:
            self._history_lines.append(line)
            self._recorded_moves, self._last_line = move_number, line
            try:
                if mover is not None:
                    self.end_turn(mover)
            finally:
                os.write(self._history_descriptor, line.encode())

    def end_turn(self, team: str) -> None:
        """Remove the team's file `TEAM.go`, if it still exists."""
        remove_path(self._go_paths[team])
        self._turn_ended_at[team] = time.monotonic()

    def turn_ended_at(self, team: str) -> float:
        """Return the moment by time.monotonic() at which the team's last turn ended; -inf before its first turn."""
        return self._turn_ended_at.get(team, -math.inf)

    def has_turn_file(self, team: str) -> bool:
        """Return whether the team's file `TEAM.go` exists."""
        return os.path.lexists(self._go_paths[team])

    def write_end(self, result: str) -> None:
        """Write the last accepted line, and then `end_game`.

        Further calls do nothing. result: the line of `end_game`.
        """
        if self._has_ended:
            return
        self._has_ended = True
        # remove the files of turns first, because with a new line they would look like new turns
        for team in [self.owner] if self.owner else self.teams:
            self.end_turn(team)
        replace_file(self._move_file_path, self._last_line.encode(), self._unfinished_path, self._user_id)
        remove_path(f"{self._folder_path}/end_game")
        create_atomically(f"{self._folder_path}/end_game", result.encode(), self._unfinished_path)

    def create_turn_file(self, team: str) -> None:
        """Create the team's file `TEAM.go`.

        It is also created after the end of the game: an agent that creates no `TEAM.ready` waits only for `TEAM.go`,
        and then finds `end_game`.
        """
        create_file(self._go_paths[team], b"go!")

    def announce_next_game(self, next_folder: str) -> None:
        """Write the name of the next game's folder, for agents that create `TEAM.ready`; the name is empty if no game
        follows.
        """
        create_atomically(f"{self._folder_path}/next_game", next_folder.encode(), self._unfinished_path)

    def repair(self) -> None:
        """Create the folder again after an agent has destroyed it. Raises OSError if this fails."""
        if self.folder.is_symlink() or (self.folder.exists() and not self.folder.is_dir()):
            self.folder.unlink()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        self._give_to_owner()
        if self._waiter is not None:
            self._waiter.close()
        self._watch_folder()
        for descriptor in (self._history_descriptor, self._position_descriptor):
            os.close(descriptor)
        self._write_game_json()
        self._write_history()

    def close(self) -> None:
        """Stop watching the folder and close its files. The files stay."""
        if self._waiter is not None:
            self._waiter.close()
            self._waiter = None
        self.reader.close()
        for descriptor in (self._history_descriptor, self._position_descriptor, self._next_move_file):
            if descriptor >= 0:
                os.close(descriptor)
        self._history_descriptor = self._position_descriptor = self._next_move_file = -1
        remove_path(self._unfinished_path)

    def remove(self) -> None:
        """Remove the folder and its content."""
        self.close()
        if self.folder.exists():
            remove_tree(self.folder)
