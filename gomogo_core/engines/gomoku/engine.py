"""A class that searches positions of gomogo_core.games, and returns moves with their values and principal variations.

The module uses games, times of time.monotonic(), and the compiled search. It keeps its transposition table from move to
move.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.gomoku import board, classes, proofs, search, shapes, table, threats
from gomogo_core.engines.gomoku.array_layout import (
    BEST_MOVE,
    COLOUR,
    EMPTY,
    GENERATION,
    HASH,
    HASHES_SIZE,
    LIST,
    MOST_SIZE,
    NODE_LIMIT,
    NODES,
    REACH,
    RECORD,
    ROOT,
    ROOT_COUNT,
    ROOT_ENTRY,
    SEARCH_PARAMETERS,
    SELECTIVE_DEPTH,
    SIDE,
    STATE_SIZE,
    STONES,
    STOP,
    STRIDE,
    TURN,
    cell_of,
)
from gomogo_core.games.gomoku import Gomoku, GomokuPosition

DEEPEST = 60
CLEAR_LEAD = 150  # a clear lead, in the engine's units
MOST_NODES = 2_000_000_000
WON, WINS = search.WON, table.WINS
_WORD = 8  # bytes of a number in the transposition table
_LINE_LENGTH = 30
_CHECKED_FROM = (
    4  # the depth in plies from which on the best move is checked by a search for a threat win of the opponent
)
_PROOF_SHARE = 8  # a proof at the root takes at most 1 / this of the nodes
_FIRST_PROOF = 50_000  # the most nodes of a proof before the main search
_PROOF_SPEED = 40_000  # nodes of a proof per second of the move's time: a twentieth of the time on an idle core
_LEAST_PROOF = 200
_MOST_THREATS = 20  # the largest number of the attacker's moves in a proof that are not fours


@dataclass(frozen=True, slots=True)
class EngineLine:
    """A root move with its principal variation.

    `cells` holds the numbers of the points, row by row, as in GomokuPosition.cells. `value` is for the mover, in the
    engine's units. A value above WINS is a certain win, WON minus the number of plies to it.
    """

    cells: tuple[int, ...]
    value: int

    @property
    def plies(self) -> int | None:
        """The number of plies to the end if the value is a certain win or loss, else None."""
        return plies_to_end(self.value)


@dataclass(frozen=True, slots=True)
class EngineAnalysis:
    """The result of a search. `lines` come best first, `depth` is the number of fully searched plies, and
    `selective_depth` the number of plies of the longest line.
    """

    lines: tuple[EngineLine, ...]
    depth: int
    selective_depth: int
    nodes: int
    seconds: float

    @property
    def value(self) -> int:
        """The value of the best line."""
        return self.lines[0].value

    @property
    def plies(self) -> int | None:
        """The number of plies to the end in the best line, if its value is certain, else None."""
        return self.lines[0].plies


@dataclass(frozen=True, slots=True)
class ThreatSolution:
    """The result of a search for a proof.

    `result` is "win" or "loss" for the mover, or "unknown". `plies` is the number of plies to the end, and `cells` the
    points of the line.
    """

    result: str
    plies: int | None
    cells: tuple[int, ...]
    nodes: int


def plies_to_end(value: int) -> int | None:
    """Return the number of plies to the end if `value` is a certain win or loss, else None."""
    return WON - abs(value) if abs(value) > WINS else None


def can_play(game: Gomoku) -> bool:
    """Return whether the engine supports this game: five in a row, on a board of at most MOST_SIZE rows."""
    return game.line == 5 and game.size <= MOST_SIZE


def rule_of(game: Gomoku) -> int:
    """Return the rule for rows in `game`: shapes.FREESTYLE, STANDARD or RENJU."""
    return shapes.RENJU if game.renju else shapes.STANDARD if game.exact else shapes.FREESTYLE


@cache
def _lines_of(rule: int) -> Any:
    return shapes.widen_keys(shapes.line_table(rule))


@cache
def _classes_of(rule: int) -> Any:
    return classes.class_table(classes.shipped_parameters(), rule)


@dataclass
class GomokuEngine:
    """A board with its tables and its transposition table, for one game of Gomoku.

    `memory_mb` is the size of the transposition table in megabytes. `threads` is the number of threads that search at
    the same time and share the table; with more than one, searches are not reproducible. `search_parameters` are the
    parameters of the search, by default search.DEFAULT_SEARCH_PARAMETERS. `evaluation_parameters` and `value_network`
    are those of the evaluation, by default classes.shipped_parameters() and classes.shipped_value_network(). `policy`
    is that of the move ordering, by default classes.shipped_policy(). `table` is a transposition table shared with
    another engine, by default a new one.
    """

    game: Gomoku
    memory_mb: int = 64
    threads: int = 1
    search_parameters: Any = None
    evaluation_parameters: Any = None
    value_network: Any = None
    policy: Any = None
    table: Any = None
    state: Any = field(init=False)
    hashes: Any = field(init=False)

    def __post_init__(self) -> None:
        rule = rule_of(self.game)
        self.lines = _lines_of(rule)
        if self.evaluation_parameters is None and self.value_network is None and self.policy is None:
            self.class_tables = _classes_of(rule)
        else:
            evaluation_parameters = (
                classes.shipped_parameters() if self.evaluation_parameters is None else self.evaluation_parameters
            )
            self.class_tables = classes.class_table(evaluation_parameters, rule, self.value_network, self.policy)
        if self.search_parameters is None:
            self.search_parameters = search.DEFAULT_SEARCH_PARAMETERS.copy()
        self.state = np.zeros(STATE_SIZE, np.int32)
        self.hashes = np.zeros(HASHES_SIZE, np.uint64)
        board.fill_hashes(self.hashes, 20260101)
        if self.table is None:
            entries = 1 << max(10, ((self.memory_mb << 20) // (2 * _WORD)).bit_length() - 1)
            self.table = np.empty(2 * entries, np.uint64)
            # writes to every page of the array now, because allocating it in the first search took 0.3 s of a move's
            # time
            self.table.fill(0)
        self.generation = 0
        parts = (self.search_parameters, self.evaluation_parameters, self.value_network, self.policy, self.table)
        self.helpers = [GomokuEngine(self.game, self.memory_mb, 1, *parts) for _ in range(self.threads - 1)]

    @property
    def arrays(self) -> tuple[Any, Any, Any, Any]:
        """The four arrays that every compiled function of the board takes."""
        return self.state, self.lines, self.class_tables, self.hashes

    def set_position(self, cells: bytes) -> None:
        """Set up the board with the stones of `cells`, as in GomokuPosition.cells. Black moves if the numbers are
        equal.
        """
        size = self.game.size
        s = self.state
        board.reset(*self.arrays, size, rule_of(self.game), shapes.cells_on_each_side(rule_of(self.game)))
        for colour in (1, 2):
            for i, stone in enumerate(cells):
                if stone == colour:
                    s[TURN] = colour
                    board.make(*self.arrays, cell_of(i % size, i // size))
        s[TURN] = 2 if s[STONES] % 2 else 1
        s[SEARCH_PARAMETERS : SEARCH_PARAMETERS + len(self.search_parameters)] = self.search_parameters

    def analyse(
        self,
        position: GomokuPosition,
        *,
        stop_at: float | None = None,
        nodes: int = 0,
        depth: int = 0,
        lines: int = 1,
        is_enough: Callable[[EngineAnalysis], bool] | None = None,
    ) -> EngineAnalysis:
        """Search `position` until a limit is reached. Its game must not be over, and its next move must be a stone.

        `stop_at` is a time of time.monotonic(). `nodes` and `depth` are limits; 0 means no limit. The threads share the
        nodes. `lines` is the number of root moves that get a value. The search ends after a depth whose analysis
        `is_enough`.
        """
        with closing(self.stream_analyses(position, stop_at=stop_at, nodes=nodes, depth=depth, lines=lines)) as found:
            for analysis in found:
                if is_enough is not None and is_enough(analysis):
                    break
        return analysis

    def stream_analyses(
        self,
        position: GomokuPosition,
        *,
        stop_at: float | None = None,
        nodes: int = 0,
        depth: int = 0,
        lines: int = 1,
    ) -> Generator[EngineAnalysis, None, None]:
        """Search as `analyse` does, and yield the lines after each depth, and at the end."""
        began = time.monotonic()
        self.generation = (self.generation + 1) & 0xFF
        for engine in self._thread_engines():
            engine.set_position(position.cells)
            engine.state[GENERATION] = self.generation
            engine.state[NODE_LIMIT] = -(-nodes // self.threads) or MOST_NODES
        allowed = _FIRST_PROOF
        if stop_at is not None:
            allowed = min(allowed, int(_PROOF_SPEED * max(0.0, stop_at - began)))
        lost: set[int] = set()  # moves after which the opponent is proved to win
        with ExitStack() as until:
            for engine in self._thread_engines():
                until.enter_context(stop_flag.set_flag_at(stop_at, engine.state, STOP))
            until.enter_context(self._search_in_other_threads(lost))
            for found, deep in self._deepen(depth or DEEPEST, lines, allowed, lost):
                selective_depth = max(int(engine.state[SELECTIVE_DEPTH]) for engine in self._thread_engines())
                searched = sum(int(engine.state[NODES]) for engine in self._thread_engines())
                yield EngineAnalysis(found, deep, selective_depth, searched, time.monotonic() - began)

    def interrupt(self) -> None:
        """Stop the current search. Another thread calls this."""
        for engine in self._thread_engines():
            engine.state[STOP] = 1

    def _thread_engines(self) -> list[GomokuEngine]:
        return [self, *self.helpers]

    @contextmanager
    def _search_in_other_threads(self, lost: Collection[int]) -> Iterator[None]:
        """Let the other threads search the same position until the block ends. They fill the shared table."""
        threads = [
            threading.Thread(target=helper._fill_table, args=(1 + number % 2, lost), daemon=True)
            for number, helper in enumerate(self.helpers, 1)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for helper in self.helpers:
                helper.state[STOP] = 1
            for thread in threads:
                thread.join()

    def _fill_table(self, depth: int, lost: Collection[int]) -> None:
        """Search from `depth` on until the stop flag is set.

        Threads that begin at different depths repeat less work.
        """
        search.root_moves(*self.arrays, self.table)
        value = 0
        while depth < DEEPEST and not self.state[STOP]:
            self._exclude_root_moves(lost)
            value = self._search_in_aspiration_window(depth, value)
            depth += 1

    def _exclude_root_moves(self, cells: Collection[int]) -> None:
        """Leave these root moves out of the next search, and no others."""
        s = self.state
        for i in range(s[ROOT_COUNT]):
            s[ROOT + ROOT_ENTRY * i + 3] = int(s[ROOT + ROOT_ENTRY * i]) in cells

    def _deepen(
        self, deepest: int, lines: int, allowed: int, lost: set[int]
    ) -> Iterator[tuple[tuple[EngineLine, ...], int]]:
        s = self.state
        count = search.root_moves(*self.arrays, self.table)
        lines = max(1, min(lines, count))
        if lines == 1 and count > 1 and (won := self._proved_win(allowed)) is not None:
            yield (won,), WON - won.value
            return
        found: list[EngineLine] = []
        complete = depth = 0
        checked: set[int] = set()
        while depth < deepest and not s[STOP]:
            depth += 1
            done: list[EngineLine] = []
            self._exclude_root_moves(lost)
            for _ in range(lines):
                guess = found[len(done)].value if len(done) < len(found) else 0
                value = self._search_in_aspiration_window(depth, guess)
                if value == -search.INFINITY:  # stopped before the first move had a value
                    break
                best = int(s[ROOT])
                done.append(EngineLine(tuple(map(self._point_number, self._variation(best))), value))
                s[ROOT + 3] = 1
                if s[STOP]:
                    break
            if lines == 1 and done and not s[STOP] and depth >= _CHECKED_FROM and len(lost) + 1 < count:
                best = int(s[ROOT])
                if best not in checked and abs(done[0].value) < WINS:
                    checked.add(best)
                    if self._is_lost(best):
                        lost.add(best)
                        found = [line for line in found if line.cells[0] != self._point_number(best)]
                        depth -= 1
                        continue
            found = done + [line for line in found if line.cells[0] not in {new.cells[0] for new in done}]
            found = found[:lines]
            if s[STOP]:
                break
            complete = depth
            yield _sort_lines(found), complete
            if self._is_result_final(found, lines, count, depth):
                break
        if not found:
            found = [EngineLine((self._point_number(self._first_move_not_lost(lost)),), 0)]
        yield _sort_lines(found), complete

    def _first_move_not_lost(self, lost: set[int]) -> int:
        """Return the first root move that is not known to lose; if all lose, the first root move."""
        cells = [int(self.state[ROOT + ROOT_ENTRY * i]) for i in range(self.state[ROOT_COUNT])]
        return next((cell for cell in cells if cell not in lost), cells[0])

    def _proved_win(self, allowed: int) -> EngineLine | None:
        """Return a win by threats, or None; the search takes a small part of the nodes, at most `allowed`."""
        s, mover = self.state, int(self.state[TURN])
        limit = int(s[NODE_LIMIT])
        s[NODE_LIMIT] = min(limit // _PROOF_SHARE, allowed)
        plies = 0
        for depth in range(_MOST_THREATS):
            plies = int(proofs.prove(*self.arrays, mover, depth, 0))
            if plies or s[NODES] >= s[NODE_LIMIT] or s[STOP]:
                break
        s[NODE_LIMIT] = limit
        return EngineLine((self._point_number(int(s[BEST_MOVE])),), WON - plies) if plies else None

    def _is_lost(self, cell: int) -> bool:
        """Return whether a search by threats proves that the opponent wins after this move."""
        s = self.state
        limit = int(s[NODE_LIMIT])
        board.make(*self.arrays, cell)
        s[NODE_LIMIT] = min(limit, int(s[NODES]) + max(_LEAST_PROOF, int(s[NODES]) // _PROOF_SHARE))
        plies = 0
        for depth in range(_MOST_THREATS):
            plies = int(proofs.prove(*self.arrays, int(s[TURN]), depth, 1))
            if plies or s[NODES] >= s[NODE_LIMIT] or s[STOP]:
                break
        s[NODE_LIMIT] = limit
        board.unmake(*self.arrays)
        return plies > 0

    def _is_result_final(self, ranked: list[EngineLine], lines: int, count: int, depth: int) -> bool:
        """Return whether deeper searches cannot change the result.

        That is so if there is only one move, or if every value is a certain win or loss within `depth`.
        """
        if lines == 1 and count == 1:
            return True
        return all(abs(line.value) > WINS and (WON - abs(line.value) <= depth or line.value > 0) for line in ranked)

    def _search_in_aspiration_window(self, depth: int, guess: int) -> int:
        """Search the root in a narrow aspiration window around `guess`, and widen the window until the value lies in
        it.
        """
        s, width = self.state, int(self.search_parameters[search.ASPIRATION])
        low, high = -search.INFINITY, search.INFINITY
        if depth > 3 and abs(guess) < WINS:
            low, high = guess - width, guess + width
        while True:
            value = int(search.search_root(*self.arrays, self.table, low, high, depth))
            if s[STOP] or low < value < high:
                return value
            width *= 3
            if value <= low:
                low = -search.INFINITY if abs(value) > WINS or width > 1000 else guess - width
            else:
                high = search.INFINITY if abs(value) > WINS or width > 1000 else guess + width

    def _point_number(self, cell: int) -> int:
        """Return the number of a cell's point, counted row by row."""
        return (cell // STRIDE - REACH) * self.game.size + cell % STRIDE - REACH

    def _variation(self, first: int) -> Iterator[int]:
        """Yield `first`, and then the best replies in the transposition table."""
        s, cell, placed = self.state, first, 0
        try:
            while cell != threats.NO_CELL and s[cell * RECORD + COLOUR] == EMPTY and placed < _LINE_LENGTH:
                yield cell
                if threats.class_at(s, cell, s[TURN]) == classes.WIN:
                    return
                board.make(*self.arrays, cell)
                placed += 1
                cell = int(search.expected_move(*self.arrays, self.table))
        finally:
            for _ in range(placed):
                board.unmake(*self.arrays)

    def solve(
        self, position: GomokuPosition, *, stop_at: float | None = None, nodes: int = MOST_NODES
    ) -> ThreatSolution:
        """Search for a proof by threats that the mover wins, or that it loses against every defence."""
        self.set_position(position.cells)
        s = self.state
        s[NODE_LIMIT] = nodes
        with stop_flag.set_flag_at(stop_at, self.state, STOP):
            mover = int(s[TURN])
            for depth in range(_MOST_THREATS):
                for attacker, result in ((mover, "win"), (3 - mover, "loss")):
                    plies = self._prove(attacker, depth)
                    if plies:
                        line = self._proved_line(attacker, depth)
                        return ThreatSolution(result, len(line), line, int(s[NODES]))
                if s[STOP] or s[NODES] >= s[NODE_LIMIT]:
                    break
        return ThreatSolution("unknown", None, (), int(s[NODES]))

    def _prove(self, attacker: int, depth: int) -> int:
        """Return the plies to the attacker's five by threats against every defence, or 0 without a proof."""
        s = self.state
        plies = int(proofs.prove(*self.arrays, attacker, depth, 0))
        if plies or s[TURN] == attacker or any(threats.count_class(s, c, classes.WIN) for c in (1, 2)):
            return plies
        if threats.winning_four(*self.arrays, s[TURN]) or threats.winning_four(*self.arrays, attacker):
            return 0
        selective_depth = 0
        s[TURN] = attacker  # an attacker who cannot win with an extra move cannot win without it
        passed = int(proofs.prove(*self.arrays, attacker, depth, 0))
        s[TURN] = 3 - attacker
        if not passed:
            return 0
        for cell in self._empty_cells():
            if threats.may_play(*self.arrays, cell):
                board.make(*self.arrays, cell)
                plies = int(proofs.prove(*self.arrays, attacker, depth, 0))
                board.unmake(*self.arrays)
                if not plies:
                    return 0
                selective_depth = max(selective_depth, plies + 1)
        return selective_depth

    def _empty_cells(self) -> list[int]:
        return [
            cell
            for cell in (cell_of(i % self.game.size, i // self.game.size) for i in range(self.game.size**2))
            if self.state[cell * RECORD + COLOUR] == EMPTY
        ]

    def _proved_line(self, attacker: int, depth: int) -> tuple[int, ...]:
        """Return the moves of a proved win: the attacker's, and the defences that last longest."""
        s, placed = self.state, list[int]()
        s[NODE_LIMIT] = MOST_NODES
        while True:
            if s[TURN] == attacker:
                if not (plies := int(proofs.prove(*self.arrays, attacker, depth, 0))):
                    break
                cell = int(s[BEST_MOVE])
            else:
                plies, cell = self._longest_defence(attacker, depth)
                if not plies:
                    break
            board.make(*self.arrays, cell)
            placed.append(cell)
            if plies == 1:
                break
        for _ in placed:
            board.unmake(*self.arrays)
        return tuple(map(self._point_number, placed))

    def _longest_defence(self, attacker: int, depth: int) -> tuple[int, int]:
        s, best = self.state, (0, threats.NO_CELL)
        if threats.count_class(s, attacker, classes.WIN):
            moves = [int(threats.five_point(s, attacker))]
        elif threats.winning_four(*self.arrays, attacker):
            count = threats.replies(*self.arrays, LIST)
            moves = [int(s[LIST + 2 * i]) for i in range(count)]
        else:
            moves = self._empty_cells()
        for cell in moves:
            if threats.may_play(*self.arrays, cell):
                board.make(*self.arrays, cell)
                plies = int(proofs.prove(*self.arrays, attacker, depth, 0))
                board.unmake(*self.arrays)
                best = max(best, (plies + 1 if plies else 0, cell))
        if best[0] == 0:  # no defence delays the loss, so choose any move
            cell = next(iter(moves or self._empty_cells()))
            best = (4, cell)
        return best

    def vcf(self, position: GomokuPosition, nodes: int = 1_000_000, *, of_opponent: bool = False) -> int:
        """Return the number of plies to a five if the mover wins by continuous fours, else 0.

        With `of_opponent`, search for a win of the opponent instead, as if it were to move.
        """
        self.set_position(position.cells)
        if of_opponent:
            self._pass_turn()
        plies = int(threats.vcf(*self.arrays, nodes, classes.FOUR_PLAIN))
        if of_opponent:
            self._pass_turn()
        return plies

    def _pass_turn(self) -> None:
        self.state[TURN] = 3 - self.state[TURN]
        self.hashes[HASH] ^= self.hashes[SIDE]

    def vcf_after(self, cells: bytes, nodes: int) -> int:
        """Return the result of `vcf` for the position `cells`, which adds stones to the current position.

        The current position stays on the board. Raises ValueError if `cells` lacks a stone of the current position.
        """
        plies = int(threats.vcf_after(*self.arrays, np.frombuffer(bytearray(cells), np.uint8), nodes))
        if plies < 0:
            raise ValueError("`cells` lacks a stone of the current position")
        return plies


def _sort_lines(ranked: list[EngineLine]) -> tuple[EngineLine, ...]:
    return tuple(sorted(ranked, key=lambda line: -line.value))


def warm() -> None:
    """Compile every function, or load it from the cache. All rules use the same array types, so one board is enough."""
    engine = GomokuEngine(Gomoku(size=9), memory_mb=1)
    position = engine.game.replay(["e5", "e6", "d5", "f5"])
    assert isinstance(position, GomokuPosition)
    engine.analyse(position, nodes=500)
    engine.solve(position, nodes=50)
