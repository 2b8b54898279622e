"""The clock of an agent's own turn: the limit, the budget for the search, and the analysis that the agent reports.

The module computes with seconds, and reads no files.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from gomogo_core.wire.analysis import analysis_line

UNLIMITED = 10.0  # the budget in seconds if there is no limit
LEAST_SHARE = 0.05  # share of the allowed time that the search always gets, even on a busy machine
MOVES_PER_GAME = 25  # a move gets this part of the game's time; few games of Gomoku have more moves that need thought


class AgentClock:
    """The clock of one turn.

    started, deadline, stop_at: the moments by time.monotonic() at which the turn began, at which its time ends, and at
    which a search should stop. allowed: the seconds from the start to the deadline; infinite without a limit. budget:
    the seconds from the start until a search should stop. increment: the seconds added to the game's time after the
    move.
    """

    def __init__(
        self, limits: Mapping[str, Any], bank: float | None, started: float | None = None, reserve: float = 0.0
    ) -> None:
        """Read the limits.

        limits: per_move, total, increment in seconds or None, as in game.json. bank: the seconds left of the total, or
        None. reserve: the seconds before the deadline that a busy machine may need, in addition to the margin for a
        quiet machine.
        """
        self.started = time.monotonic() if started is None else started
        self.increment = float(limits.get("increment") or 0.0)
        per_move, total = limits.get("per_move"), limits.get("total") if bank is None else bank
        self.allowed = min(math.inf if per_move is None else per_move, math.inf if total is None else total)
        self.deadline = self.started + self.allowed
        self.budget = self._budget(per_move, total, reserve)
        self.stop_at = self.started + self.budget
        self.said = ""

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
        self.said = analysis_line(thoughts, score, line, values)

    def _budget(self, per_move: float | None, total: float | None, reserve: float) -> float:
        limit = UNLIMITED if per_move is None and total is None else math.inf
        if per_move is not None:
            limit = min(limit, _search_seconds(per_move, reserve))
        if total is not None:
            limit = min(limit, total / MOVES_PER_GAME + self.increment * 0.8, _search_seconds(total, reserve))
        return max(limit, 0.001)

    @property
    def left(self) -> float:
        """The seconds left until the deadline; infinite without a limit."""
        return self.deadline - time.monotonic()


def _search_seconds(allowed: float, reserve: float) -> float:
    """Return the part of the allowed seconds that a search may take."""
    margin = max(allowed * 0.02, 0.02)
    return max(allowed - margin - reserve, min(allowed - margin, allowed * LEAST_SHARE))
