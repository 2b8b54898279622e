"""The turning point of a game, by the scores that the players reported.

The module reads records, and searches no positions.
"""

from __future__ import annotations

from gomogo_core.games.base import Seat
from gomogo_core.records.game_record import PlayedGame


def turning_point(played_game: PlayedGame) -> int | None:
    """Return the number of the move after which the loser's score never recovered; None if no scores were reported.

    The turning point is the last move at which the loser reported a score of zero or more for itself. If the loser
    reported no scores, it is the last move at which the winner reported a score of zero or less for itself. Returns
    None in draws, and in games of more than two players.
    """
    winner = played_game.outcome.winner
    if winner is None or len(played_game.names) != 2 or not played_game.scores:
        return None
    loser = 3 - winner
    for seat, sign in ((loser, 1), (winner, -1)):
        scores = _reported_scores(played_game, seat)
        if scores:
            return next((number for number, score in reversed(scores) if sign * score >= 0), None)
    return None


def _reported_scores(played_game: PlayedGame, seat: Seat) -> list[tuple[int, float]]:
    plies_and_scores = zip(played_game.plies[played_game.opening_length :], played_game.scores, strict=True)
    return [
        (number, score)
        for number, (ply, score) in enumerate(plies_and_scores, played_game.opening_length + 1)
        if ply.seat == seat and score is not None
    ]
