"""Names for submissions. Each entry gets a key, which is its name in tables and files, and a number, which is its name
for other students.

An entry is the folder or file that a student hands in. An entry gets its key and number when it is first seen, and
keeps them; no other entry ever gets the same key or number. A file stores all keys and numbers.
"""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gomogo_core.catalogue import to_team_name
from gomogo_core.errors import UserError
from gomogo_core.printable import printable
from gomogo_core.regular_files import read_regular
from gomogo_core.wire.small_files import replace_file

_SCHEMA_VERSION = 2
_TRANSLITERATIONS = dict(zip("ßẞþÞðÐıŋŊĸ", ["ss", "SS", "th", "Th", "d", "D", "i", "ng", "Ng", "k"], strict=True))
_LATIN_NAME_PATTERN = re.compile(r"LATIN (SMALL|CAPITAL) (?:LETTER|LIGATURE) ([A-Z]{1,2})(?: WITH .*)?")
_RESERVED_KEY_PATTERN = re.compile(r"student(-\d+)?", re.IGNORECASE)  # a key must not look like a public name


class SubmissionId(NamedTuple):
    """The key and the number of an entry."""

    key: str
    number: int


class SubmissionIdRegister:
    """The keys and numbers of all entries that have ever been submitted to a run.

    file: the file that stores them, or None. Raises UserError if the file cannot be read, since no other file has the
    keys and numbers.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._ids_by_base_name = _read_register(file) if file is not None and file.exists() else {}

    def assign_keys(self, base_names: Sequence[str]) -> tuple[str, ...]:
        """Return the key of each entry, in order. A new entry gets a new key.

        base_names: the entries' names without suffixes.

        >>> SubmissionIdRegister().assign_keys(["Łukasz Żak", "Zoë Müller", "李雷", "student-2", "..."])
        ('Lukasz-Zak', 'Zoe-Muller', 'entry', 'entry-student-2', 'entry-2')
        """
        normalized_names, ids = list(map(normalize_base_name, base_names)), self._ids_by_base_name
        new_names = dict(zip(normalized_names, base_names, strict=True))
        for normalized_name in ids.keys() & new_names.keys():
            del new_names[normalized_name]
        first_number = max((entry.number for entry in ids.values()), default=0) + 1
        numbers = list(range(first_number, first_number + len(new_names)))
        random.SystemRandom().shuffle(numbers)  # otherwise the numbers would follow the order of the names
        used_keys = {entry.key.casefold() for entry in ids.values()}
        for (normalized_name, base_name), number in zip(new_names.items(), numbers, strict=True):
            ids[normalized_name] = SubmissionId(_find_unused_key(_create_key(base_name), used_keys), number)
        return tuple(ids[normalized_name].key for normalized_name in normalized_names)

    def public_names(self) -> Mapping[str, str]:
        """Return the public name of each entry, such as "student-7", by its key."""
        return {key: f"student-{number}" for key, number in self._ids_by_base_name.values()}

    def save(self) -> None:
        """Write the keys and numbers to the file, if there is one."""
        if self._file is not None:
            entries = {base_name: entry._asdict() for base_name, entry in self._ids_by_base_name.items()}
            values = {"schema": _SCHEMA_VERSION, "entries": entries}
            replace_file(str(self._file), json.dumps(values, indent=2).encode(), f"{self._file}.new")


def normalize_base_name(base_name: str) -> str:
    """Return the base name of an entry in lower case and in one Unicode form. Equal results mean the same entry."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", base_name).casefold())


def choose_table_name(base_name: str, key: str) -> str:
    """Return the name of an entry in tables: its key or, if the key lacks letters of the base name, the base name.

    >>> choose_table_name("Łukasz Żak", "Lukasz-Zak"), choose_table_name("李雷", "entry")
    ('Lukasz-Zak', '李雷')
    >>> choose_table_name("李雷 2", "2")
    '李雷 2'
    """
    letters = filter(str.isalnum, unicodedata.normalize("NFKD", base_name))
    return key if all(map(_to_ascii, letters)) else printable(base_name)


def _read_register(file: Path) -> dict[str, SubmissionId]:
    try:
        values = json.loads(read_regular(file))
        if values.get("schema") == _SCHEMA_VERSION:
            entries = values["entries"].items()
            return {base_name: SubmissionId(str(entry["key"]), int(entry["number"])) for base_name, entry in entries}
        # the format of earlier versions
        return {normalize_base_name(key): SubmissionId(key, int(number)) for key, number in values.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{file}, which stores the students' names and numbers, cannot be read: {error}.",
            "Restore it from a backup. Without it, every student gets a new name and number.",
        ) from None


def _create_key(base_name: str) -> str:
    """Return a key for an entry with this base name. The key can be the name of a file and of a team."""
    ascii_name = "".join(map(_to_ascii, unicodedata.normalize("NFKD", base_name)))
    key = to_team_name(ascii_name) if any(map(str.isalnum, ascii_name)) else "entry"
    return f"entry-{key}"[:36] if _RESERVED_KEY_PATTERN.fullmatch(key) else key


def _to_ascii(character: str) -> str:
    """Return a character as ASCII letters without stroke or accent; "" for a combining accent or another script."""
    if character.isascii():
        return character
    if character in _TRANSLITERATIONS:
        return _TRANSLITERATIONS[character]
    if (match := _LATIN_NAME_PATTERN.fullmatch(unicodedata.name(character, ""))) is None:
        return ""
    return match[2] if match[1] == "CAPITAL" else match[2].lower()


def _find_unused_key(key: str, used_keys: set[str]) -> str:
    """Return the key, with a number at its end if the key is used. The function adds the result to `used_keys`."""
    unused_key, number = key, 2
    while unused_key.casefold() in used_keys:
        unused_key, number = f"{key[:34]}-{number}", number + 1
    used_keys.add(unused_key.casefold())
    return unused_key
