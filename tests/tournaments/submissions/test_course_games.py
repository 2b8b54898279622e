"""Every student meets the arena agents, and other students on request; arena agents never meet each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from tournaments.spec import spec_from_values
from tournaments.submissions.course import CoursePlan, CoursePlayer

HOUSE = ["random_mover", "greedy"]


def make_course(students: str, submissions: dict[str, Any] | None = None, **overrides: Any) -> CoursePlan:
    """Return a course with a student for each letter."""
    plain = {"name": "course", "agents": HOUSE, "games_per_pair": 4, "submissions": submissions or {}, **overrides}
    course_players = tuple(
        CoursePlayer(letter, f"student-{letter}", letter * 64, "random_mover", agent("random_mover"))
        for letter in students
    )
    return CoursePlan(spec_from_values(plain, "course.toml"), Path(), course_players)


def met(course: CoursePlan) -> Counter[frozenset[str]]:
    """Return the number of games of each two players."""
    pairs = (
        frozenset((course.display_names[index], course.display_names[other]))
        for pairing in course.scheduled_games()
        for index, other in combinations(pairing.player_indexes, 2)
    )
    return Counter(pairs)


def test_students_meet_arena_agents_and_each_other() -> None:
    course = make_course("abc")
    meeting_counts = met(course)
    assert course.count_games() == sum(meeting_counts.values()) == 4 * (3 * 2 + 3)
    assert set(meeting_counts.values()) == {4}
    assert frozenset(HOUSE) not in meeting_counts
    seats = Counter((course.display_names[pairing.player_indexes[0]]) for pairing in course.scheduled_games())
    assert seats == {"a": 8, "b": 8, "c": 8, "random_mover": 6, "greedy": 6}


def test_students_meet_only_arena_agents_on_request() -> None:
    meeting_counts = met(make_course("abc", {"against_each_other": False}))
    assert set(meeting_counts) == {frozenset((student, other)) for student in "abc" for other in HOUSE}


@pytest.mark.parametrize("each_other", [True, False])
def test_every_game_of_three_has_a_student(each_other: bool) -> None:
    options = {"players": 3, "rows": 2, "cols": 2}
    course = make_course("abc", {"against_each_other": each_other}, game="dots_and_boxes", options=options)
    for pairing in course.scheduled_games():
        students = [player for player in pairing.player_indexes if player >= len(HOUSE)]
        assert 1 <= len(students) <= (3 if each_other else 1)
    meeting_counts = met(course)
    assert {meeting_counts[frozenset((student, other))] for student in "abc" for other in HOUSE} == {
        course.games_per_opponent
    }
    if each_other:
        assert {meeting_counts[frozenset(pair)] for pair in combinations("abc", 2)} == {course.games_per_opponent}


def test_a_new_version_changes_only_the_keys_of_its_own_games() -> None:
    first_course = make_course("ab")
    changed = replace(
        first_course,
        student_players=(
            first_course.student_players[0],
            replace(first_course.student_players[1], content_hash="c" * 64),
        ),
    )
    before, after = (
        {course.game_key(pairing) for pairing in course.scheduled_games()} for course in (first_course, changed)
    )
    assert len(before & after) == 8  # of a against the house
    assert len(before - after) == len(after - before) == 12
    assert first_course.fingerprint == changed.fingerprint


def test_players_see_only_public_names_of_opponents() -> None:
    course = make_course("ab")
    task = course.task(
        next(
            pairing
            for pairing in course.scheduled_games()
            if 3 in pairing.player_indexes and 2 in pairing.player_indexes
        )
    )
    assert (set(task.display_names), set(task.public_names)) == ({"a", "b"}, {"student-a", "student-b"})
    assert set(task.agent_hashes) == {"a" * 64, "b" * 64}
    assert [spec.partition("@")[2] for spec in task.specs] == [digest[:16] for digest in task.agent_hashes]


def test_levels_have_their_own_time() -> None:
    course = make_course("a", agents=[], time={"per_move": 9})
    assert course.display_names[:8] == tuple(f"level-{number}" for number in range(1, 9))
    assert [control.per_move for control in course.time_controls] == [1, 1, 2, 5, 5, 5, 5, 5, 9]
    course.check()


def test_a_human_cannot_play_in_a_course() -> None:
    with pytest.raises(UserError, match="a human cannot play in a course"):
        make_course("a", agents=["human"]).check()


@pytest.mark.parametrize("each_other", [True, False])
@pytest.mark.parametrize("players", [2, 3])
def test_games_of_a_course_are_ordered_by_their_players(players: int, each_other: bool) -> None:
    """The position of a game in the schedule decides its seed."""
    options = {"players": players, "rows": 2, "cols": 2}
    course = make_course("abc", {"against_each_other": each_other}, game="dots_and_boxes", options=options)
    house, max_students = len(HOUSE), players if each_other else 1
    tables = combinations(range(house + 3), players)
    expected_tables = [table for table in tables if 1 <= sum(player >= house for player in table) <= max_students]
    seen_tables = dict.fromkeys(tuple(sorted(pairing.player_indexes)) for pairing in course.scheduled_games())
    assert list(seen_tables) == expected_tables
