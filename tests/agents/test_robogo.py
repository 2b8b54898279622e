"""The agent for Robogo, and the agents for every game on its boards: legal moves, and their order of strength.

The tests call agents as functions, without processes and files. The full matches take minutes: `make bars`.
"""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Position
from gomogo_core.games.stones.rules import PASS
from tests.agents._matches import Match, Side, agent, clock
from tests.search._robogo_positions import load_robogo, robogo_position

FOR_ANY_GAME = ("random_mover", "greedy", "minimax", "alpha_beta", "iterative_deepening")


@pytest.mark.parametrize("name", [*FOR_ANY_GAME, "robogo"])
@pytest.mark.parametrize(
    "options",
    [
        {"size": 9},
        {"size": 19},
        {"size": 5, "suicide": True, "ko": "simple"},
        {"size": 4, "passing": False, "ko": "situational"},
        {"rows": 2, "cols": 6, "line": 4, "captures": False},
        {"size": 7, "diagonals": True, "max_moves": 9},
    ],
    ids=str,
)
def test_every_agent_plays_legal_moves_with_all_options(name: str, options: dict[str, Any]) -> None:
    random.seed(3)
    position: Position = load_robogo(**options).start()
    for _ in range(12):
        if position.outcome() is None:
            position = position.play(agent(name)(position, clock(0.03)))


@pytest.mark.parametrize("name", FOR_ANY_GAME)
@pytest.mark.parametrize("options", [{"size": 5}, {"size": 3, "passing": False}, {"size": 4, "target": 5}], ids=str)
def test_every_agent_plays_capture_go(name: str, options: dict[str, Any]) -> None:
    random.seed(3)
    position = load("capture_go", **options).start()
    for _ in range(12):
        if position.outcome() is None:
            position = position.play(agent(name)(position, clock(0.03)))


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("jump", [0, 1, 2])
def test_the_robogo_agent_completes_and_stops_rows(jump: int, depth: int) -> None:
    four = "....... .xxxx.. ....... ....... ....o.. ..o.o.. ......."
    choose = partial(agent("robogo"), clock=clock(1), jump=jump, depth=depth)
    assert str(choose(robogo_position(four, 1))) in ("a2", "f2")
    assert str(choose(robogo_position(four.replace("....... .", "....... o", 1), 2))) == "f2"


@pytest.mark.parametrize(("jump", "steps"), [(1, 1), (2, 2), (3, 3)])
def test_the_robogo_agent_respects_its_jump_distance(jump: int, steps: int) -> None:
    random.seed(jump)
    position: Any = load_robogo(size=9).replay(["b2", "h8"])
    for _ in range(6):
        stones = [p for p in position.game.bit_geometry.index_of if position.at(p)]
        move = agent("robogo")(position, clock(1), jump=jump, depth=1)
        if move is not PASS:
            assert min(abs(move.column - p.column) + abs(move.row - p.row) for p in stones) <= steps
        position = position.play(move)


def test_the_robogo_agent_respects_its_clock() -> None:
    """Even if no time is left, the agent returns the best move so far."""
    position = load_robogo(size=19).replay(["j10", "k10"])
    assert position.why_illegal(agent("robogo")(position, clock(0))) is None


def test_one_move_ahead_beats_random_moves() -> None:
    match = Match(Side("robogo", {"jump": 1, "depth": 1}), Side("random_mover"), "robogo", {"size": 5})
    assert match.total_score(4) == 4


LADDER = (
    Side("random_mover"),
    Side("robogo", {"jump": 1, "depth": 1}),
    Side("robogo", {"jump": 2, "depth": 2}),
    Side("robogo", {"jump": 2, "depth": 4}),
    Side("robogo", {"jump": 2}),
)


@pytest.mark.long
@pytest.mark.parametrize(("better", "worse"), list(zip(LADDER[1:], LADDER, strict=False)), ids=str)
def test_each_agent_beats_the_next_weaker_one(better: Side, worse: Side) -> None:
    Match(better, worse, "robogo", {"size": 9}).check_stronger_in_forty_games()
