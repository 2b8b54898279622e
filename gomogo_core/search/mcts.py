"""Monte Carlo tree search: playouts decide, and the tree grows where they promise most.

Knows nodes and playouts only. UCT: L. Kocsis and C. Szepesvári, Bandit Based Monte-Carlo Planning, ECML 2006. RAVE: S.
Gelly and D. Silver, Monte-Carlo Tree Search and Rapid Action Value Estimation in Computer Go, Artificial Intelligence
175 (2011), with their schedule of equivalence. Certain results are backed up: M. Winands, Y. Björnsson and J.-T. Saito,
Monte-Carlo Tree Search Solver, Computers and Games 2008. For any number of players: each maximises its own reward.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.search.limits import Limits, OutOfLimits
from gomogo_core.search.node import CERTAIN, Node
from gomogo_core.search.playouts import Chance, Playout, way_of
from gomogo_core.search.result import Result

EXPLORE = 0.4  # how much is tried of what looks worse, after few visits: UCB1's constant
EQUIVALENCE = 300.0  # visits at which a move's own playouts count as much as those in which it came later
UNTRIED = 0.55  # what a move is thought to be worth before its first playout: a little more than half, so it gets one
KEPT = 150_000  # branches in the tree: some 100 MB; the playouts go on, and the tree grows no more
FORGETTING = 0.98  # how much of the longest playout's time is still reckoned with after each that was shorter
SCALE = 1000  # the value of a mean reward of 1


class Branch:
    """A position in the tree, with what the playouts through it came to.

    visits: playouts. total: of the rewards of who moved here. certain: by seat, values where they are proven. later:
    for each move, the playouts in which the one to move here made it later on, and their rewards in all.
    """

    __slots__ = ("certain", "later", "moves", "next", "node", "total", "visits")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.visits = 0
        self.total = 0.0
        self.certain: tuple[float, ...] | None = None
        self.moves: list[Move] | None = None
        self.next: dict[Move, Branch] = {}
        self.later: dict[Move, list[float]] = {}
        if node.over:
            self.certain = node.values()
        elif (verdict := node.verdict()) is not None:
            mover = node.to_move
            self.certain = tuple(verdict if seat == mover else -verdict for seat in (1, 2))


def search(position: Position, limits: Limits, *, rave: bool = True, chance: Chance = random.random) -> Result:
    """The move most playouts went through, or one that is proven to win. A node, for `limits`, is a playout.

    rave: whether a move is also judged by the playouts in which it came later, where that tells anything. The result's
    value is 1000 times the mean reward, from -1000 (all lost) to 1000 (all won), or that of a certain result; its
    variation the moves visited most, its depth their number. Raises ValueError when the game is over.
    """
    way = way_of(position.game.name)
    root = Branch(way.node(position))
    if root.node.over:
        raise ValueError("the game is over: there is nothing to search")
    root.certain = None  # what a node knows of itself does not say which move
    tree = _Tree(root, way.play_out, EQUIVALENCE if rave and way.rave else 0.0, chance)
    seats = position.game.seats
    longest = 0.0  # seconds that playouts take: one begun too late would end too late
    try:
        while root.certain is None and (len(tree.moves_of(root)) > 1 or not root.visits):
            limits.spend()
            began = limits.now()
            if root.visits and began + longest >= limits.stop_at:
                raise OutOfLimits
            tree.grow(seats)
            longest = max(limits.now() - began, FORGETTING * longest)
    except OutOfLimits:
        limits.spent -= 1
    return tree.result(limits)


class _Tree:
    def __init__(
        self, root: Branch, play_out: Callable[[Node, Chance], Playout], equivalence: float, chance: Chance
    ) -> None:
        self.root, self.play_out, self.equivalence, self.chance = root, play_out, equivalence, chance
        self.size = 1

    def moves_of(self, branch: Branch) -> list[Move]:
        """The moves worth a look, the likely best first."""
        if branch.moves is None:
            branch.moves = list(branch.node.moves())
        return branch.moves

    def grow(self, seats: int) -> None:
        """One playout: down the tree, on from its edge, and back up with what came of it."""
        path, made = [self.root], list[tuple[Seat, Move]]()
        branch = self.root
        while branch.certain is None:
            move = self._choice(branch)
            made.append((branch.node.to_move, move))
            following = branch.next.get(move)
            if following is None:
                following = Branch(branch.node.play(move))
                if self.size < KEPT:
                    branch.next[move] = following
                    self.size += 1
                path.append(following)
                branch = following
                break
            path.append(following)
            branch = following
        if branch.certain is not None:
            rewards = tuple(0.5 + 0.5 * (value > 0) - 0.5 * (value < 0) for value in branch.certain)
            if seats > 2:
                most = max(map(abs, branch.certain)) or 1.0
                rewards = tuple(0.5 + value / most / 2 for value in branch.certain)
        else:
            rewards, later = self.play_out(branch.node, self.chance)
            made.extend(later)
        self._back_up(path, made, rewards)

    def _choice(self, branch: Branch) -> Move:
        """The move with the highest bound on its worth: UCB1 on the mean of playouts and of later moves."""
        mover = branch.node.to_move - 1
        explore = EXPLORE * math.sqrt(math.log(branch.visits + 1))
        best, best_move = -math.inf, None
        following, later, equivalence = branch.next, branch.later, self.equivalence
        for move in self.moves_of(branch):
            child = following.get(move)
            amaf = later.get(move)
            if child is None or not child.visits:
                worth = UNTRIED if amaf is None else amaf[1] / amaf[0]
                bound = worth + explore
            elif child.certain is not None:
                if child.certain[mover] > CERTAIN:
                    return move
                bound = -1.0 if child.certain[mover] < -CERTAIN else 0.5
            else:
                visits = child.visits
                worth = child.total / visits
                if amaf is not None and equivalence:
                    weight = math.sqrt(equivalence / (3 * visits + equivalence))
                    worth += weight * (amaf[1] / amaf[0] - worth)
                bound = worth + explore / math.sqrt(visits)
            if bound > best:
                best, best_move = bound, move
        return best_move

    def _back_up(self, path: list[Branch], made: list[tuple[Seat, Move]], rewards: tuple[float, ...]) -> None:
        for depth in range(len(path) - 1, -1, -1):
            branch = path[depth]
            branch.visits += 1
            if depth:
                branch.total += rewards[path[depth - 1].node.to_move - 1]
            if branch.node.over:
                continue
            if self.equivalence:
                mover = branch.node.to_move
                reward, later, seen = rewards[mover - 1], branch.later, set[Move]()
                for seat, move in made[depth:]:
                    if seat == mover and move not in seen:
                        seen.add(move)
                        known = later.get(move)
                        if known is None:
                            later[move] = [1.0, reward]
                        else:
                            known[0] += 1.0
                            known[1] += reward
            if branch.certain is None and depth + 1 < len(path) and path[depth + 1].certain is not None:
                branch.certain = self._proven(branch)

    def _proven(self, branch: Branch) -> tuple[float, ...] | None:
        """What is certain of a position: a move that wins, or the best of all moves if each is certain."""
        mover, best = branch.node.to_move - 1, None
        for child in branch.next.values():
            if child.certain is not None and (best is None or child.certain[mover] > best[mover]):
                best = child.certain
        if best is not None and best[mover] > CERTAIN:
            return best
        moves = self.moves_of(branch)
        whole = len(branch.next) == len(moves) and all(child.certain is not None for child in branch.next.values())
        return best if whole else None

    def result(self, limits: Limits) -> Result:
        """What the tree says."""
        variation = list[Move]()
        branch = self.root
        while branch.next and (move := self._best(branch)) is not None:
            variation.append(move)
            branch = branch.next[move]
        if not variation:
            variation = [self.moves_of(self.root)[0]]
        first, mover = self.root.next.get(variation[0]), self.root.node.to_move - 1
        value = 0.0
        if first is not None and first.certain is not None:
            value = first.certain[mover]
        elif first is not None and first.visits:
            value = SCALE * (2 * first.total / first.visits - 1)
        return Result(variation[0], value, len(variation), limits.spent, tuple(variation), limits.seconds)

    def _best(self, branch: Branch) -> Move | None:
        """A move proven to win, the soonest; else the most visited not proven to lose; else the last to lose."""
        mover = branch.node.to_move - 1

        def rank(move: Move) -> tuple[float, float]:
            child = branch.next[move]
            if child.certain is None:
                return 0.0, float(child.visits)
            value = child.certain[mover]
            return (value, 0.0) if abs(value) > CERTAIN else (0.0, float(child.visits))

        return max(branch.next, key=rank, default=None)
