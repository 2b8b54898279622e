"""The one stored game that a command is asked about, however it is named.

Knows the store and files of records; nothing of what is done with a game.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gomogo.commands._files import names_file
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.records.played import PlayedGame


def found_game(what: str, store: str | None) -> PlayedGame:
    """The game `what` names: the beginning of its key, the file of a record, or `last`. Raises UserError."""
    from gomogo_core.records.formats import FORMATS, read_file
    from gomogo_core.records.store import Store

    if names_file(what, tuple(FORMATS)):
        return read_file(Path(what))
    with Store.open(store, create=False) as opened:
        return opened.game(what)


def check_move(played: PlayedGame, move: int) -> None:
    """Raise UserError where the game has fewer moves."""
    if move > len(played.plies):
        raise UserError(f"The game has {len(played.plies)} moves.", f"Give --move 0 to {len(played.plies)}.")
