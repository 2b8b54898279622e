"""The results of a tournament or match as CSV: a line for each player, or for each game."""

from __future__ import annotations

import time
from collections.abc import Sequence

from gomogo_core.games.base import Reason, ReasonKind
from gomogo_core.records.aggregates import GameRow
from tournaments.csv_table import csv_table
from tournaments.standings import Standings

_FAULTS = [reason.value for reason in Reason if reason.kind is ReasonKind.FORFEIT]


def players_csv(standings: Standings) -> str:
    """Return a line for each player, in the order of the table: points, results, rating and losses by each fault.

    As in JSON, every rating is there, also one with a wide interval.
    """
    titles = ("place", "player", "points", "games", "won", "drawn", "lost", "elo", "elo_low", "elo_high", *_FAULTS)
    return csv_table(
        titles,
        (
            (
                row.place or number,
                row.name,
                f"{row.total_points:g}",
                row.games,
                row.wins,
                row.draws,
                row.losses,
                *([round(value, 1) for value in row.rating] if row.rating else ("", "", "")),
                *(row.forfeits_by_reason.get(fault, 0) for fault in _FAULTS),
            )
            for number, row in enumerate(standings.rows, 1)
        ),
    )


def games_csv(rows: Sequence[GameRow]) -> str:
    """Return a line for each game: its players by seat, the winner, the reason for the end, and its length."""
    seats = max((len(row.names) for row in rows), default=2)
    titles = ("game", *(f"player_{seat}" for seat in range(1, seats + 1)), "winner", "ended_by", "moves", "started")
    return csv_table(
        (*titles, "seconds"),
        (
            (
                row.key,
                *row.names,
                *("",) * (seats - len(row.names)),
                "" if row.winner is None else row.names[row.winner - 1],
                row.reason,
                row.plies,
                time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.started)),
                round(row.duration, 2),
            )
            for row in rows
        ),
    )
