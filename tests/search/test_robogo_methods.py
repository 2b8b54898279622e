"""Search of Robogo: equal values where methods must agree, legal moves, and known results of small boards.

Knows no evaluation.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.games.base import Position
from gomogo_core.search import (
    SearchLimits,
    SearchResult,
    alpha_beta,
    iterative_deepening,
    minimax,
    node_of,
    plies_to_end,
)
from gomogo_core.search.evaluation.robogo import node
from gomogo_core.search.node import INFINITY
from tests.search._robogo_positions import load_robogo, random_robogo_game, random_robogo_position, robogo_position

bounded = settings(max_examples=50, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)
Search = Callable[[Position, SearchLimits], SearchResult]
SEARCHES: list[Search] = [minimax.search, alpha_beta.search, iterative_deepening.search]


@bounded
@given(seeds, st.integers(1, 3))
def test_alpha_beta_finds_the_value_that_minimax_finds(seed: int, depth: int) -> None:
    rng = random.Random(seed)
    position = random_robogo_position(rng, random_robogo_game(rng, line=rng.choice([3, 4])), rng.randint(0, 20))
    if position.outcome() is None:
        depth = min(depth, 2) if position.board.empty_mask.bit_count() > 16 else depth
        plain = minimax.search(position, SearchLimits(depth=depth))
        assert alpha_beta.search(position, SearchLimits(depth=depth)).value == plain.value


@bounded
@given(seeds, st.sampled_from([1, 2]))
def test_search_methods_agree_with_limited_jumps(seed: int, max_jump: int) -> None:
    rng = random.Random(seed)
    root = node(
        random_robogo_position(rng, random_robogo_game(rng, 6, line=rng.choice([3, 4])), rng.randint(1, 20)),
        max_jump=max_jump,
    )
    if not root.is_over:
        plain = minimax.best_line(root, 2, SearchLimits()).value
        assert alpha_beta.best_line(root, 2, -INFINITY, INFINITY, SearchLimits()).value == plain


@bounded
@given(seeds)
def test_iterative_deepening_agrees_that_a_game_is_decided(seed: int) -> None:
    """Its extensions may see a win sooner than alpha-beta does, but never one that is not there."""
    rng = random.Random(seed)
    position = random_robogo_position(rng, random_robogo_game(rng, 4, line=3), rng.randint(2, 14))
    if position.outcome() is None:
        deep = iterative_deepening.search(position, SearchLimits(depth=4))
        if plies_to_end(deep.value) is not None:
            longer = alpha_beta.search(position, SearchLimits(depth=7, nodes=50_000))
            if longer.depth == 7:
                assert (deep.value > 0) == (longer.value > 0)


@bounded
@given(seeds, st.sampled_from(SEARCHES), st.integers(1, 400))
def test_every_limit_of_a_robogo_search_gives_legal_moves(seed: int, search: Search, nodes: int) -> None:
    rng = random.Random(seed)
    position: Position = random_robogo_position(rng, random_robogo_game(rng, 9), rng.randint(0, 60))
    if position.outcome() is None:
        result = search(position, SearchLimits(nodes=nodes))
        for move in result.variation:
            position = position.play(move)


def test_three_in_a_row_on_nine_points_takes_seven_plies() -> None:
    result = alpha_beta.search(load_robogo(size=3, line=3, ko="simple", passing=False).start(), SearchLimits(depth=7))
    assert plies_to_end(result.value) == 7
    assert result.value > 0


def test_three_in_a_row_without_captures_is_a_draw() -> None:
    game = load_robogo(size=3, line=3, ko="simple", passing=False, captures=False)
    assert alpha_beta.search(game.start(), SearchLimits()).value == 0


HELD = "....... ....... ....... .xxox.. ...x... ....... o.o.o.o"


@pytest.mark.parametrize("search", SEARCHES)
def test_a_capture_opens_a_row_that_suicide_protects(search: Search) -> None:
    """x on d3 takes the stone on d4; o there again would be suicide."""
    result = search(robogo_position(HELD, 1, line=4), SearchLimits(depth=3))
    assert str(result.move) == "d3"
    assert plies_to_end(result.value) == 3


@pytest.mark.parametrize("search", SEARCHES[1:])
def test_without_captures_the_same_stone_holds_the_row(search: Search) -> None:
    assert plies_to_end(search(robogo_position(HELD, 1, line=4, captures=False), SearchLimits(depth=3)).value) is None


def test_the_search_respects_max_jump() -> None:
    position = load_robogo(size=7, line=4).replay(["d4"])
    for max_jump in (1, 2):
        move = iterative_deepening.search_node(node(position, max_jump=max_jump), SearchLimits(depth=2)).move
        assert move in node(position, max_jump=max_jump).moves_in_game_order()


@pytest.mark.long
def test_the_first_player_wins_four_in_a_row_on_five_by_five() -> None:
    """Search chooses the first player's moves; each answer is tried, and the rules alone say who has won."""
    game = load_robogo(size=5)
    position = game.start().play(game.parse("e2"))
    known_results: dict[object, int] = {}

    def wins(position: Position) -> int:
        """Return the largest number of plies in which the first player wins."""
        if (outcome := position.outcome()) is not None:
            assert outcome.winner == 1, str(position)
            return 0
        key = position.key()
        if key not in known_results:
            if position.to_move == 1:
                answers = [iterative_deepening.search(position, SearchLimits(nodes=20_000_000)).move]
            else:
                answers = list(position.moves())
            known_results[key] = 1 + max(wins(position.play(move)) for move in answers)
        return known_results[key]

    assert wins(position) <= 30
    assert node_of(position).certain_value() is None
