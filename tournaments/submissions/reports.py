"""Write the grades of a course: tables of students (students.csv) and of their opponents (grades.csv), test results in
JUnit's format (grades.xml), and the HTML pages, by a function of the caller.

The folder of grades is replaced as a whole, so that after a crash the old folder is still there. The module reads
grades, and computes none.
"""

from __future__ import annotations

import csv
import ctypes
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from xml.etree import ElementTree as Xml

from gomogo_core.errors import UserError
from gomogo_core.wire.small_files import remove_tree
from tournaments.csv_table import spreadsheet_cell
from tournaments.submissions.grading import CourseGrades, Grade, OpponentResult
from tournaments.submissions.preparing import BUILD_STEP, PreparationStep
from tournaments.submissions.roster import ROSTER_COLUMNS, UNKNOWN_STUDENT

GRADE_FILES = ("table.txt", "standings.json", "students.csv", "grades.csv", "grades.xml", "index.html", "students")
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_COUNT_COLUMNS = ("games", "won", "drawn", "lost", "score")
_RESULT_COLUMNS = ("student", "opponent", *_COUNT_COLUMNS, "required", "passed", "verdicts", "note")
_CHECK_COLUMNS = ("checks_passed", "checks_failed")
_TOTAL_COLUMNS = (*_COUNT_COLUMNS, "rank", *_CHECK_COLUMNS, "verdict", "faults", "doubtful", "note")
_INVALID_XML_PATTERN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FULFILMENT_WORDS = {True: "yes", False: "no", None: "open"}


def check_grades_folder(folder: Path) -> None:
    """Raise UserError if the folder cannot be read, or contains files that are not grades and would be deleted."""
    try:
        other_files = sorted({path.name for path in folder.iterdir()} - {*GRADE_FILES}) if folder.exists() else []
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}.", "Name a folder with --grades.") from None
    if other_files:
        raise UserError(
            f"{folder} contains {other_files[0]}, which is not a file of grades. Writing grades replaces the whole "
            "folder.",
            "Name an empty or a new folder with --grades.",
        )


def write_grades(
    folder: Path,
    write_pages: Callable[[Path], None],
    course_grades: CourseGrades,
    duplicate_sentences: Sequence[str],
    table_text: str,
    table_json: str,
) -> None:
    """Write all files of the grades into a new folder, then replace the old folder by it.

    write_pages: a function that writes the HTML pages into a folder. duplicate_sentences: a sentence for each group of
    submissions with the same files. table_text, table_json: the standings, as text and as JSON. Raises UserError
    if the folder cannot be written.
    """
    notes = [
        *(_student_line(grade) for grade in course_grades.grades),
        *(
            f"{grade.roster_student.one_line_text}: {grade.prepared_submission.first_failure}"
            for grade in course_grades.absent_grades
            if grade.roster_student is not None
        ),
        *duplicate_sentences,
    ]
    if notes:
        notes.insert(0, "")
    new_folder: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # folders left by a process that was killed
        for abandoned_folder in folder.parent.glob(f".{folder.name}-new-*"):
            remove_tree(abandoned_folder)
        new_folder = Path(mkdtemp(prefix=f".{folder.name}-new-", dir=folder.parent))
        new_folder.chmod(0o755)
        (new_folder / "table.txt").write_text("\n".join([table_text, *notes]) + "\n", encoding="utf-8")
        (new_folder / "standings.json").write_text(f"{table_json}\n", encoding="utf-8")
        # without the byte order mark, spreadsheets take the letters of names for those of another encoding
        (new_folder / "students.csv").write_text(create_students_csv(course_grades), encoding="utf-8-sig")
        (new_folder / "grades.csv").write_text(create_grades_csv(course_grades.all_grades), encoding="utf-8-sig")
        (new_folder / "grades.xml").write_bytes(create_grades_junit(course_grades.all_grades))
        write_pages(new_folder)
        check_grades_folder(folder)
        _replace_folder(new_folder, folder)
    except OSError as error:
        raise UserError(
            f"The grades cannot be written to {folder}: {error.strerror}.",
            "Fix the cause, then run the same command again. The games are stored; only the grades are written.",
        ) from None
    finally:
        if new_folder is not None and new_folder.exists():
            remove_tree(new_folder)


def _student_line(grade: Grade) -> str:
    """Return one line with a student's names, the name of the entry first, and the reason if the student does not
    play.
    """
    prepared, text = grade.prepared_submission, grade.prepared_submission.label_with_key
    if grade.roster_student and any(grade.roster_student):
        text += f", {grade.roster_student.one_line_text}"
    return text if prepared.agent is not None else f"{text} does not play: {prepared.first_failure}"


def _replace_folder(new_folder: Path, folder: Path) -> None:
    """Replace `folder` by the folder `new_folder`; atomically, if the system can do that."""
    if not folder.exists():
        os.replace(new_folder, folder)
        return
    if not _exchange_folders(new_folder, folder):
        old_folder = Path(mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent))
        os.replace(folder, old_folder)
        os.replace(new_folder, folder)
        remove_tree(old_folder)


def _exchange_folders(folder: Path, other_folder: Path) -> bool:
    """Exchange two folders atomically. Return False if the system cannot do that."""
    if sys.platform != "linux":
        return False
    with suppress(OSError, AttributeError):
        rename = ctypes.CDLL(None).renameat2
        return bool(rename(_AT_FDCWD, os.fsencode(folder), _AT_FDCWD, os.fsencode(other_folder), _RENAME_EXCHANGE) == 0)
    return False


