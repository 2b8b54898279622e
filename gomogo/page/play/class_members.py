"""The members of a class, the state of the class, and its stored form.

The class is stored after each change, so that it continues after a restart of the server. The module uses visitors,
names and sessions. It does not depend on HTTP requests or HTML.
"""

from __future__ import annotations

import math
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from gomogo.page.play.sessions import SessionRegistry
from gomogo.page.play.students import RankedStudent, Student
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.session.actions import ActionRefused
from gomogo_core.session.game_session import GameSession


@dataclass
class ClassMembers:
    """A class. save: stores the values of `as_json`.

    secret: the end of the URL of the teacher's page. is_open: whether students can join. students: by visitor.
    last_game_choice: the teacher's last choice of a game, with its board. rules: the other fields of the form for a new
    game, such as "option-komi". clock: the clock of new games. allows_help: whether students have hints, explanations
    and analyses during a game. allows_undo: whether they can take back moves and delete games. gives_byes: whether a
    student who is left over in a pairing gets a point. is_paused: whether all games are paused. adjourned_keys: keys of
    games that continue later. late_start_messages: the messages about games without a first move since the last
    pairing, until the teacher dismisses them. teacher_visitors: the visitors who have opened the teacher's page.
    final_messages: the message about the end of the last class, by visitor. final_ranking: the ranking of the last
    class. round_number: the present round, counted from 1; 0 before the first game. carried_keys: keys of games
    that were running or adjourned when the present round began. proposed_groups: the groups of the teacher's preview,
    each as the visitors in the order of their seats; empty if there is no preview.
    """

    sessions: SessionRegistry
    save: Callable[[Mapping[str, Any]], None] = lambda _: None
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    is_open: bool = True
    students: dict[str, Student] = field(default_factory=dict)
    last_game_choice: str = ""
    rules: dict[str, str] = field(default_factory=dict)
    clock: TimeControl = NO_LIMIT
    allows_help: bool = False
    allows_undo: bool = False
    gives_byes: bool = False
    is_paused: bool = False
    adjourned_keys: list[str] = field(default_factory=list)
    late_start_messages: list[str] = field(default_factory=list)
    teacher_visitors: list[str] = field(default_factory=list)
    final_messages: dict[str, str] = field(default_factory=dict)
    final_ranking: list[RankedStudent] = field(default_factory=list)
    round_number: int = 0
    carried_keys: list[str] = field(default_factory=list)
    proposed_groups: list[list[str]] = field(default_factory=list)
    lock: RLock = field(default_factory=RLock, repr=False)
    _last_seen: dict[str, float] = field(default_factory=dict)  # by visitor: when a page was open last, monotonic
    _next_games: dict[tuple[str, str], str] = field(default_factory=dict)  # by finished game and visitor: the next game
    _rounds: dict[str, int] = field(default_factory=dict)  # by key of a game: its round

    def as_json(self) -> dict[str, Any]:
        """Return the class as plain values; `restore_from_json` reads them."""
        return {
            "secret": self.secret,
            "open": self.is_open,
            "students": {visitor: vars(student) for visitor, student in self.students.items()},
            "game": self.last_game_choice,
            "rules": self.rules,
            "clock": self.clock.as_dict(),
            "help": self.allows_help,
            "undo": self.allows_undo,
            "byes": self.gives_byes,
            "paused": self.is_paused,
            "adjourned": self.adjourned_keys,
            "teachers": self.teacher_visitors,
            "news": self.late_start_messages,
            "final_standings": self.final_messages,
            "final_ranking": self.final_ranking,
            "round": self.round_number,
            "rounds": self._rounds,
            "carried": self.carried_keys,
            "proposed": self.proposed_groups,
            "next": [[*places, key] for places, key in self._next_games.items()],
        }

    def restore_from_json(self, plain: Mapping[str, Any]) -> None:
        """Read the class from plain values. Its running games are loaded, too."""
        self.secret, self.is_open, self.last_game_choice = plain["secret"], plain["open"], plain["game"]
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
        self.final_messages = dict(plain.get("final_standings", {}))
        self.final_ranking = [RankedStudent.from_json(line) for line in plain.get("final_ranking", ())]
        self.round_number, self._rounds = plain.get("round", 0), dict(plain.get("rounds", {}))
        self.carried_keys = list(plain.get("carried", ()))
        self.proposed_groups = [list(group) for group in plain.get("proposed", ())]
        self._next_games = {(session_key, visitor): key for session_key, visitor, key in plain["next"]}
        for visitor in self.students:  # the pages of the students reconnect in a moment
            self.mark_present(visitor)
        self.running_games()  # which loads them, so that the wall shows them

    def _save(self) -> None:
        self.save(self.as_json())

    def student_names(self) -> list[str]:
        """Return the names of the students in the class, in the order of joining."""
        with self.lock:
            return [student.name for student in self.students.values() if not student.has_left]

    def is_member(self, visitor: str) -> bool:
        """Return whether this visitor is a student of the class now."""
        student = self.students.get(visitor)
        return student is not None and not student.has_left

    def _visitor_named(self, name: str) -> str:
        """Return the student with this name. Raises ActionRefused if there is none."""
        for visitor, student in self.students.items():
            if student.name == name and not student.has_left:
                return visitor
        raise ActionRefused(f"No student has the name {name!r}." if name else "A name is missing.", "Choose a student.")

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
        return [session for session in self.games_of(visitor) if session.is_over]

    def games_of(self, visitor: str) -> list[GameSession]:
        """Return the student's games in this class that are not deleted, the latest first."""
        sessions = [self._find_session(key) for key in reversed(self.students[visitor].keys)]
        return [session for session in sessions if session is not None and not session.is_deleted]

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

    def set_open(self, *, is_open: bool) -> None:
        """Open or close the class to new students."""
        with self.lock:
            self.is_open = is_open
            self._save()

    def notice_beside(self, session: GameSession, visitor: str) -> str:
        """Return the message for a student on the page of their last game; empty on the page of any other game."""
        student = self.students.get(visitor)
        return student.notice if student is not None and student.keys[-1:] == [session.key] else ""

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
