"""What a game brings of its own for a kind of search, found by the game's name: a file of a package a game.

Knows no game and no search.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType


@cache
def brought(package: str, game: str) -> ModuleType | None:
    """The file of `package` for the game called `game`; None where the game needs none."""
    name = f"{package}.{game}"
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        return None
