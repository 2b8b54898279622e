"""Playouts of Robogo. They equal those of other games with stones, except that the tree contains moves into own eyes.

A stone in an own eye may complete a row, so the tree, which proves wins, must include it. Playouts do not fill eyes,
because otherwise they would not end.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.search.evaluation import counts_by_seat
from gomogo_core.search.node import Node
from gomogo_core.search.playouts.stones import StonesPlayoutNode, run_playout

__all__ = ["node", "run_playout"]


class RobogoTreeNode(StonesPlayoutNode):
    """A position in the tree, with every legal move."""

    __slots__ = ()

    def moves(self) -> Sequence[Move]:
        """Return every legal point, then PASS."""
        return tuple(self.position.moves())


def node(position: GoFamilyPosition) -> Node:
    """Return the node of `position`, as the root of a tree."""
    return RobogoTreeNode(position, counts_by_seat)
