"""A class that searches positions of gomogo_core.games, and returns their moves with the results of playouts.

The module uses games, times of time.monotonic(), and the compiled search. It keeps its tree from move to move.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.go import array_layout as at
from gomogo_core.engines.go import board, capture_search, forced_wins, move_features, tree
from gomogo_core.games.base import Move
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.go import Go
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import PASS, StonesGame, StonesPosition

_KO = {"none": at.NO_KO, "simple": at.SIMPLE, "positional": at.POSITIONAL, "situational": at.SITUATIONAL}
_SCORING = {"area": at.AREA, "territory": at.TERRITORY, "stone": at.STONE}
_NO_CAP = 2**30  # moves, in a game without a move limit
MOST_PLAYOUTS = 2**30
_LINE_LENGTH = 12
# of an analysis: playouts before the first report, and seconds between later reports
_FIRST_REPORT_PLAYOUTS, _REPORT_SECONDS = 200, 0.2
_BYTES_PER_NUMBER = 4  # bytes of a number in the tree


@dataclass(frozen=True, slots=True)
class SearchedMove:
    """A move at the root: its visits, the share of them that the mover won, and its principal variation."""

    move: Move
    visits: int
    share: float
    line: tuple[Move, ...]
    proved: bool = False

    @property
    def sort_key(self) -> tuple[float, int]:
        """A sort key, highest for the best move: a proved win comes first, a proved loss last."""
        return (2 * self.share - 1 if self.proved else 0.0), self.visits


@dataclass(frozen=True, slots=True)
class CaptureMove:
    """A move of Capture Go by alpha-beta search.

    `share` is the estimated winning probability, 1 or 0 if the result is certain. `depth` is in plies, and `nodes`
    counts the visited positions.
    """

    move: Move
    share: float
    depth: int
    nodes: int


@dataclass
class GoEngine:
    """A board and a search tree, for one game of Go, Capture Go or Robogo.

    `memory_mb` is the size of the tree in megabytes. With `light`, playouts are uniformly random. With `reads`, the
    search looks for forced wins in the tree (forced_wins.py), and backs up certain results.

    The last three fields are parameters of the tree (tree.py and priors.py): the number of visits at which RAVE and the
    results of a move weigh the same, in percent of the game's standard; the virtual visits of the priors, likewise; and
    the number of visits at which a leaf gets children.
    """

    game: StonesGame
    memory_mb: int = 64
    light: bool = False
    seed: int = 1
    reads: bool = True
    rave_percent: int = 100
    prior_percent: int = 100
    expand_at: int = 6
    state: Any = field(init=False)

    def __post_init__(self) -> None:
        self.state, self.scratch = np.zeros(at.STATE_SIZE, np.int32), np.zeros(at.STATE_SIZE, np.int32)
        size = max(4 * at.CELLS * at.NODE, (self.memory_mb << 20) // (2 * _BYTES_PER_NUMBER))
        self.tree, self.spare = np.empty(size, np.int32), np.empty(size, np.int32)
        for one in (self.tree, self.spare):
            # writes to every page of the arrays, so that the system allocates them before the first clock starts
            one.fill(0)
        self.earlier_hashes = np.zeros(1, np.int64)
        self._boards, self._memory = forced_wins.new_board_stack(), np.zeros(forced_wins.MEMORY, np.int32)
        self.scratch[at.RANDOM] = self.state[at.RANDOM] = self.seed
        self._hash_of_board_number: dict[int, int] = {}  # cache: number of an earlier board -> its hash
        self._expected: tuple[int, int] | None = (
            None  # the key of the board, and the number of moves, for which the tree is valid
        )
        self._set_rules()

    def _set_rules(self) -> None:
        s, game = self.state, self.game
        s[at.KIND] = at.GO if isinstance(game, Go) else at.CAPTURE_GO if isinstance(game, CaptureGo) else at.ROBOGO
        s[at.ROWS], s[at.COLUMNS] = game.rows, game.cols
        s[at.SUICIDE], s[at.CAPTURES], s[at.PASSING] = game.suicide, game.captures, game.passing
        s[at.KO_RULE], s[at.MOST_MOVES] = _KO[game.ko], game.max_moves or _NO_CAP
        s[at.LIGHT] = self.light
        if isinstance(game, Go):
            s[at.KOMI], s[at.SCORING] = round(2 * game.komi), _SCORING[game.scoring]
        if isinstance(game, CaptureGo):
            s[at.TARGET] = game.target
        if isinstance(game, Robogo):
            s[at.LINE], s[at.DIAGONALS] = game.line, game.diagonals

    def set_position(self, position: StonesPosition) -> None:
        """Set up the compiled board of a position, with the player to move, ko and the counts."""
        s = self.state
        board.reset(s)
        for place, point in enumerate(self.game.bit_geometry.points):
            if point is not None and (colour := position.board.colour(place)):
                board._place_stone(s, at.cell_of(point.column, point.row), colour)
        s[at.WINNER] = 0
        s[at.TURN], s[at.NUMBER], s[at.PASSES] = position.to_move, position.moves_played, position.passes
        s[at.TAKEN + BLACK], s[at.TAKEN + WHITE] = position.captures
        s[at.LAST] = 0 if position.last in (None, PASS) else self.cell_at_point(position.last)
        s[at.KO] = 0
        if self.game.ko == "simple" and self.game.captures:
            forbidden = [self.game.bit_geometry.points[i] for i in self.game.bit_geometry.bits_in(position.ko_mask())]
            if position.previous_key == position.board.key:
                s[at.KO] = at.UNCHANGED
            elif forbidden:
                s[at.KO] = self.cell_at_point(forbidden[0])
        self._set_earlier_hashes(position)

    def _set_earlier_hashes(self, position: StonesPosition) -> None:
        signs = position.earlier_boards.board_numbers if position.earlier_boards is not None else ()
        if len(self.earlier_hashes) < len(signs) + 512:
            self.earlier_hashes = np.zeros(len(signs) + 1024, np.int64)
        self.earlier_hashes[0] = len(signs)
        for i, sign in enumerate(signs):
            if sign not in self._hash_of_board_number:
                self._hash_of_board_number[sign] = self._compute_hash(sign)
            self.earlier_hashes[1 + i] = self._hash_of_board_number[sign]

    def _compute_hash(self, sign: int) -> int:
        """Return the hash (`board.board_hash`) of an earlier board, given its number (`EarlierBoards.board_number`)."""
        geometry, key, found = self.game.bit_geometry, sign >> 1, 0
        for colour, mask in ((BLACK, key & geometry.full_mask), (WHITE, key >> geometry.length)):
            for point in geometry.points_in(mask):
                found ^= int(board.ZOBRIST[colour * at.CELLS + self.cell_at_point(point)])
        if sign & 1:  # black moves next, under situational superko
            found ^= int(board.ZOBRIST[0])
        return found

    def cell_at_point(self, point: Any) -> int:
        """Return the cell of a point."""
        return at.cell_of(point.column, point.row)

    def move_of(self, cell_at_point: int) -> Move:
        """Return the point or the pass that a cell represents."""
        if cell_at_point == at.PASS:
            return PASS
        return self.game.bit_geometry.points[
            (cell_at_point // at.STRIDE - 1) * self.game.bit_geometry.stride + cell_at_point % at.STRIDE - 1
        ]

    def choose(
        self, position: StonesPosition, *, stop_at: float | None = None, playouts: int = 0
    ) -> list[SearchedMove]:
        """Search `position`, whose game is not over, until a limit; return the legal moves, the most visited first.

        `stop_at` is a time of time.monotonic(). `playouts` limits the playouts; 0 means no limit.
        """
        *_, found = self._search(position, stop_at, playouts, MOST_PLAYOUTS)
        return found

    def stream_analyses(
        self, position: StonesPosition, *, stop_at: float | None = None, playouts: int = 0
    ) -> Iterator[list[SearchedMove]]:
        """Search as `choose` does, and yield the current result several times a second."""
        return self._search(position, stop_at, playouts, _FIRST_REPORT_PLAYOUTS)

    def _search(
        self, position: StonesPosition, stop_at: float | None, playouts: int, part: int
    ) -> Iterator[list[SearchedMove]]:
        """Search, and yield the statistics after `part` playouts, then at regular intervals, and at the end."""
        self._set_tree(position)
        self.set_position(position)
        self.scratch[at.SEARCHED] = self.state[at.STOP] = 0
        self.state[at.READS] = self.reads and not isinstance(self.game, Go)
        self.state[at.RAVE_PERCENT], self.state[at.PRIOR_PERCENT] = self.rave_percent, self.prior_percent
        self.state[at.EXPAND_AT] = self.expand_at
        left, weights = playouts or MOST_PLAYOUTS, move_features.weights()
        with stop_flag.set_flag_at(stop_at, self.state, at.STOP):
            while left:
                began = time.monotonic()
                arrays = self.state, self.scratch, self.tree, self.earlier_hashes
                done = tree.search(*arrays, min(part, left), weights, self._boards, self._memory)
                left -= done
                yield self._statistics(position)
                if self.state[at.STOP] or self.tree[at.NODE + at.PROVED]:
                    return
                part = max(1, int(done * _REPORT_SECONDS / max(_REPORT_SECONDS / 10, time.monotonic() - began)))

    def capturing_move(
        self, position: StonesPosition, *, stop_at: float | None = None, depth: int = capture_search.DEEPEST
    ) -> CaptureMove | None:
        """Search by alpha-beta until a limit, in Capture Go if the next capture wins; in other positions return None.

        `stop_at` is a time of time.monotonic(), and `depth` a number of plies.
        """
        s = self.state
        self.set_position(position)
        if not forced_wins.first_capture_wins(s):
            return None
        if self._capture_search is None:
            self._capture_search = capture_search.CaptureSearch()
        s[at.STOP] = 0
        found, value, reached = next(iter(position.moves())), -capture_search.WIN, 0
        with stop_flag.set_flag_at(stop_at, s, at.STOP):
            for plies in range(1, depth + 1):
                result = self._capture_search.search_to_depth(s, plies)
                if result is None:
                    break
                (cell_at_point, value), reached = result, plies
                found = self.move_of(cell_at_point)
                if s[at.STOP] or abs(value) > capture_search.CERTAIN:
                    break
        return CaptureMove(found, capture_search.win_probability(value), reached, self._capture_search.nodes)

    def _statistics(self, position: StonesPosition) -> list[SearchedMove]:
        """Return the legal moves with their statistics in the tree, the most visited first."""
        t, found = self.tree, []
        for child in self._children(1):
            record = at.NODE * child
            move, visits = self.move_of(int(t[record + at.MOVE])), int(t[record + at.VISITS])
            if visits:  # the search has checked superko
                proved = int(t[record + at.PROVED])
                share = float(proved == at.WON) if proved else float(t[record + at.WINS]) / (2 * visits)
                found.append(SearchedMove(move, visits, share, self._line(child), proved > 0))
            elif position.why_illegal(move) is None:
                found.append(SearchedMove(move, 0, 0.0, (move,)))
        if not found:  # the tree has no moves into own eyes, but here no others are legal
            found = [SearchedMove(move, 0, 0.0, (move,)) for move in position.moves()]
        found.sort(key=lambda one: one.sort_key, reverse=True)
        return found

    def legal_points(self) -> list[Move]:
        """Return the points where the player to move may place a stone, by the rules of the compiled board."""
        s, b = self.state, self.scratch
        found = []
        for cell_at_point in s[at.LIST : at.LIST + s[at.EMPTIES]].tolist():
            if not board.is_legal(s, cell_at_point):
                continue
            board.copy(s, b)
            board.play(b, cell_at_point)
            if (
                not self.game.has_superko
                or board.board_hash(b) not in self.earlier_hashes[1 : 1 + self.earlier_hashes[0]]
            ):
                found.append(self.move_of(cell_at_point))
        return found

    def interrupt(self) -> None:
        """Stop the current search. Another thread calls this."""
        self.state[at.STOP] = 1

    def _children(self, node: int) -> range:
        first = int(self.tree[at.NODE * node + at.CHILDREN])
        return range(first, first + int(self.tree[at.NODE * node + at.COUNT]))

    def _line(self, child: int) -> tuple[Move, ...]:
        line: list[Move] = []
        while len(line) < _LINE_LENGTH:
            line.append(self.move_of(int(self.tree[at.NODE * child + at.MOVE])))
            visits = {one: int(self.tree[at.NODE * one + at.VISITS]) for one in self._children(child)}
            if not visits or not max(visits.values()):
                break
            child = max(visits, key=visits.__getitem__)
        return tuple(line)

    def _set_tree(self, position: StonesPosition) -> None:
        """Keep the part of the tree to which the last two moves lead, or begin a new tree."""
        t = self.tree
        if self._expected is not None and position.moves_played == self._expected[1] + 1 and position.last is not None:
            wanted = at.PASS if position.last is PASS else self.cell_at_point(position.last)
            for child in self._children(1):
                if int(t[at.NODE * child + at.MOVE]) == wanted and self._is_expected(position):
                    tree.copy_subtree(t, self.spare, child)
                    self.tree, self.spare = self.spare, t
                    self._expected = None
                    return
        self._expected = None
        t[0] = 2
        t[at.NODE : 2 * at.NODE] = 0

    def _is_expected(self, position: StonesPosition) -> bool:
        return self._after is not None and self._after.play(position.last).board.key == position.board.key

    _after: StonesPosition | None = None
    _capture_search: capture_search.CaptureSearch | None = None

    def advance(self, position: StonesPosition, move: Move) -> None:
        """Keep the part of the tree below `move`, which was played in `position`, for the next search."""
        wanted = at.PASS if move is PASS else self.cell_at_point(move)
        for child in self._children(1):
            if int(self.tree[at.NODE * child + at.MOVE]) == wanted:
                tree.copy_subtree(self.tree, self.spare, child)
                self.tree, self.spare = self.spare, self.tree
                self._after = position.play(move)
                self._expected = (self._after.board.key, self._after.moves_played)
                return
        self._expected = None


def warm() -> None:
    """Compile every function, or load it from the cache; all games and sizes use the same functions."""
    engine = GoEngine(Go(size=5), memory_mb=1)
    position = engine.game.start()
    found = engine.choose(position, playouts=50)
    engine.advance(position, found[0].move)
