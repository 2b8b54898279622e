"""Writes and reads the parts of SGF that only Go and its relatives have (GM[1]): stones, passes and komi.

GAME, a property that only Gomogo uses, names the game. The module sgf.py has the properties that all games share.
"""

from __future__ import annotations

from typing import Any

from gomogo_core.games import load, names, rules
from gomogo_core.games.base import Game, Move, Position, Seat
from gomogo_core.games.stones.rules import PASS, GoFamilyGame, GoFamilyPosition
from gomogo_core.records._sgf_gomoku import parse_point, place_text, read_options

GAME_NUMBER = 1  # of Go in SGF
# The options `ko` and `suicide` of rules of Go with area scoring whose names other programs know. No such name fits
# another scoring: by those rules the players agree on dead stones, which changes the count, but players of Gomogo
# cannot do that.
_NAMED_RULES = {"Chinese": ("simple", False), "Tromp-Taylor": ("positional", True), "NZ": ("situational", True)}


def supports(game: Game) -> bool:
    """Return whether the game belongs to this family of SGF."""
    return isinstance(game, GoFamilyGame)


def board_side(game: Game) -> int | None:
    """Return the number of points along each side; None for a board that is not square, which readers of SGF refuse."""
    return game.rows if isinstance(game, GoFamilyGame) and game.rows == game.cols else None


def seat_of_black(position: Position) -> Seat:
    """Return the seat that has black, which is the first seat."""
    return 1


def stone_colour(position: Position) -> str:
    """Return the colour of the stone that is placed now."""
    return "BW"[position.to_move - 1]


def write_rules(root: Any, game: Game) -> None:
    """Write the rules by their name, or in words if they have none; komi, and the game's name."""
    rule_texts = [f"{key} {game.options[key]}" for key in ("scoring", "ko", "target", "line") if key in game.options]
    has_named_scoring = game.options.get("scoring") == "area" and game.options["passing"]
    rules = game.options.get("ko"), game.options.get("suicide")
    rule_name = next((name for name, named_rules in _NAMED_RULES.items() if rules == named_rules), None)
    root.set("RU", rule_name if rule_name and has_named_scoring else ", ".join(rule_texts))
    if "komi" in game.options:
        root.set("KM", game.options["komi"])
    root.set_raw_list("GAME", [game.name.encode()])


def write_move(node: Any, position: Position, move: Move) -> None:
    """Write a stone of the colour to move, or an empty value for a pass."""
    node.set_raw_list(stone_colour(position), [place_text(move).encode()])


def read_rules(root: Any, size: int) -> Game:
    """Return the game with its options. Raises ValueError, and UserError for a game or an option that Gomogo does not
    have.
    """
    name = str(root.get("GAME")) if root.has_property("GAME") else "go"
    if name not in names() or not issubclass(rules(name), GoFamilyGame):
        raise ValueError(f"GAME names {name!r}, which is not played on a board of Go")
    foreign_options: dict[str, Any] = {}
    if name == "go":
        if root.has_property("KM"):
            foreign_options["komi"] = root.get("KM")
        if root.has_property("RU") and (named_rules := _NAMED_RULES.get(str(root.get("RU")).strip())):
            foreign_options["ko"], foreign_options["suicide"] = named_rules
    options = read_options(root, foreign_options)
    return load(name, **{**options, "size": size})


def read_move(node: Any, position: Position) -> Move | None:
    """Return the move in a node, or None if there is none. Raises ValueError for an unreadable move."""
    assert isinstance(position, GoFamilyPosition)
    colour, value = node.get_raw_move()
    if colour is None:
        return None
    if colour.upper() != stone_colour(position):
        raise ValueError(f"{colour.upper()} moves out of turn")
    letters = value.decode("ascii")
    return PASS if not letters or (letters == "tt" and position.game.size <= 19) else parse_point(letters)
