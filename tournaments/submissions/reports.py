"""Write the grades of a course: tables of students (students.csv) and of their opponents (grades.csv), test results in
JUnit's format (grades.xml), and a page for each student.

The folder of grades is replaced as a whole: after a crash the old folder is still there. The module reads grades and
the run's games, and computes no grade.
"""

from __future__ import annotations

import csv
import ctypes
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from xml.etree import ElementTree as Xml

from gomogo_core.errors import UserError
from gomogo_core.printable import printable
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.wire.small_files import remove_tree
from tournaments.submissions.course import Course
from tournaments.submissions.grading import Grade, OpponentResult
from tournaments.submissions.preparing import BUILDS, PreparationStep
from tournaments.submissions.roster import COLUMNS, NOBODY, Roster
from tournaments.submissions.student_pages import student_page

FILES = ("table.txt", "standings.json", "students.csv", "grades.csv", "grades.xml", "students")
_AT_FDCWD, _EXCHANGE = -100, 2
_RESULTS = ("student", "opponent", "games", "won", "drawn", "lost", "score", "required", "passed", "verdicts", "note")
_TOTALS = (
    "games",
    "won",
    "drawn",
    "lost",
    "score",
    "rank",
    "checks_passed",
    "checks_failed",
    "verdict",
    "faults",
    "doubtful",
)
_INVALID_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FORMULA_STARTS = ("=", "+", "-", "@")  # first characters of a cell that a spreadsheet would compute
_WORDS = {True: "yes", False: "no", None: "open"}


def check_grades_folder(folder: Path) -> None:
    """Raise UserError if the folder cannot be read, or contains files that are not grades and would be deleted."""
    try:
        foreign = sorted({one.name for one in folder.iterdir()} - {*FILES}) if folder.exists() else []
    except OSError as fault:
        raise UserError(f"{folder} cannot be read: {fault.strerror}.", "Name a folder with --grades.") from None
    if foreign:
        raise UserError(
            f"{folder} contains {foreign[0]}, which is not a file of grades. Writing grades replaces the whole folder.",
            "Name an empty or a new folder with --grades.",
        )


def write_grades(
    folder: Path,
    course: Course,
    games_of: Callable[[str], Iterable[PlayedGame]],
    graded: Sequence[Grade],
    roster: Roster | None,
    duplicates: Sequence[str],
    table: str,
    table_json: Mapping[str, Any],
) -> None:
    """Write all files of the grades into a new folder, then replace the old folder by it.

    games_of: returns the games of a player. duplicates: a sentence for each group of submissions with the same files.
    table, table_json: the standings, as text and as JSON values. Raises UserError if the folder cannot be written.
    """
    notes = [_names_line(grade) for grade in graded]
    if roster is not None:
        notes += [f"{person.label}: has not submitted anything" for person in roster.absent]
    notes += duplicates
    if notes:
        notes.insert(0, "")
    new: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for left in folder.parent.glob(f".{folder.name}-new-*"):  # folders left by a process that was killed
            remove_tree(left)
        new = Path(mkdtemp(prefix=f".{folder.name}-new-", dir=folder.parent))
        new.chmod(0o755)
        (new / "table.txt").write_text("\n".join([table, *notes]) + "\n", encoding="utf-8")
        (new / "standings.json").write_text(json.dumps(table_json, indent=2) + "\n", encoding="utf-8")
        (new / "students.csv").write_text(students_csv(graded), encoding="utf-8")
        (new / "grades.csv").write_text(grades_csv(graded), encoding="utf-8")
        (new / "grades.xml").write_bytes(grades_junit(graded))
        for grade in graded:
            _write_student(new / "students" / grade.name, course, grade, games_of)
        check_grades_folder(folder)
        _replace_folder(new, folder)
    except OSError as fault:
        raise UserError(
            f"The grades cannot be written to {folder}: {fault.strerror}.",
            "Fix the cause, then run the same command again. The games are stored; only the grades are written.",
        ) from None
    finally:
        if new is not None and new.exists():
            remove_tree(new)


def _names_line(grade: Grade) -> str:
    """Return one line with a student's names, the name of the entry first, and the reason if the student does not
    play.
    """
    listed = f", {grade.person.label}" if grade.person and any(grade.person) else ""
    away = "" if grade.prepared.agent is not None else f" does not play: {grade.prepared.fault}"
    return f"{grade.prepared.label}{listed}{away}"


def _write_student(folder: Path, course: Course, grade: Grade, games_of: Callable[[str], Iterable[PlayedGame]]) -> None:
    folder.mkdir(parents=True)
    text = _names_on_page(course, grade)
    games = games_of(grade.entrant.stored_name) if grade.entrant is not None else ()
    with (folder / "index.html").open("w", encoding="utf-8", errors="replace") as file:
        file.writelines(student_page(grade, course.spec.name, games, text))
    for step in grade.prepared.steps:
        if step.name == BUILDS:
            # without control characters, which would act on the terminal of a reader
            log = printable(step.output, lines=True)
            (folder / "build.log").write_text(log, encoding="utf-8", errors="replace")


def _names_on_page(course: Course, grade: Grade) -> Mapping[str, str]:
    """Return each player's name on a student's page: the student's own name, and the public names of the other
    players.
    """
    anonymous = course.submission_settings.anonymous
    return {
        one.stored_name: one.public_name if anonymous and one is not grade.entrant else one.name
        for one in course.entrants
    }


def _replace_folder(new: Path, folder: Path) -> None:
    """Replace `folder` by the folder `new`; atomically, if the system can do that."""
    if not folder.exists():
        os.replace(new, folder)
        return
    if not _exchange_folders(new, folder):
        old = Path(mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent))
        os.replace(folder, old)
        os.replace(new, folder)
        remove_tree(old)


