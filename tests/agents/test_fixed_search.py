"""Agents with a fixed number of positions or a fixed depth play the same moves on fast and slow machines."""

from __future__ import annotations

import pytest

from gomogo_core.agent import AgentClock, load_choose
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.games import load

POSITION = load("gomoku", size=9).replay(["e5", "d5", "e6", "d6", "e7", "f6", "c4", "g7"])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("minimax", {"nodes": 60}),
        ("alpha_beta", {"depth": 9, "nodes": 300}),
        ("iterative_deepening", {"nodes": 300}),
        ("iterative_deepening", {"depth": 3}),
    ],
)
def test_the_clock_does_not_change_the_move(name: str, options: dict[str, int]) -> None:
    choose = load_choose(AGENTS_FOLDER / f"{name}.py")
    moves = {choose(POSITION, AgentClock({"per_move": seconds}, None), **options) for seconds in (20.0, 60.0)}
    assert len(moves) == 1
    assert moves.pop() in set(POSITION.moves())


def test_agents_written_for_earlier_names_of_the_clock_still_run() -> None:
    clock = AgentClock({"per_move": 5.0}, None)
    clock.tell(thoughts="so")
    assert 0 < clock.left <= clock.seconds_left + 0.1
    assert (clock.latest, clock.said) == (clock.latest_stop_at, clock.analysis_text)
