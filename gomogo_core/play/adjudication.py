"""Games that are ended though their rules would let them go on, where a tournament asks for that; never otherwise.

Knows counts and what the game loop hands it; no rules, no players.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gomogo_core.games.base import Outcome, Reason, Seat


@dataclass(frozen=True, slots=True)
class Adjudication:
    """What is asked for; nothing is.

    moves: when so many have been made, those of the opening among them, the game is drawn.
    """

    moves: int | None = None

    def given(self) -> dict[str, Any]:
        """What is asked for, and nothing else, as plain values."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def judge(self, seats: int) -> Judge | None:
        """Who watches one game of so many seats; None where nothing is asked for."""
        return Judge(self, seats) if self.given() else None


class Judge:
    """Watches one game. The loop asks it after each accepted move."""

    def __init__(self, asked: Adjudication, seats: int) -> None:
        self._asked, self._seats = asked, seats

    def after(self, seat: Seat, moves: int, score: float | None) -> Outcome | None:
        """How the game ends now, or None while it goes on.

        seat: who moved. moves: made so far, the opening's among them. score: what the player reported, if it did.
        """
        most = self._asked.moves
        if most is None or moves < most:
            return None
        return Outcome.tie(Reason.MOVE_CAP, "adjudicated at the tournament's move cap", self._seats)
