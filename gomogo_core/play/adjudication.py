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

    moves: when so many have been made, those of the opening among them, the game is drawn. score: when for `agree`
    moves of each player in a row one has reported a score of at least so much and the other of at most its negative,
    the first has won. Scores are the players' own, from their own side.
    """

    moves: int | None = None
    score: float | None = None
    agree: int = 4

    def given(self) -> dict[str, Any]:
        """What is asked for, and nothing else, as plain values."""
        told = {name: value for name, value in asdict(self).items() if value is not None and name != "agree"}
        return told | ({"agree": self.agree} if self.score is not None else {})

    def judge(self, seats: int) -> Judge | None:
        """Who watches one game of so many seats; None where nothing is asked for."""
        return Judge(self, seats) if self.given() else None


class Judge:
    """Watches one game. The loop asks it after each accepted move."""

    def __init__(self, asked: Adjudication, seats: int) -> None:
        self._asked, self._seats = asked, seats
        self._runs = [0] * seats  # of each seat, how many moves in a row it has thought it wins; below 0, that it loses

    def after(self, seat: Seat, moves: int, score: float | None) -> Outcome | None:
        """How the game ends now, or None while it goes on.

        seat: who moved. moves: made so far, the opening's among them. score: what the player reported, if it did.
        """
        if self._asked.score is not None and (winner := self._agreed(seat, score, self._asked.score)):
            detail = f"both said so for {self._asked.agree} moves"
            return Outcome.won_by(winner, Reason.AGREEMENT, detail, self._seats)
        most = self._asked.moves
        if most is None or moves < most:
            return None
        return Outcome.tie(Reason.MOVE_CAP, "adjudicated at the tournament's move cap", self._seats)

    def _agreed(self, seat: Seat, score: float | None, least: float) -> Seat | None:
        """Who has won, as both players say, or None while they do not."""
        says = 0 if score is None or abs(score) < least else 1 if score > 0 else -1
        run = self._runs[seat - 1]
        self._runs[seat - 1] = 0 if says == 0 else run + says if run * says > 0 else says
        for winner in (1, 2):
            if self._runs[winner - 1] >= self._asked.agree and self._runs[2 - winner] <= -self._asked.agree:
                return winner
        return None
