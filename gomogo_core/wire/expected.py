"""The line that is expected in `move_file`: who wrote it, what it means, and whether it has settled.

Knows how agents write, and when a line is whole; lays no folder, writes nothing, and makes no verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gomogo_core.games.base import Position
from gomogo_core.wire import inotify
from gomogo_core.wire.folder import Seen, is_being_written, look
from gomogo_core.wire.lines import MOST_BYTES, Line, Meaning, read_line
from gomogo_core.wire.waiting import LONGEST, Waiter

SETTLE = 0.05  # seconds a complete line must stay unchanged where its writer is not seen to close it
_CLOSED_BY = 0.5  # seconds for who has move_file open to close it, before a verdict that rests on it
SETTLE_GROWING = 0.3  # the same for "x h 1", which may become "x h 12"; runs on nobody's clock
_UNSEEN, _NOTHING_YET = Seen(None), Line(Meaning.NOT_YET)


class Written(NamedTuple):
    """A line that settled: what it means, and the time.monotonic() moment at which it could first be read."""

    line: Line
    at: float


class Expected:
    """The line of one turn after another, in one `move_file`: of the folder's owner, or of all teams that share it.

    is_elsewhere: whether another folder stands where ours was laid.
    """

    def __init__(self, moves: str, teams: tuple[str, ...], owner: str | None, is_elsewhere: Callable[[], bool]) -> None:
        self._moves, self._teams, self._owner, self._is_elsewhere = moves, teams, owner, is_elsewhere
        self._waiter: Waiter | None = None
        self.delivered = b""  # what we last wrote into move_file
        self._accepted = b""  # what stood there when the last move was accepted
        self._closings = 0  # of `move_file` after writing, or that it was replaced, since the turn was given
        self._seen, self._first_seen, self._line = _UNSEEN, 0.0, _NOTHING_YET
        self._look_at, self._unlooked, self._own_put = 0.0, True, False
        self._disowned: Seen | None = None  # what stands there, and is not the owner's
        self.early = False  # whether a line was written before the turn it was for
        self._gone: set[str] = set()  # who has left the others, in lower case

    def watch(self, waiter: Waiter) -> None:
        """Hear from this waiter, from now on, what happens in the folder."""
        self._waiter = waiter

    def begin(self, last: bytes) -> None:
        """Begin a game: this line stands there, and is nobody's answer."""
        self.delivered = self._accepted = last

    def deliver(self, last: bytes) -> None:
        """Note the line that is about to be put there for the next turn, before it is."""
        assert self._waiter is not None
        self.early = not self._waiter.watching and self._stands_early()
        self.delivered = last

    def expect(self, since: float) -> None:
        """Begin to expect a line: the turn was given at this time.monotonic() moment."""
        assert self._waiter is not None
        self._seen, self._first_seen, self._line = _UNSEEN, since, _NOTHING_YET
        self._look_at = since + LONGEST
        self._unlooked, self._closings, self._own_put = not self._waiter.watching, 0, True

    def _stands_early(self) -> bool:
        """Where no event tells: whether there stands something else than we know of."""
        there = look(self._moves, MOST_BYTES).content
        return bool(there and there.strip() and there not in (self._accepted, self.delivered))

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

    def wait(
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
        if seen.content is None or seen.content == self.delivered:
            return _NOTHING_YET
        if self._gone and not self._owner and _first_word(seen.content) in self._gone:
            return _NOTHING_YET
        line = read_line(seen.content, team, self._teams, position)
        if line.meaning is Meaning.OTHER_TEAM and not self._owner and seen.content.split() == self.delivered.split():
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
        if seen.content == self.delivered or not seen.content.strip():
            return "nothing was written"
        return f"only {seen.content[:60].decode('utf-8', 'replace')!r} was written"

    def part_with(self, team: str) -> None:
        """Read no line of this team's any more: in a shared folder it might write one after it has left the game."""
        self._gone.add(team.casefold())


def _first_word(content: bytes) -> str:
    return (content.decode("utf-8-sig", "replace").casefold().split() or [""])[0]
