"""The list of a course: its students, and the owner of each entry.

Uses a CSV file and names, but no submission.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.printable import printable
from gomogo_core.regular_files import read_regular

_MOST = 10_000_000  # bytes: a list of 100,000 students
_CALLED = {"id": "id", "name": "name", "email": "email", "mail": "email", "group": "group"}  # columns, without `-`
_WRITE = "Write a line `id,name,e-mail,group`, and a line for each student; only id or name is needed."


class RosterEntry(NamedTuple):
    """A line of the list."""

    id: str = ""
    name: str = ""
    email: str = ""
    group: str = ""

    @property
    def label(self) -> str:
        """Return the list's data on the person, on one line."""
        return printable(", ".join(filter(None, self)))


COLUMNS = ("id", "name", "e-mail", "group")
NOBODY = RosterEntry()


class Roster(NamedTuple):
    """The list of a course. owners: the person of each submission, by the title of its entry."""

    people: tuple[RosterEntry, ...]
    owners: Mapping[str, RosterEntry]

    @staticmethod
    def of(people: tuple[RosterEntry, ...], titles: Iterable[str], source: str) -> Roster:
        """Return the list with the owners of these entries. Raises UserError if one person owns two."""
        return Roster(people, match_owners(titles, people, source))

    def mismatches(self, entries: Mapping[str, str]) -> list[str]:
        """Return a sentence for each entry without a person on the list, and for each person without an entry.

        entries: the names of all entries, by their titles.
        """
        strangers = [printable(entry) for title, entry in entries.items() if title not in self.owners]
        return [
            *(f"{entry} does not match exactly one person on the roster." for entry in strangers),
            *(f"{person.label} is on the roster but has handed in nothing." for person in self.absent),
        ]

    @property
    def absent(self) -> list[RosterEntry]:
        """Return the people without a submission."""
        handed_in = set(self.owners.values())
        return [person for person in self.people if person not in handed_in]


def read_roster(path: Path) -> tuple[RosterEntry, ...]:
    """Read the list: CSV with commas, semicolons or tabs. Raises UserError if it cannot be read."""
    try:
        content = read_regular(path, _MOST)
        text = content.decode("utf-8-sig")
    except OSError as fault:
        raise UserError(f"The roster {path} cannot be read: {fault.strerror}.", _WRITE) from None
    except UnicodeDecodeError:
        raise UserError(f"The roster {path} is not UTF-8.", "Save it as CSV in UTF-8.") from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        header, *lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)] or [[]]
    except csv.Error as fault:
        raise UserError(f"The roster {path} is no CSV: {fault}.", _WRITE) from None
    fields = [_CALLED.get(re.sub(r"[\W_]", "", column).casefold()) for column in header]
    if not {"id", "name"} & set(fields):
        raise UserError(f"The roster {path} has no column `id` or `name`.", _WRITE)
    people = []
    for line in lines:
        known = {field: cell.strip() for field, cell in zip(fields, line, strict=False) if field}
        if any(known.values()):
            people.append(RosterEntry(**known))
    return tuple(people)


def match_owners(titles: Iterable[str], people: Sequence[RosterEntry], source: str) -> Mapping[str, RosterEntry]:
    """Return the person of each entry, by its name without the ending; entries that fit nobody, or several, are left
    out.

    An entry fits a person if its name is the id, the name or the e-mail, in any order of words, or contains the id, or
    the name: course platforms write `Zoë Müller_12345_file`. The first of these rules that fits anybody decides. Raises
    UserError if two entries fit the same person.
    """
    wholes = [
        (words, one)
        for one in people
        for text in (one.id, one.name, one.email, one.email.partition("@")[0])
        if (words := _words_of_name(text))
    ]
    ids, names = ([(words, one) for one in people if (words := _words_of_name(one[which]))] for which in (0, 1))
    found: dict[str, RosterEntry] = {}
    for title in titles:
        words = _words_of_name(title)
        fits = {one for whole, one in wholes if whole == words}
        for parts in (ids, names):
            fits = fits or {one for part, one in parts if part <= words}
        if len(fits) == 1:
            found[title] = fits.pop()
    _refuse_two_of_one(found, source)
    return found


def _words_of_name(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return frozenset(re.findall(r"[^\W_]+", plain))


def _refuse_two_of_one(owners: Mapping[str, RosterEntry], source: str) -> None:
    of: dict[RosterEntry, list[str]] = {}
    for title, person in owners.items():
        of.setdefault(person, []).append(title)
    for person, titles in of.items():
        if len(titles) > 1:
            raise UserError(
                f"{' and '.join(titles)} are both by {person.name or person.id} of {source}.",
                "Which one counts? Move the other out of the folder.",
            )
