"""A player of Dots and Boxes for two players. It plays perfectly if the search ends in time, otherwise by playouts.

Times are those of time.monotonic().
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.boxes import board, playouts, search
from gomogo_core.engines.boxes.array_layout import RANDOM_STATE, STOP_FLAG, PackedPosition
from gomogo_core.engines.boxes.engine import BoxesSolver
from gomogo_core.engines.stop_flag import SearchStopped
from gomogo_core.engines.win_estimates import estimate_win_share
from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition

MAX_EXACT_EDGES = 48  # the highest number of undrawn edges at which perfect play is tried
# share of the remaining time for the proof that the edge of the playouts is as good as the proved one
CHECK_TIME_SHARE = 0.2
# share of a move's time after which the exact search stops; its table still helps at the next move
EXACT_TIME_SHARE = 0.5
_INITIAL_DELAY = 0.02  # seconds by which an answer is expected to be late before any measurement
_DELAY_DECAY = 0.97  # the factor by which the expected delay shrinks from move to move
_FIRST_NODE_LIMIT = 10_000
_MAX_TREE_NODES = 400_000  # the nodes of the tree, which take 40 MB
_NO_PLAYOUT_LIMIT = 1 << 40
_REPORT_SECONDS = 0.1  # seconds of playouts between two reports
_FIRST_REPORT_SHARE = 0.25  # largest share of the time for the playouts before the first report; a proof needs the rest
_PLAYOUT_TIME_SHARE = 0.01  # share of the time for the reports of playouts before a proof, which may give none for long
_UNLIMITED_PROOF_SECONDS = 20.0  # time limit of the search for perfect play in an analysis without one
_CLOSE_SCORE_DIFFERENCE = 0.02  # if two scores differ by less, the margin decides
_LINE_SECONDS = 0.3  # seconds of the search for a line of perfect play
_LINE_LENGTH = 8  # the largest number of moves of a line
_PERFECT_LINE_LENGTH = 16  # the same for perfect play; a review searches such a line for the opening of a long chain
# the steady score of a move is averaged with the mean score of all moves, which has the weight of this number of visits
_PRIOR_VISITS = 1000
_MIN_REPLY_VISITS = 20  # a line of playouts ends before a reply with fewer visits


class ProvedEdge(NamedTuple):
    """An edge with a proved margin: the mover gets at least `margin` more open boxes than the opponent.

    If `is_exact`, no edge has a higher margin.
    """

    edge: int
    margin: int
    is_exact: bool


class PlayoutResult(NamedTuple):
    """The result of playouts.

    `position_after` is the position after the best move; empty if no box is left to play for. `margin` is the mover's
    expected margin. `score` is the mover's share of wins plus half the share of draws. `playouts` is the number of
    playouts.
    """

    position_after: tuple[int, ...]
    margin: float
    score: float
    playouts: int

    @property
    def is_decided(self) -> bool:
        """Whether the score is certain, because no box is left to play for."""
        return not self.position_after

    def for_opponent(self) -> PlayoutResult:
        """Return the result from the opponent's point of view."""
        return self._replace(margin=-self.margin, score=1 - self.score)

    def is_better_than(self, other_result: PlayoutResult) -> bool:
        """Return whether the mover prefers this result: by the score, or by the margin if the scores are close."""
        if abs(self.score - other_result.score) >= _CLOSE_SCORE_DIFFERENCE:
            return self.score > other_result.score
        return self.margin > other_result.margin


class ScoredEdgeLine(NamedTuple):
    """A line of play.

    `margin` is the mover's margin at the end of the game; it is unreliable after few playouts. `steady_score` is the
    mover's share of wins plus half the share of draws. It is the mean of two scores, that of the playouts after the
    first move and that of the playouts after the best reply, because playouts favour one side. With few visits it is
    near the mean of all playouts.
    """

    margin: float
    steady_score: float
    edges: tuple[Move, ...]


