"""Monte Carlo tree search: playouts decide, and the tree grows where they promise most.

Knows nodes and playouts only. UCT: L. Kocsis and C. Szepesvári, Bandit Based Monte-Carlo Planning, ECML 2006. RAVE: S.
Gelly and D. Silver, Monte-Carlo Tree Search and Rapid Action Value Estimation in Computer Go, Artificial Intelligence
175 (2011), with their schedule of equivalence. Certain results are backed up: M. Winands, Y. Björnsson and J.-T. Saito,
Monte-Carlo Tree Search Solver, Computers and Games 2008. For any number of players: each maximises its own reward.
"""

from __future__ import annotations

import math
import random

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.search.guess import NO_GUESS, Guess, Guesses, no_guesses
from gomogo_core.search.limits import Limits, OutOfLimits
from gomogo_core.search.node import CERTAIN, Node
from gomogo_core.search.playouts import Chance, Way, way_of
from gomogo_core.search.result import Result

EQUIVALENCE = 300.0  # visits at which a move's own playouts count as much as those in which it came later
UNTRIED = 0.55  # what a move is thought to be worth before its first playout: a little more than half, so it gets one
KEPT = 150_000  # branches in the tree: some 100 MB; the playouts go on, and the tree grows no more
FORGETTING = 0.98  # how much of the longest playout's time is still reckoned with after each that was shorter
TOLD = 8  # moves of which is told how many of the playouts went through them
SCALE = 1000  # the value of a mean reward of 1


class Arm:
    """A move of a branch, and what is thought of it. guessed: visits, and their rewards, as if it had had them.

    next: the branch it leads to, once it was tried. later: playouts in which the one to move here made it, now or later
    on; later_rewards: what they came to.
    """

    __slots__ = ("guessed", "guessed_rewards", "later", "later_rewards", "move", "next")

    def __init__(self, move: Move, guess: Guess) -> None:
        self.move = move
        self.guessed, self.guessed_rewards = guess
        self.next: Branch | None = None
        self.later = self.later_rewards = 0.0


class Branch:
    """A position in the tree, with what the playouts through it came to.

    visits: playouts. total: of the rewards of who moved here. certain: by seat, values where they are proven. arms: by
    move, those worth a look, the likely best first; made when the position is visited again.
    """

    __slots__ = ("arms", "certain", "node", "total", "visits")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.visits = 0
        self.total = 0.0
        self.certain: tuple[float, ...] | None = None
        self.arms: dict[Move, Arm] = {}
        if node.over:
            self.certain = node.values()
        elif (verdict := node.verdict()) is not None:
            mover = node.to_move
            self.certain = tuple(verdict if seat == mover else -verdict for seat in (1, 2))

    def tried(self) -> list[Branch]:
        """The branches that follow."""
        return [arm.next for arm in self.arms.values() if arm.next is not None]


