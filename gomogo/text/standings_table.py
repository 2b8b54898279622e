"""Standings as text tables with one line per player, and the notes below them. The caller passes the width."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, repeat
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple

from gomogo.text.rounds import rounds_text
from gomogo.text.standings_json import standings_json
from gomogo_core.drawing.text import printable
from gomogo_core.games.base import Reason
from tournaments.lead import Lead
from tournaments.pair_test import SIGNIFICANCE_LEVEL
from tournaments.ratings import Rating, RatingBound
from tournaments.standings import Standings, StandingsRow

if TYPE_CHECKING:
    from tournaments.sprt_match import SprtMatch

_GAP = "  "
MIN_GAMES_FOR_ELO = 6  # games that every player must have played before Elo is shown for humans
_MAX_INTERVAL_WIDTH = 600  # Elo; a rating with a wider interval is displayed as a dash
ELO_CONDITION = (
    f"Elo is shown if every player has at least {MIN_GAMES_FOR_ELO} games, and if its 95 % interval is at most "
    f"{_MAX_INTERVAL_WIDTH} wide."
)
_MAX_CLOSE_PAIRS = 5  # the lines below the table name at most this number of neighbours with no clear difference
_MIN_PRINTED_P_VALUE = 0.001  # the smallest p-value that is printed as a number


class Column(NamedTuple):
    """A column of the table. format_cell: a function that returns the column's text for a row."""

    title: str
    format_cell: Callable[[StandingsRow], str]


def reliable_rating(standings: Standings, row: StandingsRow) -> Rating | None:
    """Return a player's rating if it is known well enough to be shown to people, else None. In a match, the rating is
    the player's lead over the opponent. All tables and charts use this function; JSON has every rating.
    """
    if row.rating is None or row.rating_bound is not None or not has_enough_games(standings):
        return None
    rating = Rating(*(_rating_factor(standings) * value for value in row.rating))
    return rating if is_narrow(rating) else None


def is_narrow(rating: Rating) -> bool:
    """Return whether the interval of a rating is narrow enough to show the rating to people."""
    return rating.high - rating.low <= _MAX_INTERVAL_WIDTH


def reliable_bound(standings: Standings, row: StandingsRow) -> RatingBound | None:
    """Return the bound of the rating of a player who won or lost every game, else None. In a match, it is the bound of
    the player's lead over the opponent. All tables and charts use this function.
    """
    if row.rating_bound is None or not has_enough_games(standings):
        return None
    return row.rating_bound._replace(elo=_rating_factor(standings) * row.rating_bound.elo)


def _rating_factor(standings: Standings) -> int:
    """Return 2 in a match, where the rating of the other player is the negative one; otherwise 1."""
    return 1 if standings.lead is None else 2


def elo_texts(standings: Standings, row: StandingsRow) -> tuple[str, str]:
    """Return a player's rating and its interval as texts.

    A player who won or lost every game has a bound instead of a rating, such as "at least +120". The rating is a dash
    if it is not known well enough; without a rating the interval is empty. In a match, the rating is the player's lead
    over the opponent.
    """
    if (rating := reliable_rating(standings, row)) is not None:
        return format_signed(rating.elo), format_interval(rating.low, rating.high)
    if (bound := reliable_bound(standings, row)) is not None:
        return format_bound(*bound), ""
    return "–", ""


def format_signed(value: float) -> str:
    """Return a number as text, rounded to a whole number, with its sign.

    >>> format_signed(12.4), format_signed(-3.0), format_signed(-0.1)
    ('+12', '−3', '+0')
    """
    return f"{value:+z.0f}".replace("-", "−")


def format_interval(low: float, high: float) -> str:
    """Return an interval as text, with the sign of each end.

    >>> format_interval(-117.0, 504.0)
    '−117 to +504'
    """
    return f"{format_signed(low)} to {format_signed(high)}"


def format_bound(value: float, is_lower: bool) -> str:
    """Return the bound of a one-sided interval as text. is_lower: whether it is a lower bound.

    >>> format_bound(120.4, True), format_bound(-98.6, False)
    ('at least +120', 'at most −99')
    """
    return f"at {'least' if is_lower else 'most'} {format_signed(value)}"


def _create_elo_columns(standings: Standings) -> list[Column]:
    """Return the columns of a rating, or of the lead in a match, and of its interval."""
    return [
        Column("Elo" if standings.lead is None else "Elo lead", lambda row: elo_texts(standings, row)[0]),
        Column("95 %", lambda row: elo_texts(standings, row)[1] or "–"),
    ]


