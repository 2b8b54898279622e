"""Finds a game's own module for its exact solution, by the game's name. Most games need no such module.

A module defines one of two functions: `state(position) -> ProofState | None`, which returns None for a position that
the module does not support; or `solve(position, budget) -> Solution`, for a game with a method of its own.
"""

from __future__ import annotations

from types import ModuleType

from gomogo_core.games.base import Position
from gomogo_core.search.per_game import module_for_game
from gomogo_core.search.solving.state import PositionProofState, ProofState


def proof_state(position: Position) -> ProofState:
    """Return `position` as a state of a proof."""
    module = solver_module(position.game.name)
    own_state: ProofState | None = module.state(position) if module is not None and hasattr(module, "state") else None
    return PositionProofState(position, proof_state) if own_state is None else own_state


def solver_module(game_name: str) -> ModuleType | None:
    """Return the module for the game called `game_name`, or None."""
    return module_for_game(__name__, game_name)
