"""The command `gomogo export`: write stored games as SGF, PSQ or JSON, or their positions as training data.

The module chooses the games and files; `gomogo_core.records` writes the formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from gomogo import complete
from gomogo.commands._find_game import find_game
from gomogo.options import store_option
from gomogo.output_files import is_file_name, write_output
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.records.game_record import PlayedGame
    from gomogo_core.records.store import Store

_ALL_GAMES = "all"
_GAME_FORMATS = ("sgf", "psq", "json")
_POSITION_FORMATS = {"positions-csv": "csv", "positions-jsonl": "jsonl"}  # the suffix of the files in each format


@click.command(short_help="Write stored games as SGF, PSQ or JSON, or their positions.")
@click.argument("selector", metavar="[GAME|TOURNAMENT|all]", default="last", shell_complete=complete.exportable_games)
@click.option(
    "--format",
    "file_format",
    type=click.Choice([*_GAME_FORMATS, *_POSITION_FORMATS]),
    default="sgf",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--game",
    metavar="G",
    help="With a tournament or all games: export only the games with these rules.",
    shell_complete=complete.games,
)
@click.option(
    "--player",
    metavar="NAME",
    help="With a tournament or all games: export only the games of the player with this name or spec.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE|FOLDER",
    help="Output file or folder.",
)
@store_option
def command(
    selector: str, file_format: str, game: str | None, player: str | None, output: Path | None, store: str | None
) -> None:
    """Write one game, all games of a tournament, or all games of the store.

    Name the GAME by the beginning of its key, by the file of its record, or as `last`. One game is printed, unless -o
    names a file or folder. Several games are written into a folder, each into its own file. The positions formats have
    a row for each move, with the board, the move and the result; they are printed, or written into one file.
    """
    from gomogo_core.records.formats import FORMATS

    with find_games(selector, tuple(FORMATS), game, player, store) as (single_game, games, noun):
        if file_format in _POSITION_FORMATS:
            _export_positions(games if single_game is None else [single_game], file_format, output, noun)
        elif single_game is None:
            _export_games(games, file_format, output or Path(noun))
        else:
            _export_game(single_game, file_format, output)


class SelectedGames(NamedTuple):
    """The games that a selector names. single_game: the game if the selector names a single game, else None.

    games: the games if the selector names a run or all games, else nothing. file_name_stem: "game", "all" or the name
    of the run, for file names.
    """

    single_game: PlayedGame | None
    games: Iterator[PlayedGame]
    file_name_stem: str


@contextmanager
def find_games(
    selector: str, record_suffixes: tuple[str, ...], game: str | None, player: str | None, store: str | None
) -> Iterator[SelectedGames]:
    """Yield the games that `selector` names, while the store is open."""
    if selector != _ALL_GAMES and not _is_run_name(selector, record_suffixes, store):
        _check_no_filters(selector, game, player)
        yield SelectedGames(find_game(selector, store), iter(()), "game")
        return
    from gomogo_core.records.store import Store

    with Store.open(store, create=False) as opened_store:
        run = next((run for run in opened_store.runs() if run.name == selector), None)
        _check_filters(opened_store, game, player)
        yield SelectedGames(
            None, opened_store.games_of(run, game=game, player=player), _ALL_GAMES if run is None else run.name
        )


def _is_run_name(selector: str, record_suffixes: tuple[str, ...], store: str | None) -> bool:
    """Return whether `selector` is the name of a run in the store, and not the file of a record."""
    from gomogo_core.records.store import Store

    if is_file_name(selector, record_suffixes):
        return False
    try:
        with Store.open(store, create=False) as opened:
            return any(run.name == selector for run in opened.runs())
    except UserError:  # without a store, there may still be records of single games
        return False


def _check_no_filters(selector: str, game: str | None, player: str | None) -> None:
    if game is not None or player is not None:
        raise UserError(
            f"--game and --player select among several games, but {selector} is a single game.",
            "Name a tournament, or `all`.",
        )


def _check_filters(store: Store, game: str | None, player: str | None) -> None:
    from gomogo_core import games
    from gomogo_core.errors import suggest_name
    from gomogo_core.records.aggregates import player_names

    if game is not None:
        games.rules(game)
    if player is not None and next(store.games_of(player=player), None) is None:
        raise UserError(
            f"The store {store.address} has no player {player!r}.", suggest_name(player, player_names(store))
        )


def _export_positions(games: Iterable[PlayedGame], file_format: str, output: Path | None, noun: str) -> None:
    from gomogo_core.records.positions import POSITION_FORMATS

    lines = POSITION_FORMATS[file_format](games)
    if output is None:
        for line in lines:
            click.echo(line, nl=False)
        return
    path = output / f"{noun}-positions.{_POSITION_FORMATS[file_format]}" if output.is_dir() else output
    write_output(path, lines)
    click.echo(f"The positions are in {path}.", err=True)


def _export_games(games: Iterable[PlayedGame], file_format: str, folder: Path) -> None:
    from gomogo_core.records.formats import FORMATS, game_file_name

    count = 0
    for count, game in enumerate(games, 1):
        write_output(folder / f"{count:05}-{game_file_name(game, file_format)}", FORMATS[file_format].write(game))
    click.echo(f"{count} game{' is' if count == 1 else 's are'} in {folder}.", err=True)


def _export_game(played_game: PlayedGame, file_format: str, output: Path | None) -> None:
    from gomogo_core.records.formats import FORMATS, game_file_name

    content = FORMATS[file_format].write(played_game)
    if output is None:
        click.echo(content, nl=False)
        return
    path = output / game_file_name(played_game, file_format) if output.is_dir() else output
    write_output(path, content)
    click.echo(f"The game is in {path}.", err=True)
