"""Monte Carlo tree search: playouts evaluate positions, and the tree grows at the most promising ones.

Uses nodes and playouts only. UCT: L. Kocsis and C. Szepesvári, Bandit Based Monte-Carlo Planning, ECML 2006. RAVE: S.
Gelly and D. Silver, Monte-Carlo Tree Search and Rapid Action Value Estimation in Computer Go, Artificial Intelligence
175 (2011), with their schedule of equivalence. Certain results are backed up: M. Winands, Y. Björnsson and J.-T. Saito,
Monte-Carlo Tree Search Solver, Computers and Games 2008. It works for any number of players: each maximises its own
reward.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.search.limits import OutOfLimits, SearchLimits
from gomogo_core.search.node import CERTAIN, Node
from gomogo_core.search.playouts import Chance, PlayoutPolicy, policy_of
from gomogo_core.search.prior import NO_GUESS, Guess, Guesses, no_guesses
from gomogo_core.search.result import PositionAnalysis, ScoredLine, SearchResult

EQUIVALENCE = 300.0  # after this number of visits, a move's own playouts have the same weight as its RAVE playouts
UNTRIED = 0.55  # value of a move before its first playout: a little above one half, so that every move gets one
KEPT = 150_000  # branches in the tree: about 100 MB; at the limit, playouts continue and the tree stops growing
FORGETTING = 0.98  # decay of the longest playout's time, after each shorter one
TOLD = 8  # moves whose share of the playouts is reported
SCALE = 1000  # the value of a mean reward of 1
LEAD = 400.0  # a clear lead, as a share of it
REPORTED = 0.1  # seconds between two analyses, at least


class Arm:
    """A move of a branch, and its statistics. guessed: virtual visits, and their rewards.

    next: the branch it leads to, after its first visit. later: playouts in which the mover here made it, now or later;
    later_rewards: their rewards.
    """

    __slots__ = ("guessed", "guessed_rewards", "later", "later_rewards", "move", "next")

    def __init__(self, move: Move, guess: Guess) -> None:
        self.move = move
        self.guessed, self.guessed_rewards = guess
        self.next: Branch | None = None
        self.later = self.later_rewards = 0.0


class Branch:
    """A position in the tree, with the results of the playouts through it.

    visits: playouts. total: the sum of the rewards of the player who moved here. certain: by seat, proven values. arms:
    by move, the moves worth a look, the likely best first; created at the second visit.
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

    def followed_branches(self) -> list[Branch]:
        """Return the branches that follow."""
        return [arm.next for arm in self.arms.values() if arm.next is not None]


def search(
    position: Position,
    limits: SearchLimits,
    *,
    rave: bool = True,
    guesses: Guesses = no_guesses,
    chance: Chance = random.random,
) -> SearchResult:
    """Return the move with the most playouts, or a proven win.

    For `limits`, a playout counts as a node. rave: whether playouts in which a move was played later also count for
    this move, if the game allows that. guesses: the priors of a node's moves, requested at its second visit. The
    result's value is 1000 times the mean reward, from -1000 (all lost) to 1000 (all won), or that of a certain result.
    Its variation has the most visited moves, and its depth is their number. Raises ValueError if the game is over.
    """
    tree = _tree(position, rave, guesses, chance)
    for _ in tree.growth(limits, position.game.seats):
        pass
    return tree.result(limits)


def stream_analyses(
    position: Position, limits: SearchLimits, lines: int, *, guesses: Guesses = no_guesses
) -> Iterator[PositionAnalysis]:
    """Search until the limits, and yield the best `lines` moves several times a second.

    Raises ValueError if the game is over.
    """
    tree = _tree(position, guesses=guesses)
    due = 0.0
    for _ in tree.growth(limits, position.game.seats):
        if limits.seconds >= due:
            yield tree.analysis(limits, lines)
            due = limits.seconds + REPORTED
    yield tree.analysis(limits, lines)


def _tree(
    position: Position, rave: bool = True, guesses: Guesses = no_guesses, chance: Chance = random.random
) -> _Tree:
    way = policy_of(position.game.name)
    root = Branch(way.node(position))
    if root.node.over:
        raise ValueError("the game is over: there is nothing to search")
    root.certain = None  # the node's certain result does not name a move
    return _Tree(root, way, EQUIVALENCE if rave and way.rave else 0.0, guesses, chance)


