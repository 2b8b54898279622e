"""Finds what a game brings for its exact solution, by the game's name: a file here a game, most need none.

Knows no particular game. A file defines `state(position) -> State | None`, None where it has nothing to say of a
position, or `solve(position) -> Solution`, where the game is solved in a way of its own.
"""

from __future__ import annotations

from types import ModuleType

from gomogo_core.games.base import Position
from gomogo_core.search.by_game import brought
from gomogo_core.search.solving.state import PositionState, State


def state_of(position: Position) -> State:
    """`position` as a proof sees it."""
    own = module(position.game.name)
    found: State | None = own.state(position) if own is not None and hasattr(own, "state") else None
    return PositionState(position, state_of) if found is None else found


def module(game: str) -> ModuleType | None:
    """What the game called `game` brings, or None."""
    return brought(__name__, game)
