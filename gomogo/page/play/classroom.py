"""A class: students join by name, the teacher pairs waiting students, and each game adds to their points.

The class is stored after each change, so that it continues after a restart of the server. The module uses visitors,
names and sessions. It does not depend on HTTP requests or HTML; students.py chooses the pairs.
"""

from __future__ import annotations

import math
import random
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import RLock
from typing import Any

from gomogo.page.play.new_game import NewGame
from gomogo.page.play.resemblance import LINE_LENGTH, any_resembles, resembles
from gomogo.page.play.sessions import SessionRegistry
from gomogo.page.play.students import (
    RankedStudent,
    Student,
    StudentRow,
    group_students,
    pair_students,
    ranked_rows,
    student_points,
)
from gomogo_core.games.base import Outcome, Position, Reason
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.session.actions import ActionRefused, SeatInfo
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.words import result_sentence
from gomogo_core.wire.lines import distinct_names

FIRST_MOVE_SECONDS = 60.0  # the limit for a first move in a game with a clock; shorter than outside a class
_MAX_STUDENTS = 200
_PAUSED_MESSAGE = "The teacher has paused all games."
_ADJOURNED_MESSAGE = "This game is adjourned. It continues when the teacher says so."
_HELP_ACTIONS = ("hint", "explain")
_RESEMBLANCE_ERROR = ActionRefused(
    "This position is that of a running game of the class, or resembles it.", "Ask again when that game is over."
)
_REVIEW_ERROR = ActionRefused(
    "This game resembles one of the class that is still running.", "The review opens here as soon as that game is over."
)
_UNDO_ACTIONS = ("undo", "agree", "delete")