_RESULT_COLUMNS = [
    Column("games", lambda row: str(row.games)),
    Column("won", lambda row: str(row.wins)),
    Column("drawn", lambda row: str(row.draws)),
    Column("lost", lambda row: str(row.losses)),
    Column("ratio", lambda row: _format_win_loss_ratio(row)),
    Column("score", lambda row: _format_number(row.score, ".3f")),
]
_POINTS_COLUMN = Column("points", lambda row: _format_number(row.points, "g"))  # the points of formats that award them
# the losses that each column counts
_REASONS_BY_FAULT_COLUMN = (
    ("crashed", (Reason.CRASHED,)),
    ("late", (Reason.OUT_OF_TIME,)),
    ("illegal", (Reason.ILLEGAL_MOVE, Reason.NOT_A_MOVE)),
    ("other faults", (Reason.TOO_MUCH_MEMORY, Reason.OUT_OF_TURN, Reason.CPU_OUT_OF_TURN)),
)
_LENGTH_COLUMNS = [
    Column("moves a game", lambda row: _format_number(row.moves_per_game, ".1f")),
    Column("s a move", lambda row: _format_number(row.seconds_per_move, ".3f")),
]


def has_enough_games(standings: Standings) -> bool:
    """Return whether every player has played enough games for a rating."""
    return all(row.games >= MIN_GAMES_FOR_ELO for row in standings.rows)


def standings_output(
    standings: Standings,
    as_json: bool,
    width: int | None,
    sprt_match: SprtMatch | None = None,
    *,
    with_crosstable: bool = False,
    by_reason: bool = False,
) -> str:
    """Return the output of a command: the standings, the rounds, and the result of a statistical test, as text or JSON.

    width: the maximum number of characters in a line of the table; None for no limit. with_crosstable: whether to add
    the crosstable. by_reason: whether to add the table of results by the reason for the end of the game.
    """
    if as_json:
        sprt_json = {"sprt": sprt_match.as_json()} if sprt_match else {}
        return json.dumps({**standings_json(standings), **sprt_json}, indent=2)
    rounds = rounds_text(standings) if standings.rounds else ""
    sections = [
        standings_text(standings, width),
        rounds,
        crosstable_text(standings) if with_crosstable else "",
        reasons_text(standings) if by_reason else "",
        sprt_match.summary() if sprt_match else "",
    ]
    return "\n\n".join(filter(None, sections))


def standings_text(standings: Standings, width: int | None = None) -> str:
    """Return the table with notes and forfeits below it.

    width: the maximum number of characters in a line; None for no limit. If a line is too long, the least important
    columns are left out.
    """
    columns = all_columns(standings)
    while width is not None and len(columns) > 1 and len(_table_lines(standings.rows, columns)[0]) > width:
        columns.pop()
    notes = standings_notes(standings)
    if width is not None:
        notes = [fill(line, width, break_long_words=False, break_on_hyphens=False) for line in notes]
    return "\n".join([*_table_lines(standings.rows, columns), *notes])


def all_columns(standings: Standings) -> list[Column]:
    """Return the columns except place and player, the most important first."""
    seat_count = max((len(row.results_by_seat) for row in standings.rows), default=0)
    points_columns = [_POINTS_COLUMN] if any(row.points is not None for row in standings.rows) else []
    return [
        *points_columns,
        *_RESULT_COLUMNS,
        *create_fault_columns(standings),
        *_create_elo_columns(standings),
        *(_create_seat_column(seat) for seat in range(seat_count)),
        *_LENGTH_COLUMNS,
    ]


def create_fault_columns(standings: Standings) -> list[Column]:
    """Return the columns of losses by faults, each only if there is one."""

    def count(row: StandingsRow, reasons: tuple[Reason, ...]) -> int:
        return sum(row.forfeits_by_reason.get(reason.value, 0) for reason in reasons)

    def create_column(title: str, reasons: tuple[Reason, ...]) -> Column:
        return Column(title, lambda row: str(count(row, reasons)))

    return [
        create_column(title, reasons)
        for title, reasons in _REASONS_BY_FAULT_COLUMN
        if any(count(row, reasons) for row in standings.rows)
    ]


def standings_notes(standings: Standings) -> list[str]:
    """Return the lines below the table: notes on strength, then each player's forfeits, separated by empty lines."""
    return [*_notes_on_strength(standings), *_forfeit_lines(standings)]


