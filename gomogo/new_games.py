"""The board on which a human begins a game, at the terminal and on the page. Agents play on the default of the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gomogo_core import games
from gomogo_core.games.boards.points import PointBoard

USUAL_SIDES = (9, 13, 19)
_MAX_DEFAULT_SIDE = 15  # a game on a larger board is long for a new player
_SIDE_OPTIONS = {"size", "rows", "cols"}


def usual_side(name: str) -> int | None:
    """Return the side of the board on which a human begins; None if the game has no square board of points.

    >>> usual_side("go"), usual_side("gomoku"), usual_side("dots_and_boxes")
    (9, 15, None)
    """
    game = games.load(name)
    if "size" not in game.options or not isinstance(game.board, PointBoard):
        return None
    side = int(game.options["size"])
    return side if side <= _MAX_DEFAULT_SIDE else min(USUAL_SIDES)


def usual_board(name: str, settings: Iterable[str] = ()) -> Mapping[str, int]:
    """Return the options of the board on which a human begins. settings: the user's options, as NAME=VALUE; if they
    set the board, the result is empty.

    >>> usual_board("go"), usual_board("go", ["rows=5"])
    ({'size': 9}, {})
    """
    side = usual_side(name)
    set_names = {setting.partition("=")[0].strip() for setting in settings}
    return {} if side is None or set_names & _SIDE_OPTIONS else {"size": side}
