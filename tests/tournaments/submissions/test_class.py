"""After a class has submitted, a run gives every program a grade, and every student a page without others' data."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._commands import Command
from tests.tournaments.submissions._class import HOUSE, PLAYS, hand_in
from tests.tournaments.submissions._course_runs import (
    COURSE_TOML,
    RUN_COURSE,
    RUN_COURSE_QUICKLY,
    create_submissions,
    grade_cases,
    grade_rows,
    read_student_page,
    stored_keys,
)

pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.slow]

PLAY = ["anna", "bert", "carla", "emil", "script-alert-1"]
DO_NOT = {
    "dirk": "`echo dirk waits; sleep 60` took",
    "dora": "`echo 'dora sees",
    "fritz": "../../../escaped.py leads out of the zip.",
    "gerd": "It has neither an agent.toml nor a Python file",
}
GAMES = 2


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str | None] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value for name, value in attrs if name == "href"}


def test_a_course_run_grades_every_submission(command: Command) -> None:
    hand_in(Path("in"))
    result = command(*RUN_COURSE)
    assert result.code == 0, result.err
    assert "in contains 9 submissions." in result.err
    assert "list of names.txt is skipped" in result.err
    assert len(stored_keys()) == GAMES * (len(PLAY) + len(PLAY) * (len(PLAY) - 1) // 2)

    assert result.err.endswith("\n4 of 9 do not play: dirk, dora, fritz, gerd\n")
    index = Path("course-grades/index.html").read_text(encoding="utf-8")
    for student in (*PLAY, *DO_NOT):
        assert index.count(f'href="students/{student}/index.html"') == 1

    # the sheet
    rows = grade_rows()
    assert {student for student, _ in rows} == {*PLAY, *DO_NOT}
    for student in PLAY:
        assert {other for opponent_pair, other in rows if opponent_pair == student} == {"last", *PLAY} - {student}
    assert rows["anna", "last"] == {
        "entry": "anna",
        "student": "anna",
        "opponent": "last",
        "games": "2",
        "won": "1",
        "drawn": "0",
        "lost": "1",
        "score": "0.500",
        "required": "1",
        "passed": "yes",
        "verdicts": "won: 1 by stones in a row; lost: 1 by stones in a row",
        "note": "",
    }
    assert rows["emil", "anna"]["verdicts"] == "lost: 2 by a crash"
    assert rows["anna", "emil"]["verdicts"] == "won: 2 by a crash"
    assert rows["carla", "bert"]["games"] == "2"
    for student, fault in DO_NOT.items():
        row = rows[student, "last"]
        assert (row["games"], row["score"], row["passed"]) == ("0", "0.000", "no")
        assert row["note"].startswith(fault)

    # the tests
    case_results = grade_cases()
    beats = "beats last 1 of 2"
    assert case_results["anna"] == {"is handed in": "passed", "check starts": "passed", beats: "passed"}
    assert case_results["carla"] == {
        "is handed in": "passed",
        "builds": "passed",
        "check starts": "passed",
        beats: "passed",
    }
    assert case_results["emil"][beats] == "failure: 0 won, 0 drawn, 2 lost"
    assert case_results["dirk"]["builds"] == "failure: `echo dirk waits; sleep 60` took more than 5 s."
    assert case_results["fritz"]["is handed in"] == "failure: ../../../escaped.py leads out of the zip."
    assert case_results["gerd"]["is handed in"].startswith("failure: It has neither an agent.toml nor a Python file")
    for student, fault in DO_NOT.items():
        assert case_results[student][beats].startswith(f"failure: The submission did not play. {fault}")

    # the pages
    assert "dora sees &lt;b&gt;this&lt;/b&gt;\nno rule" in read_student_page("dora")
    assert Path("course-grades/students/dora/build.log").read_text() == "dora sees <b>this</b>\nno rule\n"
    assert "dirk waits" in read_student_page("dirk")
    own = {"anna": "anna&#x27;s secret", "bert": "bert&#x27;s secret", "carla": "carla thought", "emil": "emil&#x27;s"}
    for student in (*PLAY, *DO_NOT):
        text = read_student_page(student)
        tags = Tags()
        tags.feed(text)
        assert not tags.tags & {"b", "img", "link", "iframe"}
        assert not tags.attributes & {"src", "onclick", "onload"}
        assert tags.links == {f"#game-{number}" for number in range(1, GAMES * len(PLAY) + 1) if student in PLAY}
        assert text.count("<script") == 2 * (student in PLAY), "the games, and the viewer"
        for other, secret in own.items():
            assert (secret in text) == (student == other), (student, other)
        other_students = {*PLAY, *DO_NOT} - {student}
        assert not [name for name in other_students if re.search(rf"\b{name}\b", text)]
    assert read_student_page("anna").count("<details>") == GAMES * len(PLAY)
    assert "<title>&lt;script&gt;alert(1): course</title>" in read_student_page("script-alert-1")
    assert "your program&#x27;s fault, a crash: exited with code 1: emil&#x27;s last words" in read_student_page("emil")
    assert "another program&#x27;s fault: a crash in seat 1" in read_student_page("anna")
    assert not list(Path().rglob("escaped.py"))

    # the records
    with Store.open("gomogo.db") as store:
        for game in store.games_of(store.run("course")):
            assert [spec.partition("@")[2] for spec in game.specs] == [digest[:16] for digest in game.hashes]
    table = Path("course-grades/table.txt").read_text(encoding="utf-8")
    assert table.startswith(result.out.rstrip())
    away = table.removeprefix(result.out.rstrip()).strip().splitlines()
    assert {line.partition(" does not play: ")[0] for line in away if "does not play" in line} == {
        "dirk (dirk)",
        "dora (dora)",
        "fritz.zip (fritz)",
        "gerd (gerd)",
    }
    assert "<script>alert(1) (script-alert-1)" in away
    assert {
        standing["name"] for standing in json.loads(Path("course-grades/standings.json").read_text())["players"]
    } == {
        "last",
        *PLAY,
    }


def test_only_changed_submissions_are_played_again(command: Command) -> None:
    create_submissions("anna", "bert")
    assert command(*RUN_COURSE_QUICKLY).code == 0
    first = stored_keys()
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert (stored_keys(), stored_keys(GameStatus.SET_ASIDE)) == (first, set())

    bot = Path("in/anna/bot.py")
    before = bot.read_text()
    bot.write_text(f"{before}# better\n")
    assert check_says(command) == "course: 6 games of gomoku if every submission can be built, 4 of them still to play"
    assert command(*RUN_COURSE_QUICKLY).code == 0
    second = stored_keys()
    assert len(second) == 6
    assert len(first & second) == 2
    assert stored_keys(GameStatus.SET_ASIDE) == first - second

    bot.write_text(before)  # the earlier submission counts again, without new games
    assert check_says(command).endswith(" 0 of them still to play")
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert stored_keys() == first

    shutil.rmtree("in/bert")
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert len(stored_keys()) == 2
    assert stored_keys() < first
    assert {path.name for path in Path("course-grades/students").iterdir()} == {"anna"}
    assert Path("course-grades/standings.json").is_file()


def check_says(command: Command) -> str:
    result = command("check", "course.toml", "--submissions", "in")
    assert result.code == 0
    return result.out.splitlines()[0]


def test_games_against_a_changed_arena_agent_are_played_again(command: Command) -> None:
    create_submissions("anna", "bert")
    assert command(*RUN_COURSE_QUICKLY).code == 0
    Path("house/last.py").write_text(f"{HOUSE}# better\n")
    assert check_says(command) == "course: 6 games of gomoku if every submission can be built, 4 of them still to play"


def test_course_check_lists_the_submissions_and_their_faults(command: Command) -> None:
    hand_in(Path("in"))
    result = command("check", "course.toml", "--submissions", "in")
    assert result.code == 0
    assert "built by `echo dirk waits; sleep 60`" in result.out
    assert "fritz.zip (fritz): cannot play: ../../../escaped.py leads out of the zip." in result.out
    report: dict[str, Any] = json.loads(command("check", "course.toml", "--submissions", "in", "--json").out)
    assert (report["house"], report["left_out"], report["roster"]) == (["last"], ["list of names.txt"], [])
    assert [
        submission_entry["name"] for submission_entry in report["submissions"] if submission_entry["fault"] is None
    ] == [
        "script-alert-1",
        *("anna", "bert", "carla", "dirk", "dora", "emil"),
    ]
    assert not Path("course-submissions").exists()
    assert not Path("gomogo.db").exists()


def test_course_check_counts_no_games_of_submissions_that_did_not_play_in_the_last_run(command: Command) -> None:
    create_submissions("anna", "bert")
    Path("in/bert/bot.py").write_text(f"raise SystemExit\n{PLAYS}")
    assert check_says(command) == "course: 6 games of gomoku if every submission can be built, 6 of them still to play"
    assert command(*RUN_COURSE_QUICKLY).err.endswith("1 of 2 does not play: bert\n")
    result = command("check", "course.toml", "--submissions", "in")
    first, *_, names, remedy = result.out.splitlines()
    assert first == "course: 2 games of gomoku if every other submission can be built, 0 of them still to play"
    assert "bert (bert): version " in result.out
    assert ", did not play in the last run: check starts: " in result.out
    assert names == "1 of 2 did not play in the last run: bert"
    assert remedy == "Their games are not counted. The next run tries them again."
    report = json.loads(command("check", "course.toml", "--submissions", "in", "--json").out)
    assert (report["games"], report["to_play"]) == (2, 0)
    assert [bool(entry["last_fault"]) for entry in report["submissions"]] == [False, True]

    Path("in/bert/bot.py").write_text(PLAYS.format(says=""))  # another version may play
    assert check_says(command) == "course: 6 games of gomoku if every submission can be built, 4 of them still to play"
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert not list(Path("course-submissions").glob("*/*.failed.txt"))


def test_a_course_can_be_public_without_games_between_students(command: Command) -> None:
    create_submissions("anna", "bert")
    Path("course.toml").write_text(f"{COURSE_TOML}against_each_other = false\nanonymous = false\n")
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert set(grade_rows()) == {("anna", "last"), ("bert", "last")}
    Path("course.toml").write_text(f"{COURSE_TOML}anonymous = false\n")
    result = command(*RUN_COURSE_QUICKLY)
    assert result.code == 1
    assert "against_each_other was False, now it is True" in result.err
    assert command(*RUN_COURSE_QUICKLY, "--extend").code == 0
    assert "<td>bert</td>" in read_student_page("anna")


def test_a_submission_that_fails_a_check_still_plays(command: Command) -> None:
    create_submissions("anna")
    on_small_boards = "next(position.moves()) if position.game.size == 5 else 'x'"
    Path("in/anna/bot.py").write_text(f"def choose(position, clock):\n    return {on_small_boards}\n")
    Path("course.toml").write_text(COURSE_TOML.replace("check = false", 'check = ["first_move", "whole_games"]'))
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert grade_cases()["anna"]["check starts"] == "passed"
    assert grade_cases()["anna"]["check first_move"] == "passed", "it is checked on the board of the course"
    assert grade_cases()["anna"]["check whole_games"].startswith("failure: In gomoku")
    assert grade_rows()["anna", "last"]["games"] == "2"


@pytest.mark.parametrize(
    ("settings", "estimate"),
    [
        ("time = { per_move = 600 }", "9 hours with 1 worker"),
        ("time = { total = 300 }", "20 minutes with 1 worker"),
        ("time = { per_move = 60 }\nadjudicate = { moves = 2 }", "4 minutes with 1 worker"),
    ],
)
def test_the_check_estimates_the_time_of_the_games(command: Command, settings: str, estimate: str) -> None:
    create_submissions("anna")
    text = COURSE_TOML.replace("time = { per_move = 5 }", settings)
    Path("course.toml").write_text(f"workers = 1\n{text}")
    lines = command("check", "course.toml", "--submissions", "in").out.splitlines()
    assert lines[2] == (
        f"The games take at most about {estimate}, if every move takes its whole time and every game is as long as "
        "possible."
    )


def test_levels_are_the_default_arena_agents_of_a_course(command: Command) -> None:
    create_submissions("anna")
    Path("course.toml").write_text(
        'name = "course"\noptions = { size = 5 }\n[submissions]\nrequired = { level-1 = 1 }\n'
    )
    result = command("check", "course.toml", "--submissions", "in")
    assert result.out.splitlines()[:2] == [
        "course: 16 games of gomoku if every submission can be built, 16 of them still to play",
        "arena agents: level-1, level-2, level-3, level-4, level-5, level-6, level-7, level-8",
    ]


def test_a_course_without_submissions_writes_empty_grades(command: Command) -> None:
    Path("in").mkdir()
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert (grade_rows(), grade_cases()) == ({}, {})


def test_a_submission_cannot_run_the_program_of_another(command: Command) -> None:
    """A submission must not read another program by its command, by a link that its build makes, or by the first line
    of a script.
    """
    hand_in_by_folder = {
        "anna": {"agent.toml": 'command = "./bot"\n', "bot": "#!/bin/sh\n"},
        "mallory": {"agent.toml": 'command = "../../../in/anna/bot"\n'},
        "molly": {"agent.toml": f"command = './bot'\nbuild = 'ln -s {Path.cwd()}/in/anna/bot bot'\n"},
        "morris": {"agent.toml": 'command = "./bot"\n', "bot": f"#!{Path.cwd()}/in/anna/bot\n"},
    }
    for student, files in hand_in_by_folder.items():
        (Path("in") / student).mkdir(parents=True)
        for name, content in files.items():
            (Path("in") / student / name).write_text(content)
            (Path("in") / student / name).chmod(0o755)
    assert command(*RUN_COURSE).code == 0
    for student in ("mallory", "molly", "morris"):
        failure_words = next(
            step_words for step, step_words in grade_cases()[student].items() if step_words.startswith("failure")
        )
        assert f"its command leads to {Path.cwd()}/in/anna/bot, outside of its folder" in failure_words
        assert (student, "anna") not in grade_rows()
