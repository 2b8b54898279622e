"""The referee of a session: plays it from its list of actions, and again after each removal of moves.

Uses the session and the events of a game; the caller starts agents and asks humans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from gomogo_core.cancellation import Cancelled
from gomogo_core.games.base import Outcome, Seat
from gomogo_core.play.events import Event, GameSetup, Listener, Moved, PlayerLeft, Ply, Warned
from gomogo_core.play.player import Failure, Player
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.session.game_session import Action, GameSession
from gomogo_core.session.stored_session import session_record

PlayGame: TypeAlias = Callable[..., PlayedGame]  # Arena.play, without its listeners, controls, opening and players


class MovesTakenBack(Cancelled):
    """Moves were taken back, or a player left: play continues from the current position."""


class HumanPlayer:
    """A human as a player. A subclass defines `choose`, which reads the move; the session provides everything else."""

    def __init__(self, name: str) -> None:
        self.name = name

    def start(self, table: GameSetup, seat: Seat) -> None:
        """Do nothing: the session has already started."""

    def ready(self) -> Failure | None:
        """Return at once: the human has started the game."""
        return None

    def notify_move(self, ply: Ply) -> None:
        """Do nothing: the session already contains the move."""

    def exit_failure(self) -> Failure | None:
        """Return None: there is no program."""
        return None

    def exit_fd(self) -> int | None:
        """Return None: there is no process."""
        return None

    def finish(self, outcome: Outcome) -> None:
        """Do nothing: the session already contains the outcome."""


class Referee:
    """Referees one session. changed: called after each change by the referee, under the session's lock."""

    def __init__(self, session: GameSession, changed: Callable[[GameSession], None] = lambda _: None) -> None:
        self.session, self._tell_changed = session, changed
        self.epoch = session.epoch

    def play(
        self, play_game: PlayGame, players: Callable[[], Mapping[Seat, Player]], listeners: Sequence[Listener] = ()
    ) -> PlayedGame:
        """Play the session to its end. Return its record, or the record of a void game, after which the session can
        continue.

        play_game: plays one game in an arena. players: called before each game, for the humans by seat.
        """
        session = self.session
        while True:
            with session.lock:
                self.epoch, opening = session.epoch, session.referee_plies()
                controls = [seat_info.control for seat_info in session.seat_infos]
                people = players()
            try:
                played = play_game(
                    controls=controls, opening=opening, listeners=(self.on_event, *listeners), players=people
                )
            except MovesTakenBack:
                continue
            if played.outcome.void:
                return played
            with session.lock:
                if session.epoch == self.epoch:
                    self.change(partial(session.end, played.outcome))
                    return session_record(session, played)

    def change(self, what: Callable[[], object]) -> None:
        """Call `what`, which may change the session, and report any change."""
        with self.session.lock:
            version = self.session.version
            what()
            if self.session.version != version:
                self._tell_changed(self.session)

    def on_event(self, event: Event) -> None:
        """Record an agent's event. Raises MovesTakenBack if the event answers moves that have been taken back."""
        session = self.session
        with session.lock:
            self.check()
            if isinstance(event, Moved):
                if not session.seat_infos[event.seat - 1].person:
                    said = (event.thoughts, event.score, event.line, event.values)
                    one = Action(event.seat, event.move, event.seconds, "", *said)
                    self.change(partial(session.add, one))
                self.change(partial(session.set_clock, event.seat, event.clock_left))
            elif isinstance(event, PlayerLeft):
                self.change(partial(session.leave, event.seat, event.reason, event.detail))
            elif isinstance(event, Warned):
                session.warnings.append((len(session.actions), event.seat, event.what))

    def check(self) -> None:
        """Raise MovesTakenBack if moves were taken back since the game began."""
        if self.session.epoch != self.epoch:
            raise MovesTakenBack("moves were taken back")
