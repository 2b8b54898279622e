"""The games of a class: the teacher pairs students, and pauses, adjourns, decides or deletes their games.

students.py chooses the pairs.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial

from gomogo.page.play.class_results import ClassResults
from gomogo.page.play.new_game import NewGame
from gomogo.page.play.students import StudentRow, group_students, pair_students
from gomogo_core.games.base import Outcome, Reason, Seat
from gomogo_core.session.actions import ActionRefused, SeatInfo
from gomogo_core.session.game_session import GameSession

FIRST_MOVE_SECONDS = 60.0  # the limit for a first move in a game with a clock; shorter than outside a class
_PAUSED_MESSAGE = "The teacher has paused all games."
_ADJOURNED_MESSAGE = "This game is adjourned. It continues when the teacher says so."


class ClassGames(ClassResults):
    """The games of a class."""

    def pair_waiting_students(
        self, new_game: NewGame, present_visitors: Collection[str] | None = None
    ) -> tuple[int, list[str]]:
        """Start the games of the preview, and a game for each pair of other waiting students. Return the number of
        games, and the names of the students without a game. Students with an adjourned game are not paired.

        present_visitors: the visitors whose page is open; the others are not paired, except as the preview says. None
        for everybody. Raises ActionRefused if the game has another number of players than the games of the preview.
        """
        with self.lock:
            seats = new_game.game.seats
            groups = self.proposal()
            if any(len(group) != seats for group in groups):
                raise ActionRefused(
                    f"The preview has games of {len(groups[0])} players, and this game has {seats}.",
                    "Preview the games again, or discard the preview.",
                )
            proposed_visitors = {visitor for group in groups for visitor in group}
            free_students = self._free_students(present_visitors, proposed_visitors)
            groups += self._choose_groups(seats, free_students)
            self.proposed_groups, self.late_start_messages = [], []
            self._begin_round([visitor for group in groups for visitor in group])
            for group in groups:
                self._start_game(new_game, group)
            self._save()
            playing = {visitor for group in groups for visitor in group}
            left_out = [row for row in free_students if row.visitor not in playing]
            if groups and seats == 2:
                for row in left_out:
                    self._take_back_bye(row.visitor, self.round_number)  # a round gives one point at most
                    student = self.students[row.visitor]
                    student.left_over_rounds.append(self.round_number)
                    if self.gives_byes:
                        student.byes += 1
                        student.bye_rounds.append(self.round_number)
                    bye = ", and get a point" * self.gives_byes
                    self._show_notice(row.visitor, f"Round {self.round_number}: you have no opponent{bye}.")
                self._save()
            return len(groups), [row.name for row in left_out]

    def _free_students(
        self, present_visitors: Collection[str] | None, other_than: Collection[str] = ()
    ) -> list[StudentRow]:
        """Return the rows of the waiting students, sorted by points, without those in `other_than` and those with an
        adjourned game.
        """
        excluded = {*self.adjourned_students(), *other_than}
        return [
            row
            for row in self.student_rows()
            if row.session is None
            and not row.has_left
            and row.visitor not in excluded
            and (present_visitors is None or row.visitor in present_visitors)
        ]

    def _choose_groups(self, seats: int, rows: Sequence[StudentRow]) -> list[list[str]]:
        """Return the groups of students who play each other next, each as visitors in the order of their seats."""
        groups = pair_students(rows, self.students) if seats == 2 else group_students(rows, self.students, seats)
        return [self._in_seat_order([row.visitor for row in group]) for group in groups]

    def propose_groups(self, seats: int, present_visitors: Collection[str] | None = None) -> list[str]:
        """Choose the groups of the next games without starting them, for the teacher's preview. Return the names of the
        students without a group.

        seats: the number of players in a game. present_visitors: as in `pair_waiting_students`.
        """
        with self.lock:
            rows = self._free_students(present_visitors)
            self.proposed_groups = self._choose_groups(seats, rows)
            self._save()
            proposed_visitors = {visitor for group in self.proposed_groups for visitor in group}
            return [row.name for row in rows if row.visitor not in proposed_visitors]

    def proposal(self) -> list[list[str]]:
        """Return the groups of the preview whose students can all play now, each as visitors."""
        with self.lock:
            busy = self.adjourned_students()
            return [
                group
                for group in self.proposed_groups
                if all(
                    self.is_member(visitor) and visitor not in busy and not self.running_game_of(self.students[visitor])
                    for visitor in group
                )
            ]

    def discard_proposal(self) -> None:
        """Remove the preview of the next games."""
        with self.lock:
            self.proposed_groups = []
            self._save()

    def exchange_in_preview(self, name: str, other_name: str) -> None:
        """Let two students change places in the preview. One of them may have no place.

        Raises ActionRefused for unknown names, or if neither of them is in the preview.
        """
        with self.lock:
            first, second = self._visitor_named(name), self._visitor_named(other_name)
            if not any({first, second} & set(group) for group in self.proposed_groups):
                raise ActionRefused(f"Neither {name} nor {other_name} is in the preview.", "Preview the games again.")
            swapped = {first: second, second: first}
            self.proposed_groups = [
                [swapped.get(visitor, visitor) for visitor in group] for group in self.proposed_groups
            ]
            self._save()

    def pair_named_students(self, new_game: NewGame, names: Sequence[str]) -> None:
        """Start a game between the students of these names. Raises UserError if that is not possible."""
        with self.lock:
            chosen_visitors = [self._visitor_named(name) for name in names]
            if len(set(chosen_visitors)) < len(chosen_visitors):
                raise ActionRefused("A student cannot play against themselves.", "Choose different students.")
            for visitor in chosen_visitors:
                self._check_not_playing(visitor)
            if new_game.game.seats != len(chosen_visitors):
                raise ActionRefused(f"This game has {new_game.game.seats} players.", "Choose a game for two.")
            self.late_start_messages = []
            self._begin_round(chosen_visitors)
            self._start_game(new_game, self._in_seat_order(chosen_visitors))
            self._save()

    def _begin_round(self, visitors: Sequence[str]) -> None:
        """Count a new round if one of these students has already played in the present round. Students who come late,
        or whose game was deleted, play in the present round.
        """
        if visitors and (not self.round_number or self.round_number in self._rounds_of(visitors)):
            self.round_number += 1
            self.carried_keys = [session.key for session in (*self.running_games(), *self.adjourned_games())]

    def _rounds_of(self, visitors: Collection[str]) -> set[int]:
        """Return the numbers of the rounds in which these students have games that are not deleted."""
        keys = {key for visitor in visitors for key in self.students[visitor].keys}
        return {self.round_of(session) for key in keys if (session := self._find_session(key)) is not None}

    def _show_notice(self, visitor: str, notice: str) -> None:
        """Show a student a message until the next game, also on the page of the last game, which may be open."""
        self.students[visitor].notice = notice
        if (last_session := self.last_game_of(visitor)) is not None:
            self.sessions.apply_change(last_session, last_session.mark_changed)

    def _take_back_bye(self, visitor: str, round_number: int) -> bool:
        """Remove a student's bye in this round, with its point. Return whether the student had a point for the bye."""
        student = self.students[visitor]
        if round_number in student.left_over_rounds:
            student.left_over_rounds.remove(round_number)
        if round_number not in student.bye_rounds:
            return False
        student.bye_rounds.remove(round_number)
        student.byes -= 1
        return True

    def _take_back_void_byes(self, round_numbers: Collection[int]) -> None:
        """Remove the byes of each of these rounds that has no game any more."""
        for number in set(round_numbers) - self._rounds_of(self.students):
            for visitor in self.students:
                if self._take_back_bye(visitor, number):
                    self._show_notice(visitor, "The round ended without a result, so you have no point for it.")

    def _check_not_playing(self, visitor: str) -> None:
        student = self.students[visitor]
        if self.running_game_of(student) is not None:
            raise ActionRefused(f"{student.name} is playing.", "Stop that game, or wait until it ends.")

    def _in_seat_order(self, visitors: Sequence[str]) -> list[str]:
        """Return students in the order of their seats: those who have had the first seat less often than other seats
        sit first; between equals, the choice is random.
        """
        shares = {
            visitor: 2 * self.students[visitor].first_seats - len(self.students[visitor].keys) for visitor in visitors
        }
        return sorted(random.sample(visitors, len(visitors)), key=shares.__getitem__)

    def _start_game(self, new_game: NewGame, seated: Sequence[str]) -> None:
        """Start a game of these students, in the order of their seats."""
        infos = tuple(SeatInfo(self.students[visitor].name, "human", visitor=visitor) for visitor in seated)
        session = GameSession(
            new_game.game,
            infos,
            actions=list(new_game.opening),
            opening_length=len(new_game.opening),
            greeting=new_game.greeting,
            is_class_game=True,
        )
        session.set_human_clocks(self.clock)
        session.changed_at = time.monotonic()  # so that the wall shows it before its first move
        if self.is_paused:
            session.pause(_PAUSED_MESSAGE)
        self.sessions.start_session(session, seated[0])
        self._rounds[session.key] = self.round_number
        self.students[seated[0]].first_seats += 1
        for visitor in seated:
            self._take_back_bye(visitor, self.round_number)
            self.students[visitor].notice = ""
            self.students[visitor].met.update(opponent for opponent in seated if opponent != visitor)
        self._link_to_next_game(session, seated)

    def _link_to_next_game(self, session: GameSession, visitors: Sequence[str]) -> None:
        """Make a game the latest one of these students, and add a link to it on the page of their previous game."""
        for visitor in visitors:
            keys = self.students[visitor].keys
            previous_session = self._find_session(keys[-1]) if keys and keys[-1] != session.key else None
            if session.key in keys:
                keys.remove(session.key)
            keys.append(session.key)
            if previous_session is not None:
                self._next_games[previous_session.key, visitor] = session.key
                self.sessions.apply_change(previous_session, previous_session.mark_changed)

    def next_url(self, session: GameSession, visitor: str) -> str:
        """Return the URL of the page after a finished or adjourned game: the student's next game, or the class. Return
        "" for other visitors. The caller has the session's lock, so the method takes no other lock.
        """
        if not self.is_member(visitor) or not (session.is_over or session.key in self.adjourned_keys):
            return ""
        key = self._next_games.get((session.key, visitor))
        return f"/play/{key}" if key else "/class"

    def set_paused(self, *, is_paused: bool) -> int:
        """Pause all running games, or let them continue. Return their number."""
        with self.lock:
            self.is_paused = is_paused
            running_sessions = self.running_games()
            for session in running_sessions:
                self.sessions.apply_change(
                    session, partial(session.pause, _PAUSED_MESSAGE) if is_paused else session.resume
                )
            self._save()
            return len(running_sessions)

    def adjourn(self, name: str) -> None:
        """Pause a student's game until `continue_game`, so that its players can play other games.

        Raises ActionRefused if the student is not playing.
        """
        with self.lock:
            self._adjourn([self._running_game(name)])

    def adjourn_all(self) -> int:
        """Adjourn all running games. Return their number."""
        with self.lock:
            return self._adjourn(self.running_games())

    def _adjourn(self, sessions: Sequence[GameSession]) -> int:
        for session in sessions:
            self.adjourned_keys.append(session.key)
            self.sessions.apply_change(session, partial(session.pause, _ADJOURNED_MESSAGE))
        self._save()
        return len(sessions)

    def continue_game(self, key: str) -> None:
        """Let an adjourned game continue. Raises ActionRefused if a player is in another game."""
        with self.lock:
            session = next((session for session in self.adjourned_games() if session.key == key), None)
            if session is None:
                raise ActionRefused("There is no such adjourned game.", "Look at the list again.")
            visitors = [visitor for visitor in dict.fromkeys(session.visitors().values()) if visitor in self.students]
            for visitor in visitors:
                self._check_not_playing(visitor)
            self.adjourned_keys.remove(key)
            self._link_to_next_game(session, visitors)
            self.sessions.apply_change(
                session, partial(session.pause, _PAUSED_MESSAGE) if self.is_paused else session.resume
            )
            self._save()

    def continue_all(self) -> int:
        """Let all adjourned games continue whose players are not in another game. Return their number."""
        with self.lock:
            adjourned_count = len(self.adjourned_keys)
            for session in self.adjourned_games():
                with suppress(ActionRefused):
                    self.continue_game(session.key)
            return adjourned_count - len(self.adjourned_keys)

    def award_win(self, name: str) -> None:
        """End a student's game as a win for the student. Raises ActionRefused if the student is not playing."""
        with self.lock:
            session = self._running_game(name)
            self._decide(session, session.seats_of(self._visitor_named(name))[0])

    def declare_draw(self, name: str) -> None:
        """End a student's game as a draw. Raises ActionRefused if the student is not playing."""
        with self.lock:
            self._decide(self._running_game(name))

    def declare_all_drawn(self) -> int:
        """End all running games as draws. Return their number."""
        with self.lock:
            running_sessions = self.running_games()
            for session in running_sessions:
                with suppress(ActionRefused):  # a game may have ended a moment ago
                    self._decide(session)
            return len(running_sessions)

    def correct_result(self, name: str, key: str, points: float) -> None:
        """Change the result of a finished game for two: a student gets these points, and the opponent the rest of 1.

        key: the key of a game of the student. Raises ActionRefused if there is no such finished game.
        """
        with self.lock:
            visitor = self._visitor_named(name)
            session = next((session for session in self.finished_games(visitor) if session.key == key), None)
            if session is None or len(session.seat_infos) != 2 or points not in {0.0, 0.5, 1.0}:
                raise ActionRefused("There is no such finished game.", "Look at the list of games again.")
            own_seat = session.seats_of(visitor)[0]
            winner = {0.0: 3 - own_seat, 0.5: None, 1.0: own_seat}[points]
            self.sessions.correct_result(session, _decided_outcome(session, winner))
            for player in session.visitors().values():
                opponent = next(info.name for info in session.seat_infos if info.visitor != player)
                self._show_notice(player, f"The teacher has changed the result of your game against {opponent}.")
            self._save()

    def _decide(self, session: GameSession, winner: Seat | None = None) -> None:
        """End a game as a win for a seat, or as a draw."""
        self.sessions.end_game(session, _decided_outcome(session, winner))
        self._save()

    def cancel_unstarted_games(self) -> None:
        """Delete each game with a clock in which the player to move has not made the first move in time, as lichess
        does. Its players wait again and get no points.
        """
        with self.lock:
            for session in self.running_games():
                with session.lock:
                    if session.lacks_first_move(FIRST_MOVE_SECONDS):
                        self._cancel_game(session)

    def clear_late_start_messages(self) -> None:
        """Remove the messages about games without a first move, which the teacher has read."""
        with self.lock:
            self.late_start_messages = []
            self._save()

    def _cancel_game(self, session: GameSession) -> None:
        late_seat_info = session.seat_infos[session.position.to_move - 1]
        self.students[session.seat_infos[0].visitor].first_seats -= 1
        for visitor in session.visitors().values():
            self.students[visitor].keys.remove(session.key)
        players = " – ".join(session.names)
        news = (
            f"{players}: no result, because {late_seat_info.name} made no first move within {FIRST_MOVE_SECONDS:.0f} s."
        )
        self.late_start_messages.append(news)
        self._delete_games(
            [session],
            lambda visitor: f"{'you' if visitor == late_seat_info.visitor else late_seat_info.name} made no first move",
        )

    def _running_game(self, name: str) -> GameSession:
        session = self.running_game_of(self.students[self._visitor_named(name)])
        if session is None:
            raise ActionRefused(f"{name} is not playing.", "Look at the table again.")
        return session

    def delete_running_games(self) -> int:
        """Delete the running games of the class. Return their number."""
        with self.lock:
            return self._delete_games(self.running_games())

    def delete_game_of(self, name: str) -> int:
        """Delete a student's running game. Return the number of games, 0 or 1. Raises ActionRefused for an unknown
        name.
        """
        with self.lock:
            session = self.running_game_of(self.students[self._visitor_named(name)])
            return self._delete_games([] if session is None else [session])

    def _delete_games(
        self, sessions: Sequence[GameSession], reason: Callable[[str], str] = lambda _: "the teacher stopped it"
    ) -> int:
        """Delete games, and tell each player the reason. Return their number."""
        keys = {session.key for session in sessions}
        self._next_games = {session_key: key for session_key, key in self._next_games.items() if key not in keys}
        for session in sessions:
            for visitor in set(session.visitors().values()) & self.students.keys():
                opponent_names = ", ".join(info.name for info in session.seat_infos if info.visitor != visitor)
                ended_text = f"Your game against {opponent_names} ended without a result: {reason(visitor)}."
                self.students[visitor].notice = ended_text
            self.sessions.delete(session)
        self._take_back_void_byes(set(map(self.round_of, sessions)))
        self._save()
        return len(sessions)


def _decided_outcome(session: GameSession, winner: Seat | None) -> Outcome:
    """Return the outcome of a game that the teacher decides: a win for a seat, or a draw."""
    details = Reason.AGREEMENT, "the teacher decided the game", len(session.seat_infos)
    return Outcome.won_by(winner, *details) if winner else Outcome.draw(*details)
