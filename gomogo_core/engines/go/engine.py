"""A class that searches positions of gomogo_core.games, and returns their moves with the results of playouts.

The module uses games, times of time.monotonic(), and the compiled search. It keeps its tree from move to move.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.go import array_layout as at
from gomogo_core.engines.go import board, capture_search, first_moves, forced_wins, move_features, priors, tree
from gomogo_core.engines.go.playouts import sample_ends
from gomogo_core.engines.win_estimates import estimate_win_share
from gomogo_core.games.base import Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.go import Go
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import PASS, GoFamilyGame, GoFamilyPosition

_KO_RULES = {
    "none": at.NO_KO,
    "simple": at.SIMPLE_KO,
    "positional": at.POSITIONAL_SUPERKO,
    "situational": at.SITUATIONAL_SUPERKO,
}
_SCORINGS = {"area": at.AREA_SCORING, "territory": at.TERRITORY_SCORING, "stone": at.STONE_SCORING}
_NO_MOVE_LIMIT = 2**30  # moves, in a game without a move limit
NO_PLAYOUT_LIMIT = 2**30
MAX_REWARDED_PLAYOUTS = 15_000_000  # half of those whose rewards fit into 32 bits: a tree may be searched again
_MAX_VARIATION_LENGTH = 12
# in an analysis: the playouts before the first report, and the seconds between later reports
_FIRST_REPORT_PLAYOUTS, _REPORT_SECONDS = 500, 0.2
# a later move of a variation needs this many visits: with fewer, the moves are hardly better than random ones
_MIN_LINE_VISITS = 30
_MIN_REPLY_VISITS = 8  # the share of won playouts after a reply with fewer visits is not reliable
# Near the end of a game of Go, which ends within the tree, this number of playouts from the root estimates the end.
_MIN_END_PLAYOUTS = 100
_BYTES_PER_NUMBER = 4  # bytes of a number in the tree


@dataclass(frozen=True, slots=True)
class SearchedMove:
    """A move at the root, with its visits and its principal variation.

    `win_share` is the share of the visits that the mover won. `is_proved` tells whether a search has proved the result.
    `steady_share` is the mean of `win_share` and the mover's share after the opponent's best reply; 0.5 without visits.
    `win_share` alone includes worse replies and is therefore too high, so estimates would rise and fall with the turns.
    `lead` is black's mean lead in points after the playouts of this search that begin with the move; None if there are
    none, or in games without points. `steady_reward` is like `steady_share`, for the rewards of playouts instead of
    their wins: with `GoEngine.points_percent`, points count too.
    """

    move: Move
    visits: int
    win_share: float
    variation: tuple[Move, ...]
    is_proved: bool = False
    steady_share: float = 0.5
    lead: float | None = None
    steady_reward: float = 0.5

    @property
    def sort_key(self) -> tuple[float, int]:
        """The sort key, highest for the best move: a proved win has the highest key, a proved loss the lowest."""
        return (2 * self.win_share - 1 if self.is_proved else 0.0), self.visits

    @property
    def estimated_share(self) -> float:
        """`steady_share` for users: unless it is proved, an estimate that is no certainty after a few visits."""
        return self.steady_share if self.is_proved else estimate_win_share(self.steady_share, self.visits)


# A point of Go is settled if its owner (`ExpectedGoEnd.owners`) is at least this far from 0. A board is settled if at
# most this share of its points is not settled.
_MIN_SETTLED_OWNER, _MAX_UNSETTLED_SHARE = 0.4, 0.05


@dataclass(frozen=True, slots=True)
class AlphaBetaMove:
    """A move of Capture Go by alpha-beta search.

    `win_share` is the estimated winning probability, 1 or 0 if the result is certain; else the mean of two successive
    depths, because the player who moves last gains about a move. `depth` is in plies, and `nodes` counts the visited
    positions. `is_certain` tells whether the result is proved.
    """

    move: Move
    win_share: float
    depth: int
    nodes: int
    is_certain: bool = False


class ExpectedGoEnd(NamedTuple):
    """The end of the game that a search of Go expects: means over the search's playouts.

    lead: black's lead in points, komi included. error: the standard error of the lead. owners: the owner of each point,
    from 1 for black to -1 for white. is_settled: whether most playouts agree on the owner of every point.
    """

    lead: float
    error: float
    owners: dict[Point, float]
    is_settled: bool = False


@dataclass
class GoEngine:
    """A board and a search tree, for one game of Go, Capture Go or Robogo.

    `memory_mb` is the size of the tree in megabytes. With `random_playouts`, playouts are uniformly random. With
    `reads_forced_wins`, the search looks for forced wins in the tree (forced_wins.py), and passes results up the tree.

    The last fields are parameters of the tree (tree.py and priors.py). `rave_percent` scales the number of visits
    at which RAVE and the results of a move have the same weight. `prior_percent` scales the virtual visits of the
    priors. `expansion_visits` is the number of visits at which a leaf gets children. In Go, `points_percent` is the
    percentage of the points in the reward of a playout, and with `knows_vital_points`, the vital point of a small eye
    space has the best prior.
    """

    game: GoFamilyGame
    memory_mb: int = 64
    random_playouts: bool = False
    seed: int = 1
    reads_forced_wins: bool = True
    rave_percent: int = 100
    prior_percent: int = 100
    expansion_visits: int = 6
    points_percent: int = 0
    knows_vital_points: bool = False
    state: Any = field(init=False)

    def __post_init__(self) -> None:
        self.state, self.playout_board = np.zeros(at.STATE_SIZE, np.int32), np.zeros(at.STATE_SIZE, np.int32)
        size = max(4 * at.CELL_COUNT * at.NODE_SIZE, (self.memory_mb << 20) // (2 * _BYTES_PER_NUMBER))
        self.tree, self.spare_tree = np.empty(size, np.int32), np.empty(size, np.int32)
        for tree_array in (self.tree, self.spare_tree):
            # writes to every page of the arrays, so that the system allocates them before the first clock starts
            tree_array.fill(0)
        self.earlier_hashes = np.zeros(1, np.int64)
        self.end_sums = np.zeros(at.END_SUMS_SIZE, np.int64)
        self._boards = forced_wins.new_board_stack()
        self._forced_win_memory = np.zeros(forced_wins.FORCED_WIN_MEMORY_SIZE, np.int32)
        self.playout_board[at.RANDOM_STATE] = self.state[at.RANDOM_STATE] = self.seed
        self._hash_of_board_number: dict[int, int] = {}  # cache: number of an earlier board -> its hash
        self._set_rules()

    def _set_rules(self) -> None:
        s, game = self.state, self.game
        s[at.GAME_KIND] = at.GO if isinstance(game, Go) else at.CAPTURE_GO if isinstance(game, CaptureGo) else at.ROBOGO
        s[at.ROWS], s[at.COLUMNS] = game.rows, game.cols
        s[at.SUICIDE_ALLOWED], s[at.CAPTURES_ALLOWED], s[at.PASSING_ALLOWED] = game.suicide, game.captures, game.passing
        s[at.KO_RULE], s[at.MAX_MOVES] = _KO_RULES[game.ko], game.max_moves or _NO_MOVE_LIMIT
        s[at.RANDOM_PLAYOUTS] = self.random_playouts
        if isinstance(game, Go):
            s[at.DOUBLED_KOMI], s[at.SCORING] = round(2 * game.komi), _SCORINGS[game.scoring]
        if isinstance(game, CaptureGo):
            s[at.CAPTURE_TARGET] = game.target
        if isinstance(game, Robogo):
            s[at.ROW_LENGTH], s[at.DIAGONAL_ROWS] = game.line, game.diagonals

    def set_position(self, position: GoFamilyPosition) -> None:
        """Set up the compiled board of a position, with the player to move, ko and the counts."""
        s = self.state
        board.reset(s)
        for point_index, point in enumerate(self.game.bit_geometry.points):
            if point is not None and (colour := position.board.colour(point_index)):
                board._place_stone(s, at.cell_of(point.column, point.row), colour)
        s[at.WINNER] = 0
        s[at.TURN], s[at.MOVE_NUMBER], s[at.PASSES] = position.to_move, position.moves_played, position.passes
        s[at.CAPTURE_COUNTS_START + BLACK], s[at.CAPTURE_COUNTS_START + WHITE] = position.captures
        s[at.LAST_MOVE] = 0 if position.last in (None, PASS) else self.cell_at_point(position.last)
        s[at.KO_CELL] = 0
        if self.game.ko == "simple" and self.game.captures:
            geometry = self.game.bit_geometry
            ko_points = [geometry.points[i] for i in geometry.point_indices_in(position.ko_mask())]
            if position.previous_board_key == position.board.key:
                s[at.KO_CELL] = at.BOARD_UNCHANGED
            elif ko_points:
                s[at.KO_CELL] = self.cell_at_point(ko_points[0])
        self._set_earlier_hashes(position)

    def _set_earlier_hashes(self, position: GoFamilyPosition) -> None:
        numbers = position.earlier_boards.board_numbers if position.earlier_boards is not None else ()
        if len(self.earlier_hashes) < len(numbers) + 512:
            self.earlier_hashes = np.zeros(len(numbers) + 1024, np.int64)
        self.earlier_hashes[0] = len(numbers)
        for i, number in enumerate(numbers):
            if number not in self._hash_of_board_number:
                self._hash_of_board_number[number] = self._compute_hash(number)
            self.earlier_hashes[1 + i] = self._hash_of_board_number[number]

    def _compute_hash(self, board_number: int) -> int:
        """Return the hash (`board.board_hash`) of an earlier board, given its number (`EarlierBoards.board_number`)."""
        geometry, key, hash_value = self.game.bit_geometry, board_number >> 1, 0
        for colour, mask in ((BLACK, key & geometry.full_mask), (WHITE, key >> geometry.length)):
            for point in geometry.points_in(mask):
                hash_value ^= int(board.ZOBRIST[colour * at.CELL_COUNT + self.cell_at_point(point)])
        if board_number & 1:  # black moves next, under situational superko
            hash_value ^= int(board.ZOBRIST[0])
        return hash_value

    def cell_at_point(self, point: Any) -> int:
        """Return the cell of a point."""
        return at.cell_of(point.column, point.row)

    def move_of(self, cell: int) -> Move:
        """Return the point or the pass that a cell represents."""
        if cell == at.PASS:
            return PASS
        geometry = self.game.bit_geometry
        return geometry.points[(cell // at.STRIDE - 1) * geometry.stride + cell % at.STRIDE - 1]

    def usual_first_moves(self, position: GoFamilyPosition) -> list[Move]:
        """Return the usual first moves, all about equally good; the list is empty unless a game of Go begins."""
        self.set_position(position)
        if not first_moves.may_be_beginning(self.state):
            return []
        empty_cells = self.state[at.EMPTY_CELLS_START : at.EMPTY_CELLS_START + self.state[at.EMPTY_COUNT]].tolist()
        return [self.move_of(cell) for cell in sorted(empty_cells) if first_moves.is_usual_first_move(self.state, cell)]

    def rank_moves(
        self, position: GoFamilyPosition, *, stop_at: float | None = None, playouts: int = 0
    ) -> list[SearchedMove]:
        """Search `position`, whose game is not over, until a limit; return the legal moves, the most visited first, or
        the usual first moves if there are any.

        `stop_at` is a time of time.monotonic(). `playouts` limits the playouts; 0 means no limit.
        """
        *_, ranked_moves = self._search(position, stop_at, playouts, NO_PLAYOUT_LIMIT, 1)
        return ranked_moves

    def stream_analyses(
        self,
        position: GoFamilyPosition,
        *,
        stop_at: float | None = None,
        playouts: int = 0,
        lines: int = 1,
        also: Collection[Move] = (),
        left_out: Collection[Move] = (),
        urgent: Collection[Move] = (),
    ) -> Iterator[list[SearchedMove]]:
        """Search as `rank_moves` does, and yield the current result several times a second.

        If there is more than one line, each of the `lines` most visited moves, and each of the moves in `also`, gets at
        least 5 % of the playouts. The search would otherwise visit hardly any move but the best. The caller may change
        `also` between two results. The search does not try the moves in `left_out`, which must leave some legal moves.
        In Go, the moves in `urgent` have the best prior in the whole tree; it may change as `also`.
        """
        return self._search(position, stop_at, playouts, _FIRST_REPORT_PLAYOUTS, lines, also, left_out, urgent)

    def _search(
        self,
        position: GoFamilyPosition,
        stop_at: float | None,
        playouts: int,
        first_batch_size: int,
        lines: int,
        also: Collection[Move] = (),
        left_out: Collection[Move] = (),
        urgent: Collection[Move] = (),
    ) -> Iterator[list[SearchedMove]]:
        """Search, and yield the moves after `first_batch_size` playouts, then at regular intervals, and at the end."""
        self._set_tree(position)
        self.set_position(position)
        self.playout_board[at.PLAYOUT_COUNT] = self.state[at.STOP_FLAG] = 0
        self.end_sums.fill(0)
        self.state[at.READS_FORCED_WINS] = self.reads_forced_wins and not isinstance(self.game, Go)
        self.state[at.RAVE_PERCENT], self.state[at.PRIOR_PERCENT] = self.rave_percent, self.prior_percent
        self.state[at.EXPANSION_VISITS] = self.expansion_visits
        self._set_goal()
        self._set_urgent_moves(())
        # so that the sums of the rewards fit into 32 bits
        max_playouts = MAX_REWARDED_PLAYOUTS if self.state[at.POINTS_PERCENT] else NO_PLAYOUT_LIMIT
        playouts_left, batch_size = min(playouts or max_playouts, max_playouts), first_batch_size
        weights = move_features.weights()
        arrays = self.state, self.playout_board, self.tree, self.earlier_hashes
        memories = self._boards, self._forced_win_memory, self.end_sums
        if left_out:
            tree.search(*arrays, 0, weights, *memories)  # adds the children of the root, without a playout
            for child in self._children(1):
                if self.move_of(int(self.tree[at.NODE_SIZE * child + at.MOVE])) in left_out:
                    self.tree[at.NODE_SIZE * child + at.REPEATS_BOARD] = 1  # as for a move that superko forbids
        with stop_flag.set_flag_at(stop_at, self.state, at.STOP_FLAG):
            while playouts_left:
                search_start = time.monotonic()
                self._share_playouts(lines, also)
                self._set_urgent_moves(urgent)
                batch = min(batch_size, playouts_left)
                playout_count = tree.search(*arrays, batch, weights, *memories)
                playouts_left -= playout_count
                yield self._moves_with_statistics(position)
                if self.state[at.STOP_FLAG] or self.tree[at.NODE_SIZE + at.PROVED_RESULT]:
                    return
                seconds = max(_REPORT_SECONDS / 10, time.monotonic() - search_start)
                batch_size = max(1, int(playout_count * _REPORT_SECONDS / seconds))

    def _set_goal(self) -> None:
        """Set the reward of a playout, and what the priors know."""
        for board_array in (self.state, self.playout_board):  # priors read the board of the playouts
            board_array[at.KNOWS_VITAL_POINTS] = self.knows_vital_points
        self.state[at.POINTS_PERCENT] = self.points_percent if isinstance(self.game, Go) else 0
        if self.state[at.POINTS_PERCENT]:
            sample_ends(self.state, self.playout_board, _MIN_END_PLAYOUTS, self.end_sums)
            self.state[at.EVEN_LEAD] = self.end_sums[at.END_LEADS] // _MIN_END_PLAYOUTS
            self.end_sums.fill(0)

    def _set_urgent_moves(self, urgent: Collection[Move]) -> None:
        """Give the moves in `urgent` the best prior in the tree so far, and in nodes that the search adds later."""
        cells = [self.cell_at_point(move) for move in urgent if move is not PASS][: at.MAX_URGENT_CELLS]
        if len(cells) == int(self.state[at.URGENT_COUNT]):
            return
        for board_array in (self.state, self.playout_board):  # priors read the board of the playouts
            board_array[at.URGENT_COUNT] = len(cells)
            board_array[at.URGENT_CELLS_START : at.URGENT_CELLS_START + len(cells)] = cells
        nodes = self.tree[2 * at.NODE_SIZE : int(self.tree[0]) * at.NODE_SIZE].reshape(-1, at.NODE_SIZE)
        places = np.isin(nodes[:, at.MOVE], cells)
        nodes[places, at.PRIOR_WINS] = (2 * priors.MAX_WIN_SHARE * nodes[places, at.PRIOR_VISITS]).astype(np.int32)

    def _share_playouts(self, lines: int, also: Collection[Move]) -> None:
        """Give the most visited moves, and the moves in `also`, a minimum share of the playouts if there is more than
        one line.
        """
        t, size = self.tree, at.NODE_SIZE
        nodes = sorted(
            (child for child in self._children(1) if not t[size * child + at.REPEATS_BOARD]),
            key=lambda child: (int(t[size * child + at.VISITS]), int(t[size * child + at.PRIOR_WINS])),
            reverse=True,
        )
        sharing_nodes = nodes[:lines] if lines > 1 else []
        if also and sharing_nodes:
            sharing_nodes += [child for child in nodes[lines:] if self.move_of(int(t[size * child + at.MOVE])) in also]
        del sharing_nodes[at.MAX_SHARING_NODES :]
        self.state[at.SHARING_COUNT] = len(sharing_nodes)
        self.state[at.SHARING_NODES_START : at.SHARING_NODES_START + len(sharing_nodes)] = sharing_nodes

    def expected_end(self) -> ExpectedGoEnd | None:
        """Return the expected end of the game, by the latest search; None in games without points."""
        if not isinstance(self.game, Go):
            return None
        if (missing_playouts := _MIN_END_PLAYOUTS - int(self.end_sums[at.END_COUNT])) > 0:
            sample_ends(self.state, self.playout_board, missing_playouts, self.end_sums)
        count = int(self.end_sums[at.END_COUNT])
        mean_lead = self.end_sums[at.END_LEADS] / count / 2
        variance = max(0.0, self.end_sums[at.END_SQUARED_LEADS] / count / 4 - mean_lead**2)
        points = (point for point in self.game.bit_geometry.points if point is not None)
        owners = {point: float(self.end_sums[self.cell_at_point(point)]) / count for point in points}
        # on a settled board, playouts in which a pointless invasion lives would move the lead by several points
        unsettled = sum(abs(owner) < _MIN_SETTLED_OWNER for owner in owners.values())
        if self.game.scoring == "area" and unsettled <= _MAX_UNSETTLED_SHARE * len(owners):
            mean_lead = sum((owner > 0) - (owner < 0) for owner in owners.values()) - self.game.komi
        return ExpectedGoEnd(float(mean_lead), math.sqrt(variance / count), owners, unsettled == 0)

    def find_alpha_beta_move(
        self, position: GoFamilyPosition, *, stop_at: float | None = None, depth: int = 0
    ) -> AlphaBetaMove | None:
        """Search by alpha-beta until a limit, in Capture Go if the next capture wins; in other positions return None.

        `stop_at` is a time of time.monotonic(), and `depth` a number of plies; 0 means no limit.
        """
        return [None, *self.stream_alpha_beta_moves(position, stop_at=stop_at, depth=depth)][-1]

    def stream_alpha_beta_moves(
        self, position: GoFamilyPosition, *, stop_at: float | None = None, depth: int = 0, forget: bool = False
    ) -> Iterator[AlphaBetaMove]:
        """Search as `find_alpha_beta_move` does, and yield the best move after each depth; nothing in other positions.

        forget: whether to forget earlier searches. Their deeper results save time, but `AlphaBetaMove.win_share` must
        be the mean of two successive depths.
        """
        s, deepest_depth = self.state, capture_search.MAX_DEPTH
        self.set_position(position)
        if not forced_wins.first_capture_wins(s):
            return
        if self._capture_search is None or forget:
            self._capture_search = capture_search.CaptureGoSearch()
        s[at.STOP_FLAG] = 0
        earlier_shares: tuple[float, ...] = ()
        with stop_flag.set_flag_at(stop_at, s, at.STOP_FLAG):
            for plies in range(1, min(depth or deepest_depth, deepest_depth) + 1):
                cell_and_value = self._capture_search.search_to_depth(s, plies)
                if cell_and_value is None:
                    if not earlier_shares:  # every move loses at once, or there was no time
                        win_share = 0.5 if s[at.STOP_FLAG] else 0.0
                        is_lost = not s[at.STOP_FLAG] and not position.passes  # a second pass would make a draw
                        move = next(iter(position.moves()))
                        yield AlphaBetaMove(move, win_share, 0, self._capture_search.nodes, is_lost)
                    return
                cell, value = cell_and_value
                win_share = capture_search.win_probability(value)
                is_certain = abs(value) > capture_search.CERTAIN_THRESHOLD
                steady_share = win_share if is_certain else fmean((*earlier_shares, win_share))
                yield AlphaBetaMove(self.move_of(cell), steady_share, plies, self._capture_search.nodes, is_certain)
                if s[at.STOP_FLAG] or is_certain:
                    return
                earlier_shares = (win_share,)

    def _moves_with_statistics(self, position: GoFamilyPosition) -> list[SearchedMove]:
        """Return the legal moves with their statistics in the tree, the most visited first."""
        t, searched_moves = self.tree, []
        for child in self._children(1):
            record = at.NODE_SIZE * child
            move, visits = self.move_of(int(t[record + at.MOVE])), int(t[record + at.VISITS])
            if visits:  # the search has checked superko
                proved_result = int(t[record + at.PROVED_RESULT])
                mean_share = float(t[record + at.WINS]) / (2 * visits)
                win_share = float(proved_result == at.WON) if proved_result else mean_share
                steady_share = steady_reward = win_share
                if not proved_result:
                    steady_share = self._steady_share(child, at.WINS, 1)
                    steady_reward = self._steady_share(child, at.REWARDS, at.REWARD_UNIT)
                is_proved, lead = proved_result > 0, self._lead_after(int(t[record + at.MOVE]))
                line = self._variation(child)
                searched_moves.append(
                    SearchedMove(move, visits, win_share, line, is_proved, steady_share, lead, steady_reward)
                )
            elif position.why_illegal(move) is None:
                searched_moves.append(SearchedMove(move, 0, 0.0, (move,)))
        if not searched_moves:  # the tree has no moves into own eyes, but here no others are legal
            searched_moves = [SearchedMove(move, 0, 0.0, (move,)) for move in position.moves()]
        searched_moves.sort(key=lambda move: move.sort_key, reverse=True)
        return searched_moves

    def _lead_after(self, cell: int) -> float | None:
        """Return black's mean lead after the playouts that begin with the move on a cell; None if there are none."""
        count = int(self.end_sums[at.MOVE_END_COUNTS_START + cell])
        return float(self.end_sums[at.MOVE_END_LEADS_START + cell]) / count / 2 if count else None

    def _steady_share(self, child: int, results: int, unit: int) -> float:
        """Return the mean of a move's share and the mover's share after the most visited reply.

        child: the move's node. results: WINS or REWARDS. unit: the number that counts as half of a win. Returns the
        move's share if the reply has too few visits.
        """
        t, size = self.tree, at.NODE_SIZE
        share = float(t[size * child + results]) / (2 * unit * int(t[size * child + at.VISITS]))
        reply = max(self._children(child), key=lambda child_node: int(t[size * child_node + at.VISITS]), default=0)
        visits = int(t[size * reply + at.VISITS]) if reply else 0
        if visits < _MIN_REPLY_VISITS:
            return share
        return (share + 1 - float(t[size * reply + results]) / (2 * unit * visits)) / 2

    def interrupt(self) -> None:
        """Stop the current search. Another thread calls this."""
        self.state[at.STOP_FLAG] = 1

    def _children(self, node: int) -> range:
        first_child = int(self.tree[at.NODE_SIZE * node + at.FIRST_CHILD])
        return range(first_child, first_child + int(self.tree[at.NODE_SIZE * node + at.CHILD_COUNT]))

    def _variation(self, child: int) -> tuple[Move, ...]:
        t, size, line = self.tree, at.NODE_SIZE, list[Move]()
        while len(line) < _MAX_VARIATION_LENGTH:
            line.append(self.move_of(int(t[size * child + at.MOVE])))
            child = max(self._children(child), key=lambda child_node: int(t[size * child_node + at.VISITS]), default=0)
            if not child or not (t[size * child + at.VISITS] >= _MIN_LINE_VISITS or t[size * child + at.PROVED_RESULT]):
                break
        return tuple(line)

    def _set_tree(self, position: GoFamilyPosition) -> None:
        """Keep the part of the tree to which the last two moves lead, or begin a new tree."""
        expected, self._expected_position, last = self._expected_position, None, position.last
        is_next = expected is not None and last is not None and position.moves_played == expected.moves_played + 1
        child = self._child_with_move(last) if is_next else None
        if child is not None and expected is not None and expected.play(last).board.key == position.board.key:
            self._make_root(child)
        else:
            self.tree[0] = 2
            self.tree[at.NODE_SIZE : 2 * at.NODE_SIZE] = 0

    _expected_position: GoFamilyPosition | None = None  # the position at the root of a tree that `advance` has kept
    _capture_search: capture_search.CaptureGoSearch | None = None

    def advance(self, position: GoFamilyPosition, move: Move) -> None:
        """Keep the part of the tree below `move`, which was played in `position`, for the next search."""
        self._expected_position = None
        if (child := self._child_with_move(move)) is not None:
            self._make_root(child)
            self._expected_position = position.play(move)

    def _child_with_move(self, move: Move | None) -> int | None:
        """Return the root's child for a move, or None if there is none."""
        cell = at.PASS if move is PASS else self.cell_at_point(move)
        return next((node for node in self._children(1) if int(self.tree[at.NODE_SIZE * node + at.MOVE]) == cell), None)

    def _make_root(self, node: int) -> None:
        """Keep only the part of the tree below `node`."""
        tree.copy_subtree(self.tree, self.spare_tree, node)
        self.tree, self.spare_tree = self.spare_tree, self.tree


def compile_functions() -> None:
    """Compile every function, or load it from the cache; all games and sizes use the same functions."""
    engine = GoEngine(Go(size=5), memory_mb=1)
    position = engine.game.start()
    moves = engine.rank_moves(position, playouts=50)
    engine.advance(position, moves[0].move)
