"""Reads the main lines of an SGF file with one or many games, as moves of a given game, for a book of openings.

Variations are ignored. sgf.py has the families of games.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sgfmill import sgf as sgfmill
from sgfmill import sgf_grammar

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, Move, NotAMove
from gomogo_core.records.sgf import SETUP_PROPERTIES, SgfFamily, family_and_board_side

_TREE_START = re.compile(rb"\(\s*;")
_REMEDY = "Remove it, or correct it."


def main_lines(content: bytes, source: str, game: Game, max_moves: int | None) -> Iterator[tuple[str, Sequence[Move]]]:
    """Yield a pair for each game in the file: a text with the line where the game begins, and the moves of the game.

    source: the name of the file. max_moves: the most moves of each game; None for all. Raises UserError for an illegal
    move or a game with other rules.
    """
    remedy = "Write the openings as lines of moves in a text file."
    family, board_side = family_and_board_side(game, remedy, source)
    start, has_games = _TREE_START.search(content), False
    while start is not None:
        line = content.count(b"\n", 0, start.start()) + 1
        location = f"{source}, line {line}"
        end = sgf_grammar.tokenise(content, start.start())[1]
        try:
            tree = sgfmill.Sgf_game.from_bytes(content[start.start() : end])
            _check_board(tree, family, board_side)
            yield location, _read_moves(tree, family, game, max_moves)
        except UserError as error:
            raise UserError(f"{location}: {error.problem}", error.remedy) from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            reason = str(error) or "a property has no readable value"
            raise UserError(f"{location}: the game cannot be read: {reason}.", _REMEDY) from None
        has_games, start = True, _TREE_START.search(content, end)
    if not has_games:
        raise UserError(f"{source} contains no game in SGF.", "Use a file that begins like `(;GM[1]SZ[19]`.")


def _check_board(tree: Any, family: SgfFamily, board_side: int) -> None:
    root = tree.get_root()
    if root.has_property("GM") and root.get("GM") != family.GAME_NUMBER:
        raise UserError(f"its game number is {root.get('GM')}, and {family.GAME_NUMBER} is needed (GM).", _REMEDY)
    if tree.get_size() != board_side:
        raise UserError(
            f"its board has {tree.get_size()} points a side, and {board_side} are needed (SZ).",
            f"Use games on such a board, or set options = {{ size = {tree.get_size()} }}.",
        )


def _read_moves(tree: Any, family: SgfFamily, game: Game, max_moves: int | None) -> list[Move]:
    position, moves = game.start(), list[Move]()
    for node in tree.get_main_sequence():
        if len(moves) == max_moves:
            break
        if any(node.has_property(name) for name in SETUP_PROPERTIES):
            raise UserError("it sets up stones (AB, AW, AE), and openings consist of moves.", _REMEDY)
        try:
            move = family.read_move(node, position)
            if move is None:
                continue
            colour = node.get_raw_move()[0]
            if colour is not None and colour.upper() != family.stone_colour(position):
                raise ValueError(f"{colour.upper()} moves out of turn")
            position = position.play(move)
        except (NotAMove, ValueError) as error:
            reason = error.why if isinstance(error, IllegalMove) else error
            raise UserError(f"move {len(moves) + 1}: {reason}.", _REMEDY) from None
        moves.append(move)
    return moves
