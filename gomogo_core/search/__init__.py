"""Search over any game's positions, and what a position is worth: one file a method, one file a game's evaluation.

Knows games only: no files, no processes, no agents. Standard library only.

Read node.py first (a position as the search sees it), then minimax.py, alpha_beta.py, max_n.py, deepening.py and
iterative_deepening.py; evaluation/ says what each game's positions are worth. mcts.py goes another way, by playouts/.
Each method is a module with `search(position, limits) -> Result`:

    alpha_beta.search(position, Limits(depth=2)).move
"""

from gomogo_core.search.evaluation import node_of
from gomogo_core.search.hints import Hint, hint
from gomogo_core.search.limits import Limits
from gomogo_core.search.node import Node, plies_to_end
from gomogo_core.search.result import Result

__all__ = ["Hint", "Limits", "Node", "Result", "hint", "node_of", "plies_to_end"]
