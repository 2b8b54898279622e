"""Standings as text: one line a player, as many columns as there is room for.

Knows no store and no terminal; whoever prints it says how wide it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, repeat
from textwrap import fill
from typing import NamedTuple

from gomogo_core.drawing.text import printable
from gomogo_core.games.base import Reason
from tournaments.lead import Lead
from tournaments.pair_test import SIGNIFICANT
from tournaments.standings import Standings, StandingsRow

_GAP = "  "
_CLOSE = 5  # pairs of players that are named because they are close
_LEAST_P = 0.001


class Column(NamedTuple):
    """A column of the table: its title, and what stands in it for a row."""

    title: str
    cell: Callable[[StandingsRow], str]


def _elo(title: str, times: int) -> list[Column]:
    """So many times the rating, and its interval."""
    return [
        Column(title, lambda row: _number(row.rating and times * row.rating.elo, "+z.0f")),
        Column("95 %", lambda row: _interval(times * row.rating.low, times * row.rating.high) if row.rating else "–"),
    ]


_COLUMNS = [
    Column("games", lambda row: str(row.games)),
    Column("won", lambda row: str(row.wins)),
    Column("drawn", lambda row: str(row.draws)),
    Column("lost", lambda row: str(row.losses)),
    Column("ratio", lambda row: _ratio(row)),
    Column("score", lambda row: _number(row.score, ".3f")),
]
_ELO = _elo("Elo", 1)
_LEAD = _elo("Elo lead", 2)  # of two players, whose ratings are each other's negative
_POINTS = Column("points", lambda row: _number(row.points, "g"))  # of formats that give some
_LATER_COLUMNS = [
    Column("moves a game", lambda row: _number(row.moves_per_game, ".1f")),
    Column("s a move", lambda row: _number(row.seconds_per_move, ".3f")),
]


def table(standings: Standings, width: int | None = None) -> str:
    """The table, and below it what it does not show, and who lost by which fault. width: characters that
    a line may have; None for as many as it takes.

    Where there is less room, the columns that matter least are left out.
    """
    columns = all_columns(standings)
    while width is not None and len(columns) > 1 and len(_lines(standings.rows, columns)[0]) > width:
        columns.pop()
    below = notes(standings) if width is None else [_folded(line, width) for line in notes(standings)]
    return "\n".join([*_lines(standings.rows, columns), *below])


def _folded(sentence: str, width: int) -> str:
    """A sentence in as many lines as it takes, broken between words."""
    return fill(sentence, width, break_long_words=False, break_on_hyphens=False)


def all_columns(standings: Standings) -> list[Column]:
    """The columns beside place and player, those that matter most first."""
    seats = max((len(row.by_seat) for row in standings.rows), default=0)
    points = [_POINTS] if any(row.points is not None for row in standings.rows) else []
    elo = _ELO if standings.lead() is None else _LEAD
    return [*points, *_COLUMNS, *elo, *(_seat_column(seat) for seat in range(seats)), *_LATER_COLUMNS]


def notes(standings: Standings) -> list[str]:
    """What the table does not show, and who lost by which fault; empty lines between."""
    return [*_said(standings), *_faults(standings)]


def crosstable(standings: Standings) -> str:
    """Who won, drew and lost how often against whom, in the order of the table."""
    names = [row.name for row in standings.rows]
    columns = [_aligned(["", *(f"{i}" for i in range(1, len(names) + 1))], str.rjust)]
    columns.append(_aligned(["player", *map(printable, names)], str.ljust))
    for number, other in enumerate(names, 1):
        met = [standings.cross.get((name, other)) for name in names]
        cells = [f"{m.wins}-{m.draws}-{m.losses}" if m else "–" for m in met]
        columns.append(_aligned([str(number), *cells], str.rjust))
    return "\n".join(_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True))


def reasons(standings: Standings) -> str:
    """How the games of each player ended: won, drawn and lost by which reason."""
    lines = [
        (printable(row.name) if first else "", reason.replace("_", " "), *map(str, counts))
        for row in standings.rows
        for first, (reason, counts) in zip(chain([True], repeat(False)), row.reasons.items(), strict=False)
    ]
    return ends_table("player", lines)


def ends_table(what: str, lines: Sequence[tuple[str, ...]]) -> str:
    """Lines of whom or what they are of, a reason, and how many were won, drawn and lost, under their titles."""
    sides = zip((what, "ended by", "won", "drawn", "lost"), *lines, strict=True)
    columns = [_aligned(cells, str.ljust if number < 2 else str.rjust) for number, cells in enumerate(sides)]
    return "\n".join(_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True))


def _said(standings: Standings) -> list[str]:
    """By how much one of two is the stronger, what the first seat is worth, and who cannot be told apart yet."""
    words = []
    if (lead := standings.lead()) is not None:
        words += [_led(lead, standings.games), _by_points(lead)]
    if (seat := standings.ratings.first_seat) is not None:
        words.append(f"The first seat is worth {seat.elo:+z.0f} Elo ({_interval(seat.low, seat.high)}).")
    for higher, lower, more in standings.close()[:_CLOSE]:
        games = "very many more games" if more is None else f"about {games_of(more, 'more ')}"
        words.append(f"{printable(higher)} is not shown to be better than {printable(lower)}: {games} might decide.")
    return ["", *words] if words else []


def _led(lead: Lead, games: int) -> str:
    """By how much one of two leads, and whether that shows anything."""
    higher, lower, known = printable(lead.higher), printable(lead.lower), f"{p_value(lead.p)}, after {games_of(games)}"
    if lead.p > SIGNIFICANT:
        return f"Neither {higher} nor {lower} is shown to be stronger: {known}."
    return f"{higher} is {lead.elo:.0f} Elo stronger than {lower} (95 %: {_interval(lead.low, lead.high)}), {known}."


def _by_points(lead: Lead) -> str:
    """The figures that other runners of matches print."""
    told, points = [], lead.points
    for value, error, unit in (
        (points.elo, points.elo_error, "Elo"),
        (points.normalized_elo, points.normalized_elo_error, "nElo"),
    ):
        if value is not None:
            told.append(f"{value:+z.1f}{'' if error is None else f' ± {error:.1f}'} {unit}")
    told += [f"LOS {_share(lead.los)}", f"draws {_share(points.draws)}"]
    pairs = f"pairs with 0, ½, 1, 1½ and 2 points: {', '.join(map(str, points.pairs))}" if points.pairs else ""
    return (
        f"By the points of {printable(lead.higher)} alone: {'; '.join([', '.join(told), *([pairs] if pairs else [])])}."
    )


def _share(share: float) -> str:
    """As a percentage, which is 0 or 100 only where that is so."""
    shown = f"{100 * share:.1f}"
    if shown == "100.0" and share < 1:
        return "> 99.9 %"
    return "< 0.1 %" if shown == "0.0" and share > 0 else f"{shown} %"


def p_value(p: float) -> str:
    """A p-value in three digits."""
    return f"p = {p:.3f}" if p >= _LEAST_P else f"p < {_LEAST_P}"


def games_of(number: int, what: str = "") -> str:
    """So many games, in words that agree with the number."""
    return f"{number} {what}game{'s' * (number != 1)}"


def _interval(low: float, high: float) -> str:
    return f"{low:+z.0f} … {high:+z.0f}"


def _lines(rows: Sequence[StandingsRow], columns: Sequence[Column]) -> list[str]:
    names = ["player", *(printable(row.name) for row in rows)]
    ranks = ["", *(str(row.place or number) for number, row in enumerate(rows, 1))]
    sides = [_aligned(ranks, str.rjust), _aligned(names, str.ljust)]
    sides += [_aligned([column.title, *map(column.cell, rows)], str.rjust) for column in columns]
    return [_GAP.join(cells).rstrip() for cells in zip(*sides, strict=True)]


def _aligned(cells: Sequence[str], side: Callable[[str, int], str]) -> list[str]:
    widest = max(map(len, cells))
    return [side(cell, widest) for cell in cells]


def _seat_column(seat: int) -> Column:
    def cell(row: StandingsRow) -> str:
        counts = row.by_seat[seat]
        return f"{counts.wins}-{counts.draws}-{counts.losses}"

    ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(seat + 1, f"{seat + 1}th")
    return Column(f"{ordinal} seat", cell)


def _ratio(row: StandingsRow) -> str:
    if row.win_loss_ratio is None:
        return "∞" if row.wins else "–"
    return f"{row.win_loss_ratio:.2f}"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _doubt(row: StandingsRow) -> str:
    return f" ({row.doubtful} doubtful: the machine was busy)" if row.doubtful else ""


def _faults(standings: Standings) -> list[str]:
    words = []
    for row in standings.rows:
        if row.forfeits:
            told = ", ".join(
                f"{count} {reason.replace('_', ' ')}{_doubt(row) if reason == Reason.OUT_OF_TIME.value else ''}"
                for reason, count in row.forfeits.items()
            )
            words.append(f"{printable(row.name)} lost by its own fault: {told}")
    return ["", *words] if words else []
