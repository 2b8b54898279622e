"""A tree of variations with comments survives SGF, and sgfmill reads what we wrote."""

from __future__ import annotations

import pytest
from sgfmill import sgf

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.records.sgf_tree import VariationNode, read_tree, write_tree

TREE = [
    VariationNode(-1, "", "the start"),
    VariationNode(0, "c3"),
    VariationNode(1, "d4", "good]\\ and\nlong"),
    VariationNode(1, "b2", "another answer"),
    VariationNode(3, "e5"),
    VariationNode(0, "a1"),
]


@pytest.mark.parametrize(("name", "options"), [("gomoku", {"size": 7}), ("go", {"size": 9})])
def test_a_tree_survives_sgf(name: str, options: dict[str, int]) -> None:
    game = load(name, **options)
    content = write_tree(game, TREE)
    root = sgf.Sgf_game.from_bytes(content).get_root()
    assert [len(root), len(root[0])] == [2, 2]
    assert root[0][1].get("C") == "another answer"
    again, nodes = read_tree(content)
    assert (again.name, again.options) == (game.name, game.options)
    assert nodes == TREE


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"nonsense", "cannot be read as SGF"),
        (b"(;GM[4]SZ[7];B[cc];W[cc])", "cannot be read as SGF"),
        (b"(;GM[4]SZ[7];AB[cc])", "sets up stones"),
        (b"(;GM[4]SZ[7]AB[cc][dd][ee])", "no passes"),
        (b"(;GM[3]SZ[7];B[cc])", "game number 3"),
    ],
)
def test_sgf_without_a_tree_of_moves_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_tree(content)


def test_variations_follow_the_stones_of_a_problem() -> None:
    game, nodes = read_tree(b"(;SZ[9]AB[aa][ba]AW[ab][bb]PL[B](;B[cb];W[ca])(;B[ca]))")
    at = {0: game.start()}
    for number, node in enumerate(nodes[1:], 1):
        at[number] = at[node.parent].play(game.parse(node.move))
    assert [node.move for node in nodes[-3:]] == ["c2", "c1", "c1"]
    assert nodes[-1].parent == nodes[-3].parent == 4
    assert at[4].to_move == 1


def test_a_tree_of_a_game_without_an_sgf_form_is_refused() -> None:
    with pytest.raises(UserError, match="SGF is only for"):
        write_tree(load("dots_and_boxes"), TREE[:1])
