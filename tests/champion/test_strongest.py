"""Hints and reviews of Gomoku come from the champion where it is compiled."""

from __future__ import annotations

from typing import Any

import pytest

from gomogo_core.analysis import engine_analysts, hint, search, strongest_search
from gomogo_core.engines import compiling
from gomogo_core.games.gomoku import Gomoku
from gomogo_core.search import SearchLimits, iterative_deepening, plies_to_end
from gomogo_core.search.node import advantage

engine_module: Any = compiling.load("gomogo_core.engines.gomoku")


@pytest.fixture
def champion_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no other search answer."""

    def fail(*_: object) -> None:
        raise AssertionError("the champion did not answer")

    monkeypatch.setattr(strongest_search, "_ENGINES", engine_analysts.Engines())
    monkeypatch.setattr(strongest_search, "_MAX_WAIT_SHARE", 1000.0)
    monkeypatch.setattr(iterative_deepening, "search", fail)


@pytest.mark.usefixtures("champion_only")
def test_hints_come_from_the_champion() -> None:
    position = Gomoku().replay(["h8", "a1", "h9", "a3", "h7", "a5"])
    result = search(position, 1.0)
    assert plies_to_end(result.value) == 3
    assert result.value > 0
    assert result.variation[0] == result.move
    assert hint(position, 1.0).reason == "makes an open four; this wins"


@pytest.mark.usefixtures("champion_only")
def test_a_certain_loss_is_reported() -> None:
    result = search(Gomoku().replay(["h8", "a1", "h9", "a3", "h7", "a5", "h6"]), 1.0)
    assert plies_to_end(result.value) == 2
    assert result.value < 0


@pytest.mark.usefixtures("champion_only")
def test_another_board_has_another_engine() -> None:
    for size in (15, 9, 15):
        position = Gomoku(size=size).replay(["e5", "e6"])
        assert search(position, 0.2).move in list(position.moves())


@pytest.mark.usefixtures("champion_only")
def test_an_only_move_is_searched_as_deeply_as_the_next_position() -> None:
    scores = []
    for moves in ([], ["h8"]):
        *_, analysis = strongest_search.stream_analyses(Gomoku().replay(moves), SearchLimits(depth=6), 1)
        scores.append(advantage(analysis.lines[0].value, analysis.clear_lead))
    assert scores[0] > 0.2
    assert abs(scores[0] + scores[1]) < 0.2
    engine = engine_module.GomokuEngine(Gomoku(), memory_mb=1)
    assert engine.analyse(Gomoku().start()).depth == 1  # a player plays an only move at once


def test_the_same_value_is_a_smaller_win_chance_with_more_stones() -> None:
    moves = [f"{column}{row}" for row in (1, 5, 9, 13, 15) for column in ("acegi" if row % 4 == 1 else "bdfhj")]
    leads = []
    for count in (0, 25):
        strongest_search.wait_for_engine(position := Gomoku().replay(moves[:count]))
        *_, analysis = strongest_search.stream_analyses(position, SearchLimits(nodes=500), 1)
        leads.append(analysis.clear_lead)
    assert leads[1] == 2 * leads[0]
