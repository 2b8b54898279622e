"""Iterative deepening by alpha-beta with a transposition table. It searches forced lines more deeply.

The module does not depend on games; it sees positions as nodes (node.py). To the method of alpha_beta.py it adds
principal variation search, a transposition table, killer moves, late move reductions, extensions, and forced wins
(vcf.py). Comments and names in the code mark each of these ideas.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from gomogo_core.games.base import Move, Position
from gomogo_core.search import max_n
from gomogo_core.search.deepening import MAX_DEPTH, search_to_increasing_depths
from gomogo_core.search.evaluation import clear_lead_of, node_of
from gomogo_core.search.limits import OutOfLimits, SearchLimits
from gomogo_core.search.node import CERTAIN_THRESHOLD, INFINITY, Node, win_in
from gomogo_core.search.result import PositionAnalysis, ScoredLine, SearchResult
from gomogo_core.search.vcf import VcfSearch

MAX_EXTENSION = 10  # plies past the nominal depth that forced moves may add
VCF_NODES = 2000  # nodes of the search for a forced win before the main search: a few hundredths of a second
MAX_TABLE_ENTRIES = 200_000  # about 60 MB, which a search fills in a minute
WHOLE_TREE_DEPTH = 1_000_000  # the depth of a stored search that followed every line to the end of the game
# Late move reductions: 4 moves are searched to the full depth, the next 10 to one ply less, others to two plies less.
FIRST_REDUCTION_FROM, SECOND_REDUCTION_FROM = 4, 14


def search(position: Position, limits: SearchLimits) -> SearchResult:
    """Return the best move found within `limits`, at once if it is the only move or its result is certain.

    With more than two players, search by max^n. Raises ValueError if the game is over.
    """
    if position.game.seats > 2:
        return max_n.search(position, limits)
    return search_node(node_of(position), limits)


def search_node(root: Node, limits: SearchLimits) -> SearchResult:
    """Search a game for two from `root`, a node that the caller has made. Raises ValueError if the game is over."""
    return search_to_increasing_depths(root, limits, _Search(root, limits).search_to_depth)


def stream_analyses(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
    """Yield the best `lines` moves each time one of them has been searched, and after each depth, until the limits.

    A move that certainly wins or loses is not searched again. Only for two players. Raises ValueError if the game is
    over.
    """
    root = node_of(position)
    if root.is_over:
        raise ValueError("the game is over: there is nothing to search")
    search, lead = _Search(root, limits), clear_lead_of(position.game.name)
    lines = min(lines, len(search.moves))
    lines_found = [ScoredLine(root.value(), (search.moves[0],))]
    reached_depth = 0
    with suppress(OutOfLimits):
        for depth in range(1, int(min(limits.depth, MAX_DEPTH)) + 1):
            limits.reached_horizon = False
            lines_of_depth = [line for line in lines_found if abs(line.value) > CERTAIN_THRESHOLD]
            while len(lines_of_depth) < lines:
                for line in search.search_to_depth(depth, [line.variation[0] for line in lines_of_depth]):  # noqa: B007  (the last counts)
                    pass
                lines_of_depth.append(line)
                searched_moves = {line.variation[0] for line in lines_of_depth}
                other_lines = [line for line in lines_found if line.variation[0] not in searched_moves]
                lines_found = (lines_of_depth + other_lines)[:lines]
                yield _analysis(lines_found, reached_depth, limits, lead)
            reached_depth = depth
            yield _analysis(lines_found, reached_depth, limits, lead)
            are_all_certain = all(abs(line.value) > CERTAIN_THRESHOLD for line in lines_found)
            if are_all_certain or not (limits.reached_horizon or depth == 1):
                return
    yield _analysis(lines_found, reached_depth, limits, lead)


def _analysis(
    scored_lines: Sequence[ScoredLine], depth: int, limits: SearchLimits, clear_lead: float
) -> PositionAnalysis:
    lines = tuple(sorted(scored_lines, key=lambda line: -line.value))
    return PositionAnalysis(lines, depth, limits.nodes_used, limits.seconds, clear_lead=clear_lead)


class TableEntry(NamedTuple):
    """The stored result for a position: its value is between `low` and `high`.

    `depth` is the depth of the search in plies, or WHOLE_TREE_DEPTH. The value of a win counts the plies from this
    position, not from the root.
    """

    depth: int
    low: float
    high: float
    move: Move | None

    def value_for(self, depth: int, alpha: float, beta: float, ply: int) -> float | None:
        """Return the value for a search of `depth` plies from a node at `ply`, or None if the entry is too shallow."""
        if self.depth < depth:
            return None
        low, high = _shift_win_value(self.low, -ply), _shift_win_value(self.high, -ply)
        return low if low >= beta or low == high else high if high <= alpha else None


def _shift_win_value(value: float, plies: int) -> float:
    """Add `plies` to the value of a win, or subtract it from the value of a loss, because these values count plies."""
    return value + plies if value > CERTAIN_THRESHOLD else value - plies if value < -CERTAIN_THRESHOLD else value


class _Search:
    def __init__(self, root: Node, limits: SearchLimits) -> None:
        self.root, self.limits = root, limits
        self.table: dict[Hashable, TableEntry] = {}
        self.killers: dict[int, Move] = {}  # for each ply, the last move that caused a beta cutoff
        self.moves = [] if root.is_over else list(root.defences() or root.moves())
        self.deepest_ply = 0

    def search_to_depth(self, depth: int, excluded: Collection[Move] = ()) -> Iterator[ScoredLine]:
        """Search the root to `depth`, and yield each move that is better than the moves before it.

        The search begins with the best moves of the previous depth. It skips the moves in `excluded`; at least one
        other move must be left.
        """
        if depth == 1 and not excluded and (forced_result := self._result_without_search()) is not None:
            yield forced_result
            return
        self.deepest_ply = depth + MAX_EXTENSION
        best_value: float = -INFINITY
        moves = [move for move in self.moves if move not in excluded]
        for move_number, move in enumerate(tuple(moves)):
            value = self._value_by_pvs(move_number, self.root, move, depth, 0, best_value, INFINITY)
            if value > best_value:
                best_value = value
                for move_list in (moves, self.moves):
                    move_list.remove(move)
                    move_list.insert(0, move)
                yield ScoredLine(value, tuple(self._variation(move, depth)))
            # if the time ends now, the next move is a better choice than this certain loss
            if best_value < -CERTAIN_THRESHOLD and move_number + 1 < len(moves):
                yield ScoredLine(self.root.value(), (moves[move_number + 1],))
        if best_value < -CERTAIN_THRESHOLD:
            yield ScoredLine(best_value, tuple(self._variation(moves[0], depth)))

    def _result_without_search(self) -> ScoredLine | None:
        """Return the only legal move, or a forced win, or None if there is neither."""
        if len(self.moves) == 1:
            return ScoredLine(self.root.value(), (self.moves[0],))
        forced_line = VcfSearch(self.limits).find_forced_win(self.root, VCF_NODES)
        return forced_line if forced_line is not None and forced_line.variation else None

    def value(self, node: Node, depth: int, alpha: float, beta: float) -> float:
        """Return the node's value for its mover: exact between `alpha` and `beta`, else a bound. Raises OutOfLimits."""
        self.limits.count_node()
        if (certain := node.certain_value()) is not None:
            return certain
        defences = None
        # extensions: a forced answer, and a defence at the last ply, do not use up depth
        if node.ply < self.deepest_ply:
            if (answer := node.only_move()) is not None:
                return self._value_after_move(node, answer, depth + 1, alpha, beta)
            if (defences := node.defences()) is not None:
                depth += depth <= 1
        if depth <= 0:
            self.limits.reached_horizon = True
            return node.value()
        if depth == 1 and (reply := node.best_child(alpha, beta)) is not None:
            self.limits.reached_horizon = True
            self.limits.unvisited_positions += reply.compared_count
            return reply.value
        stored_entry = self.table.get(node.key())
        if (
            stored_entry is not None
            and (known_value := stored_entry.value_for(depth, alpha, beta, node.ply)) is not None
        ):
            self.limits.reached_horizon |= stored_entry.depth < WHOLE_TREE_DEPTH
            return known_value
        return self._search_all_moves(node, depth, alpha, beta, defences, stored_entry.move if stored_entry else None)

    def _search_all_moves(
        self,
        node: Node,
        depth: int,
        alpha: float,
        beta: float,
        defences: Sequence[Move] | None,
        first_move: Move | None,
    ) -> float:
        """Search the moves of `node`, and store and return the value of the best move."""
        # if there is no defence, the mover loses at this ply
        best_value = -INFINITY if defences is None else -win_in(node.ply + 4)
        best_move, first_alpha = None, alpha
        reached_horizon, self.limits.reached_horizon = self.limits.reached_horizon, False
        for move_number, move in enumerate(self._order_moves(node, defences, first_move)):
            reduction = (
                min((move_number >= FIRST_REDUCTION_FROM) + (move_number >= SECOND_REDUCTION_FROM), depth - 2)
                if depth > 2 and defences is None
                else 0
            )
            value = self._value_by_pvs(move_number, node, move, depth, reduction, max(best_value, alpha), beta)
            if value > best_value:
                best_value, best_move = value, move
                if best_value >= beta:
                    self.killers[node.ply] = move
                    break
        if len(self.table) >= MAX_TABLE_ENTRIES:
            self.table.clear()
        value = _shift_win_value(best_value, node.ply)
        low, high = value if best_value > first_alpha else -INFINITY, value if best_value < beta else INFINITY
        depth = depth if self.limits.reached_horizon else WHOLE_TREE_DEPTH
        self.table[node.key()] = TableEntry(depth, low, high, best_move or first_move)
        self.limits.reached_horizon |= reached_horizon
        return best_value

    def _order_moves(self, node: Node, defences: Sequence[Move] | None, first_move: Move | None) -> Iterator[Move]:
        """Yield the stored move before other moves are generated, then the killer move, then the others in order."""
        if first_move is not None:
            yield first_move
        moves = node.moves() if defences is None else defences
        killer = self.killers.get(node.ply)
        if killer != first_move and killer in moves:
            yield killer
        for move in moves:
            if move not in (first_move, killer):
                yield move

    def _value_by_pvs(
        self, move_number: int, node: Node, move: Move, depth: int, reduction: int, alpha: float, beta: float
    ) -> float:
        """Return the value of `move` by principal variation search; `move_number` is its index in the order of moves.

        The first move gets an exact value. Each other move is only compared with `alpha`, and a late move is searched
        `reduction` plies less deeply. A move that is better than `alpha` is searched again for its exact value. Source:
        T. Marsland and M. Campbell, Parallel Search of Strongly Ordered Game Trees, Computing Surveys 14 (1982).
        Without late move reductions, the search scored 33 % in 60 games at 0.1 s per move.
        """
        if move_number == 0:
            return self._value_after_move(node, move, depth, alpha, beta)
        value = self._value_after_move(node, move, depth - reduction, alpha, alpha + 1)
        if reduction and value > alpha:
            value = self._value_after_move(node, move, depth, alpha, alpha + 1)
        if alpha < value < beta:
            value = self._value_after_move(node, move, depth, alpha, beta)
        return value

    def _value_after_move(self, node: Node, move: Move, depth: int, alpha: float, beta: float) -> float:
        """Return the value of `move` for the mover of `node`, which may also be the next to move."""
        child = node.child_after(move)
        if child.to_move == node.to_move:
            return self.value(child, depth - 1, alpha, beta)
        return -self.value(child, depth - 1, -beta, -alpha)

    def _variation(self, move: Move | None, depth: int) -> Iterator[Move]:
        """Yield `move` and the stored best replies to it, at most `depth` moves."""
        node = self.root
        for _ in range(depth):
            if move is None:
                return
            yield move
            node = node.child_after(move)
            stored_entry = self.table.get(node.key())
            move = node.only_move() or (stored_entry.move if stored_entry else None)
            if node.is_over:
                return
