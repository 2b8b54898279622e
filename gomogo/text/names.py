"""Names of players: as a person writes and reads them, as files need them, and made-up ones for guests.

Uses the forms of agents' specs and of levels, but no player.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.levels import level_of
from gomogo_core.wire.lines import make_names_distinct

LONGEST = 30  # characters of a person's name
_MARKS = 3  # combining marks on one letter: more would cover the neighbouring lines
_ALSO = " '’-._"  # allowed besides letters, their marks and digits

_KINDS = ("Amber", "Blue", "Brave", "Bright", "Calm", "Clever", "Green", "Happy", "Quick", "Quiet", "Red", "Silver")
_ANIMALS = ("Badger", "Crane", "Fox", "Hare", "Heron", "Lynx", "Magpie", "Otter", "Owl", "Raven", "Swift", "Wolf")


def shown_name(name: str) -> str:
    """Return a player's name for a person: a spec's options in words, a level with a capital letter.

    >>> shown_name("level-4"), shown_name("beginner?overlooks=0.9&exact=false"), shown_name("greedy")
    ('Level 4', 'beginner (overlooks 0.9, exact no)', 'greedy')
    """
    if (level := level_of(name)) is not None:
        more = name.count("-") > 1
        return f"Level {level}{' (' + name.rpartition('-')[2] + ')' if more else ''}"
    base, asked, options = name.partition("?")
    if not asked or "=" not in options:
        return printable(name)
    words = {"true": "yes", "false": "no"}
    pairs = [option.partition("=") for option in options.split("&")]
    told = ", ".join(f"{key.replace('_', ' ')} {words.get(value, value)}" for key, _, value in pairs)
    return printable(f"{base} ({told})")


def person_name(text: str) -> str:
    """Return a person's name, normalised: letters and marks of any script, digits, spaces, apostrophes.

    Raises UserError for any other character, such as one that turns the direction of writing, and for a long name.

    >>> person_name("  Zo\u0308e   O'Neil "), person_name("李雷")
    ("Zöe O'Neil", '李雷')
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if len(name) > LONGEST:
        raise UserError(f"The name has {len(name)} characters.", f"Use {LONGEST} at most.")
    wrong = next((sign for sign in name if sign not in _ALSO and unicodedata.category(sign)[0] not in "LMN"), None)
    if wrong is not None:
        raise UserError(
            f"The name contains {repr(wrong) if wrong.isprintable() else f'U+{ord(wrong):04X}'}.",
            "Use letters of any script, digits, spaces and apostrophes.",
        )
    run = 0
    for sign in name:
        run = run + 1 if unicodedata.category(sign)[0] == "M" else 0
        if run > _MARKS:
            raise UserError("The name has too many marks on one letter.", f"Use {_MARKS} at most.")
    if not any(sign.isalnum() for sign in name):
        raise UserError("The name has no letter.", "Use at least one letter or digit.")
    return name


def different_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, with a number appended to repeated ones.

    >>> different_names(["Ann", "ann", "李雷"])
    ('Ann', 'ann-2', '李雷')
    """
    taken, found = set[str](), list[str]()
    for name in names:
        other, number = name, 1
        while other.casefold() in taken:
            number += 1
            other = f"{name}-{number}"
        taken.add(other.casefold())
        found.append(other)
    return tuple(found)


def file_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each player that is safe in files and in lines of the file protocol, all different.

    >>> file_names(["Zoë O'Neil", "李雷", "level-3"])
    ('Zoe-ONeil', 'player-2', 'level-3')
    """
    found = []
    for seat, name in enumerate(names, 1):
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        key = re.sub(r"[^A-Za-z0-9_.-]", "", "-".join(plain.split()))[:36]
        found.append(key if any(sign.isalnum() for sign in key) else f"player-{seat}")
    return make_names_distinct(found)


def guest_name(visitor: str) -> str:
    """Return a made-up name for a visitor, the same each time.

    >>> guest_name("one") == guest_name("one"), guest_name("one") == guest_name("other")
    (True, False)
    """
    digest = hashlib.sha256(visitor.encode()).digest()
    return f"{_KINDS[digest[0] % 12]} {_ANIMALS[digest[1] % 12]} {10 + digest[2] % 90}"
