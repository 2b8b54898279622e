"""Grades as a sheet, grades.csv, and as tests, grades.xml, which is JUnit's form.

Uses grades, but no store and no page.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from tournaments.submissions.grading import Grade, OpponentResult
from tournaments.submissions.preparing import PreparationStep
from tournaments.submissions.roster import COLUMNS, NOBODY

_RESULTS = ("student", "opponent", "games", "won", "drawn", "lost", "score", "required", "passed", "verdicts", "note")
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FORMULA = ("=", "+", "-", "@")  # first characters of a cell that a spreadsheet would compute
_WORDS = {True: "yes", False: "no", None: "open"}


def as_csv(grades: Sequence[Grade]) -> str:
    """Return a line for each student and opponent, with the entry's own name first. note: why a student did not play.

    With a list of the course, the student's data on it follow the entry.
    """
    written = io.StringIO()
    sheet = csv.writer(written, lineterminator="\n")
    listed = any(grade.person is not None for grade in grades)
    sheet.writerow(("entry", *(COLUMNS if listed else ()), *_RESULTS))
    for grade in grades:
        who = [_cell(text) for text in (grade.entry, *((grade.person or NOBODY) if listed else ()))]
        for one in grade.against:
            counts = (one.games, one.won, one.drawn, one.lost, f"{one.score:.3f}")
            asked = ("", "") if one.required is None else (one.required, _WORDS[one.fulfilled])
            sheet.writerow((*who, grade.name, one.opponent.name, *counts, *asked, one.verdicts, why_not(grade)))
    return written.getvalue()


def _cell(text: str) -> str:
    """Return a text that a spreadsheet displays unchanged."""
    shown = plain(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def why_not(grade: Grade) -> str:
    """Return why a student cannot play, on one line, or nothing."""
    if grade.player is not None:
        return ""
    failed = next((step for step in grade.prepared.steps if step.passed is False), None)
    return "" if failed is None else f"{failed.name}: {' '.join(plain(failed.said).split())}"


def as_junit(grades: Sequence[Grade]) -> bytes:
    """Return a suite for each student: a case for each step, and one for each opponent that the student must beat."""
    root = Xml.Element("testsuites", name="grades")
    for grade in grades:
        suite = Xml.SubElement(root, "testsuite", name=plain(grade.entry))
        if grade.person is not None:
            properties = Xml.SubElement(suite, "properties")
            for name, value in zip(COLUMNS, grade.person, strict=True):
                Xml.SubElement(properties, "property", name=name, value=plain(value))
        for step in grade.prepared.steps:
            _add_step(suite, grade.name, step)
        for against in grade.against:
            if against.required is not None:
                _add_opponent(suite, grade, against)
        _count(suite)
    _count(root)
    Xml.indent(root)
    written: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _add_step(suite: Xml.Element, student: str, step: PreparationStep) -> None:
    case = Xml.SubElement(suite, "testcase", classname=student, name=step.name, time=f"{step.seconds:.3f}")
    if step.passed is False:
        failure = Xml.SubElement(case, "failure", message=plain(step.said))
        failure.text = plain(step.printed)
    elif step.passed is None:
        Xml.SubElement(case, "skipped", message=plain(step.said))


def _add_opponent(suite: Xml.Element, grade: Grade, against: OpponentResult) -> None:
    name = f"beats {against.opponent.name} {against.required} of {against.planned}"
    case = Xml.SubElement(suite, "testcase", classname=grade.name, name=name)
    told = f"{against.won} won, {against.drawn} drawn, {against.lost} lost"
    if against.fulfilled is None:
        Xml.SubElement(case, "skipped", message=f"{told}; {against.planned - against.games} are still to be played")
    elif not against.fulfilled:
        failure = Xml.SubElement(
            case, "failure", message=told if grade.player else f"It did not play. {why_not(grade)}"
        )
        failure.text = plain(against.verdicts)


def _count(suite: Xml.Element) -> None:
    for key, wanted in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(key, str(len(list(suite.iter(wanted)))))


def plain(text: str) -> str:
    """Return foreign text without characters that XML does not allow."""
    return _NOT_IN_XML.sub("\ufffd", text)
