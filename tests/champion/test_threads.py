"""Several threads search at once: they claim only true wins, and all of them end."""

from __future__ import annotations

import random
import threading
import time

import pytest

from gomogo_core.engines import compiling
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from tests.champion._positions import RULES, random_position

compiling.load("gomogo_core.engines.gomoku")

from gomogo_core.engines.gomoku.array_layout import NODE_COUNT  # noqa: E402
from gomogo_core.engines.gomoku.engine import CERTAIN_THRESHOLD, GomokuEngine  # noqa: E402  (after the cache is set)


def engine_and_position(threads: int) -> tuple[GomokuEngine, GomokuPosition]:
    """Return an engine with this number of threads, and a position that it searches for a long time."""
    game = Gomoku()
    position = game.replay(["h8", "i9", "h10", "h9", "i8"])
    assert isinstance(position, GomokuPosition)
    return GomokuEngine(game, memory_mb=1, threads=threads), position


def wins(engine: GomokuEngine, position: GomokuPosition, attacker: int, plies: int) -> bool:
    """Return whether the engine's moves win within `plies` against every move of the defender, by the rules alone."""
    if (ended := position.outcome()) is not None:
        return ended.winner == attacker
    if plies == 0:
        return False
    if position.to_move != attacker:
        return all(wins(engine, position.play(move), attacker, plies - 1) for move in position.moves())
    result = engine.analyse(position, nodes=20_000)
    return result.value > CERTAIN_THRESHOLD and wins(
        engine, position.play(position.game.board.points[result.lines[0].point_numbers[0]]), attacker, plies - 1
    )


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_every_win_that_two_threads_claim_holds(rule: str) -> None:
    game, claimed = Gomoku(size=9, **RULES[rule]), 0
    engine = GomokuEngine(game, memory_mb=1, threads=2)
    for number in range(80):
        *_, position = random_position(game, random.Random(f"threads {number}"), 13 + number % 4)
        result = engine.analyse(position, nodes=20_000)
        if result.value > CERTAIN_THRESHOLD and result.plies is not None and result.plies <= 5:
            claimed += 1
            assert wins(engine, position, position.to_move, result.plies), position.diagram()
    assert claimed > 3


def test_two_threads_play_a_game_to_its_end() -> None:
    game = Gomoku(size=7)
    engine, position = GomokuEngine(game, memory_mb=1, threads=2), game.start()
    while position.outcome() is None:
        position = position.play(game.board.points[engine.analyse(position, nodes=2000).lines[0].point_numbers[0]])


def test_all_threads_search_and_then_end() -> None:
    engine, position = engine_and_position(threads=3)
    engine.analyse(position, stop_at=time.monotonic())  # starts the thread that times all searches
    before = threading.active_count()
    result = engine.analyse(position, stop_at=time.monotonic() + 0.3)
    assert threading.active_count() == before
    searched = [int(searcher.state[NODE_COUNT]) for searcher in (engine, *engine.helper_engines)]
    assert all(searched)
    assert searched[0] < result.nodes <= sum(searched)  # the others continue to search until the stop flag is set


def test_an_interrupt_ends_all_threads() -> None:
    engine, position = engine_and_position(threads=3)
    before = threading.active_count()
    timer = threading.Timer(0.2, engine.interrupt)
    timer.start()
    engine.analyse(position)
    timer.join()
    assert threading.active_count() == before


def test_the_time_limit_ends_the_threads_of_a_search_that_nobody_reads() -> None:
    engine, position = engine_and_position(threads=2)
    before = threading.active_count()
    analyses = engine.stream_analyses(position, stop_at=time.monotonic() + 0.2)
    next(analyses)
    while threading.active_count() > before:
        time.sleep(0.01)
    list(analyses)
