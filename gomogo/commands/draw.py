"""The command `gomogo draw`: draw a position of a stored game, or a diagram, as a picture.

The module handles options and files; `gomogo_core.drawing` draws the position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gomogo import complete
from gomogo.commands._find_game import check_move_number, find_game
from gomogo.options import game_name_option, load_game, store_option
from gomogo.output_files import write_output
from gomogo_core.drawing.coordinates import COORDINATE_KINDS, Coordinates, coordinates_of
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.regular_files import read_user_file

if TYPE_CHECKING:
    from gomogo_core.records.game_record import PlayedGame

_FORMATS = ("svg", "png", "gif")
_MAX_DIAGRAM_BYTES = 1_000_000


@click.command(short_help="Draw a position of a stored game as SVG or PNG, or the whole game as GIF.")
@click.argument("selector", metavar="[GAME|DIAGRAM.txt]", default="last", shell_complete=complete.stored_games)
@click.option(
    "--move",
    type=click.IntRange(min=0),
    metavar="N",
    help="Draw the position after N moves. Default: the last position.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, readable=False),
    metavar="FILE",
    help="Output file. Its suffix (.svg, .png, .gif) sets the format. Default: print SVG.",
)
@click.option("--numbers", is_flag=True, help="Number the moves.")
@click.option("--heat", is_flag=True, help="Show the value that the player to move reported for each move.")
@click.option("--line", is_flag=True, help="Draw arrows for the moves that the player to move expected.")
@click.option("--territory", is_flag=True, help="Mark the owner of each empty point, in games with captures.")
@click.option(
    "--coordinates",
    type=click.Choice([*COORDINATE_KINDS, "none"]),
    help='Names of points. "ours": columns a to z, row 1 at the top; "book": no column i, row 1 at the bottom; '
    '"none": no names. Default: book in Go, Capture Go and Robogo, else ours.',
)
@click.option("--width", type=click.IntRange(1, 8192), metavar="PIXELS", help="Width of a PNG or GIF, in pixels.")
@click.option(
    "--delay",
    type=click.FloatRange(0.02, 60),
    default=0.8,
    show_default=True,
    metavar="S",
    help="Seconds per move in a GIF.",
)
@game_name_option("Game of a diagram.")
@click.option("--option", "settings", multiple=True, metavar="K=V", help="An option of a diagram's game, e.g. size=19.")
@store_option
def command(
    selector: str,
    move: int | None,
    output: Path | None,
    numbers: bool,
    heat: bool,
    line: bool,
    territory: bool,
    coordinates: str | None,
    width: int | None,
    delay: float,
    game_name: str,
    settings: Sequence[str],
    store: str | None,
) -> None:
    """Draw a position of a stored game.

    Name the GAME by the beginning of its key, by the file of its record (.json, .sgf, .psq), or as `last`.

    A GIF shows the whole game, or its first N moves. Instead of a GAME, you can name a text file (.txt) with a diagram
    of --game, in the form that Gomogo prints.
    """
    file_format = _output_format(output)
    if selector.casefold().endswith(".txt"):
        if move is not None or numbers or heat or line:
            raise UserError(
                "A diagram has no moves and no evaluations.",
                "Leave out --move, --numbers, --heat and --line.",
            )
        pictures = [_draw_diagram(Path(selector), game_name, settings, coordinates, territory)]
    else:
        played_game = find_game(selector, store)
        check_move_number(played_game, move or 0)
        last_move_number = len(played_game.plies) if move is None else move
        if file_format != "gif":
            last_move_number = _last_move_with_analysis(
                played_game, last_move_number, exact=move is not None, heat=heat, line=line
            )
        move_numbers = (
            range(last_move_number + 1) if file_format == "gif" else range(last_move_number, last_move_number + 1)
        )
        pictures = list(_draw_game(played_game, move_numbers, coordinates, numbers, territory, heat, line))
    if output is None:
        click.echo(pictures[-1])
        return
    write_output(output, _encode(file_format, pictures, delay, width))
    click.echo(f"The picture is in {output}.", err=True)


def _last_move_with_analysis(played_game: PlayedGame, last_number: int, *, exact: bool, heat: bool, line: bool) -> int:
    """Return the largest number of moves, up to `last_number`, after which a player reported the requested analysis.

    exact: whether only `last_number` counts. Raises UserError if no player reported the analysis there.
    """
    for is_wanted, analysis_after, option in (
        (heat, played_game.move_values, "--heat"),
        (line, played_game.expected_moves, "--line"),
    ):
        numbers = [number for number in range(len(played_game.plies)) if is_wanted and analysis_after(number)]
        if not is_wanted or last_number in numbers:
            continue
        if not numbers:
            raise UserError(
                "No player of this game reported an analysis.",
                f"Leave out {option}: an agent reports it with clock.tell (docs/reference/agents.md).",
            )
        if exact:
            nearest = min(numbers, key=lambda number: abs(number - last_number))
            raise UserError(f"No player reported an analysis after {last_number} moves.", f"Try --move {nearest}.")
        last_number = max(number for number in numbers if number <= last_number)
    return last_number


def _output_format(output: Path | None) -> str:
    file_format = "svg" if output is None else output.suffix.removeprefix(".").casefold()
    if file_format not in _FORMATS:
        raise UserError(f"{output}: {file_format!r} is not a picture format.", suggest_name(file_format, _FORMATS))
    return file_format


def _encode(file_format: str, pictures: Sequence[str], delay: float, width: int | None) -> bytes:
    from gomogo_core.drawing.raster import render_gif, render_png

    if file_format == "gif":
        return render_gif(pictures, delay, width)
    return render_png(pictures[-1], width) if file_format == "png" else (pictures[-1] + "\n").encode()


def _draw_diagram(path: Path, game_name: str, settings: Sequence[str], coordinates: str | None, territory: bool) -> str:
    from gomogo_core.drawing.svg import svg

    game = load_game(game_name, settings)
    try:
        text = read_user_file(path, _MAX_DIAGRAM_BYTES, "Name the file of a diagram.").decode()
    except UnicodeDecodeError:
        raise UserError(f"{path} is not a text file.", "Name the file of a diagram.") from None
    shown_coordinates = coordinates != "none" and coordinates_of(coordinates, game)
    return svg(game.from_diagram(text), coordinates=shown_coordinates, territory=territory)


def _draw_game(
    played_game: PlayedGame,
    move_numbers: range,
    coordinates: str | None,
    numbers: bool,
    territory: bool,
    heat: bool,
    line: bool,
) -> Iterator[str]:
    """Return a picture of the position after each of these numbers of moves. All pictures have the same width."""
    from gomogo_core.drawing.svg import svg
    from gomogo_core.play.events import last_move

    game, positions = played_game.rules(), played_game.positions()
    shown_coordinates: bool | Coordinates = coordinates != "none" and coordinates_of(coordinates, game)

    def picture(number: int, width: int) -> str:
        plies = played_game.plies[:number]
        last, expected_places = (
            last_move(game, plies),
            played_game.expected_places(positions[number], number) if line else [],
        )
        marked_place = None if last is None else positions[number].place_marked_by(last)
        return svg(
            positions[number],
            played_game.names,
            last,
            heat=played_game.move_values(number) if heat else None,
            arrows=list(pairwise([*([marked_place] if marked_place is not None else []), *expected_places])),
            numbered_places=played_game.marked_places(positions, number) if numbers else (),
            territory=territory,
            coordinates=shown_coordinates,
            title=f"{' against '.join(played_game.names)}, after {number} moves",
            width=width,
        )

    widths = (re.search(r'viewBox="0 0 (\d+)', picture(number, 0)) for number in move_numbers)
    width = max(int(view_box[1]) for view_box in widths if view_box)
    return (picture(number, width) for number in move_numbers)
