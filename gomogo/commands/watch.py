"""Watch a tournament: its running games and its table, as they change.

Knows live files and the store; the referee never waits for it.
"""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from gomogo.commands._options import store_option
from gomogo.commands._which_run import run_of, store_of

if TYPE_CHECKING:
    from gomogo_core.records.store import Run, Store

_EVERY = 0.5  # seconds between two looks at the running games
_COUNT_EVERY = 2.0  # seconds between two counts of the table, and ten times what a count takes


@click.command(short_help="Watch a tournament's games and table as they change.")
@click.argument("which", metavar="[NAME|FILE]", required=False)
@click.option("--once", is_flag=True, help="Show how it stands, and leave.")
@click.option("--no-color", is_flag=True, help="Show everything without colour.")
@store_option
def command(which: str | None, once: bool, no_color: bool, store: str | None) -> None:
    """Show the boards of the games that are being played, and the table beneath them, as both change.

    Without a NAME or FILE it is the latest tournament. Ctrl-C leaves; what is watched goes on. Where the output is no
    terminal, it is shown once.
    """
    from gomogo.commands._watch_boards import boards

    with store_of(which, store) as opened:
        run = run_of(opened, which)
        if once or not sys.stdout.isatty():
            colour = sys.stdout.isatty() and not no_color
            size = shutil.get_terminal_size((100, 1000))
            said = boards(opened.folder / "live", run.name, size.columns, size.lines, colour=colour)
            click.echo("\n".join([*said, "", _standing(opened, run, size.columns), _done(opened, run)]).strip("\n"))
            return
        with suppress(KeyboardInterrupt):
            _follow(opened, run, colour=not no_color)


def _follow(store: Store, run: Run, *, colour: bool) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from gomogo.commands._watch_boards import boards

    console, counted, table, done = Console(highlight=False, no_color=not colour), -_COUNT_EVERY, "", ""
    with Live(console=console, auto_refresh=False, screen=True) as live:
        while True:
            began = time.monotonic()
            if began >= counted:
                table, done = _standing(store, store.run(run.name), console.width), _done(store, run)
                counted = time.monotonic() + max(_COUNT_EVERY, 10 * (time.monotonic() - began))
            room = console.height - table.count("\n") - 5
            shown = boards(store.folder / "live", run.name, console.width, room, colour=colour)
            lines = [f"{run.name}: {done}   (Ctrl-C leaves)", "", *shown, "", table]
            live.update(Text.from_ansi("\n".join(lines), no_wrap=True, overflow="crop"), refresh=True)
            time.sleep(_EVERY)


def _standing(store: Store, run: Run, width: int) -> str:
    from gomogo.commands._table import table
    from tournaments.standings import standings

    return table(standings(store, run), width)


def _done(store: Store, run: Run) -> str:
    from gomogo.commands._progress import counted

    done, played = store.count(run), store.is_played(run.name)
    return counted(done, run.planned) + (", being played now" if played and done != run.planned else "")
