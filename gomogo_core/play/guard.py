"""Finds times that cannot be trusted, and the players whose programs are the cause.

The module computes with seconds and seats. The caller passes two functions that measure suspensions and disturbances.
"""

from __future__ import annotations

from collections.abc import Callable
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


class TimeGuard:
    """Protects players from verdicts that depend on an unreliable time.

    suspended: a function that returns the seconds for which this process has been suspended since the game began.
    lenient: whether a suspension makes the game void only if a player would lose on time; this is used if a human may
    pause the game. starved: a function that returns the seconds for which this process had no core in delays of more
    than a second; they count only if a player would lose on time. disturbance: a function that returns the disturbance
    in a seat's turn; it is called only for a player that is late.
    """

    def __init__(
        self,
        suspended: Callable[[], float] = lambda: 0.0,
        *,
        lenient: bool = False,
        starved: Callable[[], float] = lambda: 0.0,
        disturbance: Callable[[Seat], Disturbance | None] = lambda _: None,
    ) -> None:
        self._suspended, self._lenient, self._starved, self._disturbance = suspended, lenient, starved, disturbance

    def suspension_evidence(self, *, loss: bool = False) -> str | None:
        """Return the reason why the game is void, as a clause, if the process was suspended; else None.

        After a suspension no measured time is valid. loss: whether a player would lose on time.
        """
        if (not self._lenient or loss) and (seconds := self._suspended()):
            return f"the referee was suspended for {seconds:.1f} s"
        if loss and (seconds := self._starved()):
            return f"the referee had no core for {seconds:.1f} s"
        return None

    def minor_disturbance(self, seat: Seat) -> Disturbance | None:
        """Return the disturbance if it is not grave; this seat's turn is then extended. None without a disturbance."""
        found = self._disturbance(seat)
        return None if found is None or found.is_grave else found

    def grave_disturbance(self, seat: Seat) -> Disturbance | None:
        """Return the disturbance if it is grave. The player who caused it then loses, not the player in this seat."""
        found = self._disturbance(seat)
        return found if found is not None and found.is_grave else None
