"""Writes and reads the parts of SGF that only Gomoku has (GM[4]): its stones, and the choices of its openings.

The choices are in CHOICE, a property that only Gomogo uses. The module sgf.py has the properties that all games share.
"""

from __future__ import annotations

import json
from typing import Any

from gomogo_core.games.base import Game, Move, Position, Seat
from gomogo_core.games.boards.points import LETTERS, Point
from gomogo_core.games.gomoku import BLACK, Choice, Gomoku, GomokuPosition

GAME_NUMBER = 4  # of Gomoku in SGF
_TAKEOVER = "takeover"


def supports(game: Game) -> bool:
    """Return whether the game belongs to this family of SGF."""
    return isinstance(game, Gomoku)


def board_side(game: Game) -> int | None:
    """Return the number of points along each side; None for a board that readers of SGF do not accept."""
    return game.size if isinstance(game, Gomoku) else None


def seat_of_black(position: Position) -> Seat:
    """Return the seat that has black."""
    assert isinstance(position, GomokuPosition)
    return position.black


def stone_colour(position: Position) -> str:
    """Return the colour of a stone that is placed now."""
    assert isinstance(position, GomokuPosition)
    return "B" if position.colour == BLACK else "W"


def write_rules(root: Any, game: Game) -> None:
    """Write the name that other programs use for these rules."""
    assert isinstance(game, Gomoku)
    root.set("RU", "Renju" if game.renju else "Standard" if game.exact else "Freestyle")


def write_move(node: Any, position: Position, move: Move) -> None:
    """Write a stone of the colour to move, or a choice made in the opening (swap, stay, place)."""
    assert isinstance(position, GomokuPosition)
    if isinstance(move, Choice):
        node.set_raw_list("CHOICE", [move.value.encode()])
        return
    assert isinstance(move, Point)
    if position.at(move) is not None:
        node.set_raw_list("CHOICE", [_TAKEOVER.encode()])
        return
    # set_move of sgfmill fails on the 26th column
    node.set_raw_list(stone_colour(position), [place_text(move).encode()])


def read_rules(root: Any, size: int) -> Game:
    """Return the game with its options. Raises ValueError, and BadOption."""
    rule_name = (str(root.get("RU")) if root.has_property("RU") else "").casefold()
    options = read_options(root, {"renju": "renju" in rule_name, "exact": "standard" in rule_name})
    return Gomoku(**{**options, "size": size})


def read_options(root: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that Gomogo has written to OPTIONS, or `options` without OPTIONS. Raises ValueError."""
    if root.has_property("OPTIONS"):
        options = json.loads(root.get("OPTIONS"))
    if not isinstance(options, dict):
        raise ValueError("OPTIONS contains no options")
    return options


def read_move(node: Any, position: Position) -> Move | None:
    """Return the move in a node, or None if there is none. Raises ValueError for an unreadable move."""
    assert isinstance(position, GomokuPosition)
    if node.has_property("CHOICE"):
        choice = node.get("CHOICE")
        if choice != _TAKEOVER:
            return Choice(choice)
        if position.last is None:
            raise ValueError("there is no stone to take over")
        return position.game.board.points[position.last]
    _, value = node.get_raw_move()
    letters = (value or b"").decode("ascii")
    if not letters or (letters == "tt" and position.game.size <= 19):  # a pass, which gomoku does not have
        return None
    return parse_point(letters)


def place_text(move: Move) -> str:
    """Return the value of a stone in SGF, such as "cd"; an empty text for a pass."""
    return LETTERS[move.column - 1] + LETTERS[move.row - 1] if isinstance(move, Point) else ""


def parse_point(letters: str) -> Point:
    """Return the point that two letters name. Raises ValueError."""
    if len(letters) != 2 or not set(letters) <= set(LETTERS):
        raise ValueError(f"{letters!r} is not a point")
    return Point(LETTERS.index(letters[0]) + 1, LETTERS.index(letters[1]) + 1)
