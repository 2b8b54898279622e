"""Robogo in a search: rows, captures, and the distance from stones within which it searches moves.

Needs no method of search; _robogo_node.py plays stones and evaluates positions.
"""

from __future__ import annotations

from gomogo_core.games.base import Position
from gomogo_core.games.robogo import RobogoPosition
from gomogo_core.search.evaluation._robogo_geometry import geometry_of
from gomogo_core.search.evaluation._robogo_node import RobogoNode

LEAD = 200.0  # the value of a clear lead


def node(position: Position, ply: int = 0, jump: int = 0) -> RobogoNode:
    """Return the node of `position`, `ply` plies from the root.

    jump: the distance from a stone within which moves are searched, in steps along the directions of rows; 0 for the
    whole board.
    """
    assert isinstance(position, RobogoPosition)
    return RobogoNode.at(position, geometry_of(position.game, jump), ply)
