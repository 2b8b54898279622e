"""Go's scores: stones, territory or both, komi, equal scores, and points that do not count.

Leaves out the end of a game, which test_go proves.
"""

from __future__ import annotations

import random

import pytest

from gomogo_core.games.base import Reason
from gomogo_core.games.go import GoPosition, score
from gomogo_core.games.stones.board import StoneBoard
from tests.games._stones import (
    all_boards,
    final_outcome,
    load_stones_game,
    play_moves,
    position_after,
    position_from_picture,
    random_game_without_filled_eyes,
)

AREAS = """
. x . o .
x x x o o
. . x o .
. . x o o
. . x o .
passes: 1
"""  # seven stones each; seven empty points are black's, three white's, and c1 touches both


@pytest.mark.parametrize(("scoring", "black", "white"), [("stone", 7, 7), ("territory", 7, 3), ("area", 14, 10)])
def test_each_scoring_counts_stones_territory_or_both(scoring: str, black: int, white: int) -> None:
    over = play_moves(position_from_picture("go", AREAS, scoring=scoring), "pass")
    assert final_outcome(over).scores == (black, white)
    assert over.facts()["scores"] == [black, white]


def test_prisoners_do_not_count() -> None:
    over = play_moves(position_from_picture("go", AREAS + "captures: 9 3", scoring="territory"), "pass")
    assert final_outcome(over).scores == (7, 3)


def test_every_stone_on_the_board_counts_as_alive() -> None:
    """White's stone in the middle of black's area stands, and spoils it."""
    over = position_after("go", "pass c3 b2 pass pass", size=5)
    assert final_outcome(over).scores == (1, 1)


@pytest.mark.parametrize(
    ("komi", "ranks", "detail", "scores"),
    [
        (0, (1, 2), "by 9 points", (9, 0)),
        (8, (1, 2), "by 1 point", (9, 8)),
        (8.5, (1, 2), "by 0.5 points", (9, 8.5)),
        (9, (1, 1), "equal scores", (9, 9)),
        (9.5, (2, 1), "by 0.5 points", (9, 9.5)),
        (-2.5, (1, 2), "by 11.5 points", (9, -2.5)),
    ],
)
def test_white_receives_komi_and_equal_scores_are_a_draw(
    komi: float, ranks: tuple[int, int], detail: str, scores: tuple[float, float]
) -> None:
    outcome = final_outcome(position_after("go", "b2 pass pass", size=3, komi=komi))
    assert outcome == (ranks, Reason.SCORE, detail, scores)


def test_equal_scores_at_the_cap_are_a_draw() -> None:
    outcome = final_outcome(position_after("go", "a1 c3", size=3, max_moves=2))
    assert outcome == ((1, 1), Reason.MOVE_CAP, "equal scores, after 2 moves", (1, 1))


def test_stones_and_territory_sum_to_the_area_on_every_3_by_3_board() -> None:
    for board in all_boards(3, 3):
        assert_area_scores(board)


def test_stones_and_territory_sum_to_the_area_throughout_a_game() -> None:
    for position, _ in random_game_without_filled_eyes(load_stones_game("go", size=9).start(), random.Random(2)):
        assert isinstance(position, GoPosition)
        assert_area_scores(position.board)


def assert_area_scores(board: StoneBoard) -> None:
    """Stones and territory are the area, of each player; no point is both players'."""
    stone, territory, area = (score(board, scoring, 0) for scoring in ("stone", "territory", "area"))
    assert area == (stone[0] + territory[0], stone[1] + territory[1])
    assert sum(area) <= board.bit_geometry.full_mask.bit_count()
