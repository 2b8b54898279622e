"""The names of the levels of difficulty: in records, and for humans.

The module does not depend on agents or games.
"""

from __future__ import annotations

import re

WEAKEST, STRONGEST = 1, 8
_TITLES = ("Beginner", "Learner", "Casual", "Improver", "Club", "Advanced", "Strong", "Champion")
LEVEL_PLAYER_PREFIX = "level-"  # the names of the levels' players in records begin with it
# the second agent of level 3 in a game is level-3-2
_PLAYER_NAME_PATTERN = re.compile(rf"{LEVEL_PLAYER_PREFIX}([1-8])(-\d+)?")
# as `displayed_name` writes it
_DISPLAYED_NAME_PATTERN = re.compile(rf"(?:{'|'.join(_TITLES)}) \(level ([1-8])\)(?:, (\d+))?")


def level_player_name(number: int) -> str:
    """Return the name of a level's player in tables and records."""
    return f"{LEVEL_PLAYER_PREFIX}{number}"


def level_title(number: int) -> str:
    """Return the name of a level for a human, for example "Club". number: from WEAKEST to STRONGEST."""
    return _TITLES[number - WEAKEST]


def level_label(number: int) -> str:
    """Return the name and number of a level for a human.

    >>> level_label(5)
    'Club (level 5)'
    """
    return f"{level_title(number)} (level {number})"


def level_of_player(name: str) -> int | None:
    """Return the level that a player's name stands for; None if the player is not a level.

    >>> level_of_player("level-4"), level_of_player("greedy")
    (4, None)
    """
    match = _PLAYER_NAME_PATTERN.fullmatch(name)
    return int(match[1]) if match else None


def displayed_name(name: str) -> str:
    """Return the name of a player for humans. Only the names of levels differ from those in records.

    >>> displayed_name("level-4"), displayed_name("level-3-2"), displayed_name("greedy")
    ('Improver (level 4)', 'Casual (level 3), 2', 'greedy')
    """
    match = _PLAYER_NAME_PATTERN.fullmatch(name)
    return name if match is None else level_label(int(match[1])) + (match[2] or "").replace("-", ", ")


def recorded_name(displayed: str) -> str:
    """Return the name in records of a player whose name for humans is `displayed`.

    >>> recorded_name("Improver (level 4)"), recorded_name("Casual (level 3), 2"), recorded_name("greedy")
    ('level-4', 'level-3-2', 'greedy')
    """
    match = _DISPLAYED_NAME_PATTERN.fullmatch(displayed)
    return displayed if match is None else level_player_name(int(match[1])) + (f"-{match[2]}" if match[2] else "")


def parse_level_number(text: str) -> int | None:
    """Return the number of the level that a human names by its number, its title, or its player's name.

    >>> parse_level_number("5"), parse_level_number("club"), parse_level_number("level-5"), parse_level_number("greedy")
    (5, 5, 5, None)
    """
    word = text.strip().casefold()
    titles = [title.casefold() for title in _TITLES]
    if word in titles:
        return titles.index(word) + WEAKEST
    if word.isdecimal() and WEAKEST <= int(word) <= STRONGEST:
        return int(word)
    return level_of_player(word)
