"""Writes and reads a tree of variations with comments as SGF, for the analysis board.

The module knows no user interface; sgf.py has the families of games.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sgfmill import sgf as sgfmill

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Position
from gomogo_core.printable import printable
from gomogo_core.records._sgf_stones import GAME_NUMBER as GO
from gomogo_core.records.sgf import family_by_number, family_of, setup_moves

_SETUP_PROPERTIES = ("AB", "AW", "AE")  # read in the root only
MAX_NODES = 5000


class VariationNode(NamedTuple):
    """A move in a tree. parent: the index of the node of the move before; -1 for the root, which has no move."""

    parent: int
    move: str
    comment: str = ""


def write_tree(game: Game, nodes: Sequence[VariationNode]) -> bytes:
    """Return a tree as SGF. nodes: the root comes first. Raises UserError for a game that SGF cannot express."""
    family = family_of(game)
    if family is None or (side := family.board_side(game)) is None:
        raise UserError("SGF is only for Gomoku, Go and Go's relatives on square boards.", "Share the link instead.")
    tree = sgfmill.Sgf_game(size=side)
    root = tree.get_root()
    root.set("GM", family.GAME_NUMBER)
    family.write_rules(root, game)
    made: list[tuple[Any, Position]] = []
    for node in nodes:
        if node.parent < 0:
            written, position = root, game.start()
        else:
            above, before = made[node.parent]
            move = game.parse(node.move)
            written, position = above.new_child(), before.play(move)
            family.write_move(written, before, move)
        if node.comment:
            written.set("C", printable(node.comment, lines=True))
        made.append((written, position))
    content: bytes = tree.serialise()
    return content


def read_tree(content: bytes) -> tuple[Game, list[VariationNode]]:
    """Return the game and the tree of an SGF file, the root first. Raises UserError."""
    try:
        tree = sgfmill.Sgf_game.from_bytes(content)
        root = tree.get_root()
        family = family_by_number(root.get("GM") if root.has_property("GM") else GO)
        game = family.read_rules(root, tree.get_size())
        found = [VariationNode(-1, "", _comment(root))]
        start = game.start()
        for place, move in enumerate(setup_moves(root, game)):
            found.append(VariationNode(place, game.format(move)))
            start = start.play(move)
        waiting = [(child, len(found) - 1, start) for child in reversed(root)]
        while waiting:
            node, parent, position = waiting.pop()
            if any(node.has_property(name) for name in _SETUP_PROPERTIES):
                raise ValueError("it sets up stones (AB, AW, AE) after the first moves, where only moves can be read")
            number, move = parent, family.read_move(node, position)
            if move is not None:
                position = position.play(move)
                number = len(found)
                found.append(VariationNode(parent, game.format(move), _comment(node)))
            if len(found) > MAX_NODES:
                raise ValueError(f"it has more than {MAX_NODES} moves")
            waiting += [(child, number, position) for child in reversed(node)]
    except UserError as wrong:
        raise UserError(f"The file: {wrong.problem}", wrong.remedy) from None
    except (ValueError, KeyError, TypeError, RecursionError, NotAMove) as wrong:
        why = wrong.why if isinstance(wrong, IllegalMove) else str(wrong) or "a property has no readable value"
        raise UserError(f"The file cannot be read as SGF: {why}.", "Choose an SGF file of Gomoku or Go.") from None
    return game, found


def _comment(node: Any) -> str:
    return str(node.get("C")) if node.has_property("C") else ""
