"""Gomoku's options, and the descriptions of positions.

Leaves out winning rows (test_five), openings (test_openings) and Renju (test_renju).
"""

from __future__ import annotations

from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import BadOption, IllegalMove
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Choice, Gomoku, GomokuPosition


def position_after(moves: str, **options: Any) -> GomokuPosition:
    position = load("gomoku", **options).replay(moves.split())
    assert isinstance(position, GomokuPosition)
    return position


def test_the_default_game_is_freestyle_on_15_without_an_opening() -> None:
    assert load("gomoku").options == {"size": 15, "line": 5, "exact": False, "renju": False, "opening": "none"}
    assert load("gomoku").seats == 2


@pytest.mark.parametrize(
    ("options", "problem", "remedy"),
    [
        ({"size": 3}, "size 3 is too small: gomoku needs 5 to 26", "Try size=5 or more."),
        ({"size": 27}, "size 27 is too large: gomoku needs 5 to 26", "Try size=26 or less."),
        ({"size": "big"}, "size big is not a whole number", "Give size=N with N a whole number, for example size=15."),
        ({"size": 9.5}, "size 9.5 is not a whole number", "Give size=N with N a whole number, for example size=15."),
        ({"size": True}, "size True is not a whole number", "Give size=N with N a whole number, for example size=15."),
        ({"line": 2}, "line 2 is too small: gomoku needs 3 to 26", "Try line=3 or more."),
        (
            {"size": 6, "line": 7},
            "line 7 is too long: a board of size 6 has no such row.",
            "Try line=6 or less, or a larger size.",
        ),
        (
            {"exact": "maybe"},
            "exact maybe is neither true nor false: gomoku needs one of them",
            "Give exact=true or exact=false.",
        ),
        (
            {"renju": True, "exact": True},
            "renju requires line=5, and has its own rule for longer rows.",
            "Leave out exact and line, or renju.",
        ),
        (
            {"renju": True, "line": 6},
            "renju requires line=5, and has its own rule for longer rows.",
            "Leave out exact and line, or renju.",
        ),
        (
            {"opening": "takover"},
            "opening takover is not known: gomoku accepts none, takeover, swap, swap2",
            "Did you mean takeover?",
        ),
        ({"sise": 15}, "gomoku has no option 'sise'.", "Did you mean size?"),
    ],
)
def test_an_invalid_option_is_refused_with_the_reason(options: dict[str, Any], problem: str, remedy: str) -> None:
    with pytest.raises(BadOption) as error_info:
        load("gomoku", **options)
    assert (error_info.value.problem, error_info.value.remedy) == (problem, remedy)


@pytest.mark.parametrize("size", [5, 15, 26])
def test_every_size_from_5_to_26_has_all_its_points(size: int) -> None:
    moves = list(load("gomoku", size=size).start().moves())
    assert len(set(moves)) == size * size
    assert moves[0] == Point(1, 1)
    assert moves[-1] == Point(size, size)


def test_players_place_one_stone_in_turn_and_black_is_first() -> None:
    position = position_after("h8 h9 i8")
    assert position.to_move == 2
    assert [position.at(Point(8, 8)), position.at(Point(8, 9)), position.at(Point(8, 10))] == [1, 2, None]
    assert (position.mark(1), position.mark(2)) == ("x", "o")
    assert position.rows()[7] == ".......xx......"
    assert position.rows()[8] == ".......o......."


@pytest.mark.parametrize(
    ("moves", "move", "problem"),
    [
        ("h8 a1", Point(8, 8), "h8 is occupied by black"),
        ("h8 a1", Point(1, 1), "a1 is occupied by white"),
        ("h8 a1", Point(16, 1), "p1 is not on this board"),
        ("h8 a1", Point(1, 16), "a16 is not on this board"),
        ("h8 a1", Point(99, 1), "99,1 is not on this board"),
        ("h8 a1", Point(0, 0), "0,0 is not on this board"),
        ("h8 a1", "h9", "h9 is not on this board"),
        ("h8 a1", None, "None is not on this board"),
        ("h8 a1", Choice.SWAP, "swap: there is nothing to choose now, place a stone"),
        ("a1 h8 b1 h9 c1 h7 d1 i9 e1", Point(15, 15), "the game is over"),
        ("a1 h8 b1 h9 c1 h7 d1 i9 e1", Point(1, 1), "the game is over"),
    ],
)
def test_an_illegal_move_is_refused_with_the_rule_that_forbids_it(moves: str, move: Any, problem: str) -> None:
    position = position_after(moves)
    assert position.why_illegal(move) == problem
    with pytest.raises(IllegalMove) as error_info:
        position.play(move)
    assert error_info.value.why == problem


