"""The agents play legal moves with any options and as they promise, and they have an order of strength.

The tests call agents as functions, without processes and files. The full matches take minutes: `make bars`.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Position
from tests.agents._matches import Match, Side, agent, clock, lower_bound
from tests.search._positions import gomoku_position_after, position_with_stones
from tests.search.test_methods import HeapsGame

NAMES = ("random_mover", "greedy", "minimax", "alpha_beta", "iterative_deepening")
every_agent = pytest.mark.parametrize("name", NAMES)


@every_agent
@pytest.mark.parametrize(
    "options",
    [
        {"size": 15},
        {"size": 26},
        {"size": 6, "line": 4, "opening": "takeover"},
        {"size": 9, "exact": True, "opening": "swap"},
        {"size": 9, "renju": True, "opening": "swap2"},
        {"size": 5, "line": 5},
    ],
    ids=str,
)
def test_every_agent_plays_legal_moves_with_all_options(name: str, options: dict[str, Any]) -> None:
    random.seed(3)
    position: Position = load("gomoku", **options).start()
    for _ in range(12):
        if position.outcome() is None:
            position = position.play(agent(name)(position, clock(0.03)))


@every_agent
@pytest.mark.parametrize("players", [2, 3])
def test_every_agent_plays_any_game_with_any_number_of_players(name: str, players: int) -> None:
    position = HeapsGame(players, (9, 8, 5, 4, 3)).start()
    while position.outcome() is None:
        position = position.play(agent(name)(position, clock(0.03)))


@pytest.mark.parametrize("name", ["minimax", "alpha_beta"])
def test_a_search_too_deep_for_the_clock_is_cut_off(name: str) -> None:
    position = gomoku_position_after("h8 i9 h9 h10")
    assert position.why_illegal(agent(name)(position, clock(0.05), depth=12)) is None


def test_greedy_prefers_its_own_five_to_stopping_the_opponents() -> None:
    random.seed(1)
    assert str(agent("greedy")(position_with_stones("f8 g8 h8 i8", "e8 c3 c4 c5 c6"), clock(1))) == "j8"
    assert str(agent("greedy")(position_with_stones("e8 h3 h4 h5", "f8 g8 h8 i8"), clock(1))) == "j8"
    assert str(agent("greedy")(position_with_stones("e8", "f8 g8 i8 j8"), clock(1))) == "h8"


def test_greedy_prefers_stopping_a_row_to_making_an_equal_one() -> None:
    random.seed(1)
    assert str(agent("greedy")(position_with_stones("c3 c4 c5", "g9 h9 i9"), clock(1))) in ("f9", "j9")


def test_greedy_picks_at_random_among_the_best() -> None:
    random.seed(1)
    position = position_with_stones("h8", "a1")
    assert len({str(agent("greedy")(position, clock(1))) for _ in range(60)}) > 3


def test_greedy_avoids_forbidden_points() -> None:
    random.seed(1)
    position = position_with_stones("g8 i8 h7 h9", "", renju=True)
    assert all(str(agent("greedy")(position, clock(1))) != "h8" for _ in range(20))


NEAR = tuple(f"{column}{row}" for column in "efghijk" for row in range(5, 12))  # the centre


def match(first: str, second: str) -> Match:
    return Match(Side(first), Side(second), "gomoku", moves=4, first_moves=NEAR)


@pytest.mark.parametrize(("games", "least_points"), [(40, 27), (20, 15)])
def test_the_required_points_exclude_equal_strength(games: int, least_points: int) -> None:
    assert lower_bound(least_points - 1, games) < 0.5 < lower_bound(least_points, games)


def test_greedy_beats_random_moves() -> None:
    assert match("greedy", "random_mover").total_score(4) == 4


def test_alpha_beta_beats_random_moves() -> None:
    assert match("alpha_beta", "random_mover").total_score(4) == 4


@pytest.mark.long
@pytest.mark.parametrize(
    ("stronger", "weaker", "least_points"),
    [("greedy", "random_mover", 39), ("alpha_beta", "greedy", 27), ("iterative_deepening", "alpha_beta", 27)],
)
def test_forty_games_at_one_second_per_move_show_the_stronger_agent(
    stronger: str, weaker: str, least_points: int
) -> None:
    assert match(stronger, weaker).check_stronger_in_forty_games() >= least_points
