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
    read_nodes, nodes = read_tree(content.decode())
    assert (read_nodes.name, read_nodes.options) == (game.name, game.options)
    assert [node._replace(properties={}) for node in nodes] == TREE


FILE = """(;GM[1]FF[4]CA[Shift_JIS]SZ[9]AP[Other:1]RU[Japanese]KM[6.50]PB[本因坊]PW[Łukasz \\] W.]BR[9d]RE[B+3.50]
DT[2020-02-01]EV[A final];B[ee]BL[55.5]TR[ee];W[cc]SQ[cc]CR[ab:bc]MA[dd]LB[ee:A][gg:12]C[here]N[joseki]
(;B[gc]TE[1])(;B[cg];TR[cg]C[a note without a move]))"""


def test_the_names_the_result_and_the_marks_of_a_file_survive() -> None:
    """The properties that Gomogo does not use stay as they are, and sgfmill reads them in the written file. The written
    rules are those of Gomogo."""
    game, nodes = read_tree(FILE)
    renamed_root = nodes[0]._replace(properties={**nodes[0].properties, "RU": ["Chinese"]})
    assert read_tree(write_tree(game, nodes).decode())[1] == [renamed_root, *nodes[1:]]
    before, after = (
        sgf.Sgf_game.from_bytes(file_bytes, "UTF-8") for file_bytes in (FILE.encode(), write_tree(game, nodes))
    )
    root, written = before.get_root(), after.get_root()
    for name in set(root.properties()) - {"AP", "CA", "RU"}:
        assert written.get(name) == root.get(name), name
    assert (after.get_player_name("w"), after.get_komi(), after.get_winner()) == ("Łukasz ] W.", 6.5, "b")
    for place in ((0,), (0, 0), (0, 0, 0)):
        first_tree, other = root, written
        for number in place:
            first_tree, other = first_tree[number], other[number]
        assert {name: first_tree.get_raw_list(name) for name in first_tree.properties()} == {
            name: other.get_raw_list(name) for name in other.properties()
        }
    assert written[0][0][1].get("TR") == {(2, 2)}, "marks without a move belong to the position before"
    assert written[0][0][1].get("C") == "a note without a move"


def test_the_comment_of_a_problem_is_with_its_stones() -> None:
    _, nodes = read_tree("(;SZ[9]PB[Ann]AB[aa][ba]AW[ab][bb]PL[B]C[Black to live]LB[ca:A];B[cb])")
    assert (nodes[0].properties, nodes[0].comment) == ({"PB": ["Ann"]}, "")
    assert (nodes[4].properties, nodes[4].comment) == ({"LB": ["ca:A"]}, "Black to live")


def test_the_stones_of_a_handicap_are_the_start_position() -> None:
    game, nodes = read_tree("(;SZ[9]HA[2]AB[gc][cg];W[ee](;B[cc])(;B[gg]))")
    assert [node.move for node in nodes if not node.is_set_up] == ["", "e5", "c3", "g7"]
    content = write_tree(game, nodes)
    root = sgf.Sgf_game.from_bytes(content).get_root()
    assert (root.get("AB"), root.get("PL"), root.get("HA")) == ({(6, 6), (2, 2)}, "w", 2)
    assert not root.has_property("AW")
    assert (root[0].get_move(), len(root[0])) == (("w", (4, 4)), 2)
    assert [node[:2] for node in read_tree(content.decode())[1]] == [node[:2] for node in nodes]


def test_all_rules_of_a_tree_survive() -> None:
    game = load("go", size=9, scoring="territory", ko="situational", komi=5.5)
    assert read_tree(write_tree(game, TREE[:2]).decode())[0] == game


def test_a_property_that_sgf_does_not_allow_is_refused() -> None:
    with pytest.raises(ValueError, match="ill-formed"):
        write_tree(load("go", size=9), [VariationNode(-1, "", "", {"PB": ["]"]})])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense", "cannot be read as SGF"),
        ("(;GM[4]SZ[7];B[cc];W[cc])", "cannot be read as SGF"),
        ("(;GM[4]SZ[7];AB[cc])", "sets up stones"),
        ("(;GM[4]SZ[7]AB[cc][dd][ee])", "no passes"),
        ("(;GM[3]SZ[7];B[cc])", "game number 3"),
    ],
)
def test_sgf_without_a_tree_of_moves_is_refused(content: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_tree(content)


def test_variations_follow_the_stones_of_a_problem() -> None:
    game, nodes = read_tree("(;SZ[9]AB[aa][ba]AW[ab][bb]PL[B](;B[cb];W[ca])(;B[ca]))")
    at = {0: game.start()}
    for number, node in enumerate(nodes[1:], 1):
        at[number] = at[node.parent].play(game.parse(node.move))
    assert [node.move for node in nodes[-3:]] == ["c2", "c1", "c1"]
    assert nodes[-1].parent == nodes[-3].parent == 4
    assert at[4].to_move == 1


def test_a_tree_of_a_game_without_an_sgf_form_is_refused() -> None:
    with pytest.raises(UserError, match="SGF is only for"):
        write_tree(load("dots_and_boxes"), TREE[:1])
