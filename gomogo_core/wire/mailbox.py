"""A game folder as the referee sees it: lay it, give a turn, record what was played, end.

Knows the files of the protocol; how agents write their lines is `expected`'s. Makes no verdict, and starts no process.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gomogo_core.errors import UserError
from gomogo_core.wire import inotify
from gomogo_core.wire.alive import alive
from gomogo_core.wire.expected import Expected
from gomogo_core.wire.folder import (
    appear,
    clear,
    create,
    look,
    open_to_write,
    put,
    remove_tree,
    write_in_place,
)
from gomogo_core.wire.waiting import Waiter

# MODIFY tells us nothing, but parts two closings: the kernel tells of equal events that follow each other only once
_MASK = inotify.CLOSE_WRITE | inotify.MOVED_TO | inotify.DELETE_SELF | inotify.MOVE_SELF | inotify.MODIFY
_STALE = ("end_game", "history_file", "game.json", "position.json", "next_game")


class Mailbox:
    """One game folder. Private: one team's own, with `aside` out of its sight. Shared: all teams'.

    user: as whom the owner's program runs, where that is another one than we are; the folder becomes that user's.
    """

    def __init__(self, folder: Path, teams: Sequence[str], owner: str | None = None, user: int | None = None) -> None:
        self.folder, self.teams, self.owner, self._user = folder, tuple(teams), owner, user
        self._moves = str(folder / "move_file")
        self._go = {team: str(folder / f"{team}.go") for team in teams}
        # in a private folder the unfinished file lies beside it, so that the agent is woken by nothing but its turn
        self._aside = f"{folder}.aside" if owner else str(folder / ".move_file.new")
        self.line = Expected(self._moves, self.teams, owner, self._is_elsewhere)
        self._next = -1
        self._history, self._position = -1, -1
        self._position_length = 0
        self._recorded = 0
        self._about, self._lines = b"", list[str]()  # what stands in game.json and history_file
        self._last = ""
        self._waiter: Waiter | None = None
        self._ended = False
        self._number = 0  # of the folder we laid; a link to another's may stand in its place

    @property
    def laid(self) -> bool:
        """Whether a game has been laid here and not yet been closed."""
        return self._waiter is not None

    def lay(self, about: Mapping[str, Any], opening: Sequence[str]) -> None:
        """Make the folder fit for a game: nothing of an earlier one, and all that must be there before the agent.

        about: the content of game.json. opening: lines of moves already made. Raises UserError where it cannot be used.
        """
        if self.owner:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hand_over()
        mine = [self.owner] if self.owner else self.teams
        for team in mine:
            self._refuse_source(team)
        for name in (*(f"{team}.go" for team in mine), *_STALE):  # the turns first: nobody may act on an old one
            clear(str(self.folder / name))
        for team in mine:
            if (pid := self.ready_pid(team)) is not None and not alive(pid):
                clear(str(self.folder / f"{team}.ready"))
        self.tell(about)
        self._last = opening[-1] if opening else ""
        self.line.begin(self._last.encode())
        self._lines = list(opening)
        self._write_history()
        self._recorded = len(opening)
        put(self._moves, self.line.delivered, self._aside, self._user)
        self._watch()

    def _watch(self) -> None:
        self._waiter = Waiter(self.folder, _MASK)
        self.line.watch(self._waiter)

    def tell(self, about: Mapping[str, Any]) -> None:
        """Put `game.json`, in the place of an earlier one too. Raises OSError where the folder cannot be written."""
        private = {"you": self.owner} if self.owner else {}
        self._about = json.dumps({**about, **private}, indent=1).encode()
        self._put_about()

    def _put_about(self) -> None:
        if self._next >= 0:  # else the next line would be written into this file
            os.close(self._next)
            self._next = -1
            clear(self._aside)
        put(str(self.folder / "game.json"), self._about, self._aside)

    def _hand_over(self) -> None:
        """Let the owner's program write here. Nobody else comes so far: the folder above is ours alone."""
        if self._user is not None:
            self.folder.chmod(0o755)
            os.chown(self.folder, self._user, self._user)

    def _refuse_source(self, team: str) -> None:
        """Never delete somebody's Go program: a turn's file holds `go!` at most."""
        there = look(str(self.folder / f"{team}.go"), 16)
        if there.content is not None and there.content.strip() not in (b"", b"go!"):
            raise UserError(
                f"{team}.go in this folder is no file of a game, and a team {team!r} would overwrite it.",
                "Move it away, give the team another name, or play in an empty folder.",
            )

    def _write_history(self) -> None:
        """Write the lines of all moves so far, and go on behind them."""
        write_in_place(str(self.folder / "history_file"), "".join(self._lines).encode())
        self._open()

    def _open(self) -> None:
        """Keep the two files that only grow or change before a turn open: a move costs one call instead of three."""
        self._history = open_to_write(str(self.folder / "history_file"), os.O_APPEND)
        self._position, self._position_length = open_to_write(str(self.folder / "position.json"), 0), 0
        self._number = os.lstat(self.folder).st_ino

    def ready_pid(self, team: str) -> int | None:
        """The process that says it is loaded, or None; 0 where the file holds no number."""
        there = look(str(self.folder / f"{team}.ready"), 32)
        if there.content is None or not there.content.strip():
            return None
        number = there.content.strip().decode("ascii", "replace")
        return int(number) if number.isascii() and number.isdigit() else 0

    def wait_any(self, since: float, until: float, pulses: Sequence[int] = ()) -> list[int]:
        """Wait for a change in the folder or a pulse, LONGEST at most; the pulses that were felt."""
        assert self._waiter is not None
        felt = self._waiter.wait(since, until, pulses)
        self._waiter.events()
        return felt

    def give_turn(self, team: str, last: str, position: bytes) -> float:
        """Show the last line and the position, then create the team's `.go`; the moment from which the agent can know.

        Raises OSError where the folder cannot be written.
        """
        assert self._waiter is not None
        if self._is_elsewhere():
            raise FileNotFoundError(errno.ENOENT, "the folder was taken away", str(self.folder))
        self.line.deliver(last.encode())
        self._tell_position(position)
        self._put_line()
        create(self._go[team], b"go!")
        since = time.monotonic()
        # what follows costs nobody a moment: the agent is awake, and reads
        self.line.expect(since)
        self._prepare()
        return since

    def _is_elsewhere(self) -> bool:
        """Whether the owner's folder is no longer where we laid it; something else may be there."""
        try:
            return bool(self.owner) and os.lstat(self.folder).st_ino != self._number
        except OSError:
            return True

    def _prepare(self) -> None:
        """Create the file in which the next line will be put: half of the work of replacing `move_file`."""
        self._next = open_to_write(self._aside)
        if self._user is not None:
            os.fchown(self._next, self._user, self._user)

    def _put_line(self) -> None:
        """Put the line to be delivered in the place of `move_file`; also when it says the same: it is a new turn."""
        if self._next < 0:
            self._prepare()
        os.write(self._next, self.line.delivered)
        os.close(self._next)  # now: closed behind its new name, it would look like an agent's writing
        self._next = -1
        try:
            os.rename(self._aside, self._moves)
        except OSError:  # an agent has put a folder there, or taken ours away
            put(self._moves, self.line.delivered, self._aside, self._user)

    def _tell_position(self, position: bytes) -> None:
        """Overwrite `position.json` through the descriptor we keep: its reader has not yet been given its turn."""
        os.pwrite(self._position, position, 0)
        if len(position) < self._position_length:
            os.ftruncate(self._position, len(position))
        self._position_length = len(position)

    def record(self, number: int, line: str, mover: str | None = None) -> None:
        """End the turn of `mover`, if it plays here, and append the line of move `number` (from 1) to `history_file`.

        Once, however many share the folder: who moves again has its next turn before the last of them hears of this.
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
        """Take the team's `.go` away. Agents may have done it themselves."""
        clear(self._go[team])

    def show_end(self, result: str) -> None:
        """Write the last accepted line, then `end_game`. Once, however many share the folder."""
        if self._ended:
            return
        self._ended = True
        for team in [self.owner] if self.owner else self.teams:  # first: with a new line, an old turn would look new
            self.end_turn(team)
        put(self._moves, self._last.encode(), self._aside, self._user)
        clear(str(self.folder / "end_game"))
        appear(str(self.folder / "end_game"), result.encode(), self._aside)

    def wake(self, team: str) -> None:
        """Create the team's `.go` after the end: agents of old wait for nothing else, and look for `end_game` then."""
        create(self._go[team], b"go!")

    def send_on(self, following: str) -> None:
        """Tell agents that said ready where the next game is; an empty text sends them home."""
        appear(str(self.folder / "next_game"), following.encode(), self._aside)

    def mend(self) -> None:
        """Make the folder again where an agent has destroyed it. Raises OSError where that is not possible."""
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
        self._put_about()
        self._write_history()

    def close(self) -> None:
        """Stop watching; the files stay."""
        if self._waiter is not None:
            self._waiter.close()
            self._waiter = None
        for file in (self._history, self._position, self._next):
            if file >= 0:
                os.close(file)
        self._history = self._position = self._next = -1
        clear(self._aside)

    def remove(self) -> None:
        """Remove the folder with all in it."""
        self.close()
        if self.folder.exists():
            remove_tree(self.folder)
