"""Monte Carlo tree search: playouts evaluate positions, and the tree grows where the results are most promising.

The module does not depend on games; it sees positions as nodes, and gets playouts from playouts/. UCT: L. Kocsis and C.
Szepesvári, Bandit Based Monte-Carlo Planning, ECML 2006. RAVE: S. Gelly and D. Silver, Monte-Carlo Tree Search and
Rapid Action Value Estimation in Computer Go, Artificial Intelligence 175 (2011), from which the equivalence parameter
comes. Certain results are backed up: M. Winands, Y. Björnsson and J.-T. Saito, Monte-Carlo Tree Search Solver,
Computers and Games 2008. The search works for any number of players, each of whom maximises its own reward.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.search.limits import OutOfLimits, SearchLimits
from gomogo_core.search.node import CERTAIN_THRESHOLD, Node
from gomogo_core.search.playouts import PlayoutPolicy, RandomNumber, playout_policy_for
from gomogo_core.search.prior import NO_PRIOR, Prior, PriorFunction, no_priors
from gomogo_core.search.result import PositionAnalysis, ScoredLine, SearchResult

RAVE_EQUIVALENCE = 300.0  # number of visits at which a move's own playouts have the same weight as its RAVE playouts
# the value of a move before its first playout: greater than one half, so that every move gets a playout
UNVISITED_VALUE = 0.55
MAX_TREE_NODES = 150_000  # tree nodes, about 100 MB; at the limit, playouts continue and the tree stops growing
# the estimate of the longest playout's time is multiplied by this factor after each shorter playout
LONGEST_PLAYOUT_DECAY = 0.98
# the value of a move with fewer visits, or with a smaller share of the visits of the best move, is mostly chance
_MIN_VALUE_VISITS, _MIN_VALUE_SHARE = 5, 0.05
# in an analysis of several lines, each of the most visited moves gets at least this share of the playouts
_MIN_PLAYOUT_SHARE = 0.05
_MIN_LINE_VISITS = 20  # a later move of a variation needs this many visits, unless its result is certain
MAX_REPORTED_MOVES = 8  # number of moves whose share of the playouts is reported
VALUE_SCALE = 1000  # the reported value of a mean reward of 1
CLEAR_LEAD = 400.0  # the value of a clear lead, where VALUE_SCALE is a certain win
_MIN_REPORT_PLAYOUTS = 10  # before this number of playouts, an analysis reports nothing: a single result is chance
REPORT_INTERVAL = 0.1  # the least number of seconds between two analyses


class MoveStatistics:
    """A move of a tree node, and its statistics.

    `prior_visits` and `prior_rewards` are the virtual visits of its prior, and their rewards. `child` is the tree node
    to which the move leads, or None before its first visit. `rave_visits` counts the playouts in which the mover made
    this move here or later, and `rave_rewards` is the sum of their rewards.
    """

    __slots__ = ("child", "move", "prior_rewards", "prior_visits", "rave_rewards", "rave_visits")

    def __init__(self, move: Move, prior: Prior) -> None:
        self.move = move
        self.prior_visits, self.prior_rewards = prior
        self.child: TreeNode | None = None
        self.rave_visits = self.rave_rewards = 0.0


class TreeNode:
    """A position in the tree, with the results of the playouts through it.

    `visits` counts the playouts. `total_reward` is the sum of their rewards for the player whose move led here.
    `certain` holds the proven value for each seat, or None. `statistics` holds the moves to search, the most promising
    first; this list is created at the second visit.
    """

    __slots__ = ("certain", "node", "statistics", "total_reward", "visits")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.visits = 0
        self.total_reward = 0.0
        self.certain: tuple[float, ...] | None = None
        self.statistics: dict[Move, MoveStatistics] = {}
        if node.is_over:
            self.certain = node.values_by_seat()
        elif (certain_value := node.certain_value()) is not None:
            mover = node.to_move
            self.certain = tuple(certain_value if seat == mover else -certain_value for seat in (1, 2))

    def visited_children(self) -> dict[Move, TreeNode]:
        """Return the tree nodes to which the visited moves lead."""
        return {move: entry.child for move, entry in self.statistics.items() if entry.child is not None}


def search(
    position: Position,
    limits: SearchLimits,
    *,
    rave: bool = True,
    priors: PriorFunction = no_priors,
    random_number: RandomNumber = random.random,
) -> SearchResult:
    """Return the move with the most playouts, or a proven win.

    For `limits`, a playout counts as a node. With `rave`, a playout also counts for the moves that were played later in
    it, if the game has a policy with RAVE. `priors` returns the priors of a node's moves; the search requests them at
    the second visit of the node. The result's value is 1000 times the mean reward, from -1000 (all lost) to 1000 (all
    won), or the value of a certain result. Its variation consists of the most visited moves, and its depth is the
    number of these moves. Raises ValueError if the game is over.
    """
    tree = _create_tree(position, rave, priors, random_number)
    for _ in tree.run_playouts(limits, position.game.seats):
        pass
    return tree.result(limits)


def stream_analyses(
    position: Position, limits: SearchLimits, lines: int, *, priors: PriorFunction = no_priors
) -> Iterator[PositionAnalysis]:
    """Search until the limits, and yield the best `lines` moves several times a second.

    If there is more than one line, each of the `lines` most visited moves gets at least 5 % of the playouts. Otherwise
    the search would give the best move nearly all playouts.

    Raises ValueError if the game is over.
    """
    tree = _create_tree(position, priors=priors)
    tree.sharing_count = lines if lines > 1 else 0
    next_report_at = 0.0
    for _ in tree.run_playouts(limits, position.game.seats):
        if limits.seconds >= next_report_at and tree.root.visits >= _MIN_REPORT_PLAYOUTS:
            yield tree.analysis(limits, lines)
            next_report_at = limits.seconds + REPORT_INTERVAL
    yield tree.analysis(limits, lines)


def _create_tree(
    position: Position,
    rave: bool = True,
    priors: PriorFunction = no_priors,
    random_number: RandomNumber = random.random,
) -> _Tree:
    policy = playout_policy_for(position.game.name)
    root = TreeNode(policy.node(position))
    if root.node.is_over:
        raise ValueError("the game is over: there is nothing to search")
    root.certain = None  # a certain result of the position does not tell which move to play
    return _Tree(root, policy, RAVE_EQUIVALENCE if rave and policy.rave else 0.0, priors, random_number)


class _Tree:
    def __init__(
        self,
        root: TreeNode,
        policy: PlayoutPolicy,
        rave_equivalence: float,
        priors: PriorFunction,
        random_number: RandomNumber,
    ) -> None:
        self.root, self.policy, self.rave_equivalence, self.priors = root, policy, rave_equivalence, priors
        self.random_number = random_number
        self.size = 1
        self.sharing_count = 0  # number of moves of the root that get a minimum share of the playouts

    def statistics_by_move(self, tree_node: TreeNode) -> dict[Move, MoveStatistics]:
        """Return the statistics of the moves to search, the most promising move first, each with its prior."""
        if not tree_node.statistics:
            priors = self.priors(tree_node.node)
            moves = tree_node.node.moves()
            tree_node.statistics = {move: MoveStatistics(move, priors.get(move, NO_PRIOR)) for move in moves}
        return tree_node.statistics

    def run_playouts(self, limits: SearchLimits, seat_count: int) -> Iterator[None]:
        """Run playouts until the limits or a certain result, and yield after each playout."""
        root = self.root
        longest_seconds = 0.0  # the seconds that a playout may take: a playout that starts too late would end too late
        try:
            while root.certain is None and (len(self.statistics_by_move(root)) > 1 or not root.visits):
                limits.count_node()
                playout_start = limits.now()
                if root.visits and playout_start + longest_seconds >= limits.stop_at:
                    raise OutOfLimits
                self.run_playout(seat_count)
                longest_seconds = max(limits.now() - playout_start, LONGEST_PLAYOUT_DECAY * longest_seconds)
                yield
        except OutOfLimits:
            limits.nodes_used -= 1

    def run_playout(self, seat_count: int) -> None:
        """Run one playout: follow the tree to a leaf, play from there to the end, and add the result to the path."""
        path, moves_made = [self.root], list[tuple[Seat, Move]]()
        tree_node = self.root
        while tree_node.certain is None:
            move_statistics = self._move_below_share() if tree_node is self.root else None
            move_statistics = move_statistics or self._select_move(tree_node)
            moves_made.append((tree_node.node.to_move, move_statistics.move))
            known_child = move_statistics.child
            next_tree_node = known_child or TreeNode(tree_node.node.child_after(move_statistics.move))
            path.append(next_tree_node)
            tree_node = next_tree_node
            if known_child is None:
                if self.size < MAX_TREE_NODES:
                    move_statistics.child = next_tree_node
                    self.size += 1
                break
        if tree_node.certain is not None:
            rewards = tuple(0.5 + 0.5 * (value > 0) - 0.5 * (value < 0) for value in tree_node.certain)
            if seat_count > 2:
                max_certain = max(map(abs, tree_node.certain)) or 1.0
                rewards = tuple(0.5 + value / max_certain / 2 for value in tree_node.certain)
        else:
            rewards, later_moves = self.policy.run_playout(tree_node.node, self.random_number)
            moves_made.extend(later_moves)
        self._back_up(path, moves_made, rewards)

    def _move_below_share(self) -> MoveStatistics | None:
        """Return a move of the root that lacks playouts for its minimum share; None if there is none.

        At most every second playout begins with such a move.
        """
        if not self.sharing_count or self.root.visits % 2 == 0:
            return None

        def visits(move_statistics: MoveStatistics) -> int:
            return 0 if move_statistics.child is None else move_statistics.child.visits

        all_moves = self.root.statistics.values()
        open_moves = (each for each in all_moves if each.child is None or each.child.certain is None)
        least_visited = min(heapq.nlargest(self.sharing_count, open_moves, key=visits), key=visits, default=None)
        if least_visited is None or visits(least_visited) > _MIN_PLAYOUT_SHARE * self.root.visits:
            return None
        return least_visited

    def _select_move(self, tree_node: TreeNode) -> MoveStatistics:
        """Return the move with the highest upper confidence bound (UCB1), from its playouts and RAVE results."""
        mover = tree_node.node.to_move - 1
        exploration = self.policy.exploration * math.sqrt(math.log(tree_node.visits + 1))
        rave_equivalence, sqrt = self.rave_equivalence, math.sqrt
        best_score, best_move_statistics = -math.inf, None
        for move_statistics in self.statistics_by_move(tree_node).values():
            visits, total, child = move_statistics.prior_visits, move_statistics.prior_rewards, move_statistics.child
            if child is not None:
                if child.certain is not None:
                    if child.certain[mover] > CERTAIN_THRESHOLD:
                        return move_statistics
                    bound = -1.0 if child.certain[mover] < -CERTAIN_THRESHOLD else 0.5
                    if bound > best_score:
                        best_score, best_move_statistics = bound, move_statistics
                    continue
                visits += child.visits
                total += child.total_reward
            if visits:
                bound = total / visits
                if rave_equivalence and move_statistics.rave_visits:
                    weight = sqrt(rave_equivalence / (3 * visits + rave_equivalence))
                    bound += weight * (move_statistics.rave_rewards / move_statistics.rave_visits - bound)
                bound += exploration / sqrt(visits)
            else:
                rave_visits = move_statistics.rave_visits
                bound = exploration + (move_statistics.rave_rewards / rave_visits if rave_visits else UNVISITED_VALUE)
            if bound > best_score:
                best_score, best_move_statistics = bound, move_statistics
        assert best_move_statistics is not None
        return best_move_statistics

    def _back_up(self, path: list[TreeNode], moves: list[tuple[Seat, Move]], rewards: tuple[float, ...]) -> None:
        for depth in range(len(path) - 1, -1, -1):
            tree_node = path[depth]
            tree_node.visits += 1
            if depth:
                tree_node.total_reward += rewards[path[depth - 1].node.to_move - 1]
            statistics = tree_node.statistics
            if not statistics:
                continue
            if self.rave_equivalence:
                mover = tree_node.node.to_move
                reward = rewards[mover - 1]
                for move in {move for seat, move in moves[depth:] if seat == mover}:
                    if (move_statistics := statistics.get(move)) is not None:
                        move_statistics.rave_visits += 1.0
                        move_statistics.rave_rewards += reward
            if tree_node.certain is None and depth + 1 < len(path) and path[depth + 1].certain is not None:
                tree_node.certain = self._proven_value(tree_node)

    def _proven_value(self, tree_node: TreeNode) -> tuple[float, ...] | None:
        """Return the proven result of a position, or None.

        The proven result is that of a winning move, or the best result of all moves if each move is proven.
        """
        mover, best_values = tree_node.node.to_move - 1, None
        visited_children = tree_node.visited_children().values()
        for child in visited_children:
            if child.certain is not None and (best_values is None or child.certain[mover] > best_values[mover]):
                best_values = child.certain
        if best_values is not None and best_values[mover] > CERTAIN_THRESHOLD:
            return best_values
        are_all_visited = len(visited_children) == len(tree_node.statistics)
        are_all_proven = are_all_visited and all(child.certain is not None for child in visited_children)
        return best_values if are_all_proven else None

    def result(self, limits: SearchLimits) -> SearchResult:
        """Return the result of the tree."""
        value, variation = self._best_lines(1)[0]
        most_visited = sorted(self.root.visited_children().items(), key=lambda item: -item[1].visits)
        root_visits = max(1, self.root.visits)
        reported_moves = most_visited[:MAX_REPORTED_MOVES]
        shares = tuple((move, round(child.visits / root_visits, 3)) for move, child in reported_moves)
        return SearchResult(variation[0], value, len(variation), limits.nodes_used, variation, limits.seconds, shares)

    def analysis(self, limits: SearchLimits, lines: int) -> PositionAnalysis:
        """Return the best moves, and the values of moves with a certain result or enough visits."""
        best_lines = self._best_lines(lines)
        children = self.root.visited_children()
        most_visits = max((child.visits for child in children.values()), default=0)
        min_visits = max(_MIN_VALUE_VISITS, _MIN_VALUE_SHARE * most_visits)
        values = {
            move: self._value_of_child(child)
            for move, child in children.items()
            if child.certain is not None or child.visits >= min_visits
        }
        return PositionAnalysis(
            tuple(best_lines), len(best_lines[0].variation), limits.nodes_used, limits.seconds, values, CLEAR_LEAD, True
        )

    def _best_lines(self, count: int) -> list[ScoredLine]:
        lines_found = list[ScoredLine]()
        for root_statistics in self._rank_moves(self.root)[:count]:
            variation, move_statistics = [root_statistics.move], root_statistics
            while (
                move_statistics.child is not None
                and (next_statistics := next(iter(self._rank_moves(move_statistics.child)), None)) is not None
                and next_statistics.child is not None
                and (next_statistics.child.visits >= _MIN_LINE_VISITS or next_statistics.child.certain is not None)
            ):
                variation.append(next_statistics.move)
                move_statistics = next_statistics
            if root_statistics.child is not None:
                lines_found.append(ScoredLine(self._value_of_child(root_statistics.child), tuple(variation)))
        if lines_found:
            return lines_found
        # there was no time for a single playout: use the priors, if there are any
        statistics = self.statistics_by_move(self.root).values()
        best = max(statistics, key=lambda entry: entry.prior_rewards / (entry.prior_visits or 1.0))
        return [ScoredLine(0.0, (best.move,))]

    def _value_of_child(self, child: TreeNode) -> float:
        """Return the value of a child of the root for the mover of the root."""
        if child.certain is not None:
            return child.certain[self.root.node.to_move - 1]
        return VALUE_SCALE * (2 * child.total_reward / child.visits - 1) if child.visits else 0.0

    def _rank_moves(self, tree_node: TreeNode) -> list[MoveStatistics]:
        """Return the visited moves, the best first.

        Proven wins come first, the quickest first. Then come the other moves by visits and priors, then proven losses,
        the slowest first.
        """
        mover = tree_node.node.to_move - 1

        def rank(move_statistics: MoveStatistics) -> tuple[float, float]:
            child = move_statistics.child
            assert child is not None
            trust = child.visits + move_statistics.prior_rewards  # after few playouts the prior still decides
            if child.certain is None:
                return 0.0, trust
            value = child.certain[mover]
            return (value, 0.0) if abs(value) > CERTAIN_THRESHOLD else (0.0, trust)

        visited = (entry for entry in tree_node.statistics.values() if entry.child is not None)
        return sorted(visited, key=rank, reverse=True)
