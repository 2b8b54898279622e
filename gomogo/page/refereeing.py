"""The thread that referees one sitting: it reads people's moves off the sitting, and writes those of agents into it.

Knows the arena and the sitting; no request and no browser. While nobody has moved for a while it gives its place away
and ends; the next move calls another.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from gomogo.page.places import Places
from gomogo.page.sitting import Chair, Made, Sitting
from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason, Seat
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.play.events import Event, Left, Moved, Ply, Table, Warned
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.processes.limits import Level
from gomogo_core.records.played import PlayedGame
from gomogo_core.stopping import Stopped

_LATE = 1.0  # seconds that an opponent may be late: on a busy machine too a person wants to win by the game
PATIENCE = 600.0  # seconds that agents wait for a person before they are sent home
REST = 30.0  # seconds that a referee of people alone waits: to call another costs nothing
HURRY = 5.0  # the same while others wait for a place


class Rewound(Stopped):
    """Moves were taken back, or somebody left: the rest is played from what stands now."""


class Parked(Stopped):
    """Nobody has moved for long, the page is closing, or the game was deleted."""


def player_of(chair: Chair) -> Agent:
    """The agent on a chair, under the name it has there."""
    return replace(agent(chair.spec), name=chair.name)


class Refereeing(threading.Thread):
    """Referees a sitting until it is over, or has to wait. sandbox: how agents' programs are held.

    changed: told after each change that is made here. finished: given the record, once.
    """

    def __init__(
        self,
        sitting: Sitting,
        places: Places,
        sandbox: Level,
        changed: Callable[[Sitting], None],
        finished: Callable[[Sitting, PlayedGame], None],
    ) -> None:
        super().__init__(name=f"referee of {sitting.key}", daemon=True)
        self.sitting, self.places, self.sandbox = sitting, places, sandbox
        self._tell_changed, self._tell_finished = changed, finished
        self._woken = threading.Condition(sitting.lock)
        self._closing = False
        self._waiting_since = time.monotonic()
        self._pulse, self._beat = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.epoch = sitting.epoch

    def wake(self) -> None:
        """Let the thread look at the sitting again."""
        with self._woken:
            self._woken.notify_all()
            if self._beat >= 0 and not select.select([self._pulse], [], [], 0)[0]:
                os.write(self._beat, b".")

    def close(self) -> None:
        """Ask the thread to end."""
        self._closing = True
        self.wake()

    @property
    def stays(self) -> bool:
        """Whether a move that is made now will be seen by this thread."""
        return not self._closing and self.is_alive()

    def run(self) -> None:
        """Play on until it is over."""
        try:
            if self.sitting.with_agents:
                with self.places.one(self._in_line, lambda: self._closing or self.sitting.gone) as got:
                    if got:
                        self.change(partial(self.sitting.say, ""))
                        self._play()
            else:
                self._play()
        except Parked:
            pass
        except UserError as wrong:
            said = f"{wrong.what} {wrong.remedy}"
            self.change(partial(self.sitting.say, said))
        except Exception as fault:
            said = f"The game cannot go on: {type(fault).__name__}: {fault}."
            self.change(partial(self.sitting.say, said))
        finally:
            with self._woken:
                self._closing = True
                os.close(self._pulse)
                os.close(self._beat)
                self._beat = -1

    def _in_line(self, before: int) -> None:
        games = f"{self.places.most} games" if self.places.most > 1 else "Another game"
        who = f"{before} before you" if before else "you are next"
        are = "are" if self.places.most > 1 else "is"
        self.change(partial(self.sitting.say, f"{games} with agents {are} being played here: {who}."))

    def _play(self) -> None:
        sitting = self.sitting
        agents = [player_of(chair) for chair in sitting.chairs]
        controls = [NO_LIMIT if chair.person else TimeControl(chair.seconds, grace=_LATE) for chair in sitting.chairs]
        with Arena(sandbox=self.sandbox) as arena:
            while True:
                with sitting.lock:
                    self.epoch, opening = sitting.epoch, sitting.standing()
                    self.drain()
                players = {seat: Sitter(self, seat) for seat, chair in enumerate(sitting.chairs, 1) if chair.person}
                try:
                    played = arena.play(
                        sitting.game, agents, controls, opening=opening, listeners=(self.hear,), players=players
                    )
                except Rewound:
                    continue
                if played.outcome.void:
                    said = f"The game cannot go on: {played.outcome.detail}. Try again, or begin another."
                    self.change(partial(sitting.say, said))
                    return
                with sitting.lock:
                    if sitting.epoch != self.epoch:
                        continue
                    self.change(partial(sitting.end, played.outcome))
                    record = sitting.record(played)
                self._tell_finished(sitting, record)
                return

    def change(self, what: Callable[[], object]) -> None:
        """Change the sitting, and tell of it."""
        with self.sitting.lock:
            version = self.sitting.version
            what()
            if self.sitting.version != version:
                self._tell_changed(self.sitting)

    def hear(self, event: Event) -> None:
        """Write down what an agent has done. Raises Rewound where it answers what was taken back meanwhile."""
        with self.sitting.lock:
            self.check()
            if isinstance(event, Moved) and not self.sitting.chairs[event.seat - 1].person:
                said = (event.thoughts, event.score, event.line, event.values)
                one = Made(event.seat, event.move, event.seconds, "", *said)
                self.change(partial(self.sitting.add, one))
            elif isinstance(event, Left):
                self.change(partial(self.sitting.leave, event.seat, event.reason, event.detail))
            elif isinstance(event, Warned):
                self.sitting.undone.append((len(self.sitting.made), event.seat, event.what))

    def check(self) -> None:
        """Raise Rewound or Parked where the game does not go on as it did."""
        if self._closing or self.sitting.gone:
            raise Parked("the page lets the game rest")
        if self.sitting.epoch != self.epoch:
            raise Rewound("moves were taken back")

    def drain(self) -> None:
        """Forget having been woken."""
        while select.select([self._pulse], [], [], 0)[0]:
            os.read(self._pulse, 64)

    def feel(self) -> int:
        """A descriptor that becomes readable when the thread is woken."""
        return self._pulse

    def next_of(self, seat: Seat, known: int) -> Made | Failure:
        """What the person in `seat` does after the first `known` moves of theirs, or that somebody else gave up.

        Raises Rewound and Parked.
        """
        since = time.monotonic()
        with self._woken:
            while True:
                self.check()
                theirs = [one for one in self.sitting.made if one.seat == seat]
                if len(theirs) > known:
                    return theirs[known]
                if (gone := self.sitting.ended_by) is not None and (failure := self.resigned(gone)):
                    return failure
                left = since + self._patience() - time.monotonic()
                if left <= 0:
                    self._closing = True
                    raise Parked("nobody has moved for long")
                self._woken.wait(min(left, 1.0))

    def _patience(self) -> float:
        if not self.sitting.with_agents:
            return REST
        return HURRY if self.places.wanted else PATIENCE

    def resigned(self, seat: Seat) -> Failure | None:
        """That the person in `seat` has just given up, where that ends the game."""
        with self.sitting.lock:
            gave_up = self.sitting.ended_by == seat
        return Failure(Reason.RESIGNED, "resigned", seat=seat) if gave_up else None


class Sitter:
    """A person at the page, as a player."""

    def __init__(self, referee: Refereeing, seat: Seat) -> None:
        self.referee, self.seat = referee, seat
        self.name = referee.sitting.names[seat - 1]

    def start(self, table: Table, seat: Seat) -> None:
        """Sit there already."""

    def ready(self) -> Failure | None:
        """Be ready, but for who resigned before the game was called again."""
        return self.referee.resigned(self.seat)

    def choose(self, turn: Turn) -> Reply | Failure:
        """Read the person's next move off the sitting. Raises Rewound and Parked."""
        turn.meanwhile()
        one = self.referee.next_of(self.seat, sum(ply.seat == self.seat for ply in turn.plies))
        return one if isinstance(one, Failure) else Reply(one.move, one.seconds)

    def accepted(self, ply: Ply) -> None:
        """Take no notice: the page shows it."""

    def death(self) -> Failure | None:
        """Be asked while an agent thinks, after a pulse. Raises Rewound and Parked, by which it thinks no more."""
        self.referee.drain()
        self.referee.check()
        return self.referee.resigned(self.seat)

    def pulse(self) -> int | None:
        """What is readable when the person has done something out of turn."""
        return self.referee.feel()

    def finish(self, outcome: Outcome) -> None:
        """Stay: the page shows how it ended."""
