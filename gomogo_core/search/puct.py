"""Tree search with a network: the network's policy selects the moves to search, and its value replaces playouts.

The module uses positions of a game for two; its players need not alternate. The caller passes two functions: a network,
and a search for certain wins. D. Silver et al., A general reinforcement learning algorithm that masters chess, shogi
and Go, Science 362 (2018). Certain results are backed up as in M. Winands, Y. Björnsson and J.-T. Saito, Monte-Carlo
Tree Search Solver, 2008. The module needs NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from gomogo_core.games.base import Move, Position
from gomogo_core.search.limits import SearchLimits

EXPLORATION = 1.6  # the weight of the exploration term (policy and number of visits), relative to the mean value
UNVISITED_PENALTY = 0.25  # a move without a visit has the value of its position minus this number
RULED_OUT_MEAN = -1e9  # the mean value of a move that certainly loses
DEFAULT_BATCH_SIZE = 8  # positions that the network evaluates together
WON, LOST, UNKNOWN = 1, -1, 0

Evaluate = Callable[[Sequence[Position]], tuple[Any, Any]]
"""A function from positions to two arrays: the log-odds of their moves, of shape (positions, moves of the board), and
their values for the mover, from -1 to 1."""

IsWon = Callable[[Position], bool]
"""A function that tells whether the mover is certain to win; False also means that this is unknown."""

MoveGenerator = Callable[[Any], tuple[list[Move], Any]]
"""A function from a position to the moves to search and their indices in the network's output (a list or an array)."""


def legal_move_generator(move_index_of: Callable[[Any], int]) -> MoveGenerator:
    """Return a generator of all legal moves. `move_index_of` returns the index of a move in the network's output."""

    def moves_of(position: Position) -> tuple[list[Move], list[int]]:
        moves = list(position.moves())
        return moves, [move_index_of(move) for move in moves]

    return moves_of


class PuctNode:
    """A position in the tree, with its statistics. All values are for its mover.

    `value` is the network's value, and `certain` is WON, LOST or UNKNOWN. `moves` is None until the network has
    evaluated the position. `priors`, `visit_counts`, `value_sums` and `children` have one entry for each move: the
    prior, the number of visits, the sum of their values, and the node after the move. `means` holds the mean values,
    and `exploration_bonuses` the priors divided by the visits; both are kept up to date for `select_move`.
    `visits_begun` counts all visits, including those whose value is not known yet. `visit_counts` and `value_sums` are
    lists, because single entries change at every visit; lists take half the time of arrays.
    """

    __slots__ = (
        "certain", "children", "exploration_bonuses", "means", "mover", "moves", "position", "priors", "value",
        "value_sums", "visit_counts", "visits_begun",
    )  # fmt: skip

    def __init__(self, position: Position, certain: int, value: float) -> None:
        self.position, self.certain, self.value = position, certain, value
        self.mover = position.to_move
        self.moves: list[Move] | None = None
        self.children: list[PuctNode | None] = []
        self.visit_counts: list[float] = []
        self.value_sums: list[float] = []
        self.priors = self.means = self.exploration_bonuses = np.empty(0)
        self.visits_begun = 0

    @property
    def visits(self) -> Any:
        """The number of visits of each move, as an array."""
        return np.array(self.visit_counts)

    @property
    def value_totals(self) -> Any:
        """The sum of the values of each move, as an array."""
        return np.array(self.value_sums)

    @property
    def needs_evaluation(self) -> bool:
        """Whether the network must still evaluate the position."""
        return self.moves is None and self.certain == UNKNOWN

    def expand(self, moves: list[Move], log_odds: Any, value: float) -> None:
        """Store the network's log-odds of the moves, and its value."""
        exponentials = np.exp(log_odds - log_odds.max())
        self.priors = exponentials / exponentials.sum()
        self.exploration_bonuses = EXPLORATION * self.priors
        self.visit_counts, self.value_sums = [0.0] * len(moves), [0.0] * len(moves)
        self.means = np.full(len(moves), value - UNVISITED_PENALTY)
        self.children = [None] * len(moves)
        self.value, self.moves = value, moves

    def sign_of_child(self, child: PuctNode) -> int:
        """Return the factor that turns a child's value into a value for this node's mover: 1 if both have the same
        mover, else -1.
        """
        return 1 if child.mover == self.mover else -1

    def certain_result_of(self, move_index: int) -> int:
        """Return the certain result of a move for the mover: WON, LOST or UNKNOWN."""
        child = self.children[move_index]
        return UNKNOWN if child is None or child.certain == UNKNOWN else self.sign_of_child(child) * child.certain

    def select_move(self) -> int:
        """Return the index of the move to visit next."""
        return int((self.means + sqrt(self.visits_begun + 1) * self.exploration_bonuses).argmax())

    def add_virtual_loss(self, move_index: int) -> None:
        """Count a visit whose value is not known yet as a loss, so that the next path is a different one."""
        self.visits_begun += 1
        self.visit_counts[move_index] = count = self.visit_counts[move_index] + 1.0
        self.value_sums[move_index] = total = self.value_sums[move_index] - 1.0
        self.means[move_index] = total / count
        self.exploration_bonuses[move_index] = EXPLORATION * self.priors[move_index] / (1.0 + count)

    def replace_virtual_loss(self, move_index: int, value: float) -> None:
        """Replace the virtual loss of a visit by its value."""
        if self.means[move_index] > RULED_OUT_MEAN:
            self.value_sums[move_index] = total = self.value_sums[move_index] + 1.0 + value
            self.means[move_index] = total / self.visit_counts[move_index]

    def rule_out(self, move_index: int) -> None:
        """Mark a move so that `select_move` does not choose it again."""
        self.means[move_index], self.exploration_bonuses[move_index] = RULED_OUT_MEAN, 0.0


