"""What is thought of a move before it was tried: the visits that a tree treats it as if it had had.

Knows nodes; neither trees nor where such knowledge comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from gomogo_core.games.base import Move
from gomogo_core.search.node import Node

Guess: TypeAlias = tuple[float, float]  # visits, and their rewards in all
Guesses: TypeAlias = Callable[[Node], Mapping[Move, Guess]]  # for some of a node's moves
NO_GUESS: Guess = (0.0, 0.0)


def no_guesses(node: Node) -> Mapping[Move, Guess]:
    """Nothing is thought of any move."""
    return {}
