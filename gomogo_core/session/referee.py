"""The referee of a session: plays the game from the session's list of actions, and again after each removal of moves.

The module uses sessions and the events of a game. The caller starts agents and asks humans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from gomogo_core.cancellation import GameCancelled
from gomogo_core.games.base import Outcome, Seat
from gomogo_core.play.events import Event, GameSetup, Listener, Moved, PlayerLeft, Ply, Warned
from gomogo_core.play.player import Failure, Player
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.session.actions import Action
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.stored_session import session_record

# called with controls, opening, listeners and players, as in Arena.play
PlayGame: TypeAlias = Callable[..., PlayedGame]


class MovesTakenBack(GameCancelled):
    """Raised after moves were taken back or a player left. Play then continues from the current position."""

    continues = True


class HumanPlayer:
    """A human as a player. A subclass defines `await_move`, which reads the move.

    The other methods do nothing, because the session already has their information.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def start(self, setup: GameSetup, seat: Seat) -> None:
        """Do nothing: the session has already started."""

    def await_ready(self) -> Failure | None:
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
    """Referees one session.

    on_change: a function that the referee calls after each of its changes, while it holds the session's lock.
    """

    def __init__(self, session: GameSession, on_change: Callable[[GameSession], None] = lambda _: None) -> None:
        self.session, self._on_change = session, on_change
        self.restart_count = session.restart_count

    def play(
        self, play_game: PlayGame, players: Callable[[], Mapping[Seat, Player]], listeners: Sequence[Listener] = ()
    ) -> PlayedGame:
        """Play the session to its end and return its record. After a void game, the session can continue later.

        play_game: a function that plays one game in an arena. players: a function that returns the humans by seat; it
        is called before each game.
        """
        session = self.session
        while True:
            with session.lock:
                self.restart_count, opening = session.restart_count, session.referee_plies()
                controls = [seat_info.control for seat_info in session.seat_infos]
                humans = players()
            try:
                played_game = play_game(
                    controls=controls, opening=opening, listeners=(self.on_event, *listeners), players=humans
                )
            except MovesTakenBack:
                continue
            if played_game.outcome.is_void:
                return played_game
            with session.lock:
                if session.restart_count == self.restart_count:
                    self.change(partial(session.end, played_game.outcome))
                    return session_record(session, played_game)

    def change(self, action: Callable[[], object]) -> None:
        """Call `action`, which may change the session, and report any change."""
        with self.session.lock:
            version = self.session.version
            action()
            if self.session.version != version:
                self._on_change(self.session)

    def on_event(self, event: Event) -> None:
        """Record an event of the game. Raises MovesTakenBack if moves before the event have been taken back."""
        session = self.session
        with session.lock:
            self.raise_if_taken_back()
            if isinstance(event, Moved):
                if not session.seat_infos[event.seat - 1].is_human:
                    analysis = (event.thoughts, event.score, event.line, event.move_values)
                    action = Action(event.seat, event.move, event.seconds_taken, "", *analysis)
                    self.change(partial(session.add, action))
                self.change(partial(session.set_clock, event.seat, event.clock_left))
            elif isinstance(event, PlayerLeft):
                self.change(partial(session.record_departure, event.seat, event.reason, event.detail))
            elif isinstance(event, Warned):
                session.warnings.append((len(session.actions), event.seat, event.warning))

    def raise_if_taken_back(self) -> None:
        """Raise MovesTakenBack if moves were taken back since the game began."""
        if self.session.restart_count != self.restart_count:
            raise MovesTakenBack("moves were taken back")
