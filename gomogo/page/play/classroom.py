"""A class: students join by name and leave, the teacher pairs those who wait, and each game adds to their points.

class_members.py has the state of the class, and class_rules.py, class_results.py and class_games.py each add an idea.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from gomogo.page.play.class_games import ClassGames
from gomogo.page.play.class_rules import ClassRules
from gomogo.page.play.students import Student
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.session.actions import ActionRefused
from gomogo_core.session.game_session import GameSession
from gomogo_core.wire.lines import distinct_names

_MAX_STUDENTS = 200


class Classroom(ClassGames, ClassRules):
    """A class with its students, its rules, its results and its games."""

    def join(self, visitor: str, name: str) -> None:
        """Add a student, or change the student's name. Raises ActionRefused if the class is closed or full."""
        with self.lock:
            if not self.is_open:
                raise ActionRefused("The class is closed.", "Ask the teacher to open it.")
            if visitor not in self.students and len(self.students) >= _MAX_STUDENTS:
                raise ActionRefused(f"The class has {_MAX_STUDENTS} students.", "Ask the teacher.")
            student = self.students.setdefault(visitor, Student(""))
            self._change_name(visitor, self._free_name(visitor, name))
            student.notice, student.has_left = "", False
            if student.name != name:
                student.notice = (
                    f"Another student is called {name}, so you are {student.name}. You can choose another name below."
                )
            self._save()

    def _change_name(self, visitor: str, name: str) -> None:
        """Change a student's name, also in all games of the class."""
        student = self.students[visitor]
        if student.name == name:
            return
        student.name = name
        for session in filter(None, map(self._find_session, student.keys)):
            self.sessions.apply_change(session, partial(session.give_seat, visitor, visitor, name))

    def _free_name(self, visitor: str, name: str) -> str:
        """Return a name for a student: this one, or with a number if another student has it."""
        # students who left without points are not listed
        listed_visitors = {row.visitor for row in self._unsorted_rows()}
        other_names = [
            student.name
            for other_visitor, student in self.students.items()
            if other_visitor != visitor and other_visitor in listed_visitors
        ]
        return distinct_names([*other_names, name])[-1]

    def rename_student(self, name: str, new_name: str) -> str:
        """Change a student's name, also in all games of the class. Return the new name, which has a number if another
        student has the name. Raises ActionRefused for an unknown name.
        """
        with self.lock:
            visitor = self._visitor_named(name)
            free_name = self._free_name(visitor, new_name)
            self._change_name(visitor, free_name)
            self._show_notice(visitor, f"The teacher has changed your name to {free_name}.")
            self._save()
            return free_name

    def remove_student(self, name: str, replacement: str = "", key: str = "") -> str:
        """Remove a student; the finished games still count. Return a sentence on the running game. Raises ActionRefused
        for an unknown name, or if the game that `replacement` takes over has ended.

        key: the game that the teacher saw, or empty. replacement: the name of a waiting student who takes over the
        running game. Without one, the opponent wins it, or it is deleted if there are several.
        """
        with self.lock:
            visitor = self._visitor_named(name)
            student, result = self.students[visitor], ""
            session = self.running_game_of(student)
            if replacement:
                result = self._hand_over_game(session, visitor, replacement)
            elif session is not None and len(session.seat_infos) == 2:
                seat = next(seat for seat, info in enumerate(session.seat_infos, 1) if info.visitor != visitor)
                self.sessions.end_game(session, Outcome.won_by(seat, Reason.AGREEMENT, f"{name} left the class"))
                result = f" {session.names[seat - 1]} won their game."
            elif session is not None:
                self._delete_games([session])
                result = " Their game was deleted."
            elif key:
                result = self._last_result(visitor)
            student.has_left = True
            self._show_notice(visitor, "The teacher has removed you from the class.")
            self._save()
            return result

    def _hand_over_game(self, session: GameSession | None, visitor: str, replacement: str) -> str:
        replacement_visitor, name = self._visitor_named(replacement), self.students[visitor].name
        if session is None:
            raise ActionRefused(f"{name} is not playing.{self._last_result(visitor)}", "Nobody was removed.")
        self._check_not_playing(replacement_visitor)
        self.sessions.apply_change(session, lambda: session.give_seat(visitor, replacement_visitor, replacement))
        self.students[visitor].keys.remove(session.key)
        self._link_to_next_game(session, [replacement_visitor])
        self._take_back_bye(replacement_visitor, self.round_of(session))  # a round gives one point at most
        for player in session.visitors().values():
            self._show_notice(
                player, f"{'You play' if player == replacement_visitor else f'{replacement} plays'} on for {name}."
            )
        return f" {replacement} plays on in their place."

    def merge_order(self, visitor: str, other: str, present_visitors: Collection[str]) -> tuple[str, str]:
        """Return two entries of the same student in the order: the entry that stays, the entry that is removed.

        An entry that has left the class is removed. Otherwise it is an entry without an open page, or else the entry
        that joined first: a student who returns on another device joins later.
        """
        with self.lock:
            joined = list(self.students)
            ranks = {
                one: (not self.students[one].has_left, one in present_visitors, joined.index(one))
                for one in (visitor, other)
            }
            gone, staying = sorted(ranks, key=ranks.__getitem__)
            return staying, gone

    def merged_name(self, visitor: str, other: str) -> str:
        """Return the name of two entries of the same student after `merge_students`: that of the earlier one."""
        return next(student.name for one, student in self.students.items() if one in (visitor, other))

    def merge_students(self, name: str, other_name: str, present_visitors: Collection[str]) -> str:
        """Merge two entries into one student, in the order of `merge_order`. Return the student's name.

        The games, points and byes of both entries count, except games of the two entries against each other.
        other_name: may be the name of a student who has left. Raises ActionRefused if there is no such student, or if
        both are playing.
        """
        with self.lock:
            visitor = self._visitor_named(name)
            twin = next((row.visitor for row in self._unsorted_rows() if row.name == other_name), visitor)
            if twin == visitor:
                raise ActionRefused(f"No other student has the name {other_name!r}.", "Choose another student.")
            staying, gone = self.merge_order(visitor, twin, present_visitors)
            student, other = self.students[staying], self.students[gone]
            if self.running_game_of(student) is not None and self.running_game_of(other) is not None:
                raise ActionRefused(
                    f"{student.name} and {other.name} are both playing.", "Stop one of the games first."
                )
            running_game = self.running_game_of(student) or self.running_game_of(other)
            name, games = self.merged_name(staying, gone), list[GameSession]()
            for session in [self._find_session(key) for key in {*student.keys, *other.keys}]:
                if session is None:
                    continue
                if session.seats_of(staying) and session.seats_of(gone):
                    if not session.is_over:
                        self.sessions.delete(session)
                    continue
                owner = gone if session.seats_of(gone) else staying
                self.sessions.apply_change(session, partial(session.give_seat, owner, staying, name))
                games.append(session)
            games.sort(key=lambda session: (session is running_game, session.started))
            self.adjourned_keys = [session.key for session in self.adjourned_games()]
            self._next_games = {
                (before, staying if visitor == gone else visitor): key
                for (before, visitor), key in self._next_games.items()
            }
            student.name, student.keys = name, [session.key for session in games]
            student.met.update(other.met)
            student.first_seats += other.first_seats
            student.byes += other.byes
            student.left_over_rounds += other.left_over_rounds
            student.bye_rounds += other.bye_rounds
            student.notice = f"You are {name}, with the points of all your games."
            for each in self.students.values():
                each.met.update({staying: each.met.pop(gone)} if gone in each.met else {})
            del student.met[staying]
            others = {visitor: each for visitor, each in self.students.items() if visitor != gone}
            self.students = {
                **others,
                gone: Student(other.name, has_left=True, notice="You continue on another device."),
            }
            self._save()
            return name

    def begin_new_class(self) -> None:
        """Begin a new class: stop the running games, and remove all students and points. Finished games stay stored.

        The messages to the students and the final ranking are kept for the pages of the students and the wall.
        """
        with self.lock:
            self.final_messages, self.final_ranking = self._final_messages(), self.ranking()
            self._delete_games([*self.running_games(), *self.adjourned_games()])
            self.students, self._next_games, self.adjourned_keys, self.late_start_messages = {}, {}, [], []
            self.is_paused, self.is_open, self.round_number, self._rounds = False, True, 0, {}
            self.carried_keys, self.proposed_groups = [], []
            self._save()

    def _final_messages(self) -> dict[str, str]:
        """Return by visitor what each student's page says after the end of the class."""
        standings = self.standings()
        unfinished_games = [*self.running_games(), *self.adjourned_games()]
        visitors_in_games = {visitor for session in unfinished_games for visitor in session.visitors().values()}
        messages = dict[str, str]()
        for visitor in self.students:
            loss = "; your game was deleted" if visitor in visitors_in_games else ""
            result = f" In the last class you reached {standings[visitor]}" if visitor in standings else ""
            messages[visitor] = f"The teacher has begun a new class{loss}.{result}"
        return messages
