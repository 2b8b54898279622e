"""Finds times that cannot be trusted, and the players whose programs are the cause.

The module computes with seconds and seats. The caller passes the functions that measure suspensions and disturbances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from gomogo_core.games.base import Seat


class Disturbance(NamedTuple):
    """CPU time that the program of another player used out of turn, in the turn of the player to move.

    seat: that other player. seconds: that CPU time, an upper bound of the time that the player to move lost. evidence:
    a sentence about the disturbance. is_grave: whether `seat` loses the game if the player to move runs out of time.
    """

    seat: Seat
    seconds: float
    evidence: str
    is_grave: bool


@dataclass(frozen=True)
class TimeGuard:
    """Protects players from verdicts that depend on an unreliable time.

    suspended_seconds: a function that returns the seconds for which this process has been suspended since the game
    began. allows_suspension: whether a suspension makes the game void only if a player would lose on time; this is used
    if a human may pause the game. starved_seconds: a function that returns the total length of all delays of more than
    a second in which this process had no core; these delays count only if a player would lose on time.
    find_disturbance: a function that returns the disturbance in a seat's turn; it is called only for a player that is
    late.
    """

    suspended_seconds: Callable[[], float] = lambda: 0.0
    _: KW_ONLY
    allows_suspension: bool = False
    starved_seconds: Callable[[], float] = lambda: 0.0
    find_disturbance: Callable[[Seat], Disturbance | None] = lambda _: None

    def suspension_evidence(self, *, is_loss: bool = False) -> str | None:
        """Return the reason why the game is void, as a clause, if the process was suspended; else None.

        After a suspension no measured time is valid. is_loss: whether a player would lose on time.
        """
        if (not self.allows_suspension or is_loss) and (seconds := self.suspended_seconds()):
            return f"the referee was suspended for {seconds:.1f} s"
        if is_loss and (seconds := self.starved_seconds()):
            return f"the referee had no core for {seconds:.1f} s"
        return None

    def minor_disturbance(self, seat: Seat) -> Disturbance | None:
        """Return the disturbance if it is not grave; this seat's turn is then extended. None without a disturbance."""
        disturbance = self.find_disturbance(seat)
        return None if disturbance is None or disturbance.is_grave else disturbance

    def grave_disturbance(self, seat: Seat) -> Disturbance | None:
        """Return the disturbance if it is grave. The player who caused it then loses, not the player in this seat."""
        disturbance = self.find_disturbance(seat)
        return disturbance if disturbance is not None and disturbance.is_grave else None