def search(
    position: Position,
    limits: Limits,
    *,
    rave: bool = True,
    guesses: Guesses = no_guesses,
    chance: Chance = random.random,
) -> Result:
    """The move most playouts went through, or one that is proven to win. A node, for `limits`, is a playout.

    rave: whether a move is also judged by the playouts in which it came later, where that tells anything. guesses: what
    is thought of a node's moves before they were tried, asked when it is visited again. The result's value is 1000
    times the mean reward, from -1000 (all lost) to 1000 (all won), or that of a certain result; its variation the moves
    visited most, its depth their number. Raises ValueError when the game is over.
    """
    way = way_of(position.game.name)
    root = Branch(way.node(position))
    if root.node.over:
        raise ValueError("the game is over: there is nothing to search")
    root.certain = None  # what a node knows of itself does not say which move
    tree = _Tree(root, way, EQUIVALENCE if rave and way.rave else 0.0, guesses, chance)
    seats = position.game.seats
    longest = 0.0  # seconds that playouts take: one begun too late would end too late
    try:
        while root.certain is None and (len(tree.arms_of(root)) > 1 or not root.visits):
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
    def __init__(self, root: Branch, way: Way, equivalence: float, guesses: Guesses, chance: Chance) -> None:
        self.root, self.way, self.equivalence, self.guesses, self.chance = root, way, equivalence, guesses, chance
        self.size = 1

    def arms_of(self, branch: Branch) -> dict[Move, Arm]:
        """The moves worth a look, the likely best first, each with what is thought of it."""
        if not branch.arms:
            guesses = self.guesses(branch.node)
            branch.arms = {move: Arm(move, guesses.get(move, NO_GUESS)) for move in branch.node.moves()}
        return branch.arms

    def grow(self, seats: int) -> None:
        """One playout: down the tree, on from its edge, and back up with what came of it."""
        path, made = [self.root], list[tuple[Seat, Move]]()
        branch = self.root
        while branch.certain is None:
            arm = self._choice(branch)
            made.append((branch.node.to_move, arm.move))
            following = arm.next
            if following is None:
                following = Branch(branch.node.play(arm.move))
                if self.size < KEPT:
                    arm.next = following
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
            rewards, later = self.way.play_out(branch.node, self.chance)
            made.extend(later)
        self._back_up(path, made, rewards)

    def _choice(self, branch: Branch) -> Arm:
        """The move with the highest bound on its worth: UCB1 on the mean of playouts and of later moves."""
        mover = branch.node.to_move - 1
        explore = self.way.explore * math.sqrt(math.log(branch.visits + 1))
        equivalence, sqrt = self.equivalence, math.sqrt
        best, best_arm = -math.inf, None
        for arm in self.arms_of(branch).values():
            visits, total, child = arm.guessed, arm.guessed_rewards, arm.next
            if child is not None:
                if child.certain is not None:
                    if child.certain[mover] > CERTAIN:
                        return arm
                    bound = -1.0 if child.certain[mover] < -CERTAIN else 0.5
                    if bound > best:
                        best, best_arm = bound, arm
                    continue
                visits += child.visits
                total += child.total
            if visits:
                bound = total / visits
                if equivalence and arm.later:
                    weight = sqrt(equivalence / (3 * visits + equivalence))
                    bound += weight * (arm.later_rewards / arm.later - bound)
                bound += explore / sqrt(visits)
            else:
                bound = explore + (arm.later_rewards / arm.later if arm.later else UNTRIED)
            if bound > best:
                best, best_arm = bound, arm
        assert best_arm is not None
        return best_arm

    def _back_up(self, path: list[Branch], made: list[tuple[Seat, Move]], rewards: tuple[float, ...]) -> None:
        for depth in range(len(path) - 1, -1, -1):
            branch = path[depth]
            branch.visits += 1
            if depth:
                branch.total += rewards[path[depth - 1].node.to_move - 1]
            arms = branch.arms
            if not arms:
                continue
            if self.equivalence:
                mover = branch.node.to_move
                reward = rewards[mover - 1]
                for move in {move for seat, move in made[depth:] if seat == mover}:
                    if (arm := arms.get(move)) is not None:
                        arm.later += 1.0
                        arm.later_rewards += reward
            if branch.certain is None and depth + 1 < len(path) and path[depth + 1].certain is not None:
                branch.certain = self._proven(branch)

    def _proven(self, branch: Branch) -> tuple[float, ...] | None:
        """What is certain of a position: a move that wins, or the best of all moves if each is certain."""
        mover, best = branch.node.to_move - 1, None
        tried = branch.tried()
        for child in tried:
            if child.certain is not None and (best is None or child.certain[mover] > best[mover]):
                best = child.certain
        if best is not None and best[mover] > CERTAIN:
            return best
        whole = len(tried) == len(branch.arms) and all(child.certain is not None for child in tried)
        return best if whole else None

    def result(self, limits: Limits) -> Result:
        """What the tree says."""
        variation = list[Move]()
        branch = self.root
        while (arm := self._best(branch)) is not None and arm.next is not None:
            variation.append(arm.move)
            branch = arm.next
        if not variation:
            arms = self.arms_of(self.root).values()  # no time for a single playout: then what was guessed, if anything
            variation = [max(arms, key=lambda arm: arm.guessed_rewards / (arm.guessed or 1.0)).move]
        first, mover = self.root.arms[variation[0]].next, self.root.node.to_move - 1
        value = 0.0
        if first is not None and first.certain is not None:
            value = first.certain[mover]
        elif first is not None and first.visits:
            value = SCALE * (2 * first.total / first.visits - 1)
        tried = [(arm.move, arm.next.visits) for arm in self.root.arms.values() if arm.next is not None]
        most = sorted(tried, key=lambda one: -one[1])[:TOLD]
        shares = tuple((move, round(visits / max(1, self.root.visits), 3)) for move, visits in most)
        return Result(variation[0], value, len(variation), limits.spent, tuple(variation), limits.seconds, shares)

    def _best(self, branch: Branch) -> Arm | None:
        """A move proven to win, the soonest; else the most visited, guesses counted too; else the last to lose."""
        mover = branch.node.to_move - 1

        def rank(arm: Arm) -> tuple[float, float]:
            child = arm.next
            assert child is not None
            trust = child.visits + arm.guessed_rewards  # after few playouts what was guessed still decides
            if child.certain is None:
                return 0.0, trust
            value = child.certain[mover]
            return (value, 0.0) if abs(value) > CERTAIN else (0.0, trust)

        return max((arm for arm in branch.arms.values() if arm.next is not None), key=rank, default=None)
