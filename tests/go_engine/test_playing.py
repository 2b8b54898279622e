"""The Go engine finds captures, rows, ko and winning passes, and keeps its tree between moves."""

from __future__ import annotations

import sys
import time
from typing import Any

import pytest

from gomogo_core import games
from gomogo_core.engines import compiling, stop_flag
from gomogo_core.games.stones.rules import GoFamilyPosition

engine_module: Any = compiling.load("gomogo_core.engines.go")

from gomogo_core.engines.go import array_layout as layout  # noqa: E402  (after the cache is set)


def best_move_name(name: str, moves: str, playouts: int = 2000, **options: Any) -> str:
    game = games.load(name, **options)
    position = game.replay(moves.split())
    assert isinstance(position, GoFamilyPosition)
    statistics = engine_module.GoEngine(game, memory_mb=8).rank_moves(position, playouts=playouts)
    return game.format(statistics[0].move)


def test_a_winning_capture_is_played() -> None:
    assert best_move_name("capture_go", "d4 e4 f4 a1 e3 a9", size=9) == "e5"


@pytest.mark.parametrize("colour", ["black", "white"])
def test_a_row_is_completed_or_stopped(colour: str) -> None:
    moves = "c5 a1 d5 a3 e5 c1 f5 b5" if colour == "black" else "c5 b5 d5 a3 e5 c1 f5"
    assert best_move_name("robogo", moves, size=9) == "g5"


def test_own_eyes_are_filled_if_only_stones_count() -> None:
    eyes = {"a1", "c3", "e5"}
    points = [f"{column}{row}" for row in range(1, 6) for column in "abcde" if f"{column}{row}" not in eyes]
    moves = " ".join(f"{point} pass" for point in points)  # 22 black stones, and white to win by half a point
    assert best_move_name("go", moves, size=5, komi=22.5, scoring="stone") in eyes


def test_the_same_playouts_give_the_same_move() -> None:
    assert len({best_move_name("go", "e5 e6 d6", size=9, playouts=500) for _ in range(3)}) == 1


def test_the_tree_is_kept_between_moves() -> None:
    game = games.load("go", size=5)
    engine = engine_module.GoEngine(game, memory_mb=8)
    position = game.start()
    move, *later_moves = engine.rank_moves(position, playouts=3000)
    engine.advance(position, move.move)
    position = position.play(move.move)
    reply = move.variation[1]
    position = position.play(reply)
    statistics = engine.rank_moves(position, playouts=1)
    assert sum(move_statistics.visits for move_statistics in statistics) > 50
    assert later_moves


def test_another_position_starts_a_new_tree() -> None:
    game = games.load("go", size=5)
    engine = engine_module.GoEngine(game, memory_mb=8)
    statistics = engine.rank_moves(game.start(), playouts=3000)
    engine.advance(game.start(), statistics[0].move)
    statistics = engine.rank_moves(game.replay(["a1", "b2"]), playouts=10)
    assert sum(move_statistics.visits for move_statistics in statistics) <= 10


def engine_after_search(playouts: int, **parameters: int) -> Any:
    """An engine after a search of an empty board of Go."""
    game = games.load("go", size=7)
    engine = engine_module.GoEngine(game, memory_mb=8, **parameters)
    engine.rank_moves(game.start(), playouts=playouts)
    return engine


def test_a_percentage_scales_the_virtual_visits_and_keeps_their_wins() -> None:
    def priors(percent: int) -> list[tuple[int, int]]:
        nodes = engine_after_search(1, prior_percent=percent).tree.reshape(-1)[
            layout.NODE_SIZE * 2 : layout.NODE_SIZE * 52
        ]
        return [
            (int(row[layout.PRIOR_VISITS]), int(row[layout.PRIOR_WINS])) for row in nodes.reshape(-1, layout.NODE_SIZE)
        ]

    standard, half_priors, least_priors = priors(100), priors(50), priors(1)
    assert {visits for visits, _ in half_priors} == {standard[0][0] // 2}
    assert all(
        2 * half_wins in (wins, wins - 1) for (_, half_wins), (_, wins) in zip(half_priors, standard, strict=True)
    )
    assert {visits for visits, _ in least_priors} == {1}


def test_leaves_that_expand_earlier_give_a_larger_tree() -> None:
    nodes = [int(engine_after_search(400, expansion_visits=visits).tree[0]) for visits in (1, 6, 30)]
    assert nodes[0] > 2 * nodes[1] > 4 * nodes[2]


def test_the_percentage_of_rave_changes_the_search() -> None:
    visit_shares = [
        engine_after_search(400, rave_percent=percent).tree[: 50 * layout.NODE_SIZE].tolist()
        for percent in (10, 100, 1000)
    ]
    assert visit_shares[0] != visit_shares[1] != visit_shares[2]
    assert engine_after_search(400, rave_percent=100).tree[: 50 * layout.NODE_SIZE].tolist() == visit_shares[1]


def test_a_search_ends_at_its_stop_flag() -> None:
    game = games.load("go", size=9)
    engine = engine_module.GoEngine(game, memory_mb=8)
    assert engine.rank_moves(game.start(), stop_at=time.monotonic())


@pytest.mark.skipif(sys.platform != "linux", reason="compiled code reads the clock on Linux only")
def test_searches_stop_in_time_without_the_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_flag._TIMER, "add", None)
    position = games.load("capture_go", size=9).start()
    engine = engine_module.GoEngine(position.game, memory_mb=8)
    assert engine.rank_moves(position, stop_at=time.monotonic() + 0.1)
    assert engine.find_alpha_beta_move(position, stop_at=time.monotonic() + 0.1)


def names_of_first_moves(size: int, moves: str = "") -> set[str]:
    position = games.load("go", size=size).replay(moves.split())
    engine = engine_module.GoEngine(position.game, memory_mb=8)
    first_moves = {position.game.format(move) for move in engine.usual_first_moves(position)}
    searched = {position.game.format(each.move) for each in engine.rank_moves(position, playouts=30)}
    assert searched == first_moves or (not first_moves and len(searched) > 40)
    return first_moves


def test_the_first_stones_of_go_take_usual_points() -> None:
    lower_left = {"c3", "c4", "d3", "d4"}
    assert names_of_first_moves(9) == {"e5", *["d4", "d6", "f4", "f6", "c4", "c6", "g4", "g6", "d3", "f3", "d7", "f7"]}
    assert names_of_first_moves(9, "e5") == set()
    assert lower_left <= names_of_first_moves(11)
    assert names_of_first_moves(11, "d4") == set()
    assert len(names_of_first_moves(13)) == 16
    assert names_of_first_moves(13, "k10 d10 k4") == lower_left
    assert names_of_first_moves(13, "k10 d10 k4 d4") == set()  # the usual points are for the first four stones
    assert names_of_first_moves(13, "k10 k9") == set()  # the stones touch
    assert names_of_first_moves(7) == set()
    assert not engine_module.GoEngine(game := games.load("capture_go", size=9)).usual_first_moves(game.start())