def test_a_finished_game_has_no_moves_and_no_player_to_move() -> None:
    over = position_after("a1 h8 b1 h9 c1 h7 d1 i9 e1")
    assert list(over.moves()) == []
    assert "to move: nobody" in over.diagram()


def test_positions_do_not_depend_on_the_order_of_moves() -> None:
    assert position_after("h8 a1 i8") == position_after("i8 a1 h8")
    assert hash(position_after("h8 a1 i8")) == hash(position_after("i8 a1 h8"))


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (position_after("h8"), position_after("h9")),
        (position_after("h8 a1"), position_after("a1 h8")),
        (position_after("h8"), position_after("")),
        (position_after("h8", opening="takeover"), position_after("h8 h8", opening="takeover")),
        (position_after("h8 a1 h9 swap", opening="swap"), position_after("h8 a1 h9 stay", opening="swap")),
        (position_after("h8 a1 h9", opening="swap"), position_after("h8 a1 h9 stay", opening="swap")),
        (position_after("h8 a1 h9 stay", opening="swap2"), position_after("h8 a1 h9 place", opening="swap2")),
        (  # the same stones: a double three with the last of them, or two threes one after the other
            position_after("h9 a1 h10 a15 i8 o1 j8 o15 h8", renju=True),
            position_after("h8 a1 h9 a15 h10 o1 i8 o15 j8", renju=True),
        ),
    ],
    ids=["point", "colour", "stone", "taken over", "swapped", "chosen", "phase", "forbidden"],
)
def test_positions_that_differ_by_the_rules_have_different_keys(first: GomokuPosition, other: GomokuPosition) -> None:
    assert first.key() != other.key()
    assert first != other


def test_positions_of_different_games_are_different() -> None:
    assert position_after("h8") != position_after("h8", exact=True)
    assert position_after("h8") != "h8"


def test_facts_count_the_empty_points_and_name_black() -> None:
    assert position_after("h8 a1").facts() == {"moves_left": 223, "black": 1}
    assert position_after("h8 a1 h9", opening="swap").facts() == {"moves_left": 222, "black": 1, "opening": "choose"}
    assert position_after("h8 h8", opening="takeover").facts() == {"moves_left": 224, "black": 2}


def test_the_hint_for_a_person_names_a_point_of_this_board() -> None:
    assert load("gomoku").how_to_move() == "Type a column letter and a row, like h8."
    assert load("gomoku", size=5).how_to_move() == "Type a column letter and a row, like c3."


def test_a_position_cannot_be_withdrawn_from() -> None:
    with pytest.raises(IllegalMove, match="gomoku ends when a player leaves"):
        position_after("h8").withdraw(1)


def test_games_with_equal_options_are_equal() -> None:
    assert load("gomoku", size="9", exact="yes") == Gomoku(size=9, exact=True)
    assert load("gomoku", size=9) != Gomoku(size=10)


def test_the_explanation_names_winning_points() -> None:
    position = load("gomoku", size=9).replay(["d4", "a1", "e4", "a2", "f4", "a3", "g4", "a4"])
    assert position.explain().splitlines() == [
        "Black would have 5 in a row, and win, with a stone at c4 or h4.",
        "White would have 5 in a row, and win, with a stone at a5.",
    ]
    assert position.play(position.game.parse("h4")).explain() == ""
    assert load("gomoku").start().explain() == ""


def test_the_explanation_names_points_forbidden_by_renju() -> None:
    position = load("gomoku", opening="none", renju=True).replay(["h7", "a1", "h9", "a15", "g8", "o1", "i8", "o15"])
    assert position.explain() == "Black loses with a stone at any of these points: h8."
