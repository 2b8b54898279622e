"""Finds the stored game that the user of a command names by key, file or `last`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from gomogo.output_files import is_file_name
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.records.game_record import PlayedGame


def find_game(selector: str, store: str | None) -> PlayedGame:
    """Return the game that `selector` names by the beginning of its key, by the file of its record, or as `last`.

    Raises UserError if there is no such game. The game is in the store, or among the single games that gameTest.py and
    referee.py have kept. If the command line names a store, `last` ignores the single games. If the rules of a file
    count territory, a note on standard error says so.
    """
    from gomogo_core.records.formats import FORMATS, read_game_file
    from gomogo_core.records.paths import find_record_files
    from gomogo_core.records.sgf import scoring_note
    from gomogo_core.records.store import Store

    if is_file_name(selector, tuple(FORMATS)):
        played_game = read_game_file(Path(selector))
        if selector.casefold().endswith(".sgf") and (note := scoring_note(Path(selector).read_bytes())):
            click.echo(note, err=True)
        return played_game
    single_game = _find_single_game(selector)
    try:
        opened_store = Store.open(store, create=False)
    except UserError:
        if single_game is None and store is None and find_record_files():
            raise UserError(
                f"No game has a key that begins with {selector!r}.",
                "Use `last` for the last game played.",
            ) from None
        if single_game is None:
            raise
        return single_game
    with opened_store:
        try:
            stored_game = opened_store.game(selector)
        except UserError:
            if single_game is None:
                raise
            return single_game
    return (
        single_game
        if single_game is not None and selector == "last" and single_game.started > stored_game.started
        else stored_game
    )


def _find_single_game(selector: str) -> PlayedGame | None:
    """Return the single game whose key begins with `selector`, or the last one; None if there is no such game."""
    from gomogo_core.records.formats import read_game_file
    from gomogo_core.records.paths import find_record_files

    if selector == "last":
        is_store_named = click.get_current_context().get_parameter_source("store") is ParameterSource.COMMANDLINE
        return next(map(read_game_file, [] if is_store_named else find_record_files()), None)
    paths = find_record_files(selector)
    if len(paths) > 1:
        raise UserError(f"Several games have keys that begin with {selector!r}.", "Write more characters of the key.")
    return read_game_file(paths[0]) if paths else None


def check_move_number(played_game: PlayedGame, move_number: int) -> None:
    """Raise UserError if the game has fewer than `move_number` moves."""
    if move_number > len(played_game.plies):
        raise UserError(
            f"The game has {len(played_game.plies)} moves.", f"Choose a --move from 0 to {len(played_game.plies)}."
        )
