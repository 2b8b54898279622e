"""Robogo: rows win, across and down, after captures are removed; and the other ends of the game.

Leaves out the rules that it shares with Go, which test_go and test_ko prove.
"""

from __future__ import annotations

from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import BadOption, Outcome, Reason
from gomogo_core.games.boards.points import Point
from gomogo_core.games.robogo import RobogoPosition
from tests.games._stones import (
    final_outcome,
    load_stones_game,
    play_moves,
    position_after,
    position_from_picture,
    refusal_reason,
)


def test_the_default_game_is_five_in_a_row_on_9_by_9_with_positional_superko() -> None:
    assert load("robogo").options == {
        "size": 9,
        "rows": 9,
        "cols": 9,
        "passing": True,
        "suicide": False,
        "line": 5,
        "diagonals": False,
        "captures": True,
        "ko": "positional",
        "max_moves": 243,
    }


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"size": 4}, 4),
        ({"size": 6}, 4),
        ({"size": 7}, 5),
        ({"size": 19}, 5),
        ({"rows": 4, "cols": 6}, 4),
        ({"rows": 4, "cols": 7}, 5),
        ({"rows": 1, "cols": 5}, 4),
        ({"size": 5, "line": 5}, 5),
        ({"size": 3}, 3),
        ({"size": 3, "line": 2}, 2),
        ({"rows": 2, "cols": 2}, 2),
    ],
)
def test_the_default_winning_length_is_shorter_on_small_boards(options: dict[str, int], line: int) -> None:
    game = load_stones_game("robogo", **options)
    assert game.options["line"] == line
    assert load_stones_game("robogo", **game.options) == load_stones_game("robogo", **game.non_default_options) == game


@pytest.mark.parametrize(
    ("options", "problem", "remedy"),
    [
        ({"size": 2}, "size 2 is too small: robogo needs 3 to 19", "Try size=3 or more."),
        ({"size": 20}, "size 20 is too large: robogo needs 3 to 19", "Try size=19 or less."),
        ({"rows": 0}, "rows 0 is too small: robogo needs 1 to 19", "Try rows=1 or more."),
        ({"line": 1}, "line 1 is too small: robogo needs 2 to 19", "Try line=2 or more."),
        (
            {"size": 4, "line": 5},
            "line 5 is too long: a board of 4 × 4 has no such row.",
            "Try line=4 or less, or a larger board.",
        ),
        (
            {"rows": 3, "cols": 2, "line": 4},
            "line 4 is too long: a board of 3 × 2 has no such row.",
            "Try line=3 or less, or a larger board.",
        ),
    ],
)
def test_an_invalid_option_is_refused_with_the_reason(options: dict[str, Any], problem: str, remedy: str) -> None:
    with pytest.raises(BadOption) as error_info:
        load("robogo", **options)
    assert (error_info.value.problem, error_info.value.remedy) == (problem, remedy)


def winning_row_names(position: Any) -> str:
    assert isinstance(position, RobogoPosition)
    return " ".join(map(str, position.winning_places()))


@pytest.mark.parametrize(
    ("picture", "move", "row"),
    [
        ("x x . x .\no o . o .\n. . . . .\n. . . . .\n. . . . .", "c1", "a1 b1 c1 d1"),
        (". . . . .\n. x o . .\n. x o . .\n. x o . .\n. . . . .", "b5", "b2 b3 b4 b5"),
        ("x x . x x\no o . o o\n. . . . .\n. . . . .\n. . . . .", "c1", "a1 b1 c1 d1 e1"),  # more than four
    ],
)
def test_a_row_across_or_down_wins(picture: str, move: str, row: str) -> None:
    over = play_moves(position_from_picture("robogo", picture), move)
    assert over.outcome() == Outcome((1, 2), Reason.LINE, "4 in a row")
    assert winning_row_names(over) == row
    assert list(over.moves()) == []


@pytest.mark.parametrize(
    ("picture", "move", "row"),
    [
        ("x . . . .\no x . . .\n. o x . .\n. . o . .\n. . . . .\nto move: seat 1", "d4", "a1 b2 c3 d4"),
        (". . . x .\n. . x o .\n. x o . .\n. o . . .\n. . . . .\nto move: seat 1", "a4", "d1 c2 b3 a4"),
    ],
)
def test_a_diagonal_row_wins_only_with_the_diagonals_option(picture: str, move: str, row: str) -> None:
    assert play_moves(position_from_picture("robogo", picture), move).outcome() is None
    over = play_moves(position_from_picture("robogo", picture, diagonals=True), move)
    assert final_outcome(over).winner == 1
    assert set(winning_row_names(over).split()) == set(row.split())


@pytest.mark.parametrize("diagonals", [False, True])
def test_a_row_does_not_wrap_around_the_edge(diagonals: bool) -> None:
    """Four stones with consecutive numbers, three at the end of one row of points and one at the beginning of the
    next.
    """
    position = position_from_picture(
        "robogo", ". . x x x\nx . o o o\n. . . . .\n. . x . .\n. . . o .", diagonals=diagonals
    )
    assert position.outcome() is None
    edge = position_from_picture("robogo", ". . . . x\n. . . x .\n. . x . .\no o . . x\no o . . .", diagonals=diagonals)
    assert edge.outcome() is None


def test_white_wins_with_a_row_of_its_own() -> None:
    over = position_after("robogo", "a1 a2 b1 b2 c1 c2 e5 d2", size=5)
    assert over.outcome() == Outcome((2, 1), Reason.LINE, "4 in a row")
    assert winning_row_names(over) == "a2 b2 c2 d2"


