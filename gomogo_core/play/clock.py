"""How long a player may think: per move, per game, and with increment.

Does arithmetic on seconds only; who measures them is the players' affair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gomogo_core.errors import UserError

GRACE = 0.05  # seconds a move may be late
_CALLED = {"per_move": "A time a move", "total": "A total time", "increment": "An increment", "grace": "A grace"}


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The limits of one player, in seconds.

    per_move: for each move, or None. total: for the whole game, or None. increment: added to the total after each
    move. grace: what a move may be late, after the limit.
    """

    per_move: float | None = 10.0
    total: float | None = None
    increment: float = 0.0
    grace: float = GRACE

    def __post_init__(self) -> None:
        for name in ("per_move", "total", "increment", "grace"):
            seconds = getattr(self, name)
            if seconds is None:
                continue
            if not math.isfinite(seconds) or seconds < 0 or (seconds == 0 and name in ("per_move", "total")):
                raise UserError(
                    f"{_CALLED[name]} of {seconds} s cannot be kept.",
                    "Give a number of seconds above zero, or none for no limit.",
                )
        if self.increment and self.total is None:
            raise UserError("An increment needs a total time to be added to.", "Give the total time too.")

    @staticmethod
    def of(per_move: float | None, total: float | None, increment: float = 0.0, grace: float = GRACE) -> TimeControl:
        """The control that was asked for; nothing asked for is 10 s a move, and a total alone replaces these."""
        if per_move is None and total is None:
            per_move = 10.0
        return TimeControl(per_move, total, increment, grace)


NO_LIMIT = TimeControl(per_move=None)


class Clock:
    """One player's clock in one game."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.bank = math.inf if control.total is None else control.total

    @property
    def allowed(self) -> float:
        """Seconds the next move may take, without grace; infinite without a limit."""
        per_move = self.control.per_move
        return self.bank if per_move is None or per_move > self.bank else per_move

    def charge(self, seconds: float) -> bool:
        """Take `seconds` off, add the increment, and say whether the move was in time."""
        in_time = seconds <= self.allowed + self.control.grace
        self.bank = max(0.0, self.bank - seconds) + self.control.increment
        return in_time

    @property
    def left(self) -> float | None:
        """Seconds left in the whole game, or None where only moves are limited."""
        return None if self.control.total is None else self.bank
