"""The prior of a move before its first visit: virtual visits, and their rewards.

Uses nodes, but neither trees nor the sources of priors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from gomogo_core.games.base import Move
from gomogo_core.search.node import Node

Guess: TypeAlias = tuple[float, float]  # virtual visits, and the sum of their rewards
Guesses: TypeAlias = Callable[[Node], Mapping[Move, Guess]]  # returns the priors of some of a node's moves
NO_GUESS: Guess = (0.0, 0.0)


def no_guesses(node: Node) -> Mapping[Move, Guess]:
    """Return no priors."""
    return {}
