"""The compiled solver of Capture Go finds the same winner, plies and best moves as the general one."""

from __future__ import annotations

import random
import sys
import threading
import time

import pytest

from gomogo_core.analysis import solving
from gomogo_core.engines import stop_flag
from gomogo_core.engines.capture_go import CaptureGoSolver, SearchStopped, can_solve
from gomogo_core.games import load
from gomogo_core.games.capture_go import CaptureGo, CaptureGoPosition
from gomogo_core.search.solve import solve


def load_capture_go(rows: int, cols: int, *, passing: bool) -> CaptureGo:
    game = load("capture_go", rows=rows, cols=cols, passing=passing)
    assert isinstance(game, CaptureGo)
    return game


def assert_solved_like_plain_search(position: CaptureGoPosition, solver: CaptureGoSolver) -> None:
    expected, result = solve(position), solver.solve(position)
    winner = {1: 1, 0: 0, -1: 2}[int(expected.value)]
    assert (result.winner, result.plies) == (winner, expected.plies)
    assert set(result.best_moves) == set(expected.best_moves)


@pytest.mark.slow
@pytest.mark.parametrize("passing", [True, False])
@pytest.mark.parametrize("size", [(1, 3), (1, 5), (2, 2), (2, 3), (3, 2), (3, 3), (2, 4)], ids=str)
def test_small_boards_have_the_value_of_the_general_solver(size: tuple[int, int], passing: bool) -> None:
    game = load_capture_go(*size, passing=passing)
    position = game.start()
    assert isinstance(position, CaptureGoPosition)
    assert_solved_like_plain_search(position, CaptureGoSolver(game, 8))


@pytest.mark.parametrize("passing", [True, False])
@pytest.mark.parametrize("size", [(3, 3), (3, 4), (4, 4)], ids=str)
def test_random_positions_have_the_value_of_the_general_solver(size: tuple[int, int], passing: bool) -> None:
    game, rng = load_capture_go(*size, passing=passing), random.Random(repr((size, passing)))
    solver, checked = CaptureGoSolver(game, 8), 0
    while checked < 30:
        position = game.start()
        for _ in range(rng.randrange(size[0] * size[1] // 2, size[0] * size[1])):
            if position.outcome() is None:
                position = position.play(rng.choice(list(position.moves())))
        if position.outcome() is None:
            assert isinstance(position, CaptureGoPosition)
            assert_solved_like_plain_search(position, solver)
            checked += 1


def test_the_analysis_solves_a_board_by_the_compiled_solver() -> None:
    game = load_capture_go(3, 4, passing=True)
    position = game.replay(["a1", "b2", "c2", "b1"])
    assert position.outcome() is None
    expected, result = solve(position), solving.solve(position, megabytes=100)
    assert (result.value, result.plies, set(result.best_moves)) == (
        expected.value,
        expected.plies,
        set(expected.best_moves),
    )


def test_a_search_ends_when_it_is_interrupted() -> None:
    game = load_capture_go(5, 5, passing=True)
    solver, position = CaptureGoSolver(game, 8), game.start()
    assert isinstance(position, CaptureGoPosition)
    errors = list[type]()

    def search() -> None:
        try:
            solver.solve(position)
        except SearchStopped:
            errors.append(SearchStopped)

    thread = threading.Thread(target=search)
    thread.start()
    while not solver.nodes:
        pass
    solver.interrupt()
    thread.join()
    assert errors == [SearchStopped]


@pytest.mark.skipif(sys.platform != "linux", reason="compiled code reads the clock on Linux only")
def test_a_search_stops_in_time_without_the_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_flag._TIMER, "add", None)
    game = load_capture_go(5, 5, passing=True)
    position = game.start()
    assert isinstance(position, CaptureGoPosition)
    with pytest.raises(SearchStopped):
        CaptureGoSolver(game, 8).solve(position, time.monotonic() + 0.1)


def test_rules_with_repetition_use_the_general_solver() -> None:
    assert can_solve(load_capture_go(4, 4, passing=True).start())
    assert not can_solve(load("capture_go", size=4, target=2).start())  # type: ignore[arg-type]
    assert not can_solve(load("capture_go", size=4, suicide=True).start())  # type: ignore[arg-type]
    assert not can_solve(load("capture_go", size=6).start())  # type: ignore[arg-type]
