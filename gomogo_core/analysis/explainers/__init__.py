"""Explanations of moves and positions. The package has one file per game, and finds it by the game's name.

A file defines EXPLAINER, an instance of a subclass of `Explainer`. A game without a file is explained by its evaluation
and its rules. The package uses positions and their evaluation, but no search, no session and no user interface.
"""

from __future__ import annotations

from typing import Any

from gomogo_core.analysis.explainers._explainer import Explainer, Hint, TeachingMark
from gomogo_core.games.base import Game
from gomogo_core.search.per_game import module_for_game

__all__ = ["Explainer", "Hint", "TeachingMark", "explainer_of"]

_DEFAULT = Explainer[Any]()


def explainer_of(game: Game) -> Explainer[Any]:
    """Return the explainer of a game."""
    module = module_for_game(__name__, game.name)
    explainer: Explainer[Any] = _DEFAULT if module is None else module.EXPLAINER
    return explainer
