"""A class that searches positions of gomogo_core.games, and returns moves with their values and principal variations.

The module uses games, times of time.monotonic(), and the compiled search. It keeps its transposition table from move to
move.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.gomoku import board, classes, line_network, proofs, search, shapes, table, threats

from gomogo_core.engines.gomoku.array_layout import (  # isort: skip
    BEST_MOVE, BORDER_WIDTH, COLOUR, EMPTY, HASH_ARRAY_SIZE, MAX_BOARD_SIZE, MOVE_LISTS_START, NODE_COUNT, NODE_LIMIT,
    POSITION_KEY, RECORD_SIZE, ROOT_MOVE_COUNT, ROOT_MOVE_SIZE, ROOT_MOVES_START, SEARCH_PARAMETERS_START,
    SELECTIVE_DEPTH, STATE_SIZE, STONE_COUNT, STOP_FLAG, STRIDE, TABLE_GENERATION, TURN, TURN_KEY, Arrays, cell_of,
)  # fmt: skip
from gomogo_core.games.gomoku import Gomoku, GomokuPosition

MAX_DEPTH = 60
CLEAR_LEAD = 150  # a clear lead, in the engine's units
NO_NODE_LIMIT = 2_000_000_000
WIN_VALUE, CERTAIN_THRESHOLD = search.WIN_VALUE, table.CERTAIN_THRESHOLD
_WORD_BYTES = 8  # bytes of a number in the transposition table
_MAX_VARIATION_LENGTH = 30
_CHECK_DEPTH = 4  # from this depth in plies on, a search for the opponent's wins by threats checks the best move
_PROOF_DIVISOR = 8  # a proof takes at most the nodes of the search, divided by this number
_MAX_ROOT_PROOF_NODES = 50_000  # the largest number of nodes of a proof before the main search
# nodes of a proof per second of the move's time: a twentieth of the time on an idle core
_PROOF_NODES_PER_SECOND = 40_000
_MIN_PROOF_NODES = 200  # the node limit of a proof that the best move loses, if the search has visited few nodes
_MIN_FITTED_SIZE = 15  # rows of the smallest board on which the line network was fitted
_NO_ROWS = np.zeros(0, np.int16)  # the table of rows without a line network
_MAX_PROOF_THREATS = 20  # the largest number of the attacker's moves in a proof that are not fours


@dataclass(frozen=True, slots=True)
class EngineLine:
    """A root move with its principal variation.

    `point_numbers` holds the points of the moves, as indices of GomokuPosition.cells. `value` is for the mover, in the
    engine's units. A value above CERTAIN_THRESHOLD is a certain win, WIN_VALUE minus the number of plies to it.
    """

    point_numbers: tuple[int, ...]
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

    `result` is "win" or "loss" for the mover, or "unknown". `plies` is the number of plies to the end, and
    `point_numbers` the points of the moves in the proved variation.
    """

    result: str
    plies: int | None
    point_numbers: tuple[int, ...]
    nodes: int


def plies_to_end(value: int) -> int | None:
    """Return the number of plies to the end if `value` is a certain win or loss, else None."""
    return WIN_VALUE - abs(value) if abs(value) > CERTAIN_THRESHOLD else None


def _is_result_final(lines: Sequence[EngineLine], depth: int) -> bool:
    """Return whether each line is a certain win, or a certain loss within `depth` plies, so that deeper search is
    useless.
    """
    return all(
        line.value > CERTAIN_THRESHOLD or (line.value < -CERTAIN_THRESHOLD and WIN_VALUE + line.value <= depth)
        for line in lines
    )


def can_play(game: Gomoku) -> bool:
    """Return whether the engine supports this game: five in a row, on a board of at most MAX_BOARD_SIZE rows."""
    return game.line == 5 and game.size <= MAX_BOARD_SIZE


def rule_of(game: Gomoku) -> int:
    """Return the rule for rows in `game`: shapes.FREESTYLE, STANDARD or RENJU."""
    return shapes.RENJU if game.renju else shapes.STANDARD if game.exact else shapes.FREESTYLE


@cache
def _shape_table_of(rule: int) -> Any:
    return shapes.widen_keys(shapes.shape_table_of_rule(rule))


