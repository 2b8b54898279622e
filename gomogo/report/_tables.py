"""The tables of a report as HTML: standings, comparison, reasons, crosstable, games. All text is escaped here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from gomogo.text.standings_table import all_columns, format_bound, format_interval, format_signed
from gomogo_core.drawing.svg_elements import element, escape_text
from gomogo_core.games.base import Reason
from gomogo_core.records.aggregates import GameRow
from tournaments.ratings import Rating, RatingBound
from tournaments.standings import Standings, StandingsRow


def scroll_region(label: str, table: str, kind: str = "") -> str:
    """Return a table in a region that scrolls if it is wider than the window, also with the keyboard.

    label: the name of the region for screen readers. kind: the CSS class of the region: "plain" for a table with
    names in its first column, "standings" for a table with many columns.
    """
    return element("div", table, class_=f"scroll {kind}".strip(), role="region", tabindex=0, aria_label=label)


def _table_head(titles: Iterable[str]) -> str:
    return f"<thead><tr>{''.join(element('th', escape_text(title), scope='col') for title in titles)}</tr></thead>"


def standings_table(standings: Standings) -> str:
    """Return the table of standings, with a row for each player.

    On a phone, each row becomes a card. The page's script turns each name into a button that shows only the games of
    this player.
    """
    columns = all_columns(standings)
    rows = []
    for number, row in enumerate(standings.rows, 1):
        cells = "".join(
            element("td", escape_text(column.format_cell(row)), data_label=column.title) for column in columns
        )
        name = element("th", escape_text(row.name), scope="row", data_players=number - 1)
        rows.append(f"<tr><td>{row.place or number}</td>{name}{cells}</tr>")
    head = _table_head(["place", "player", *(column.title for column in columns)])
    table = f'<table class="cards" data-sortable>{head}<tbody>{"".join(rows)}</tbody></table>'
    return scroll_region("Standings", table, "standings")


def comparison_table(
    current_standings: Standings,
    earlier_standings: Standings,
    ratings: Mapping[str, tuple[Rating, RatingBound | None]],
    earlier_ratings: Mapping[str, tuple[Rating, RatingBound | None]],
) -> str:
    """Return a table with the scores and ratings of the players of two runs; an empty text without common players.
    On a phone, each row becomes a card.

    ratings, earlier_ratings: each run's ratings from the games among the common players only, with the bounds of the
    players who won or lost all of these games. The ratings of the whole runs have intervals against the mean of
    different players. They are shifted so that the players that are rated in both runs have mean 0.
    """
    earlier = {row.name: row for row in earlier_standings.rows}
    pairs = [(row, earlier[row.name]) for row in current_standings.rows if row.name in earlier]
    if not pairs:
        return ""
    rated = ratings.keys() & earlier_ratings.keys()
    zeros = [fmean(run[name][0].elo for name in rated) if rated else 0.0 for run in (ratings, earlier_ratings)]
    changes = [f"{title}{which}" for title in ("score", "Elo") for which in ("", " before", " change")]
    titles = ["games", "games before", *changes, "95 %"]
    rows = ""
    for row, old in pairs:
        cells = _comparison_cells(row, old, ratings.get(row.name), earlier_ratings.get(row.name), zeros)
        row_html = "".join(
            element("td", escape_text(text), data_label=title) for title, text in zip(titles, cells, strict=True)
        )
        rows += f"<tr>{element('th', escape_text(row.name), scope='row')}{row_html}</tr>"
    table = f'<table class="cards" data-sortable>{_table_head(["player", *titles])}<tbody>{rows}</tbody></table>'
    return scroll_region("Comparison", table, "plain")


def _comparison_cells(
    row: StandingsRow,
    old: StandingsRow,
    rated: tuple[Rating, RatingBound | None] | None,
    earlier_rated: tuple[Rating, RatingBound | None] | None,
    zeros: Sequence[float],
) -> Iterator[str]:
    yield from (str(row.games), str(old.games))
    yield from _change_cells(row.score, old.score, "{:.3f}".format, "{:+.3f}".format)
    if rated is None or earlier_rated is None:
        yield from ("–", "–", "–", "–")
        return
    (rating, bound), (earlier, earlier_bound) = rated, earlier_rated
    if bound is not None or earlier_bound is not None:  # such a rating is unknown, and so is its change
        for (one, one_bound), zero in zip((rated, earlier_rated), zeros, strict=True):
            yield format_bound(one_bound.elo - zero, one_bound.is_lower) if one_bound else format_signed(one.elo - zero)
        yield from ("–", "–")
        return
    relative_elo, earlier_elo = rating.elo - zeros[0], earlier.elo - zeros[1]
    yield from _change_cells(relative_elo, earlier_elo, format_signed, format_signed)
    # the runs are independent, so the squares of the errors are added
    error_margin = math.hypot(rating.high - rating.low, earlier.high - earlier.low) / 2
    yield (
        format_interval(relative_elo - earlier_elo - error_margin, relative_elo - earlier_elo + error_margin)
        if math.isfinite(error_margin)
        else "–"
    )


def _change_cells(
    now: float | None, before: float | None, text: Callable[[float], str], change_text: Callable[[float], str]
) -> Iterator[str]:
    yield "–" if now is None else text(now)
    yield "–" if before is None else text(before)
    yield "–" if now is None or before is None else change_text(now - before).replace("-", "−")


def reasons_table(games: Iterable[GameRow]) -> str:
    """Return a table with the number of games that ended for each reason. The page's script turns each reason into a
    button that shows only these games.
    """
    counts = Counter(Reason(row.reason).ended_by for row in games)
    rows = "".join(
        f"<tr>{element('th', escape_text(reason), scope='row', data_reason=reason)}<td>{count}</td></tr>"
        for reason, count in counts.most_common()
    )
    head = _table_head(["reason", "games"])
    return scroll_region("How games ended", f"<table data-sortable>{head}<tbody>{rows}</tbody></table>", "plain")


def crosstable(standings: Standings) -> str:
    """Return the crosstable: each player's wins, draws and losses against each other.

    The page's script turns each cell into a button that shows only the games of these two players.
    """
    names = [row.name for row in standings.rows]
    rows = []
    for number, name in enumerate(names, 1):
        cells = ""
        for other_number, other_name in enumerate(names, 1):
            counts = standings.head_to_head.get((name, other_name))
            cells += (
                element(
                    "td",
                    f"{counts.wins}-{counts.draws}-{counts.losses}",
                    data_players=f"{number - 1} {other_number - 1}",
                )
                if counts
                else "<td>–</td>"
            )
        rows.append(f"<tr><td>{number}</td>{element('th', escape_text(name), scope='row')}{cells}</tr>")
    head = _table_head(["", "player", *(str(number) for number in range(1, len(names) + 1))])
    table = f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
    return scroll_region("Crosstable: won, drawn, lost", table)


def games_table(
    rows: Sequence[GameRow], replayable: Container[str], players: Mapping[str, Sequence[int]]
) -> Iterator[str]:
    """Yield the parts of a table with a row for each game.

    replayable: the keys of the games that the page can replay. players: by the key of each game,
    the indexes of its players in the standings.
    """
    head = _table_head(["game", "players", "won by", "reason", "moves", "seconds"])
    yield '<div class="scroll" role="region" tabindex="0" aria-label="Games">'
    yield f'<table id="games" class="cards" data-sortable>{head}<tbody>\n'
    for count, row in enumerate(rows, 1):
        winner = "<td>drawn</td>"
        if row.winner is not None:
            winner = element("td", escape_text(row.names[row.winner - 1]), data_label="won by")
        label = element("a", str(count), href=f"#game-{count}") if row.key in replayable else f"{count}"
        names = " – ".join(map(escape_text, row.names))
        yield (
            f'<tr data-seats="{" ".join(map(str, players.get(row.key, ())))}">'
            f"<td>{label}</td>{element('th', names, scope='row')}{winner}"
            f"<td>{escape_text(Reason(row.reason).ended_by)}</td>"
            f'<td data-label="moves">{row.plies}</td><td data-label="seconds">{row.duration:.1f}</td></tr>\n'
        )
    yield "</tbody></table></div>\n"
