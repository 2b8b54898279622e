"""The solver behind one class: positions in, proved bounds of the value out, for the position and for each move.

Uses games, moments of time.monotonic(), and the compiled functions. It keeps the boards from call to call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.small_go import bounds, graph
from gomogo_core.games.base import Move, Outcome
from gomogo_core.games.go import Go
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import StonesGame, StonesPosition

_SCORING = {"area": graph.AREA, "territory": graph.TERRITORY, "stone": graph.STONE}
_NO_WIN = 255
_PART = 1 << 14  # boards that are connected between two looks at the stop flag
_BYTES = 8  # for each code: measured on 4 × 4


class Stopped(Exception):
    """The time is used up. The boards are kept."""


class Bounds(NamedTuple):
    """Proved bounds of Black's result: 1, 0, -1 for a win, a draw, a loss; in Go Black's points less White's."""

    low: float
    high: float


def can_solve(position: StonesPosition) -> bool:
    """Return whether the solver knows the rules of a position, and the board has at most 16 points."""
    game = position.game
    known = isinstance(game, (Go, Robogo)) and game.passing and game.captures and not game.suicide
    return known and game.rows * game.cols <= graph.MOST_POINTS


def megabytes(game: StonesGame) -> float:
    """Return the memory that the boards of a game take, in MB."""
    return float(_BYTES * 3 ** (game.rows * game.cols) / 1e6)


