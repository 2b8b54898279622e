"""Standings as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tournaments.ratings import Rating, RatingBound
from tournaments.schedules import RoundPairing
from tournaments.standings import Standings, StandingsRow

SCHEMA = 1


def standings_json(standings: Standings) -> dict[str, Any]:
    """Return the standings as JSON values."""
    names = standings.names
    return {
        "schema": SCHEMA,
        "run": standings.run,
        "seed": standings.seed,
        "players": [row_json(row) for row in standings.rows],
        "games": standings.finished_games,
        "complete": standings.is_complete,
        "first_seat": standings.first_seat_advantage and standings.first_seat_advantage._asdict(),
        "better": [
            {
                "player": names[first],
                "than": names[second],
                "likelihood": test.superiority_probability,
                "p": test.p_value,
            }
            for (first, second), test in standings.ratings.pair_tests.items()
        ],
        "lead": standings.lead and {**standings.lead._asdict(), "points": standings.lead.points._asdict()},
        "crosstable": [
            {
                "player": first,
                "against": second,
                **counts._asdict(),
                "p": standings.direct_results[first, second].test.p_value,
            }
            for (first, second), counts in standings.head_to_head.items()
        ],
        "rounds": [[_pairing_json(names, pairing) for pairing in pairings] for pairings in standings.rounds],
    }


def _pairing_json(display_names: Mapping[str, str], pairing: RoundPairing) -> dict[str, Any]:
    names = [None, *display_names.values()]
    players = [names[0 if player is None else player + 1] for player in pairing.player_indexes]
    winner = None if pairing.winner_index is None else names[pairing.winner_index + 1]
    return {"players": players, "points": list(pairing.scores), "over": pairing.is_over, "winner": winner}


def rating_json(rating: Rating | None, bound: RatingBound | None) -> dict[str, float | None]:
    """Return a rating with its interval and its bound as JSON values, each of them None if there is none."""
    elo, low, high = rating or (None, None, None)
    return {
        "elo": elo,
        "elo_low": low,
        "elo_high": high,
        "elo_at_least": bound.elo if bound and bound.is_lower else None,
        "elo_at_most": bound.elo if bound and not bound.is_lower else None,
    }


def row_json(row: StandingsRow) -> dict[str, Any]:
    """Return a row of the standings as JSON values."""
    return {
        "name": row.name,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "win_loss_ratio": row.win_loss_ratio,
        "score": row.score,
        **rating_json(row.rating, row.rating_bound),
        "forfeits": row.forfeits_by_reason,
        "by_seat": [
            {"games": seat.games, "wins": seat.wins, "draws": seat.draws, "losses": seat.losses}
            for seat in row.results_by_seat
        ],
        "moves_per_game": row.moves_per_game,
        "seconds_per_move": row.seconds_per_move,
        "reasons": {reason: counts._asdict() for reason, counts in row.results_by_reason.items()},
        "doubtful": row.doubtful_losses,
        "place": row.place,
        "points": row.points,
    }
