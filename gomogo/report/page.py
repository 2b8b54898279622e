"""Creates the report on a tournament: one HTML page that loads no other file.

Its content security policy allows only its own script, which it names by a hash, and forbids the page to load files.
The module uses the store, standings and charts. It does not write the file.
"""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gomogo.design import GRADIENTS, design_style
from gomogo.design.training_curves import CAPTION, TrainingRow, training_charts
from gomogo.report import _charts
from gomogo.report._embedded import BoardIndex, embedded_game, read_part, security_policy, viewer_elements
from gomogo.report._tables import (
    ComparedRun,
    comparison_table,
    crosstable,
    games_table,
    reasons_table,
    scroll_region,
    standings_table,
)
from gomogo.report.inline_figures import LINE_COLOURS, has_matplotlib
from gomogo.text.rounds import has_bracket, rounds_text
from gomogo.text.run_csv import games_csv, players_csv
from gomogo.text.standings_table import ELO_CONDITION, elo_texts, reliable_bound, reliable_rating, standings_notes
from gomogo_core import __version__
from gomogo_core.drawing.svg_elements import element, escape_text
from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Reason, Seat
from gomogo_core.play.clock import Clock
from gomogo_core.records.aggregates import GameRow, game_rows, ranked_games
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Run, Store
from tournaments.standings import Standings, compute_ratings_among, compute_standings

NO_CHARTS_NOTICE = (
    "The report has no charts: matplotlib is not installed.",
    "Install it with `pip install 'gomogo[report]'` (in a clone: pip install -e '.[report]'), then run it again.",
)
COMPARISON_NOTE = (
    "The games and the score count only opponents that the player met in both runs, and Elo only games between players "
    "that are in both runs, so they differ from those in the standings."
)
_LATE_MOVES_NOTE = "The mean time per move leaves out moves that were too late."
_FIRST_LINE = "<!doctype html>"
_STYLE_BYTES = 100_000  # at the beginning of a report, which contain its style


def is_report(path: Path) -> bool:
    """Return whether this file is a report: an HTML page with the style of the boards near its beginning."""
    try:
        with path.open("rb") as file:
            start = file.read(_STYLE_BYTES)
    except OSError:
        return False
    return start.startswith(_FIRST_LINE.encode()) and b".gomogo-board" in start


def render_report(
    store: Store,
    run: Run,
    max_games: int,
    earlier_run: Run | None = None,
    trainings: Mapping[str, Sequence[TrainingRow]] | None = None,
) -> Iterator[bytes]:
    """Yield the page about a run in parts.

    max_games: the number of games that are included with all moves; the latest games are chosen. earlier_run: a run to
    compare it with, or None. trainings: the rows of the trainings whose curves are drawn, by name.
    """
    table, rows = compute_standings(store, run), game_rows(store, run)
    kept_numbers = {row.key: number for number, row in enumerate(rows[-max_games:] if max_games else [])}
    boards, lines, times = BoardIndex(), dict[int, str](), {row.name: list[float]() for row in table.rows}
    by_spec = {player["player"]: player["name"] for player in run.settings["players"]}
    indexes, players_by_key = {row.name: index for index, row in enumerate(table.rows)}, dict[str, list[int]]()
    for played_game in store.games_of(run):
        if played_game.key in kept_numbers:
            lines[kept_numbers[played_game.key]] = embedded_game(played_game, boards)
        names = [by_spec.get(spec, name) for spec, name in zip(played_game.specs, played_game.names, strict=True)]
        players_by_key[played_game.key] = [indexes[name] for name in names if name in indexes]
        for ply, seconds in zip(played_game.plies[played_game.opening_length :], played_game.seconds, strict=True):
            if (name := names[ply.seat - 1]) in times:
                times[name].append(seconds)
        for seat, limit in _limits_of_late_moves(played_game):
            if (name := names[seat - 1]) in times:
                times[name].append(_charts.LateMove(limit))
    sections = {} if earlier_run is None else {"Comparison": _comparison(store, run, table, earlier_run)}
    if trainings:
        charts_html = (
            f'<p class="hint">{escape_text(CAPTION)}</p><div class="charts">{training_charts(trainings)}</div>'
        )
        sections["Training"] = f"<section><h2>Training</h2>{charts_html}</section>"
    games = [lines[number] for number in sorted(lines)]
    for piece in _page_parts(store, run, table, sections, rows, kept_numbers, players_by_key, boards, games, times):
        yield f"{piece}\n".encode("utf-8", "backslashreplace")


