"""A class: students join by name, and the teacher pairs those who wait.

Uses visitors, names and sessions, but no request, no HTML. Lives in memory: games outlive the class.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock

from gomogo.text.names import different_names
from gomogo_core import games
from gomogo_core.session.game_session import ActionRefused, GameSession, SeatInfo

_MOST = 200  # students


@dataclass
class Student:
    """A student. key: their last game in this class; empty before the first."""

    name: str
    key: str = ""


@dataclass
class Classroom:
    """The students of a class by visitor. secret: the end of the teacher's address. find: returns a session by its key.

    begin: starts a session. end: deletes one.
    """

    find: Callable[[str], GameSession]
    begin: Callable[[GameSession, str], GameSession]
    end: Callable[[GameSession], None]
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    open: bool = True
    students: dict[str, Student] = field(default_factory=dict)
    version: int = 0
    lock: RLock = field(default_factory=RLock, repr=False)

    def join(self, visitor: str, name: str) -> None:
        """Let a student in, or change their name. Raises ActionRefused."""
        with self.lock:
            if not self.open:
                raise ActionRefused("The class is closed.", "Ask the teacher to open it.")
            if visitor not in self.students and len(self.students) >= _MOST:
                raise ActionRefused(f"The class has {_MOST} students.", "Ask the teacher.")
            others = [one.name for other, one in self.students.items() if other != visitor]
            student = self.students.setdefault(visitor, Student(""))
            student.name = different_names([*others, name])[-1]
            self.version += 1

    def game_of(self, student: Student) -> GameSession | None:
        """Return the student's running game, or None while they wait."""
        if not student.key:
            return None
        try:
            session = self.find(student.key)
        except ActionRefused:  # deleted
            return None
        return None if session.over else session

    def waiting(self) -> list[str]:
        """Return the visitors who wait for an opponent, those without a game first."""
        free = [visitor for visitor, one in self.students.items() if self.game_of(one) is None]
        return sorted(free, key=lambda visitor: bool(self.students[visitor].key))

    def pair(self, game: str, options: dict[str, str]) -> int:
        """Pair the waiting students, and start a game for each pair. Returns the number of games. Raises UserError for
        bad options.
        """
        with self.lock:
            rules, free, begun = games.load(game, **options), self.waiting(), 0
            while len(free) >= rules.seats:
                seated, free = free[: rules.seats], free[rules.seats :]
                infos = tuple(SeatInfo(self.students[one].name, "human", visitor=one) for one in seated)
                session = self.begin(GameSession(rules, infos), seated[0])
                for one in seated:
                    self.students[one].key = session.key
                begun += 1
            self.version += 1
            return begun

    def stop(self) -> int:
        """Delete the running games of the class. Return their number."""
        with self.lock:
            running = {one.key: session for one in self.students.values() if (session := self.game_of(one))}
            for session in running.values():
                self.end(session)
            self.version += 1
            return len(running)

    def remove(self, name: str) -> None:
        """Remove a student from the class; their game goes on."""
        with self.lock:
            self.students = {visitor: one for visitor, one in self.students.items() if one.name != name}
            self.version += 1

    def set_open(self, *, is_open: bool) -> None:
        """Open or close the class to new students."""
        with self.lock:
            self.open = is_open
            self.version += 1
