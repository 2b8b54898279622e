"""The guard of a game's times: whether a measured time can be trusted, and which player disturbed it.

Uses seconds and seats; the caller passes two functions that measure suspensions and disturbances.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gomogo_core.games.base import Seat


class Disturbance(NamedTuple):
    """CPU time that another player's program used in this turn, although it was not its own turn.

    seat: the owner of that program. seconds: of CPU time, an upper bound of the loss to the player to move. grave:
    whether `seat` forfeits if the player to move runs out of time.
    """

    seat: Seat
    seconds: float
    why: str
    grave: bool


class TimeGuard:
    """Protects players from verdicts that depend on an unreliable time.

    suspended: returns the seconds for which this process has been suspended since the game began. lenient: whether a
    suspension makes the game void only if a player would lose on time; used where a human may pause the game.
    disturbance: returns the CPU time that other programs took during a seat's turn; it is called only for a player that
    is late.
    """

    def __init__(
        self,
        suspended: Callable[[], float] = lambda: 0.0,
        *,
        lenient: bool = False,
        disturbance: Callable[[Seat], Disturbance | None] = lambda _: None,
    ) -> None:
        self._suspended, self._lenient, self._disturbance = suspended, lenient, disturbance

    def suspension(self, *, loss: bool = False) -> str | None:
        """Return why the game is void, as a clause, if the process was suspended: then no measured time is valid.

        Else return None. loss: whether a player would lose on time.
        """
        if (self._lenient and not loss) or not (seconds := self._suspended()):
            return None
        return f"the referee stood still for {seconds:.1f} s"

    def extension(self, seat: Seat) -> Disturbance | None:
        """Return the disturbance for which this seat's turn is extended, if there was one."""
        found = self._disturbance(seat)
        return None if found is None or found.grave else found

    def late_disturbance(self, seat: Seat) -> Disturbance | None:
        """Return the grave disturbance that made this seat late; the player that took the time forfeits."""
        found = self._disturbance(seat)
        return found if found is not None and found.grave else None
