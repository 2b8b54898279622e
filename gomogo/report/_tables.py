"""Tables of the report as HTML: standings, crosstable, games.

Uses standings and rows of games; escapes all their text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from gomogo.text.standings_table import all_columns
from gomogo_core.drawing.svg_elements import element, escape_text
from gomogo_core.records.aggregates import GameRow
from tournaments.standings import Standings, StandingsRow


def scrollable(called: str, table: str, kind: str = "") -> str:
    """Return a table that may be wider than the window, in a region that the keyboard can scroll.

    kind: `plain` for a table whose first column has the names.
    """
    return element("div", table, class_=f"scroll {kind}".strip(), role="region", tabindex=0, aria_label=called)


def _table_head(titles: Iterable[str]) -> str:
    return f"<thead><tr>{''.join(element('th', escape_text(title), scope='col') for title in titles)}</tr></thead>"


def standings_table(standings: Standings) -> str:
    """Return a row for each player, the strongest first."""
    columns = all_columns(standings)
    rows = []
    for number, row in enumerate(standings.rows, 1):
        cells = "".join(f"<td>{escape_text(column.cell(row))}</td>" for column in columns)
        rows.append(
            f"<tr><td>{row.place or number}</td>{element('th', escape_text(row.name), scope='row')}{cells}</tr>"
        )
    head = _table_head(["place", "player", *(column.title for column in columns)])
    return scrollable("Standings", f"<table data-sortable>{head}<tbody>{''.join(rows)}</tbody></table>")


def comparison_table(now: Standings, before: Standings) -> str:
    """Return a row for each player of two runs, with its score and rating in both. Empty if they share no player.

    Each run's ratings have their own zero: here it is the mean of the players that both runs have.
    """
    earlier = {row.name: row for row in before.rows}
    pairs = [(row, earlier[row.name]) for row in now.rows if row.name in earlier]
    if not pairs:
        return ""
    rated = [(row.rating.elo, old.rating.elo) for row, old in pairs if row.rating and old.rating]
    zeros = (fmean(elo for elo, _ in rated), fmean(elo for _, elo in rated)) if rated else (0.0, 0.0)
    rows = "".join(
        f"<tr>{element('th', escape_text(row.name), scope='row')}"
        f"{''.join(element('td', escape_text(text)) for text in _comparison_cells(row, old, zeros))}</tr>"
        for row, old in pairs
    )
    head = _table_head(["player", "games", "before", "score", "before", "change", "Elo", "before", "change", "95 %"])
    return scrollable("Comparison", f"<table data-sortable>{head}<tbody>{rows}</tbody></table>", "plain")


def _comparison_cells(row: StandingsRow, old: StandingsRow, zeros: tuple[float, float]) -> Iterator[str]:
    yield from (str(row.games), str(old.games))
    yield from _change(row.score, old.score, ".3f", "+.3f")
    if not (row.rating and old.rating):
        yield from ("–", "–", "–", "–")
        return
    now, then = row.rating.elo - zeros[0], old.rating.elo - zeros[1]
    yield from _change(now, then, "+z.0f", "+z.0f")
    # the runs are independent: the squares of half the intervals add up
    half = math.hypot(row.rating.high - row.rating.low, old.rating.high - old.rating.low) / 2
    yield f"{now - then - half:+z.0f} to {now - then + half:+z.0f}" if math.isfinite(half) else "–"


def _change(now: float | None, then: float | None, text: str, changed: str) -> Iterator[str]:
    yield "–" if now is None else format(now, text)
    yield "–" if then is None else format(then, text)
    yield "–" if now is None or then is None else format(now - then, changed)


def reasons_table(games: Iterable[GameRow]) -> str:
    """Return how many games ended by each reason; a reason is a button that shows these games only."""
    counts = Counter(row.reason.replace("_", " ") for row in games)
    rows = "".join(
        f"<tr>{element('th', escape_text(reason), scope='row', data_reason=reason)}<td>{count}</td></tr>"
        for reason, count in counts.most_common()
    )
    head = _table_head(["ended by", "games"])
    return scrollable("How games ended", f"<table data-sortable>{head}<tbody>{rows}</tbody></table>", "plain")


def crosstable(standings: Standings) -> str:
    """Return the cross table: wins, draws and losses per pair of players."""
    names = [row.name for row in standings.rows]
    rows = []
    for number, name in enumerate(names, 1):
        met = (standings.head_to_head.get((name, other)) for other in names)
        cells = "".join(f"<td>{f'{m.wins}-{m.draws}-{m.losses}' if m else '–'}</td>" for m in met)
        rows.append(f"<tr><td>{number}</td>{element('th', escape_text(name), scope='row')}{cells}</tr>")
    head = _table_head(["", "player", *(str(number) for number in range(1, len(names) + 1))])
    table = f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
    return scrollable("Crosstable: won, drawn, lost", table)


def games_table(rows: Sequence[GameRow], numbers: dict[str, int]) -> Iterator[str]:
    """Yield a row for each game. numbers: by key, the number of each game that the page can replay."""
    head = _table_head(["game", "players", "won by", "reason", "moves", "seconds"])
    yield '<div class="scroll" role="region" tabindex="0" aria-label="Games">'
    yield f'<table id="games" data-sortable>{head}<tbody>\n'
    for count, row in enumerate(rows, 1):
        winner = "drawn" if row.winner is None else row.names[row.winner - 1]
        number = numbers.get(row.key)
        called = f"{count}" if number is None else element("a", str(count), href=f"#game-{number}")
        names = " – ".join(map(escape_text, row.names))
        yield (
            f"<tr><td>{called}</td>{element('th', names, scope='row')}<td>{escape_text(winner)}</td>"
            f"<td>{escape_text(row.reason.replace('_', ' '))}</td>"
            f"<td>{row.plies}</td><td>{row.duration:.1f}</td></tr>\n"
        )
    yield "</tbody></table></div>\n"