def create_grades_csv(grades: Sequence[Grade]) -> str:
    """Return a CSV table with a line for each student and opponent. The first column is the name of the entry.

    If there is a roster, the student's data on the roster follow. The last column, `note`, has the reason why a student
    did not play.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    has_roster = any(grade.roster_student is not None for grade in grades)
    writer.writerow(("entry", *(ROSTER_COLUMNS if has_roster else ()), *_RESULT_COLUMNS))
    for grade in grades:
        roster_texts = (grade.roster_student or UNKNOWN_STUDENT) if has_roster else ()
        student_cells = map(_spreadsheet_cell, (grade.original_name, *roster_texts))
        first_cells, note = (*student_cells, grade.student_key), _reason_for_not_playing(grade)
        for result in grade.opponent_results:
            counts = (result.played_games, result.wins, result.draws, result.losses, f"{result.score:.3f}")
            requirement: tuple[object, str] = ("", "")
            if result.required_wins is not None:
                requirement = (result.required_wins, _FULFILMENT_WORDS[result.is_requirement_fulfilled])
            opponent = _spreadsheet_cell(result.opponent.name)
            writer.writerow((*first_cells, opponent, *counts, *requirement, result.reasons_text, note))
    return buffer.getvalue()


def create_students_csv(course_grades: CourseGrades) -> str:
    """Return a CSV table with a line for each student: the sums over all opponents, the rank by score, and the checks.

    Students with equal scores have the same rank; a student who does not play has none.
    verdict: `passed`, `failed` or `open`, for all requirements together.
    The last column, `note`, has the reason why a student does not play, or the requirements that are not fulfilled.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("key", "entry", *ROSTER_COLUMNS, *_TOTAL_COLUMNS))
    for grade in course_grades.all_grades:
        results, steps = grade.opponent_results, grade.prepared_submission.steps
        counts = ("played_games", "wins", "draws", "losses")
        sums = (sum(getattr(result, count) for result in results) for count in counts)
        student_cells = (grade.original_name, *(grade.roster_student or UNKNOWN_STUDENT))
        # a build does not count as a check, since students whose programs need no build could not reach the same number
        checks_passed = sum(step.passed is True for step in steps if step.name != BUILD_STEP)
        checks = (checks_passed, sum(step.passed is False for step in steps))
        totals = (*sums, f"{grade.score:.3f}", course_grades.places_by_key.get(grade.student_key), *checks)
        last_cells = (grade.verdict, grade.forfeit_count, grade.doubtful_losses)
        note = _spreadsheet_cell(grade.missing_wins_text if grade.player else _reason_for_not_playing(grade))
        writer.writerow((grade.student_key, *map(_spreadsheet_cell, student_cells), *totals, *last_cells, note))
    return buffer.getvalue()


def _spreadsheet_cell(text: str) -> str:
    """Return a text as a cell of a spreadsheet."""
    return spreadsheet_cell(_replace_invalid_xml(text))


def _reason_for_not_playing(grade: Grade) -> str:
    """Return the reason why a student cannot play, on one line; empty for a student who plays."""
    return "" if grade.player is not None else _replace_invalid_xml(grade.prepared_submission.first_failure)


def create_grades_junit(grades: Sequence[Grade]) -> bytes:
    """Return a JUnit file with a test suite for each student.

    The suite has a test case for each preparation step, and one for each opponent that the student must beat.
    """
    root = Xml.Element("testsuites", name="grades")
    for grade in grades:
        name = grade.original_name or (grade.roster_student or UNKNOWN_STUDENT).one_line_text
        suite = Xml.SubElement(root, "testsuite", name=_replace_invalid_xml(name))
        if grade.roster_student is not None:
            properties = Xml.SubElement(suite, "properties")
            for column, value in zip(ROSTER_COLUMNS, grade.roster_student, strict=True):
                Xml.SubElement(properties, "property", name=column, value=_replace_invalid_xml(value))
        for step in grade.prepared_submission.steps:
            _add_step_case(suite, grade.student_key, step)
        for result in grade.opponent_results:
            if result.required_wins is not None:
                _add_opponent_case(suite, grade, result)
        _set_test_counts(suite)
    _set_test_counts(root)
    Xml.indent(root)
    content: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _add_step_case(suite: Xml.Element, student: str, step: PreparationStep) -> None:
    case = Xml.SubElement(suite, "testcase", classname=student, name=step.name, time=f"{step.seconds:.3f}")
    if step.passed is False:
        message = _replace_invalid_xml(step.message)
        Xml.SubElement(case, "failure", message=message).text = _replace_invalid_xml(step.output)
    elif step.passed is None:
        Xml.SubElement(case, "skipped", message=_replace_invalid_xml(step.message))


def _add_opponent_case(suite: Xml.Element, grade: Grade, result: OpponentResult) -> None:
    name = f"beats {result.opponent.name} {result.required_wins} of {result.planned_games}"
    case = Xml.SubElement(suite, "testcase", classname=grade.student_key, name=name)
    results_text = f"{result.wins} won, {result.draws} drawn, {result.losses} lost"
    if result.is_requirement_fulfilled is None:
        games_left = result.planned_games - result.played_games
        Xml.SubElement(case, "skipped", message=f"{results_text}; {games_left} games are still to be played")
    elif not result.is_requirement_fulfilled:
        message = results_text if grade.player else f"The submission did not play. {_reason_for_not_playing(grade)}"
        Xml.SubElement(case, "failure", message=message).text = _replace_invalid_xml(result.reasons_text)


def _set_test_counts(suite: Xml.Element) -> None:
    for key, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(key, str(len(list(suite.iter(tag)))))


def _replace_invalid_xml(text: str) -> str:
    """Return a text in which U+FFFD replaces the characters that XML does not allow."""
    return _INVALID_XML_PATTERN.sub("\ufffd", text)
