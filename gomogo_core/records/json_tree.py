"""Writes and reads a tree of variations as JSON, for games that SGF cannot express, such as Dots and Boxes.

The module does not depend on user interfaces; sgf_tree.py defines the tree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove
from gomogo_core.records.sgf_tree import MAX_NODES, VariationNode

# the properties of SGF for the annotations of a review: a bad move, a very bad one, and a doubtful one
_ANNOTATION_PROPERTIES = {"?": {"BM": ["1"]}, "??": {"BM": ["2"]}, "?!": {"DO": [""]}}


def nodes_from_json(values: Sequence[Mapping[str, Any]]) -> list[VariationNode]:
    """Return a tree from plain values, the root first. Raises ValueError, TypeError, KeyError or AttributeError.

    The annotation of a move, `mark`, becomes a property of SGF.
    """
    nodes = [
        VariationNode(
            int(node["parent"]),
            str(node["move"]),
            str(node.get("comment", "")),
            {
                **{str(name): [str(text) for text in texts] for name, texts in node.get("properties", {}).items()},
                **_ANNOTATION_PROPERTIES.get(str(node.get("mark")), {}),
            },
            bool(node.get("is_set_up")),
        )
        for node in values
    ]
    if not nodes or len(nodes) > MAX_NODES or any(node.parent >= number for number, node in enumerate(nodes)):
        raise ValueError(f"it has no moves, more than {MAX_NODES} of them, or a move before the one it follows")
    return nodes


def write_json_tree(game: Game, nodes: Sequence[VariationNode]) -> bytes:
    """Return a tree as JSON, with one line per move. Raises NotAMove or IllegalMove."""
    _check_moves(game, nodes)
    rules = {"schema": 1, "game": game.name, "options": dict(game.options)}
    lines = ",\n".join(
        json.dumps(
            {
                "parent": node.parent,
                "move": node.move,
                **({"comment": node.comment} if node.comment else {}),
                **({"is_set_up": True} if node.is_set_up else {}),
            }
        )
        for node in nodes
    )
    return f'{json.dumps(rules)[:-1]}, "tree": [\n{lines}\n]}}\n'.encode()


def read_json_tree(content: str) -> tuple[Game, list[VariationNode]]:
    """Return the game and the tree in the text of a file that `write_json_tree` has written. Raises UserError."""
    try:
        values = json.loads(content)
        game = games.load(str(values["game"]), **values["options"])
        nodes = nodes_from_json(values["tree"])
        _check_moves(game, nodes)
    except UserError as error:
        raise UserError(f"The file: {error.problem}", error.remedy) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, NotAMove) as error:
        reason = error.why if isinstance(error, IllegalMove) else error
        raise UserError(f"The file cannot be read: {reason}.", "Choose a file that the analysis board saved.") from None
    return game, nodes


def _check_moves(game: Game, nodes: Sequence[VariationNode]) -> None:
    """Raise NotAMove or IllegalMove if a move is not legal after its parent, and ValueError for a second root."""
    positions = [game.start()]
    for node in nodes[1:]:
        if node.parent < 0:
            raise ValueError("two trees have no common root")
        positions.append(positions[node.parent].play(game.parse(node.move)))