class BoxesAnalysis(NamedTuple):
    """The result of an analysis.

    `is_exact` tells whether the margins are proved. `lines` begin with different edges, the best first. `visited`
    counts playouts, or the positions of a proof. `margins` has the mover's margin at the end of the game after each
    undrawn edge; it is empty until all of them are proved.
    """

    is_exact: bool
    lines: Sequence[ScoredEdgeLine]
    visited: int
    margins: Mapping[Move, float] = MappingProxyType({})


class BoxesPlayer:
    """A player for one size of board. It keeps its tables from game to game."""

    def __init__(self, game: DotsAndBoxes, memory_mb: float = 128) -> None:
        self.game = game
        self.solver = BoxesSolver(game.rows, game.cols, memory_mb)
        # writes to every page of the arrays, so that the system allocates them before the first clock starts
        self.solver.transposition_table.fill(0)
        self.tree = np.zeros((_MAX_TREE_NODES, playouts.NODE_SIZE), np.int64)
        self.sums = np.zeros((_MAX_TREE_NODES, 2), np.float64)
        self.path = np.zeros(playouts.MAX_PATH_LENGTH, np.int64)
        self.set_seed(random.getrandbits(62))
        self.expected_delay = _INITIAL_DELAY
        self._interrupted = False

    def set_seed(self, seed: int) -> None:
        """Set the seed of the playouts: a number of at most 62 bits."""
        self.solver.state[RANDOM_STATE] = seed | 1

    def solve_ahead(self, stop_at: float) -> None:
        """Solve the empty board until the time `stop_at`; the table then speeds up the search of early positions."""
        with suppress(SearchStopped), self.solver.search_limits(stop_at):
            self.solver.best_edges(0)

    def choose(
        self,
        position: DotsAndBoxesPosition,
        stop_at: float,
        *,
        max_exact_edges: int = MAX_EXACT_EDGES,
        max_playouts: int = 0,
    ) -> tuple[Move, dict[str, Any]]:
        """Return the move, and the arguments for AgentClock.tell. The call ends before the time `stop_at`.

        Perfect play is tried with at most `max_exact_edges` undrawn edges. `max_playouts` is 0 for no limit. The time
        margin before `stop_at` adapts: it grows at once after a late answer, and then shrinks slowly.
        """
        margin = min(self.expected_delay, (stop_at - time.monotonic()) / 2)
        choice = self._choose(position, stop_at - margin, max_exact_edges, max_playouts)
        self.expected_delay = max(self.expected_delay * _DELAY_DECAY, time.monotonic() - stop_at + margin)
        return choice

    def _choose(
        self, position: DotsAndBoxesPosition, stop_at: float, max_exact_edges: int, max_playouts: int
    ) -> tuple[Move, dict[str, Any]]:
        drawn_mask, mover = position.drawn, position.to_move
        lead = position.scores[mover - 1] - position.scores[2 - mover]
        now, proved_edge = time.monotonic(), None
        if len(self.solver.undrawn_edges(drawn_mask)) <= max_exact_edges:
            proved_edge = self._prove_edge(drawn_mask, lead, now + (stop_at - now) * EXACT_TIME_SHARE)
            if proved_edge is not None and proved_edge.is_exact:
                score = float(lead + proved_edge.margin)
                return self.game.edges[proved_edge.edge], {"score": score, "thoughts": "perfect play"}
        playouts_end = stop_at - (stop_at - time.monotonic()) * (0.0 if proved_edge is None else CHECK_TIME_SHARE)
        edge, result = self._choose_edge_by_playouts(drawn_mask, lead, playouts_end, max_playouts or _NO_PLAYOUT_LIMIT)
        thoughts = f"{result.playouts} playouts"
        if proved_edge is not None:
            thoughts += f", {lead + proved_edge.margin:+} or more is proved"
            if not self._reaches_margin_in_time(drawn_mask, edge, proved_edge.margin, stop_at):
                edge = proved_edge.edge
        return self.game.edges[edge], {"score": result.margin, "thoughts": thoughts}

    def _prove_edge(self, drawn_mask: int, lead: int, stop_at: float) -> ProvedEdge | None:
        """Return the best edge that is proved before the time `stop_at`, or None. First search for an edge that does
        not lose, then for one that wins.
        """
        proved_edge: ProvedEdge | None = None
        with suppress(SearchStopped), self.solver.search_limits(stop_at):
            for low, high in self.solver.bounds(drawn_mask, -lead):
                known_margin = -self.game.rows * self.game.cols if proved_edge is None else proved_edge.margin
                if low > known_margin or low == high:
                    proved_edge = ProvedEdge(self._find_best_edge(drawn_mask, low), low, low == high)
        return proved_edge

    def _reaches_margin_in_time(self, drawn_mask: int, edge: int, margin: int, stop_at: float) -> bool:
        """Return whether a search proves before the time `stop_at` that `edge` reaches the margin `margin`."""
        try:
            with self.solver.search_limits(stop_at):
                return self.solver.edge_reaches_margin(drawn_mask, edge, margin)
        except SearchStopped:
            return False

    def stream_analyses(
        self, position: DotsAndBoxesPosition, *, stop_at: float | None = None, playouts: int = 0, lines: int = 1
    ) -> Iterator[BoxesAnalysis]:
        """Search by playouts for a moment, then try perfect play. If that fails, continue with playouts until a limit.

        `stop_at` is a time of time.monotonic(). `playouts` limits the playouts, and the positions of the proof; 0 means
        no limit. Yields at least once. After perfect play is known, the margins of all edges follow if `lines` is more
        than 1.
        """
        self._interrupted = False
        drawn_mask, mover = position.drawn, position.to_move
        lead = position.scores[mover - 1] - position.scores[2 - mover]
        reports = self._stream_playout_reports(drawn_mask, lead, stop_at, playouts or _NO_PLAYOUT_LIMIT, lines)
        now = time.monotonic()
        first_end = now + _PLAYOUT_TIME_SHARE * (_UNLIMITED_PROOF_SECONDS if stop_at is None else stop_at - now)
        for report in reports:
            yield report
            if time.monotonic() >= first_end:
                break
        if len(self.solver.undrawn_edges(drawn_mask)) <= MAX_EXACT_EDGES and not self._interrupted:
            now = time.monotonic()
            proof_end = now + (_UNLIMITED_PROOF_SECONDS if stop_at is None else (stop_at - now) * EXACT_TIME_SHARE)
            try:
                report = self._report_perfect_play(drawn_mask, lead, proof_end, playouts, lines)
            except SearchStopped:
                pass
            else:
                yield report
                if lines > 1 and not self._interrupted:  # the caller compares moves
                    with suppress(SearchStopped), self.solver.search_limits(proof_end, playouts):
                        edges = self._prove_best_edges(drawn_mask, len(self.game.edges))
                        margins: dict[Move, float] = {self.game.edges[edge]: lead + margin for margin, edge in edges}
                        yield report._replace(margins=margins)
                return
        yield from reports

    def interrupt(self) -> None:
        """Stop the current search. Another thread calls this."""
        self._interrupted = True
        self.solver.interrupt()

    def _stream_playout_reports(
        self, drawn_mask: int, lead: int, stop_at: float | None, max_playouts: int, lines: int
    ) -> Iterator[BoxesAnalysis]:
        playout_count, new_tree = 0, True
        while True:
            now = time.monotonic()
            report_end = now + _REPORT_SECONDS
            if stop_at is not None:
                report_end = min(report_end, now + (stop_at - now) * (_FIRST_REPORT_SHARE if new_tree else 1))
            playouts_left = max_playouts - playout_count
            edge, result = self._choose_edge_by_playouts(drawn_mask, lead, report_end, playouts_left, new_tree=new_tree)
            playout_count, new_tree = playout_count + result.playouts, False
            move = self.game.edges[edge]
            scored_lines = self._score_visited_edges(drawn_mask)
            scored_lines.sort(key=lambda scored: scored.edges[0] != move)
            if not scored_lines or scored_lines[0].edges[0] != move:
                score = result.score if result.is_decided else estimate_win_share(result.score, result.playouts)
                scored_lines.insert(0, ScoredEdgeLine(result.margin, score, (move,)))
            yield BoxesAnalysis(False, scored_lines[:lines], playout_count)
            if (
                playout_count >= max_playouts
                or result.is_decided
                or self._interrupted
                or (stop_at is not None and report_end >= stop_at)
            ):
                return

    def _score_visited_edges(self, drawn_mask: int) -> list[ScoredEdgeLine]:
        """Return the lines of play in the tree, the most visited first; no lines if a box can be captured."""
        if self.solver.find_captures(drawn_mask)[0]:
            return []
        scored_lines = []
        for edge, child in self._children(drawn_mask, 0):
            margin, score = self._mean_result(child)
            replies, next_mask = [(edge, child)], drawn_mask
            while len(replies) < _LINE_LENGTH:
                next_mask |= 1 << replies[-1][0]
                if self.solver.find_captures(next_mask)[0] or not (
                    children := self._children(next_mask, replies[-1][1])
                ):
                    break
                replies.append(children[0])
            steady_score = (score + 1 - self._mean_result(replies[1][1])[1]) / 2 if len(replies) > 1 else score
            prior_share = _PRIOR_VISITS / (_PRIOR_VISITS + self._visits(child))
            steady_score += (1 - self._mean_result(0)[1] - steady_score) * prior_share
            line = tuple(self.game.edges[reply] for reply, _ in replies)
            scored_lines.append(ScoredEdgeLine(margin, steady_score, line))
        return scored_lines

    def _children(self, drawn_mask: int, node: int) -> list[tuple[int, int]]:
        """Return the visited children of a tree node as pairs of an edge and a node, the most visited first.

        drawn_mask: the drawn edges of the position of `node`, in which no box can be captured.
        """
        tree = self.tree
        first_child = int(tree[node, playouts.FIRST_CHILD])
        children = range(first_child, first_child + int(tree[node, playouts.CHILD_COUNT]))
        min_visits = _MIN_REPLY_VISITS if node else 1
        visited_children = (child for child in children if self._visits(child) >= min_visits)
        child_by_position = {tuple(map(int, tree[child, :4])): child for child in visited_children}
        edge_by_child = dict[int, int]()  # edges by node
        for edge in self.solver.undrawn_edges(drawn_mask) if child_by_position else ():
            if (child := child_by_position.get(self._tree_position(drawn_mask | 1 << edge) or ())) is not None:
                edge_by_child.setdefault(child, edge)
        edges_and_children = ((edge, child) for child, edge in edge_by_child.items())
        return sorted(edges_and_children, key=lambda edge_and_child: -self._visits(edge_and_child[1]))

    def _visits(self, node: int) -> int:
        return int(self.tree[node, playouts.VISITS])

    def _mean_result(self, node: int) -> tuple[float, float]:
        """Return the margin and the score of a visited tree node, for the player whose move led to the node."""
        margin, score = self.sums[node, [playouts.MARGIN, playouts.REWARD]] / self._visits(node)
        return float(margin), estimate_win_share(float(score), self._visits(node))

    def _report_perfect_play(self, drawn_mask: int, lead: int, stop_at: float, nodes: int, lines: int) -> BoxesAnalysis:
        """Return the best edges by perfect play. Raises SearchStopped."""
        nodes_before = self.solver.nodes
        with self.solver.search_limits(stop_at, nodes):
            proved_edges = self._prove_best_edges(drawn_mask, lines)
        scored_lines = list[ScoredEdgeLine]()
        for margin, edge in proved_edges:
            score = (lead + margin > 0) + (lead + margin == 0) / 2
            line = self._find_perfect_line(drawn_mask, edge, stop_at)
            scored_lines.append(ScoredEdgeLine(float(lead + margin), score, line))
        return BoxesAnalysis(True, scored_lines, self.solver.nodes - nodes_before)

    def _prove_best_edges(self, drawn_mask: int, count: int) -> list[tuple[int, int]]:
        """Return the best `count` edges as pairs of a margin and an edge, the best first. Raises SearchStopped."""
        proved_edges = list[tuple[int, int]]()
        value = lowest_value = self.solver.value(drawn_mask)
        edges_left = self.solver.undrawn_edges(drawn_mask)
        edges_left.sort(key=lambda edge: not self.solver.captured_boxes(drawn_mask, edge))
        while edges_left and len(proved_edges) < count:
            for edge in list(edges_left):
                if len(proved_edges) < count and self.solver.edge_reaches_margin(drawn_mask, edge, lowest_value):
                    proved_edges.append((lowest_value, edge))
                    edges_left.remove(edge)
            lowest_value -= 2
        assert proved_edges[0][0] == value
        return proved_edges

    def _find_perfect_line(self, drawn_mask: int, edge: int, stop_at: float) -> tuple[Move, ...]:
        """Return a line that begins with `edge` and continues with perfect play while moves are found quickly."""
        line = [edge]
        with suppress(SearchStopped), self.solver.search_limits(min(stop_at, time.monotonic() + _LINE_SECONDS)):
            while len(line) < _PERFECT_LINE_LENGTH:
                drawn_mask |= 1 << line[-1]
                if not self.solver.undrawn_edges(drawn_mask):
                    break
                line.append(self._find_best_edge(drawn_mask, self.solver.value(drawn_mask)))
        return tuple(self.game.edges[edge] for edge in line)

    def _find_best_edge(self, drawn_mask: int, value: int) -> int:
        """Return an edge that gives the mover `value`, if possible an edge that captures. Raises SearchStopped."""
        edges = self.solver.undrawn_edges(drawn_mask)
        random.shuffle(edges)
        edges.sort(key=lambda edge: self.solver.edge_sort_key(drawn_mask, edge))
        nodes = _FIRST_NODE_LIMIT  # the proof of the value left one such edge in the table, so few nodes find it
        while edges:
            unknown_edges = []
            for edge in edges:
                if is_best := self.solver.edge_reaches_margin_within(nodes, drawn_mask, edge, value):
                    return edge
                if is_best is None:
                    unknown_edges.append(edge)
            edges, nodes = unknown_edges, 8 * nodes
        raise ValueError(f"no edge reaches {value}")

    def _choose_edge_by_playouts(
        self, drawn_mask: int, lead: int, stop_at: float, max_playouts: int, *, new_tree: bool = True
    ) -> tuple[int, PlayoutResult]:
        """Return the edge that playouts prefer, and their result. Captures come first.

        `new_tree` tells whether to begin a new tree; otherwise the tree must belong to this position.
        """
        solver = self.solver
        captured_boxes, handed_out_boxes, free_h, free_v = solver.find_captures(drawn_mask)
        if can_hand_out := captured_boxes > 0 and captured_boxes == handed_out_boxes:
            now = time.monotonic()
            result_after_handout = self._search_by_playouts(
                free_h, free_v, handed_out_boxes - lead, (now + stop_at) / 2, max_playouts, True
            ).for_opponent()
        lead += captured_boxes
        result = self._search_by_playouts(free_h, free_v, lead, stop_at, max_playouts, new_tree or can_hand_out)
        if captured_boxes == 0:
            edges = (
                edge
                for edge in solver.undrawn_edges(drawn_mask)
                if self._tree_position(drawn_mask | 1 << edge) == result.position_after
            )
            edge = next(edges, -1)
            return edge if edge >= 0 else self._find_least_costly_edge(drawn_mask), result
        capturing_edges = [edge for edge in solver.undrawn_edges(drawn_mask) if solver.captured_boxes(drawn_mask, edge)]
        for edge in capturing_edges:  # edges that leave the last boxes to the opponent
            counts_after = solver.find_captures(drawn_mask | 1 << edge)
            if (
                counts_after[1] == handed_out_boxes
                and counts_after[0] + solver.captured_boxes(drawn_mask, edge) == captured_boxes
            ):
                return edge, result
        if can_hand_out and result_after_handout.is_better_than(result):
            for edge in set(solver.undrawn_edges(drawn_mask)) - set(capturing_edges):
                if solver.find_captures(drawn_mask | 1 << edge) == (handed_out_boxes, 0, free_h, free_v):
                    return edge, result_after_handout
        return capturing_edges[0], result

    def _search_by_playouts(
        self, free_h: int, free_v: int, lead: int, stop_at: float, max_playouts: int, new_tree: bool
    ) -> PlayoutResult:
        """Search a position without captures by playouts, and return their result."""
        arrays = self.solver.arrays
        masks = np.uint64(free_h), np.uint64(free_v)
        boxes = int(sum(board.boxes_by_degree(arrays.geometry, arrays.state, *masks))).bit_count()
        if boxes == 0:
            return PlayoutResult((), lead, (lead > 0) + (lead == 0) / 2, 0)
        if new_tree:
            playouts.write_node(self.tree, self.sums, 0, self._pack_position(free_h, free_v, boxes), lead)
        with stop_flag.set_flag_at(stop_at, arrays.state, STOP_FLAG):
            playout_count = playouts.run_playouts(arrays, self.tree, self.sums, self.path, max_playouts)
        arrays.state[STOP_FLAG] = 0
        first_child, count = int(self.tree[0, playouts.FIRST_CHILD]), int(self.tree[0, playouts.CHILD_COUNT])
        children = range(first_child, first_child + count)
        best_child = max(children, key=lambda child: self.tree[child, playouts.VISITS], default=0)
        opponent_means = self.sums[0] / max(1, self.tree[0, playouts.VISITS])
        margin, score = -float(opponent_means[playouts.MARGIN]), 1 - float(opponent_means[playouts.REWARD])
        return PlayoutResult(tuple(map(int, self.tree[best_child, :4])), margin, score, int(playout_count))

    def _tree_position(self, drawn_mask: int) -> tuple[int, ...] | None:
        """Return the position after all captures, as the numbers that a tree node stores; None if some boxes can be
        handed out.
        """
        _, handed_out, free_h, free_v = self.solver.find_captures(drawn_mask)
        packed_numbers = self._pack_position(free_h, free_v, 0)[:4]
        return None if handed_out else tuple(int(number.astype(np.int64)) for number in packed_numbers)

    def _pack_position(self, free_h: int, free_v: int, boxes: int) -> PackedPosition:
        """Return a position with its independent chains and loops packed."""
        position = PackedPosition(np.uint64(free_h), np.uint64(free_v), board.ZERO, board.ZERO, boxes)
        *numbers, box_count = search.position_with_chains_packed(
            self.solver.geometry.array, self.solver.state, position
        )
        free_edges_h, free_edges_v, chains, loops = map(np.uint64, numbers)  # Numba returns them as Python ints
        return PackedPosition(free_edges_h, free_edges_v, chains, loops, box_count)

    def _find_least_costly_edge(self, drawn_mask: int) -> int:
        """Return the edge after which the opponent can capture the fewest boxes."""
        edges = self.solver.undrawn_edges(drawn_mask)
        return min(edges, key=lambda edge: self.solver.find_captures(drawn_mask | 1 << edge)[0])


def compile_functions() -> None:
    """Do nothing: the import has compiled every function, or has read it from the cache."""
