"""The command `gomogo watch`: show running games and the table of a run as they change.

Reads live files and the store; the referee never waits for a viewer.
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

_REFRESH_SECONDS = 0.5  # between two updates of the boards
_TABLE_SECONDS = 2.0  # between two computations of the table; at least ten times the duration of one


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

    with open_store_of_run(selector, store) as opened:
        run = choose_run_to_watch(opened, None) if selector is None else find_run(opened, selector)
        if once or not sys.stdout.isatty():
            colour = sys.stdout.isatty() and not no_color
            size = shutil.get_terminal_size((100, 1000))
            boards = draw_boards(
                opened.folder / "live", _shown_runs(run, selector), size.columns, size.lines, colour=colour
            )
            table = ["", _table_lines(opened, run, size.columns), _progress_words(opened, run)] if run else []
            click.echo("\n".join([*boards, *table]).strip("\n"))
            return
        with suppress(KeyboardInterrupt):
            _follow_run(opened, run, selector, colour=not no_color)


def _shown_runs(run: Run | None, selector: str | None) -> Sequence[str]:
    """Return the names of the runs whose games are shown. The name "" means single games."""
    return [*([run.name] if run else []), *([""] if selector is None else [])]


def _follow_run(store: Store, run: Run | None, selector: str | None, *, colour: bool) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from gomogo.commands._watch_boards import draw_boards

    console, next_table, table, done = Console(highlight=False, no_color=not colour), -_TABLE_SECONDS, "", ""
    with Live(console=console, auto_refresh=False, screen=True) as live:
        while True:
            began = time.monotonic()
            if selector is None and began >= next_table:
                run = choose_run_to_watch(store, run)
            if run is not None and began >= next_table:
                table, done = _table_lines(store, store.run(run.name), console.width), _progress_words(store, run)
                next_table = time.monotonic() + max(_TABLE_SECONDS, 10 * (time.monotonic() - began))
            height = console.height - table.count("\n") - 5
            shown = draw_boards(store.folder / "live", _shown_runs(run, selector), console.width, height, colour=colour)
            lines = [f"{f'{run.name}: {done}   ' if run else ''}(Ctrl-C quits)", "", *shown, "", table]
            live.update(Text.from_ansi("\n".join(lines), no_wrap=True, overflow="crop"), refresh=True)
            time.sleep(_REFRESH_SECONDS)


def _table_lines(store: Store, run: Run, width: int) -> str:
    from gomogo.text.standings_table import standings_text
    from tournaments.standings import standings

    return standings_text(standings(store, run), width)


def _progress_words(store: Store, run: Run) -> str:
    from gomogo.commands._progress import progress_count

    done, played = store.count_games(run), store.is_run_being_played(run.name)
    return progress_count(done, run.planned_games) + (", in progress" if played and done != run.planned_games else "")
