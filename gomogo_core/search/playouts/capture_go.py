"""Capture Go played on: until somebody has taken as many stones as win, or both pass.

Knows how the game is won; _skirmish.py knows how it is played.
"""

from __future__ import annotations

from gomogo_core.games.capture_go import CaptureGoPosition
from gomogo_core.search.node import Node
from gomogo_core.search.playouts import Chance, Playout, rewards
from gomogo_core.search.playouts._skirmish import Skirmish
from gomogo_core.search.playouts._stones import StonesNode, node
from gomogo_core.search.playouts._stones import play_out as by_the_rules

__all__ = ["EXPLORE", "node", "play_out"]

EXPLORE = 0.1  # what came later in other playouts is guide enough


def play_out(node: Node, chance: Chance) -> Playout:
    """Play on to the end, and see who won."""
    assert isinstance(node, StonesNode)
    position = node.position
    assert isinstance(position, CaptureGoPosition)
    game = position.game
    if not game.passing:  # then eyes are filled in the end: the rules themselves know best how that ends
        return by_the_rules(node, chance)
    skirmish = Skirmish(position, chance)
    skirmish.play(game.target)
    return Playout(rewards(skirmish.captures), skirmish.moves)
