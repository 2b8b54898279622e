"""Capture Go: targets, ties, two passes, and the absence of ko, territory and a move cap.

Leaves out the rules that it shares with Go, which test_go proves.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import BadOption, Outcome, Reason
from gomogo_core.games.boards.points import Point
from tests.games._stones import (
    final_outcome,
    load_stones_game,
    play_moves,
    position_after,
    position_from_picture,
    random_game,
    refusal_reason,
)


def test_the_default_target_is_one_capture() -> None:
    assert load("capture_go").options == {
        "size": 19,
        "rows": 19,
        "cols": 19,
        "passing": True,
        "suicide": False,
        "target": 1,
    }


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"target": 0}, "target 0 is too small: capture_go needs 1 to 625"),
        ({"target": 626}, "target 626 is too large: capture_go needs 1 to 625"),
        ({"target": 1.5}, "target 1.5 is not a whole number"),
        ({"ko": "simple"}, "capture_go has no option 'ko'."),
        ({"komi": 1}, "capture_go has no option 'komi'."),
        ({"max_moves": 9}, "capture_go has no option 'max_moves'."),
    ],
)
def test_an_invalid_option_is_refused_with_the_reason(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadOption) as error_info:
        load("capture_go", **options)
    assert error_info.value.problem == problem


def test_the_first_capture_wins() -> None:
    over = position_after("capture_go", "b1 a1 a2", size=3)
    assert over.outcome() == Outcome((1, 2), Reason.CAPTURES, "by 1 capture", (1, 0))
    assert over.rows() == (".x.", "x..", "...")
    assert list(over.moves()) == []
    assert refusal_reason(over, "c3") == "the game is over"


TWO_CHAINS = ". o x x\no x . .\nx . . .\n. . . .\nto move: seat 1"  # black may take b1 and a2 at a1


@pytest.mark.parametrize("target", [1, 2])
def test_each_stone_of_one_capture_counts(target: int) -> None:
    over = play_moves(position_from_picture("capture_go", TWO_CHAINS, target=target), "a1")
    assert over.outcome() == Outcome((1, 2), Reason.CAPTURES, "by 2 captures", (2, 0))


def test_below_the_target_the_game_continues() -> None:
    position = play_moves(position_from_picture("capture_go", TWO_CHAINS, target=5), "a1")
    assert position.outcome() is None
    assert position.captures == (2, 0)
    assert position.facts() == {"captures": [2, 0], "passes": 0}


def test_the_target_can_be_exceeded() -> None:
    """Five win; a player with four who captures two has six."""
    over = play_moves(position_from_picture("capture_go", TWO_CHAINS + "\ncaptures: 4 3", target=5), "a1")
    assert over.outcome() == Outcome((1, 2), Reason.CAPTURES, "by 3 captures", (6, 3))


def test_a_diagram_with_both_at_the_target_has_no_winner() -> None:
    """No game reaches this position, and the order of captures is unknown: it goes on until one player has more."""
    position = position_from_picture("capture_go", TWO_CHAINS + "\ncaptures: 5 5", target=5)
    assert position.outcome() is None
    assert play_moves(position, "a1").outcome() == Outcome((1, 2), Reason.CAPTURES, "by 2 captures", (7, 5))


@pytest.mark.parametrize(
    ("captures", "expected"),
    [
        ("3 1", Outcome((1, 2), Reason.CAPTURES, "by 2 captures", (3, 1))),
        ("3 4", Outcome((2, 1), Reason.CAPTURES, "by 1 capture", (3, 4))),
        ("3 3", Outcome((1, 1), Reason.TWO_PASSES, "two passes", (3, 3))),
        ("0 0", Outcome((1, 1), Reason.TWO_PASSES, "two passes", (0, 0))),
    ],
)
def test_after_two_passes_more_captures_win(captures: str, expected: Outcome) -> None:
    once = play_moves(
        position_from_picture("capture_go", f". x .\n. o .\n. . .\ncaptures: {captures}", target=5), "pass"
    )
    assert once.outcome() is None
    assert play_moves(once, "pass").outcome() == expected


def test_capture_go_has_no_ko() -> None:
    """A stone may be retaken again and again: it costs one stone each time, until a player has five."""
    position = position_from_picture("capture_go", ". x o .\nx o . o\n. x o .", target=5)
    boards = []
    while position.outcome() is None:
        position = play_moves(position, "c2" if position.to_move == 1 else "b2")
        boards.append(position.captures)
    assert boards[:3] == [(1, 0), (1, 1), (2, 1)]
    assert final_outcome(position) == Outcome((1, 2), Reason.CAPTURES, "by 1 capture", (5, 4))
    assert "ko" not in position.diagram()


def test_suicide_is_illegal_or_costs_the_own_stones() -> None:
    picture = ". o .\no . .\n. . x"
    assert (
        refusal_reason(position_from_picture("capture_go", picture + "\nto move: seat 1"), "a1")
        == "suicide: the stone would have no liberty"
    )
    over = play_moves(position_from_picture("capture_go", picture + "\nto move: seat 1", suicide=True), "a1")
    assert over.outcome() == Outcome((2, 1), Reason.CAPTURES, "by 1 capture", (0, 1))


def test_without_passes_a_player_without_a_move_loses() -> None:
    over = final_outcome(position_after("capture_go", "", rows=1, cols=1, passing=False))
    assert (over.winner, over.reason, over.detail) == (2, Reason.NO_MOVE, "no move left")
    stuck = position_from_picture("capture_go", ". x .\nx x .\n. . o\nto move: seat 2", passing=False)
    assert stuck.outcome() is None
    assert refusal_reason(stuck, "pass") == "passing is not allowed in this game"


@pytest.mark.parametrize("suicide", [False, True])
def test_random_games_of_capture_go_end_without_a_move_cap(suicide: bool) -> None:
    draw = random.Random(4)
    longest = 0
    for _ in range(5):
        game = load_stones_game("capture_go", rows=2, cols=3, target=60, suicide=suicide, passing=False)
        last_position = list(random_game(game.start(), draw))[-1][0]
        assert final_outcome(last_position).reason in (Reason.CAPTURES, Reason.NO_MOVE)
        longest = max(longest, last_position.moves_played)
    assert longest > 3 * 6


def test_captures_are_part_of_the_position() -> None:
    """Captures decide here; in Go they do not, and the same stones are the same position."""
    first_picture, other = "x . .\n. . .\n. . .\ncaptures: 2 2", "x . .\n. . .\n. . .\ncaptures: 2 1"
    assert position_from_picture("capture_go", first_picture, target=5) != position_from_picture(
        "capture_go", other, target=5
    )
    assert position_from_picture("go", first_picture) == position_from_picture("go", other)


def test_the_explanation_counts_captures_and_the_target() -> None:
    position = position_after("capture_go", "b1 a1 a2", size=3, target=5)
    before = position_after("capture_go", "b1 a1", size=3, target=5)
    assert before.describe_effect(Point(1, 2)) == "captures 1 stone"
    assert (
        position.explain_move(before, Point(1, 2)) == "Black captured a1 by playing a2, the last liberty of that stone."
    )
    assert position.explain() == "Captures: black 1, white 0. The first player with 5 captures wins."
    first = position_after("capture_go", "b1", size=3, target=1)
    assert first.explain() == "Captures: black 0, white 0. The first player with 1 capture wins."
