"""Random playouts of Go. Knows no tree."""

from __future__ import annotations

import random
from statistics import fmean, stdev
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.eyes import eye_mask
from gomogo_core.search.playouts import go as go_playouts
from gomogo_core.search.playouts.stones import play_random_game


def start(**options: Any) -> GoFamilyPosition:
    position = load("go", **options).start()
    assert isinstance(position, GoFamilyPosition)
    return position


@pytest.mark.parametrize("options", [{"size": 6}, {"size": 5, "suicide": True, "ko": "situational"}, {"rows": 1}])
def test_random_playouts_fill_no_eye_and_pass_last(options: dict[str, Any]) -> None:
    rng = random.Random(1)
    for _ in range(30):
        position = start(**options)
        end, moves = play_random_game(position, rng.random)
        for seat, move in moves:
            assert position.to_move == seat
            own = eye_mask(position.board, seat)
            if move is PASS:
                assert position.legal_mask & ~own == 0
            else:
                assert not own >> position.game.bit_geometry.index_of[move] & 1  # type: ignore[index]
            following = position.play(move)
            assert isinstance(following, GoFamilyPosition)
            position = following
        assert position == end
        assert end.outcome() is not None or len(moves) == 4 * end.game.board.area


def test_without_passes_playouts_fill_eyes_last() -> None:
    for seed in range(20):
        end, moves = play_random_game(start(size=3, passing=False), random.Random(seed).random)
        assert PASS not in [move for _, move in moves]
        assert end.outcome() is not None


def test_the_tree_has_a_pass_instead_of_moves_into_eyes() -> None:
    game = load("go", size=3)
    position = game.from_diagram(". x .\nx x .\n. . o\nto move: seat 1")
    assert isinstance(position, GoFamilyPosition)
    moves = go_playouts.node(position).moves()
    assert [game.format(move) for move in moves] == ["c1", "c2", "a3", "b3", "pass"]


def assert_known_statistics(games: int) -> None:
    """Moves per game, games that black wins, and its lead, within three standard errors of the known values."""
    lengths, wins, leads = [], [], []
    rng = random.Random(7)
    for _ in range(games):
        end, moves = play_random_game(start(size=9, komi=7.5), rng.random)
        black, white = (end.outcome() or pytest.fail("not over")).scores or (0, 0)
        lengths.append(float(len(moves)))
        wins.append(float(black > white))
        leads.append(black - white + 7.5)
    for expected_mean, samples in ((111.0, lengths), (0.423, wins), (2.48, leads)):
        assert abs(fmean(samples) - expected_mean) < 3 * stdev(samples) / games**0.5 + 0.01 * expected_mean


def test_playouts_have_the_published_length_and_balance() -> None:
    assert_known_statistics(200)


@pytest.mark.long
def test_many_playouts_have_the_published_length_and_balance() -> None:
    assert_known_statistics(10_000)
