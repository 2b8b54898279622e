"""Certain results of Monte Carlo tree search agree with exact search, another program."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.search import SearchLimits, mcts, plies_to_end
from gomogo_core.search.solve import solve

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("gomoku", {"size": 5, "line": 3}),
    ("gomoku", {"size": 5, "line": 5, "exact": True}),
    ("capture_go", {"size": 3}),
    ("capture_go", {"rows": 2, "cols": 3, "passing": False, "target": 2}),
    ("robogo", {"size": 3, "line": 3, "ko": "simple"}),
    ("robogo", {"size": 3, "line": 3, "ko": "simple", "passing": False}),
    ("go", {"rows": 2, "cols": 2, "ko": "positional"}),
    ("go", {"rows": 1, "cols": 5, "passing": False}),
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_a_certain_result_is_right(name: str, options: dict[str, Any], seed: int) -> None:
    random_number = random.Random(seed)
    position = load(name, **options).start()
    for _ in range(random_number.randint(3, 10) if name != "gomoku" else random_number.randint(14, 20)):
        if position.outcome() is None:
            position = position.play(random_number.choice(list(position.moves())))
    if position.outcome() is None:
        result = mcts.search(position, SearchLimits(nodes=300), random_number=random_number.random)
        if plies_to_end(result.value) is not None:
            first_player = result.value if position.to_move == 1 else -result.value
            assert solve(position).value * first_player > 0
            assert solve(position.play(result.move)).value * first_player > 0


def test_a_stone_in_an_own_eye_can_complete_a_row() -> None:
    position = load("robogo", size=3, line=3, ko="simple").replay(["b1", "c3", "a1", "a2", "c2", "b3"])
    result = mcts.search(position, SearchLimits(nodes=100), random_number=random.Random(1).random)
    assert str(result.move) == "c1"
    assert plies_to_end(result.value) == 1
