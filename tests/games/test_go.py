"""Go's options, captures, suicide, passes, move cap and scores; descriptions of positions.

Leaves out ko (test_ko) and the state of boards (test_board).
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import BadOption, IllegalMove, Move, NotAMove, Reason
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import Go
from gomogo_core.games.stones.rules import PASS
from tests.games._stones import (
    final_outcome,
    load_stones_game,
    play_moves,
    position_after,
    position_from_picture,
    random_game,
    refusal_reason,
)


def test_the_default_game_is_19_by_19_with_simple_ko_and_area_scores() -> None:
    assert load("go").options == {
        "size": 19,
        "rows": 19,
        "cols": 19,
        "passing": True,
        "suicide": False,
        "ko": "simple",
        "scoring": "area",
        "komi": 0.0,
        "max_moves": 1083,
    }
    assert load("go").seats == 2


@pytest.mark.parametrize(
    ("given_options", "rows", "cols", "size", "max_points"),
    [
        ({"size": 2}, 2, 2, 2, 12),
        ({"size": 25}, 25, 25, 25, 1875),
        ({"rows": 1, "cols": 1}, 1, 1, 2, 3),
        ({"rows": 3, "cols": 7}, 3, 7, 7, 63),
        ({"rows": 25, "cols": 1}, 25, 1, 25, 75),
        ({"size": 9, "rows": 5}, 5, 9, 9, 135),
        ({"size": 9, "max_moves": 10}, 9, 9, 9, 10),
        ({"size": 19, "rows": 9, "cols": 9}, 9, 9, 9, 243),
    ],
)
def test_a_board_is_square_or_rows_by_cols(
    given_options: dict[str, int], rows: int, cols: int, size: int, max_points: int
) -> None:
    """`size` is settled to the longer side, so that equal games have equal options."""
    game = load_stones_game("go", **given_options)
    assert (game.rows, game.cols, game.size, game.max_moves) == (rows, cols, size, max_points)
    board = game.start().rows()
    assert (len(board), {len(row) for row in board}) == (rows, {cols})
    assert len(list(game.start().moves())) == rows * cols + 1 - (rows * cols == 1)
    assert load_stones_game("go", **game.options) == load_stones_game("go", **game.non_default_options) == game


@pytest.mark.parametrize(
    ("options", "problem", "remedy"),
    [
        ({"size": 1}, "size 1 is too small: go needs 2 to 25", "Try size=2 or more."),
        ({"size": 26}, "size 26 is too large: go needs 2 to 25", "Try size=25 or less."),
        ({"rows": 0}, "rows 0 is too small: go needs 1 to 25", "Try rows=1 or more."),
        ({"cols": 26}, "cols 26 is too large: go needs 1 to 25", "Try cols=25 or less."),
        ({"komi": 7.3}, "komi 7.3 is not a multiple of 0.5", "Try komi=7.5."),
        ({"komi": "half"}, "komi half is not a number", "Give komi=N with N a number, for example komi=0.0."),
        ({"komi": 1000}, "komi 1000 is too large: go needs -625 to 625", "Try komi=625 or less."),
        ({"max_moves": 0}, "max_moves 0 is too small: go needs 1 or more", "Try max_moves=1 or more."),
        (
            {"passing": 2},
            "passing 2 is neither true nor false: go needs one of them",
            "Give passing=true or passing=false.",
        ),
        (
            {"line": 5},
            "go has no option 'line'.",
            "Choose from cols, ko, komi, max_moves, passing, rows, scoring, size, suicide.",
        ),
        (
            {"ko": "foo"},
            "ko foo is not known: go accepts simple, positional, situational",
            "Choose from positional, simple, situational.",
        ),
        ({"scoring": "areas"}, "scoring areas is not known: go accepts area, territory, stone", "Did you mean area?"),
    ],
)
def test_an_invalid_option_is_refused_with_the_reason(options: dict[str, Any], problem: str, remedy: str) -> None:
    with pytest.raises(BadOption) as error_info:
        load("go", **options)
    assert (error_info.value.problem, error_info.value.remedy) == (problem, remedy)


def test_options_can_be_text() -> None:
    assert load("go", size="9", komi="7.5", suicide="yes", ko="Positional") == Go(
        size=9, komi=7.5, suicide=True, ko="positional"
    )


def test_black_and_white_place_one_stone_in_turn_on_an_empty_point() -> None:
    position = position_after("go", "a1 b1 c1", size=3)
    assert (position.rows(), position.to_move) == (("xox", "...", "..."), 2)
    assert [position.at(Point(column, 1)) for column in (1, 2, 3)] == [1, 2, 1]
    assert position.at(Point(1, 2)) is None
    assert (position.mark(1), position.mark(2)) == ("x", "o")


def test_chains_without_liberties_are_captured_and_counted() -> None:
    position = position_after("go", "b1 a1 a2", size=3)
    assert position.rows() == (".x.", "x..", "...")
    assert position.captures == (1, 0)
    position = position_from_picture("go", ". o x x\no o x .\nx x x .\ncaptures: 2 1\nto move: seat 1")
    assert position.describe_effect(Point(1, 1)) == "captures 3 stones"
    assert play_moves(position, "a1").captures == (5, 1)
    assert play_moves(position, "a1").rows() == ("x.xx", "..x.", "xxx.")


EYE = ". o . \no . . \n. . x"  # a1 has no liberty for black


def test_suicide_is_illegal() -> None:
    for picture, move in ((EYE, "a1"), ("x o .\n. o .\no . .", "a2")):
        position = position_from_picture("go", picture + "\nto move: seat 1")
        diagram = position.diagram()
        assert refusal_reason(position, move) == "suicide: the stone would have no liberty"
        assert move not in map(str, position.moves())
        with pytest.raises(IllegalMove, match="suicide: the stone would have no liberty"):
            play_moves(position, move)
        assert position.diagram() == diagram


def test_a_capturing_move_is_not_suicide() -> None:
    position = position_from_picture("go", ". o x\no o x\nx x .\nto move: seat 1")
    assert refusal_reason(position, "a1") is None
    assert play_moves(position, "a1").rows() == ("x.x", "..x", "xx.")


def test_joining_a_chain_with_a_liberty_is_not_suicide() -> None:
    assert refusal_reason(position_from_picture("go", ". x o\nx x o\n. o o\nto move: seat 1"), "a1") is None


def test_suicide_removes_the_own_chain_and_counts_for_the_opponent() -> None:
    position = position_from_picture("go", "x o .\n. o .\no . .\nto move: seat 1", suicide=True)
    assert position.describe_effect(Point(1, 2)) == "removes 2 stones of its own (suicide)"
    after = play_moves(position, "a2")
    assert after.rows() == (".o.", ".o.", "o..")
    assert after.captures == (0, 2)
    assert after.to_move == 2


@pytest.mark.parametrize(
    ("moves", "move", "reason"),
    [
        ("b2", Point(2, 2), "b2 is occupied by black"),
        ("b2 a1", Point(1, 1), "a1 is occupied by white"),
        ("b2", Point(4, 1), "d1 is not on this board"),
        ("b2", Point(0, 0), "0,0 is not on this board"),
        ("b2", (1, 1), "(1, 1) is not on this board"),
        ("b2", "pass", "pass is not on this board"),
        ("b2", None, "None is not on this board"),
        ("b2", [], "[] is not on this board"),
        ("pass pass", Point(1, 1), "the game is over"),
        ("pass pass", PASS, "the game is over"),
    ],
)
def test_an_illegal_move_is_refused_with_the_rule_that_forbids_it(moves: str, move: Any, reason: str) -> None:
    position = position_after("go", moves, size=3)
    assert position.why_illegal(move) == reason
    with pytest.raises(IllegalMove) as error_info:
        position.play(move)
    assert error_info.value.why == reason


def test_moves_are_listed_by_row_and_then_the_pass() -> None:
    position = position_after("go", "b1", size=2)
    assert [position.game.format(move) for move in position.moves()] == ["a1", "a2", "b2", "pass"]
    for text in ("pass", "PASS", "  Pass "):
        assert position.game.parse(text) is PASS
    with pytest.raises(NotAMove, match="like a2"):
        position.game.parse("passen")
    assert position.game.how_to_move() == "Type a column letter and a row, like a2, or pass."
    assert load_stones_game("go", size=2, passing=False).how_to_move() == "Type a column letter and a row, like a2."


def test_two_passes_in_a_row_end_the_game() -> None:
    position = position_after("go", "pass b2 pass", size=3)
    assert position.outcome() is None
    over = play_moves(position, "pass")
    assert final_outcome(over).reason is Reason.SCORE
    assert list(over.moves()) == []
    assert "to move: nobody" in over.diagram()


def test_without_passes_a_player_without_a_move_loses() -> None:
    position = position_after("go", "a1", rows=1, cols=2, passing=False)
    assert refusal_reason(position, "pass") == "passing is not allowed in this game"
    with pytest.raises(IllegalMove, match="passing is not allowed in this game"):
        position.play(PASS)
    over = play_moves(position, "b1")  # captures a1; black could only retake, which is ko
    assert over.rows() == (".o",)
    assert final_outcome(over).ranks == (2, 1)
    assert (final_outcome(over).reason, final_outcome(over).detail, final_outcome(over).scores) == (
        Reason.NO_MOVE,
        "no move left",
        None,
    )


def test_a_board_of_one_point_has_no_legal_stone() -> None:
    assert final_outcome(position_after("go", "", rows=1, cols=1, passing=False)).winner == 2
    draw = final_outcome(position_after("go", "pass pass", rows=1, cols=1))
    assert (draw.ranks, draw.scores) == ((1, 1), (0, 0))


def test_the_move_cap_ends_the_game_and_passes_count() -> None:
    position = position_after("go", "b2 pass a1", size=3, max_moves=4)
    assert position.facts()["moves_left"] == 1
    capped = final_outcome(play_moves(position, "pass"))
    assert (capped.reason, capped.detail) == (Reason.MOVE_CAP, "by 9 points, after 4 moves")
    twice = position_after("go", "a1 b1 pass pass", size=3, max_moves=4)
    assert final_outcome(twice).reason is Reason.SCORE  # two passes say why


def test_the_default_move_cap_is_three_moves_per_point() -> None:
    draw = random.Random(1)
    ends = [list(random_game(load_stones_game("go", rows=2, cols=3).start(), draw))[-1][0] for _ in range(20)]
    capped = [position.moves_played for position in ends if final_outcome(position).reason is Reason.MOVE_CAP]
    assert set(capped) == {18}
    assert max(position.moves_played for position in ends) == 18


def test_facts_contain_captures_passes_ko_moves_left_and_scores() -> None:
    assert position_after("go", "b1 a1 a2 pass", size=3, komi=0.5).facts() == {
        "captures": [1, 0],
        "passes": 1,
        "ko": [],
        "moves_left": 23,
        "scores": [9.0, 0.5],
    }


def effect_sentences(moves: str, **options: Any) -> list[str]:
    *before, last_move = moves.split()
    position = position_after("go", " ".join(before), **options)
    move: Move = position.game.parse(last_move)
    after = position.play(move)
    return [*after.explain_move(position, move).splitlines(), *after.explain().splitlines()]


def test_the_explanation_covers_captures_ataris_and_territory() -> None:
    assert effect_sentences("b1 c1 a2 d2 b3 c3 d4 b2 c2", size=4, komi=6.5) == [
        "Black captured b2 by playing c2, the last liberty of that stone.",
        "In atari: White at c1, whose last liberty is d1.",
        "In atari: Black at c2, whose last liberty is b2.",
        "White may not play b2 now (ko: the board would be as it was after move 8).",
        "Territory of black: 2 points (a1 b2).",
        "Territory of white: 1 point (d1).",
        "If both pass now, all stones alive: black 7, white 10.5 (with a komi of 6.5).",
    ]


def test_the_explanation_names_every_stone_of_a_captured_chain() -> None:
    assert effect_sentences("c1 a1 b2 b1 a2", size=3)[0] == (
        "Black captured a1 b1 by playing a2, the last liberty of that chain."
    )


def test_the_explanation_of_a_finished_game_has_no_ko() -> None:
    """Ko leaves black without a move; after the end it forbids nothing."""
    over = position_after("go", "a1 b1", rows=1, cols=2, passing=False)
    assert final_outcome(over).reason is Reason.NO_MOVE
    assert over.ko_point_names() == ["a1"]
    assert "may not play" not in over.explain()


def test_a_losing_pass_is_warned_of_and_the_end_names_the_rule_about_dead_stones() -> None:
    alive = "Every stone left on the board counts as alive: capture dead stones before you pass"
    game = load("go", size=5, komi=7.5)
    assert game.replay(["c3"]).warning(PASS) is not None  # white has no stone: black has the whole board
    assert game.replay(["c3", "d4", "a1"]).warning(PASS) is None  # white leads by komi
    losing_position = game.replay(["c3", "d4"])
    words = "If white passes too, white wins by 7.5 points (black 1, white 8.5)"
    assert losing_position.warning(PASS) == f"{words}. {alive}"
    second = game.replay(["c3", "d4", "a1", "pass"])
    assert second.warning(PASS) == f"A pass ends the game, white wins by 6.5 points (black 2, white 8.5). {alive}"
    assert second.describe_task() == "White passed. If you pass too, the game ends."
    assert (losing_position.describe_task(), second.play(PASS).describe_task()) == ("", "")
    over = game.replay(["c3", "d4", "pass", "pass"])
    sums = ["Black 1: 1 stone + 0 territory.", "White 8.5: 1 stone + 0 territory + 7.5 komi."]
    assert over.explain().splitlines() == [*sums, f"{alive}."]
