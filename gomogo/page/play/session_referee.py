"""The thread that referees one session of the page: humans are players whose moves it reads from the session.

Uses the arena and the session, but no request and no browser. After a while without a move it frees its slot and ends;
the next move starts another referee.
"""

from __future__ import annotations

import math
import os
import select
import threading
import time
from collections.abc import Callable
from functools import partial

from gomogo.page.play.game_slots import GameSlots
from gomogo.text.names import file_names
from gomogo_core.arena import Arena
from gomogo_core.cancellation import Cancelled
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason, Seat
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.processes.limits import Level
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.session.game_session import Action, GameSession
from gomogo_core.session.referee import HumanPlayer, Referee

PATIENCE = 600.0  # seconds that agents wait for a human before they stop
REST = 30.0  # seconds that a referee without agents waits: another one starts at no cost
HURRY = 5.0  # the same while another game waits for a slot


class GamePaused(Cancelled):
    """The game pauses: no recent move, the server stops, or the session was deleted."""


class SessionReferee(Referee, threading.Thread):
    """Referees a session until it ends or pauses. sandbox: the confinement of the agents' programs.

    changed: called after each change by this thread. finished: called once, with the record.
    """

    def __init__(
        self,
        session: GameSession,
        slots: GameSlots,
        sandbox: Level,
        changed: Callable[[GameSession], None],
        finished: Callable[[GameSession, PlayedGame], None],
    ) -> None:
        Referee.__init__(self, session, changed)
        threading.Thread.__init__(self, name=f"referee of {session.key}", daemon=True)
        self.slots, self.sandbox, self._tell_finished = slots, sandbox, finished
        self._woken = threading.Condition(session.lock)
        self._closing = False
        self._exit_fd, self._beat = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def wake(self) -> None:
        """Make the thread check the session again."""
        with self._woken:
            self._woken.notify_all()
            if self._beat >= 0 and not select.select([self._exit_fd], [], [], 0)[0]:
                os.write(self._beat, b".")

    def close(self) -> None:
        """Ask the thread to end."""
        self._closing = True
        self.wake()

    @property
    def stays(self) -> bool:
        """Whether this thread will see a move made now."""
        return not self._closing and self.is_alive()

    def run(self) -> None:
        """Play until the game ends or pauses."""
        try:
            if self.session.has_agents:
                with self.slots.one(self._show_queue, lambda: self._closing or self.session.is_deleted) as got:
                    if got:
                        self.change(partial(self.session.set_note, ""))
                        self._play()
            else:
                self._play()
        except GamePaused:
            pass
        except UserError as wrong:
            said = f"{wrong.what} {wrong.remedy}"
            self.change(partial(self.session.set_note, said))
        except Exception as fault:
            said = f"The game cannot continue: {type(fault).__name__}: {fault}."
            self.change(partial(self.session.set_note, said))
        finally:
            with self._woken:
                self._closing = True
                os.close(self._exit_fd)
                os.close(self._beat)
                self._beat = -1

    def _show_queue(self, before: int) -> None:
        games = f"{self.slots.most} games" if self.slots.most > 1 else "Another game"
        who = f"{before} ahead of you" if before else "you are next"
        are = "are" if self.slots.most > 1 else "is"
        self.change(partial(self.session.set_note, f"{games} with agents {are} running here: {who}."))

    def _play(self) -> None:
        session = self.session
        keys = file_names(session.names)  # people may have names that no file can have
        agents = [agent(seat_info.spec, key) for seat_info, key in zip(session.seat_infos, keys, strict=True)]
        with Arena(sandbox=self.sandbox) as arena:
            played = self.play(partial(arena.play, session.game, agents), self._human_players)
            if played.outcome.void:
                said = f"The game cannot continue: {played.outcome.detail}. Try again, or start another game."
                self.change(partial(session.set_note, said))
            else:
                self._tell_finished(session, played)

    def _human_players(self) -> dict[Seat, Player]:
        self.drain()
        people = enumerate(self.session.seat_infos, 1)
        return {seat: PagePlayer(self, seat) for seat, seat_info in people if seat_info.is_human}

    def check_taken_back(self) -> None:
        """Raise MovesTakenBack or GamePaused if the game has changed or must pause."""
        if self._closing or self.session.is_deleted:
            raise GamePaused("the game pauses")
        super().check_taken_back()

    def drain(self) -> None:
        """Clear the wake-up descriptor."""
        while select.select([self._exit_fd], [], [], 0)[0]:
            os.read(self._exit_fd, 64)

    def wake_fd(self) -> int:
        """Return a descriptor that becomes readable when the thread is woken."""
        return self._exit_fd

    def next_of(self, seat: Seat, known: int, turn: Turn) -> Action | Failure:
        """Return the next action of the human in `seat` after their first `known` moves, or a resignation, or that
        their time is over.

        Raises MovesTakenBack and GamePaused.
        """
        since = time.monotonic()
        with self._woken:
            while True:
                self.check_taken_back()
                theirs = [one for one in self.session.actions if one.seat == seat]
                if len(theirs) > known:
                    return theirs[known]
                if (loser := self.session.resigned_last) is not None and (failure := self.resigned(loser)):
                    return failure
                taken = time.monotonic() - since
                if taken > turn.allowed + turn.grace:
                    return Failure(Reason.OUT_OF_TIME, f"{taken:.0f} s taken, {turn.allowed:.0f} s left", taken)
                left = self._seconds_until_release() - taken
                if left <= 0:
                    self._closing = True
                    raise GamePaused("no move for a long time")
                self._woken.wait(min(left, 1.0))

    def _seconds_until_release(self) -> float:
        if self.session.has_clocks:
            return math.inf  # the clock ends the wait
        if not self.session.has_agents:
            return REST
        return HURRY if self.slots.wanted else PATIENCE

    def resigned(self, seat: Seat) -> Failure | None:
        """Return a failure if the resignation of `seat` ended the game."""
        with self.session.lock:
            gave_up = self.session.resigned_last == seat
        return Failure(Reason.RESIGNED, "resigned", seat=seat) if gave_up else None


class PagePlayer(HumanPlayer):
    """A human at the page."""

    def __init__(self, referee: SessionReferee, seat: Seat) -> None:
        super().__init__(referee.session.names[seat - 1])
        self.referee, self.seat = referee, seat

    def ready(self) -> Failure | None:
        """Report a resignation from before this referee started."""
        return self.referee.resigned(self.seat)

    def choose(self, turn: Turn) -> Reply | Failure:
        """Read the human's next move from the session. Raises MovesTakenBack and GamePaused."""
        turn.on_waiting()
        one = self.referee.next_of(self.seat, sum(ply.seat == self.seat for ply in turn.plies), turn)
        return one if isinstance(one, Failure) else Reply(one.move, one.seconds)

    def exit_failure(self) -> Failure | None:
        """Check the session while an agent thinks. Raises MovesTakenBack and GamePaused, which end its search."""
        self.referee.drain()
        self.referee.check_taken_back()
        return self.referee.resigned(self.seat)

    def exit_fd(self) -> int | None:
        """Return a descriptor that becomes readable when the human acts out of turn."""
        return self.referee.wake_fd()
