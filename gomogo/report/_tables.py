"""Tables of the report as HTML: standings, crosstable, games.

Knows standings and rows of games; escapes all their text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gomogo.text.standings_table import all_columns
from gomogo_core.drawing.svg_elements import element, words
from gomogo_core.records.aggregates import GameRow
from tournaments.standings import Standings


def scrolled(called: str, table: str) -> str:
    """Return a table that may be wider than the window, in a region that the keyboard can scroll."""
    return element("div", table, class_="scroll", role="region", tabindex=0, aria_label=called)


def _head(titles: Iterable[str]) -> str:
    return f"<thead><tr>{''.join(element('th', words(title), scope='col') for title in titles)}</tr></thead>"


def standings_table(standings: Standings) -> str:
    """Return a row for each player, the strongest first."""
    columns = all_columns(standings)
    rows = []
    for number, row in enumerate(standings.rows, 1):
        cells = "".join(f"<td>{words(column.cell(row))}</td>" for column in columns)
        rows.append(f"<tr><td>{row.place or number}</td>{element('th', words(row.name), scope='row')}{cells}</tr>")
    head = _head(["place", "player", *(column.title for column in columns)])
    return scrolled("Standings", f"<table>{head}<tbody>{''.join(rows)}</tbody></table>")


def crosstable(standings: Standings) -> str:
    """Return the cross table: wins, draws and losses per pair of players."""
    names = [row.name for row in standings.rows]
    rows = []
    for number, name in enumerate(names, 1):
        met = (standings.cross.get((name, other)) for other in names)
        cells = "".join(f"<td>{f'{m.wins}-{m.draws}-{m.losses}' if m else '–'}</td>" for m in met)
        rows.append(f"<tr><td>{number}</td>{element('th', words(name), scope='row')}{cells}</tr>")
    head = _head(["", "player", *(str(number) for number in range(1, len(names) + 1))])
    table = f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
    return scrolled("Crosstable: won, drawn, lost", table)


def games_table(rows: Sequence[GameRow], numbers: dict[str, int]) -> Iterator[str]:
    """Yield a row for each game. numbers: by key, the number of each game that the page can replay."""
    head = _head(["game", "players", "won by", "reason", "moves", "seconds"])
    yield f'<div class="scroll" role="region" tabindex="0" aria-label="Games"><table id="games">{head}<tbody>\n'
    for count, row in enumerate(rows, 1):
        winner = "drawn" if row.winner is None else row.names[row.winner - 1]
        number = numbers.get(row.key)
        called = f"{count}" if number is None else element("a", str(count), href=f"#game-{number}")
        names = " – ".join(map(words, row.names))
        yield (
            f"<tr><td>{called}</td>{element('th', names, scope='row')}<td>{words(winner)}</td>"
            f"<td>{words(row.reason.replace('_', ' '))}</td><td>{row.plies}</td><td>{row.duration:.1f}</td></tr>\n"
        )
    yield "</tbody></table></div>\n"
