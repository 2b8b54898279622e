"""Tree search guided by a network: the network's policy selects the moves to search, and its value replaces playouts.

Uses positions of a game for two, whose players need not alternate, and two functions that the caller gives: a network,
and a search for certain wins. D. Silver et al., A general reinforcement learning algorithm that masters chess, shogi
and Go, Science 362 (2018). Certain results are backed up as in M. Winands, Y. Björnsson and J.-T. Saito, Monte-Carlo
Tree Search Solver, 2008. Needs NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from gomogo_core.games.base import Move, Position
from gomogo_core.search.limits import SearchLimits

EXPLORATION = 1.6  # the weight of the policy and of few visits, relative to the mean value
UNTRIED = 0.25  # a move without a visit has the value of its position minus this
NEVER = -1e9  # the mean of a move that loses
BATCH = 8  # positions that the network evaluates together
WON, LOST, UNKNOWN = 1, -1, 0

Evaluate = Callable[[Sequence[Position]], tuple[Any, Any]]
"""From positions to the log-odds of their moves, in an array (positions, moves of the board), and to their values, -1
to 1 for the mover."""

IsWon = Callable[[Position], bool]
"""Whether the mover is certain to win. False if that is not known."""

MovesWithPlaces = Callable[[Any], tuple[list[Move], Any]]
"""From a position to some of its moves, and to a list or an array of their places in the network's output."""


def all_moves(index: Callable[[Any], int]) -> MovesWithPlaces:
    """Return the function from a position to all its moves. index: from a move to its place."""

    def moves_of(position: Position) -> tuple[list[Move], list[int]]:
        moves = list(position.moves())
        return moves, [index(move) for move in moves]

    return moves_of


class Branch:
    """A position in the tree, and its mover. value: the network's; certain: WON, LOST or UNKNOWN; both for the mover.

    moves, priors, counts, sums, next: by move; priors add up to 1, counts are visits, sums add their values for the
    mover. moves: None until the network has evaluated the position. means and urges are kept up to date for `best`:
    the mean value, and the prior divided by the visits. tried: all visits, and those whose value is not known yet.
    Single numbers of counts and sums change at every visit: lists take half the time of arrays.
    """

    __slots__ = (
        "certain",
        "counts",
        "means",
        "mover",
        "moves",
        "next",
        "position",
        "priors",
        "sums",
        "tried",
        "urges",
        "value",
    )

    def __init__(self, position: Position, certain: int, value: float) -> None:
        self.position, self.certain, self.value = position, certain, value
        self.mover = position.to_move
        self.moves: list[Move] | None = None
        self.next: list[Branch | None] = []
        self.counts: list[float] = []
        self.sums: list[float] = []
        self.priors = self.means = self.urges = np.empty(0)
        self.tried = 0

    @property
    def visits(self) -> Any:
        """An array of the visits of each move."""
        return np.array(self.counts)

    @property
    def totals(self) -> Any:
        """An array of the sums of the values of each move."""
        return np.array(self.sums)

    @property
    def is_open(self) -> bool:
        """Whether the network must still evaluate the position."""
        return self.moves is None and self.certain == UNKNOWN

    def grow(self, moves: list[Move], odds: Any, value: float) -> None:
        """Store the network's odds of the moves."""
        shares = np.exp(odds - odds.max())
        self.priors = shares / shares.sum()
        self.urges = EXPLORATION * self.priors
        self.counts, self.sums = [0.0] * len(moves), [0.0] * len(moves)
        self.means = np.full(len(moves), value - UNTRIED)
        self.next = [None] * len(moves)
        self.value, self.moves = value, moves

    def sign(self, after: Branch) -> int:
        """Return the factor from a value of the position `after` a move to a value of this one: -1 for a new mover."""
        return 1 if after.mover == self.mover else -1

    def known(self, number: int) -> int:
        """Return the certain result for the mover after a move: WON, LOST or UNKNOWN."""
        after = self.next[number]
        return UNKNOWN if after is None or after.certain == UNKNOWN else self.sign(after) * after.certain

    def best(self) -> int:
        """Return the number of the move to visit next."""
        return int((self.means + sqrt(self.tried + 1) * self.urges).argmax())

    def expect(self, number: int) -> None:
        """Count a visit with an unknown value as a loss, so that the next path is a different one."""
        self.tried += 1
        self.counts[number] = count = self.counts[number] + 1.0
        self.sums[number] = total = self.sums[number] - 1.0
        self.means[number] = total / count
        self.urges[number] = EXPLORATION * self.priors[number] / (1.0 + count)

    def add(self, number: int, value: float) -> None:
        """Give the expected visit its value."""
        if self.means[number] > NEVER:
            self.sums[number] = total = self.sums[number] + 1.0 + value
            self.means[number] = total / self.counts[number]

    def refute(self, number: int) -> None:
        """Never choose a move again."""
        self.means[number], self.urges[number] = NEVER, 0.0


