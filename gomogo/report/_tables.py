"""The tables of a report as HTML: standings, comparison, reasons, crosstable, games. All text is escaped here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from gomogo.text.standings_table import (
    MIN_GAMES_FOR_ELO,
    all_columns,
    format_bound,
    format_interval,
    format_signed,
    is_narrow,
)
from gomogo_core.drawing.svg_elements import element, escape_text
from gomogo_core.games.base import Reason
from gomogo_core.records.aggregates import GameRow
from tournaments.ratings import Rating, RatingBound
from tournaments.standings import Standings


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


class ComparedRun(NamedTuple):
    """One of two runs in a comparison. ratings: the ratings from the games among the common players only, by name, with
    the bounds of the players who won or lost all of these games.

    The ratings of the whole runs have intervals against the mean of different players.
    """

    standings: Standings
    ratings: Mapping[str, tuple[Rating, RatingBound | None]]

    def games_and_score(self, name: str, opponents: Collection[str] | None) -> tuple[int, float | None]:
        """Return a player's number of games, and the points per game, against these opponents. None stands for all
        opponents: a game of three players then counts once, and not for each of the two opponents.
        """
        if opponents is None:
            row = next(row for row in self.standings.rows if row.name == name)
            return row.games, row.score
        results = [self.standings.head_to_head[name, opponent] for opponent in opponents]
        games = sum(map(sum, results))
        return games, sum(each.wins + each.draws / 2 for each in results) / games if games else None


def comparison_table(run: ComparedRun, earlier_run: ComparedRun) -> str:
    """Return a table with the scores and ratings of the players of two runs; an empty text if the runs have no common
    player.
    On a phone, each row becomes a card.

    Games and scores are those against the opponents that a player met in both runs. The ratings are shifted so that the
    players that are rated in both runs have mean 0. A rating that the standings would hide is hidden.
    """
    runs = run, earlier_run
    earlier_names = {row.name for row in earlier_run.standings.rows}
    names = [row.name for row in run.standings.rows if row.name in earlier_names]
    if not names:
        return ""
    all_pairs = [one.standings.head_to_head.keys() for one in runs]
    results_by_name = {}
    for name in names:
        own_opponents = [{opponent for own, opponent in pairs if own == name} for pairs in all_pairs]
        common = None if own_opponents[0] == own_opponents[1] else set.intersection(*own_opponents)
        results_by_name[name] = [one.games_and_score(name, common) for one in runs]
    rated = run.ratings.keys() & earlier_run.ratings.keys()
    zeros = [fmean(one.ratings[name][0].elo for name in rated) if rated else 0.0 for one in runs]
    has_elo = [all(results_by_name[name][number][0] >= MIN_GAMES_FOR_ELO for name in rated) for number in range(2)]
    changes = [f"{title}{which}" for title in ("score", "Elo") for which in ("", " before", " change")]
    titles = ["games", "games before", *changes, "95 %"]
    rows = ""
    for name in names:
        ratings = [
            _shifted_rating(*one.ratings[name], zero, len(rated)) if is_known and name in rated else None
            for one, zero, is_known in zip(runs, zeros, has_elo, strict=True)
        ]
        cells = [str(games) for games, _ in results_by_name[name]]
        cells += _change_cells([score for _, score in results_by_name[name]], "{:.3f}", "{:+z.3f}")
        cells += _rating_cells(*ratings)
        row_html = "".join(
            element("td", escape_text(text), data_label=title) for title, text in zip(titles, cells, strict=True)
        )
        rows += f"<tr>{element('th', escape_text(name), scope='row')}{row_html}</tr>"
    table = f'<table class="cards" data-sortable>{_table_head(["player", *titles])}<tbody>{rows}</tbody></table>'
    return scroll_region("Comparison", table, "plain")


def _shifted_rating(
    rating: Rating, bound: RatingBound | None, zero: float, player_count: int
) -> Rating | RatingBound | None:
    """Return a rating, or the bound of a player who won or lost all games, less `zero`. Return None if the interval is
    too wide. Between two players, the standings show the lead, whose interval is twice as wide.
    """
    if bound is not None:
        return bound._replace(elo=bound.elo - zero)
    factor = 2 if player_count == 2 else 1
    is_shown = is_narrow(Rating(*(factor * value for value in rating)))
    return Rating(*(value - zero for value in rating)) if is_shown else None


def _rating_cells(now: Rating | RatingBound | None, before: Rating | RatingBound | None) -> Iterator[str]:
    """Yield the cells of a rating, the earlier one, their difference and its interval."""
    if isinstance(now, Rating) and isinstance(before, Rating):
        yield from _change_cells([now.elo, before.elo], "{:+z.0f}", "{:+z.0f}")
        change = now.elo - before.elo
        # the runs are independent, so the squares of the errors are added
        error_margin = math.hypot(now.high - now.low, before.high - before.low) / 2
        yield format_interval(change - error_margin, change + error_margin)
        return
    for rating in (now, before):  # a rating that is a bound or hidden is unknown, and so is the change
        if isinstance(rating, RatingBound):
            yield format_bound(rating.elo, rating.is_lower)
        else:
            yield "–" if rating is None else format_signed(rating.elo)
    yield from ("–", "–")


def _change_cells(values: Sequence[float | None], text: str, change_text: str) -> Iterator[str]:
    """Yield a value, the earlier one, and the difference of the two as they are shown. text, change_text: formats."""
    shown = [None if value is None else text.format(value) for value in values]
    now, before = (None if value is None else float(value) for value in shown)
    change = None if now is None or before is None else change_text.format(now - before)
    for cell in (*shown, change):
        yield "–" if cell is None else cell.replace("-", "−")


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
