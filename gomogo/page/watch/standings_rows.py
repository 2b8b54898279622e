"""The rows of a tournament's table on the page. Elo is shown only after enough games.

Uses standings; knows no requests.
"""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.standings import Standings, StandingsRow

MIN_GAMES = 6  # games that every player must have played before Elo is shown
_MAX_MARGIN = 300  # Elo; a rating with a larger margin is not shown


@dataclass(frozen=True, slots=True)
class TableRow:
    """The row of one player. elo_text: the rating, or the reason why there is none. margin: half of the width of the
    confidence interval, as text.
    """

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    points_text: str
    elo_text: str
    margin: str = ""


def standings_rows(table: Standings) -> list[TableRow]:
    """Return the rows of a table, in its order. If a player has not played enough games, they are ordered by points."""
    enough = all(row.games >= MIN_GAMES for row in table.rows)
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
        elo, margin = (
            (f"{times * row.rating.elo:+z.0f}", f"{half:.0f}") if half <= _MAX_MARGIN else ("not known yet", "")
        )
    return TableRow(row.name, row.games, row.wins, row.draws, row.losses, f"{_points_text(row):g}", elo, margin)
