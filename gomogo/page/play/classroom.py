"""A class: students join by name, the teacher pairs waiting students, and each game adds to their points.

The class is kept in memory only; its games are stored. Uses visitors, names and sessions; knows neither requests nor
HTML.
"""

from __future__ import annotations

import random
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import NamedTuple

from gomogo.text.names import distinct_names
from gomogo_core import games
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.session.game_session import ActionRefused, GameSession, SeatInfo

_MAX_STUDENTS = 200


@dataclass
class Student:
    """A student. keys: of the student's games in this class, in order. met: how often each visitor was an opponent.

    first_seats: how often the student had the first seat.
    """

    name: str
    keys: list[str] = field(default_factory=list)
    met: Counter[str] = field(default_factory=Counter)
    first_seats: int = 0


class StudentRow(NamedTuple):
    """A student's row in the table of the class. points: 1 for a win, 0.5 for a shared first place.

    session: the running game, or None. opponents: their names in the running game.
    """

    visitor: str
    name: str
    games: int
    points: float
    session: GameSession | None
    opponents: tuple[str, ...]

    @property
    def points_text(self) -> str:
        """The points as text, such as 1.5 or 2."""
        return f"{self.points:g}"


@dataclass
class Classroom:
    """A class. find_session: returns the session with a key. change_session: calls a function that changes a session,
    and shows the change.

    secret: the end of the URL of the teacher's page. open: whether students can join. students: by visitor. game: the
    teacher's last choice of a game. clock: the clock of new games. message: the result of the teacher's last action,
    until the teacher's page has shown it.
    """

    find_session: Callable[[str], GameSession]
    start_session: Callable[[GameSession, str], GameSession]
    delete_session: Callable[[GameSession], None]
    change_session: Callable[[GameSession, Callable[[], object]], None]
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    open: bool = True
    students: dict[str, Student] = field(default_factory=dict)
    game: str = ""
    clock: TimeControl = NO_LIMIT
    message: str = ""
    lock: RLock = field(default_factory=RLock, repr=False)
    _next: dict[tuple[str, str], str] = field(default_factory=dict)  # by finished game and visitor: the next game

    def join(self, visitor: str, name: str) -> None:
        """Add a student, or change the student's name. Raises ActionRefused if the class is closed or full."""
        with self.lock:
            if not self.open:
                raise ActionRefused("The class is closed.", "Ask the teacher to open it.")
            if visitor not in self.students and len(self.students) >= _MAX_STUDENTS:
                raise ActionRefused(f"The class has {_MAX_STUDENTS} students.", "Ask the teacher.")
            others = [one.name for other, one in self.students.items() if other != visitor]
            student = self.students.setdefault(visitor, Student(""))
            student.name = distinct_names([*others, name])[-1]

    def game_of(self, student: Student) -> GameSession | None:
        """Return the student's running game, which may be a rematch; None if the student waits."""
        with self.lock:
            session = self._find(student.keys[-1]) if student.keys else None
            while session is not None and session.rematch_key:
                student.keys.append(session.rematch_key)
                session = self._find(session.rematch_key)
        return None if session is None or session.is_over else session

    def _find(self, key: str) -> GameSession | None:
        try:
            return self.find_session(key)
        except ActionRefused:  # deleted
            return None

    def last_game_of(self, visitor: str) -> GameSession | None:
        """Return the student's last game in this class, running or over; None if there is none."""
        keys = self.students[visitor].keys
        return self._find(keys[-1]) if keys else None

    def finished(self, visitor: str) -> list[GameSession]:
        """Return the student's finished games in this class, the latest first."""
        found = [self._find(key) for key in reversed(self.students[visitor].keys)]
        return [one for one in found if one is not None and one.is_over and not one.is_deleted]

    def table(self) -> list[StudentRow]:
        """Return the rows of all students, those with most points first; equal ones in the order of joining."""
        with self.lock:
            rows = []
            for visitor, student in self.students.items():
                session = self.game_of(student)
                points = [student_points(one, visitor) for one in self.finished(visitor)]
                infos = session.seat_infos if session else ()
                opponents = tuple(info.name for info in infos if info.visitor != visitor)
                rows.append(StudentRow(visitor, student.name, len(points), sum(points), session, opponents))
            return sorted(rows, key=lambda row: -row.points)

    def waiting(self) -> list[str]:
        """Return the students who wait, in random order, but those with fewer games first."""
        free = [visitor for visitor, one in self.students.items() if self.game_of(one) is None]
        random.shuffle(free)
        return sorted(free, key=lambda visitor: len(self.students[visitor].keys))

    def _choose_opponents(self, free: list[str], seats: int) -> list[str]:
        """Return the first waiting student, and those whom this student has met least often."""
        chosen, rest = free[:1], free[1:]
        while len(chosen) < seats:
            other = min(rest, key=lambda one: sum(self.students[met].met[one] for met in chosen))
            chosen.append(other)
            rest.remove(other)
        return chosen

    def pair(self, game: str, options: dict[str, str]) -> int:
        """Start a game for each pair of waiting students. Return the number of games. Raises UserError for invalid
        options.
        """
        with self.lock:
            seats, free, started = games.load(game, **options).seats, self.waiting(), 0
            while len(free) >= seats:
                chosen = self._choose_opponents(free, seats)
                free = [one for one in free if one not in chosen]
                self._start(game, options, chosen)
                started += 1
            return started

    def pair_named(self, game: str, options: dict[str, str], names: Sequence[str]) -> None:
        """Start a game between the students of these names. Raises UserError if that is not possible."""
        with self.lock:
            chosen = [self._visitor(name) for name in names]
            if len(set(chosen)) < len(chosen):
                raise ActionRefused("A student cannot play against themselves.", "Choose different students.")
            for name, visitor in zip(names, chosen, strict=True):
                if self.game_of(self.students[visitor]) is not None:
                    raise ActionRefused(f"{name} is playing.", "Stop that game, or wait until it ends.")
            if (seats := games.load(game, **options).seats) != len(chosen):
                raise ActionRefused(f"This game has {seats} players.", "Choose a game for two.")
            self._start(game, options, chosen)

    def _visitor(self, name: str) -> str:
        """Return the student with this name. Raises ActionRefused if there is none."""
        for visitor, student in self.students.items():
            if student.name == name:
                return visitor
        raise ActionRefused(f"No student has the name {name!r}." if name else "A name is missing.", "Choose a student.")

    def _start(self, game: str, options: dict[str, str], chosen: Sequence[str]) -> None:
        """Start a game. Students who have had the first seat less often sit first."""
        seated = sorted(chosen, key=lambda one: self.students[one].first_seats)
        infos = tuple(SeatInfo(self.students[one].name, "human", visitor=one) for one in seated)
        session = GameSession(games.load(game, **options), infos)
        session.set_human_clocks(self.clock)
        session.changed_at = time.monotonic()  # so that the wall shows it before its first move
        self.start_session(session, seated[0])
        self.students[seated[0]].first_seats += 1
        for one in seated:
            student = self.students[one]
            before = self._find(student.keys[-1]) if student.keys else None
            student.keys.append(session.key)
            student.met.update(other for other in seated if other != one)
            if before is not None:  # the page of the earlier game leads the student to the new one
                self._next[before.key, one] = session.key
                self.change_session(before, before.mark_changed)

    def next_url(self, session: GameSession, visitor: str) -> str:
        """Return the URL of the page after a finished game: the student's next game, or the class; "" for other
        visitors.

        Callers have the session's lock, so this takes no other lock.
        """
        if visitor not in self.students or not session.is_over:
            return ""
        key = self._next.get((session.key, visitor))
        return f"/play/{key}" if key else "/class"

    def stop(self) -> int:
        """Delete the running games of the class. Return their number."""
        with self.lock:
            return self._stop_games(list(self.students.values()))

    def stop_game_of(self, name: str) -> int:
        """Delete a student's running game. Return the number of games, 0 or 1. Raises ActionRefused."""
        with self.lock:
            return self._stop_games([self.students[self._visitor(name)]])

    def _stop_games(self, students: Sequence[Student]) -> int:
        running = {one.key: one for student in students if (one := self.game_of(student))}
        self._next = {before: key for before, key in self._next.items() if key not in running}
        for session in running.values():
            self.delete_session(session)
        return len(running)

    def remove(self, name: str) -> None:
        """Remove a student from the class. A running game continues. Raises ActionRefused for an unknown name."""
        with self.lock:
            del self.students[self._visitor(name)]

    def set_open(self, *, is_open: bool) -> None:
        """Open or close the class to new students."""
        with self.lock:
            self.open = is_open


def student_points(session: GameSession, visitor: str) -> float:
    """Return a visitor's points in a finished game: 1 for a win, 0.5 for a shared first place."""
    outcome, seats = session.outcome or session.position.outcome(), session.seats_of(visitor)
    if outcome is None or not any(outcome.ranks[seat - 1] == 1 for seat in seats):
        return 0.0
    return 1.0 if outcome.winner else 0.5