def _limits_of_late_moves(played_game: PlayedGame) -> Iterator[tuple[Seat, float]]:
    """Yield each seat that lost on time, and the seconds that its last move could take. The record has no such move."""
    for seat, reason in played_game.forfeits.items():
        if reason is Reason.OUT_OF_TIME:
            own_clocks = [
                clock
                for ply, clock in zip(played_game.plies[played_game.opening_length :], played_game.clocks, strict=True)
                if ply.seat == seat and ply.move != RESIGN
            ]
            clock = Clock(played_game.controls[seat - 1], own_clocks[-1] if own_clocks else None)
            if math.isfinite(clock.allowed_seconds):
                yield seat, clock.allowed_seconds


def _page_parts(
    store: Store,
    run: Run,
    table: Standings,
    sections: Mapping[str, str],
    rows: Sequence[GameRow],
    kept_numbers: Mapping[str, int],
    players_by_key: Mapping[str, Sequence[int]],
    boards: BoardIndex,
    lines: Sequence[str],
    times: dict[str, list[float]],
) -> Iterator[str]:
    script = read_part("viewer.js") + read_part("report.js")
    yield _FIRST_LINE
    yield '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    yield security_policy(script)
    yield element("title", f"{escape_text(run.name)}: {escape_text(run.settings['game'])}")
    yield f"<style>{design_style()}{read_part('report.css')}{read_part('viewer.css')}</style></head><body>{GRADIENTS}"
    yield element("header", f"<h1>{escape_text(run.name)}</h1>\n{element('p', escape_text(_summary_line(run, table)))}")
    contents = [
        ("standings", "Standings"),
        *((title.lower(), title) for title in sections),
        ("cross", "Crosstable"),
        ("ends", "How games ended"),
        *([("rounds", "Rounds")] if table.rounds else []),
        *([("charts", "Charts")] if has_matplotlib() else []),
        ("all", "Games"),
    ]
    links = " ".join(element("a", title, href=f"#{name}") for name, title in contents)
    yield f'<nav aria-label="Contents">{links}</nav><main>'
    yield f'<section><h2 id="standings">Standings</h2>{standings_table(table)}'
    late_notes = (
        [_LATE_MOVES_NOTE] if any(Reason.OUT_OF_TIME.value in row.forfeits_by_reason for row in table.rows) else []
    )
    yield "".join(element("p", escape_text(note)) for note in [*standings_notes(table), *late_notes] if note)
    yield element(
        "p", f"Save as CSV: {_csv_link('players', players_csv(table))}, {_csv_link('games', games_csv(rows))}."
    )
    yield "</section>"
    for title, section in sections.items():
        yield element("div", section, id=title.lower())
    yield '<div class="beside">'
    yield f'<section><h2 id="cross">Crosstable</h2><p>Won, drawn and lost.</p>{crosstable(table)}</section>'
    yield f'<section><h2 id="ends">How games ended</h2>{reasons_table(rows)}</section></div>'
    if table.rounds:
        yield f'<section><h2 id="rounds">Rounds</h2>{_rounds(table)}</section>'
    if has_matplotlib():
        yield f'<section class="charts" id="charts">{"".join(_chart_sections(store, run, table, times))}</section>'
    else:
        yield element("p", escape_text(f"{NO_CHARTS_NOTICE[0]} {NO_CHARTS_NOTICE[1]}"), class_="hint")
    yield read_part("viewer.html")
    yield '<section><h2 id="all">Games</h2>'
    if len(kept_numbers) < len(rows):
        yield f"<p>This file contains the moves of the latest {len(kept_numbers)} of {len(rows)} games.</p>"
    # in one piece, because a line break before the full stop would be a blank
    yield '<p class="hint">Choose the number of a game to open it<noscript>, which needs scripts</noscript>.</p>'
    yield '<p id="filter" hidden><label for="wanted">Only games with</label> <input id="wanted" type="search" '
    yield 'placeholder="players or a reason"> <span id="found" role="status"></span></p>'
    yield from games_table(rows, kept_numbers, players_by_key)
    yield "</section></main>"
    yield element("footer", element("p", f"Gomogo {escape_text(__version__)}, {time.strftime('%Y-%m-%d %H:%M')}"))
    yield from viewer_elements(boards, lines, script)
    yield "</body></html>"


