"""The rules of every game, found by file name: GAME of each public module of this package is the class of a game.

The rules read no clock, open no files, start no processes and print nothing.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any

from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games.base import Game

__all__ = ["load", "names", "rules"]


@cache
def names() -> tuple[str, ...]:
    """Return the names of all games."""
    files = os.listdir(os.path.dirname(__file__))  # pkgutil would import inspect, which slows the start of every agent
    return tuple(sorted(f[:-3] for f in files if f.endswith(".py") and f != "base.py" and not f.startswith("_")))


def rules(name: str) -> type[Game]:
    """Return the class of the game called `name`. Raises UserError if there is none."""
    if name not in names():
        raise UserError(f"There is no game called {name!r}.", suggest_name(name, names()))
    game: type[Game] = import_module(f"{__name__}.{name}").GAME
    return game


def load(name: str, /, **options: Any) -> Game:
    """Return the game `name` with its options, given as values or as text.

    Raises UserError for an unknown game and BadOption for an unknown option or value.
    """
    return rules(name)(**options)
