"""The prior of a move before its first visit, as virtual visits and their rewards.

The module uses nodes, but neither trees nor the sources of priors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from gomogo_core.games.base import Move
from gomogo_core.search.node import Node

Prior: TypeAlias = tuple[float, float]  # the number of virtual visits, and the sum of their rewards
# a function from a node to the priors of its moves; moves without a prior are left out
PriorFunction: TypeAlias = Callable[[Node], Mapping[Move, Prior]]
NO_PRIOR: Prior = (0.0, 0.0)


def no_priors(node: Node) -> Mapping[Move, Prior]:
    """Return an empty mapping: the moves of `node` have no priors."""
    return {}
