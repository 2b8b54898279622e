"""Time controls and clocks: a limit per move, a limit per game, and an increment.

The module only computes with seconds; the players measure the time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gomogo_core.errors import UserError

DEFAULT_GRACE = 0.05  # seconds by which a move may be late
CLASSIC_PACE = 1.15  # seconds between the turns of WPI's referee, which slept after each move
_FIELD_LABELS = {
    "per_move": ("The time per move", "greater than 0"),
    "total": ("The total time", "greater than 0"),
    "increment": ("The increment", "0 or more"),
    "grace": ("The grace period", "0 or more"),
}


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The limits of one player, in seconds.

    per_move: the limit for each move; None for no limit. total: the limit for the whole game; None for no limit.
    increment: the seconds added to the total after each move. grace: a move that is late by less than this is accepted.
    """

    per_move: float | None = 10.0
    total: float | None = None
    increment: float = 0.0
    grace: float = DEFAULT_GRACE

    def __post_init__(self) -> None:
        for name in ("per_move", "total", "increment", "grace"):
            seconds = getattr(self, name)
            if seconds is None:
                continue
            if not math.isfinite(seconds) or seconds < 0 or (seconds == 0 and name in ("per_move", "total")):
                label, bound = _FIELD_LABELS[name]
                raise UserError(
                    f"{label} must be {bound}, not {seconds}.",
                    "Use a number of seconds, for example 2.5, or leave it out.",
                )
        if self.increment and self.total is None:
            raise UserError("An increment needs a total time.", "Give the total time too.")

    @staticmethod
    def from_limits(
        per_move: float | None, total: float | None, increment: float = 0.0, grace: float = DEFAULT_GRACE
    ) -> TimeControl:
        """Return the time control for these limits; 10 s per move if neither per_move nor total is given."""
        if per_move is None and total is None:
            per_move = 10.0
        return TimeControl(per_move, total, increment, grace)

    def as_dict(self) -> dict[str, float | None]:
        """Return the limits as plain values, in a tenth of the time of `asdict`, which copies each value."""
        return {name: getattr(self, name) for name in _FIELD_LABELS}


NO_LIMIT = TimeControl(per_move=None)


class Clock:
    """One player's clock in one game, and the state of its turn.

    game_seconds_left: the seconds left in the whole game; by default the total of the control. refused_seconds: the
    seconds that refused answers have taken in this turn. extension_seconds: the seconds that are deducted from a late
    answer, because other programs used them in this turn.
    """

    def __init__(self, control: TimeControl, game_seconds_left: float | None = None) -> None:
        self.control = control
        self.game_seconds_left = (
            game_seconds_left if game_seconds_left is not None else math.inf if control.total is None else control.total
        )
        self.refused_seconds = self.extension_seconds = 0.0

    @property
    def allowed_seconds(self) -> float:
        """The seconds that the next move may take, without the grace period; infinite without a limit."""
        per_move = self.control.per_move
        return self.game_seconds_left if per_move is None or per_move > self.game_seconds_left else per_move

    @property
    def left_in_turn(self) -> float:
        """The seconds of this turn that are left for the next answer, without the grace period."""
        return max(0.0, self.allowed_seconds - self.refused_seconds + self.extension_seconds)

    def charge(self, seconds: float) -> None:
        """Subtract the time of a move, and add the increment."""
        self.game_seconds_left = max(0.0, self.game_seconds_left - seconds) + self.control.increment

    @property
    def left_in_game(self) -> float | None:
        """The seconds left in the whole game; None if only single moves are limited."""
        return None if self.control.total is None else self.game_seconds_left