@cache
def _shipped_rows(for_middle_sizes: bool) -> Any:
    return line_network.row_table(classes.shipped_line_network(for_middle_sizes)["rows"])


@cache
def _class_tables_of(rule: int, for_middle_sizes: bool) -> Any:
    network = classes.shipped_line_network(for_middle_sizes)
    return classes.evaluation_tables(classes.shipped_parameters(), rule, line_network=network)


@dataclass
class GomokuEngine:
    """A board with its tables and its transposition table, for one game of Gomoku.

    `memory_mb` is the size of the transposition table in megabytes. `threads` is the number of threads that search at
    the same time and share the table; with more than one, searches are not reproducible. `search_parameters` are the
    parameters of the search, by default search.DEFAULT_SEARCH_PARAMETERS. `evaluation_parameters` and `value_network`
    are those of the evaluation, by default classes.shipped_parameters() and classes.shipped_value_network(). `policy`
    is that of the move ordering, by default classes.shipped_policy(). `line_network` has the arrays of a line network,
    which replaces these two networks in quiet positions. In freestyle on at least 15 × 15 points, the default is
    classes.shipped_line_network() for this size. In other games, for which it was not fitted, the default is {} (none).
    `table` is a transposition table shared with another engine, by default a new one.
    """

    game: Gomoku
    memory_mb: int = 64
    threads: int = 1
    search_parameters: Any = None
    evaluation_parameters: Any = None
    value_network: Any = None
    policy: Any = None
    line_network: Any = None
    table: Any = None
    state: Any = field(init=False)
    hashes: Any = field(init=False)

    def __post_init__(self) -> None:
        rule = rule_of(self.game)
        self.shape_table = _shape_table_of(rule)
        parts = (self.value_network, self.policy, self.line_network)
        for_middle_sizes = self.game.size in classes.MIDDLE_SIZES
        if self.evaluation_parameters is None and all(part is None for part in parts):
            self.class_tables = _class_tables_of(rule, for_middle_sizes)
        else:
            own_parameters = self.evaluation_parameters
            evaluation_parameters = classes.shipped_parameters() if own_parameters is None else own_parameters
            network = self.line_network or classes.shipped_line_network(for_middle_sizes)
            self.class_tables = classes.evaluation_tables(evaluation_parameters, rule, *parts[:2], network)
        if self.line_network is None:
            is_fitted = rule == shapes.FREESTYLE and self.game.size >= _MIN_FITTED_SIZE
            self.rows = _shipped_rows(for_middle_sizes) if is_fitted else _NO_ROWS
        else:
            self.rows = line_network.row_table(self.line_network["rows"]) if self.line_network else _NO_ROWS
        self.features = np.zeros(line_network.FEATURE_ARRAY_SIZE if self.rows.size else 0, np.int16)
        if self.search_parameters is None:
            self.search_parameters = search.DEFAULT_SEARCH_PARAMETERS.copy()
        self.state = np.zeros(STATE_SIZE, np.int32)
        self.hashes = np.zeros(HASH_ARRAY_SIZE, np.uint64)
        board.fill_hashes(self.hashes, 20260101)
        if self.table is None:
            entries = 1 << max(10, ((self.memory_mb << 20) // (2 * _WORD_BYTES)).bit_length() - 1)
            self.table = np.empty(2 * entries, np.uint64)
            # write to every page of the array now: in the first search, this would take 0.3 s of a move's time
            self.table.fill(0)
        self.table_generation = 0
        self.helper_engines = [
            GomokuEngine(
                self.game, self.memory_mb, 1, self.search_parameters, self.evaluation_parameters, *parts, self.table
            )
            for _ in range(self.threads - 1)
        ]

    @property
    def arrays(self) -> Arrays:
        """The arrays of the compiled functions."""
        return Arrays(
            self.state, self.shape_table, self.class_tables, self.hashes, self.table, self.features, self.rows
        )

    def set_position(self, cells: bytes) -> None:
        """Set up the stones of `cells`, as in GomokuPosition.cells. Black moves if the numbers of stones are equal."""
        size = self.game.size
        s = self.state
        board.reset(self.arrays, size, rule_of(self.game), shapes.key_span(rule_of(self.game)))
        for colour in (1, 2):
            for i, stone in enumerate(cells):
                if stone == colour:
                    s[TURN] = colour
                    board.place_stone(self.arrays, cell_of(i % size, i // size))
        s[TURN] = 2 if s[STONE_COUNT] % 2 else 1
        s[SEARCH_PARAMETERS_START : SEARCH_PARAMETERS_START + len(self.search_parameters)] = self.search_parameters

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
        `is_enough`, or at once if there is only one move.
        """
        stream = self.stream_analyses(position, stop_at=stop_at, nodes=nodes, depth=depth, lines=lines)
        with closing(stream) as analyses:
            for analysis in analyses:
                if self.state[ROOT_MOVE_COUNT] == 1 or (is_enough is not None and is_enough(analysis)):
                    break
        return analysis

    def stream_analyses(
        self, position: GomokuPosition, *, stop_at: float | None = None, nodes: int = 0, depth: int = 0, lines: int = 1
    ) -> Generator[EngineAnalysis, None, None]:
        """Search as `analyse` does, and yield the lines after each depth, and at the end.

        The search goes on after the first depth even if only one move is possible, because the value at that depth is
        far from the value of the next position.
        """
        search_start = time.monotonic()
        self.table_generation = (self.table_generation + 1) & 0xFF
        for engine in self._thread_engines():
            engine.set_position(position.cells)
            engine.state[TABLE_GENERATION] = self.table_generation
            engine.state[NODE_LIMIT] = -(-nodes // self.threads) or NO_NODE_LIMIT
        max_proof_nodes = _MAX_ROOT_PROOF_NODES
        if stop_at is not None:
            max_proof_nodes = min(max_proof_nodes, int(_PROOF_NODES_PER_SECOND * max(0.0, stop_at - search_start)))
        lost_moves: set[int] = set()  # moves after which the opponent is proved to win
        with ExitStack() as exit_stack:
            for engine in self._thread_engines():
                exit_stack.enter_context(stop_flag.set_flag_at(stop_at, engine.state, STOP_FLAG))
            exit_stack.enter_context(self._search_in_other_threads(lost_moves))
            for lines_found, complete_depth in self._search_depths(
                depth or MAX_DEPTH, lines, max_proof_nodes, lost_moves
            ):
                selective_depth = max(int(engine.state[SELECTIVE_DEPTH]) for engine in self._thread_engines())
                node_count = sum(int(engine.state[NODE_COUNT]) for engine in self._thread_engines())
                seconds = time.monotonic() - search_start
                yield EngineAnalysis(lines_found, complete_depth, selective_depth, node_count, seconds)

    def interrupt(self) -> None:
        """Stop the current search. Another thread calls this."""
        for engine in self._thread_engines():
            engine.state[STOP_FLAG] = 1

    def _thread_engines(self) -> list[GomokuEngine]:
        return [self, *self.helper_engines]

    @contextmanager
    def _search_in_other_threads(self, lost_moves: Collection[int]) -> Iterator[None]:
        """Let the other threads search the same position until the block ends. They fill the shared table."""
        threads = [
            threading.Thread(target=helper._fill_table, args=(1 + number % 2, lost_moves), daemon=True)
            for number, helper in enumerate(self.helper_engines, 1)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for helper in self.helper_engines:
                helper.state[STOP_FLAG] = 1
            for thread in threads:
                thread.join()

    def _fill_table(self, depth: int, lost_moves: Collection[int]) -> None:
        """Search from `depth` on until the stop flag is set.

        Threads that begin at different depths repeat less work.
        """
        search.write_root_moves(self.arrays)
        value = 0
        while depth < MAX_DEPTH and not self.state[STOP_FLAG]:
            self._set_excluded_root_moves(lost_moves)
            value = self._search_in_aspiration_window(depth, value)
            depth += 1

    def _set_excluded_root_moves(self, cells: Collection[int]) -> None:
        """Exclude these root moves, and no others, from the next search."""
        s = self.state
        for i in range(s[ROOT_MOVE_COUNT]):
            s[ROOT_MOVES_START + ROOT_MOVE_SIZE * i + 3] = int(s[ROOT_MOVES_START + ROOT_MOVE_SIZE * i]) in cells

    def _search_depths(
        self, max_depth: int, lines: int, max_proof_nodes: int, lost_moves: set[int]
    ) -> Iterator[tuple[tuple[EngineLine, ...], int]]:
        s = self.state
        count = search.write_root_moves(self.arrays)
        lines = max(1, min(lines, count))
        if lines == 1 and count > 1 and (proved_win := self._find_proved_win(max_proof_nodes)) is not None:
            yield (proved_win,), WIN_VALUE - proved_win.value
            return
        lines_found: list[EngineLine] = []
        complete_depth = depth = 0
        checked_moves: set[int] = set()
        while depth < max_depth and not s[STOP_FLAG]:
            depth += 1
            finished_lines: list[EngineLine] = []
            self._set_excluded_root_moves(lost_moves)
            for _ in range(lines):
                guess = lines_found[len(finished_lines)].value if len(finished_lines) < len(lines_found) else 0
                value = self._search_in_aspiration_window(depth, guess)
                if value == -search.INFINITY:  # stopped before the first move had a value
                    break
                best_cell = int(s[ROOT_MOVES_START])
                finished_lines.append(EngineLine(tuple(map(self._point_number, self._variation(best_cell))), value))
                s[ROOT_MOVES_START + 3] = 1
                if s[STOP_FLAG]:
                    break
            may_check = lines == 1 and finished_lines and not s[STOP_FLAG] and depth >= _CHECK_DEPTH
            if may_check and len(lost_moves) + 1 < count:
                best_cell = int(s[ROOT_MOVES_START])
                if best_cell not in checked_moves and abs(finished_lines[0].value) < CERTAIN_THRESHOLD:
                    checked_moves.add(best_cell)
                    if self._is_losing_move(best_cell):
                        lost_moves.add(best_cell)
                        best_point = self._point_number(best_cell)
                        lines_found = [line for line in lines_found if line.point_numbers[0] != best_point]
                        depth -= 1
                        continue
            finished_moves = {line.point_numbers[0] for line in finished_lines}
            earlier_lines = [line for line in lines_found if line.point_numbers[0] not in finished_moves]
            lines_found = (finished_lines + earlier_lines)[:lines]
            if s[STOP_FLAG]:
                break
            complete_depth = depth
            yield _sort_lines(lines_found), complete_depth
            if _is_result_final(lines_found, depth):
                break
        if not lines_found:
            lines_found = [EngineLine((self._point_number(self._first_move_not_lost(lost_moves)),), 0)]
        yield _sort_lines(lines_found), complete_depth

    def _first_move_not_lost(self, lost_moves: set[int]) -> int:
        """Return the first root move that is not known to lose; if all lose, the first root move."""
        cells = [int(self.state[ROOT_MOVES_START + ROOT_MOVE_SIZE * i]) for i in range(self.state[ROOT_MOVE_COUNT])]
        return next((cell for cell in cells if cell not in lost_moves), cells[0])

    def _find_proved_win(self, max_nodes: int) -> EngineLine | None:
        """Return a win by threats, or None; the search takes a small part of the nodes, at most `max_nodes`."""
        s = self.state
        plies = self._plies_to_proved_win(min(int(s[NODE_LIMIT]) // _PROOF_DIVISOR, max_nodes), 0)
        return EngineLine((self._point_number(int(s[BEST_MOVE])),), WIN_VALUE - plies) if plies else None

    def _plies_to_proved_win(self, node_limit: int, ply: int) -> int:
        """Return the plies to a win that the player to move has by threats; 0 if a search below the node limit finds no
        proof.

        `node_limit` is a limit of NODE_COUNT. `ply` is the number of plies from the root to the position on the board.
        """
        s, usual_limit, plies = self.state, int(self.state[NODE_LIMIT]), 0
        s[NODE_LIMIT] = node_limit
        for depth in range(_MAX_PROOF_THREATS):
            plies = int(proofs.prove_win(self.arrays, int(s[TURN]), depth, ply))
            if plies or s[NODE_COUNT] >= s[NODE_LIMIT] or s[STOP_FLAG]:
                break
        s[NODE_LIMIT] = usual_limit
        return plies

    def _is_losing_move(self, cell: int) -> bool:
        """Return whether a search by threats proves that the opponent wins after this move."""
        node_count = int(self.state[NODE_COUNT])
        node_limit = node_count + max(_MIN_PROOF_NODES, node_count // _PROOF_DIVISOR)
        board.place_stone(self.arrays, cell)
        plies = self._plies_to_proved_win(min(int(self.state[NODE_LIMIT]), node_limit), 1)
        board.remove_last_stone(self.arrays)
        return plies > 0

    def _search_in_aspiration_window(self, depth: int, guess: int) -> int:
        """Search the root in a narrow aspiration window around `guess`, and widen the window until the value lies in
        it.
        """
        s, width = self.state, int(self.search_parameters[search.ASPIRATION])
        low, high = -search.INFINITY, search.INFINITY
        if depth > 3 and abs(guess) < CERTAIN_THRESHOLD:
            low, high = guess - width, guess + width
        while True:
            value = int(search.search_root(self.arrays, low, high, depth))
            if s[STOP_FLAG] or low < value < high:
                return value
            width *= 3
            if value <= low:
                low = -search.INFINITY if abs(value) > CERTAIN_THRESHOLD or width > 1000 else guess - width
            else:
                high = search.INFINITY if abs(value) > CERTAIN_THRESHOLD or width > 1000 else guess + width

    def _point_number(self, cell: int) -> int:
        """Return the number of a cell's point, counted row by row."""
        return (cell // STRIDE - BORDER_WIDTH) * self.game.size + cell % STRIDE - BORDER_WIDTH

    def _variation(self, first: int) -> Iterator[int]:
        """Yield `first`, and then the best replies in the transposition table."""
        s, cell, placed = self.state, first, 0
        try:
            while (
                placed < _MAX_VARIATION_LENGTH and cell != threats.NO_CELL and s[cell * RECORD_SIZE + COLOUR] == EMPTY
            ):
                yield cell
                if threats.class_at(s, cell, s[TURN]) == classes.FIVE:
                    return
                board.place_stone(self.arrays, cell)
                placed += 1
                cell = int(search.expected_move(self.arrays))
        finally:
            for _ in range(placed):
                board.remove_last_stone(self.arrays)

    def solve(
        self, position: GomokuPosition, *, stop_at: float | None = None, nodes: int = NO_NODE_LIMIT
    ) -> ThreatSolution:
        """Search for a proof by threats that the mover wins, or that it loses against every defence."""
        self.set_position(position.cells)
        s = self.state
        s[NODE_LIMIT] = nodes
        with stop_flag.set_flag_at(stop_at, self.state, STOP_FLAG):
            mover = int(s[TURN])
            for depth in range(_MAX_PROOF_THREATS):
                for attacker, result in ((mover, "win"), (3 - mover, "loss")):
                    plies = self._prove_win(attacker, depth)
                    if plies:
                        line = self._proved_line(attacker, depth)
                        return ThreatSolution(result, len(line), line, int(s[NODE_COUNT]))
                if s[STOP_FLAG] or s[NODE_COUNT] >= s[NODE_LIMIT]:
                    break
        return ThreatSolution("unknown", None, (), int(s[NODE_COUNT]))

    def _prove_win(self, attacker: int, depth: int) -> int:
        """Return the plies to the attacker's five by threats against every defence, or 0 if there is no proof."""
        s = self.state
        plies = int(proofs.prove_win(self.arrays, attacker, depth, 0))
        if plies or s[TURN] == attacker or any(threats.count_points_of_class(s, c, classes.FIVE) for c in (1, 2)):
            return plies
        if threats.winning_four_point(self.arrays, s[TURN]) or threats.winning_four_point(self.arrays, attacker):
            return 0
        most_plies = 0
        s[TURN] = attacker  # an attacker who cannot win with an extra move cannot win without it
        plies_with_extra_move = int(proofs.prove_win(self.arrays, attacker, depth, 0))
        s[TURN] = 3 - attacker
        if not plies_with_extra_move:
            return 0
        for cell in self._empty_cells():
            if threats.may_play(self.arrays, cell):
                board.place_stone(self.arrays, cell)
                plies = int(proofs.prove_win(self.arrays, attacker, depth, 0))
                board.remove_last_stone(self.arrays)
                if not plies:
                    return 0
                most_plies = max(most_plies, plies + 1)
        return most_plies

    def _empty_cells(self) -> list[int]:
        cells = (cell_of(column, row) for row in range(self.game.size) for column in range(self.game.size))
        return [cell for cell in cells if self.state[cell * RECORD_SIZE + COLOUR] == EMPTY]

    def _proved_line(self, attacker: int, depth: int) -> tuple[int, ...]:
        """Return the moves of a proved win: the attacker's, and the defences that last longest."""
        s, placed = self.state, list[int]()
        s[NODE_LIMIT] = NO_NODE_LIMIT
        while True:
            if s[TURN] == attacker:
                if not (plies := int(proofs.prove_win(self.arrays, attacker, depth, 0))):
                    break
                cell = int(s[BEST_MOVE])
            else:
                plies, cell = self._longest_defence(attacker, depth)
                if not plies:
                    break
            board.place_stone(self.arrays, cell)
            placed.append(cell)
            if plies == 1:
                break
        for _ in placed:
            board.remove_last_stone(self.arrays)
        return tuple(map(self._point_number, placed))

    def _longest_defence(self, attacker: int, depth: int) -> tuple[int, int]:
        """Return the plies to the attacker's win after the defence that lasts longest, and the cell of this defence."""
        s, best_defence = self.state, (0, threats.NO_CELL)
        if threats.count_points_of_class(s, attacker, classes.FIVE):
            moves = [int(threats.five_point(s, attacker))]
        elif threats.winning_four_point(self.arrays, attacker):
            count = threats.write_replies(self.arrays, MOVE_LISTS_START)
            moves = [int(s[MOVE_LISTS_START + 2 * i]) for i in range(count)]
        else:
            moves = self._empty_cells()
        for cell in moves:
            if threats.may_play(self.arrays, cell):
                board.place_stone(self.arrays, cell)
                plies = int(proofs.prove_win(self.arrays, attacker, depth, 0))
                board.remove_last_stone(self.arrays)
                best_defence = max(best_defence, (plies + 1 if plies else 0, cell))
        if best_defence[0] == 0:  # no defence delays the loss, so choose any move
            cell = next(iter(moves or self._empty_cells()))
            best_defence = (4, cell)
        return best_defence

    def vcf(self, position: GomokuPosition, nodes: int = 1_000_000, *, of_opponent: bool = False) -> int:
        """Return the number of plies to a five if the mover wins by continuous fours, else 0.

        With `of_opponent`, search for a win of the opponent instead, as if it were to move.
        """
        self.set_position(position.cells)
        if of_opponent:
            self._pass_turn()
        plies = int(threats.vcf(self.arrays, nodes, classes.PLAIN_FOUR))
        if of_opponent:
            self._pass_turn()
        return plies

    def _pass_turn(self) -> None:
        self.state[TURN] = 3 - self.state[TURN]
        self.hashes[POSITION_KEY] ^= self.hashes[TURN_KEY]

    def vcf_after(self, cells: bytes, nodes: int) -> int:
        """Return the result of `vcf` for another position: `cells` is the current position with more stones.

        The current position stays on the board. Raises ValueError if `cells` lacks a stone of the current position.
        """
        plies = int(threats.vcf_after(self.arrays, np.frombuffer(bytearray(cells), np.uint8), nodes))
        if plies < 0:
            raise ValueError("`cells` lacks a stone of the current position")
        return plies


def _sort_lines(ranked: list[EngineLine]) -> tuple[EngineLine, ...]:
    return tuple(sorted(ranked, key=lambda line: -line.value))


def compile_functions() -> None:
    """Compile every function, or load it from the cache. All rules use the same array types, so one board is enough."""
    engine = GomokuEngine(Gomoku(size=9), memory_mb=1)
    position = engine.game.replay(["e5", "e6", "d5", "f5"])
    assert isinstance(position, GomokuPosition)
    engine.analyse(position, nodes=500)
    engine.solve(position, nodes=50)
