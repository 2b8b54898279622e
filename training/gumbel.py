"""Sequential halving: a method that chooses, for each visit of a search, the move at the root. Even after a search of
few visits, it returns an improved policy, from which the network learns.

Sequential halving with Gumbel noise and completed values: I. Danihelka et al., Policy improvement by planning with
Gumbel, ICLR 2022. SequentialHalving reads the root of a search tree (puct.py), and does not change it.
`search_together` adds visits to the trees of many games at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gomogo_core.search.puct import RULED_OUT_MEAN, UNKNOWN, Evaluate, PuctNode, Tree

_MAX_CONSIDERED_MOVES = 16  # the largest number of moves that get a visit
_MIN_PRIOR = 1e-12
# the weight of the values is _VALUE_SCALE · (_VALUE_SCALE_VISITS + the largest number of visits of a move)
_VALUE_SCALE_VISITS, _VALUE_SCALE = 50.0, 0.1


class SequentialHalving:
    """A search of `visits` visits below a root that the network has evaluated.

    `noise` has one number of the standard Gumbel distribution for each move, or zeros for a search without noise.
    First, the moves with the highest sums of log prior and noise all get the same number of visits. Then the better
    half of them gets more visits, and so on.
    """

    def __init__(self, root: PuctNode, visits: int, noise: Any) -> None:
        self.root = root
        self.scores = self._log_priors() + noise
        # the visits of this search; the root may have earlier visits
        self.visit_counts = np.zeros(len(root.priors), int)
        move_count = min(_MAX_CONSIDERED_MOVES, visits, int(self._is_not_lost().sum()))
        self.earlier_visits = earlier_visit_counts(move_count, visits)

    def next_move(self) -> int:
        """Return the number of the root's move with which the next visit begins."""
        next_move = self._best_of(self.visit_counts == self.earlier_visits[int(self.visit_counts.sum())])
        self.visit_counts[next_move] += 1
        return next_move

    def move_to_play(self) -> int:
        """Return the number of the move to play: the best move among those with the most visits of this search."""
        return self._best_of(self.visit_counts == self.visit_counts.max())

    def policy(self) -> Any:
        """Return the improved policy: for each move the share that the network should learn."""
        odds = np.where(self._is_not_lost(), self._log_priors() + self._scaled_values(), -np.inf)
        shares = np.exp(odds - odds.max())
        return shares / shares.sum()

    def _log_priors(self) -> Any:
        return np.log(np.maximum(self.root.priors, _MIN_PRIOR))

    def _is_not_lost(self) -> Any:
        """Return for each move whether it is not a certain loss."""
        return self.root.means > RULED_OUT_MEAN

    def _best_of(self, candidates: Any) -> int:
        """Return the best candidate, or the best of all moves if every candidate is a certain loss."""
        is_open = self._is_not_lost()
        allowed = candidates & is_open
        if not allowed.any():
            allowed = is_open
        return int(np.where(allowed, self.scores + self._scaled_values(), -np.inf).argmax())

    def _scaled_values(self) -> Any:
        """Return the value of each move, multiplied by a scale that grows with the visits.

        A move without a visit gets an average of the network's value of the position and the values of the visited
        moves, weighted by their priors.
        """
        root = self.root
        is_visited, total = root.visits > 0, root.visits.sum()
        values = root.value_totals / np.maximum(root.visits, 1)
        mixed = root.value
        if is_visited.any():
            priors = root.priors[is_visited]
            mixed = (root.value + total * (priors @ values[is_visited]) / max(priors.sum(), _MIN_PRIOR)) / (1 + total)
        return _VALUE_SCALE * (_VALUE_SCALE_VISITS + root.visits.max()) * np.where(is_visited, values, mixed)


def earlier_visit_counts(move_count: int, visit_count: int) -> list[int]:
    """Return, for each visit of sequential halving, the number of earlier visits of its move.

    `move_count` is the number of moves at the beginning.
    """
    if move_count <= 1:
        return list(range(visit_count))
    visit_counts, visits_so_far, candidates_left = list[int](), [0] * move_count, move_count
    halvings = (move_count - 1).bit_length()
    while len(visit_counts) < visit_count:
        for _ in range(max(1, visit_count // (halvings * candidates_left))):
            visit_counts += visits_so_far[:candidates_left]
            visits_so_far[:candidates_left] = [count + 1 for count in visits_so_far[:candidates_left]]
        candidates_left = max(2, candidates_left // 2)
    return visit_counts[:visit_count]


def search_together(
    trees: Sequence[Tree],
    evaluate: Evaluate,
    visits: Sequence[int],
    choose_first: Sequence[Callable[[], int] | None] | None = None,
) -> None:
    """Add the number of visits in `visits` to each tree, or fewer if the tree's result becomes certain.

    The network evaluates a batch with one position of each tree. `choose_first` has, for each tree, a function that
    returns the number of the root's move for the next visit, or None if the policy and the values select the move.
    """
    choosers = choose_first or [None] * len(trees)
    visits_left = list(visits)
    while True:
        paths_by_tree = [
            (number, tree.select_leaves(1, choose and choose()))
            for number, (tree, choose) in enumerate(zip(trees, choosers, strict=True))
            if visits_left[number] > 0 and tree.root.certain == UNKNOWN
        ]
        if not paths_by_tree:
            return
        leaves = [(trees[number], leaf) for number, ((_, leaf),) in paths_by_tree if leaf.needs_evaluation]
        if leaves:
            odds, values = evaluate([leaf.position for _, leaf in leaves])
            for (tree, leaf), row, value in zip(leaves, odds, values, strict=True):
                tree.expand(leaf, row, value)
        for number, paths in paths_by_tree:
            trees[number].back_up(paths)
            visits_left[number] -= 1
