"""The rows of a tournament's table on the page. Elo is shown only after enough games.

The module uses standings, and does not depend on HTTP requests.
"""

from __future__ import annotations

from dataclasses import dataclass

from gomogo.text.names import display_name
from gomogo.text.standings_table import MIN_GAMES_FOR_ELO, create_fault_columns, elo_texts, has_enough_games
from tournaments.pair_test import SIGNIFICANCE_LEVEL
from tournaments.standings import Standings, StandingsRow


@dataclass(frozen=True, slots=True)
class StandingsTableRow:
    """The row of one player, as texts and numbers.

    elo_text: the rating, the bound of the rating, or a dash if it is not known well enough. interval: the confidence
    interval of the rating as text; empty if it has none. faults: the losses by faults, for example "2 crashed, 1 late".
    """

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    points_text: str
    elo_text: str
    interval: str = ""
    faults: str = ""


def standings_rows(table: Standings) -> list[StandingsTableRow]:
    """Return the rows of a table, in its order; in the order of points while a player has not played enough games."""
    rows = (
        list(table.rows)
        if has_enough_games(table)
        else sorted(table.rows, key=lambda row: (row.place or 0, -row.total_points, row.name))
    )
    return [_table_row(table, row) for row in rows]


def standings_summary(table: Standings) -> str:
    """Return a sentence that explains the table in plain words; empty before the first game."""
    if not table.finished_games:
        return ""
    if not has_enough_games(table):
        return f"Too few games to rank: each player needs {MIN_GAMES_FOR_ELO}. Until then, the order is by points."
    if (lead := table.lead) is not None:
        higher_player, lower_player = display_name(lead.higher), display_name(lead.lower)
        if lead.p <= SIGNIFICANCE_LEVEL:
            return f"{higher_player} is stronger than {lower_player}. Luck alone would hardly give this result."
        return f"{higher_player} and {lower_player} may be equally strong: the result could be luck."
    first, second = (display_name(row.name) for row in table.rows[:2])
    if any(pair.higher_player == table.rows[0].name for pair in table.close_neighbours):
        return f"{first} is first, but {second} may be as strong: the difference could be luck."
    return f"{first} is first. Luck alone would hardly explain the difference to {second}."


def _table_row(table: Standings, row: StandingsRow) -> StandingsTableRow:
    points = f"{row.total_points:g}"
    counts = ((column.format_cell(row), column.title) for column in create_fault_columns(table))
    faults = ", ".join(f"{count} {title}" for count, title in counts if count != "0")
    return StandingsTableRow(
        row.name, row.games, row.wins, row.draws, row.losses, points, *elo_texts(table, row), faults=faults
    )
