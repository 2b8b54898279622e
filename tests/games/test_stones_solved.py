"""Capture Go and Robogo on the smallest boards, played to the end: the winner with best play is known.

Knows only what every position offers: a plain recursion, which shares nothing with the searches that play.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pytest

from gomogo_core.games.base import Position
from tests.games._stones import load_stones_game


def solved_value(position: Position, seen_positions: dict[Hashable, int]) -> int:
    """Return the result of the player to move with best play: 1 a win, 0 a draw, -1 a loss. No position may repeat."""
    if (outcome := position.outcome()) is not None:
        return 0 if outcome.winner is None else 1 if outcome.winner == position.to_move else -1
    key = position.key()
    if key not in seen_positions:
        best_value = -1
        for move in position.moves():
            best_value = max(best_value, -solved_value(position.play(move), seen_positions))
            if best_value == 1:
                break
        seen_positions[key] = best_value
    return seen_positions[key]


def can_win_within(position: Position, plies: int, seen_positions: dict[Hashable, bool]) -> bool:
    """Whether the first player wins within this many plies, against every defence."""
    if (outcome := position.outcome()) is not None:
        return outcome.winner == 1
    if plies == 0:
        return False
    key = (position.key(), plies)
    if key not in seen_positions:
        each = (can_win_within(position.play(move), plies - 1, seen_positions) for move in position.moves())
        seen_positions[key] = any(each) if position.to_move == 1 else all(each)
    return seen_positions[key]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"size": 2, "passing": False}, -1),
        ({"size": 2, "passing": True}, 0),
        ({"rows": 3, "cols": 3, "passing": False}, 1),
        ({"rows": 3, "cols": 3, "passing": True}, 0),
    ],
)
def test_capture_go_to_one_has_its_known_value(options: dict[str, Any], expected: int) -> None:
    """Before the end nothing is captured: no board repeats."""
    assert solved_value(load_stones_game("capture_go", **options).start(), {}) == expected


ROBOGO = {"size": 3, "line": 3, "passing": False, "ko": "simple"}


def test_robogo_on_3_by_3_is_won_by_the_first_player_in_seven_plies() -> None:
    start = load_stones_game("robogo", **ROBOGO).start()
    assert can_win_within(start, 7, {})
    assert not can_win_within(start, 6, {})


def test_robogo_on_3_by_3_without_captures_is_a_draw() -> None:
    assert solved_value(load_stones_game("robogo", **ROBOGO, captures=False).start(), {}) == 0
