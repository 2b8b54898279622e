"""Reads the line of a turn from `move_file`, and determines its writer, its meaning, and whether it is final.

`MoveReader` observes the file, and `LineState` decides whether the line is final. The module writes nothing, and gives
no verdict.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import NamedTuple

from gomogo_core.games.base import Position
from gomogo_core.wire import inotify
from gomogo_core.wire.lines import MAX_LINE_BYTES, LineMeaning, MoveLine, parse_move_line
from gomogo_core.wire.small_files import FileState, is_open_to_write, open_to_read, read_state, read_state_of_open_file
from gomogo_core.wire.waiter import MAX_WAIT_SECONDS, Waiter

# seconds that a line must stay unchanged if the system cannot say whether its writer has closed the file
SETTLE_SECONDS = 0.05
# SETTLE_SECONDS for a line such as "x h 1", which may become "x h 12"; no clock runs meanwhile
GROWING_LINE_SETTLE_SECONDS = 0.3
OPEN_FILE_SETTLE_SECONDS = 10.0  # SETTLE_SECONDS for a line whose writer keeps the file open, if the deadline is later
_CLOSE_TIMEOUT = 0.5  # seconds to wait until a writer closes move_file, before a verdict that depends on that
_UNREAD_STATE, _NO_LINE = FileState(None), MoveLine(LineMeaning.UNFINISHED)


class LineState:
    """Decides whether the line of one turn is final, from observations of the file and their times.

    A line is final when its writer has closed the file. While a writer has the file open, a move becomes final only at
    the deadline. If the system cannot say whether the file is open, a line is final after it has stayed unchanged for a
    while. There is one exception: a line that further text cannot change is already final when a close event arrives.
    """

    def __init__(self, began_at: float) -> None:
        self.file_state, self.line = _UNREAD_STATE, _NO_LINE
        self.changed_at = began_at  # the moment by time.monotonic() at which the present content was first readable
        self._was_closed = False  # whether `move_file` was closed or replaced in this turn

    def observe(self, state: FileState, interpret: Callable[[FileState], MoveLine], now: float) -> None:
        """Record the state of the file at this moment. The same content, written again, is not a new line."""
        if (state.content, state.is_missing) != (self.file_state.content, self.file_state.is_missing):
            self.changed_at, self.line = now, interpret(state)
        self.file_state = state

    def record_closing(self) -> None:
        """Record that `move_file` was closed after writing, or was replaced."""
        self._was_closed = True

    def is_final(self, now: float, *, time_is_over: bool) -> bool:
        """Return whether the line is final, so that it can be judged.

        time_is_over: whether the time of the turn is over.
        """
        if self.line.meaning is LineMeaning.UNFINISHED:
            return False
        return (
            self.file_state.is_open is False
            or self._is_settled(now)
            or (time_is_over and self.line.meaning is LineMeaning.MOVE)
        )

    def is_finally_empty(self, now: float) -> bool:
        """Return whether both hold: the file is empty or missing, and no writer has it open."""
        if self.file_state.content is None:
            return self.file_state.is_missing and now >= self.changed_at + MAX_WAIT_SECONDS
        return not self.file_state.content.strip() and self._is_settled(now)

    def _is_settled(self, now: float) -> bool:
        unchanged_seconds = now - self.changed_at
        if self.file_state.is_open is None:
            return unchanged_seconds >= (GROWING_LINE_SETTLE_SECONDS if self.line.may_continue else SETTLE_SECONDS) or (
                self._was_closed and not self.line.may_continue and self.line.meaning is not LineMeaning.UNFINISHED
            )
        return not self.file_state.is_open or unchanged_seconds >= OPEN_FILE_SETTLE_SECONDS

    def next_check(self, now: float) -> float:
        """Return the time of the next check if no event arrives: soon if a writer must still close the file, else after
        MAX_WAIT_SECONDS.
        """
        if self.file_state.is_open:  # the kernel sends a close event a moment before the file is closed
            return now + min(MAX_WAIT_SECONDS, max(0.001, (now - self.changed_at) / 8))
        return now + (SETTLE_SECONDS if self.line.meaning is not LineMeaning.UNFINISHED else MAX_WAIT_SECONDS)


class FinalLine(NamedTuple):
    """A line that can no longer change, so that the referee can judge it.

    readable_at: the moment by time.monotonic() at which the line was first readable. content: the file's content, which
    begins with the line. is_open: whether its writer had not closed the file when the time was over.
    """

    line: MoveLine
    readable_at: float
    content: bytes = b""
    is_open: bool = False


class TimeOver(NamedTuple):
    """The deadline has passed without a line that can no longer change.

    evidence: a clause such as "wrote nothing", to which the caller appends "within 10 s". is_untouched: whether no
    program has written to the file.
    """

    evidence: str
    is_untouched: bool


class MoveReader:
    """Reads the lines of successive turns from one `move_file`.

    move_file_path: the path of the file. owner: the team of a private folder; None for a shared folder.
    is_folder_replaced: a function that returns whether another folder has replaced the game folder.
    write_delivered_line: a function that writes the delivered line again.
    """

    def __init__(
        self,
        move_file_path: str,
        teams: tuple[str, ...],
        owner: str | None,
        is_folder_replaced: Callable[[], bool],
        write_delivered_line: Callable[[], None],
    ) -> None:
        self._move_file_path, self._teams, self._owner = move_file_path, teams, owner
        self._is_folder_replaced, self._write_delivered_line = is_folder_replaced, write_delivered_line
        self._waiter: Waiter | None = None
        self.delivered_line = b""  # the content that the referee last wrote into move_file
        self._accepted_content = b""  # the content of move_file when the last move was accepted
        self._team = ""
        self._position: Position  # the position of the team to move, from `wait`
        self._line_state = LineState(0.0)
        self._next_check_at, self._needs_check = 0.0, True
        # the number of times that `move_file` was closed after writing, or was replaced, since the turn began
        self._closing_count = 0
        self._pending_replacements = 0  # the number of the referee's own replacements whose events have not arrived yet
        self._has_turn_event = False  # whether the event of the replacement that began the turn has arrived
        self._rejected_state: FileState | None = None  # content that the owner did not write
        # the file that was replaced within the turn; an agent may still write to it
        self._replaced_file: int | None = None
        self.had_early_line = False  # whether a line was written before the turn
        self.other_team_lines: list[str] = []  # lines of this turn that name a team which is not to move

    def observe_events_of(self, waiter: Waiter) -> None:
        """From now on, receive the events of the folder from this waiter."""
        self._waiter = waiter

    def begin_game(self, delivered_line: bytes) -> None:
        """Begin a game. delivered_line: the line in the file, which is not an agent's answer."""
        self.delivered_line = self._accepted_content = delivered_line

    def set_delivered_line(self, line: bytes) -> None:
        """Record the line that is delivered for the next turn. Call this before the line is written."""
        assert self._waiter is not None
        self.had_early_line = bool(self._owner) and not self._waiter.uses_events and self._has_early_line()
        self.delivered_line = line

    def begin_turn(self, began_at: float) -> None:
        """Begin to wait for the line of a turn. began_at: the moment by time.monotonic() at which the turn began."""
        assert self._waiter is not None
        self.close()
        self._line_state = LineState(began_at)
        self._next_check_at = began_at + MAX_WAIT_SECONDS
        self._needs_check, self._closing_count = not self._waiter.uses_events, 0
        self._pending_replacements, self._has_turn_event = 1, False
        self._rejected_state, self.other_team_lines = None, []

    @property
    def is_untouched(self) -> bool:
        """Whether the file has contained only the delivered line in this turn."""
        return self._line_state.file_state.content in (None, self.delivered_line)

    def _has_early_line(self) -> bool:
        """Return whether the file contains a line that is neither the referee's nor an accepted one. Called only
        without events.
        """
        content = read_state(self._move_file_path, MAX_LINE_BYTES).content
        return bool(content and content.strip() and content not in (self._accepted_content, self.delivered_line))

    def _process_events(self) -> None:
        """Process the events of `move_file`: count how often it was closed or replaced since the referee last replaced
        it.

        An event before that replacement means that a line was written before the turn.
        """
        assert self._waiter is not None
        for mask in self._waiter.masks_of_writes(b"move_file"):
            if self._pending_replacements and mask & inotify.MOVED_TO:
                self._pending_replacements, self._has_turn_event = self._pending_replacements - 1, True
                continue
            self._needs_check = True
            if self._has_turn_event:
                self._closing_count += 1
                self._line_state.record_closing()
            else:
                self.had_early_line = bool(self._owner)

    def wait(
        self,
        team: str,
        position: Position,
        began_at: float,
        deadline: float,
        return_at: float | None = None,
        exit_fds: tuple[int, ...] = (),
    ) -> FinalLine | TimeOver | list[int]:
        """Wait until the team's line is final. This method may be called again for the same turn.

        deadline: the end of the turn. return_at: an earlier moment at which to return to the caller. Returns the final
        line, or a `TimeOver` at the deadline, or the readable descriptors among `exit_fds`; at `return_at`, an empty
        list.
        """
        assert self._waiter is not None
        return_at, round_count = deadline if return_at is None else return_at, 0
        self._team, self._position = team, position
        self._process_events()
        while True:
            now = time.monotonic()
            if self._needs_check or now >= self._next_check_at or now >= deadline:
                self._check_move_file(now)
                if self._line_state.is_final(now, time_is_over=now >= deadline):
                    if self._owner or self._line_state.line.meaning is not LineMeaning.OTHER_TEAM:
                        return self._accept()
                    self._restore_delivered_line(self._line_state.line.move_or_error)
                elif not self._owner and self.delivered_line and self._line_state.is_finally_empty(now):
                    self._restore_delivered_line("")
                else:
                    self._next_check_at = self._line_state.next_check(now)
            if now >= deadline:
                return self._time_over()
            if now >= return_at:
                return []
            round_count += 1
            if round_count > 1000:  # an agent writes without end: sleep briefly, to save CPU time
                time.sleep(0.001)
            readable_fds = self._waiter.wait(began_at, min(return_at, deadline, self._next_check_at), exit_fds)
            self._needs_check = not self._waiter.uses_events
            self._process_events()
            if readable_fds:
                return readable_fds

    def _check_move_file(self, now: float) -> None:
        state = read_state(
            self._move_file_path, MAX_LINE_BYTES, known_content=self.delivered_line, has_changed=self._closing_count > 0
        )
        self._needs_check = False
        if (rejected_state := self._rejected_state) is not None and state[:2] == rejected_state[:2]:
            state = _UNREAD_STATE
        if self._replaced_file is not None and state.content in (None, self.delivered_line):
            state = self._read_replaced_file() or state
        self._line_state.observe(state, self._interpret, now)

    def _read_replaced_file(self) -> FileState | None:
        """Return the state of the replaced file if the mover may have written its line there, else None."""
        assert self._replaced_file is not None
        state = read_state_of_open_file(self._replaced_file, MAX_LINE_BYTES)
        is_rejected = self._rejected_state is not None and state.content == self._rejected_state.content
        if is_rejected or not (state.content or b"").strip():
            if state.is_open is False:
                self.close()
            return None
        return state

    def _accept(self) -> FinalLine:
        state = self._line_state
        self._accepted_content = state.file_state.content or b""
        self._process_events()  # otherwise the close event of this line would count as an early line of the next turn
        return FinalLine(state.line, state.changed_at, self._accepted_content, is_open=state.file_state.is_open is True)

    def _interpret(self, state: FileState) -> MoveLine:
        content = state.content
        if content is None or content == self.delivered_line:
            return _NO_LINE
        if not self._owner:
            if self.delivered_line.strip() and content.startswith(self.delivered_line):
                content = content[len(self.delivered_line) :]  # text was appended to the restored line
            elif content.split() == self.delivered_line.split():
                return _NO_LINE  # the last mover may write its accepted line again
        line = parse_move_line(content, self._team, self._teams, self._position)
        if line.meaning is LineMeaning.OTHER_TEAM and self._is_folder_replaced():
            # the game folder was replaced by a link to the folder of the other team, which has written its line there
            return _NO_LINE
        return line

    def _restore_delivered_line(self, foreign_line_error: str) -> None:
        """Replace another team's line in a shared folder by the delivered line. foreign_line_error: a sentence about
        that other line.

        The mover may open the old file just before it is replaced, and write its move there. So from now on, the old
        file is read as well.
        """
        if foreign_line_error:
            self.other_team_lines.append(foreign_line_error)
        self.close()
        with contextlib.suppress(OSError):
            self._replaced_file = open_to_read(self._move_file_path)
        self._rejected_state = self._line_state.file_state
        self._pending_replacements += 1
        self._write_delivered_line()
        self._line_state, self._needs_check = LineState(time.monotonic()), True

    def close(self) -> None:
        """Close the file that was replaced."""
        if self._replaced_file is not None:
            os.close(self._replaced_file)
            self._replaced_file = None

    def reject_line(self) -> None:
        """Ignore the final line, because the owner did not write it, and continue to wait."""
        self._rejected_state = self._line_state.file_state
        self._line_state = LineState(self._line_state.changed_at)
        self._closing_count = 0

    def closings_and_size(self) -> tuple[int, int]:
        """Return how often `move_file` was closed after writing or replaced in this turn, and its size."""
        return self._closing_count, len(self._line_state.file_state.content or b"") if self._closing_count else 0

    def final_closings_and_size(self) -> tuple[int, int]:
        """Return the result of `closings_and_size` after a short wait for a writer that has not closed the file yet."""
        deadline = time.monotonic() + _CLOSE_TIMEOUT
        while is_open_to_write(self._move_file_path) and time.monotonic() < deadline:
            time.sleep(0.001)
        self._process_events()
        return self.closings_and_size()

    def _time_over(self) -> TimeOver:
        state = self._line_state.file_state
        if self.other_team_lines:
            return TimeOver(f"no line of its own was written ({self.other_team_lines[0]})", is_untouched=False)
        if state.content is None and state.why_unreadable:
            return TimeOver(f"nothing was written (move_file: {state.why_unreadable})", is_untouched=False)
        if self.is_untouched or state.content is None or not state.content.strip():
            return TimeOver("nothing was written", is_untouched=self.is_untouched)
        return TimeOver(f"only {state.content[:60].decode('utf-8', 'replace')!r} was written", is_untouched=False)
