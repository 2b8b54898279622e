"""Adjudication: a tournament may end a game early, at a move cap or when both players agree on the winner.

The module looks at the number of moves and at reported scores. It does not depend on rules or players.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gomogo_core.games.base import Outcome, Reason, Seat


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The conditions under which a game ends early; by default there are no conditions.

    moves: the move cap, which counts opening moves too; a game that reaches it is a draw. score, agree: a player wins
    when it has reported at least `score` in its last `agree` moves, and its opponent at most `-score` in its last
    `agree` moves. Each player reports scores from its own side and in its own unit.
    """

    moves: int | None = None
    score: float | None = None
    agree: int = 4

    def as_dict(self) -> dict[str, Any]:
        """Return the conditions that are set, as plain values."""
        conditions = {name: value for name, value in asdict(self).items() if value is not None and name != "agree"}
        return conditions | ({"agree": self.agree} if self.score is not None else {})

    def adjudicator(self, seats: int) -> Adjudicator | None:
        """Return the adjudicator of one game with this number of seats; None if no condition is set."""
        return Adjudicator(self, seats) if self.as_dict() else None


class Adjudicator:
    """Adjudicates one game. The loop calls it after each accepted move."""

    def __init__(self, conditions: Adjudication, seats: int) -> None:
        self._conditions, self._seats = conditions, seats
        # by seat: its latest moves in a row that claimed a win; as a negative number, those that conceded a loss
        self._claim_runs = [0] * seats

    def adjudicate(self, seat: Seat, move_count: int, score: float | None) -> Outcome | None:
        """Return the outcome if the game ends after this move, else None.

        seat: the player that moved. move_count: the number of moves so far, with the opening. score: the player's
        reported score; None if the player reported none.
        """
        conditions = self._conditions
        if conditions.score is not None and (winner := self._agreed_winner(seat, score, conditions.score)):
            evidence = f"both players agreed for {conditions.agree} moves"
            return Outcome.won_by(winner, Reason.AGREEMENT, evidence, self._seats)
        if conditions.moves is None or move_count < conditions.moves:
            return None
        return Outcome.draw(Reason.MOVE_CAP, "adjudicated at the tournament's move cap", self._seats)

    def _agreed_winner(self, seat: Seat, score: float | None, min_score: float) -> Seat | None:
        """Return the winner on whom both players agree; None if they do not agree."""
        claim = 0 if score is None or abs(score) < min_score else 1 if score > 0 else -1
        claim_run, needed_moves = self._claim_runs[seat - 1], self._conditions.agree
        self._claim_runs[seat - 1] = 0 if claim == 0 else claim_run + claim if claim_run * claim > 0 else claim
        for winner in (1, 2):
            if self._claim_runs[winner - 1] >= needed_moves and self._claim_runs[2 - winner] <= -needed_moves:
                return winner
        return None
