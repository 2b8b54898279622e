"""Playouts of Capture Go: until a player has captured enough stones, or both pass.

Uses how the game is won; _tactical.py has the moves.
"""

from __future__ import annotations

from gomogo_core.games.capture_go import CaptureGoPosition
from gomogo_core.search.node import Node
from gomogo_core.search.playouts import Chance, Playout, rewards
from gomogo_core.search.playouts._stones import StonesPlayoutNode, node
from gomogo_core.search.playouts._stones import play_out as by_the_rules
from gomogo_core.search.playouts._tactical import TacticalPlayout

__all__ = ["EXPLORE", "node", "play_out"]

EXPLORE = 0.1  # RAVE guides well enough


def play_out(node: Node, chance: Chance) -> Playout:
    """Play to the end, and return the winner."""
    assert isinstance(node, StonesPlayoutNode)
    position = node.position
    assert isinstance(position, CaptureGoPosition)
    game = position.game
    if not game.passing:  # eyes are filled in the end: only the rules decide how that ends
        return by_the_rules(node, chance)
    skirmish = TacticalPlayout(position, chance)
    skirmish.play(game.target)
    return Playout(rewards(skirmish.captures), skirmish.moves)
