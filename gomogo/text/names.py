"""The names of players: for display, chosen by a person, in files, and invented for guests."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.level_names import displayed_name, level_of_player
from gomogo_core.wire.lines import distinct_team_names

MAX_PERSON_NAME_LENGTH = 30  # characters of a person's name
_MAX_MARKS_PER_LETTER = 3  # combining marks on one letter: more would cover the neighbouring lines
_ALLOWED_PUNCTUATION = " '’-._"  # a name may also have letters, their marks and digits

_ADJECTIVES = (
    "Amber",
    "Blue",
    "Brave",
    "Bright",
    "Calm",
    "Clever",
    "Green",
    "Happy",
    "Quick",
    "Quiet",
    "Red",
    "Silver",
)
_ANIMALS = ("Badger", "Crane", "Fox", "Hare", "Heron", "Lynx", "Magpie", "Otter", "Owl", "Raven", "Swift", "Wolf")


def display_name(name: str) -> str:
    """Return a player's name for display, with the options of a spec in words, and a level by its name and number.

    >>> display_name("level-4"), display_name("beginner?overlooks=0.9&exact=false"), display_name("greedy")
    ('Improver (level 4)', 'beginner (overlooks 0.9, exact no)', 'greedy')
    """
    if level_of_player(name) is not None:
        return displayed_name(name)
    base, separator, options = name.partition("?")
    if not separator or "=" not in options:
        return printable(name)
    words_by_boolean = {"true": "yes", "false": "no"}
    key_value_pairs = [option.partition("=") for option in options.split("&")]
    options_text = ", ".join(
        f"{key.replace('_', ' ')} {words_by_boolean.get(value, value)}" for key, _, value in key_value_pairs
    )
    return printable(f"{base} ({options_text})")


def normalise_person_name(text: str) -> str:
    """Return the name that a person has chosen in its normal form. Raises UserError if the name is not allowed.

    Letters and marks of any script, digits, spaces, apostrophes, hyphens, full stops and underscores are allowed. Other
    characters are not allowed, such as a character that changes the direction of writing.

    >>> normalise_person_name("  Zo\u0308e   O'Neil "), normalise_person_name("李雷")
    ("Zöe O'Neil", '李雷')
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if len(name) > MAX_PERSON_NAME_LENGTH:
        raise UserError(f"The name has {len(name)} characters.", f"Use {MAX_PERSON_NAME_LENGTH} at most.")
    forbidden = next(
        (
            character
            for character in name
            if character not in _ALLOWED_PUNCTUATION and unicodedata.category(character)[0] not in "LMN"
        ),
        None,
    )
    if forbidden is not None:
        raise UserError(
            f"The name contains {repr(forbidden) if forbidden.isprintable() else f'U+{ord(forbidden):04X}'}.",
            "Use letters of any script, digits, spaces, apostrophes, hyphens and full stops.",
        )
    mark_count = 0
    for character in name:
        mark_count = mark_count + 1 if unicodedata.category(character)[0] == "M" else 0
        if mark_count > _MAX_MARKS_PER_LETTER:
            raise UserError("The name has too many marks on one letter.", f"Use {_MAX_MARKS_PER_LETTER} at most.")
    if not any(character.isalnum() for character in name):
        raise UserError("The name has no letter.", "Use at least one letter or digit.")
    return name


def unique_file_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return a different name for each player that is valid in file names and in lines of the file protocol.

    >>> unique_file_names(["Zoë O'Neil", "李雷", "level-3"])
    ('Zoe-ONeil', 'player-2', 'level-3')
    """
    file_names = []
    for seat, name in enumerate(names, 1):
        ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        file_name = re.sub(r"[^A-Za-z0-9_.-]", "", "-".join(ascii_name.split()))[:36]
        file_names.append(file_name if any(character.isalnum() for character in file_name) else f"player-{seat}")
    return distinct_team_names(file_names)


def guest_name(visitor: str) -> str:
    """Return an invented name for a visitor of the page. The same visitor always gets the same name.

    >>> guest_name("one") == guest_name("one"), guest_name("one") == guest_name("other")
    (True, False)
    """
    digest = hashlib.sha256(visitor.encode()).digest()
    return f"{_ADJECTIVES[digest[0] % 12]} {_ANIMALS[digest[1] % 12]} {10 + digest[2] % 90}"
