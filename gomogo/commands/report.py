"""Write a tournament as one page that needs no network: table, charts, every game.

Knows stores and files; the page is `gomogo.report`'s.
"""

from __future__ import annotations

from pathlib import Path

import click

from gomogo.commands._files import write_output
from gomogo.commands._options import store_option
from gomogo.commands._which_run import run_of, store_of


@click.command(short_help="Write a tournament as one page: table, charts, every game to step through.")
@click.argument("which", metavar="[NAME|FILE]", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, readable=False),
    default=Path("report.html"),
    show_default=True,
    metavar="FILE",
    help="The file.",
)
@click.option(
    "--games",
    "most",
    type=click.IntRange(min=0),
    default=5000,
    show_default=True,
    metavar="N",
    help="Of how many games, the latest ones, every move is written.",
)
@store_option
def command(which: str | None, output: Path, most: int, store: str | None) -> None:
    """Write the report of a tournament or match, by its name or its file; without one, of the latest.

    The file opens in any browser, from the disk too, and fetches nothing.
    """
    from gomogo.report._inline import can_draw
    from gomogo.report.page import WITHOUT_CHARTS, report

    with store_of(which, store) as opened:
        write_output(output, report(opened, run_of(opened, which), most))
    click.echo(f"The report is in {output}.", err=True)
    if not can_draw():
        click.echo("\n".join(WITHOUT_CHARTS), err=True)
