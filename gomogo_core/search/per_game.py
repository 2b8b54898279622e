"""Finds the module that a package has for a game: the file with the name of the game.

The module depends on no game and no search.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType


@cache
def module_for_game(package: str, game_name: str) -> ModuleType | None:
    """Return the module of `package` for the game called `game_name`; None if there is none."""
    name = f"{package}.{game_name}"
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        return None
