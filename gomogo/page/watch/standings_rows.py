"""The rows of a tournament's table on the page: points, and Elo only after enough games.

Uses standings, but no request.
"""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.standings import Standings, StandingsRow

ENOUGH = 6  # games of every player before Elo is shown
_WIDEST = 300  # Elo: a rating with a wider interval is not shown


@dataclass(frozen=True, slots=True)
class TableRow:
    """One player. elo_text: the rating, or the reason for its absence. margin: half of the interval, as text."""

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    points_text: str
    elo_text: str
    margin: str = ""


def standings_rows(table: Standings) -> list[TableRow]:
    """Return the rows of a table. Before every player has played enough games, they are ordered by points."""
    enough = all(row.games >= ENOUGH for row in table.rows)
    rows = (
        list(table.rows)
        if enough
        else sorted(table.rows, key=lambda row: (row.place or 0, -_points_text(row), row.name))
    )
    times = 2 if table.lead is not None else 1
    return [_table_row(row, times, enough=enough) for row in rows]


def _points_text(row: StandingsRow) -> float:
    return row.wins + row.draws / 2 if row.points is None else row.points


def _table_row(row: StandingsRow, times: int, *, enough: bool) -> TableRow:
    elo, margin = "", ""
    if not enough:
        elo = "too few games to rank"
    elif row.rating is not None:
        half = times * (row.rating.high - row.rating.low) / 2
        elo, margin = (f"{times * row.rating.elo:+z.0f}", f"{half:.0f}") if half <= _WIDEST else ("not known yet", "")
    return TableRow(row.name, row.games, row.wins, row.draws, row.losses, f"{_points_text(row):g}", elo, margin)
