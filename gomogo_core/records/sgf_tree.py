"""Writes and reads a tree of variations with comments as SGF, for the analysis board.

A tree keeps the properties that Gomogo does not use, such as the names of the players and the marks on the board, and
writes them again. The module does not depend on user interfaces; sgf.py has the families of games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sgfmill import sgf as sgfmill

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, Move, NotAMove, Position, Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.printable import printable
from gomogo_core.records._sgf_gomoku import place_text
from gomogo_core.records._sgf_stones import GAME_NUMBER as GO
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.sgf import (
    SETUP_PROPERTIES,
    family_and_board_side,
    family_by_number,
    setup_moves,
    write_players,
    write_rules,
)

# the properties that a node holds in attributes of its own, or that follow from the format of the written file
_OWN_PROPERTIES = frozenset({*SETUP_PROPERTIES, "PL", "B", "W", "CHOICE", "C"})
_OWN_ROOT_PROPERTIES = _OWN_PROPERTIES | {"FF", "GM", "SZ", "CA", "AP", "GAME", "OPTIONS"}
_MARKS = frozenset({"TR", "SQ", "CR", "MA", "LB", "SL", "DD", "VW", "AR", "LN", "TB", "TW"})  # drawn on the board
MAX_NODES = 5000


class VariationNode(NamedTuple):
    """A move in a tree.

    parent: the index of the node of the move before; -1 for the root, which has no move. properties: the values of all
    other SGF properties by their identifiers, as in the file, with its escapes. is_set_up: whether the move only leads
    to the stones of the root (AB, AW), where the game begins.
    """

    parent: int
    move: str
    comment: str = ""
    properties: Mapping[str, Sequence[str]] = MappingProxyType({})
    is_set_up: bool = False


def write_tree(game: Game, nodes: Sequence[VariationNode], played_game: PlayedGame | None = None) -> bytes:
    """Return a tree as SGF. nodes: the root comes first. played_game: a game whose players the file names, if any.

    Raises UserError for a game that SGF cannot express, and ValueError for a property that SGF does not allow.
    """
    family, board_side = family_and_board_side(game, "Share the link instead.")
    tree = sgfmill.Sgf_game(size=board_side)
    root = tree.get_root()
    write_rules(root, game, family, game.options)
    if played_game is not None:
        write_players(root, played_game, family.seat_of_black(played_game.positions()[-1]))
    written_nodes: list[tuple[Any, Position]] = []
    for node in nodes:
        if node.parent < 0:
            sgf_node, position = root, game.start()
        else:
            parent, parent_position = written_nodes[node.parent]
            move = game.parse(node.move)
            position = parent_position.play(move)
            if node.is_set_up:
                sgf_node = root
                _write_set_up(root, parent_position.to_move, move)
                root.set("PL", "b" if position.to_move == 1 else "w")
            else:
                sgf_node = parent.new_child()
                family.write_move(sgf_node, parent_position, move)
        # the written file names the rules of Gomogo, even if the file that was read named other rules
        left_out = _OWN_ROOT_PROPERTIES | {"RU"} if sgf_node is root else _OWN_PROPERTIES
        for name in node.properties.keys() - left_out:
            sgf_node.set_raw_list(name, [value.encode() for value in node.properties[name]])
        if node.comment:
            sgf_node.set("C", printable(node.comment, lines=True))
        written_nodes.append((sgf_node, position))
    content: bytes = tree.serialise()
    return content


def read_tree(content: str) -> tuple[Game, list[VariationNode]]:
    """Return the game and the tree in the text of an SGF file, the root first. Raises UserError.

    A comment or a mark in a node without a move belongs to the position before this node.
    """
    try:
        tree = sgfmill.Sgf_game.from_bytes(content.encode(), override_encoding="UTF-8")
        root = tree.get_root()
        family = family_by_number(root.get("GM") if root.has_property("GM") else GO)
        game = family.read_rules(root, tree.get_size())
        root_properties = _sgf_properties(root, _OWN_ROOT_PROPERTIES)
        nodes = [VariationNode(-1, "", "", {name: root_properties[name] for name in root_properties.keys() - _MARKS})]
        setup_position = game.start()
        for index, move in enumerate(setup_moves(root, game)):
            nodes.append(VariationNode(index, game.format(move), "", {}, is_set_up=True))
            setup_position = setup_position.play(move)
        root_marks = {name: root_properties[name] for name in root_properties.keys() & _MARKS}
        nodes[-1] = _with_annotations(nodes[-1], root, root_marks)
        pending = [(child, len(nodes) - 1, setup_position) for child in reversed(root)]
        while pending:
            node, parent, position = pending.pop()
            if any(node.has_property(name) for name in SETUP_PROPERTIES):
                raise ValueError("it sets up stones (AB, AW, AE) after the first moves, where only moves can be read")
            move = family.read_move(node, position)
            if move is not None:
                position = position.play(move)
                nodes.append(VariationNode(parent, game.format(move), "", {}))
                parent = len(nodes) - 1
            nodes[parent] = _with_annotations(nodes[parent], node, _sgf_properties(node, _OWN_PROPERTIES))
            if len(nodes) > MAX_NODES:
                raise ValueError(f"it has more than {MAX_NODES} moves")
            pending += [(child, parent, position) for child in reversed(node)]
    except UserError as error:
        raise UserError(f"The file: {error.problem}", error.remedy) from None
    except (ValueError, KeyError, TypeError, RecursionError, NotAMove) as error:
        reason = error.why if isinstance(error, IllegalMove) else str(error) or "a property has no readable value"
        raise UserError(f"The file cannot be read as SGF: {reason}.", "Choose an SGF file of Gomoku or Go.") from None
    return game, nodes


def _write_set_up(root: Any, seat: Seat, move: Move) -> None:
    """Add the stone of a move, if it is no pass, to the stones of the root, in the order of the moves."""
    if isinstance(move, Point):
        name = "AB" if seat == 1 else "AW"
        earlier = root.get_raw_list(name) if root.has_property(name) else []
        root.set_raw_list(name, [*earlier, place_text(move).encode()])


def _sgf_properties(node: Any, left_out: frozenset[str]) -> dict[str, list[str]]:
    """Return the values of the properties of an SGF node, except the ones in `left_out`."""
    return {
        name: [value.decode() for value in node.get_raw_list(name)]
        for name in sorted(node.properties())
        if name not in left_out
    }


def _with_annotations(move: VariationNode, node: Any, properties: Mapping[str, Sequence[str]]) -> VariationNode:
    """Return a move with the comment of an SGF node, and with some of its properties, added."""
    comments = [move.comment, str(node.get("C")) if node.has_property("C") else ""]
    return move._replace(comment="\n".join(filter(None, comments)), properties={**properties, **move.properties})
