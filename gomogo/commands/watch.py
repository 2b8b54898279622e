"""The command `gomogo watch`: show running games and the table of a run as they change.

The module reads live files and the store. The referee never waits for a viewer.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from gomogo import complete
from gomogo.commands._find_run import choose_run_to_watch, find_run, open_store_of_run
from gomogo.options import store_option

if TYPE_CHECKING:
    from gomogo_core.records.store import Run, Store

_REFRESH_INTERVAL_SECONDS = 0.5  # seconds between two updates of the boards
# minimum seconds between two computations of the table; the pause is also at least ten times as long as a computation
_TABLE_INTERVAL_SECONDS = 2.0


@click.command(short_help="Watch a tournament's games and table as they change.")
@click.argument("selector", metavar="[NAME|FILE]", required=False, shell_complete=complete.runs)
@click.option("--once", is_flag=True, help="Print the current state, and exit.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
@store_option
def command(selector: str | None, once: bool, no_color: bool, store: str | None) -> None:
    """Show the boards of running games with the table below them, as they change.

    Without a NAME or FILE, show the tournament or match in progress, then the next one; if none is in progress, the
    latest. Also show single games of gameTest.py and `gomogo play`. Ctrl-C ends the display, not the games. If the
    output is not a terminal, the command prints the current state once.
    """
    from gomogo.commands._watch_boards import draw_boards

    with open_store_of_run(selector, store) as opened_store:
        run = choose_run_to_watch(opened_store, None) if selector is None else find_run(opened_store, selector)
        if once or not sys.stdout.isatty():
            colour = sys.stdout.isatty() and not no_color
            size = shutil.get_terminal_size((100, 1000))
            boards = draw_boards(
                opened_store.folder / "live",
                _displayed_run_names(run, selector),
                size.columns,
                size.lines,
                colour=colour,
            )
            table = ["", _table_text(opened_store, run, size.columns), _progress_text(opened_store, run)] if run else []
            click.echo("\n".join([*boards, *table]).strip("\n"))
            return
        with suppress(KeyboardInterrupt):
            _follow_run(opened_store, run, selector, colour=not no_color)


def _displayed_run_names(run: Run | None, selector: str | None) -> Sequence[str]:
    """Return the names of the runs whose games are shown. The name "" stands for single games."""
    return [*([run.name] if run else []), *([""] if selector is None else [])]


def _follow_run(store: Store, run: Run | None, selector: str | None, *, colour: bool) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from gomogo.commands._watch_boards import draw_boards

    console, next_table, table, progress_text = (
        Console(highlight=False, no_color=not colour),
        -_TABLE_INTERVAL_SECONDS,
        "",
        "",
    )
    with Live(console=console, auto_refresh=False, screen=True) as live:
        while True:
            begin = time.monotonic()
            if selector is None and begin >= next_table:
                run = choose_run_to_watch(store, run)
            if run is not None and begin >= next_table:
                table, progress_text = (
                    _table_text(store, store.run(run.name), console.width),
                    _progress_text(store, run),
                )
                next_table = time.monotonic() + max(_TABLE_INTERVAL_SECONDS, 10 * (time.monotonic() - begin))
            height = console.height - table.count("\n") - 5
            board_lines = draw_boards(
                store.folder / "live", _displayed_run_names(run, selector), console.width, height, colour=colour
            )
            lines = [f"{f'{run.name}: {progress_text}   ' if run else ''}(Ctrl-C quits)", "", *board_lines, "", table]
            live.update(Text.from_ansi("\n".join(lines), no_wrap=True, overflow="crop"), refresh=True)
            time.sleep(_REFRESH_INTERVAL_SECONDS)


def _table_text(store: Store, run: Run, width: int) -> str:
    from gomogo.text.standings_table import standings_text
    from tournaments.standings import compute_standings

    return standings_text(compute_standings(store, run), width)


def _progress_text(store: Store, run: Run) -> str:
    from gomogo.commands._progress import played_games_text

    stored_games, is_in_progress = store.count_games(run), store.is_run_being_played(run.name)
    return played_games_text(stored_games, run.planned_games) + (
        ", in progress" if is_in_progress and stored_games != run.planned_games else ""
    )
