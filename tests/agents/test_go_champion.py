"""The champion of Go as an agent: winning passes, resignation, and its moves while nothing is compiled yet."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gomogo_core import games
from gomogo_core.agent import AgentClock
from gomogo_core.games.stones.rules import PASS
from tests.agents._matches import agent


class Engine:
    """An engine that wins a fixed share of its playouts."""

    memory_mb = 64

    def __init__(self, game: Any, share: float) -> None:
        self.game, self.share = game, share

    def choose(self, position: Any, **_: Any) -> list[Any]:
        return [SimpleNamespace(move=next(iter(position.moves())), visits=5000, share=self.share, line=())]

    def advance(self, position: Any, move: Any) -> None:
        pass


@pytest.fixture
def champion(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The agent's module, without an engine."""
    module: Any = sys.modules[agent("go_champion").__module__]
    for name in ("loading", "engine"):
        monkeypatch.setattr(module._State, name, None)
    monkeypatch.setattr(module._State, "hopeless", 0)
    return module


def clock() -> AgentClock:
    return AgentClock({"per_move": 0.2}, None)


def test_it_passes_when_that_wins(champion: Any) -> None:
    position = games.load("go", size=5).replay(["c3", "pass"])
    assert champion.choose(position, clock()) is PASS


@pytest.mark.parametrize(
    ("name", "share", "resigns"), [("go", 0.001, True), ("go", 0.1, False), ("robogo", 0.0, False)]
)
def test_it_resigns_after_three_hopeless_moves_of_go_only(
    champion: Any, name: str, share: float, resigns: bool
) -> None:
    position = games.load(name, size=5).replay(["c3", "b2", "d2"])
    champion._State.engine = Engine(position.game, share)
    moves = [champion.choose(position, clock()) for _ in range(3)]
    assert "resign" not in moves[:2]
    assert (moves[2] == "resign") is resigns


def test_it_plays_by_other_means_until_it_is_compiled(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        def __init__(self, package: str) -> None:
            assert package == "gomogo_core.engines.go"

        def wait(self, seconds: float) -> None:
            return None

    monkeypatch.setattr(champion.compiling, "Loading", Slow)
    position = games.load("capture_go", size=5).start()
    champion.prepare(position.game)
    assert champion.choose(position, clock()) in position.moves()
