"""Playouts of Capture Go: until a player has captured enough stones, or both pass.

The module defines how a game is won; _tactical.py chooses the moves.
"""

from __future__ import annotations

from gomogo_core.games.capture_go import CaptureGoPosition
from gomogo_core.search.node import Node
from gomogo_core.search.playouts import Playout, RandomNumber, rewards_of_scores
from gomogo_core.search.playouts._tactical import TacticalPlayout
from gomogo_core.search.playouts.stones import StonesPlayoutNode, node
from gomogo_core.search.playouts.stones import run_playout as run_random_playout

__all__ = ["EXPLORATION", "node", "run_playout"]

EXPLORATION = 0.1  # RAVE makes more exploration unnecessary


def run_playout(node: Node, random_number: RandomNumber) -> Playout:
    """Play to the end of the game, and return the rewards."""
    assert isinstance(node, StonesPlayoutNode)
    position = node.position
    assert isinstance(position, CaptureGoPosition)
    game = position.game
    if not game.passing:  # players must fill their eyes in the end, so the game is played by the rules to its end
        return run_random_playout(node, random_number)
    playout = TacticalPlayout(position, random_number)
    playout.play(game.target)
    return Playout(rewards_of_scores(playout.captures), playout.moves)
