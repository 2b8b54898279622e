"""The roster of a course: the list of its students, and for each entry the student to whom it belongs.

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
from tournaments.submissions.intake import WHICH_ONE

_MAX_BYTES = 10_000_000  # enough for 100,000 students
# the field for each header of a column; headers are in lower case and without `-`
_FIELDS = {"id": "id", "name": "name", "email": "email", "mail": "email", "group": "group"}
_REMEDY = "Write the header `id,name,e-mail,group`, then a line for each student. Only id or name is required."


class RosterEntry(NamedTuple):
    """One student on the roster. Fields that the roster does not have are empty."""

    id: str = ""
    name: str = ""
    email: str = ""
    group: str = ""

    @property
    def label(self) -> str:
        """The data of the student on one line."""
        return printable(", ".join(filter(None, self)))


COLUMNS = ("id", "name", "e-mail", "group")
NOBODY = RosterEntry()


class Roster(NamedTuple):
    """The students of a course. owners: the student to whom each entry belongs, by the entry's title. Entries that
    match no student, or several, have no owner.
    """

    people: tuple[RosterEntry, ...]
    owners: Mapping[str, RosterEntry]

    @property
    def rival_entries(self) -> Mapping[str, str]:
        """The faults of entries whose owner has another entry too, by title: only the instructor knows which counts."""
        titles_of: dict[RosterEntry, list[str]] = {}
        for title, person in self.owners.items():
            titles_of.setdefault(person, []).append(title)
        return {
            title: f"{' and '.join(titles)} match the same student, {person.name or person.id}. {WHICH_ONE}"
            for person, titles in titles_of.items()
            if len(titles) > 1
            for title in titles
        }

    def mismatches(self, entries: Mapping[str, str]) -> list[str]:
        """Return a sentence for each entry without an owner, and for each student without an entry.

        entries: the names of all entries, by their titles.
        """
        strangers = [(title, entry) for title, entry in entries.items() if title not in self.owners]
        return [
            *(f"{printable(entry)} {self._why_unmatched(title)}" for title, entry in strangers),
            *(f"{person.label} is on the roster but has not submitted anything." for person in self.absent),
        ]

    def _why_unmatched(self, title: str) -> str:
        """Return the rest of a sentence: the entry matches no student, or several, who are named."""
        several = sorted(person.label for person in _matching_students(title, self.people))
        if not several:
            return "matches no student on the roster."
        return f"matches {len(several)} students on the roster: {'; '.join(several)}."

    @property
    def absent(self) -> list[RosterEntry]:
        """The students without a submission."""
        handed_in = set(self.owners.values())
        return [person for person in self.people if person not in handed_in]


def read_roster(path: Path) -> tuple[RosterEntry, ...]:
    """Read a roster: a CSV file with commas, semicolons or tabs. Raises UserError if it cannot be read."""
    try:
        content = read_regular(path, _MAX_BYTES)
        text = content.decode("utf-8-sig")
    except OSError as fault:
        raise UserError(f"The roster {path} cannot be read: {fault.strerror}.", _REMEDY) from None
    except UnicodeDecodeError:
        raise UserError(f"The roster {path} is not UTF-8.", "Save it as CSV in UTF-8.") from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        header, *lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)] or [[]]
    except csv.Error as fault:
        raise UserError(f"The roster {path} is not a CSV file: {fault}.", _REMEDY) from None
    fields = [_FIELDS.get(re.sub(r"[\W_]", "", column).casefold()) for column in header]
    if not {"id", "name"} & set(fields):
        raise UserError(f"The roster {path} has no column `id` or `name`.", _REMEDY)
    people = []
    for line in lines:
        known = {field: cell.strip() for field, cell in zip(fields, line, strict=False) if field}
        if any(known.values()):
            people.append(RosterEntry(**known))
    return tuple(people)


def match_roster(people: tuple[RosterEntry, ...] | None, titles: Iterable[str]) -> Roster | None:
    """Return the roster with the owner of each entry, or None if there is no roster. titles: the names of the entries
    without their suffixes.
    """
    return None if people is None else Roster(people, match_owners(titles, people))


def match_owners(titles: Iterable[str], people: Sequence[RosterEntry]) -> Mapping[str, RosterEntry]:
    """Return the owner of each entry, by the entry's title. Entries that match no student, or several, are left out.

    An entry matches a student if its title has the same words, in any order, as the student's id, name or e-mail. If an
    entry matches nobody in this way, it matches a student whose id its title contains. If it still matches nobody, it
    matches a student whose name its title contains: course platforms write `Zoë Müller_12345_file`.
    """
    found: dict[str, RosterEntry] = {}
    for title in titles:
        fits = _matching_students(title, people)
        if len(fits) == 1:
            found[title] = fits.pop()
    return found


def _matching_students(title: str, people: Sequence[RosterEntry]) -> set[RosterEntry]:
    """Return the students that an entry matches by the first of the three rules that fits; see `match_owners`."""
    words = _words_of_name(title)
    fits = {
        one
        for one in people
        for text in (one.id, one.name, one.email, one.email.partition("@")[0])
        if words and _words_of_name(text) == words
    }
    for which in (0, 1):
        fits = fits or {one for one in people if (part := _words_of_name(one[which])) and part <= words}
    return fits


@lru_cache(maxsize=100_000)
def _words_of_name(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return frozenset(re.findall(r"[^\W_]+", plain))
