"""Searches for the best move in any game, and evaluations of positions; each method and each evaluation has a file.

The package depends on games, but not on files, processes or agents. It needs only the standard library.

Read node.py first (a position in a search), then minimax.py, alpha_beta.py, max_n.py, deepening.py and
iterative_deepening.py. The folder evaluation/ has the evaluation of each game. mcts.py evaluates positions by playouts
instead: quick games to the end (playouts/). Each method is a module with `search(position, limits) -> SearchResult`:

alpha_beta.search(position, SearchLimits(depth=2)).move
"""

from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.node import Node, plies_to_end
from gomogo_core.search.result import SearchResult

__all__ = ["Node", "SearchLimits", "SearchResult", "node_of", "plies_to_end"]
