"""A class that finds proved bounds of the value of a position, and of the position after each move.

The class keeps the boards from call to call.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from gomogo_core.engines.small_go import bounds, graph
from gomogo_core.engines.stop_flag import SearchStopped
from gomogo_core.games.base import Move, Outcome
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.games.go import Go
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import GoFamilyGame, GoFamilyPosition

_SCORINGS = {"area": graph.AREA_SCORING, "territory": graph.TERRITORY_SCORING, "stone": graph.STONE_SCORING}
_NO_WIN = 255  # as a number of plies: no win is proved
_BOARDS_PER_CHECK = 1 << 14  # boards that are processed between two tests of the time
_BYTES_PER_CODE = 8  # memory per code of a board, measured on 4 × 4


class Bounds(NamedTuple):
    """Proved bounds of Black's result: in Go the margin; in Robogo 1 for a win, 0 for a draw, -1 for a loss."""

    low: float
    high: float


def can_solve(position: GoFamilyPosition) -> bool:
    """Return whether the solver supports the rules and the size of the board, which may have at most 16 points."""
    game = position.game
    is_known_game = isinstance(game, (Go, Robogo)) and game.passing and game.captures and not game.suicide
    return is_known_game and game.rows * game.cols <= graph.MAX_POINTS


def required_megabytes(game: GoFamilyGame) -> float:
    """Return the memory that the boards of a game need, in megabytes."""
    return float(_BYTES_PER_CODE * 3 ** (game.rows * game.cols) / 1e6)