Descent = tuple[list[tuple[Branch, int]], Branch]
"""A path of positions with the moves that leave them, and the position at its end."""


class Tree:
    """A search that can be continued: `search` adds visits, and `advance` keeps the part of the tree below a later
    position.

    moves: from a position to the moves that are worth a look, and the place of each in the network's output.
    """

    def __init__(
        self,
        position: Position,
        evaluate: Evaluate,
        is_won: IsWon,
        moves: MovesWithPlaces,
        batch: int = BATCH,
    ) -> None:
        self.evaluate, self.is_won, self.moves, self.batch = evaluate, is_won, moves, batch
        self.root = self._branch(position)
        self.root.certain = UNKNOWN  # a certain result does not name a move

    def advance(self, position: Position) -> None:
        """Make `position` the root: a part of the tree if at most two changes of the mover away, else a new one."""
        key = position.key()
        found = next((one for one in self._near() if one.moves is not None and one.position.key() == key), None)
        self.root = found or Branch(position, UNKNOWN, 0.0)
        if self.root.certain != UNKNOWN and not self._names_a_move(self.root):
            self.root = Branch(position, UNKNOWN, 0.0)

    def search(self, limits: SearchLimits) -> None:
        """Add visits until the limits or a certain result. For `limits`, a visit counts as a node."""
        longest = 0.0
        if self.root.moves is None:
            self._grow([self.root])
        while self.root.certain == UNKNOWN and limits.spent < limits.nodes:
            began = limits.now()
            if began + longest >= limits.stop_at:
                break
            self._visit(limits)
            longest = max(longest * 0.9, limits.now() - began)  # the next batch must end in time, too

    def ranking(self) -> list[int]:
        """Return the numbers of the root's moves, the best first.

        Certain wins come first, then the most visited moves, then certain losses, which an opponent may not see, and at
        last the moves that were never visited.
        """
        root = self.root

        def rank(number: int) -> tuple[float, ...]:
            known, visits = root.known(number), root.counts[number]
            return 3 if not visits and known != WON else 1 - known, -visits, -float(root.priors[number])

        return sorted(range(len(root.next)), key=rank)

    def value(self, number: int) -> float:
        """Return the mean value of a move of the root, for the mover."""
        root = self.root
        if known := root.known(number):
            return float(known)
        return root.sums[number] / root.counts[number] if root.counts[number] else root.value

    def variation(self, first: int, length: int = 12) -> list[Move]:
        """Return the most visited moves, from a move of the root on."""
        line, branch, number = list[Move](), self.root, first
        while branch.moves is not None and len(line) < length:
            line.append(branch.moves[number])
            after = branch.next[number]
            if after is None or after.moves is None or not any(after.counts):
                break
            branch, number = after, after.counts.index(max(after.counts))
        return line

    def exclude(self, number: int) -> None:
        """Mark a move of the root as a certain loss, which a proof outside of the tree has found."""
        branch = self.root.next[number]
        if branch is None:
            assert self.root.moves is not None
            branch = self.root.next[number] = self._branch(self.root.position.play(self.root.moves[number]))
        branch.certain = self.root.sign(branch) * LOST
        self._learn(self.root, number)

    def _branch(self, position: Position) -> Branch:
        outcome = position.outcome()
        if outcome is not None:
            certain = UNKNOWN if outcome.winner is None else WON if outcome.winner == position.to_move else LOST
            ended = Branch(position, certain, float(certain))
            ended.moves = []
            return ended
        certain = WON if self.is_won(position) else UNKNOWN
        return Branch(position, certain, float(certain))

    def _near(self) -> Iterator[Branch]:
        """Yield the root and the positions before which the mover has changed at most twice, the nearest first."""
        turn = [self.root]
        for _ in range(3):
            later = list[Branch]()
            for branch in turn:  # `turn` grows in the loop by positions in which the same player moves again
                yield branch
                for after in branch.next:
                    if after is not None:
                        (turn if branch.sign(after) > 0 else later).append(after)
            turn = later

    def _names_a_move(self, branch: Branch) -> bool:
        return branch.moves is not None and any(branch.known(number) == WON for number in range(len(branch.next)))

    def _visit(self, limits: SearchLimits) -> None:
        """Follow the tree to a batch of new positions, evaluate them, and add their values on the way back."""
        found = self.descend(int(min(self.batch, limits.nodes - limits.spent)))
        limits.spent += len(found)
        self._grow([leaf for _, leaf in found if leaf.is_open])
        self.back_up(found)

    def descend(self, most: int, first: int | None = None) -> list[Descent]:
        """Follow at most `most` paths to different new positions, and count one visit for each.

        first: the number of the root's move that they follow; None for the one that the policy and the values select.
        """
        found: list[Descent] = []
        for _ in range(most):
            path, leaf = self._descend(first)
            if any(leaf is other for _, other in found):  # two paths to one position: it is evaluated once
                break
            for branch, number in path:
                branch.expect(number)
            found.append((path, leaf))
            if leaf is self.root:
                break
        return found

    def back_up(self, descents: list[Descent]) -> None:
        """Add the values of the positions that `descend` found, which the network has evaluated, to their paths."""
        for path, leaf in descents:
            value = leaf.value if leaf.certain == UNKNOWN else float(leaf.certain)
            after = leaf
            for branch, number in reversed(path):
                value *= branch.sign(after)
                branch.add(number, value)
                after = branch
            if leaf.certain == UNKNOWN:
                continue
            for branch, number in reversed(path):
                self._learn(branch, number)
                if branch.certain == UNKNOWN:
                    break

    def _descend(self, first: int | None = None) -> Descent:
        path: list[tuple[Branch, int]] = []
        branch = self.root
        while branch.moves:
            if branch.certain != UNKNOWN and branch is not self.root:
                break
            number = branch.best() if first is None or path else first
            path.append((branch, number))
            after = branch.next[number]
            if after is None:
                after = branch.next[number] = self._branch(branch.position.play(branch.moves[number]))
                if after.certain == UNKNOWN or after.moves == []:
                    return path, after
            branch = after
        return path, branch

    def _learn(self, branch: Branch, number: int) -> None:
        """Back up a certain result: a position with a winning move is won; if all its moves lose, it is lost."""
        known = branch.known(number)
        if known == WON:
            branch.certain = WON
        elif known == LOST:
            branch.refute(number)
            if all(branch.known(other) == LOST for other in range(len(branch.next))):
                branch.certain = LOST

    def _grow(self, leaves: list[Branch]) -> None:
        if not leaves:
            return
        odds, values = self.evaluate([leaf.position for leaf in leaves])
        for leaf, row, value in zip(leaves, odds, values, strict=True):
            self.grow(leaf, row, value)

    def grow(self, leaf: Branch, odds: Any, value: Any) -> None:
        """Store the network's output for a position: the log-odds of all moves of the board, and the value."""
        moves, places = self.moves(leaf.position)
        leaf.grow(moves, odds.take(places).astype(np.float64), float(value))


def search_together(
    trees: Sequence[Tree],
    evaluate: Evaluate,
    visits: Sequence[int],
    first: Sequence[Callable[[], int] | None] | None = None,
) -> None:
    """Add its number of visits to each tree, or fewer if its result becomes certain.

    The network evaluates one position of each tree at once. first: for each tree a function that returns the number of
    the root's move for the next visit, or None if the policy and the values select it.
    """
    chosen = first or [None] * len(trees)
    left = list(visits)
    while True:
        found = [
            (number, tree.descend(1, choose and choose()))
            for number, (tree, choose) in enumerate(zip(trees, chosen, strict=True))
            if left[number] > 0 and tree.root.certain == UNKNOWN
        ]
        if not found:
            return
        leaves = [(trees[number], leaf) for number, ((_, leaf),) in found if leaf.is_open]
        if leaves:
            odds, values = evaluate([leaf.position for _, leaf in leaves])
            for (tree, leaf), row, value in zip(leaves, odds, values, strict=True):
                tree.grow(leaf, row, value)
        for number, descents in found:
            trees[number].back_up(descents)
            left[number] -= 1
