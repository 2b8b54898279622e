"""Playouts of Go: until both players pass; then the points are counted.

The module defines how a game is won; _tactical.py chooses the moves. A part of the reward depends on a margin above the
mean, so that a player plays well in a decided game too. The idea follows P. Baudiš, Balancing MCTS by Dynamically
Adjusting the Komi Value, ICGA Journal 34 (2011).
"""

from __future__ import annotations

import math

from gomogo_core.games.go import GoPosition, score
from gomogo_core.search.node import Node
from gomogo_core.search.playouts import Playout, RandomNumber
from gomogo_core.search.playouts._tactical import TacticalPlayout
from gomogo_core.search.playouts.stones import StonesPlayoutNode, node
from gomogo_core.search.playouts.stones import run_playout as run_random_playout

__all__ = ["EXPLORATION", "StonesPlayoutNode", "node", "run_playout"]

EXPLORATION = 0.1  # RAVE makes more exploration unnecessary
MARGIN_WEIGHT = 0.3  # the part of a reward that compares the margin with the mean of this search
CLEAR_MARGIN_SHARE = 0.1  # a margin that exceeds the mean by this share of the board's points is clearly above it


def run_playout(node: Node, random_number: RandomNumber) -> Playout:
    """Play to the end of the game, and return the rewards."""
    assert isinstance(node, StonesPlayoutNode)
    position = node.position
    assert isinstance(position, GoPosition)
    game = position.game
    if not game.passing:  # players must fill their eyes in the end, so the game is played by the rules to its end
        return run_random_playout(node, random_number)
    playout = TacticalPlayout(position, random_number)
    playout.play()
    black, white = score(playout.board.stones_without_chains(), game.scoring, game.komi)
    margin = black - white
    margin_reward = 0.5 + math.tanh((margin - node.mean_margin.mean) / (2 * CLEAR_MARGIN_SHARE * game.board.area)) / 2
    node.mean_margin.add_margin(margin)
    result_reward = 0.5 + 0.5 * (margin > 0) - 0.5 * (margin < 0)
    reward = (1 - MARGIN_WEIGHT) * result_reward + MARGIN_WEIGHT * margin_reward
    return Playout((reward, 1 - reward), playout.moves)