class SmallGoSolver:
    """Finds bounds of the values of positions of one game."""

    def __init__(self, game: GoFamilyGame) -> None:
        self.game = game
        self.plies_computed = 0  # the number of plies after which the last computed bounds no longer changed
        self._stop_at: float | None = None
        self._is_interrupted = False
        self._has_boards = False
        self._plies_to_win: Any = None
        self._results_by_rules: dict[tuple[frozenset[int], int | None], Any] = {}
        scoring = _SCORINGS[game.scoring] if isinstance(game, Go) else graph.ONLY_ROWS_WIN
        line, diagonals = (game.line, game.diagonals) if isinstance(game, Robogo) else (0, False)
        self.rules = np.array([game.cols, game.rows, scoring, line, diagonals], np.int64)
        self.worst_result = -1 if isinstance(game, Robogo) else -game.rows * game.cols

    @property
    def nodes(self) -> int:
        """The number of boards, counting mirror images once."""
        return len(self._black_masks) if self._has_boards else 0

    def interrupt(self) -> None:
        """Stop the current search. Another thread calls this."""
        self._is_interrupted = True

    def _check_stop(self) -> None:
        """Raise SearchStopped if the time is over, or if another thread interrupts the search.

        The solver calls it between compiled loops, which are short.
        """
        if self._is_interrupted or (self._stop_at is not None and time.monotonic() >= self._stop_at):
            raise SearchStopped

    def solve(self, position: GoFamilyPosition, stop_at: float | None = None) -> tuple[Bounds, dict[Move, Bounds]]:
        """Return bounds of a position whose game is not over, and of the position after each legal move.

        Raises SearchStopped.
        """
        self._stop_at, self._is_interrupted = stop_at, False
        self._build_boards()
        moves = {move: self._bounds_after_move(position, position.play(move)) for move in position.moves()}
        better = max if position.to_move == BLACK else min
        root_bounds = Bounds(*(better(each) for each in zip(*moves.values(), strict=True)))
        return root_bounds, moves

    def prepare_wins(self, stop_at: float | None = None) -> None:
        """Compute the plies to a win that no ko rule can prevent, for all positions of Robogo. Raises SearchStopped."""
        self._stop_at, self._is_interrupted = stop_at, False
        self._build_boards()
        if self._plies_to_win is None:
            wins = np.full((4, len(self._scores)), _NO_WIN, np.uint8)
            self._compute_results(frozenset(), None, wins)
            self._plies_to_win = wins

    def find_winning_move(self, position: GoFamilyPosition) -> Move | None:
        """Return the move of the quickest proved win of Robogo, or None. Call `prepare_wins` before."""
        assert self._plies_to_win is not None
        mover, wins = position.to_move, list[tuple[int, Move]]()
        max_moves = self.game.max_moves
        plies_left = min(_NO_WIN, _NO_WIN if max_moves is None else max_moves - position.moves_played) - 1
        plies_of_earlier_boards = [
            self._plies_to_win[:, self._board_number_for(mover, *board)] for board in self._earlier_boards(position)
        ]
        for move in position.moves():
            next_position = position.play(move)
            number = self._board_number_for(mover, next_position.board.black_mask, next_position.board.white_mask)
            kind = bounds.WHITE_MOVES + next_position.passes
            plies = int(self._plies_to_win[kind, number]) if next_position.passes < 2 else _NO_WIN
            # an earlier board can occur in the winning line only if that board is won in fewer plies
            needs_earlier_board = any(
                max(earlier_plies[bounds.BLACK_MOVES], earlier_plies[bounds.WHITE_MOVES]) < plies
                for earlier_plies in plies_of_earlier_boards
            )
            if plies <= plies_left and not needs_earlier_board:
                wins.append((plies, move))
        return min(wins, key=lambda win: win[0])[1] if wins else None

    def _board_number_for(self, seat: int, black: int, white: int) -> int:
        return (
            self._board_number_up_to_symmetry(black, white)
            if seat == BLACK
            else self._board_number_up_to_symmetry(white, black)
        )

    def _bounds_after_move(self, position_before: GoFamilyPosition, position: GoFamilyPosition) -> Bounds:
        if (outcome := position.outcome()) is not None:
            value = self._result_value(outcome)
            return Bounds(value, value)
        forbidden_boards = self._earlier_boards(position_before)
        max_plies = None if self.game.max_moves is None else self.game.max_moves - position.moves_played
        komi = self.game.komi if isinstance(self.game, Go) else 0
        black, white = position.board.black_mask, position.board.white_mask
        low = self._best_forced_result(BLACK, position, black, white, forbidden_boards, max_plies) - komi
        high = -self._best_forced_result(WHITE, position, white, black, forbidden_boards, max_plies) - komi
        return Bounds(low, high)

    def _result_value(self, outcome: Outcome) -> float:
        if outcome.scores is not None:
            return float(outcome.scores[0] - outcome.scores[1])
        return {1: 1, 2: -1}.get(outcome.winner or 0, 0)

    def _earlier_boards(self, position: GoFamilyPosition) -> tuple[tuple[int, int], ...]:
        """Return the boards up to `position` that a ko rule may forbid later, as masks of black and white stones."""
        geometry = self.game.bit_geometry
        keys = {position.board.key}
        if position.earlier_boards is not None:
            keys |= {number >> 1 for number in position.earlier_boards.board_numbers}
        return tuple(sorted((key & geometry.full_mask, key >> geometry.length) for key in keys))

    def _best_forced_result(
        self,
        seat: int,
        position: GoFamilyPosition,
        own_mask: int,
        other_mask: int,
        forbidden_boards: tuple[tuple[int, int], ...],
        max_plies: int | None,
    ) -> int:
        """Return the best result that `seat` can force.

        The tables are for Black; for White, the colours are exchanged.
        """
        boards = frozenset(self._board_number_for(seat, *board) for board in forbidden_boards)
        table = self._results_table(boards, max_plies)
        kind = bounds.BLACK_MOVES if position.to_move == seat else bounds.WHITE_MOVES
        return max(
            self.worst_result,
            int(table[kind + position.passes, self._board_number_up_to_symmetry(own_mask, other_mask)]),
        )

    def _results_table(self, forbidden_boards: frozenset[int], max_plies: int | None) -> Any:
        if (forbidden_boards, max_plies) not in self._results_by_rules:
            # keep the previous table too, since each player needs a table
            self._results_by_rules = {key: self._results_by_rules[key] for key in list(self._results_by_rules)[-1:]}
            self._results_by_rules[forbidden_boards, max_plies] = self._compute_results(forbidden_boards, max_plies)
        return self._results_by_rules[forbidden_boards, max_plies]

    def _compute_results(self, forbidden_boards: frozenset[int], max_plies: int | None, wins: Any = None) -> Any:
        """Return a table of the results that Black can force. An array `wins` is filled with the plies to each win."""
        forbidden = np.zeros(len(self._scores), np.bool_)
        forbidden[list(forbidden_boards)] = True
        previous_table = np.empty((4, len(self._scores)), np.int8)
        bounds.set_finished_results(self._final_results, previous_table)
        next_table, self.plies_computed = previous_table.copy(), 0
        if wins is not None:
            wins[previous_table == 1] = 0
        while self.plies_computed < (_NO_WIN - 1 if max_plies is None else max_plies):
            changes = 0
            for first in range(0, len(self._scores), _BOARDS_PER_CHECK):
                self._check_stop()
                changes += bounds.extend_by_one_ply(
                    self._scores,
                    self._final_results,
                    self._successor_starts,
                    self._successors,
                    forbidden,
                    previous_table,
                    next_table,
                    first,
                    min(len(self._scores), first + _BOARDS_PER_CHECK),
                )
            if not changes:
                break
            previous_table, next_table = next_table, previous_table
            self.plies_computed += 1
            if wins is not None:
                wins[(previous_table == 1) & (wins == _NO_WIN)] = self.plies_computed
        return previous_table

    def _board_number_up_to_symmetry(self, black: int, white: int) -> int:
        """Return the number of a board, given by its masks of stones. Its mirror images have the same number."""
        code = graph.least_code(self._image_codes, self._mask_by_rows(black), self._mask_by_rows(white))
        return int(graph.rank_of_code(self._code_bits, self._ranks_before_words, code))

    def _mask_by_rows(self, mask: int) -> int:
        points = self.game.bit_geometry.points_in(mask)
        return sum(1 << (point.row - 1) * self.game.cols + point.column - 1 for point in points)

    def _build_boards(self) -> None:
        """Build the boards on the first call. A call that is stopped leaves no half-built boards."""
        if self._has_boards:
            return
        points = self.game.rows * self.game.cols
        self._image_codes = _image_codes(self.game.board)
        code_bits, count = np.zeros(3**points // 64 + 1, np.uint64), 0
        for black in range(1 << points):
            count += graph.add_legal_boards(self.rules, self._image_codes, code_bits, black)
            self._check_stop()
        self._code_bits, self._ranks_before_words = code_bits, np.zeros(len(code_bits), np.int32)
        self._black_masks, self._white_masks = np.zeros(count, np.int32), np.zeros(count, np.int32)
        graph.decode_boards(code_bits, points, self._ranks_before_words, self._black_masks, self._white_masks)
        self._scores, self._final_results = np.zeros(count, np.int8), np.zeros(count, np.int8)
        all_masks = self._black_masks, self._white_masks
        empty_count = points * count - sum(int(np.bitwise_count(masks).sum()) for masks in all_masks)
        self._successor_starts, successors = np.zeros(2 * count + 1, np.int32), np.empty(2 * empty_count, np.int32)
        board_arrays = self._code_bits, self._ranks_before_words, *all_masks, self._scores, self._final_results
        successor_count = 0
        for first in range(0, count, _BOARDS_PER_CHECK):
            end = min(count, first + _BOARDS_PER_CHECK)
            successor_count = graph.write_successors(
                self.rules, self._image_codes, *board_arrays, self._successor_starts, successors, first, end
            )
            self._check_stop()
        self._successors = successors[:successor_count]
        self._has_boards = True


def _image_codes(board: PointBoard) -> Any:
    """Return the code of each mask of black stones under each symmetry, as an array (masks, symmetries)."""
    masks = np.arange(1 << board.area, dtype=np.int64)
    codes = [
        sum((masks >> number & 1) * 3**image for number, image in enumerate(images))
        for images in board.symmetric_numbers
    ]
    return np.ascontiguousarray(np.array(codes, np.int32).T)


def compile_functions() -> None:
    """Do nothing: the import has compiled every function, or has read it from the cache."""
