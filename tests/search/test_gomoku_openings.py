"""Search in openings with a choice of colours, and with Renju's forbidden points.

Knows no evaluation.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import BLACK, WHITE, Choice
from gomogo_core.search import SearchLimits, alpha_beta, iterative_deepening, minimax, node_of, plies_to_end
from tests.search._positions import gomoku_position_after, load_gomoku, position_with_stones, random_gomoku_position

seeds = st.integers(0, 2**32)
bounded = settings(max_examples=30, deadline=None, derandomize=True, database=None)


def test_a_strong_first_stone_is_taken_over() -> None:
    assert str(alpha_beta.search(gomoku_position_after("h8", opening="takeover"), SearchLimits(depth=2)).move) == "h8"
    assert (
        str(
            iterative_deepening.search(gomoku_position_after("h8", opening="takeover"), SearchLimits(nodes=20_000)).move
        )
        == "h8"
    )


def test_a_first_stone_in_the_corner_is_not_taken_over() -> None:
    result = alpha_beta.search(gomoku_position_after("a1", opening="takeover"), SearchLimits(depth=2))
    assert str(result.move) not in ("a1", "b1", "a2", "b2")


def test_the_first_stone_under_takeover_avoids_the_centre() -> None:
    first = alpha_beta.search(gomoku_position_after(opening="takeover"), SearchLimits(depth=2)).move
    assert isinstance(first, Point)
    assert min(first.column, first.row) <= 3  # near the edge
    assert (
        str(alpha_beta.search(gomoku_position_after(), SearchLimits(depth=2)).move) == "h8"
    )  # where taking it over is not allowed


@pytest.mark.parametrize(
    ("stones", "choice"),
    [
        ("h8 a1 h9", Choice.SWAP),  # black stands better, and the second player has white
        ("a1 h8 o15", Choice.STAY),  # white stands better
    ],
)
def test_the_better_colour_is_chosen(stones: str, choice: Choice) -> None:
    position = gomoku_position_after(stones, opening="swap")
    assert alpha_beta.search(position, SearchLimits(depth=3)).move is choice
    assert iterative_deepening.search(position, SearchLimits(nodes=20_000)).move is choice


def test_the_stones_of_an_opening_are_balanced() -> None:
    """After two stones that favour nobody much, the third may not make an open three's beginnings for one side."""
    position = gomoku_position_after("h8 i9", opening="swap")
    third = alpha_beta.search(position, SearchLimits(depth=2)).move
    imbalance = abs(node_of(position.play(third)).value())
    values = [abs(node_of(position.play(move)).value()) for move in node_of(position).moves()]
    assert imbalance == min(values)


@pytest.mark.slow
@bounded
@given(seeds, st.sampled_from(["takeover", "swap", "swap2"]))
def test_an_opening_is_played_to_the_end_by_legal_moves(seed: int, opening: str) -> None:
    rng = random.Random(seed)
    position = load_gomoku(size=rng.choice([6, 9]), line=4, opening=opening).start()
    while position.outcome() is None:
        search = rng.choice([minimax.search, alpha_beta.search, iterative_deepening.search])
        position = position.play(search(position, SearchLimits(depth=2, nodes=300)).move)


# Black: a double three on h8 from g7 i9 and h7 h9; a double four; an overline.
FORBIDDEN = [
    ("g8 i8 h7 h9", "h8"),
    ("f8 g8 h8 i5 i6 i7", "i8"),
    ("e8 f8 g8 i8 j8", "h8"),
]


@pytest.mark.parametrize(("black", "point"), FORBIDDEN)
def test_black_does_not_play_a_forbidden_point(black: str, point: str) -> None:
    white = "" if point != "i8" else "e8 i4"
    position = position_with_stones(black, white, renju=True)
    assert position.game.board.parse(point) in position.forbidden_points()
    for search in (minimax.search, alpha_beta.search, iterative_deepening.search):
        for depth in (1, 2):
            assert str(search(position, SearchLimits(depth=depth)).move) != point
        assert str(search(position, SearchLimits(nodes=1)).move) != point


def test_a_forbidden_stone_loses_in_the_search() -> None:
    position = position_with_stones("g8 i8 h7 h9", "", renju=True)
    node = node_of(position).child_after(position.game.board.parse("h8"))
    assert node.is_over
    assert plies_to_end(node.value()) == 1
    assert node.value() > 0  # for white, to move


def test_two_fours_win_for_white_and_for_black_without_renju() -> None:
    rows, ends = "f8 g8 h8 i5 i6 i7", "e8 i4"
    assert node_of(position_with_stones(rows, ends, BLACK, renju=True)).certain_value() is None
    for verdict in (
        node_of(position_with_stones(rows, ends, WHITE, renju=True)).certain_value(),
        node_of(position_with_stones(rows, ends, BLACK)).certain_value(),
    ):
        assert verdict is not None
        assert plies_to_end(verdict) == 3


def test_white_wins_by_a_four_with_a_forbidden_stop() -> None:
    """White's four f4 g4 h4 i4 leaves j4 alone, where black would make a double three of j5 j6 and h2 i3 … k5."""
    position = position_with_stones("f4 g4 h4", "e4 j5 j6 i3 k5", WHITE, renju=True)
    assert (
        position.game.board.parse("j4")
        in position_with_stones("e4 j5 j6 i3 k5", "f4 g4 h4", BLACK, renju=True).forbidden_points()
    )
    result = alpha_beta.search(position, SearchLimits(depth=2))
    assert str(result.move) == "i4"
    assert plies_to_end(result.value) == 3


@bounded
@given(seeds)
def test_under_renju_nodes_end_with_the_game(seed: int) -> None:
    rng = random.Random(seed)
    position = random_gomoku_position(rng, load_gomoku(size=rng.choice([8, 15]), renju=True), rng.randint(6, 40))
    node = node_of(position)
    for move in [] if node.is_over else node.moves_in_game_order():
        outcome, child = position.play(move).outcome(), node.child_after(move)
        assert child.is_over == (outcome is not None)
        if outcome is not None and outcome.winner is not None:
            assert (child.value() > 0) == (outcome.winner == child.to_move)