class SmallGoSolver:
    """Finds bounds of positions of one game."""

    def __init__(self, game: StonesGame) -> None:
        self.game = game
        self.plies = 0  # of the last bounds: those after which nothing changed
        self._stop = np.zeros(1, np.int64)
        self._built = False
        self._wins: Any = None
        self._tables: dict[tuple[frozenset[int], int | None], Any] = {}
        scoring = _SCORING[game.scoring] if isinstance(game, Go) else graph.ROWS
        line, diagonals = (game.line, game.diagonals) if isinstance(game, Robogo) else (0, False)
        self.rules = np.array([game.cols, game.rows, scoring, line, diagonals], np.int64)
        self.worst = -1 if isinstance(game, Robogo) else -game.rows * game.cols

    @property
    def nodes(self) -> int:
        """The number of boards, without mirror images."""
        return len(self._blacks) if self._built else 0

    def interrupt(self) -> None:
        """End the search that runs now, from another thread."""
        self._stop[0] = 1

    def solve(self, position: StonesPosition, stop_at: float | None = None) -> tuple[Bounds, dict[Move, Bounds]]:
        """Return bounds of a position whose game is not over, and of the position after each legal move.

        Raises Stopped.
        """
        self._stop[0] = 0
        with stop_flag.set_at(stop_at, self._stop, 0):
            self._build()
            moves = {move: self._after(position, position.play(move)) for move in position.moves()}
        best = max if position.to_move == BLACK else min
        whole = Bounds(best(one.low for one in moves.values()), best(one.high for one in moves.values()))
        return whole, moves

    def prepare_wins(self, stop_at: float | None = None) -> None:
        """Find, for all positions of Robogo, the plies of a win that no ko rule can forbid. Raises Stopped."""
        self._stop[0] = 0
        with stop_flag.set_at(stop_at, self._stop, 0):
            self._build()
            if self._wins is None:
                wins = np.full((4, len(self._scores)), _NO_WIN, np.uint8)
                self._calculate(frozenset(), None, wins)
                self._wins = wins

    def winning_move(self, position: StonesPosition) -> Move | None:
        """Return the move of a proved win of Robogo with the fewest plies, or None, after `prepare_wins`."""
        assert self._wins is not None
        mover, found = position.to_move, list[tuple[int, Move]]()
        left = (
            _NO_WIN - 1
            if self.game.max_moves is None
            else min(_NO_WIN, self.game.max_moves - position.moves_played) - 1
        )
        earlier = [self._wins[:, self._number_for(mover, *board)] for board in self._earlier(position)]
        for move in position.moves():
            after = position.play(move)
            number = self._number_for(mover, after.board.black, after.board.white)
            plies = int(self._wins[bounds.WHITE_MOVES + after.passes, number]) if after.passes < 2 else _NO_WIN
            # a later stone leads to a board that is won in fewer plies, whoever moves there
            needed = any(max(one[bounds.BLACK_MOVES], one[bounds.WHITE_MOVES]) < plies for one in earlier)
            if plies <= left and not needed:
                found.append((plies, move))
        return min(found, key=lambda one: one[0])[1] if found else None

    def _number_for(self, seat: int, black: int, white: int) -> int:
        return self._number(black, white) if seat == BLACK else self._number(white, black)

    def _after(self, before: StonesPosition, position: StonesPosition) -> Bounds:
        if (outcome := position.outcome()) is not None:
            value = self._value(outcome)
            return Bounds(value, value)
        banned = self._earlier(before)
        most = None if self.game.max_moves is None else self.game.max_moves - position.moves_played
        komi = self.game.komi if isinstance(self.game, Go) else 0
        black, white = position.board.black, position.board.white
        low = self._forced(BLACK, position, black, white, banned, most) - komi
        high = -self._forced(WHITE, position, white, black, banned, most) - komi
        return Bounds(low, high)

    def _value(self, outcome: Outcome) -> float:
        if outcome.scores is not None:
            return float(outcome.scores[0] - outcome.scores[1])
        return {1: 1, 2: -1}.get(outcome.winner or 0, 0)

    def _earlier(self, position: StonesPosition) -> tuple[tuple[int, int], ...]:
        """Return the boards up to `position` that a ko rule may forbid later, as masks of the game's geometry."""
        geometry = self.game.bit_geometry
        keys = {position.board.key}
        if position.earlier_boards is not None:
            keys |= {sign >> 1 for sign in position.earlier_boards.board_numbers}
        return tuple(sorted((key & geometry.full_mask, key >> geometry.length) for key in keys))

    def _forced(
        self,
        seat: int,
        position: StonesPosition,
        own: int,
        other: int,
        banned: tuple[tuple[int, int], ...],
        most: int | None,
    ) -> int:
        """Return the best result that `seat` can force, as if it were Black: a table is for Black."""
        boards = frozenset(self._number_for(seat, *board) for board in banned)
        table = self._table(boards, most)
        kind = bounds.BLACK_MOVES if position.to_move == seat else bounds.WHITE_MOVES
        return max(self.worst, int(table[kind + position.passes, self._number(own, other)]))

    def _table(self, banned: frozenset[int], most: int | None) -> Any:
        if (banned, most) not in self._tables:
            self._tables = {key: self._tables[key] for key in list(self._tables)[-1:]}  # of both players
            self._tables[banned, most] = self._calculate(banned, most)
        return self._tables[banned, most]

    def _calculate(self, banned: frozenset[int], most: int | None, wins: Any = None) -> Any:
        """Return the table. wins: an array to fill with the plies of wins."""
        forbidden = np.zeros(len(self._scores), np.bool_)
        forbidden[list(banned)] = True
        old = np.empty((4, len(self._scores)), np.int8)
        bounds.begin(self._ends, old)
        new, self.plies = old.copy(), 0
        if wins is not None:
            wins[old == 1] = 0
        while self.plies < (_NO_WIN - 1 if most is None else most):
            if self._stop[0]:
                raise Stopped
            if not bounds.sweep(self._scores, self._ends, self._starts, self._next, forbidden, old, new):
                break
            old, new = new, old
            self.plies += 1
            if wins is not None:
                wins[(old == 1) & (wins == _NO_WIN)] = self.plies
        return old

    def _number(self, black: int, white: int) -> int:
        code = graph.least_code(self._images, self._bits(black), self._bits(white))
        return int(graph.number_of(self._words, self._before, code))

    def _bits(self, mask: int) -> int:
        points = self.game.bit_geometry.points_in(mask)
        return sum(1 << (point.row - 1) * self.game.cols + point.column - 1 for point in points)

    def _build(self) -> None:
        """Make the boards once; a stopped call leaves nothing half made."""
        if self._built:
            return
        points = self.game.rows * self.game.cols
        self._images = _images(self.game.rows, self.game.cols)
        words, count = np.zeros(3**points // 64 + 1, np.uint64), 0
        for black in range(1 << points):
            count += graph.mark(self.rules, self._images, words, black)
            if self._stop[0]:
                raise Stopped
        self._words, self._before = words, np.zeros(len(words), np.int32)
        self._blacks, self._whites = np.zeros(count, np.int32), np.zeros(count, np.int32)
        graph.decode(words, points, self._before, self._blacks, self._whites)
        self._scores, self._ends = np.zeros(count, np.int8), np.zeros(count, np.int8)
        empty = points * count - sum(int(np.bitwise_count(one).sum()) for one in (self._blacks, self._whites))
        self._starts, after = np.zeros(2 * count + 1, np.int32), np.empty(2 * empty, np.int32)
        boards = self._words, self._before, self._blacks, self._whites, self._scores, self._ends
        used = 0
        for first in range(0, count, _PART):
            last = min(count, first + _PART)
            used = graph.connect(self.rules, self._images, *boards, self._starts, after, first, last)
            if self._stop[0]:
                raise Stopped
        self._next = after[:used]
        self._built = True


def _images(rows: int, cols: int) -> Any:
    """Return, for each mask of points and each mirroring, the identity first, the sum of the powers of 3."""
    masks = np.arange(1 << rows * cols, dtype=np.int64)
    found = []
    for down, right, swap in np.ndindex(2, 2, 2 if rows == cols else 1):
        codes = np.zeros(len(masks), np.int64)
        for row in range(rows):
            for col in range(cols):
                to = rows - 1 - row if down else row, cols - 1 - col if right else col
                to_row, to_col = to[::-1] if swap else to
                codes += (masks >> row * cols + col & 1) * 3 ** (to_row * cols + to_col)
        found.append(codes)
    return np.ascontiguousarray(np.array(found, np.int32).T)


def warm() -> None:
    """Have every compiled function ready: all are compiled when they are defined."""
