"""The registry of sessions: starts, finds, changes, stores and deletes sessions, and starts their referees.

Several threads may use it. The module does not depend on HTTP requests or HTML.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from gomogo.page.play.game_slots import GameSlots
from gomogo.page.play.session_referee import SessionReferee
from gomogo.page.server.settings import MAX_UNFINISHED_GAMES, PageSettings
from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome
from gomogo_core.records import sessions
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Store
from gomogo_core.session.actions import ActionRefused
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.stored_session import adjudicated_record, session_from_json, session_json

FIRST_MOVE_SECONDS = 600.0  # the limit for the first move in a game of humans with a clock
_RECENT_SECONDS = 600.0  # seconds without a move after which a game no longer counts as active
_MAX_IN_MEMORY = 500  # sessions; the oldest ones without a referee are then removed from memory


class SessionRegistry:
    """All sessions of a page server.

    on_changed: called after each change of a session, with the session's lock held, in any thread.
    """

    def __init__(
        self, store: Store, settings: PageSettings, on_changed: Callable[[GameSession], None] = lambda _: None
    ) -> None:
        self.store, self.settings = store, settings
        self.on_changed = on_changed
        self.game_slots = GameSlots(settings.max_games)
        self._registry_lock = threading.RLock()
        self._sessions: dict[str, GameSession] = {}
        self._referees: dict[str, SessionReferee] = {}
        self._is_closed = False

    def close(self) -> None:
        """Stop all referees and agents. The games can continue later. Running clocks stop, and keep the time that is
        left.
        """
        with self._registry_lock:
            self._is_closed = True
            referees = list(self._referees.values())
        for referee in referees:
            referee.close()
        for referee in referees:
            referee.join(10)
            with referee.session.lock:
                if referee.session.is_clock_running:
                    referee.session.charge_turn()
                    referee.session.mark_changed()  # so that browsers that reconnect get the charged clock
                    self._store_session(referee.session)

    def find(self, key: str) -> GameSession:
        """Return the session with this key. Raises ActionRefused if there is none."""
        with self._registry_lock:
            if (session := self._sessions.get(key)) is not None:
                return session
            stored_session = sessions.load_session(self.store, key)
            if stored_session is None:
                raise ActionRefused("There is no such game.", "It may have been deleted.")
            session = self._sessions[key] = session_from_json(stored_session.json_values)
            session.changed_at = time.monotonic() - (time.time() - stored_session.changed_at)
            return session

    def sessions_of(self, visitor: str) -> list[GameSession]:
        """Return a visitor's sessions, the last changed one first."""
        sessions_by_key = []
        for stored in sessions.sessions_of(self.store, visitor):
            with suppress(UserError, ValueError, KeyError, TypeError):  # skip a session of another version of Gomogo
                sessions_by_key.append(self.find(stored.key))
        return sessions_by_key

    def active_sessions(self) -> list[GameSession]:
        """Return the unfinished sessions with a recent move, the latest first."""
        with self._registry_lock:
            in_memory = list(self._sessions.values())
        since = time.monotonic() - _RECENT_SECONDS
        recent_sessions = [
            session
            for session in in_memory
            if session.changed_at > since and not session.is_over and not session.has_free_seats
        ]
        return sorted(recent_sessions, key=lambda session: -session.changed_at)

    def start_session(self, session: GameSession, visitor: str) -> GameSession:
        """Start a session. Raises ActionRefused if the visitor has too many unfinished games."""
        if sessions.count_unfinished_sessions(self.store, visitor) >= MAX_UNFINISHED_GAMES:
            raise ActionRefused(f"You have {MAX_UNFINISHED_GAMES} unfinished games.", "Finish or delete some of them.")
        with self._registry_lock:
            self._limit_memory()
            self._sessions[session.key] = session
        with session.lock:
            self._store_session(session)
        self.ensure_referee(session)
        return session

    def _limit_memory(self) -> None:
        for key in list(self._sessions)[: max(0, len(self._sessions) - _MAX_IN_MEMORY)]:
            if key not in self._referees:
                del self._sessions[key]

    def apply_change(self, session: GameSession, action: Callable[[], object]) -> None:
        """Change a session by `action`, show and store it, and let its agents continue. Raises its errors."""
        with session.lock:
            action()
            self._publish(session)
        self.ensure_referee(session)

    def _publish(self, session: GameSession) -> None:
        """Show a change to all viewers, and then store it, so that players do not wait for the disk."""
        self.on_changed(session)
        if not session.is_deleted:
            self._store_session(session)

    def _store_session(self, session: GameSession) -> None:
        since = time.monotonic() - session.changed_at
        sessions.save_session(
            self.store,
            session.key,
            session_json(session),
            session.visitors(),
            is_over=session.is_over,
            changed=time.time() - since if math.isfinite(since) else None,
        )

    def ensure_referee(self, session: GameSession) -> None:
        """Wake the referee of a session, or start one if the session needs it."""
        with session.lock:
            is_finished = session.is_stored or session.is_deleted or session.has_free_seats or session.is_paused
        with self._registry_lock:
            running = self._referees.get(session.key)
            if running is None or not running.accepts_moves:
                if is_finished or self._is_closed:
                    return
                running = None
                referee = SessionReferee(
                    session, self.game_slots, self.settings.sandbox, self._publish, self._on_finished
                )
                self._referees[session.key] = referee
                referee.start()
        if running is None:
            self._forget_idle()
        else:
            running.wake()  # it takes the session's lock, whose holder may be waiting for the lock of the registry

    def _forget_idle(self) -> None:
        with self._registry_lock:
            for key in [key for key, referee in self._referees.items() if not referee.accepts_moves]:
                if self._referees[key].ident is not None:
                    del self._referees[key]

    def _on_finished(self, session: GameSession, played_game: PlayedGame) -> None:
        with session.lock:
            if session.is_deleted:
                return
            self.store.add(played_game)
            session.is_stored = True
            session.mark_changed()
            self._publish(session)

    def end_game(self, session: GameSession, outcome: Outcome) -> None:
        """End a game with this outcome, and store its record. Raises ActionRefused if it is over."""
        with session.lock:
            if session.is_over:
                raise ActionRefused("The game is over.", "Start another game.")
            session.end(outcome)
            session.restart_count += 1  # so that the referee does not end the game too
            self.store.add(adjudicated_record(session, outcome))
            session.is_stored = True
            self._publish(session)
        self._close_referee(session)

    def correct_result(self, session: GameSession, outcome: Outcome) -> None:
        """Change the outcome of a finished game, also in its record. Raises ActionRefused if it is not over."""
        with session.lock:
            if not session.is_stored:
                raise ActionRefused("The game is not over.", "Decide the game instead.")
            self.store.replace_game(replace(self.store.game(session.key), outcome=outcome))
            session.outcome = outcome
            session.mark_changed()
            self._publish(session)

    def _close_referee(self, session: GameSession) -> None:
        with self._registry_lock:
            referee = self._referees.get(session.key)
        if referee is not None:  # without the lock of the registry, as in `ensure_referee`
            referee.close()

    def cancel_unstarted_games(self) -> None:
        """Delete each game of humans with a clock in which the player to move has not made the first move in time.
        Games of a class are left to the class, whose limit is shorter.
        """
        with self._registry_lock:
            in_memory = list(self._sessions.values())
        for session in in_memory:
            with session.lock:
                if session.is_class_game or not session.lacks_first_move(FIRST_MOVE_SECONDS):
                    continue
                name = session.names[session.position.to_move - 1]
                session.set_note(f"{name} made no first move in time, so the game ended without a result.")
                self.delete(session)

    def request_deletion(self, session: GameSession, visitor: str) -> list[str]:
        """Request the deletion of a session. It is deleted when every human player has requested it.

        Returns the names of the players who have not requested it yet. Raises ActionRefused for a visitor who does not
        play in it.
        """
        with session.lock:
            if not session.seats_of(visitor):
                raise ActionRefused("You do not play in this game.", "Only its players can delete it.")
            if waiting_names := session.request_deletion(visitor):
                self._store_session(session)
                self.on_changed(session)
                return waiting_names
        self.delete(session)
        return []

    def delete(self, session: GameSession) -> None:
        """Delete a session with its moves, even while people play in it."""
        with session.lock:
            session.is_deleted = True
            session.mark_changed()
            self.on_changed(session)
            sessions.delete_session(self.store, session.key)
        with self._registry_lock:
            self._sessions.pop(session.key, None)
        self._close_referee(session)
