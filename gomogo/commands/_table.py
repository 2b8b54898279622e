"""Standings as text: one line a player, as many columns as there is room for.

Knows no store and no terminal; whoever prints it says how wide it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, repeat
from textwrap import fill
from typing import NamedTuple

from gomogo_core.drawing.text import visible
from gomogo_core.games.base import Reason
from tournaments.standings import Row, Standings

_GAP = "  "
_CLOSE = 5  # pairs of players that are named because they are close
_LEAST_P = 0.001


class Column(NamedTuple):
    """A column of the table: its title, and what stands in it for a row."""

    title: str
    cell: Callable[[Row], str]


_COLUMNS = [
    Column("games", lambda row: str(row.games)),
    Column("won", lambda row: str(row.wins)),
    Column("drawn", lambda row: str(row.draws)),
    Column("lost", lambda row: str(row.losses)),
    Column("ratio", lambda row: _ratio(row)),
    Column("score", lambda row: _number(row.score, ".3f")),
    Column("Elo", lambda row: _number(row.rating and row.rating.elo, "+z.0f")),
    Column("95 %", lambda row: f"{row.rating.low:+z.0f} … {row.rating.high:+z.0f}" if row.rating else "–"),
]
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
    return [*points, *_COLUMNS, *(_seat_column(seat) for seat in range(seats)), *_LATER_COLUMNS]


def notes(standings: Standings) -> list[str]:
    """What the table does not show, and who lost by which fault; empty lines between."""
    return [*_said(standings), *_faults(standings)]


def crosstable(standings: Standings) -> str:
    """Who won, drew and lost how often against whom, in the order of the table."""
    names = [row.name for row in standings.rows]
    columns = [_aligned(["", *(f"{i}" for i in range(1, len(names) + 1))], str.rjust)]
    columns.append(_aligned(["player", *map(visible, names)], str.ljust))
    for number, other in enumerate(names, 1):
        met = [standings.cross.get((name, other)) for name in names]
        cells = [f"{m.wins}-{m.draws}-{m.losses}" if m else "–" for m in met]
        columns.append(_aligned([str(number), *cells], str.rjust))
    return "\n".join(_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True))


def reasons(standings: Standings) -> str:
    """How the games of each player ended: won, drawn and lost by which reason."""
    lines = [
        (visible(row.name) if first else "", reason.replace("_", " "), *map(str, counts))
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
        p = f"p = {lead.p:.3f}" if lead.p >= _LEAST_P else f"p < {_LEAST_P}"
        higher, lower = visible(lead.higher), visible(lead.lower)
        by = f"{lead.elo:.0f} Elo"
        told = f"{by} lie between {higher} and {lower}" if by == "0 Elo" else f"{higher} is {by} stronger than {lower}"
        words.append(
            f"{told} (95 %: {lead.low:+z.0f} … {lead.high:+z.0f}), {p}, "
            f"after {standings.games} game{'s' * (standings.games != 1)}."
        )
    if (seat := standings.ratings.first_seat) is not None:
        words.append(f"The first seat is worth {seat.elo:+z.0f} Elo ({seat.low:+z.0f} … {seat.high:+z.0f}).")
    for higher, lower, more in standings.close()[:_CLOSE]:
        games = "very many more games" if more is None else f"about {more} more game{'s' * (more != 1)}"
        words.append(f"{visible(higher)} is not shown to be better than {visible(lower)}: {games} might.")
    return ["", *words] if words else []


def _lines(rows: Sequence[Row], columns: Sequence[Column]) -> list[str]:
    names = ["player", *(visible(row.name) for row in rows)]
    ranks = ["", *(str(row.place or number) for number, row in enumerate(rows, 1))]
    sides = [_aligned(ranks, str.rjust), _aligned(names, str.ljust)]
    sides += [_aligned([column.title, *map(column.cell, rows)], str.rjust) for column in columns]
    return [_GAP.join(cells).rstrip() for cells in zip(*sides, strict=True)]


def _aligned(cells: Sequence[str], side: Callable[[str, int], str]) -> list[str]:
    widest = max(map(len, cells))
    return [side(cell, widest) for cell in cells]


def _seat_column(seat: int) -> Column:
    def cell(row: Row) -> str:
        counts = row.by_seat[seat]
        return f"{counts.wins}-{counts.draws}-{counts.losses}"

    ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(seat + 1, f"{seat + 1}th")
    return Column(f"{ordinal} seat", cell)


def _ratio(row: Row) -> str:
    if row.win_loss_ratio is None:
        return "∞" if row.wins else "–"
    return f"{row.win_loss_ratio:.2f}"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _doubt(row: Row) -> str:
    return f" ({row.doubtful} doubtful: the machine was busy)" if row.doubtful else ""


def _faults(standings: Standings) -> list[str]:
    words = []
    for row in standings.rows:
        if row.forfeits:
            told = ", ".join(
                f"{count} {reason.replace('_', ' ')}{_doubt(row) if reason == Reason.OUT_OF_TIME.value else ''}"
                for reason, count in row.forfeits.items()
            )
            words.append(f"{visible(row.name)} lost by its own fault: {told}")
    return ["", *words] if words else []
