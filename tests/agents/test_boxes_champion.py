"""The agent boxes_champion if its engine cannot play: not compiled, on large boards, or with three players."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from gomogo_core.engines import compiling
from gomogo_core.errors import UserError
from gomogo_core.games import load
from tests.agents._matches import EndlessCompilation, agent, clock


@pytest.fixture
def champion(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the agent's module with nothing loaded."""
    module = sys.modules[agent("boxes_champion").__module__]
    monkeypatch.setattr(module._KeptState, "game", None)
    return module


@pytest.mark.parametrize("size", [2, 9])
def test_boxes_champion_plays_by_the_long_chain_rule_until_compiled(
    champion: Any, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(champion.compiling, "BackgroundLoad", EndlessCompilation)
    game = load("dots_and_boxes", rows=size, cols=size)
    champion.prepare(game)
    position = game.start()
    for _ in range(6):
        position = position.play(champion.choose(position, clock(1)))
    if size == 2:
        assert game.format(champion.choose(game.replay(["h0", "h2", "v0", "h5"]), clock(1))) == "v1"


def test_three_players_need_no_engine(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "find_spec", lambda name: None)
    game = load("dots_and_boxes", rows=2, cols=2, players=3)
    champion.prepare(game)
    assert game.format(champion.choose(game.replay(["h0", "h2", "v0", "h5"]), clock(1))) == "v1"


def test_without_numba_the_error_names_what_to_install(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "find_spec", lambda name: None)
    with pytest.raises(UserError) as raised:
        champion.prepare(load("dots_and_boxes"))
    assert "gomogo[engines]" in raised.value.remedy
