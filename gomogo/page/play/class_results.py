"""The results of a class: finished games, points and places. students.py counts the points of a game."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from gomogo.page.play.class_members import ClassMembers
from gomogo.page.play.students import RankedStudent, StudentRow, ranked_rows, student_points
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.sentences import result_sentence


class ClassRound(NamedTuple):
    """A round. number: counted from 1; 0 for games that are older than the rounds. sessions: in the order of their
    start. unpaired_names: the students without an opponent.
    """

    number: int
    sessions: list[GameSession]
    unpaired_names: list[str]


class ClassResults(ClassMembers):
    """The results of a class."""

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
        """Return the running games, and the games that have ended since the present round began, in the order of their
        start.
        """
        with self.lock:
            sessions = {session.key: session for session in self.running_games()}
            for visitor in self.students:
                for session in self.finished_games(visitor):
                    if self.round_of(session) == self.round_number or session.key in self.carried_keys:
                        sessions[session.key] = session
            return sorted(sessions.values(), key=lambda session: session.started)

    def round_of(self, session: GameSession) -> int:
        """Return the number of the round of a game; 0 if the game is older than the rounds."""
        return self._rounds.get(session.key, 0)

    def unpaired_names(self, round_number: int) -> list[str]:
        """Return the names of the students without an opponent in a round, with "(1 point)" after those with a bye."""
        with self.lock:
            return [
                f"{student.name} (1 point)" if round_number in student.bye_rounds else student.name
                for student in self.students.values()
                if round_number in student.left_over_rounds and not student.has_left
            ]

    def rounds(self) -> list[ClassRound]:
        """Return the rounds with their games that are not deleted, the latest round first."""
        with self.lock:
            sessions = {session.key: session for visitor in self.students for session in self.games_of(visitor)}
            sessions_by_round: dict[int, list[GameSession]] = {}
            for session in sorted(sessions.values(), key=lambda session: session.started):
                sessions_by_round.setdefault(self.round_of(session), []).append(session)
            return [
                ClassRound(number, sessions_by_round[number], self.unpaired_names(number))
                for number in sorted(sessions_by_round, reverse=True)
            ]

    def student_rows(self) -> list[StudentRow]:
        """Return the rows of all students, the best place first. Students who share a place are in the order of
        joining.
        """
        with self.lock:
            return ranked_rows(self._unsorted_rows())

    def _unsorted_rows(self) -> list[StudentRow]:
        all_games = {visitor: self.games_of(visitor) for visitor in self.students}
        games = {visitor: [session for session in all_games[visitor] if session.is_over] for visitor in self.students}
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
            opponent_points = sum(points.get(other, 0.0) for game in games[visitor] for other in _others(game, visitor))
            meetings = Counter(other for game in all_games[visitor] for other in _others(game, visitor))
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
                    meetings,
                )
            )
        return rows

    def student_row(self, name: str) -> StudentRow:
        """Return the row of the student with this name. Raises ActionRefused if there is none."""
        with self.lock:
            visitor = self._visitor_named(name)
            return next(row for row in self._unsorted_rows() if row.visitor == visitor)

    def standings(self) -> dict[str, str]:
        """Return a sentence on the points and the place of each student with a game or points, by visitor."""
        rows, sentences = self.student_rows(), dict[str, str]()
        count = sum(not row.has_left for row in rows)
        for own in rows:
            if own.games or own.byes:
                byes = f" and {own.byes} bye{'s' * (own.byes != 1)}" if own.byes else ""
                points = f"{own.points_text} point{'s' * (own.points != 1)}"
                games = f"{own.games} game{'s' * (own.games != 1)}"
                place = f": place {own.place} of {count}" if own.place else ""
                sentences[own.visitor] = f"{points} in {games}{byes}{place}."
        return sentences

    def ranking(self) -> list[RankedStudent]:
        """Return a line on each student in the class with a game or points, the best first."""
        return [
            RankedStudent(row.place, row.name, row.points_text, row.games, row.byes, f"{row.opponent_points:g}")
            for row in self.student_rows()
            if row.place
        ]

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


def _others(session: GameSession, visitor: str) -> set[str]:
    """Return the visitors in a game except this one."""
    return set(session.visitors().values()) - {visitor}