class _Tree:
    def __init__(self, root: Branch, way: PlayoutPolicy, equivalence: float, guesses: Guesses, chance: Chance) -> None:
        self.root, self.way, self.equivalence, self.guesses, self.chance = root, way, equivalence, guesses, chance
        self.size = 1

    def arms_of(self, branch: Branch) -> dict[Move, Arm]:
        """Return the moves worth a look, the likely best first, each with its prior."""
        if not branch.arms:
            guesses = self.guesses(branch.node)
            branch.arms = {move: Arm(move, guesses.get(move, NO_GUESS)) for move in branch.node.moves()}
        return branch.arms

    def growth(self, limits: SearchLimits, seats: int) -> Iterator[None]:
        """Run playouts until the limits or a certain result, and yield after each."""
        root = self.root
        longest = 0.0  # the seconds of a playout: one that starts too late would end too late
        try:
            while root.certain is None and (len(self.arms_of(root)) > 1 or not root.visits):
                limits.spend()
                began = limits.now()
                if root.visits and began + longest >= limits.stop_at:
                    raise OutOfLimits
                self.grow(seats)
                longest = max(limits.now() - began, FORGETTING * longest)
                yield
        except OutOfLimits:
            limits.spent -= 1

    def grow(self, seats: int) -> None:
        """Run one playout: down the tree, from its leaf to the end, and back up with the result."""
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
        """Return the move with the highest upper bound: UCB1 on the mean of playouts and RAVE playouts."""
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

    def _back_up(self, path: list[Branch], moves: list[tuple[Seat, Move]], rewards: tuple[float, ...]) -> None:
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
                for move in {move for seat, move in moves[depth:] if seat == mover}:
                    if (arm := arms.get(move)) is not None:
                        arm.later += 1.0
                        arm.later_rewards += reward
            if branch.certain is None and depth + 1 < len(path) and path[depth + 1].certain is not None:
                branch.certain = self._proven_value(branch)

    def _proven_value(self, branch: Branch) -> tuple[float, ...] | None:
        """Return the proven result of a position: that of a winning move, or the best of all moves if each is
        proven.
        """
        mover, best = branch.node.to_move - 1, None
        tried = branch.followed_branches()
        for child in tried:
            if child.certain is not None and (best is None or child.certain[mover] > best[mover]):
                best = child.certain
        if best is not None and best[mover] > CERTAIN:
            return best
        whole = len(tried) == len(branch.arms) and all(child.certain is not None for child in tried)
        return best if whole else None

    def result(self, limits: SearchLimits) -> SearchResult:
        """Return the result of the tree."""
        value, variation = self._lines(1)[0]
        tried = [(arm.move, arm.next.visits) for arm in self.root.arms.values() if arm.next is not None]
        most = sorted(tried, key=lambda one: -one[1])[:TOLD]
        shares = tuple((move, round(visits / max(1, self.root.visits), 3)) for move, visits in most)
        return SearchResult(variation[0], value, len(variation), limits.spent, variation, limits.seconds, shares)

    def analysis(self, limits: SearchLimits, lines: int) -> PositionAnalysis:
        """Return the best moves, and the mean reward of each that has been tried."""
        best = self._lines(lines)
        values = {arm.move: self._value(arm) for arm in self.root.arms.values() if arm.next is not None}
        return PositionAnalysis(tuple(best), len(best[0].variation), limits.spent, limits.seconds, values, LEAD)

    def _lines(self, count: int) -> list[ScoredLine]:
        found = list[ScoredLine]()
        for first in self._rank_moves(self.root)[:count]:
            variation, arm = [first.move], first
            while arm.next is not None and (following := next(iter(self._rank_moves(arm.next)), None)) is not None:
                variation.append(following.move)
                arm = following
            found.append(ScoredLine(self._value(first), tuple(variation)))
        if found:
            return found
        arms = self.arms_of(self.root).values()  # no time for a single playout: use the priors, if any
        return [ScoredLine(0.0, (max(arms, key=lambda arm: arm.guessed_rewards / (arm.guessed or 1.0)).move,))]

    def _value(self, arm: Arm) -> float:
        """Return the value of a move of the root for its mover."""
        child = arm.next
        if child is None:
            return 0.0
        if child.certain is not None:
            return child.certain[self.root.node.to_move - 1]
        return SCALE * (2 * child.total / child.visits - 1) if child.visits else 0.0

    def _rank_moves(self, branch: Branch) -> list[Arm]:
        """Return proven wins, the quickest first; the other moves by visits, with priors; losses, the slowest first."""
        mover = branch.node.to_move - 1

        def rank(arm: Arm) -> tuple[float, float]:
            child = arm.next
            assert child is not None
            trust = child.visits + arm.guessed_rewards  # after few playouts the prior still decides
            if child.certain is None:
                return 0.0, trust
            value = child.certain[mover]
            return (value, 0.0) if abs(value) > CERTAIN else (0.0, trust)

        return sorted((arm for arm in branch.arms.values() if arm.next is not None), key=rank, reverse=True)