def _exchange_folders(folder: Path, other: Path) -> bool:
    """Exchange two folders atomically. Return False if the system cannot do that."""
    if sys.platform != "linux":
        return False
    with suppress(OSError, AttributeError):
        rename = ctypes.CDLL(None).renameat2
        return bool(rename(_AT_FDCWD, os.fsencode(folder), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0)
    return False


def grades_csv(grades: Sequence[Grade]) -> str:
    """Return a CSV table with a line for each student and opponent. The first column is the name of the entry.

    If there is a roster, the student's data on the roster follow. The last column, `note`, has the reason why a student
    did not play.
    """
    written = io.StringIO()
    sheet = csv.writer(written, lineterminator="\n")
    listed = any(grade.person is not None for grade in grades)
    sheet.writerow(("entry", *(COLUMNS if listed else ()), *_RESULTS))
    for grade in grades:
        who = [_spreadsheet_cell(text) for text in (grade.entry_name, *((grade.person or NOBODY) if listed else ()))]
        for one in grade.opponent_results:
            counts = (one.games, one.wins, one.draws, one.losses, f"{one.score:.3f}")
            asked = ("", "") if one.required is None else (one.required, _WORDS[one.is_fulfilled])
            opponent = _spreadsheet_cell(one.opponent.name)
            sheet.writerow((*who, grade.name, opponent, *counts, *asked, one.reasons_text, _failure_line(grade)))
    return written.getvalue()


def students_csv(grades: Sequence[Grade]) -> str:
    """Return a CSV table with a line for each student: the sums over all opponents, the rank by score, the checks.

    Students with equal scores have the same rank. verdict: `passed`, `failed` or `open`, for all requirements together,
    or the reason why the student does not play.
    """
    written = io.StringIO()
    sheet = csv.writer(written, lineterminator="\n")
    sheet.writerow(("key", "entry", *COLUMNS, *_TOTALS))
    scores = [grade.score for grade in grades]
    for grade in grades:
        results, steps = grade.opponent_results, grade.prepared.steps
        sums = (sum(getattr(one, what) for one in results) for what in ("games", "wins", "draws", "losses"))
        rank = 1 + sum(score > grade.score for score in scores)
        who = (grade.entry_name, *(grade.person or NOBODY))
        # a build is no check: students whose programs need none could not reach the same number
        passed = sum(step.passed is True for step in steps if step.name != BUILDS)
        checks = (passed, sum(step.passed is False for step in steps))
        row = (*sums, f"{grade.score:.3f}", rank, *checks, _verdict(grade), grade.forfeits, grade.doubtful)
        sheet.writerow((grade.name, *map(_spreadsheet_cell, who), *row))
    return written.getvalue()


def _verdict(grade: Grade) -> str:
    if grade.entrant is None:
        return f"does not play: {_failure_line(grade)}"
    return {True: "passed", False: "failed", None: "open"}[grade.is_passed]


def _spreadsheet_cell(text: str) -> str:
    """Return a text as a cell that a spreadsheet does not compute as a formula."""
    text = _without_invalid_xml(text)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _failure_line(grade: Grade) -> str:
    """Return the reason why a student cannot play, on one line; empty for a student who plays."""
    return "" if grade.entrant is not None else _without_invalid_xml(grade.prepared.fault)


def grades_junit(grades: Sequence[Grade]) -> bytes:
    """Return a JUnit file with a test suite for each student.

    The suite has a test case for each preparation step, and one for each opponent that the student must beat.
    """
    root = Xml.Element("testsuites", name="grades")
    for grade in grades:
        suite = Xml.SubElement(root, "testsuite", name=_without_invalid_xml(grade.entry_name))
        if grade.person is not None:
            properties = Xml.SubElement(suite, "properties")
            for name, value in zip(COLUMNS, grade.person, strict=True):
                Xml.SubElement(properties, "property", name=name, value=_without_invalid_xml(value))
        for step in grade.prepared.steps:
            _add_step(suite, grade.name, step)
        for result in grade.opponent_results:
            if result.required is not None:
                _add_opponent(suite, grade, result)
        _set_totals(suite)
    _set_totals(root)
    Xml.indent(root)
    written: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _add_step(suite: Xml.Element, student: str, step: PreparationStep) -> None:
    case = Xml.SubElement(suite, "testcase", classname=student, name=step.name, time=f"{step.seconds:.3f}")
    if step.passed is False:
        failure = Xml.SubElement(case, "failure", message=_without_invalid_xml(step.message))
        failure.text = _without_invalid_xml(step.output)
    elif step.passed is None:
        Xml.SubElement(case, "skipped", message=_without_invalid_xml(step.message))


def _add_opponent(suite: Xml.Element, grade: Grade, result: OpponentResult) -> None:
    name = f"beats {result.opponent.name} {result.required} of {result.planned}"
    case = Xml.SubElement(suite, "testcase", classname=grade.name, name=name)
    results_text = f"{result.wins} won, {result.draws} drawn, {result.losses} lost"
    if result.is_fulfilled is None:
        Xml.SubElement(
            case, "skipped", message=f"{results_text}; {result.planned - result.games} games are still to be played"
        )
    elif not result.is_fulfilled:
        failure = Xml.SubElement(
            case,
            "failure",
            message=results_text if grade.entrant else f"The submission did not play. {_failure_line(grade)}",
        )
        failure.text = _without_invalid_xml(result.reasons_text)


def _set_totals(suite: Xml.Element) -> None:
    for key, wanted in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(key, str(len(list(suite.iter(wanted)))))


def _without_invalid_xml(text: str) -> str:
    """Return a text in which the characters that XML does not allow are replaced."""
    return _INVALID_IN_XML.sub("\ufffd", text)
