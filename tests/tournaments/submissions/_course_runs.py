"""One run of a course, and its results: the store, the grades and the pages."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree as Xml

from gomogo_core.records.store import GameStatus, Store
from tests.tournaments.submissions._class import PLAYS

COURSE_TOML = """
agents = ["house/last.py"]
games_per_pair = 2
options = { size = 5 }
time = { per_move = 5 }

[submissions]
build_seconds = 5
check = false
required = { last = 1 }
"""
RUN_COURSE = ("run", "course.toml", "--submissions", "in")
RUN_COURSE_QUICKLY = (*RUN_COURSE, "--sandbox", "limits")


def stored_keys(status: GameStatus = GameStatus.PLAYED) -> set[str]:
    with Store.open("gomogo.db") as store:
        return store.game_keys(store.run("course"), status)


def grade_rows() -> dict[tuple[str, str], dict[str, str]]:
    with Path("course-grades/grades.csv").open(encoding="utf-8-sig", newline="") as file:
        return {(row["student"], row["opponent"]): row for row in csv.DictReader(file)}


def grade_cases() -> dict[str, dict[str, str]]:
    """Return, for each student, the result of each test case: "passed" or the failure."""
    root = Xml.parse("course-grades/grades.xml").getroot()
    assert root.get("tests") == str(len(list(root.iter("testcase"))))
    assert root.get("failures") == str(len(list(root.iter("failure"))))
    return {
        str(suite[-1].get("classname")): {str(case.get("name")): _case_result(case) for case in suite.iter("testcase")}
        for suite in root
    }


def _case_result(case: Xml.Element) -> str:
    messages = [f"{element.tag}: {element.get('message')}" for element in case]
    return messages[0] if messages else "passed"


def read_student_page(student: str) -> str:
    return Path(f"course-grades/students/{student}/index.html").read_text(encoding="utf-8")


def create_submissions(*students: str) -> None:
    for student in students:
        folder = Path("in") / student
        folder.mkdir(parents=True)
        (folder / "bot.py").write_text(PLAYS.format(says=f"{student} speaks"))
