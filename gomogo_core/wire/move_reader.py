"""Reads the line of a turn from `move_file`, and determines its writer, its meaning, and whether it is final.

`MoveReader` observes the file and `LineState` decides. Creates no folder, writes nothing, and makes no verdict.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import NamedTuple

from gomogo_core.games.base import Position
from gomogo_core.wire import inotify
from gomogo_core.wire.lines import MOST_BYTES, Meaning, MoveLine, read_line
from gomogo_core.wire.small_files import FileState, is_open_to_write, open_to_read, read_open_state, read_state
from gomogo_core.wire.waiting import LONGEST, Waiter

# seconds that a line must stay unchanged if the system cannot tell whether its writer has closed the file
SETTLE = 0.05
SETTLE_GROWING = 0.3  # the same for "x h 1", which may become "x h 12"; no player's clock runs in this time
SETTLE_OPEN = 10.0  # the same for a line whose writer keeps the file open, if the deadline is later
_CLOSED_BY = 0.5  # seconds for a writer to close move_file, before a verdict that depends on it
_UNSEEN, _NOTHING_YET = FileState(None), MoveLine(Meaning.NOT_YET)


class LineState:
    """The state of one turn's text. It takes observations with their times, and decides whether a line is final.

    A line is final once its writer has closed the current file. While the file is open to a writer, only the deadline
    makes a move final. Where the system cannot say whether it is open, a line is final after it has stayed unchanged
    for a while; a line that no further text can change is final as soon as a close event arrives.
    """

    def __init__(self, since: float) -> None:
        self.seen, self.line = _UNSEEN, _NOTHING_YET
        self.changed = since  # the time.monotonic() moment at which the present content could first be read
        self._closed = False  # whether `move_file` was closed or replaced in this turn

    def observe(self, state: FileState, meaning: Callable[[FileState], MoveLine], now: float) -> None:
        """Record the state of the file at this moment. The same content, written again, is not a new line."""
        if (state.content, state.missing) != (self.seen.content, self.seen.missing):
            self.changed, self.line = now, meaning(state)
        self.seen = state

    def closed(self) -> None:
        """Record the event that `move_file` was closed after writing, or replaced."""
        self._closed = True

    def is_final(self, now: float, *, deadline: bool) -> bool:
        """Return whether the line is final, so that it can be judged.

        deadline: whether the time of the turn is over.
        """
        if self.line.meaning is Meaning.NOT_YET:
            return False
        return self.seen.is_open is False or self._is_settled(now) or (deadline and self.line.meaning is Meaning.MOVE)

    def is_final_nothing(self, now: float) -> bool:
        """Return whether the file is empty or missing, and no writer has it open."""
        if self.seen.content is None:
            return self.seen.missing and now >= self.changed + LONGEST
        return not self.seen.content.strip() and self._is_settled(now)

    def _is_settled(self, now: float) -> bool:
        rest = now - self.changed
        if self.seen.is_open is None:
            return rest >= (SETTLE_GROWING if self.line.may_grow else SETTLE) or (
                self._closed and not self.line.may_grow and self.line.meaning is not Meaning.NOT_YET
            )
        return not self.seen.is_open or rest >= SETTLE_OPEN

    def next_look(self, now: float) -> float:
        """Return the time of the next check without an event: soon if a writer must finish, else after LONGEST."""
        if self.seen.is_open:  # the kernel sends a close event a moment before the file is closed
            return now + min(LONGEST, max(0.001, (now - self.changed) / 8))
        return now + (SETTLE if self.line.meaning is not Meaning.NOT_YET else LONGEST)


class FinalLine(NamedTuple):
    """A final line: its meaning, the time.monotonic() moment at which it was first readable, and the file's content.

    The content begins with that line. is_open: whether its writer had not closed the file when the time was over.
    """

    line: MoveLine
    at: float
    content: bytes = b""
    is_open: bool = False


class TimeOver(NamedTuple):
    """The deadline has passed without a line. evidence: a clause to put before "within 10 s"."""

    evidence: str
    is_untouched: bool  # whether nothing at all was written


class MoveReader:
    """Reads the lines of successive turns from one `move_file`, of the folder's owner or of all teams that share it.

    is_elsewhere: whether another folder has replaced ours. restore: writes the delivered line again.
    """

    def __init__(
        self,
        moves: str,
        teams: tuple[str, ...],
        owner: str | None,
        is_elsewhere: Callable[[], bool],
        restore: Callable[[], None],
    ) -> None:
        self._moves, self._teams, self._owner = moves, teams, owner
        self._is_elsewhere, self._restore = is_elsewhere, restore
        self._waiter: Waiter | None = None
        self.delivered = b""  # the content that we last wrote into move_file
        self._accepted = b""  # its content when the last move was accepted
        self._team = ""
        self._position: Position  # the team to move and its position, from `wait`
        self._state = LineState(0.0)
        self._look_at, self._unlooked = 0.0, True
        self._closings = 0  # how often `move_file` was closed after writing, or replaced, since the turn began
        self._own_puts = 0  # replacements by ourselves whose events are still to come
        self._given = False  # whether the event of the replacement that began the turn has come
        self._rejected: FileState | None = None  # content that the owner did not write
        self._replaced: int | None = None  # the file that we replaced within the turn: an agent may still write to it
        self.early = False  # whether a line was written before its turn
        self.strangers: list[str] = []  # lines of this turn that name a team that is not to move

    def observe_events_of(self, waiter: Waiter) -> None:
        """Receive the events of the folder from this waiter from now on."""
        self._waiter = waiter

    def begin(self, last: bytes) -> None:
        """Begin a game. `last` is the line in the file, which is not an agent's answer."""
        self.delivered = self._accepted = last

    def deliver(self, last: bytes) -> None:
        """Record the line for the next turn; call this before the line is written."""
        assert self._waiter is not None
        self.early = bool(self._owner) and not self._waiter.watching and self._has_early_line()
        self.delivered = last

    def expect(self, since: float) -> None:
        """Begin to expect a line. since: the time.monotonic() moment at which the turn began."""
        assert self._waiter is not None
        self.close()
        self._state = LineState(since)
        self._look_at = since + LONGEST
        self._unlooked, self._closings = not self._waiter.watching, 0
        self._own_puts, self._given = 1, False
        self._rejected, self.strangers = None, []

    @property
    def is_untouched(self) -> bool:
        """Whether nothing but the delivered line was seen in this turn."""
        return self._state.seen.content in (None, self.delivered)

    def _has_early_line(self) -> bool:
        """Return whether the file contains an unknown line; used only without events."""
        there = read_state(self._moves, MOST_BYTES).content
        return bool(there and there.strip() and there not in (self._accepted, self.delivered))

    def _take_events(self) -> None:
        """Read the events, and note whether `move_file` was closed or replaced since we last replaced it.

        An event before that belongs to an early line, which we have replaced.
        """
        assert self._waiter is not None
        for mask in self._waiter.events_of(b"move_file"):
            if self._own_puts and mask & inotify.MOVED_TO:
                self._own_puts, self._given = self._own_puts - 1, True
                continue
            self._unlooked = True
            if self._given:
                self._closings += 1
                self._state.closed()
            else:
                self.early = bool(self._owner)

    def wait(
        self,
        team: str,
        position: Position,
        since: float,
        deadline: float,
        until: float | None = None,
        exit_fds: tuple[int, ...] = (),
    ) -> FinalLine | TimeOver | list[int]:
        """Wait for the team's line until it is final; may be called again for the same turn.

        deadline: the end of the turn. until: an earlier moment at which to return to the caller. Returns the line; or
        that the time is over; or the readable descriptors among `exit_fds`, none of them at `until`.
        """
        assert self._waiter is not None
        until, rounds = deadline if until is None else until, 0
        self._team, self._position = team, position
        self._take_events()
        while True:
            now = time.monotonic()
            if self._unlooked or now >= self._look_at or now >= deadline:
                self._check_move_file(now)
                if self._state.is_final(now, deadline=now >= deadline):
                    if self._owner or self._state.line.meaning is not Meaning.OTHER_TEAM:
                        return self._accept()
                    self._put_back(self._state.line.move)
                elif not self._owner and self.delivered and self._state.is_final_nothing(now):
                    self._put_back("")
                else:
                    self._look_at = self._state.next_look(now)
            if now >= deadline:
                return self._time_over()
            if now >= until:
                return []
            rounds += 1
            if rounds > 1000:  # an agent writes without end: wait a little, to save CPU time
                time.sleep(0.001)
            felt = self._waiter.wait(since, min(until, deadline, self._look_at), exit_fds)
            self._unlooked = not self._waiter.watching
            self._take_events()
            if felt:
                return felt

    def _check_move_file(self, now: float) -> None:
        latest = read_state(self._moves, MOST_BYTES, unless=self.delivered, changed=self._closings > 0)
        self._unlooked = False
        if (rejected := self._rejected) is not None and latest[:2] == rejected[:2]:
            latest = _UNSEEN
        if self._replaced is not None and latest.content in (None, self.delivered):
            latest = self._read_replaced_file(latest)
        self._state.observe(latest, self._interpret, now)

    def _read_replaced_file(self, latest: FileState) -> FileState:
        """Return the state of the file that we have replaced, while a writer, perhaps the mover, has it open."""
        assert self._replaced is not None
        before = read_open_state(self._replaced, MOST_BYTES)
        same = self._rejected is not None and before.content == self._rejected.content
        if same or not (before.content or b"").strip():
            if before.is_open is False:
                self.close()
            return latest
        return before

    def _accept(self) -> FinalLine:
        state = self._state
        self._accepted = state.seen.content or b""
        self._take_events()  # without this, the close event of this line would count as an early line of the next turn
        return FinalLine(state.line, state.changed, self._accepted, is_open=state.seen.is_open is True)

    def _interpret(self, state: FileState) -> MoveLine:
        content = state.content
        if content is None or content == self.delivered:
            return _NOTHING_YET
        if not self._owner:
            if self.delivered.strip() and content.startswith(self.delivered):
                content = content[len(self.delivered) :]  # text was appended to the line that we restored
            elif content.split() == self.delivered.split():
                return _NOTHING_YET  # the last mover may write its accepted line again
        line = read_line(content, self._team, self._teams, self._position)
        if line.meaning is Meaning.OTHER_TEAM and self._is_elsewhere():
            # the line came through a link to the folder of the other team, which wrote it for itself
            return _NOTHING_YET
        return line

    def _put_back(self, stranger: str) -> None:
        """In a shared folder: replace another team's line by the delivered one.

        The mover may open the old file a moment before it is replaced, and write its move there, so keep reading it.
        """
        if stranger:
            self.strangers.append(stranger)
        self.close()
        with contextlib.suppress(OSError):
            self._replaced = open_to_read(self._moves)
        self._rejected = self._state.seen
        self._own_puts += 1
        self._restore()
        self._state, self._unlooked = LineState(time.monotonic()), True

    def close(self) -> None:
        """Close the file that was replaced."""
        if self._replaced is not None:
            os.close(self._replaced)
            self._replaced = None

    def reject(self) -> None:
        """Continue to wait as if the final line were missing, because the owner did not write it."""
        self._rejected = self._state.seen
        self._state = LineState(self._state.changed)
        self._closings = 0

    def closings(self) -> tuple[int, int]:
        """Return how often `move_file` was closed after writing or replaced in this turn, and its size in bytes."""
        return self._closings, len(self._state.seen.content or b"") if self._closings else 0

    def final_closings(self) -> tuple[int, int]:
        """Return the result of `closings` after a short wait for a writer that has not closed the file yet."""
        until = time.monotonic() + _CLOSED_BY
        while is_open_to_write(self._moves) and time.monotonic() < until:
            time.sleep(0.001)
        self._take_events()
        return self.closings()

    def _time_over(self) -> TimeOver:
        seen = self._state.seen
        if self.strangers:
            return TimeOver(f"nothing of its own was written ({self.strangers[0]})", is_untouched=False)
        if seen.content is None and seen.why:
            return TimeOver(f"nothing was written (move_file: {seen.why})", is_untouched=False)
        if self.is_untouched or seen.content is None or not seen.content.strip():
            return TimeOver("nothing was written", is_untouched=self.is_untouched)
        return TimeOver(f"only {seen.content[:60].decode('utf-8', 'replace')!r} was written", is_untouched=False)
