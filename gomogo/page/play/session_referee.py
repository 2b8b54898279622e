"""The thread that referees one session of the page. It reads the moves of humans from the session.

After some time without a move the thread frees its slot and ends; the next move starts another one. The module uses
the arena and the session, and does not depend on HTTP requests or browsers.
"""

from __future__ import annotations

import logging
import math
import os
import select
import threading
import time
from collections.abc import Callable
from functools import partial

from gomogo.page.play.game_slots import GameSlots
from gomogo.text.names import unique_file_names
from gomogo_core.arena import Arena
from gomogo_core.cancellation import GameCancelled
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason, Seat
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.session.actions import Action
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.referee import HumanPlayer, Referee

_log = logging.getLogger("uvicorn.error")

PAUSE_SECONDS_WITH_AGENTS = 600.0  # seconds without a human's move after which a game with agents pauses
PAUSE_SECONDS_WITHOUT_AGENTS = 30.0  # the same for a game without agents, whose referee starts again at no cost
PAUSE_SECONDS_WITH_QUEUE = 5.0  # the same for a game with agents while another game waits for a slot


class GamePaused(GameCancelled):
    """The error that pauses a game: nobody has moved for some time, the server stops, or the session was deleted."""


class SessionReferee(Referee, threading.Thread):
    """Referees a session until it ends or pauses. sandbox: the level of isolation of the agents' programs.

    on_changed: called after each change by this thread. on_finished: called once with the record of the finished game.
    """

    def __init__(
        self,
        session: GameSession,
        slots: GameSlots,
        sandbox: SandboxLevel,
        on_changed: Callable[[GameSession], None],
        on_finished: Callable[[GameSession, PlayedGame], None],
    ) -> None:
        Referee.__init__(self, session, on_changed)
        threading.Thread.__init__(self, name=f"referee of {session.key}", daemon=True)
        self.game_slots, self.sandbox, self._on_finished = slots, sandbox, on_finished
        self._wake_condition = threading.Condition(session.lock)
        self._closing = False
        self._wake_pipe_read, self._wake_pipe_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def wake(self) -> None:
        """Make the thread check the session again."""
        with self._wake_condition:
            self._wake_condition.notify_all()
            if self._wake_pipe_write >= 0 and not select.select([self._wake_pipe_read], [], [], 0)[0]:
                os.write(self._wake_pipe_write, b".")

    def close(self) -> None:
        """Ask the thread to end."""
        self._closing = True
        self.wake()

    @property
    def accepts_moves(self) -> bool:
        """Whether this thread will handle a move that is made now."""
        return not self._closing and self.is_alive()

    def run(self) -> None:
        """Play until the game ends or pauses."""
        try:
            if self.session.has_agents:
                with self.game_slots.hold_slot(
                    self._show_queue_place, lambda: self._closing or self.session.is_deleted
                ) as answer:
                    if answer:
                        self.change(partial(self.session.set_note, ""))
                        self._play()
            else:
                self._play()
        except GamePaused:
            pass
        except UserError as error:
            message = f"{error.problem} {error.remedy}"
            self.change(partial(self.session.set_note, message))
        except Exception as error:
            # the details are for the log: they may name files of the server
            _log.exception("The referee of %s failed.", self.session.key)
            message = f"The game cannot continue: the server failed ({type(error).__name__})."
            self.change(partial(self.session.set_note, message))
        finally:
            with self._wake_condition:
                self._closing = True
                os.close(self._wake_pipe_read)
                os.close(self._wake_pipe_write)
                self._wake_pipe_write = -1

    def _show_queue_place(self, waiting_before: int) -> None:
        games = f"{self.game_slots.max_games} games" if self.game_slots.max_games > 1 else "Another game"
        place = f"number {waiting_before + 1}" if waiting_before else "next"
        are = "are" if self.game_slots.max_games > 1 else "is"
        self.change(
            partial(
                self.session.set_note, f"{games} with agents {are} running here. Your game is {place} in the queue."
            )
        )

    def _play(self) -> None:
        session = self.session
        keys = unique_file_names(session.names)  # names of people may not be valid in file names
        agents = [agent(seat_info.spec, key) for seat_info, key in zip(session.seat_infos, keys, strict=True)]
        with Arena(sandbox=self.sandbox) as arena:
            played_game = self.play(partial(arena.play, session.game, agents), self._human_players)
            if played_game.outcome.is_void:
                message = f"The game cannot continue: {played_game.outcome.detail}. Try again, or start another game."
                self.change(partial(session.set_note, message))
            else:
                self._on_finished(session, played_game)

    def _human_players(self) -> dict[Seat, Player]:
        self.read_wake_ups()
        people = enumerate(self.session.seat_infos, 1)
        return {seat: BrowserPlayer(self, seat) for seat, seat_info in people if seat_info.is_human}

    def check_turn_not_undone(self) -> None:
        """Raise MovesTakenBack or GamePaused if the game has changed, must pause, or was decided."""
        session = self.session
        if self._closing or session.is_deleted or session.is_paused or session.outcome is not None:
            raise GamePaused("the game pauses")
        super().raise_if_taken_back()

    def read_wake_ups(self) -> None:
        """Read the pending wake-ups, so that the descriptor is no longer readable."""
        while select.select([self._wake_pipe_read], [], [], 0)[0]:
            os.read(self._wake_pipe_read, 64)

    def wake_fd(self) -> int:
        """Return the descriptor that becomes readable when the thread is woken."""
        return self._wake_pipe_read

    def next_action(self, seat: Seat, earlier_count: int, turn: Turn) -> Action | Failure:
        """Wait for the next action of the human in `seat`. earlier_count: the number of this human's earlier moves.

        Returns a Failure for a resignation, or if the time is over. Raises MovesTakenBack and GamePaused.
        """
        since = time.monotonic()
        with self._wake_condition:
            while True:
                self.check_turn_not_undone()
                seat_actions = [action for action in self.session.actions if action.seat == seat]
                if len(seat_actions) > earlier_count:
                    return seat_actions[earlier_count]
                if (loser := self.session.last_to_leave) is not None and (failure := self.resignation_of(loser)):
                    return failure
                seconds_taken = time.monotonic() - since
                if self.session.is_clock_running and seconds_taken > turn.allowed_seconds + turn.grace:
                    return Failure(Reason.OUT_OF_TIME, "", seconds_taken)
                seconds_left = self._seconds_until_release() - seconds_taken
                if seconds_left <= 0:
                    self._closing = True
                    raise GamePaused("no move for a long time")
                self._wake_condition.wait(min(seconds_left, 1.0))

    def _seconds_until_release(self) -> float:
        if self.session.is_clock_running:
            return math.inf  # the human's clock limits the wait
        if not self.session.has_agents:
            return PAUSE_SECONDS_WITHOUT_AGENTS
        return PAUSE_SECONDS_WITH_QUEUE if self.game_slots.has_queue else PAUSE_SECONDS_WITH_AGENTS

    def resignation_of(self, seat: Seat) -> Failure | None:
        """Return a failure if the game ended because `seat` resigned, else None."""
        with self.session.lock:
            has_resigned = self.session.last_to_leave == seat
        return Failure(Reason.RESIGNED, "resigned", seat=seat) if has_resigned else None


class BrowserPlayer(HumanPlayer):
    """A human who plays in a browser."""

    def __init__(self, referee: SessionReferee, seat: Seat) -> None:
        super().__init__(referee.session.names[seat - 1])
        self.referee, self.seat = referee, seat

    def await_ready(self) -> Failure | None:
        """Return a failure if the human resigned before this referee started."""
        return self.referee.resignation_of(self.seat)

    def await_move(self, turn: Turn) -> Reply | Failure:
        """Return the human's next move, read from the session. Raises MovesTakenBack and GamePaused."""
        turn.on_waiting()
        action = self.referee.next_action(self.seat, sum(ply.seat == self.seat for ply in turn.plies), turn)
        return action if isinstance(action, Failure) else Reply(action.move, action.seconds_taken)

    def exit_failure(self) -> Failure | None:
        """Check the session while an agent thinks. Raises MovesTakenBack and GamePaused, which end the agent's
        search.
        """
        self.referee.read_wake_ups()
        self.referee.raise_if_taken_back()
        return self.referee.resignation_of(self.seat)

    def exit_fd(self) -> int | None:
        """Return the descriptor that becomes readable when the session changes."""
        return self.referee.wake_fd()
