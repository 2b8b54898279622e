"""The boards and options for the checks of an agent, found from a game's declared options."""

from __future__ import annotations

import pytest

from gomogo_core import games
from gomogo_core.conformance.variants import nearly_finished_game, small_game, variant_text, variants
from gomogo_core.games import load


def test_variants_cover_extremes_and_words_of_each_option() -> None:
    assert [variant_text(game) for game in variants("gomoku")] == [
        "gomoku -o size=5",
        "gomoku -o size=26",
        "gomoku -o line=3",
        "gomoku -o exact=True",
        "gomoku -o renju=True",
        "gomoku -o opening=takeover",
        "gomoku -o opening=swap",
        "gomoku -o opening=swap2",
    ]


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_variants_and_a_small_board(name: str) -> None:
    assert list(variants(name))
    assert small_game(name, 5).start().outcome() is None


def test_a_small_board_is_between_the_minimum_and_the_default() -> None:
    assert small_game("gomoku", 7).options["size"] == 7
    assert small_game("gomoku", 2).options["size"] == 5
    assert small_game("gomoku", 99) == load("gomoku")


def test_a_nearly_full_board_leaves_the_first_player_one_move() -> None:
    position = load("gomoku", size=5).replay([ply.move for ply in nearly_finished_game(load("gomoku", size=5), 1)])
    assert position.to_move == 1
    assert len(list(position.moves())) == 1


def test_a_nearly_full_board_leaves_the_second_player_two_moves() -> None:
    position = load("gomoku", size=5).replay([ply.move for ply in nearly_finished_game(load("gomoku", size=5), 2)])
    assert position.to_move == 2
    assert len(list(position.moves())) == 2
