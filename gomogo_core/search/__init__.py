"""Search over the positions of any game, and evaluation: one file per method, one file per game's evaluation.

The package depends on games, but not on files, processes or agents. It needs only the standard library.

Read node.py first (a position in a search), then minimax.py, alpha_beta.py, max_n.py, deepening.py and
iterative_deepening.py; evaluation/ has the evaluation of each game. mcts.py evaluates positions by random games
instead, its playouts (playouts/). Each method is a module with `search(position, limits) -> SearchResult`:

alpha_beta.search(position, SearchLimits(depth=2)).move
"""

from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.node import Node, plies_to_end
from gomogo_core.search.result import SearchResult

__all__ = ["Node", "SearchLimits", "SearchResult", "node_of", "plies_to_end"]
