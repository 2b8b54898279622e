"""What positions are worth: finds a game's evaluation by the game's name, a file here a game.

Knows no particular game. A file defines `node(position) -> Node`, where a game brings its own node, or
`evaluate(position) -> scores by seat`. A game without a file is played too: by its scores, where it counts any.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import Position
from gomogo_core.search.by_game import brought
from gomogo_core.search.node import Node, PositionNode


def node_of(position: Position) -> Node:
    """`position` as the root of a search."""
    own = brought(__name__, position.game.name)
    if own is None:
        return PositionNode(position, counted)
    if hasattr(own, "node"):
        node: Node = own.node(position)
        return node
    return PositionNode(position, own.evaluate)


def counted(position: Position) -> Sequence[float]:
    """What the game itself counts for each seat as it goes on (scores, else captures), or 0 for all."""
    facts = position.facts()
    counts = facts.get("scores") or facts.get("captures")
    return tuple(counts) if counts else (0,) * position.game.seats
