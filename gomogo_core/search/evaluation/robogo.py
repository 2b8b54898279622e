"""Robogo as the search sees it: its rows, its captures, and how far from a stone it looks for moves.

Knows no method of search; _robogo_node.py plays stones and says what positions are worth.
"""

from __future__ import annotations

from gomogo_core.games.base import Position
from gomogo_core.games.robogo import RobogoPosition
from gomogo_core.search.evaluation._robogo_field import field_of
from gomogo_core.search.evaluation._robogo_node import RobogoNode


def node(position: Position, ply: int = 0, jump: int = 0) -> RobogoNode:
    """The node of `position`, `ply` plies from the root.

    jump: moves are looked for at most so many steps from a stone, along the directions in which rows count; 0 is
    anywhere.
    """
    assert isinstance(position, RobogoPosition)
    return RobogoNode.at(position, field_of(position.game, jump), ply)
