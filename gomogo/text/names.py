"""Names of players: how they are displayed, which names a person may choose, names in files, names for guests."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.levels import label, level_of
from gomogo_core.wire.lines import distinct_team_names

MAX_LENGTH = 30  # characters of a person's name
_MAX_MARKS = 3  # combining marks on one letter: more would cover the neighbouring lines
_PUNCTUATION = " '’-._"  # allowed besides letters, their marks and digits

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
    """Return a player's name for display: the options of a spec in words, a level by its name and number.

    >>> display_name("level-4"), display_name("beginner?overlooks=0.9&exact=false"), display_name("greedy")
    ('Improver (level 4)', 'beginner (overlooks 0.9, exact no)', 'greedy')
    """
    if (level := level_of(name)) is not None:
        return label(level) + (f", {name.rpartition('-')[2]}" if name.count("-") > 1 else "")
    base, asked, options = name.partition("?")
    if not asked or "=" not in options:
        return printable(name)
    words = {"true": "yes", "false": "no"}
    pairs = [option.partition("=") for option in options.split("&")]
    words_of_options = ", ".join(f"{key.replace('_', ' ')} {words.get(value, value)}" for key, _, value in pairs)
    return printable(f"{base} ({words_of_options})")


def person_name(text: str) -> str:
    """Return the name that a person has chosen, normalised. Raises UserError if it is not allowed.

    Letters and marks of any script, digits, spaces, apostrophes, hyphens, full stops and underscores are allowed. Other
    characters are not, such as one that changes the direction of writing.

    >>> person_name("  Zo\u0308e   O'Neil "), person_name("李雷")
    ("Zöe O'Neil", '李雷')
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if len(name) > MAX_LENGTH:
        raise UserError(f"The name has {len(name)} characters.", f"Use {MAX_LENGTH} at most.")
    wrong = next(
        (
            character
            for character in name
            if character not in _PUNCTUATION and unicodedata.category(character)[0] not in "LMN"
        ),
        None,
    )
    if wrong is not None:
        raise UserError(
            f"The name contains {repr(wrong) if wrong.isprintable() else f'U+{ord(wrong):04X}'}.",
            "Use letters of any script, digits, spaces, apostrophes, hyphens and full stops.",
        )
    run = 0
    for character in name:
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        if run > _MAX_MARKS:
            raise UserError("The name has too many marks on one letter.", f"Use {_MAX_MARKS} at most.")
    if not any(character.isalnum() for character in name):
        raise UserError("The name has no letter.", "Use at least one letter or digit.")
    return name


def file_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return a different name for each player that is valid in file names and in lines of the file protocol.

    >>> file_names(["Zoë O'Neil", "李雷", "level-3"])
    ('Zoe-ONeil', 'player-2', 'level-3')
    """
    found = []
    for seat, name in enumerate(names, 1):
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        key = re.sub(r"[^A-Za-z0-9_.-]", "", "-".join(plain.split()))[:36]
        found.append(key if any(character.isalnum() for character in key) else f"player-{seat}")
    return distinct_team_names(found)


def guest_name(visitor: str) -> str:
    """Return an invented name for a visitor of the page. The same visitor always gets the same name.

    >>> guest_name("one") == guest_name("one"), guest_name("one") == guest_name("other")
    (True, False)
    """
    digest = hashlib.sha256(visitor.encode()).digest()
    return f"{_ADJECTIVES[digest[0] % 12]} {_ANIMALS[digest[1] % 12]} {10 + digest[2] % 90}"
