"""Draw a position of a stored game, or of a diagram, as a picture.

Knows files and their endings; how a position looks is the drawing's affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gomogo.commands._files import write_output
from gomogo.commands._options import game_of, store_option
from gomogo.commands._stored import check_move, found_game
from gomogo_core.drawing.coordinates import KINDS, Coordinates, coordinates_of
from gomogo_core.errors import UserError, nearest

if TYPE_CHECKING:
    from gomogo_core.records.played import PlayedGame

_FORMS = ("svg", "png", "gif")
_MOST_CHARACTERS = 1 << 20  # of a diagram


@click.command(short_help="Draw a position of a stored game as SVG or PNG, or the whole game as GIF.")
@click.argument("what", metavar="[GAME|DIAGRAM.txt]", default="last")
@click.option("--move", type=click.IntRange(min=0), metavar="N", help="The position after N moves; else the last.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, readable=False),
    metavar="FILE",
    help="The file, whose ending (.svg, .png, .gif) says in what form; without one, SVG is printed.",
)
@click.option("--numbers", is_flag=True, help="Number the moves.")
@click.option("--territory", is_flag=True, help="Mark whose the empty points are, in games with captures.")
@click.option(
    "--coordinates",
    type=click.Choice([*KINDS, "none"]),
    default=KINDS[0],
    show_default=True,
    help="How points are called.",
)
@click.option("--width", type=click.IntRange(1, 8192), metavar="PIXELS", help="How wide a PNG or GIF is.")
@click.option(
    "--delay",
    type=click.FloatRange(0.02, 60),
    default=0.8,
    show_default=True,
    metavar="S",
    help="Seconds a move, in a GIF.",
)
@click.option("--game", "game_name", default="gomoku", show_default=True, metavar="G", help="What a diagram is of.")
@click.option("--option", "settings", multiple=True, metavar="K=V", help="An option of a diagram's game, e.g. size=19.")
@store_option
def command(
    what: str,
    move: int | None,
    output: Path | None,
    numbers: bool,
    territory: bool,
    coordinates: str,
    width: int | None,
    delay: float,
    game_name: str,
    settings: Sequence[str],
    store: str | None,
) -> None:
    """Draw GAME: the beginning of its key, the file of a record (.json, .sgf, .psq), or `last`.

    A GIF shows the whole game, or its first N moves. A text file (.txt) is read as a diagram of --game, as Gomogo
    prints it.
    """
    form = _form(output)
    if what.casefold().endswith(".txt"):
        if move is not None or numbers:
            raise UserError("A diagram has no moves to go through or to number.", "Leave out --move and --numbers.")
        pictures = [_of_diagram(Path(what), game_name, settings, coordinates, territory)]
    else:
        played = found_game(what, store)
        check_move(played, move or 0)
        last = len(played.plies) if move is None else move
        wanted = range(last + 1) if form == "gif" else range(last, last + 1)
        pictures = list(_of_game(played, wanted, coordinates, numbers, territory))
    if output is None:
        click.echo(pictures[-1])
        return
    write_output(output, _content(form, pictures, delay, width))
    click.echo(f"The picture is in {output}.", err=True)


def _form(output: Path | None) -> str:
    form = "svg" if output is None else output.suffix.removeprefix(".").casefold()
    if form not in _FORMS:
        raise UserError(f"{output}: a picture does not end in {form!r}.", nearest(form, _FORMS))
    return form


def _content(form: str, pictures: Sequence[str], delay: float, width: int | None) -> bytes:
    from gomogo_core.drawing.raster import gif, png

    if form == "gif":
        return gif(pictures, delay, width)
    return png(pictures[-1], width) if form == "png" else (pictures[-1] + "\n").encode()


def _of_diagram(path: Path, game_name: str, settings: Sequence[str], coordinates: str, territory: bool) -> str:
    from gomogo_core.drawing.svg import svg

    game = game_of(game_name, settings)
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_MOST_CHARACTERS)
    except OSError as fault:
        raise UserError(f"{path} cannot be read: {fault.strerror}.", "Name the file of a diagram.") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is no text.", "Name the file of a diagram.") from None
    shown = coordinates != "none" and coordinates_of(coordinates, game)
    return svg(game.from_diagram(text), coordinates=shown, territory=territory)


def _of_game(played: PlayedGame, wanted: range, coordinates: str, numbers: bool, territory: bool) -> Iterator[str]:
    """A picture after each of these numbers of moves, all equally wide."""
    from gomogo_core.drawing.svg import svg
    from gomogo_core.games.base import RESIGN
    from gomogo_core.play.events import last_move

    game, positions = played.rules(), played.positions()
    shown: bool | Coordinates = coordinates != "none" and coordinates_of(coordinates, game)

    def picture(number: int, width: int) -> str:
        plies = played.plies[:number]
        return svg(
            positions[number],
            played.names,
            last_move(game, plies),
            numbers=[game.parse(ply.move) for ply in plies if ply.move != RESIGN] if numbers else (),
            territory=territory,
            coordinates=shown,
            title=f"{' against '.join(played.names)}, after {number} moves",
            width=width,
        )

    widths = (re.search(r'viewBox="0 0 (\d+)', picture(number, 0)) for number in wanted)
    width = max(int(found[1]) for found in widths if found)
    return (picture(number, width) for number in wanted)
