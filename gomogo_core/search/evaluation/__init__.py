"""Evaluations of positions. The package has one file per game, and finds it by the game's name.

A file defines `node(position) -> Node` for a game with its own class of nodes, or `evaluate(position)`, which returns a
value for each seat. A game without a file is evaluated by its scores, or by its captures.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import Position
from gomogo_core.search.node import Node, PositionNode
from gomogo_core.search.per_game import module_for_game


def node_of(position: Position) -> Node:
    """Return the node of `position`, as the root of a search."""
    module = module_for_game(__name__, position.game.name)
    if module is None:
        return PositionNode(position, counts_by_seat)
    if hasattr(module, "node"):
        node: Node = module.node(position)
        return node
    return PositionNode(position, module.evaluate)


def clear_lead_of(game_name: str) -> float:
    """Return the value of a clear lead in the unit of the game's evaluation.

    It is the constant CLEAR_LEAD of the game's file, or 1.
    """
    module = module_for_game(__name__, game_name)
    return float(module.CLEAR_LEAD) if module is not None and hasattr(module, "CLEAR_LEAD") else 1.0


def counts_by_seat(position: Position) -> Sequence[float]:
    """Return the scores of the seats, or their captures in a game without scores, or 0 for each seat."""
    facts = position.facts()
    counts = facts.get("scores") or facts.get("captures")
    return tuple(counts) if counts else (0,) * position.game.seats
