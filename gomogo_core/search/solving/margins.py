"""The margin of the first seat: alpha-beta to the end of every line, with a transposition table.

The module does not depend on games; it sees positions as states (state.py). If positions can repeat, lines may be
endless and there is no margin: the search then raises `EndlessGame`. Source: D. Knuth and R. Moore, An Analysis of
Alpha-Beta Pruning, Artificial Intelligence 6 (1975).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import NamedTuple

from gomogo_core.games.base import Move
from gomogo_core.search.solving.budget import Budget
from gomogo_core.search.solving.state import ProofState
from gomogo_core.search.solving.wins import EndlessGame, with_first_move


class _MarginBounds(NamedTuple):
    """The margin of a position is between `low` and `high`; `move_to_try` is the move to try first."""

    low: float
    high: float
    move_to_try: Move | None


_NO_BOUNDS = _MarginBounds(-math.inf, math.inf, None)


class MarginSolver:
    """Finds and stores margins. A margin is always the first seat's score minus the second's."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._stored_bounds: dict[Hashable, _MarginBounds] = {}
        self._current_line: set[Hashable] = set()

    def first_seat_margin(self, state: ProofState, alpha: float = -math.inf, beta: float = math.inf) -> float:
        """Return the margin under perfect play: exact between `alpha` and `beta`, else a bound beyond them.

        Raises EndlessGame, NoMargin, ProofTooLarge.
        """
        self.budget.count_node()
        if (final_margin := state.first_seat_margin()) is not None:
            return final_margin
        key = state.key()
        low, high, move_to_try = self._stored_bounds.get(key, _NO_BOUNDS)
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        if key in self._current_line:
            raise EndlessGame
        self._current_line.add(key)
        self.budget.check_depth(len(self._current_line))
        best_margin, move = self._best_margin_and_move(state, max(alpha, low), min(beta, high), move_to_try)
        self._current_line.discard(key)
        if key not in self._stored_bounds:
            self.budget.count_stored_position(key)
        low = best_margin if best_margin > max(alpha, low) else low
        high = best_margin if best_margin < min(beta, high) else high
        self._stored_bounds[key] = _MarginBounds(low, high, move or move_to_try)
        return best_margin

    def _best_margin_and_move(
        self, state: ProofState, alpha: float, beta: float, first: Move | None
    ) -> tuple[float, Move | None]:
        """Return the best margin for the mover: the largest for the first seat, the smallest for the second."""
        is_maximising = state.to_move == 1
        best_margin, best_move = -math.inf if is_maximising else math.inf, None
        for move in with_first_move(state.moves(), first):
            margin = self.first_seat_margin(state.state_after(move), alpha, beta)
            if margin > best_margin if is_maximising else margin < best_margin:
                best_margin, best_move = margin, move
                if is_maximising:
                    alpha = max(alpha, best_margin)
                else:
                    beta = min(beta, best_margin)
                if alpha >= beta:
                    break
        return best_margin, best_move
