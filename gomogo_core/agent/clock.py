"""The clock of an agent's own turn: the limit, the budget for the search, and the analysis that the agent reports.

The module computes with seconds, and reads no files.
"""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from gomogo_core.wire.analysis import analysis_line

UNLIMITED_BUDGET = 10.0  # the budget in seconds if there is no limit
MIN_SEARCH_SHARE = 0.05  # share of the allowed time that the search always gets, even on a busy machine
# The number of moves that a player is expected to make in a game; the least number of moves that are expected to follow
# at any time; and the growth of this least number for each move beyond the expected ones. Without the growth, a long
# game would lose a fixed share of its time with each move.
MOVES_PER_GAME, MIN_MOVES_LEFT, MOVES_LEFT_GROWTH = 20, 10, 0.5
INCREMENT_SHARE = 0.8  # the share of the increment that the move before it may use
# The share of the time that is kept for a very long game, and the share of the rest that a move may always take.
LONG_GAME_SHARE, MIN_MOVE_SHARE = 0.05, 0.005
SPARE_MOVE_COUNT = 3  # moves beyond the largest expected number, for which some time is always kept
# The most time of a move on the game's clock: a multiple of the planned time, and a share of the time that is left.
MAX_BUDGET_MULTIPLE, MAX_MOVE_SHARE = 2.5, 0.3
# A search by depths ends after a depth if it has used this share of the budget, because the next depth takes longer.
NEXT_DEPTH_SHARE = 0.6
# Factors of the budget if the best move has been the same for SETTLED_DEPTHS depths, if it has just changed, and if the
# value has just fallen by VALUE_DROP times the value of a clear lead.
SETTLED_DEPTHS, VALUE_DROP = 4, 0.3
SETTLED_BUDGET_FACTOR, CHANGED_BUDGET_FACTOR, DROP_BUDGET_FACTOR = 0.7, 1.4, 1.8


class AgentClock:
    """The clock of one turn.

    started, deadline, stop_at: the moments by time.monotonic() at which the turn began, at which its time ends, and at
    which a search should stop. allowed: the seconds from the start to the deadline; infinite without a limit. budget:
    the seconds from the start until a search should stop. latest_stop_at: the moment at which a search that asks
    `is_enough` after each depth must stop; later than `stop_at` if only the time of the whole game is limited.
    increment: the seconds added to the game's time after the move.
    """

    def __init__(
        self,
        limits: Mapping[str, Any],
        game_seconds_left: float | None,
        started: float | None = None,
        deadline_reserve: float = 0.0,
        moves_made: int = 0,
        max_moves_left: int | None = None,
    ) -> None:
        """Read the limits.

        limits: per_move, total, increment in seconds or None, as in game.json. game_seconds_left: the seconds left of
        the total, or None. deadline_reserve: the seconds before the deadline that a busy machine may need, in addition
        to the margin for a quiet machine. moves_made: the number of moves that this player has made. max_moves_left:
        the largest number of moves that it is expected to make from now on, if known.
        """
        self.started = time.monotonic() if started is None else started
        self.increment = float(limits.get("increment") or 0.0)
        per_move = limits.get("per_move")
        total = limits.get("total") if game_seconds_left is None else game_seconds_left
        self.allowed = min(math.inf if per_move is None else per_move, math.inf if total is None else total)
        self.deadline = self.started + self.allowed
        max_budget = UNLIMITED_BUDGET if self.allowed == math.inf else _search_seconds(self.allowed, deadline_reserve)
        planned = max_planned = max_budget
        if total is not None:
            expected_moves_left = MOVES_PER_GAME - moves_made
            moves_left = max(expected_moves_left, MIN_MOVES_LEFT - MOVES_LEFT_GROWTH * min(expected_moves_left, 0))
            if max_moves_left is not None:
                moves_left = min(moves_left, max_moves_left + SPARE_MOVE_COUNT)
            reserve = LONG_GAME_SHARE * (limits.get("total") or total)
            planned = max((total - reserve) / moves_left, total * MIN_MOVE_SHARE) + self.increment * INCREMENT_SHARE
            max_planned = max(planned, min(planned * MAX_BUDGET_MULTIPLE, total * MAX_MOVE_SHARE))
        self.budget = max(min(planned, max_budget), 0.001)
        self.stop_at = self.started + self.budget
        self.latest_stop_at = self.started + max(min(max_planned, max_budget), 0.001)
        self.analysis_text = ""
        self._best_move: Hashable = None
        self._best_value = -math.inf
        self._unchanged_depths = 0  # the number of depths with the same best move
        self._has_asked_is_enough = False

    def tell(
        self,
        score: float | None = None,
        line: Sequence[str] = (),
        thoughts: str = "",
        values: Mapping[str, float] | None = None,
    ) -> None:
        """Report your analysis of the move that you are about to return, for the record of the game.

        score: the value of your position in your own unit, positive if you are ahead. line: the moves that you expect,
        as texts, your own move first. thoughts: any text. values: the values of some moves, by their texts.
        """
        self.analysis_text = analysis_line(thoughts, score, line, values)

    def is_enough(self, best_move: Hashable, value: float, lead: float = 1.0) -> bool:
        """Return whether a search that goes on until `latest_stop_at` should end now; call it after each depth.

        best_move: the best move after this depth. value: its value for the mover. lead: the value of a clear lead, in
        the same unit. With a limit for each move, time that is left cannot be used later, so the search should go on.
        """
        self._has_asked_is_enough = True
        self._unchanged_depths = self._unchanged_depths + 1 if best_move == self._best_move else 0
        factor = 1.0
        if value < self._best_value - VALUE_DROP * lead:
            factor = DROP_BUDGET_FACTOR
        elif self._unchanged_depths == 0:
            factor = CHANGED_BUDGET_FACTOR
        elif self._unchanged_depths >= SETTLED_DEPTHS:
            factor = SETTLED_BUDGET_FACTOR
        self._best_move, self._best_value = best_move, value
        enough_at = self.started + factor * NEXT_DEPTH_SHARE * self.budget
        return self.latest_stop_at > self.stop_at and time.monotonic() >= enough_at

    @property
    def planned_end(self) -> float:
        """The moment at which the search of this turn must stop."""
        return self.latest_stop_at if self._has_asked_is_enough else self.stop_at

    @property
    def seconds_left(self) -> float:
        """The seconds left until the deadline; infinite without a limit."""
        return self.deadline - time.monotonic()

    @property
    def left(self) -> float:
        """The earlier name of `seconds_left`."""
        return self.seconds_left

    @property
    def latest(self) -> float:
        """The earlier name of `latest_stop_at`."""
        return self.latest_stop_at

    @property
    def said(self) -> str:
        """The earlier name of `analysis_text`."""
        return self.analysis_text


def _search_seconds(allowed_seconds: float, deadline_reserve: float) -> float:
    """Return the part of the allowed seconds that a search may take."""
    seconds = allowed_seconds - max(allowed_seconds * 0.02, 0.02)
    return max(seconds - deadline_reserve, min(seconds, allowed_seconds * MIN_SEARCH_SHARE))
