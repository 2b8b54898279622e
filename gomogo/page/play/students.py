"""The students of a class, their points, and the choice of the students who play each other.

The module uses the table of the class and finished games, and starts no game.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gomogo_core.games.base import RESIGN
from gomogo_core.session.game_session import GameSession

_MAX_NEIGHBOURS = (
    40  # students nearest in the table that are considered as opponents, so that large classes pair at once
)
_MAX_VOID_GAMES = 3  # games without a result that count when a pair is chosen


@dataclass
class Student:
    """A student. keys: the keys of the student's games in this class, in order. met: the number of games that began
    against each visitor, with those that ended without a result. first_seats: the number of games in the first seat.
    has_left: whether the teacher has removed the student. byes: the points for rounds without an opponent.
    left_over_rounds: the numbers of the rounds without an opponent. bye_rounds: those of them that gave a point.
    notice: a message until the next game.
    """

    name: str
    keys: list[str] = field(default_factory=list)
    met: Counter[str] = field(default_factory=Counter)
    first_seats: int = 0
    has_left: bool = False
    byes: int = 0
    left_over_rounds: list[int] = field(default_factory=list)
    bye_rounds: list[int] = field(default_factory=list)
    notice: str = ""


class StudentRow(NamedTuple):
    """A student's row in the table of the class. points: 1 for a win or a bye, 0.5 for a shared first place.

    byes: the points for rounds without an opponent. session: the running game, or None. opponents: their names in the
    running game. has_left: whether the teacher has removed the student. opponent_points: the points of the opponents in
    all finished games, which decide between equal points. meetings: the number of games against each visitor, without
    those that ended without a result. place: the place among the students in the class; 0 before the first points or
    game, and for students who have left.
    """

    visitor: str
    name: str
    games: int
    byes: int
    points: float
    session: GameSession | None
    opponents: tuple[str, ...]
    has_left: bool
    opponent_points: float
    meetings: Counter[str]
    place: int = 0

    @property
    def points_text(self) -> str:
        """The points as text, such as 1.5 or 2."""
        return f"{self.points:g}"

    @property
    def score(self) -> tuple[float, float]:
        """The two numbers that decide the place: the points, then the points of the opponents."""
        return self.points, self.opponent_points


class RankedStudent(NamedTuple):
    """A line of the final ranking. points, opponent_points: as text; opponent_points may be empty in an old ranking."""

    place: int
    name: str
    points: str
    games: int = 0
    byes: int = 0
    opponent_points: str = ""

    @classmethod
    def from_json(cls, plain: Sequence[Any] | str) -> RankedStudent:
        """Read a stored line: its fields, or in a class of an earlier version a text such as "1. Ann: 2.5"."""
        if not isinstance(plain, str):
            return cls(*plain)
        place, _, words = plain.partition(". ")
        name, _, points = words.rpartition(": ")
        return cls(int(place), name, points)


def ranked_rows(rows: Sequence[StudentRow]) -> list[StudentRow]:
    """Return rows with their places, the best first. Students who have left are last, without a place.

    Equal scores share a place; their rows stay in the given order.
    """
    scores = [row.score for row in rows if not row.has_left]
    placed_rows = [
        row._replace(place=1 + sum(score > row.score for score in scores))
        if (row.games or row.points) and not row.has_left
        else row
        for row in rows
    ]
    return sorted(placed_rows, key=lambda row: (row.has_left, -row.points, -row.opponent_points))


def pair_students(rows: Sequence[StudentRow], students: Mapping[str, Student]) -> list[tuple[StudentRow, StudentRow]]:
    """Pair students as in a Swiss tournament, by a matching of maximum weight.

    rows: sorted by points. The costs of a pair, most important first: earlier meetings, the squared difference of the
    points, games against each other that ended without a result, a random number. If the number of students is odd, one
    student has no opponent. This student is one of those with the fewest byes; among these, one of those with the most
    games; among these, the one whose bye leaves the fewest pairs that have met; then the one with the fewest points.
    """
    import networkx as nx

    count = len(rows)
    most_points = int(max((row.points for row in rows), default=0.0)) + 1
    # each unit of cost is greater than the sum of all smaller ones
    per_difference = _MAX_VOID_GAMES * count
    per_bye_point = (4 * most_points**2 + 1) * count * per_difference
    per_meeting = (2 * most_points + 1) * per_bye_point
    graph = nx.Graph()

    def add_pair(number: int, other_number: int, cost: int) -> None:
        graph.add_edge(number, other_number, weight=-cost * 1000 * count - random.randrange(1000))

    for number, row in enumerate(rows):
        for other_number in range(number + 1, min(count, number + 1 + _MAX_NEIGHBOURS)):
            other = rows[other_number]
            meeting_count = row.meetings[other.visitor]
            void_count = max(0, students[row.visitor].met[other.visitor] - meeting_count)
            cost = meeting_count * per_meeting + int(4 * (row.points - other.points) ** 2) * per_difference
            add_pair(number, other_number, cost + min(void_count, _MAX_VOID_GAMES))
    if count % 2:  # the opponent number `count` stands for the bye
        ranks = [(students[row.visitor].byes, -len(students[row.visitor].keys)) for row in rows]
        for number, row in enumerate(rows):
            if ranks[number] == min(ranks):
                add_pair(number, count, int(2 * row.points) * per_bye_point)
    matched_pairs = nx.max_weight_matching(graph, maxcardinality=True)
    return [(rows[min(pair)], rows[max(pair)]) for pair in sorted(matched_pairs, key=min) if max(pair) < count]


def group_students(rows: Sequence[StudentRow], students: Mapping[str, Student], seats: int) -> list[list[StudentRow]]:
    """Return groups of students who have played each other least often. Students with fewer games come first."""
    free_rows = random.sample(rows, len(rows))
    free_rows.sort(key=lambda row: len(students[row.visitor].keys))
    groups = []
    while len(free_rows) >= seats:
        group = [free_rows.pop(0)]
        while len(group) < seats:
            other_row = min(
                free_rows,
                key=lambda row: (
                    sum(member.meetings[row.visitor] for member in group),
                    sum(students[member.visitor].met[row.visitor] for member in group),
                ),
            )
            free_rows.remove(other_row)
            group.append(other_row)
        groups.append(group)
    return groups


def student_points(session: GameSession, visitor: str) -> float:
    """Return a visitor's points in a finished game: 1 for a win, 0.5 for a shared first place."""
    outcome, seats = session.outcome or session.position.outcome(), session.seats_of(visitor)
    if outcome is None and session.was_resigned:  # the referee records the outcome a moment later
        away = {action.seat for action in session.actions if action.move == RESIGN}
        return float(not away.issuperset(seats))
    if outcome is None or not any(outcome.ranks[seat - 1] == 1 for seat in seats):
        return 0.0
    return 1.0 if outcome.winner else 0.5
