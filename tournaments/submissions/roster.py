"""The roster of a course, which is the list of its students, and the owner of each entry.

The module reads a CSV file and the names of entries, but no submission.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.printable import printable
from gomogo_core.regular_files import read_regular
from tournaments.submissions.intake import AMBIGUITY_REMEDY

_MAX_FILE_BYTES = 10_000_000  # enough for 100,000 students
# the field for each header of a column; headers are in lower case and without `-`
_FIELD_BY_HEADER = {"id": "id", "name": "name", "email": "email", "mail": "email", "group": "group"}
_REMEDY = "Write the header `id,name,e-mail,group`, then a line for each student. Only id or name is required."


class RosterStudent(NamedTuple):
    """One student on the roster. Fields that the roster does not have are empty."""

    id: str = ""
    name: str = ""
    email: str = ""
    group: str = ""

    @property
    def one_line_text(self) -> str:
        """The data of the student on one line."""
        return printable(", ".join(filter(None, self)))


ROSTER_COLUMNS = ("id", "name", "e-mail", "group")
UNKNOWN_STUDENT = RosterStudent()


class Roster(NamedTuple):
    """The students of a course.

    owners_by_base_name: the student to whom each entry belongs, by the entry's base name. An entry that matches no
    student, or several, has no owner.
    """

    students: tuple[RosterStudent, ...]
    owners_by_base_name: Mapping[str, RosterStudent]

    @property
    def conflicts_by_base_name(self) -> Mapping[str, str]:
        """The reason why an entry cannot be used, by base name: its owner has another entry, and only the instructor
        knows which one counts.
        """
        names_by_student: dict[RosterStudent, list[str]] = {}
        for base_name, student in self.owners_by_base_name.items():
            names_by_student.setdefault(student, []).append(base_name)
        return {
            base_name: f"{' and '.join(base_names)} match the same student, {student.name or student.id}. "
            f"{AMBIGUITY_REMEDY}"
            for student, base_names in names_by_student.items()
            if len(base_names) > 1
            for base_name in base_names
        }

    def describe_mismatches(self, original_names: Mapping[str, str]) -> list[str]:
        """Return a sentence for each entry without an owner, and for each student without an entry.

        original_names: the names of all entries, by their base names.
        """
        sentences = [
            f"{printable(original_name)} {self._explain_mismatch(base_name)}"
            for base_name, original_name in original_names.items()
            if base_name not in self.owners_by_base_name
        ]
        absent_texts = (student.one_line_text for student in self.absent_students)
        return [*sentences, *(f"{text} is on the roster but has not submitted anything." for text in absent_texts)]

    def _explain_mismatch(self, base_name: str) -> str:
        """Return the end of a sentence about an entry without an owner: "matches no student", or the students."""
        matching = sorted(student.one_line_text for student in _find_matching_students(base_name, self.students))
        if not matching:
            return "matches no student on the roster."
        return f"matches {len(matching)} students on the roster: {'; '.join(matching)}."

    @property
    def absent_students(self) -> list[RosterStudent]:
        """The students without a submission."""
        owners = set(self.owners_by_base_name.values())
        return [student for student in self.students if student not in owners]


def read_roster(path: Path) -> tuple[RosterStudent, ...]:
    """Read a roster: a CSV file with commas, semicolons or tabs. Raises UserError if it cannot be read."""
    try:
        text = read_regular(path, _MAX_FILE_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"The roster {path} cannot be read: {error.strerror}.", _REMEDY) from None
    except UnicodeDecodeError:
        raise UserError(f"The roster {path} is not UTF-8.", "Save it as CSV in UTF-8.") from None
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        header, *lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)] or [[]]
    except csv.Error as error:
        raise UserError(f"The roster {path} is not a CSV file: {error}.", _REMEDY) from None
    fields = [_FIELD_BY_HEADER.get(re.sub(r"[\W_]", "", column).casefold()) for column in header]
    if not {"id", "name"} & set(fields):
        raise UserError(f"The roster {path} has no column `id` or `name`.", _REMEDY)
    students = []
    for line in lines:
        values = {field: cell.strip() for field, cell in zip(fields, line, strict=False) if field}
        if any(values.values()):
            students.append(RosterStudent(**values))
    return tuple(students)


def create_roster(students: tuple[RosterStudent, ...] | None, base_names: Iterable[str]) -> Roster | None:
    """Return the roster with the owner of each entry, or None if there is no roster. base_names: the names of the
    entries without their suffixes.
    """
    return None if students is None else Roster(students, find_owners(base_names, students))


def find_owners(base_names: Iterable[str], students: Sequence[RosterStudent]) -> Mapping[str, RosterStudent]:
    """Return the owner of each entry, by the entry's base name. Entries that match no student, or several, are left
    out.

    An entry matches a student if its base name has the same words, in any order, as the student's id, name or e-mail.
    If an entry matches nobody in this way, it matches a student whose id its base name contains. If it still matches
    nobody, it matches a student whose name its base name contains: course platforms write `Zoë Müller_12345_file`.
    """
    owners: dict[str, RosterStudent] = {}
    for base_name in base_names:
        matching = _find_matching_students(base_name, students)
        if len(matching) == 1:
            owners[base_name] = matching.pop()
    return owners


def _find_matching_students(base_name: str, students: Sequence[RosterStudent]) -> set[RosterStudent]:
    """Return the students that an entry matches by the first rule of `find_owners` by which it matches anybody."""
    words = _split_into_words(base_name)
    matching = {
        student
        for student in students
        for text in (student.id, student.name, student.email, student.email.partition("@")[0])
        if words and _split_into_words(text) == words
    }
    for field in (0, 1):
        matching = matching or {
            student
            for student in students
            if (field_words := _split_into_words(student[field])) and field_words <= words
        }
    return matching


@lru_cache(maxsize=100_000)
def _split_into_words(text: str) -> frozenset[str]:
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return frozenset(re.findall(r"[^\W_]+", folded))