def crosstable_text(standings: Standings) -> str:
    """Return the crosstable: each player's wins, draws and losses against each other, in the order of the table."""
    names = [row.name for row in standings.rows]
    columns = [["", *(f"{number}" for number in range(1, len(names) + 1))], ["player", *map(printable, names)]]
    for number, opponent_name in enumerate(names, 1):
        results = [standings.head_to_head.get((name, opponent_name)) for name in names]
        cells = [f"{counts.wins}-{counts.draws}-{counts.losses}" if counts else "–" for counts in results]
        columns.append([str(number), *cells])
    return "\n".join(_lines_of_columns(columns))


def reasons_text(standings: Standings) -> str:
    """Return a table of each player's wins, draws and losses by the reason for the end of the game."""
    lines = [
        (printable(row.name) if is_first else "", Reason(reason).ended_by, *map(str, counts))
        for row in standings.rows
        for is_first, (reason, counts) in zip(chain([True], repeat(False)), row.results_by_reason.items(), strict=False)
    ]
    return reasons_table("player", lines)


def reasons_table(title: str, lines: Sequence[tuple[str, ...]]) -> str:
    """Return a table of results by reason.

    title: the title of the first column. lines: the cells of each line: subject, reason, wins, draws, losses.
    """
    columns = zip((title, "ended by", "won", "drawn", "lost"), *lines, strict=True)
    return "\n".join(_lines_of_columns(columns, left_columns=(0, 1)))


def _notes_on_strength(standings: Standings) -> list[str]:
    """Return sentences on the lead in a match, the first seat's advantage, and close neighbours in the table."""
    sentences = []
    if (lead := standings.lead) is not None:
        sentences += [_lead_sentence(standings, lead), _points_sentence(lead)]
    if (first_seat := standings.first_seat_advantage) is not None:
        condition = ", in the games that nobody lost by a fault" if standings.forfeit_count else ""
        interval = format_interval(first_seat.low, first_seat.high)
        sentences.append(f"The first seat is worth {format_signed(first_seat.elo)} Elo ({interval}){condition}.")
    elif standings.forfeit_count:
        sentences.append("The advantage of the first seat is unknown: too few games ended without a fault.")
    sentences += _sentences_on_close_neighbours(standings)
    scores = [row.score or 0.0 for row in standings.rows]
    if scores != sorted(scores, reverse=True) and not any(row.place for row in standings.rows):
        sentences.append("The places follow Elo, which takes account of the opponents, and not the score.")
    if any(row.rating is not None and elo_texts(standings, row)[0] == "–" for row in standings.rows):
        sentences.append(ELO_CONDITION)
    return ["", *sentences] if sentences else []


def _sentences_on_close_neighbours(standings: Standings) -> list[str]:
    """Return sentences on neighbours in the table that played each other without a clear difference.

    One sentence lists all pairs with too few games. Pairs without games are left out: in a course, for example, the
    arena agents do not meet.
    """
    sentences, undecided_pairs = list[str](), list[str]()
    scores = {row.name: row.score for row in standings.rows}
    met = [pair for pair in standings.close_neighbours if pair[:2] in standings.head_to_head]
    for higher, lower, games_needed in met[:_MAX_CLOSE_PAIRS]:
        games = "very many more games" if games_needed is None else f"about {games_text(games_needed, 'more ')}"
        games_between = sum(standings.head_to_head[higher, lower])
        if standings.lead is not None:  # its sentence already says that neither player is shown to be stronger
            sentences.append(f"{games.capitalize()} might decide.")
        elif scores[higher] == scores[lower]:
            sentences.append(f"{printable(higher)} and {printable(lower)} are equal so far.")
        elif games_between < MIN_GAMES_FOR_ELO:
            undecided_pairs.append(f"{printable(higher)} and {printable(lower)} ({games_text(games_between)})")
        else:
            sentences.append(
                f"{printable(higher)} is not shown to be better than {printable(lower)}: {games} might decide."
            )
    if undecided_pairs:
        sentences.append(f"Too few games to tell which one is better: {', '.join(undecided_pairs)}.")
    return sentences


def _lead_sentence(standings: Standings, lead: Lead) -> str:
    """Return the sentence on the lead in a match and its significance."""
    higher, lower = printable(lead.higher), printable(lead.lower)
    evidence = f"{format_p_value(lead.p)}, after {games_text(standings.finished_games)}"
    if lead.p > SIGNIFICANCE_LEVEL:
        return f"Neither {higher} nor {lower} is shown to be stronger: {evidence}."
    first_row = standings.rows[0]
    if (bound := reliable_bound(standings, first_row)) is not None:
        return f"{higher} is at least {bound.elo:.0f} Elo stronger than {lower}: {evidence}."
    if reliable_rating(standings, first_row) is None:
        return f"{higher} is stronger than {lower}: {evidence}."
    interval = format_interval(lead.low, lead.high)
    return f"{higher} is {lead.elo:.0f} Elo stronger than {lower} (95 %: {interval}), {evidence}."