Path = tuple[list[tuple[PuctNode, int]], PuctNode]
"""The nodes of a path with the indices of the moves that leave them, and the node at the end of the path."""


class Tree:
    """A search that can be continued: `search` adds visits; `advance` keeps the part below a later position.

    `generate_moves` returns the moves to search, and the index of each in the network's output.
    """

    def __init__(
        self,
        position: Position,
        evaluate: Evaluate,
        is_won: IsWon,
        generate_moves: MoveGenerator,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        self.evaluate, self.is_won, self.generate_moves, self.batch_size = evaluate, is_won, generate_moves, batch_size
        self.root = self._create_node(position)
        self.root.certain = UNKNOWN  # a certain result does not tell which move to play

    def advance(self, position: Position) -> None:
        """Make `position` the root. Keep the part of the tree below it if it is at most two turns away from the old
        root.
        """
        key = position.key()
        expanded_nodes = (node for node in self._nodes_near_root() if node.moves is not None)
        next_root = next((node for node in expanded_nodes if node.position.key() == key), None)
        self.root = next_root or PuctNode(position, UNKNOWN, 0.0)
        if self.root.certain != UNKNOWN and not self._has_winning_move(self.root):
            self.root = PuctNode(position, UNKNOWN, 0.0)

    def search(self, limits: SearchLimits) -> None:
        """Add visits until the limits or a certain result. For `limits`, a visit counts as a node."""
        longest_seconds = 0.0
        if self.root.moves is None:
            self._expand_leaves([self.root])
        while self.root.certain == UNKNOWN and limits.nodes_used < limits.nodes:
            visit_start = limits.now()
            if visit_start + longest_seconds >= limits.stop_at:
                break
            self._visit(limits)
            # the next batch must end in time, too
            longest_seconds = max(longest_seconds * 0.9, limits.now() - visit_start)

    def rank_moves(self) -> list[int]:
        """Return the indices of the root's moves, the best first.

        Certain wins come first, then the most visited moves, then certain losses, which an opponent may not see, and at
        last the moves that were never visited.
        """
        root = self.root

        def rank(move_index: int) -> tuple[float, ...]:
            known_result, visits = root.certain_result_of(move_index), root.visit_counts[move_index]
            result_rank = 3 if not visits and known_result != WON else 1 - known_result
            return result_rank, -visits, -float(root.priors[move_index])

        return sorted(range(len(root.children)), key=rank)

    def value(self, move_index: int) -> float:
        """Return the mean value of a move of the root, for the mover."""
        root = self.root
        if certain_result := root.certain_result_of(move_index):
            return float(certain_result)
        visits = root.visit_counts[move_index]
        return root.value_sums[move_index] / visits if visits else root.value

    def variation(self, first_move_index: int, length: int = 12) -> list[Move]:
        """Return a move of the root, and the most visited replies that follow it."""
        line, node, move_index = list[Move](), self.root, first_move_index
        while node.moves is not None and len(line) < length:
            line.append(node.moves[move_index])
            child = node.children[move_index]
            if child is None or child.moves is None or not any(child.visit_counts):
                break
            node, move_index = child, child.visit_counts.index(max(child.visit_counts))
        return line

    def mark_as_lost(self, move_index: int) -> None:
        """Mark a move of the root as a certain loss that a proof outside the tree has found."""
        child = self.root.children[move_index]
        if child is None:
            assert self.root.moves is not None
            position = self.root.position.play(self.root.moves[move_index])
            child = self.root.children[move_index] = self._create_node(position)
        child.certain = self.root.sign_of_child(child) * LOST
        self._update_certain_result(self.root, move_index)

    def _create_node(self, position: Position) -> PuctNode:
        outcome = position.outcome()
        if outcome is not None:
            certain = UNKNOWN if outcome.winner is None else WON if outcome.winner == position.to_move else LOST
            node = PuctNode(position, certain, float(certain))
            node.moves = []
            return node
        certain = WON if self.is_won(position) else UNKNOWN
        return PuctNode(position, certain, float(certain))

    def _nodes_near_root(self) -> Iterator[PuctNode]:
        """Yield the root and the nodes that are at most two turns below it, the nearest first."""
        current_nodes = [self.root]
        for _ in range(3):
            next_nodes = list[PuctNode]()
            for node in current_nodes:  # the loop appends positions in which the same player moves again
                yield node
                for child in node.children:
                    if child is not None:
                        (current_nodes if node.sign_of_child(child) > 0 else next_nodes).append(child)
            current_nodes = next_nodes

    def _has_winning_move(self, node: PuctNode) -> bool:
        return node.moves is not None and any(
            node.certain_result_of(move_index) == WON for move_index in range(len(node.children))
        )

    def _visit(self, limits: SearchLimits) -> None:
        """Follow the tree to a batch of new positions, evaluate them, and add their values on the way back."""
        paths = self.select_leaves(int(min(self.batch_size, limits.nodes - limits.nodes_used)))
        limits.nodes_used += len(paths)
        self._expand_leaves([leaf for _, leaf in paths if leaf.needs_evaluation])
        self.back_up(paths)

    def select_leaves(self, max_paths: int, first_move_index: int | None = None) -> list[Path]:
        """Follow at most `max_paths` paths to different new positions, and count one visit for each.

        The paths begin with the root's move `first_move_index`, or if it is None, with the move that the policy and the
        values select.
        """
        paths: list[Path] = []
        for _ in range(max_paths):
            path, leaf = self._select_leaf(first_move_index)
            if any(leaf is other_leaf for _, other_leaf in paths):  # two paths to one position: it is evaluated once
                break
            for node, move_index in path:
                node.add_virtual_loss(move_index)
            paths.append((path, leaf))
            if leaf is self.root:
                break
        return paths

    def back_up(self, paths: list[Path]) -> None:
        """Add the values of the leaves, which the network has evaluated, to the nodes of their paths."""
        for path, leaf in paths:
            value = leaf.value if leaf.certain == UNKNOWN else float(leaf.certain)
            child = leaf
            for node, move_index in reversed(path):
                value *= node.sign_of_child(child)
                node.replace_virtual_loss(move_index, value)
                child = node
            if leaf.certain == UNKNOWN:
                continue
            for node, move_index in reversed(path):
                self._update_certain_result(node, move_index)
                if node.certain == UNKNOWN:
                    break

    def _select_leaf(self, first_move_index: int | None = None) -> Path:
        path: list[tuple[PuctNode, int]] = []
        node = self.root
        while node.moves:
            if node.certain != UNKNOWN and node is not self.root:
                break
            move_index = node.select_move() if first_move_index is None or path else first_move_index
            path.append((node, move_index))
            child = node.children[move_index]
            if child is None:
                child = node.children[move_index] = self._create_node(node.position.play(node.moves[move_index]))
                if child.certain == UNKNOWN or child.moves == []:
                    return path, child
            node = child
        return path, node

    def _update_certain_result(self, node: PuctNode, move_index: int) -> None:
        """Update the certain result of a node: a winning move wins; if all its moves lose, the node is lost."""
        known_result = node.certain_result_of(move_index)
        if known_result == WON:
            node.certain = WON
        elif known_result == LOST:
            node.rule_out(move_index)
            if all(node.certain_result_of(other_index) == LOST for other_index in range(len(node.children))):
                node.certain = LOST

    def _expand_leaves(self, leaves: list[PuctNode]) -> None:
        if not leaves:
            return
        log_odds, values = self.evaluate([leaf.position for leaf in leaves])
        for leaf, row, value in zip(leaves, log_odds, values, strict=True):
            self.expand(leaf, row, value)

    def expand(self, leaf: PuctNode, log_odds: Any, value: Any) -> None:
        """Store the network's output for a position: the log-odds of all moves of the board, and the value."""
        moves, indices = self.generate_moves(leaf.position)
        leaf.expand(moves, log_odds.take(indices).astype(np.float64), float(value))
