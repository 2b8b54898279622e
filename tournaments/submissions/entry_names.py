"""Students' names: tables and files use a key made of the entry's name; other students see a number.

An entry receives both when it is first seen, and keeps them. No other entry ever gets them. Uses texts, and the file
that stores the names.
"""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gomogo_core.catalogue import fit_name
from gomogo_core.errors import UserError
from gomogo_core.regular_files import read_regular
from gomogo_core.wire.small_files import put

_SCHEMA = 2
_SPELT = {"ß": "ss", "ẞ": "SS", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ı": "i", "ŋ": "ng", "Ŋ": "Ng", "ĸ": "k"}
_LATIN = re.compile(r"LATIN (SMALL|CAPITAL) (?:LETTER|LIGATURE) ([A-Z]{1,2})(?: WITH .*)?")
_ANONYMOUS = re.compile(r"student(-\d+)?", re.IGNORECASE)  # reserved for numbers


class EntryName(NamedTuple):
    """The names of an entry, given when it was first seen."""

    key: str
    number: int


class NameRegister:
    """Keys and numbers of all entries ever submitted to a run. file: their file, or None.

    Raises UserError if the file cannot be read: only this file links names and students.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known = _read(file) if file is not None and file.exists() else {}

    def keys(self, titles: Sequence[str]) -> tuple[str, ...]:
        """Return the key of each entry, by the entry's name without its ending; new entries get a new key.

        >>> NameRegister().keys(["Łukasz Żak", "Zoë Müller", "李雷", "student-2", "..."])
        ('Lukasz-Zak', 'Zoe-Muller', 'entry', 'entry-student-2', 'entry-2')
        """
        new = {folded_title(title): title for title in titles if folded_title(title) not in self._known}
        first = max((known.number for known in self._known.values()), default=0) + 1
        numbers = list(range(first, first + len(new)))
        random.SystemRandom().shuffle(numbers)  # in random order, so that the numbers say nothing about the names
        taken = {known.key.casefold() for known in self._known.values()}
        for (one, title), number in zip(new.items(), numbers, strict=True):
            self._known[one] = EntryName(_unused_key(_key(title), taken), number)
        return tuple(self._known[folded_title(title)].key for title in titles)

    def numbers(self) -> Mapping[str, str]:
        """Return the public name of each, by key: "student-7"."""
        return {key: f"student-{number}" for key, number in self._known.values()}

    def save(self) -> None:
        """Write the file."""
        if self._file is not None:
            plain = {"schema": _SCHEMA, "entries": {one: known._asdict() for one, known in self._known.items()}}
            put(str(self._file), json.dumps(plain, indent=2).encode(), f"{self._file}.new")


def folded_title(title: str) -> str:
    """Return the title of an entry in one case and one Unicode form: entries with the same one are the same entry."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", title).casefold())


def _read(file: Path) -> dict[str, EntryName]:
    try:
        plain = json.loads(read_regular(file))
        if plain.get("schema") == _SCHEMA:
            return {one: EntryName(str(known["key"]), int(known["number"])) for one, known in plain["entries"].items()}
        # the format of earlier versions
        return {folded_title(key): EntryName(key, int(number)) for key, number in plain.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise UserError(
            f"{file}, which maps entries to students' names, cannot be read: {fault}.",
            "Restore it from a backup. Without it every student gets a new name and number.",
        ) from None


def _key(title: str) -> str:
    """Return a key for an entry of this name, fit for files and teams."""
    plain = "".join(map(_ascii_letter, unicodedata.normalize("NFKD", title)))
    key = fit_name(plain) if any(map(str.isalnum, plain)) else "entry"
    return f"entry-{key}"[:36] if _ANONYMOUS.fullmatch(key) else key


def _ascii_letter(sign: str) -> str:
    """Return a character in ASCII: a letter without its stroke or tail; "" for accents and other scripts."""
    if sign.isascii():
        return sign
    if sign in _SPELT:
        return _SPELT[sign]
    if (match := _LATIN.fullmatch(unicodedata.name(sign, ""))) is None:
        return ""
    return match[2] if match[1] == "CAPITAL" else match[2].lower()


def _unused_key(key: str, taken: set[str]) -> str:
    """Return the key, with a number at its end if the key is taken; then take it."""
    found, number = key, 2
    while found.casefold() in taken:
        found, number = f"{key[:34]}-{number}", number + 1
    taken.add(found.casefold())
    return found


def equal_entries(entries: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of entries that differ only by case or ending. entries: of each its name, and that without its ending."""
    groups: dict[str, list[str]] = {}
    for name, title in entries:
        groups.setdefault(folded_title(title), []).append(name)
    return [names for names in groups.values() if len(names) > 1]