def test_a_capture_breaks_a_row() -> None:
    """White has three and room for the fourth; there black takes one of the three."""
    position = position_from_picture("robogo", ". x . . .\nx o . o o\n. x . . .\n. . . . .\n. . . . .\nto move: seat 2")
    assert final_outcome(play_moves(position, "c2")).winner == 2
    after_capture = position_from_picture(
        "robogo", ". x . . .\nx o . o o\n. x . . .\n. . . . .\n. . . . .\nto move: seat 1"
    )
    assert play_moves(after_capture, "c2").rows()[1] == "x.xoo"
    assert refusal_reason(play_moves(after_capture, "c2"), "b2") == "suicide: the stone would have no liberty"


def test_rows_count_after_captures() -> None:
    """On one line black's four have no liberty: they are taken off, and there is no row; nor is suicide legal else."""
    picture = ". x x x o .\nto move: seat 1"
    after = play_moves(position_from_picture("robogo", picture, suicide=True), "a1")
    assert after.rows() == ("....o.",)
    assert after.outcome() is None
    assert refusal_reason(position_from_picture("robogo", picture), "a1") == "suicide: the stone would have no liberty"
    assert final_outcome(play_moves(position_from_picture("robogo", picture, captures=False), "a1")).winner == 1


def test_two_passes_are_a_draw() -> None:
    over = final_outcome(position_after("robogo", "a1 a2 pass pass", size=5))
    assert over == Outcome((1, 1), Reason.TWO_PASSES, "two passes")


def test_the_move_cap_is_a_draw_unless_the_last_move_makes_a_row() -> None:
    over = final_outcome(position_after("robogo", "a1 pass b1", size=5, max_moves=3))
    assert over == Outcome((1, 1), Reason.MOVE_CAP, "3 moves")
    won = final_outcome(position_after("robogo", "a1 a2 b1 b2 c1 c2 d1", size=5, max_moves=7))
    assert (won.winner, won.reason) == (1, Reason.LINE)


def test_without_captures_all_stones_remain() -> None:
    position = position_after("robogo", "b1 a1 a2", size=5, captures=False)
    assert position.rows()[:2] == ("ox...", "x....")
    assert position.describe_effect(Point(3, 3)) == ""
    assert refusal_reason(play_moves(position, "e5"), "c5") is None
    assert "captures" not in position.facts()
    assert "captures" not in position.diagram()
    assert position.game.from_diagram(position.diagram()) == position


def test_without_captures_a_stone_without_liberties_is_no_suicide() -> None:
    assert (
        refusal_reason(
            position_from_picture("robogo", ". o .\no . .\n. . x\nto move: seat 1", line=3, captures=False), "a1"
        )
        is None
    )


def test_without_captures_and_passes_a_full_board_is_a_draw() -> None:
    moves = "a1 b1 c1 a2 b2 c2 b3 a3 c3"
    over = final_outcome(position_after("robogo", moves, size=3, line=3, captures=False, passing=False))
    assert over == Outcome((1, 1), Reason.BOARD_FULL, "board full")
    passing = position_after("robogo", moves, size=3, line=3, captures=False)
    assert passing.outcome() is None
    assert [str(move) for move in passing.moves()] == ["pass"]


def test_without_passes_a_player_without_a_move_loses() -> None:
    over = final_outcome(position_after("robogo", "a1 b1", rows=1, cols=2, line=2, passing=False))
    assert (over.winner, over.reason, over.detail) == (2, Reason.NO_MOVE, "no move left")


@pytest.mark.parametrize(("ko", "allowed"), [("simple", True), ("positional", False), ("situational", True)])
def test_superko_is_the_default_ko_rule(ko: str, allowed: bool) -> None:
    position = play_moves(position_from_picture("robogo", ". x . o\nx o o o\n. . . .", ko=ko), "c1 a1")
    assert (refusal_reason(position, "b1") is None) == allowed


def test_a_row_in_a_diagram_has_won() -> None:
    over = position_from_picture("robogo", "x x x x .\no o o . .\n. . . . .\n. . . . .\n. . . . .")
    assert final_outcome(over).winner == 1
    two_rows = position_from_picture("robogo", "x x x x .\n. . . . .\no o o o .\n. . . . .\n. . . . .\nto move: seat 1")
    assert final_outcome(two_rows).winner == 2  # the last player to move
    assert winning_row_names(two_rows) == "a3 b3 c3 d3"


def test_facts_contain_captures_passes_ko_and_moves_left() -> None:
    assert position_after("robogo", "b1 a1 a2", size=5).facts() == {
        "captures": [1, 0],
        "passes": 0,
        "ko": [],
        "moves_left": 72,
    }


def test_the_explanation_covers_captures_and_ataris_without_territory() -> None:
    before, position = position_after("robogo", "b1 a1", size=5), position_after("robogo", "b1 a1 a2", size=5)
    explanation = position.explain_move(before, Point(1, 2))
    assert explanation == "Black captured a1 by playing a2, the last liberty of that stone."
    assert position.explain() == ""


def test_the_explanation_names_legal_winning_points() -> None:
    position = load("robogo", size=5, line=3).replay(["a1", "e5", "b1", "e4"])
    assert position.explain().splitlines() == [
        "Black would have 3 in a row, and win, with a stone at c1.",
        "White would have 3 in a row, and win, with a stone at e3.",
    ]
    assert position.play(position.game.parse("c1")).explain() == ""
