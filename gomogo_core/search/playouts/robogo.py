"""How games of this name are played on: as all on boards of stones are, but that the tree may fill eyes.

Knows nothing of rows: a stone in an own eye may complete one, and so the tree, which proves wins, must not leave it
out. Playouts leave eyes alone, or they would not end.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games._stones import StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.search.evaluation import counted
from gomogo_core.search.node import Node
from gomogo_core.search.playouts._stones import StonesNode, play_out

__all__ = ["node", "play_out"]


class RobogoTreeNode(StonesNode):
    """A position in the tree, with every legal move."""

    __slots__ = ()

    def moves(self) -> Sequence[Move]:
        """Every legal point, then PASS."""
        return tuple(self.position.moves())


def node(position: StonesPosition) -> Node:
    """The node of `position`, as the root of a tree."""
    return RobogoTreeNode(position, counted)
