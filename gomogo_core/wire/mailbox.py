"""A game folder as the referee sees it: lay it, give a turn, wait for the line to settle, end.

Knows the files of the protocol and how agents write them; makes no verdict, and starts no process.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.games.base import Position
from gomogo_core.wire import inotify
from gomogo_core.wire.alive import alive
from gomogo_core.wire.folder import (
    Seen,
    appear,
    clear,
    create,
    is_being_written,
    look,
    open_to_write,
    put,
    remove_tree,
    write_in_place,
)
from gomogo_core.wire.lines import MOST_BYTES, Line, Meaning, read_line
from gomogo_core.wire.waiting import LONGEST, Waiter

SETTLE = 0.05  # seconds a complete line must stay unchanged where its writer is not seen to close it
_CLOSED_BY = 0.5  # seconds for who has move_file open to close it, before a verdict that rests on it
SETTLE_GROWING = 0.3  # the same for "x h 1", which may become "x h 12"; runs on nobody's clock
# MODIFY tells us nothing, but parts two closings: the kernel tells of equal events that follow each other only once
_MASK = inotify.CLOSE_WRITE | inotify.MOVED_TO | inotify.DELETE_SELF | inotify.MOVE_SELF | inotify.MODIFY
_UNSEEN, _NOTHING_YET = Seen(None), Line(Meaning.NOT_YET)
_STALE = ("end_game", "history_file", "game.json", "position.json", "next_game")


class Written(NamedTuple):
    """A line that settled: what it means, and the time.monotonic() moment at which it could first be read."""

    line: Line
    at: float


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
        self._delivered = b""  # what we last wrote into move_file
        self._accepted = b""  # what stood there when the last move was accepted
        self._closings = 0  # of `move_file` after writing, or that it was replaced, since the turn was given
        self._next = -1
        self._seen, self._first_seen, self._line = _UNSEEN, 0.0, _NOTHING_YET
        self._look_at, self._unlooked, self._own_put = 0.0, True, False
        self._disowned: Seen | None = None  # what stands there, and is not the owner's
        self.early = False  # whether a line was written before the turn it was for
        self._history, self._position = -1, -1
        self._position_length = 0
        self._recorded = 0
        self._about, self._lines = b"", list[str]()  # what stands in game.json and history_file
        self._last = ""
        self._waiter: Waiter | None = None
        self._ended = False
        self._number = 0  # of the folder we laid; a link to another's may stand in its place
        self._gone: set[str] = set()  # who has left the others, in lower case

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
        self._delivered = self._last.encode()
        self._accepted = self._delivered
        self._lines = list(opening)
        self._write_history()
        self._recorded = len(opening)
        put(self._moves, self._delivered, self._aside, self._user)
        self._waiter = Waiter(self.folder, _MASK)

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
        self.early = not self._waiter.watching and self._stands_early()
        self._tell_position(position)
        self._delivered = last.encode()
        self._put_line()
        create(self._go[team], b"go!")
        since = time.monotonic()
        # what follows costs nobody a moment: the agent is awake, and reads
        self._seen, self._first_seen, self._line = _UNSEEN, since, _NOTHING_YET
        self._look_at = since + LONGEST
        self._unlooked, self._closings, self._own_put = not self._waiter.watching, 0, True
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
        os.write(self._next, self._delivered)
        os.close(self._next)  # now: closed behind its new name, it would look like an agent's writing
        self._next = -1
        try:
            os.rename(self._aside, self._moves)
        except OSError:  # an agent has put a folder there, or taken ours away
            put(self._moves, self._delivered, self._aside, self._user)

    def _tell_position(self, position: bytes) -> None:
        """Overwrite `position.json` through the descriptor we keep: its reader has not yet been given its turn."""
        os.pwrite(self._position, position, 0)
        if len(position) < self._position_length:
            os.ftruncate(self._position, len(position))
        self._position_length = len(position)

    def _stands_early(self) -> bool:
        """Where no event tells: whether there stands something else than we know of."""
        there = look(self._moves, MOST_BYTES).content
        return bool(there and there.strip() and there not in (self._accepted, self._delivered))

    def _take_events(self) -> None:
        """Take the events in, and note whether somebody closed or replaced `move_file` since we put the last line.

        Before that it was not yet that team's turn: an early line, which we have replaced.
        """
        assert self._waiter is not None
        for mask, name in self._waiter.events():
            if name != b"move_file" or mask & inotify.MODIFY:
                continue
            if not self._own_put:
                self._unlooked, self._closings = True, self._closings + 1
            elif mask & inotify.MOVED_TO:
                self._own_put = False
            else:
                self.early = True

    def wait_line(
        self, team: str, position: Position, since: float, until: float, pulses: Sequence[int] = ()
    ) -> Written | list[int] | str:
        """Wait for the team's line until it has settled, till `until` at most; may be called again for the same turn.

        Returns what was written; or the pulses that were felt; or, when the time is over, what stands there instead.
        """
        assert self._waiter is not None
        rounds = 0
        self._take_events()
        while True:
            now = time.monotonic()
            if self._unlooked or now >= self._look_at or now >= until:
                self._look(team, position, now)
                if self._has_settled(now, until):
                    self._accepted = self._seen.content or b""
                    return Written(self._line, self._first_seen)
                if now >= until:
                    return self._instead(self._seen)
            rounds += 1
            if rounds > 1000:  # somebody writes without end: do not spend our core on it
                time.sleep(0.001)
            felt = self._waiter.wait(since, min(until, self._look_at), pulses)
            self._unlooked = not self._waiter.watching
            self._take_events()
            if felt:
                return felt

    def _look(self, team: str, position: Position, now: float) -> None:
        latest = look(self._moves, MOST_BYTES)
        if latest == self._disowned:
            latest = _UNSEEN
        if latest.content != self._seen.content:  # the same line written once more is no other line
            self._seen, self._first_seen = latest, now
            self._line = self._meaning(latest, team, position)
            if self._line.meaning is Meaning.OTHER_TEAM and self._is_elsewhere():
                self._line = _NOTHING_YET  # through a link to the folder of that team, which wrote it for itself
        self._look_at = now + (SETTLE if self._line.meaning is not Meaning.NOT_YET else LONGEST)

    def _has_settled(self, now: float, until: float) -> bool:
        """Closed by its writer; or, where that is not seen, unchanged for a while; or whole when the time is over."""
        if self._line.meaning is Meaning.NOT_YET:
            return False
        quiet = SETTLE_GROWING if self._line.may_grow else SETTLE
        whole = self._line.meaning is Meaning.MOVE
        return self._closings > 0 or now >= self._first_seen + quiet or (now >= until and whole)

    def _meaning(self, seen: Seen, team: str, position: Position) -> Line:
        if seen.content is None or seen.content == self._delivered:
            return _NOTHING_YET
        if self._gone and not self.owner and _first_word(seen.content) in self._gone:
            return _NOTHING_YET
        line = read_line(seen.content, team, self.teams, position)
        if line.meaning is Meaning.OTHER_TEAM and not self.owner and seen.content.split() == self._delivered.split():
            return _NOTHING_YET  # in a shared folder the last mover may write its accepted line once more
        return line

    def disown(self) -> None:
        """Wait on as if the line that has settled were not there: it is none of the owner's."""
        self._disowned = self._seen
        self._seen, self._line, self._closings = _UNSEEN, _NOTHING_YET, 0

    def closings(self) -> tuple[int, int]:
        """How often `move_file` was closed after writing, or replaced, in this turn, as far as events tell; its bytes.

        Waits a little for who is still writing: between its writing and its closing a line can be read already.
        """
        until = time.monotonic() + _CLOSED_BY
        while is_being_written(self._moves) and time.monotonic() < until:
            time.sleep(0.001)
        self._take_events()
        return self._closings, len(self._seen.content or b"") if self._closings else 0

    def _instead(self, seen: Seen) -> str:
        if seen.content is None:
            return f"move_file: {seen.why}"
        if seen.content == self._delivered or not seen.content.strip():
            return "nothing was written"
        return f"only {seen.content[:60].decode('utf-8', 'replace')!r} was written"

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

    def part_with(self, team: str) -> None:
        """Read no line of this team's any more: in a shared folder it might write one after it has left the game."""
        self._gone.add(team.casefold())

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
        self._waiter = Waiter(self.folder, _MASK)
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


def _first_word(content: bytes) -> str:
    return (content.decode("utf-8-sig", "replace").casefold().split() or [""])[0]
