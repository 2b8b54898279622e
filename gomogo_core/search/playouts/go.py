"""Playouts of Go: until both players pass, with the points counted.

Uses how the game is won; _tactical.py has the moves. A part of the reward is for a margin above the mean, so that a
player still plays well in a decided game; after P. Baudiš, Balancing MCTS by Dynamically Adjusting the Komi Value, ICGA
Journal 34 (2011).
"""

from __future__ import annotations

import math

from gomogo_core.games.go import GoPosition, score
from gomogo_core.search.node import Node
from gomogo_core.search.playouts import Chance, Playout
from gomogo_core.search.playouts._stones import StonesPlayoutNode, node
from gomogo_core.search.playouts._stones import play_out as by_the_rules
from gomogo_core.search.playouts._tactical import TacticalPlayout

__all__ = ["EXPLORE", "StonesPlayoutNode", "node", "play_out"]

EXPLORE = 0.1  # RAVE guides well enough
MARGIN = 0.3  # the part of a reward that compares the margin with the mean of this search
SPREAD = 0.1  # share of the board's points: a margin above the mean by this is clearly above it


def play_out(node: Node, chance: Chance) -> Playout:
    """Play to the end, and return the winner."""
    assert isinstance(node, StonesPlayoutNode)
    position = node.position
    assert isinstance(position, GoPosition)
    game = position.game
    if not game.passing:  # eyes are filled in the end: only the rules decide how that ends
        return by_the_rules(node, chance)
    skirmish = TacticalPlayout(position, chance)
    skirmish.play()
    black, white = score(skirmish.board.stones_without_chains(), game.scoring, game.komi)
    margin = black - white
    share = 0.5 + math.tanh((margin - node.usual.mean) / (2 * SPREAD * game.board.area)) / 2
    node.usual.add_margin(margin)
    won = 0.5 + 0.5 * (margin > 0) - 0.5 * (margin < 0)
    reward = (1 - MARGIN) * won + MARGIN * share
    return Playout((reward, 1 - reward), skirmish.moves)
