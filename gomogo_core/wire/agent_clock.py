"""The clock an agent sees on its own turn, how much of it to spend on a move, and what it says of that move.

Knows seconds and limits; no files.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from gomogo_core.wire.thoughts import said_line

UNLIMITED = 10.0  # seconds an agent takes that was told of no limit
SHARE = 25  # of a whole game's time one move takes this part: a Gomoku game seldom has more moves that need thought


class AgentClock:
    """One turn's limit.

    started: when the turn began, in time.monotonic() seconds, as are `deadline` (nothing is left) and `stop_at` (the
    budget is spent). allowed: seconds the move may take, infinite without a limit. budget: seconds it should take at
    most; both are counted from the start of the turn. increment: seconds added to the game's time after the move.
    """

    def __init__(
        self, limits: Mapping[str, Any], bank: float | None, started: float | None = None, spare: float = 0.0
    ) -> None:
        """Read the limits.

        limits: per_move, total, increment in seconds or None, as in game.json. bank: left of the total, or None.
        spare: seconds of margin beyond the usual, since this machine is busy; a third of the budget at most.
        """
        self.started = time.monotonic() if started is None else started
        self.increment = float(limits.get("increment") or 0.0)
        per_move, total = limits.get("per_move"), limits.get("total") if bank is None else bank
        self.allowed = min(math.inf if per_move is None else per_move, math.inf if total is None else total)
        self.deadline = self.started + self.allowed
        budget = self._budget(per_move, total)
        self.budget = budget - min(spare, budget / 3)
        self.stop_at = self.started + self.budget
        self.said = ""

    def tell(
        self,
        score: float | None = None,
        line: Sequence[str] = (),
        thoughts: str = "",
        values: Mapping[str, float] | None = None,
    ) -> None:
        """Say what you think of the move that you are about to return: it stands in the record of the game.

        score: how good your position is, in your own units, above 0 where you stand better. line: the moves you expect,
        yours first, as text. thoughts: anything. values: how good each of some moves is, by their texts.
        """
        self.said = said_line(thoughts, score, line, values)

    def _budget(self, per_move: float | None, total: float | None) -> float:
        limit = UNLIMITED if per_move is None and total is None else math.inf
        if per_move is not None:
            limit = min(limit, per_move - max(per_move * 0.02, 0.02))
        if total is not None:
            margin = max(total * 0.02, 0.02)
            limit = min(limit, total / SHARE + self.increment * 0.8, total - margin)
        return max(limit, 0.001)

    @property
    def left(self) -> float:
        """Seconds left now; infinite without a limit."""
        return self.deadline - time.monotonic()
