"""Go played on: until both pass, with what stands on the board counted.

Knows how the game is won; _skirmish.py knows how it is played. That a game which is won or lost whatever one does is
still played well, a part of the reward is for a margin above the usual; after P. Baudiš, Balancing MCTS by Dynamically
Adjusting the Komi Value, ICGA Journal 34 (2011).
"""

from __future__ import annotations

import math

from gomogo_core.games.go import GoPosition, score
from gomogo_core.search.node import Node
from gomogo_core.search.playouts import Chance, Playout
from gomogo_core.search.playouts._skirmish import Skirmish
from gomogo_core.search.playouts._stones import StonesNode, node
from gomogo_core.search.playouts._stones import play_out as by_the_rules

__all__ = ["EXPLORE", "node", "play_out"]

EXPLORE = 0.1  # what came later in other playouts is guide enough
MARGIN = 0.3  # the part of a reward that tells how the margin compares with what is usual in this search
SPREAD = 0.1  # of the board's points: a margin by so many above the usual one is well above it


def play_out(node: Node, chance: Chance) -> Playout:
    """Play on to the end, and see who won."""
    assert isinstance(node, StonesNode)
    position = node.position
    assert isinstance(position, GoPosition)
    game = position.game
    if not game.passing:  # then eyes are filled in the end: the rules themselves know best how that ends
        return by_the_rules(node, chance)
    skirmish = Skirmish(position, chance)
    skirmish.play()
    black, white = score(skirmish.board.alone(), game.scoring, game.komi)
    margin = black - white
    share = 0.5 + math.tanh((margin - node.usual.mean) / (2 * SPREAD * game.grid.area)) / 2
    node.usual.note(margin)
    won = 0.5 + 0.5 * (margin > 0) - 0.5 * (margin < 0)
    reward = (1 - MARGIN) * won + MARGIN * share
    return Playout((reward, 1 - reward), skirmish.moves)
