"""Positions with one right answer: wins to find, and threats to stop.

Knows no evaluation; nodes are limited rather than time, so that a slow machine answers the same.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gomogo_core.games.base import Position
from gomogo_core.games.gomoku import BLACK, WHITE
from gomogo_core.search import (
    SearchLimits,
    SearchResult,
    alpha_beta,
    iterative_deepening,
    minimax,
    node_of,
    plies_to_end,
)
from gomogo_core.search.vcf import VcfSearch
from tests.search._positions import position_with_stones

Search = Callable[[Position, SearchLimits], SearchResult]
SEARCHES = {"minimax": minimax.search, "alpha_beta": alpha_beta.search, "deepening": iterative_deepening.search}
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
both_colours = pytest.mark.parametrize("colour", [BLACK, WHITE])


@every_search
@both_colours
@pytest.mark.parametrize(
    ("mine", "opponent_stones", "answers"),
    [
        ("f8 g8 h8 i8", "e8", "j8"),  # five
        ("f8 g8 i8 j8", "e8 k8", "h8"),  # five, by the gap
        ("f8 g8 h8 i8", "c3 d3 e3 f3", "e8 j8"),  # its own five comes before the opponent's
        ("e8 h3", "f8 g8 h8 i8", "j8"),  # stop a four
        ("h3", "f8 g8 i8 j8", "h8"),  # stop a broken four
        ("g8 h8 i8", "", "e8 f8 j8 k8"),  # an open three becomes an open four, or two fours
        ("c3 c4", "g8 h8 i8", "e8 f8 j8 k8"),  # stop an open three, from either side
        ("f8 g8 h8 i5 i6 i7", "e8 i4", "i8"),  # two fours at once
    ],
)
def test_the_search_finds_the_answer(
    search: Search, mine: str, opponent_stones: str, answers: str, colour: int
) -> None:
    result = search(position_with_stones(mine, opponent_stones, colour), SearchLimits(depth=2))
    assert str(result.move) in answers.split()


@every_search
def test_the_shorter_of_two_wins_is_played(search: Search) -> None:
    """An open three would win too, in three plies."""
    result = search(position_with_stones("g8 h8 i8 c3 c4 c5 c6", "c2"), SearchLimits(depth=2))
    assert (str(result.move), plies_to_end(result.value)) == ("c7", 1)


@pytest.mark.parametrize("search", [alpha_beta.search, iterative_deepening.search])
def test_a_lost_side_chooses_the_longest_defence(search: Search) -> None:
    """Two open threes against: a four of its own delays the end, and nothing prevents it."""
    position = position_with_stones("c12 d12 e12", "b12 g8 h8 i8 k3 k4 k5")
    result = search(position, SearchLimits(depth=4))
    assert str(result.move) in ("f12", "g12")
    assert plies_to_end(result.value) == 6
    assert result.value < 0


@both_colours
def test_two_joining_threes_win_in_five_plies(colour: int) -> None:
    """g8 h8 and j5 j6 meet on j8: two open threes with one stone."""
    result = alpha_beta.search(position_with_stones("g8 h8 j5 j6", "c3 c12 m12", colour), SearchLimits(depth=4))
    assert plies_to_end(result.value) == 5
    assert result.value > 0


LONG = [
    ("j4 i5 h6 g7 i7 h8 i8 j8 g9 h9", "k3 g5 g6 i6 h7 f8 g8 i9 f10 g10"),
    ("k5 h6 k6 k7 h8 i8 h9 j9 g10 n10 m11", "i7 j7 j8 k8 g9 k9 h10 k10 l10 m10 f11"),
    ("g6 g7 h8 j8 g9 i9 f10 k10 i11 k11 j12 k12", "f6 f7 i7 f8 k9 g10 h10 i10 j10 e11 j11 k13"),
]


@both_colours
@pytest.mark.parametrize(("mine", "opponent_stones"), LONG)
def test_a_win_by_fours_in_thirteen_plies_is_found(mine: str, opponent_stones: str, colour: int) -> None:
    position = position_with_stones(mine, opponent_stones, colour)
    result = iterative_deepening.search(position, SearchLimits(nodes=500))
    assert plies_to_end(result.value) == 13
    assert result.value > 0
    assert len(result.variation) == 10  # and then an open four, or two fours
    for move, forced in zip(result.variation[::2], result.variation[1::2], strict=True):
        position = position.play(move)
        assert node_of(position).only_move() == forced
        position = position.play(forced)


def test_a_search_of_four_plies_misses_a_long_win_by_fours() -> None:
    assert plies_to_end(alpha_beta.search(position_with_stones(*LONG[1]), SearchLimits(depth=4)).value) is None


@pytest.mark.parametrize(("mine", "opponent_stones"), LONG)
def test_a_missing_stone_removes_the_win_by_fours(mine: str, opponent_stones: str) -> None:
    stones = mine.split()
    wins = [
        VcfSearch(SearchLimits()).find_forced_win(
            node_of(position_with_stones(" ".join(stones[:i] + stones[i + 1 :]), opponent_stones)), 500
        )
        is not None
        for i in range(len(stones))
    ]
    assert not all(wins)


def test_a_block_that_makes_five_refutes_a_win_by_fours() -> None:
    """f8 g8 h8 make a four at i8, but it is stopped at j8, where the opponent's own row is waiting."""
    position = position_with_stones("f8 g8 h8", "e8 j5 j6 j7 j9")
    assert VcfSearch(SearchLimits()).find_forced_win(node_of(position), 500) is None
    assert str(iterative_deepening.search(position, SearchLimits(nodes=2000)).move) == "j8"
