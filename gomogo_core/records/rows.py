"""Converts a played game to rows of the store's tables. The module uses the names of columns, but no database."""

from __future__ import annotations

from typing import Any

from gomogo_core.games.base import RESIGN, Seat
from gomogo_core.records.game_record import PlayedGame


def game_row(played_game: PlayedGame, run: int | None, status: str, pair: int | None) -> dict[str, Any]:
    """Return the row of the table `games`. run, pair: the values of these columns. status: a `GameStatus`."""
    return {
        "key": played_game.key,
        "run": run,
        "status": status,
        "game": played_game.game,
        "reason": played_game.outcome.reason.value,
        "winner": played_game.outcome.winner,
        "plies": len(played_game.plies),
        "started": played_game.started,
        "duration": played_game.duration,
        "pair": pair,
        "worker": (played_game.machine and played_game.machine.worker) or None,
        "doubtful": bool(played_game.doubtful),
    }


def seat_rows(played_game: PlayedGame, players: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the rows of the table `seats`. players: each player's name within the run, by seat."""
    ranks, forfeits = played_game.outcome.ranks, played_game.forfeits
    best_result = "void" if played_game.outcome.is_void else "win" if ranks.count(1) == 1 else "draw"
    other_result = "void" if played_game.outcome.is_void else "loss"
    moves, seconds_by_seat = [0] * len(ranks), [0.0] * len(ranks)
    for (seat, move), seconds in zip(played_game.plies[played_game.opening_length :], played_game.seconds, strict=True):
        if move != RESIGN:
            moves[seat - 1] += 1
            seconds_by_seat[seat - 1] += seconds
    return [
        {
            "key": played_game.key,
            "seat": seat,
            "player": player,
            "spec": played_game.specs[seat - 1],
            "name": played_game.names[seat - 1],
            "rank": ranks[seat - 1],
            "result": best_result if ranks[seat - 1] == 1 else other_result,
            "points": share_of_opponents_beaten(ranks, seat),
            "forfeit": forfeits[seat].value if seat in forfeits else None,
            "moves": moves[seat - 1],
            "seconds": seconds_by_seat[seat - 1],
        }
        for seat, player in enumerate(players, 1)
    ]


def share_of_opponents_beaten(ranks: tuple[int, ...], seat: Seat) -> float:
    """Return the share of opponents that the player in a seat beat, from 0 to 1; an equal rank counts half."""
    own_rank, other_ranks = ranks[seat - 1], ranks[: seat - 1] + ranks[seat:]
    return sum(1.0 if own_rank < rank else 0.5 if own_rank == rank else 0.0 for rank in other_ranks) / len(other_ranks)
