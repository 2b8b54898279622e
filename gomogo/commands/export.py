"""Write stored games as SGF, PSQ or JSON.

Knows where files go; the formats are the records' affair.
"""

from __future__ import annotations

from pathlib import Path

import click

from gomogo.commands._files import names_file, write_whole
from gomogo.commands._options import store_option
from gomogo_core.errors import UserError


@click.command(short_help="Write stored games as SGF, PSQ or JSON.")
@click.argument("what", metavar="[GAME|TOURNAMENT]", default="last")
@click.option(
    "--format",
    "form",
    type=click.Choice(["sgf", "psq", "json"]),
    default="sgf",
    show_default=True,
    help="In what form.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE|FOLDER",
    help="Where it is written.",
)
@store_option
def command(what: str, form: str, output: Path | None, store: str | None) -> None:
    """Write a game (the beginning of its key, the file of a record, or `last`), or all games of a tournament.

    A game is printed unless -o names a file or a folder; the games of a tournament go into a folder, a file each.
    """
    from gomogo_core.records.formats import FORMATS, file_name, read_file
    from gomogo_core.records.store import Store

    if names_file(what, tuple(FORMATS)):
        played = read_file(Path(what))
    else:
        with Store.open(store, create=False) as opened:
            run = next((run for run in opened.runs() if run.name == what), None)
            if run is not None:
                folder = output or Path(run.name)
                count = 0
                for count, game in enumerate(opened.games_of(run), 1):
                    _write(folder / f"{count:05}-{file_name(game, form)}", FORMATS[form].write(game))
                click.echo(f"{count} games are in {folder}.", err=True)
                return
            played = opened.game(what)
    content = FORMATS[form].write(played)
    if output is None:
        click.echo(content, nl=False)
        return
    path = output / file_name(played, form) if output.is_dir() else output
    _write(path, content)
    click.echo(f"The game is in {path}.", err=True)


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as fault:
        raise UserError(f"{path} cannot be written: {fault.strerror}.", "Name another place by -o.") from None