def _csv_link(name: str, table: str) -> str:
    """Return a link that saves a table as a file. The file begins with a byte order mark, for spreadsheets."""
    content = base64.b64encode(f"\ufeff{table}".encode("utf-8", "backslashreplace")).decode()
    return element("a", name, download=f"{name}.csv", href=f"data:text/csv;charset=utf-8;base64,{content}")


def _rounds(table: Standings) -> str:
    text = rounds_text(table)
    if has_bracket(table):
        return scroll_region("Rounds", element("pre", escape_lines(text)))
    return "".join(element("p", escape_text(line)) for line in text.split("\n"))


def _comparison(store: Store, run: Run, table: Standings, earlier_run: Run) -> str:
    earlier_standings = compute_standings(store, earlier_run)
    common = {row.name for row in table.rows} & {row.name for row in earlier_standings.rows}
    compared = comparison_table(
        ComparedRun(table, compute_ratings_among(store, run, common)),
        ComparedRun(earlier_standings, compute_ratings_among(store, earlier_run, common)),
    )
    name = escape_text(earlier_run.name)
    has_other_games = table.head_to_head.keys() != earlier_standings.head_to_head.keys()
    note = f"“Before” is {name}.{f' {COMPARISON_NOTE}' if has_other_games else ''} {ELO_CONDITION}"
    note = note if compared else "The two runs share no player."
    return f"<section><h2>Compared with {name}</h2>{compared}{element('p', note)}</section>"


def escape_lines(text: str) -> str:
    """Return several lines of text as HTML, with their special characters escaped."""
    return "\n".join(map(escape_text, text.split("\n")))


def _summary_line(run: Run, table: Standings) -> str:
    settings = run.settings
    game = load(settings["game"], **settings["options"])
    options = "".join(f", {name} {str(value).lower()}" for name, value in game.non_default_options.items())
    planned = "" if table.planned_games in (None, table.finished_games) else f" of {table.planned_games}"
    games = f"{table.finished_games}{planned} game{'s' * ((table.planned_games or table.finished_games) != 1)}"
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started))
    return f"{game.name.replace('_', ' ').capitalize()}{options}; {games}, started {started}"


def _chart_sections(store: Store, run: Run, table: Standings, times: dict[str, list[float]]) -> Iterable[str]:
    lead = table.lead
    rated = [
        (row.name if lead is None else f"{lead.higher} over {lead.lower}", rating)
        for row in (table.rows if lead is None else table.rows[:1])
        if (rating := reliable_rating(table, row) or reliable_bound(table, row)) is not None
    ]
    title = "Ratings" if lead is None else "Lead"
    unknown = [row.name for row in table.rows if elo_texts(table, row)[0] == "–"]
    if rated:
        about = "Elo with its 95 % interval. For a player who won or lost every game, an arrow starts at the bound."
        about += f" Not known well enough: {', '.join(unknown)}." if unknown else ""
        yield _figure(title, about, _charts.draw_ratings(rated, title))
    scored: dict[str, list[tuple[int, float]]] = {row.name: [] for row in table.rows}
    games = 0
    for games, game in enumerate(ranked_games(store, run), 1):
        for player, rank in zip(game.players, game.ranks, strict=True):
            beaten = sum((other_rank > rank) + (other_rank == rank) / 2 for other_rank in game.ranks) - 0.5
            name = table.names.get(player)
            if name in scored:
                scored[name].append((games, beaten / (len(game.ranks) - 1)))
    if not games:  # a section without content is left out
        return
    hidden = list(scored)[len(LINE_COLOURS) :]
    about = "Points above half of the maximum." + (f" Without a line: {', '.join(hidden)}." if hidden else "")
    yield _figure("Results over time", about, _charts.draw_score_curves(scored, games))
    yield _figure(
        "Time per move",
        "The median, the 95th percentile (broad line) and the longest move (ring), on a logarithmic scale. A move that "
        "was too late counts as its time limit, since its whole time is unknown.",
        _charts.draw_move_times(times),
    )
    faults = [
        (row.name, why.replace("_", " "), count) for row in table.rows for why, count in row.forfeits_by_reason.items()
    ]
    if faults:
        yield _figure("Lost by a fault", "Games lost by a fault of the player.", _charts.draw_forfeits(faults))
    else:
        yield "<div><h2>Lost by a fault</h2><p>No player lost by a fault.</p></div>"


def _figure(title: str, description: str, chart: str) -> str:
    return f"<figure><h2>{escape_text(title)}</h2><figcaption>{escape_text(description)}</figcaption>{chart}</figure>"
