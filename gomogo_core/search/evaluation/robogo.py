"""Robogo in a search: makes the node of a position.

The module contains no method of search; _robogo_node.py plays stones and evaluates positions.
"""

from __future__ import annotations

from gomogo_core.games.base import Position
from gomogo_core.games.robogo import RobogoPosition
from gomogo_core.search.evaluation._robogo_geometry import geometry_of
from gomogo_core.search.evaluation._robogo_node import RobogoNode

CLEAR_LEAD = 200.0  # the value of a clear lead, in the unit of this evaluation


def node(position: Position, max_jump: int = 0) -> RobogoNode:
    """Return the node of `position`, as the root of a search.

    Moves are searched at most `max_jump` steps from a stone, along the directions of rows; 0 means the whole board.
    """
    assert isinstance(position, RobogoPosition)
    return RobogoNode.from_robogo_position(position, geometry_of(position.game, max_jump))
