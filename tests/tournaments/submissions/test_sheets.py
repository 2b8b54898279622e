"""Sheets and JUnit files distinguish decided results from open ones, and may contain any untrusted text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from gomogo.report.student_pages import generate_class_page, generate_student_page
from gomogo_core.catalogue import Agent
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame
from tournaments.submissions.course import CoursePlayer
from tournaments.submissions.grading import CourseGrades, Grade, OpponentResult
from tournaments.submissions.intake import ImportedSubmissions, Submission
from tournaments.submissions.preparing import PreparationStep, PreparedSubmission
from tournaments.submissions.reports import create_grades_csv, create_grades_junit, create_students_csv
from tournaments.submissions.roster import RosterStudent

EVIL = "\x1b[31m<script>alert('1')</script>\0\ud800 ]]> & \"quoted\"\u202e"
AGENT = Agent("greedy", "greedy", "", (), Path())
GREEDY = CoursePlayer("greedy", "greedy", "0" * 64, "greedy", AGENT, spec_as_written="greedy")
ANNA = CoursePlayer("anna", "student-2", "1" * 64, "anna", AGENT, submission_key="anna")
BERT = CoursePlayer("bert", "student-1", "2" * 64, "bert", AGENT, submission_key="bert")


def against(won: int, losses: int, required: int | None, *, can_play: bool = True, planned: int = 20) -> OpponentResult:
    return OpponentResult(GREEDY, planned, required, can_play, {"line": won}, {}, {"line": losses})


def a_grade(
    *opponent_results: OpponentResult,
    steps: tuple[PreparationStep, ...] = (),
    entry: str = "anna",
    key: str = "anna",
) -> Grade:
    return Grade(PreparedSubmission(Submission(entry, key, "1" * 16), steps, AGENT), ANNA, opponent_results)


def absent_grade(student: RosterStudent) -> Grade:
    missing = PreparationStep("is handed in", False, "has not submitted anything")
    nothing = PreparedSubmission(Submission("", ""), (missing,), None)
    return Grade(nothing, None, (against(0, 0, 10, can_play=False),), student)


def a_page(grade: Grade, *arguments: Any) -> Iterator[str]:
    return generate_student_page(grade, CourseGrades([grade]), *arguments)


def case(grade: Grade, name: str) -> Xml.Element:
    root = Xml.fromstring(create_grades_junit([grade]))
    return next(test_case for test_case in root.iter("testcase") if test_case.get("name") == name)


@pytest.mark.parametrize(
    ("won", "losses", "can_play", "fulfilled"),
    [
        (15, 0, True, True),  # though five are to come
        (14, 5, True, None),
        (14, 6, True, False),
        (0, 5, True, None),
        (0, 6, True, False),  # it can no longer be reached
        (0, 0, True, None),
        (0, 0, False, False),
    ],
)
def test_a_requirement_is_open_until_remaining_games_cannot_change_it(
    won: int, losses: int, can_play: bool, fulfilled: bool | None
) -> None:
    opponent_result = against(won, losses, 15, can_play=can_play)
    assert opponent_result.is_requirement_fulfilled is fulfilled
    kinds = [child.tag for child in case(a_grade(opponent_result), "beats greedy 15 of 20")]
    assert kinds == {True: [], False: ["failure"], None: ["skipped"]}[fulfilled]
    row = next(csv.DictReader(io.StringIO(create_grades_csv([a_grade(opponent_result)]))))
    assert row["passed"] == {True: "yes", False: "no", None: "open"}[fulfilled]


def test_a_grade_without_requirements_has_no_test_case() -> None:
    root = Xml.fromstring(create_grades_junit([a_grade(against(1, 0, None))]))
    assert list(root.iter("testcase")) == []
    assert root.get("tests") == "0"


def test_the_sheet_of_students_has_one_row_each() -> None:
    person = RosterStudent("777", "Anna", "a@x", "B")
    steps = (
        PreparationStep("builds", True),  # no check, so that programs with and without a build are comparable
        PreparationStep("check starts", True),
        PreparationStep("check options", None),
        PreparationStep("check waits", False, "no"),
    )
    good = replace(a_grade(against(15, 5, 10), against(5, 15, None), steps=steps), roster_student=person)
    away = replace(a_grade(against(0, 0, 10, can_play=False), steps=steps, entry="bert", key="bert"), player=None)
    first, second = csv.DictReader(io.StringIO(create_students_csv(CourseGrades([good, away]))))
    assert (first["key"], first["entry"], first["id"], first["group"]) == ("anna", "anna", "777", "B")
    assert [first[name] for name in ("games", "won", "drawn", "lost", "score", "rank")] == [
        "40", "20", "0", "20", "0.500", "1",
    ]  # fmt: skip
    assert [first[name] for name in ("checks_passed", "checks_failed", "verdict", "faults")] == [
        "1",
        "1",
        "passed",
        "0",
    ]
    assert (second["rank"], second["score"], second["verdict"]) == ("", "0.000", "failed")  # it does not play
    assert (first["note"], second["note"]) == ("", "check waits: no")
    failed = replace(good, opponent_results=(against(1, 14, 10), against(0, 15, None)))
    (row,) = csv.DictReader(io.StringIO(create_students_csv(CourseGrades([failed]))))
    assert row["note"] == "won 1 of the 10 required against greedy"


def test_a_student_without_a_submission_is_in_all_sheets() -> None:
    person = RosterStudent("777", "Carla")
    course_grades = CourseGrades([a_grade(against(15, 5, 10))], [absent_grade(person)])
    _, carla = csv.DictReader(io.StringIO(create_students_csv(course_grades)))
    assert [carla[column] for column in ("key", "id", "name", "games", "score", "rank", "verdict", "note")] == [
        "", "777", "Carla", "0", "0.000", "", "failed", "has not submitted anything",
    ]  # fmt: skip
    _, row = csv.DictReader(io.StringIO(create_grades_csv(course_grades.all_grades)))
    assert [row[column] for column in ("id", "opponent", "games", "passed")] == ["777", "greedy", "0", "no"]
    suite = Xml.fromstring(create_grades_junit(course_grades.all_grades))[1]
    assert (suite.get("name"), suite.get("failures")) == ("777, Carla", "2")


def test_the_page_of_a_class_shows_everyone_with_verdict_score_and_place() -> None:
    good = a_grade(against(15, 5, 10))
    broken = PreparationStep("builds", False, EVIL)
    away = replace(a_grade(against(0, 0, 10, can_play=False), steps=(broken,), entry="b<ert"), player=None)
    submission = replace(away.prepared_submission.submission, key="bert")
    away = replace(away, prepared_submission=replace(away.prepared_submission, submission=submission))
    late = replace(against(0, 10, None), losses_by_reason={"out_of_time": 9, "crashed": 1}, doubtful_losses=4)
    course_grades = CourseGrades([away, good], [absent_grade(RosterStudent("777", "Carla"))])
    page = "".join(generate_class_page(course_grades, "spring"))
    assert "<p>1 of 2 does not play: bert.</p>" in page
    link = '<tr><td>1</td><td><a href="students/anna/index.html">anna</a></td>'
    assert (
        f'{link}<td><span class="yes">passed</span></td><td>0.750</td><td>15</td><td>0</td><td>5</td><td></td></tr>'
        in page
    )
    assert '<a href="students/bert/index.html">b&lt;ert</a></td><td><span class="no">failed</span>' in page
    assert "does not play: " in page
    assert "<script" not in page
    assert "<td>777, Carla</td>" in page.splitlines()[-4]
    assert page.splitlines()[-4].endswith(
        '<span class="no">failed</span></td><td>0.000</td><td>0</td><td>0</td><td>0</td>'
        "<td>has not submitted anything</td></tr>"
    )
    assert '<a href="students.csv">' in page
    page = "".join(generate_class_page(CourseGrades([a_grade(late)]), "spring"))
    assert "<td>lost 9 by time; 4 losses on time are doubtful: the machine was busy</td>" in page
    of_student = "".join(generate_student_page(good, course_grades, "spring", [], {GREEDY.stored_name: "greedy"}))
    assert 'Verdict: <span class="yes">passed</span>. Score: 0.750 points per game. Place: 1 of 2.' in of_student


def test_doubtful_losses_are_counted_in_both_sheets() -> None:
    late = replace(against(1, 0, None), losses_by_reason={"out_of_time": 3}, doubtful_losses=2)
    grade = a_grade(late, replace(late, doubtful_losses=1))
    (student,) = csv.DictReader(io.StringIO(create_students_csv(CourseGrades([grade]))))
    assert (student["faults"], student["doubtful"]) == ("6", "3")
    first, second = csv.DictReader(io.StringIO(create_grades_csv([grade])))
    assert first["verdicts"].endswith("; 2 losses on time are doubtful: the machine was busy")
    assert second["verdicts"].endswith("; 1 loss on time is doubtful: the machine was busy")


def test_a_students_page_marks_the_own_doubtful_loss() -> None:
    public_names = {ANNA.stored_name: "anna", BERT.stored_name: BERT.public_name, GREEDY.stored_name: "greedy"}
    for loser in (1, 2):
        game = replace(a_game(Reason.OUT_OF_TIME, "no move within 1 s", loser), doubtful="it waited 0.5 s for a core")
        page = "".join(a_page(a_grade(), "run", [game], public_names))
        assert ("This loss is doubtful" in page) == (loser == 1)


def test_a_message_for_several_steps_or_moves_is_written_once() -> None:
    steps = (
        PreparationStep("check starts", True),
        PreparationStep("check waits", False, "it crashed"),
        PreparationStep("check variants", None, "no first move"),
        PreparationStep("check leaves", False, "it crashed"),
        PreparationStep("check resigned", None, "no first move"),
    )
    game = a_game(Reason.CRASHED, "exited", 1)
    game = replace(game, warnings=((1, 1, "wrote too early"), (2, 2, "wrote"), (3, 1, "wrote too early")))
    public_names = {ANNA.stored_name: "anna", BERT.stored_name: BERT.public_name, GREEDY.stored_name: "greedy"}
    page = "".join(a_page(a_grade(steps=steps), "run", [game], public_names))
    assert page.count("no first move") == page.count("it crashed") == page.count("wrote too early") == 1
    assert "<td>check variants, check resigned</td>" in page
    assert "Warning after 1 and 3 moves: your program wrote too early." in page
    prepared = a_grade(steps=steps).prepared_submission
    assert prepared.all_failures == "check waits, check leaves: it crashed"


def test_identical_submissions_are_named() -> None:
    same = [Submission(name, name, "1" * 16) for name in ("anna", "王小明", "Zoë")]
    other_submissions = (Submission("bert", "bert", "2" * 16), Submission("x", "x"), Submission("y", "y"))
    assert ImportedSubmissions((*same, *other_submissions)).describe_duplicates() == [
        "anna, 王小明 and Zoë handed in the same files, so the order among them is chance."
    ]


def test_sheets_carry_arbitrary_text() -> None:
    steps = (PreparationStep("builds", False, EVIL, EVIL), PreparationStep("check waits", None, EVIL))
    grade = a_grade(against(0, 0, 1), steps=steps, entry=EVIL)
    failure = case(grade, "builds")[0]
    assert "<script>alert('1')</script>" in str(failure.get("message"))
    assert "\ufffd" in str(failure.text)
    assert [element.tag for element in case(grade, "check waits")] == ["skipped"]
    text = "".join(a_page(grade, "run", [], {GREEDY.stored_name: "greedy"}))
    assert "<script" not in text
    assert not [character for character in ("\x1b", "\0", "\u202e", "\ud800") if character in text]


def test_the_page_of_a_submission_that_did_not_play_has_no_results() -> None:
    away = replace(a_grade(against(0, 0, 1, can_play=False)), player=None)
    page = "".join(a_page(away, "run", [], {GREEDY.stored_name: "greedy"}))
    assert "did not play" in page
    assert "0 of 20" not in page


def a_game(reason: Reason, detail: str, loser: int) -> PlayedGame:
    ranks = (2, 1) if loser == 1 else (1, 2)
    return PlayedGame(
        game="gomoku",
        options=dict(load("gomoku").options),
        specs=(ANNA.stored_name, BERT.stored_name),
        names=("anna", "bert"),
        controls=(TimeControl(1.0), TimeControl(1.0)),
        plies=(Ply(1, "h8"), Ply(2, "i9")),
        opening_length=1,
        seconds=(0.1,),
        clocks=(None,),
        thoughts=("bert thinks",),
        warnings=((1, 1, "anna was warned"), (1, 2, "bert was warned")),
        outcome=Outcome(ranks, reason, detail),
        started=0.0,
        duration=1.0,
        outputs=("anna printed", "bert printed"),
    )


def test_a_students_page_quotes_only_its_own_program() -> None:
    public_names = {ANNA.stored_name: "anna", BERT.stored_name: BERT.public_name, GREEDY.stored_name: "greedy"}
    page_text = "".join(a_page(a_grade(), "run", [a_game(Reason.CRASHED, "exited: bert's words", 2)], public_names))
    assert "won against student-1, seat 1: another program&#x27;s fault: a crash in seat 2" in page_text
    assert "[1. h8] 2. i9" in page_text
    assert "anna printed" in page_text
    assert "anna was warned" in page_text
    assert "bert" not in page_text
    page_text = "".join(a_page(a_grade(), "run", [a_game(Reason.CRASHED, "exited: anna's words", 1)], public_names))
    assert "lost against student-1, seat 1: your program&#x27;s fault, a crash: exited: anna&#x27;s words" in page_text


def test_a_students_page_draws_its_games_and_ends_them_in_the_words_of_the_results() -> None:
    public_names = {ANNA.stored_name: "anna", BERT.stored_name: BERT.public_name, GREEDY.stored_name: "greedy"}
    game = replace(a_game(Reason.LINE, "5 in a row", 2), key="4" * 32)
    page = "".join(a_page(a_grade(against(1, 0, None)), "run", [game, game], public_names))
    assert "<td>won: 1 by stones in a row; " in page
    assert "<summary>Game 2, won against student-1, seat 1: stones in a row</summary>" in page
    assert "5 in a row" not in page
    assert "Key 44444444. [1. h8]" in page
    assert game.key not in page
    pictures, _, viewer = page.partition("<template")
    assert pictures.count('<svg xmlns="http://www.w3.org/2000/svg" class="gomogo-board"') == 2
    assert viewer.count('"names":["anna","student-1"]') == 2
    assert '"ending":"Won: stones in a row."' in viewer
    assert pictures.count('class="stone black"') == pictures.count('class="stone white"') == 2
    assert re.search(r'<text class="number on-white"[^>]*>2</text>', page)


def test_a_students_page_hides_the_path_of_the_copy() -> None:
    folder = Path("/srv/spring-submissions/anna") / ("1" * 16)
    error = f'File "{folder}/bot.py", line 1; {folder} is read-only; agent "{folder.name}"'
    submission = replace(a_grade().prepared_submission.submission, copy_path=folder)
    grade = replace(a_grade(), prepared_submission=PreparedSubmission(submission, (), AGENT))
    game = replace(a_game(Reason.CRASHED, error, 1), outputs=(error, ""), warnings=((1, 1, error),))
    page_text = "".join(a_page(grade, "run", [game], {ANNA.stored_name: "anna", BERT.stored_name: "student-1"}))
    assert "/srv" not in page_text
    assert page_text.count("File &quot;bot.py&quot;, line 1; anna is read-only; agent &quot;anna&quot;") == 3


def test_students_are_sorted_by_number() -> None:
    public_names = {GREEDY.stored_name: "zeus", ANNA.stored_name: "student-10", BERT.stored_name: "student-9"}
    opponent_results = [OpponentResult(opponent, 2, None, True, {}, {}, {}) for opponent in (ANNA, BERT, GREEDY)]
    page_text = "".join(a_page(a_grade(*opponent_results), "run", [], public_names))
    assert page_text.index("zeus") < page_text.index("student-9") < page_text.index("student-10")
