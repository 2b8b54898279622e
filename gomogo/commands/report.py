"""Write a report page of a tournament that needs no network: table, charts, games.

Handles stores and files; `gomogo.report` writes the page.
"""

from __future__ import annotations

from pathlib import Path

import click

from gomogo import complete
from gomogo.commands._find_run import run_of, store_of
from gomogo.options import store_option
from gomogo.output_files import write_output
from gomogo_core.errors import UserError


@click.command(short_help="Write a report page of a tournament: table, charts, replays of its games.")
@click.argument("which", metavar="[NAME|FILE]", required=False, shell_complete=complete.runs)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, readable=False),
    default=Path("report.html"),
    show_default=True,
    metavar="FILE",
    help="Output file.",
)
@click.option(
    "--games",
    "most",
    type=click.IntRange(min=0),
    default=5000,
    show_default=True,
    metavar="N",
    help="Number of games, the latest first, included with all moves.",
)
@click.option("--compare", metavar="NAME", shell_complete=complete.runs, help="Compare with another stored run.")
@click.option(
    "--training",
    "folders",
    type=click.Path(file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Add the curves of the training in this folder. May be given again: several are drawn together.",
)
@store_option
def command(
    which: str | None, output: Path, most: int, compare: str | None, folders: tuple[Path, ...], store: str | None
) -> None:
    """Write the report of a tournament or match, given by name or file. Default: the latest.

    The file opens in any browser, also from disk, and loads nothing from the network.
    """
    from gomogo.design.training_curves import MOST, read
    from gomogo.report.inline_figures import can_draw
    from gomogo.report.page import WITHOUT_CHARTS, report_pieces

    if len(folders) > MOST:
        raise UserError(f"The curves of {len(folders)} trainings are too many for one drawing.", f"Choose {MOST}.")
    trainings = {folder.name: read(folder) for folder in folders}
    with store_of(which, store) as opened:
        before = None if compare is None else opened.run(compare)
        write_output(output, report_pieces(opened, run_of(opened, which), most, before, trainings))
    click.echo(f"The report is in {output}.", err=True)
    if not can_draw():
        click.echo("\n".join(WITHOUT_CHARTS), err=True)
