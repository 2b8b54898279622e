"""Positions set up by stones are reached by moves, or refused with the reason."""

from __future__ import annotations

import pytest

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import Seat
from gomogo_core.records.board_setup import edges_to_set_up, moves_to_set_up


@pytest.mark.parametrize(
    ("name", "stones", "to_move"),
    [
        ("go", {1: ["a1", "c3", "e5"]}, 1),
        ("go", {1: ["a1", "c3", "e5"]}, 2),
        ("go", {2: ["b2", "b1"], 1: ["a1"]}, 1),
        ("capture_go", {2: ["a2", "d4"]}, 2),
        ("gomoku", {1: ["a1", "a2", "a3"], 2: ["c3", "c4"]}, None),
        ("robogo", {1: ["a1"], 2: ["c3", "c4"]}, 2),
    ],
)
def test_a_set_up_board_has_exactly_the_given_stones(
    name: str, stones: dict[Seat, list[str]], to_move: Seat | None
) -> None:
    game = games.load(name, size=5)
    position = game.replay(moves_to_set_up(game, stones, to_move))
    assert position.outcome() is None
    assert to_move in (None, position.to_move)
    stones_by_seat = {
        f"{'abcde'[column]}{row}": mark
        for row, line in enumerate(position.rows(), 1)
        for column, mark in enumerate(line)
        if mark in "xo"
    }
    moves = moves_to_set_up(game, stones, to_move)
    if name == "go" and len(stones) == 2:
        assert moves[-1] != "pass", "another pass would end the game"
    assert stones_by_seat == {point: "xo"[seat - 1] for seat, points in stones.items() for point in points}


@pytest.mark.parametrize(
    ("name", "stones", "to_move", "message"),
    [
        ("gomoku", {1: ["a1", "a2", "a3"]}, None, "no passes"),
        ("gomoku", {1: ["a1"], 2: ["b1"]}, 2, "no passes"),
        ("go", {1: ["a1"], 2: ["a1"]}, None, "a1 has two stones"),
        ("go", {1: ["a1"], 2: ["b1", "a2"]}, None, "cannot be set up"),
        ("go", {1: ["z9"]}, None, "is no point of the board"),
        ("gomoku", {1: ["a1", "a2", "a3", "a4", "a5"], 2: ["c1", "c2", "c3", "c5"]}, None, "cannot be set up"),
        ("dots_and_boxes", {1: ["h0"]}, None, "cannot be set up in this game"),
    ],
)
def test_an_impossible_position_is_refused(
    name: str, stones: dict[Seat, list[str]], to_move: Seat | None, message: str
) -> None:
    game = games.load(name) if name == "dots_and_boxes" else games.load(name, size=5)
    with pytest.raises(UserError, match=message):
        moves_to_set_up(game, stones, to_move)


def test_edges_are_set_up_in_an_order_after_which_the_chosen_player_is_to_move() -> None:
    game = games.load("dots_and_boxes", rows=2, cols=3)
    two_boxes = ["h0", "h1", "v0", "v1", "v2", "h3", "h4"]  # the edge v1 closes both boxes at once, or none of them
    for seat in (1, 2):
        order = edges_to_set_up(game, two_boxes, seat)
        assert sorted(order) == sorted(two_boxes)
        assert game.replay(order).to_move == seat
    with pytest.raises(UserError, match="This player cannot be to move after 1 edge"):
        edges_to_set_up(game, ["h0"], 1)