def _points_sentence(lead: Lead) -> str:
    """Return the sentence with the figures that fastchess and cutechess print."""
    figures, points = [], lead.points
    for value, error, unit in (
        (points.elo, points.elo_error, "Elo"),
        (points.normalized_elo, points.normalized_elo_error, "nElo"),
    ):
        if value is not None:
            interval = "" if error is None else f" ({format_interval(value - error, value + error)})"
            figures.append(f"{value:+z.1f} {unit}{interval}")
    figures += [f"LOS {_format_percentage(lead.los)}", f"draws {_format_percentage(points.draws)}"]
    pairs = f"pairs with 0, ½, 1, 1½ and 2 points: {', '.join(map(str, points.pairs))}" if points.pairs else ""
    parts = [", ".join(figures), *([pairs] if pairs else [])]
    return f"By the points of {printable(lead.higher)} alone: {'; '.join(parts)}."


def _format_percentage(share: float) -> str:
    """Format a share as a percentage. It is 0 or 100 only if the share is exactly 0 or 1."""
    percentage = f"{100 * share:.1f}"
    if percentage == "100.0" and share < 1:
        return "> 99.9 %"
    return "< 0.1 %" if percentage == "0.0" and share > 0 else f"{percentage} %"


def format_p_value(p: float) -> str:
    """Format a p-value with three digits."""
    return f"p = {p:.3f}" if p >= _MIN_PRINTED_P_VALUE else f"p < {_MIN_PRINTED_P_VALUE}"


def games_text(number: int, kind: str = "") -> str:
    """Return "1 game" or "N games"."""
    return f"{number} {kind}game{'s' * (number != 1)}"


def _table_lines(rows: Sequence[StandingsRow], columns: Sequence[Column]) -> list[str]:
    names = ["player", *(printable(row.name) for row in rows)]
    ranks = ["", *(str(row.place or number) for number, row in enumerate(rows, 1))]
    return _lines_of_columns([ranks, names, *([column.title, *map(column.format_cell, rows)] for column in columns)])


def _lines_of_columns(columns: Iterable[Sequence[str]], left_columns: Collection[int] = (1,)) -> list[str]:
    """Return the lines of a table. left_columns: the numbers of the columns that are aligned to the left."""
    aligned_columns = []
    for number, cells in enumerate(columns):
        align, width = str.ljust if number in left_columns else str.rjust, max(map(_terminal_width, cells))
        aligned_columns.append([align(cell, width - _terminal_width(cell) + len(cell)) for cell in cells])
    return [_GAP.join(cells).rstrip() for cells in zip(*aligned_columns, strict=True)]


def _terminal_width(text: str) -> int:
    """Return the number of columns that a text takes on a terminal: two for a wide character, such as a Chinese one."""
    return sum(
        1 + (unicodedata.east_asian_width(character) in "FW") - bool(unicodedata.combining(character))
        for character in text
    )


def _create_seat_column(seat: int) -> Column:
    def cell(row: StandingsRow) -> str:
        counts = row.results_by_seat[seat]
        return f"{counts.wins}-{counts.draws}-{counts.losses}"

    ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(seat + 1, f"{seat + 1}th")
    return Column(f"{ordinal} seat", cell)


def _format_win_loss_ratio(row: StandingsRow) -> str:
    if row.win_loss_ratio is None:
        return "∞" if row.wins else "–"
    return f"{row.win_loss_ratio:.2f}"


def _format_number(value: float | None, format_spec: str) -> str:
    return "–" if value is None else format(value, format_spec)


def _doubtful_note(row: StandingsRow) -> str:
    return f" ({row.doubtful_losses} doubtful: the machine was busy)" if row.doubtful_losses else ""


def _forfeit_lines(standings: Standings) -> list[str]:
    lines = []
    for row in standings.rows:
        if row.forfeits_by_reason:
            counts_text = ", ".join(
                f"{count} {reason.replace('_', ' ')}{_doubtful_note(row) if reason == Reason.OUT_OF_TIME.value else ''}"
                for reason, count in row.forfeits_by_reason.items()
            )
            lines.append(f"{printable(row.name)} lost by its own fault: {counts_text}")
    return ["", *lines] if lines else []
