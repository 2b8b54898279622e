"""The board and the komi with which a human begins a game, at the terminal and on the page.

Agents play with the defaults of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gomogo_core import games
from gomogo_core.games.boards.points import PointBoard

USUAL_BOARD_SIDES = (9, 13, 19)
_MAX_DEFAULT_SIDE = 15  # a game on a larger board would be too long for a new player
BOARD_SIZE_OPTIONS = ("size", "rows", "cols")
GO = "go"
# the usual komi for each kind of scoring, on boards of the usual sizes
KOMI_BY_SCORING = {"area": 7.5, "territory": 6.5, "stone": 7.5}
_MIN_SIDE_WITH_KOMI = 9  # on smaller boards, the usual komi would decide the game
_HANDICAP_KOMI = 0.5  # half a point, which prevents draws


def usual_board_side(name: str) -> int | None:
    """Return the side of the board on which a human begins; None if the game has no square board of points.

    >>> usual_board_side("go"), usual_board_side("gomoku"), usual_board_side("dots_and_boxes")
    (9, 15, None)
    """
    game = games.load(name)
    if "size" not in game.options or not isinstance(game.board, PointBoard):
        return None
    side = int(game.options["size"])
    return side if side <= _MAX_DEFAULT_SIDE else min(USUAL_BOARD_SIDES)


def usual_komi(name: str, options: Mapping[str, str], *, with_handicap: bool = False) -> str:
    """Return the usual komi of a new game with these options; empty for other games than Go.

    The komi is 7.5 by area and 6.5 by territory, 0.5 with a handicap, and 0 on boards that are smaller than 9 × 9.
    """
    if name != GO:
        return ""
    sides = [options[side] for side in BOARD_SIZE_OPTIONS if side in options]
    if any(side.isdecimal() and int(side) < _MIN_SIDE_WITH_KOMI for side in sides):
        return "0"
    return f"{_HANDICAP_KOMI if with_handicap else KOMI_BY_SCORING.get(options.get('scoring', 'area'), 0.0):g}"


def usual_options(name: str, settings: Iterable[str] = ()) -> Mapping[str, str]:
    """Return the options with which a human begins: the size of the board and, in Go, the komi. Options that `settings`
    set are left out.

    settings: the user's options, as NAME=VALUE.

    >>> usual_options("go"), usual_options("go", ["rows=5", "cols=5"])
    ({'size': '9', 'komi': '7.5'}, {'komi': '0'})
    """
    chosen_options = {key.strip(): value.strip() for key, _, value in (setting.partition("=") for setting in settings)}
    side = usual_board_side(name)
    usual = {} if side is None or chosen_options.keys() & set(BOARD_SIZE_OPTIONS) else {"size": str(side)}
    komi = "" if "komi" in chosen_options else usual_komi(name, usual | chosen_options)
    return usual | ({"komi": komi} if komi else {})
