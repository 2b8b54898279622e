"""`neural` with the compiled engine: it plays on through checks of its moves, and sees deep wins by fours."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

from gomogo_core.games.gomoku import Gomoku
from tests.agents._matches import agent, clock

pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def neural() -> Any:
    """The agent's module, with the engine loaded."""
    agent("neural")
    module = sys.modules["neural"]
    module.prepare(Gomoku())
    gc.enable()  # `prepare` ends it, for a process that only plays
    return module


def test_a_game_against_itself_is_played_with_exact_threats(neural: Any) -> None:
    game = Gomoku()
    position = game.replay(["h8", "i9", "g10"])
    for _ in range(12):
        turn = clock(5.0)
        position = position.play(neural.choose(position, turn, visits=60))
        assert "wins" in turn.analysis_text
        if position.outcome() is not None:
            break
    assert neural._KeptState.threat_search.leaf_engine is not None


def test_a_win_by_a_four_and_a_three_is_played_at_once(neural: Any) -> None:
    game = Gomoku()
    position = game.replay(["f8", "e8", "g8", "a1", "h8", "a3", "i6", "a5", "i7", "a7"])
    turn = clock(5.0)
    assert game.format(neural.choose(position, turn, visits=10)) == "i8"
    assert "wins by threats" in turn.analysis_text
