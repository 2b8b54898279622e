"""Dots and Boxes in search, against plain search of all edges. Knows no agents."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search import SearchLimits, alpha_beta, iterative_deepening, max_n, minimax, node_of
from gomogo_core.search.evaluation.dots_and_boxes import evaluate


def random_position(rng: random.Random, undrawn_count: int, **options: Any) -> DotsAndBoxesPosition:
    """Return a position with `undrawn_count` undrawn edges."""
    position = load("dots_and_boxes", **options).start()
    while len(moves := list(position.moves())) > undrawn_count:
        position = position.play(rng.choice(moves))
    assert isinstance(position, DotsAndBoxesPosition)
    return position


def margin(position: DotsAndBoxesPosition) -> int:
    """Return the mover's boxes minus the opponent's at the end, with best play: every edge tried."""
    if position.outcome() is not None:
        own = position.scores[position.to_move - 1]
        return 2 * own - sum(position.scores)
    best_value = -99
    for move in position.moves():
        after = position.play(move)
        assert isinstance(after, DotsAndBoxesPosition)
        value = margin(after)
        best_value = max(best_value, value if after.to_move == position.to_move else -value)
    return best_value


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"rows": 2, "cols": 2}, {"rows": 1, "cols": 4}, {"rows": 2, "cols": 3}], ids=str)
def test_the_searched_edges_give_the_same_value_as_all_edges(options: dict[str, Any]) -> None:
    rng = random.Random(1)
    for _ in range(25):
        position = random_position(rng, 7, **options)
        exact = margin(position)
        for search in (alpha_beta.search, iterative_deepening.search):
            result = search(position, SearchLimits(depth=30))
            if result.nodes:  # a position with one move needs no search
                assert (result.value > 0) - (result.value < 0) == (exact > 0) - (exact < 0)
            after = position.play(result.move)
            assert isinstance(after, DotsAndBoxesPosition)
            reached = margin(after) if after.to_move == position.to_move else -margin(after)
            assert (reached > 0) - (reached < 0) == (exact > 0) - (exact < 0)


def test_available_boxes_count_for_the_player_to_move() -> None:
    position = load("dots_and_boxes", rows=1, cols=3).replay(["h0", "h3", "h1", "h4", "h2", "h5", "v0"])
    assert evaluate(position) == [0, 3]
    assert evaluate(load("dots_and_boxes", players=4).start()) == [0, 0, 0, 0]


def test_one_edge_of_a_chain_and_all_captures_are_tried() -> None:
    game = load("dots_and_boxes", rows=1, cols=3)
    position = game.replay(["h0", "h3", "h1", "h4", "h2", "h5"])
    assert len(node_of(position).moves()) == 1
    assert len(node_of(position).moves_in_game_order()) == 4
    position = position.play(game.parse("v0"))
    assert [game.format(move) for move in node_of(position).moves()] == ["v1"]  # of three boxes one is taken first
    position = position.play(game.parse("v1"))
    assert {game.format(move) for move in node_of(position).moves()} == {"v2", "v3"}


def test_with_three_players_every_edge_is_searched_captures_first() -> None:
    game = load("dots_and_boxes", rows=1, cols=3, players=3)
    position = game.replay(["h0", "h3", "h1", "h4", "h2", "h5", "v0"])
    moves = node_of(position).moves()
    assert game.format(moves[0]) == "v1"
    assert set(moves) == set(position.moves())
    result = max_n.search(position, SearchLimits(depth=3))
    assert position.why_illegal(result.move) is None


def test_a_hint_names_the_taken_boxes() -> None:
    game = load("dots_and_boxes", rows=1, cols=1)
    position = game.replay(["h0", "h1", "v0"])
    assert node_of(position).describe_move(game.parse("v1")) == "takes the last box"


def test_plain_minimax_tries_every_edge() -> None:
    position = random_position(random.Random(4), 6, rows=2, cols=2)
    result = minimax.search(position, SearchLimits(depth=30))
    assert (result.value > 0) - (result.value < 0) == (margin(position) > 0) - (margin(position) < 0)
