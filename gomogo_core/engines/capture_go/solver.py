"""A class that solves positions of Capture Go: it finds the winner, the number of plies and all best moves.

The class keeps its transposition table from call to call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.capture_go import search
from gomogo_core.engines.stop_flag import SearchStopped
from gomogo_core.games.base import Move
from gomogo_core.games.capture_go import CaptureGo, CaptureGoPosition
from gomogo_core.games.stones.rules import GoFamilyPosition

_ENTRY_BYTES = 16  # bytes of an entry of the transposition table
_MAX_STONES_FOR_SYMMETRY = 10  # up to this number of stones, mirror images share an entry


class CaptureGoResult(NamedTuple):
    """The result with perfect play.

    `winner` is a seat, or 0 for a draw. `plies` is the length of the game if the winner hurries and the loser delays;
    it is None for a draw. `best_moves` holds all best moves.
    """

    winner: int
    plies: int | None
    best_moves: tuple[Move, ...]


def can_solve(position: GoFamilyPosition) -> bool:
    """Return whether the solver supports the rules and the size of the board, which may have at most 28 points."""
    game = position.game
    is_known_game = isinstance(game, CaptureGo) and game.target == 1 and game.captures and not game.suicide
    return is_known_game and game.rows * game.cols <= search.MAX_POINTS


class CaptureGoSolver:
    """Solves positions of one game, with a transposition table of `memory_mb` megabytes."""

    def __init__(self, game: CaptureGo, memory_mb: float = 64) -> None:
        self.game = game
        rows, cols = game.rows, game.cols
        self.state = np.zeros(search.STATE_SIZE, np.int64)
        buckets = max(1, min(int(memory_mb * 1e6) // (_ENTRY_BYTES * search.SLOTS_PER_BUCKET), (1 << 32) - 1))
        self.state[search.COLUMNS], self.state[search.PASSING_ALLOWED] = cols, game.passing
        self.state[search.BUCKET_COUNT], self.state[search.MAX_STONES_FOR_SYMMETRY] = buckets, _MAX_STONES_FOR_SYMMETRY
        self.keys = np.zeros(buckets * search.SLOTS_PER_BUCKET, np.uint64)
        self.bounds = np.zeros(buckets * search.SLOTS_PER_BUCKET, np.uint64)
        first_column = sum(1 << row * cols for row in range(rows))
        full_mask = (1 << rows * cols) - 1
        first_row = (1 << cols) - 1
        rim = first_column | first_column << cols - 1 | first_row | first_row << (rows - 1) * cols
        inner_points = full_mask & ~rim
        self.masks = np.array([full_mask, first_column, first_column << cols - 1, inner_points], np.uint64)
        symmetries = game.board.symmetric_numbers[1:]  # without the identity
        self.image_masks = np.array([[1 << image for image in images] for images in symmetries], np.uint64)
        self.state[search.IMAGE_COUNT] = len(self.image_masks)

    @property
    def nodes(self) -> int:
        """The number of positions searched by this solver so far."""
        return int(self.state[search.NODE_COUNT])

    def interrupt(self) -> None:
        """Stop the current search. Another thread calls this."""
        self.state[search.STOP_FLAG] = 1

    def solve(self, position: CaptureGoPosition, stop_at: float | None = None) -> CaptureGoResult:
        """Return the result of perfect play from a position whose game is not over. Raises SearchStopped."""
        self.state[search.STOP_FLAG] = 0
        with stop_flag.set_flag_at(stop_at, self.state, search.STOP_FLAG):
            mover, opponent = position.to_move, 3 - position.to_move
            possible_winners, plies = {mover, opponent}, 0
            while possible_winners:
                plies += 1
                for seat in sorted(possible_winners):
                    answer = self._wins_within(position, seat, plies)
                    if answer == search.YES:
                        return CaptureGoResult(seat, plies, self._best_moves(position, seat, plies))
                    if answer == search.NEVER:
                        possible_winners.discard(seat)
            return CaptureGoResult(0, None, self._best_moves(position, 0, 0))

    def _best_moves(self, position: CaptureGoPosition, winner: int, plies: int) -> tuple[Move, ...]:
        mover, opponent = position.to_move, 3 - position.to_move
        max_plies = 2 * search.MAX_POINTS
        best_moves = []
        for move in position.moves():
            next_position = position.play(move)
            if winner == mover:
                keeps_result = self._wins_within(next_position, mover, plies - 1) == search.YES
            elif winner == opponent:
                keeps_result = self._wins_within(next_position, opponent, plies - 2) != search.YES
            else:
                keeps_result = self._wins_within(next_position, opponent, max_plies) == search.NEVER
            if keeps_result:
                best_moves.append(move)
        return tuple(best_moves)

    def _wins_within(self, position: GoFamilyPosition, seat: int, plies: int) -> int:
        """Return whether `seat` wins within `plies`: YES, NOT_YET or NEVER (with any number of plies). Raises
        SearchStopped.
        """
        if (outcome := position.outcome()) is not None:
            return search.YES if outcome.winner == seat and plies >= 0 else search.NEVER
        mover = position.to_move
        if position.passes and seat != mover:
            return search.NEVER  # the mover can make a draw by the second pass
        own_stones, opponent_stones = self._stone_mask(position, mover), self._stone_mask(position, 3 - mover)
        arrays = self.masks, self.state, self.image_masks, self.keys, self.bounds
        answer = search.attacker_wins(*arrays, own_stones, opponent_stones, seat == mover, plies)
        if answer == search.STOPPED:
            raise SearchStopped
        return int(answer)

    def _stone_mask(self, position: GoFamilyPosition, seat: int) -> Any:
        points = self.game.bit_geometry.points_in(position.board.stone_mask(seat))
        return np.uint64(sum(1 << (point.row - 1) * self.game.cols + point.column - 1 for point in points))


def compile_functions() -> None:
    """Do nothing: the import has compiled every function, or has read it from the cache."""
