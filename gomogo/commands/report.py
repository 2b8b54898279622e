"""The command `gomogo report`: write an HTML page about a tournament, with table, charts and games.

The module handles options; `gomogo.report` writes the page.
"""

from __future__ import annotations

from pathlib import Path

import click

from gomogo import complete
from gomogo.commands._find_run import find_run, open_store_of_run
from gomogo.options import FOLDER_PATH, store_option
from gomogo.output_files import write_output
from gomogo_core.errors import UserError


@click.command(short_help="Write a report page of a tournament: table, charts, replays of its games.")
@click.argument("selector", metavar="[NAME|FILE]", required=False, shell_complete=complete.runs)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, readable=False),
    show_default="report-NAME.html, with the name of the tournament or match",
    metavar="FILE",
    help="Output file.",
)
@click.option(
    "--games",
    "max_games",
    type=click.IntRange(min=0),
    default=5000,
    show_default=True,
    metavar="N",
    help="Number of games that are included with all moves, the latest first.",
)
@click.option(
    "--compare", metavar="NAME|FILE", shell_complete=complete.runs, help="Compare with another run in the same store."
)
@click.option(
    "--training",
    "folders",
    type=FOLDER_PATH,
    multiple=True,
    metavar="DIR",
    help="Add the curves of the training in this folder. May be repeated to draw several together.",
)
@store_option
def command(
    selector: str | None,
    output: Path | None,
    max_games: int,
    compare: str | None,
    folders: tuple[Path, ...],
    store: str | None,
) -> None:
    """Write a report on the tournament or match with this name or file. Default: the latest.

    The report is one HTML file. It opens in any browser, and loads nothing from the network. Its default name has the
    name of the tournament or match. It replaces an earlier report, but no other file.
    """
    from gomogo.design.training_curves import MAX_TRAININGS, read_statistics
    from gomogo.report.inline_figures import has_matplotlib
    from gomogo.report.page import NO_CHARTS_NOTICE, is_report, render_report

    if len(folders) > MAX_TRAININGS:
        raise UserError(f"{len(folders)} trainings are too many for one chart.", f"Choose {MAX_TRAININGS} at most.")
    trainings = {folder.name: read_statistics(folder) for folder in folders}
    with open_store_of_run(selector, store) as opened_store:
        run = find_run(opened_store, selector)
        output = output or Path(f"report-{run.name}.html")
        is_replaced = output.is_file() and output.stat().st_size > 0
        if is_replaced and not is_report(output):
            raise UserError(
                f"{output} already exists and is not a report, so it was not overwritten.",
                "Choose another path with -o.",
            )
        compared_run = None if compare is None else find_run(opened_store, compare)
        write_output(output, render_report(opened_store, run, max_games, compared_run, trainings))
    click.echo(f"The report is in {output}{', in place of an earlier one' * is_replaced}.", err=True)
    if not has_matplotlib():
        click.echo("\n".join(NO_CHARTS_NOTICE), err=True)
