"""A player reached through the file protocol, in a folder of its own or in one that all share.

Turns the loop's questions into files and back. Knows no rules beyond what reading a line needs, and makes no verdict.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from gomogo_core.games.base import RESIGN, Outcome, Reason, Seat
from gomogo_core.play.events import Ply, Table
from gomogo_core.play.player import Doubt, Failure, Player, Reply, Turn
from gomogo_core.processes.process import Process
from gomogo_core.processes.writes import Writes
from gomogo_core.protocols._deaths import death_of, no_room
from gomogo_core.stopping import Stopped
from gomogo_core.wire.alive import alive
from gomogo_core.wire.expected import Written
from gomogo_core.wire.facts import Facts, game_json
from gomogo_core.wire.lines import Meaning, move_line, result_line
from gomogo_core.wire.mailbox import Mailbox
from gomogo_core.wire.thoughts import said_after

START_LIMIT = 30.0  # seconds an agent that says when it is loaded may take to load
START_PAUSE = 1.0  # seconds before the first turn for one that does not
LATE_START = 0.2  # seconds after the end before the agents of old are woken to see it
_LOOK = 0.1  # seconds between two looks at what no descriptor tells us
_EARLY = ("wrote a line before its turn",)
_FOREIGN = "a line that its program did not write appeared in its folder, and was not counted"
_LEFT = "exited with code 3"  # how the process of a person who interrupts it ends
_OUR_FAULT = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS}


class FilesPlayer:
    """One agent in one game.

    launch: starts its process once the folder is laid, or None where it is started by hand. says_ready: it will create
    `<team>.ready`; None where that remains to be seen. person: somebody at our terminal plays through it, and may
    leave: that stops the game, and nobody has lost it. enclosed: nobody else can write into its folder. Several players
    may share one mailbox.
    """

    def __init__(
        self,
        name: str,
        mailbox: Mailbox,
        launch: Callable[[], Process] | None = None,
        says_ready: bool | None = None,
        *,
        person: bool = False,
        enclosed: bool = False,
    ) -> None:
        self.name, self.mailbox, self.says_ready, self.person = name, mailbox, says_ready, person
        self._open_to_others = mailbox.owner is not None and not enclosed
        self.process: Process | None = None
        self.seat: Seat = 0
        self._launch = launch
        self._table: Table | None = None
        self._started = 0.0
        self._moves = 0
        self._pid_pulse: int | None = None
        self._asked = False  # whether it has a turn, and has not answered
        self._writes: Writes | None = None  # of its program, where that can be known
        self._others: tuple[Player, ...] = ()  # who waits while it thinks
        self._death: Failure | None = None
        self._felt: tuple[Sequence[Player], list[int]] = ((), [])  # who waits, and everybody's pulses
        self.note: Callable[[str, str], None] | None = None  # told of the lines we give and read

    def start(self, table: Table, seat: Seat) -> None:
        """Lay the folder and start the process."""
        self._table, self.seat, self._moves = table, seat, len(table.opening)
        self._facts = Facts(table.names)
        self._started = time.monotonic()
        if not self.mailbox.laid:
            opening = [move_line(table.names[ply.seat - 1], ply.move) for ply in table.opening]
            self.mailbox.lay(_about(table), opening)
        if self._launch is not None:
            self.process = self._launch()

    def change_terms(self, table: Table, seat: Seat) -> Failure | None:
        """Put `game.json` anew."""
        self._table, self.seat, self._facts = table, seat, Facts(table.names)
        try:
            self.mailbox.tell(_about(table))
        except OSError as wrong:  # an agent has destroyed its folder: it is made again for its turn
            if wrong.errno in _OUR_FAULT or not self.mailbox.owner:
                raise
        return None

    def ready(self) -> Failure | None:
        """Wait for `<team>.ready`: 30 s for one that will say it, 1 s for one of whom nobody knows."""
        until = self._started + (START_LIMIT if self.says_ready else START_PAUSE)
        while not self._is_ready():
            if failure := self.death():
                return failure
            now = time.monotonic()
            if now >= until:
                if self.says_ready:
                    return Failure(Reason.OUT_OF_TIME, f"was not ready {START_LIMIT:g} s after its start")
                self.says_ready = False
                return None
            self.mailbox.wait_any(self._started, until, self._pulses(()))
        self.says_ready = True
        return None

    def _is_ready(self) -> bool:
        pid = self.mailbox.ready_pid(self.name)
        if pid is None:
            return False
        if self.process is not None:
            if self._writes is None and self._open_to_others and not self.person:
                self._writes = Writes.of(pid, self.process.pid)
        elif alive(pid) and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):  # a process of another machine, or one that has just gone
                self._pid_pulse = os.pidfd_open(pid)
        return True

    def pulse(self) -> int | None:
        """Readable when the process has ended."""
        return self._pid_pulse if self.process is None else self.process.pulse

    def death(self) -> Failure | None:
        """How the process ended, with the last line it printed. Raises Stopped where a person has left."""
        if self._death is None:
            if self.process is not None and (ended := self.process.ended()):
                self.process.end()
                if self.person and ended == _LEFT:
                    raise Stopped("the person left")
                self._death = death_of(self.process, ended, self.seat)
            elif self._pid_pulse is not None and not _runs(self._pid_pulse):
                self._death = Failure(Reason.CRASHED, "its process has ended", seat=self.seat)
        return self._death

    def _pulses(self, others: Sequence[Player]) -> list[int]:
        return [pulse for player in (self, *others) if (pulse := player.pulse()) is not None]

    def choose(self, turn: Turn) -> Reply | Failure:
        """Give the turn, and wait until a line has settled, the time is over, or somebody has died."""
        try:
            return self._choose(turn)
        except OSError as wrong:
            if wrong.errno in _OUR_FAULT or not self.mailbox.owner:
                raise
            return Failure(Reason.CRASHED, f"its game folder can no longer be used: {wrong.strerror}")

    def _choose(self, turn: Turn) -> Reply | Failure:
        if turn.refused:  # its `.go` must be seen to come again
            self.mailbox.end_turn(self.name)
        since, foreign = time.monotonic(), list[Written]()
        if not self._asked or turn.refused:  # else another has left meanwhile, and it thinks on
            self._count_writes(turn)
            since = self._give(turn)
        self._asked = True
        turn.meanwhile()
        until = since + turn.allowed + turn.grace
        loaded = self.says_ready is not False
        if self._felt[0] is not turn.others:
            self._felt = (turn.others, self._pulses(turn.others))
        pulses = self._felt[1]
        seen = len(pulses) > len(turn.others)  # every death is felt; where it is not, we look now and then
        while True:
            look = until if loaded and seen else min(until, time.monotonic() + _LOOK)
            got = self.mailbox.line.wait(self.name, turn.position, since, look, pulses)
            if isinstance(got, Written):
                if self._writes is not None and self._writes.none():
                    self.mailbox.line.disown()
                    foreign.append(got)
                    continue
                return self._reply(got, since, bool(foreign))
            if failure := self._deaths(turn, since):
                return failure
            if time.monotonic() >= until:
                if foreign and True not in self._others_wrote():  # its own after all, written in a way not counted?
                    return self._reply(foreign[0], since)
                nothing = got if isinstance(got, str) else "nothing was written"
                if turn.refused:
                    nothing = f"{turn.refused}: refused, and nothing legal followed"
                late = f"{nothing} within {turn.allowed:.4g} s"
                return Failure(Reason.OUT_OF_TIME, late, time.monotonic() - since, doubt=self._doubt)
            if not loaded and self._is_ready():  # it has only now been loaded: its first clock starts
                loaded = self.says_ready = True
                if time.monotonic() < self._started + START_LIMIT:
                    since = time.monotonic()
                    until = since + turn.allowed + turn.grace

    def _give(self, turn: Turn) -> float:
        assert self._table is not None
        names = self._table.names
        last = move_line(names[turn.plies[-1].seat - 1], turn.plies[-1].move) if turn.plies else ""
        allowed = None if math.isinf(turn.allowed) else turn.allowed
        facts = self._facts.text(turn.position, turn.before, len(turn.plies), allowed, turn.clocks)
        if self.note is not None:
            self.note(">", f"{self.name}.go after {last.strip() or 'nothing'!r}")
        try:
            return self.mailbox.give_turn(self.name, last, facts)
        except OSError as wrong:
            if wrong.errno in _OUR_FAULT or not self.mailbox.owner:
                raise
            self.mailbox.mend()
            return self.mailbox.give_turn(self.name, last, facts)

    def _reply(self, got: Written, since: float, foreign: bool = False) -> Reply | Failure:
        seconds, self._asked = max(0.0, got.at - since), False
        if self.note is not None:
            self.note("<", got.line.move)
        if got.line.meaning is Meaning.OTHER_TEAM:
            return Failure(Reason.OUT_OF_TURN, got.line.move, seconds, doubt=self._doubt)
        if got.line.meaning is Meaning.NO_MOVE:
            return Failure(Reason.NOT_A_MOVE, got.line.move, seconds, doubt=self._doubt)
        warnings = (*(_EARLY if self.mailbox.line.early else ()), *((_FOREIGN,) if foreign else ()))
        said = said_after(got.content)
        return Reply(
            got.line.move, seconds, said.thoughts, warnings, said.score, said.line, said.values, doubt=self._doubt
        )

    def _count_writes(self, turn: Turn) -> None:
        """Count what each program at the table writes from now on."""
        self._others = turn.others
        for player in (self, *turn.others):
            if isinstance(player, FilesPlayer) and player._writes is not None:
                player._writes.begin()

    def _wrote(self) -> bool | None:
        """Whether its program has written anything in this turn; None where nobody can know."""
        if self._writes is None:
            return None
        return False if self._writes.none() else (True if self._writes.amount() else None)

    def _others_wrote(self) -> list[bool | None]:
        return [other._wrote() if isinstance(other, FilesPlayer) else None for other in self._others]

    def _doubt(self) -> Doubt | None:
        """Whether it had no room to write, or another may have written what it would lose by.

        `move_file` was written more than once in this turn, or holds more than the program wrote. Not so where all
        others surely wrote nothing; but where one of them did, nobody can say whose line came last.
        """
        if full := no_room(self.mailbox.folder):
            return full
        if not self._open_to_others or self.person:
            return None
        closings, size = self.mailbox.line.closings()
        own, others = None if self._writes is None else self._writes.amount(), self._others_wrote()
        surely = own is not None and (own.calls < closings or own.size < size)
        if all(wrote is False for wrote in others) or not (surely or (closings > 1 and True in others)):
            return None
        counted = "" if own is None else f"; it wrote {own.size} bytes in {_times(own.calls)}"
        why = f"its move_file, {size} bytes, was written {_times(closings)}{counted}: another may have done it"
        return Doubt(why, again=self.says_ready is True)

    def _deaths(self, turn: Turn, since: float) -> Reply | Failure | None:
        """A death, if there was one. A line that the dead one had finished is still its move."""
        if own := self.death():
            got = self.mailbox.line.wait(self.name, turn.position, since, time.monotonic())
            return self._reply(got, since) if isinstance(got, Written) else own
        for other in turn.others:
            if (failure := other.death()) is not None:
                return Failure(failure.reason, failure.evidence, time.monotonic() - since, failure.seat)
        return None

    def accepted(self, ply: Ply) -> None:
        """End the turn of who moved, in the folder it has; write the line into the history.

        Who has left is not asked again, and its process ended: it would take time from those who play on.
        """
        assert self._table is not None
        mover = self._table.names[ply.seat - 1]
        if ply.move == RESIGN:
            self.mailbox.line.part_with(mover)
            if ply.seat == self.seat and self.process is not None and not self.person:
                self.process.end()
        self._moves += 1
        here = ply.seat == self.seat or not self.mailbox.owner
        try:
            self.mailbox.record(self._moves, move_line(mover, ply.move), mover if here else None)
        except OSError as wrong:  # its `.go` is a folder that cannot be removed, say: it will be seen at its next turn
            if wrong.errno in _OUR_FAULT or not self.mailbox.owner:
                raise

    def finish(self, outcome: Outcome) -> None:
        """Show the end. What becomes of the process is for those who started it."""
        if self._pid_pulse is not None:
            os.close(self._pid_pulse)
            self._pid_pulse = None
        if self._writes is not None:
            self._writes.close()
            self._writes = None
        if self._table is None or not self.mailbox.laid:
            return
        with contextlib.suppress(OSError):  # an agent may have made its folder useless, or the disk is full
            self.mailbox.show_end(result_line(outcome, self._table.names))

    def dismiss(self) -> None:
        """Send the agent home: it reads that no game follows, or, of old, wakes up by its `.go` and sees the end."""
        with contextlib.suppress(OSError):
            if self.says_ready:
                self.mailbox.send_on("")
            else:
                self.mailbox.wake(self.name)


def _about(table: Table) -> dict[str, Any]:
    """What `game.json` says of a table."""
    controls = {name: asdict(control) for name, control in zip(table.names, table.controls, strict=True)}
    return game_json(table.game, table.names, controls, len(table.opening), table.seed)


def _times(number: int) -> str:
    return "one time" if number == 1 else f"{number} times"


def _runs(pidfd: int) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return not poll.poll(0)