@dataclass
class Classroom:
    """A class. save: stores the values of `as_json`.

    secret: the end of the URL of the teacher's page. is_open: whether students can join. students: by visitor. game:
    the teacher's last choice of a game, with its board. rules: the other fields of the form for a new game, such as
    "option-komi". clock: the clock of new games. allows_help: whether students have hints, explanations and analyses
    during a game. allows_undo: whether they can take back moves and delete games. gives_byes: whether a student who is
    left over in a pairing gets a point. is_paused: whether all games are paused. adjourned_keys: keys of games that
    continue later. message: the result of the teacher's last action, until the teacher's page has shown it.
    message_details: the names of the students whom it concerns. late_start_messages: the messages about games without a
    first move since the last pairing, until the teacher dismisses them. teacher_visitors: the visitors who have opened
    the teacher's page. final_standings: a sentence on points and place in the last class, by visitor. final_ranking:
    the ranking of the last class. round_number: the present round, counted from 1; 0 before the first game.
    """

    sessions: SessionRegistry
    save: Callable[[Mapping[str, Any]], None] = lambda _: None
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    is_open: bool = True
    students: dict[str, Student] = field(default_factory=dict)
    game: str = ""
    rules: dict[str, str] = field(default_factory=dict)
    clock: TimeControl = NO_LIMIT
    allows_help: bool = False
    allows_undo: bool = False
    gives_byes: bool = False
    is_paused: bool = False
    adjourned_keys: list[str] = field(default_factory=list)
    message: str = ""
    message_details: str = ""
    late_start_messages: list[str] = field(default_factory=list)
    teacher_visitors: list[str] = field(default_factory=list)
    final_standings: dict[str, str] = field(default_factory=dict)
    final_ranking: list[RankedStudent] = field(default_factory=list)
    round_number: int = 0
    lock: RLock = field(default_factory=RLock, repr=False)
    _last_seen: dict[str, float] = field(default_factory=dict)  # by visitor: when a page was open last, monotonic
    _next_games: dict[tuple[str, str], str] = field(default_factory=dict)  # by finished game and visitor: the next game
    _rounds: dict[str, int] = field(default_factory=dict)  # by key of a game: its round

    # The stored form

    def as_json(self) -> dict[str, Any]:
        """Return the class as plain values; `restore` reads them."""
        return {
            "secret": self.secret,
            "open": self.is_open,
            "students": {visitor: vars(student) for visitor, student in self.students.items()},
            "game": self.game,
            "rules": self.rules,
            "clock": self.clock.as_dict(),
            "help": self.allows_help,
            "undo": self.allows_undo,
            "byes": self.gives_byes,
            "paused": self.is_paused,
            "adjourned": self.adjourned_keys,
            "teachers": self.teacher_visitors,
            "news": self.late_start_messages,
            "final_standings": self.final_standings,
            "final_ranking": self.final_ranking,
            "round": self.round_number,
            "rounds": self._rounds,
            "next": [[*places, key] for places, key in self._next_games.items()],
        }

    def restore_from_json(self, plain: Mapping[str, Any]) -> None:
        """Read the class from plain values. Its running games are loaded, too."""
        self.secret, self.is_open, self.game = plain["secret"], plain["open"], plain["game"]
        self.rules = dict(plain.get("rules", {}))
        self.students = {
            visitor: Student(**{**fields, "met": Counter(fields["met"])})
            for visitor, fields in plain["students"].items()
        }
        self.clock = TimeControl(**plain["clock"])
        self.allows_help, self.allows_undo = plain["help"], plain["undo"]
        self.gives_byes = plain.get("byes", False)
        self.is_paused, self.adjourned_keys = plain["paused"], list(plain["adjourned"])
        self.teacher_visitors, self.late_start_messages = list(plain.get("teachers", ())), list(plain.get("news", ()))
        self.final_standings = dict(plain.get("final_standings", {}))
        self.final_ranking = [RankedStudent.from_json(line) for line in plain.get("final_ranking", ())]
        self.round_number, self._rounds = plain.get("round", 0), dict(plain.get("rounds", {}))
        self._next_games = {(session_key, visitor): key for session_key, visitor, key in plain["next"]}
        for visitor in self.students:  # the pages of the students reconnect in a moment
            self.mark_present(visitor)
        self.running_games()  # which loads them, so that the wall shows them

    def _save(self) -> None:
        self.save(self.as_json())

    # Students

    def join(self, visitor: str, name: str) -> None:
        """Add a student, or change the student's name. Raises ActionRefused if the class is closed or full."""
        with self.lock:
            if not self.is_open:
                raise ActionRefused("The class is closed.", "Ask the teacher to open it.")
            if visitor not in self.students and len(self.students) >= _MAX_STUDENTS:
                raise ActionRefused(f"The class has {_MAX_STUDENTS} students.", "Ask the teacher.")
            # students who left without points are not listed
            listed_visitors = {row.visitor for row in self._unsorted_rows()}
            other_names = [
                student.name
                for other_visitor, student in self.students.items()
                if other_visitor != visitor and other_visitor in listed_visitors
            ]
            student = self.students.setdefault(visitor, Student(""))
            student.name, student.has_left = distinct_names([*other_names, name])[-1], False
            student.notice = ""
            if student.name != name:
                student.notice = (
                    f"Another student is called {name}, so you are {student.name}. You can choose another name below."
                )
            self._save()

    def student_names(self) -> list[str]:
        """Return the names of the students in the class, in the order of joining."""
        with self.lock:
            return [student.name for student in self.students.values() if not student.has_left]

    def is_member(self, visitor: str) -> bool:
        """Return whether this visitor is a student of the class now."""
        student = self.students.get(visitor)
        return student is not None and not student.has_left

    def mark_present(self, visitor: str) -> None:
        """Remember that a page of this visitor is open now."""
        if visitor in self.students:
            self._last_seen[visitor] = time.monotonic()

    def was_present(self, visitor: str, seconds: float) -> bool:
        """Return whether a page of this visitor was open in the last `seconds`."""
        return time.monotonic() - self._last_seen.get(visitor, -math.inf) < seconds

    def running_game_of(self, student: Student) -> GameSession | None:
        """Return the student's running game; None if the student waits."""
        session = self._find_session(student.keys[-1]) if student.keys else None
        return None if session is None or session.is_over or session.key in self.adjourned_keys else session

    def _find_session(self, key: str) -> GameSession | None:
        try:
            return self.sessions.find(key)
        except ActionRefused:  # deleted
            return None

    def last_game_of(self, visitor: str) -> GameSession | None:
        """Return the student's last game in this class, running or over; None if there is none."""
        keys = self.students[visitor].keys
        return self._find_session(keys[-1]) if keys else None

    def finished_games(self, visitor: str) -> list[GameSession]:
        """Return the student's finished games in this class, the latest first."""
        sessions = [self._find_session(key) for key in reversed(self.students[visitor].keys)]
        return [session for session in sessions if session is not None and session.is_over and not session.is_deleted]

    def running_games(self) -> list[GameSession]:
        """Return the running games of the class, without adjourned ones."""
        with self.lock:
            sessions = [self.running_game_of(student) for student in self.students.values()]
        return list({session.key: session for session in sessions if session is not None}.values())

    def adjourned_games(self) -> list[GameSession]:
        """Return the adjourned games of the class."""
        return [
            session
            for key in self.adjourned_keys
            if (session := self._find_session(key)) is not None and not session.is_over
        ]

    def adjourned_students(self) -> set[str]:
        """Return the students who have an adjourned game, as visitors."""
        return {visitor for session in self.adjourned_games() for visitor in session.visitors().values()}

    def latest_results(self, limit: int) -> list[GameSession]:
        """Return at most `limit` finished games of the class, the latest first."""
        with self.lock:
            sessions_by_key = {
                session.key: session for visitor in self.students for session in self.finished_games(visitor)[:limit]
            }
        return sorted(
            sessions_by_key.values(), key=lambda session: (session.changed_at, session.started), reverse=True
        )[:limit]

    def round_games(self) -> list[GameSession]:
        """Return the running games, and the finished games of the present round, in the order of their start."""
        with self.lock:
            sessions = {session.key: session for session in self.running_games()}
            for visitor in self.students:
                for session in self.finished_games(visitor):
                    if self.round_of(session) == self.round_number:
                        sessions[session.key] = session
            return sorted(sessions.values(), key=lambda session: session.started)

    def round_of(self, session: GameSession) -> int:
        """Return the number of the round of a game; 0 if the game is older than the rounds."""
        return self._rounds.get(session.key, 0)

    def student_rows(self) -> list[StudentRow]:
        """Return the rows of all students, the best place first. Students who share a place are in the order of
        joining.
        """
        with self.lock:
            return ranked_rows(self._unsorted_rows())

    def _unsorted_rows(self) -> list[StudentRow]:
        games = {visitor: self.finished_games(visitor) for visitor in self.students}
        points = {
            visitor: sum(student_points(session, visitor) for session in games[visitor]) + student.byes
            for visitor, student in self.students.items()
        }
        rows = []
        for visitor, student in self.students.items():
            if student.has_left and not games[visitor] and not student.byes:
                continue
            session = self.running_game_of(student)
            infos = session.seat_infos if session else ()
            opponents = tuple(info.name for info in infos if info.visitor != visitor)
            met = [other for game in games[visitor] for other in set(game.visitors().values()) - {visitor}]
            opponent_points = sum(points.get(other, 0.0) for other in met)
            rows.append(
                StudentRow(
                    visitor,
                    student.name,
                    len(games[visitor]),
                    student.byes,
                    points[visitor],
                    session,
                    opponents,
                    student.has_left,
                    opponent_points,
                )
            )
        return rows

    def standings(self) -> dict[str, str]:
        """Return a sentence on points and place by visitor, for each student with a game or points."""
        rows, sentences = self.student_rows(), dict[str, str]()
        count = sum(not row.has_left for row in rows)
        for own in rows:
            if own.place:
                byes = f" and {own.byes} bye{'s' * (own.byes != 1)}" if own.byes else ""
                points = f"{own.points_text} point{'s' * (own.points != 1)}"
                games = f"{own.games} game{'s' * (own.games != 1)}"
                sentences[own.visitor] = f"{points} in {games}{byes}: place {own.place} of {count}."
        return sentences

    def ranking(self) -> list[RankedStudent]:
        """Return a line on each student in the class with a game or points, the best first."""
        return [
            RankedStudent(row.place, row.name, row.points_text, row.games, row.byes, f"{row.opponent_points:g}")
            for row in self.student_rows()
            if row.place and not row.has_left
        ]

    def student_row(self, name: str) -> StudentRow:
        """Return the row of the student with this name. Raises ActionRefused if there is none."""
        with self.lock:
            visitor = self._visitor_named(name)
            return next(row for row in self._unsorted_rows() if row.visitor == visitor)

    def _visitor_named(self, name: str) -> str:
        """Return the student with this name. Raises ActionRefused if there is none."""
        for visitor, student in self.students.items():
            if student.name == name and not student.has_left:
                return visitor
        raise ActionRefused(f"No student has the name {name!r}." if name else "A name is missing.", "Choose a student.")

    # Pairing

    def pair_waiting(self, new_game: NewGame, present_visitors: Collection[str] | None = None) -> tuple[int, list[str]]:
        """Start a game for each pair of waiting students. Return the number of games, and the names of the students
        without a game. Students with an adjourned game are not paired.

        present_visitors: the visitors whose page is open; the others are not paired. None for everybody.
        """
        with self.lock:
            seats = new_game.game.seats
            rows = [row for row in self.student_rows() if row.session is None and not row.has_left]
            adjourned = self.adjourned_students()
            free_students = [
                row
                for row in rows
                if row.visitor not in adjourned and (present_visitors is None or row.visitor in present_visitors)
            ]
            groups = (
                pair_students(free_students, self.students)
                if seats == 2
                else group_students(free_students, self.students, seats)
            )
            self.late_start_messages = []
            self._begin_round([row.visitor for group in groups for row in group])
            for group in groups:
                self._start_game(new_game, [row.visitor for row in group])
            self._save()
            playing = {row.visitor for group in groups for row in group}
            left_out = [row for row in free_students if row.visitor not in playing]
            if groups and seats == 2:
                for row in left_out:
                    self.students[row.visitor].byes += self.gives_byes
                    self.students[row.visitor].left_over_rounds.append(self.round_number)
                    bye = ", and got a point" * self.gives_byes
                    self.students[row.visitor].notice = f"You were left over in this round{bye}."
                self._save()
            return len(groups), [row.name for row in left_out]

    def pair_named(self, new_game: NewGame, names: Sequence[str]) -> None:
        """Start a game between the students of these names. Raises UserError if that is not possible."""
        with self.lock:
            chosen_visitors = [self._visitor_named(name) for name in names]
            if len(set(chosen_visitors)) < len(chosen_visitors):
                raise ActionRefused("A student cannot play against themselves.", "Choose different students.")
            for visitor in chosen_visitors:
                self._check_free(visitor)
            if new_game.game.seats != len(chosen_visitors):
                raise ActionRefused(f"This game has {new_game.game.seats} players.", "Choose a game for two.")
            self.late_start_messages = []
            self._begin_round(chosen_visitors)
            self._start_game(new_game, chosen_visitors)
            self._save()

    def _begin_round(self, visitors: Sequence[str]) -> None:
        """Count a new round if one of these students has played in the present one. Students who come late or whose
        game was deleted play in the present round.
        """
        keys = {key for visitor in visitors for key in self.students[visitor].keys}
        sessions = [session for key in keys if (session := self._find_session(key)) is not None]
        if visitors and (not self.round_number or self.round_number in map(self.round_of, sessions)):
            self.round_number += 1

    def _check_free(self, visitor: str) -> None:
        student = self.students[visitor]
        if self.running_game_of(student) is not None:
            raise ActionRefused(f"{student.name} is playing.", "Stop that game, or wait until it ends.")

    def _start_game(self, new_game: NewGame, visitors: Sequence[str]) -> None:
        """Start a game. Students who have had the first seat less often than other seats sit first; between equals, the
        choice is random.
        """
        shares = {
            visitor: 2 * self.students[visitor].first_seats - len(self.students[visitor].keys) for visitor in visitors
        }
        seated = sorted(random.sample(visitors, len(visitors)), key=shares.__getitem__)
        infos = tuple(SeatInfo(self.students[visitor].name, "human", visitor=visitor) for visitor in seated)
        session = GameSession(
            new_game.game,
            infos,
            actions=list(new_game.opening),
            opening=len(new_game.opening),
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

    def admit_teacher(self, visitor: str) -> None:
        """Remember that this visitor has opened the teacher's page, whose address is secret."""
        with self.lock:
            if visitor not in self.teacher_visitors:
                self.teacher_visitors.append(visitor)
                self._save()

    def class_url(self, visitor: str) -> str:
        """Return the URL of the page of the class for a teacher or a student; "" for other visitors."""
        if visitor in self.teacher_visitors:
            return f"/class/{self.secret}"
        return "/class" if self.is_member(visitor) else ""

    def class_game_url(self, visitor: str) -> str | None:
        """Return the URL of a student's running game in the class, "" if the student waits; None for other visitors."""
        if not self.is_member(visitor):
            return None
        session = self.running_game_of(self.students[visitor])
        return f"/play/{session.key}" if session else ""

    # Rules of the class

    def find_refusal(self, visitor: str, action: str, session: GameSession) -> ActionRefused | None:
        """Return the error if the rules of the class forbid an action of a visitor in a session, else None.

        action: the last part of its URL, such as "hint".
        """
        if action in _HELP_ACTIONS and (
            refusal := self.find_help_refusal(visitor, session.last_positions(LINE_LENGTH - 1)[1])
        ):
            return refusal
        if not session.is_class_game:
            return None
        if action == "rematch":
            return ActionRefused("The teacher starts the games of the class.", "Wait for your next game.")
        if action in _UNDO_ACTIONS and not self.allows_undo and (action == "delete" or not session.is_over):
            return ActionRefused("In this class, moves stay, and games are not deleted.", "Ask the teacher.")
        return None

    def find_help_refusal(self, visitor: str, positions: Sequence[Position]) -> ActionRefused | None:
        """Return the error if the rules of the class forbid hints and analyses of the last of these positions, else
        None. While help is off, students have none in any game that they play during a game of the class. Nobody but a
        teacher has help in positions that resemble a game of the class: a student could use another browser.
        """
        if self.allows_help:
            return None
        if self.is_member(visitor) and self.running_game_of(self.students[visitor]) is not None:
            return ActionRefused("The teacher has switched off help during games.", "Ask again after your game.")
        if visitor not in self.teacher_visitors and resembles(positions, self._unfinished_lines()):
            return _RESEMBLANCE_ERROR
        return None

    def find_review_refusal(self, visitor: str, positions: Sequence[Position]) -> ActionRefused | None:
        """Return the error if the rules of the class forbid the review of a game with these positions, else None."""
        if self.allows_help or visitor in self.teacher_visitors:
            return None
        other_positions = [line[-1] for line in self._unfinished_lines()]
        return _REVIEW_ERROR if any_resembles(positions, other_positions) else None

    def _unfinished_lines(self) -> list[Sequence[Position]]:
        """Return the last positions of each unfinished game of the class."""
        games = [*self.running_games(), *self.adjourned_games()]
        return [session.last_positions(LINE_LENGTH - 1)[1] for session in games]

    def forbidden_controls(self, *, is_over: bool) -> str:
        """Return the kinds of controls that students do not see in a game of the class, separated by blanks."""
        kinds = ["no-delete"] if not self.allows_undo else []
        if not is_over:
            kinds += [*(["no-undo"] if not self.allows_undo else []), *(["no-help"] if not self.allows_help else [])]
        return " ".join(kinds)

    def restrictions_text(self) -> str:
        """Return a sentence that tells students what the teacher forbids in games of the class; empty if everything is
        allowed.
        """
        if self.allows_help:
            return "" if self.allows_undo else "No taking back in class games."
        return f"No hints{' or analysis' if self.allows_undo else ', analysis or taking back'} in class games."

    def set_rule(self, rule: str, *, allowed: bool) -> None:
        """Allow or forbid "help" or "undo" in running and new games, or "byes" in new pairings."""
        with self.lock:
            if rule == "help":
                self.allows_help = allowed
            elif rule == "undo":
                self.allows_undo = allowed
            elif rule == "byes":
                self.gives_byes = allowed
            self._save()
            for session in self.running_games():
                self.sessions.apply_change(session, session.mark_changed)

    def set_open(self, *, is_open: bool) -> None:
        """Open or close the class to new students."""
        with self.lock:
            self.is_open = is_open
            self._save()

    # Running games

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
                self._check_free(visitor)
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
            visitor, session = self._visitor_named(name), self._running_game(name)
            seats = len(session.seat_infos)
            outcome = Outcome.won_by(
                session.seats_of(visitor)[0], Reason.AGREEMENT, "the teacher decided the game", seats
            )
            self._end_by_decision(session, outcome)

    def declare_draw(self, name: str) -> None:
        """End a student's game as a draw. Raises ActionRefused if the student is not playing."""
        with self.lock:
            self._declare_draw(self._running_game(name))

    def draw_all(self) -> int:
        """End all running games as draws. Return their number."""
        with self.lock:
            running_sessions = self.running_games()
            for session in running_sessions:
                with suppress(ActionRefused):  # a game may have ended a moment ago
                    self._declare_draw(session)
            return len(running_sessions)

    def _declare_draw(self, session: GameSession) -> None:
        draw = Outcome.draw(Reason.AGREEMENT, "the teacher decided the game", len(session.seat_infos))
        self._end_by_decision(session, draw)

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

    def _end_by_decision(self, session: GameSession, outcome: Outcome) -> None:
        self.sessions.end_game(session, outcome)
        self._save()

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
            self.sessions.remove(session)
        self._save()
        return len(sessions)

    # Leaving

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
            self._save()
            return result

    def _hand_over_game(self, session: GameSession | None, visitor: str, replacement: str) -> str:
        replacement_visitor = self._visitor_named(replacement)
        if session is None:
            name = self.students[visitor].name
            raise ActionRefused(f"{name} is not playing.{self._last_result(visitor)}", "Nobody was removed.")
        self._check_free(replacement_visitor)
        self.sessions.apply_change(session, lambda: session.give_seat(visitor, replacement_visitor, replacement))
        self.students[visitor].keys.remove(session.key)
        self._link_to_next_game(session, [replacement_visitor])
        return f" {replacement} plays on in their place."

    def merge_order(self, visitor: str, other: str, present_visitors: Collection[str]) -> tuple[str, str]:
        """Return which of two entries of the same student continues, and which goes.

        An entry that has left goes, else one without an open page, else the one that joined first: a student who
        returns on another device joins later.
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
        """Make one student of two entries, as `merge_order` says. Return the student's name.

        Games, points and byes of both count. A game of the two against each other counts no longer. other_name: it may
        be that of a student who has left. Raises ActionRefused if there is no such student, or if both are playing.
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
                        self.sessions.remove(session)
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
            student.notice = f"You are {name}, with the points of all your games."
            for each in self.students.values():
                each.met.update({staying: each.met.pop(gone)} if gone in each.met else {})
            del student.met[staying]
            others = {visitor: each for visitor, each in self.students.items() if visitor != gone}
            self.students = {**others, gone: Student(other.name, has_left=True)}  # so that its page says it
            self._save()
            return name

    def _last_result(self, visitor: str) -> str:
        """Return a sentence on a student's last game if it is over, else an empty text."""
        session = self.last_game_of(visitor)
        if session is None or session.is_deleted or not session.is_over:
            return ""
        outcome = session.outcome or session.position.outcome()
        if outcome is None:
            return " Their game has ended: a player resigned."
        words = result_sentence(outcome, session.names, session.referee_plies(), ())
        return f" Their game has ended: {words}"

    def begin_new_class(self) -> None:
        """Begin a new class: stop the running games, and remove all students and points. Finished games stay stored.

        The final standings are kept for the pages of the students and the wall.
        """
        with self.lock:
            self.final_standings, self.final_ranking = self.standings(), self.ranking()
            self._delete_games([*self.running_games(), *self.adjourned_games()])
            self.students, self._next_games, self.adjourned_keys, self.is_paused, self.late_start_messages = (
                {},
                {},
                [],
                False,
                [],
            )
            self.is_open, self.round_number, self._rounds = True, 0, {}
            self._save()
