"""The compiled solver of Dots and Boxes against plain recursion by the rules, and against the solver in Python."""

from __future__ import annotations

import json
import random
import sys
import time
from functools import cache

import pytest
from click.testing import CliRunner

from gomogo.cli import gomogo
from gomogo_core.analysis.engine_analysts import engine_package
from gomogo_core.analysis.solving import solve
from gomogo_core.engines import compiling, stop_flag
from gomogo_core.engines.boxes import BoxesPlayer, BoxesSolver, SearchStopped, can_solve
from gomogo_core.engines.boxes.engine import geometry_of as compiled_geometry_of
from gomogo_core.games import load
from gomogo_core.games.boards.edges import edge_board
from gomogo_core.games.dots_and_boxes import DotsAndBoxes
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.exact import ExactSearch
from gomogo_core.search.solve import ProofTooLarge
from gomogo_core.search.solve import solve as solve_plainly

SOLVED = {(1, 1): -1, (1, 2): 0, (1, 3): -1, (2, 2): 2, (2, 3): -2, (2, 4): 2, (3, 3): -3}


def random_drawn_mask(rng: random.Random, rows: int, cols: int, undrawn_count: int) -> int:
    """Return a mask of drawn edges with `undrawn_count` others."""
    total = len(edge_board(rows, cols).edges)
    return sum(1 << edge for edge in rng.sample(range(total), total - undrawn_count))


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (1, 3), (2, 2)], ids=str)
def test_every_position_has_the_value_of_plain_recursion(size: tuple[int, int]) -> None:
    sides, whole = edge_board(*size).boxes, (1 << len(edge_board(*size).edges)) - 1

    @cache
    def plain(drawn_mask: int) -> int:
        values = []
        for edge in range(whole.bit_length()):
            if not drawn_mask >> edge & 1:
                after = drawn_mask | 1 << edge
                boxes_taken = sum(after & box == box and drawn_mask & box != box for box in sides)
                values.append(boxes_taken + plain(after) if boxes_taken else -plain(after))
        return max(values, default=0)

    solver = BoxesSolver(*size, memory_mb=1)
    assert {drawn_mask: solver.value(drawn_mask) for drawn_mask in range(whole + 1)} == {
        drawn_mask: plain(drawn_mask) for drawn_mask in range(whole + 1)
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "min_edges", "max_edges", "count"),
    [
        ((3, 3), 1, 16, 300),
        ((2, 4), 1, 16, 200),
        ((1, 9), 1, 20, 200),
        ((4, 4), 10, 22, 100),
        ((5, 5), 10, 28, 100),
        ((6, 6), 10, 28, 60),
        ((3, 9), 10, 26, 60),
    ],
    ids=str,
)
def test_random_positions_agree_with_the_python_solver(
    size: tuple[int, int], min_edges: int, max_edges: int, count: int
) -> None:
    solver, slow, bits, rng = (
        BoxesSolver(*size),
        ExactSearch(geometry_of(*size)),
        geometry_of(*size),
        random.Random(7),
    )
    for _ in range(count):
        drawn_mask = random_drawn_mask(rng, *size, rng.randint(min_edges, max_edges))
        value, best_edges = slow.best_edges(bits.free_edge_mask(drawn_mask))
        assert solver.best_edges(drawn_mask) == (value, [bits.edges.index(edge) for edge in best_edges]), drawn_mask


@pytest.mark.parametrize("size", SOLVED, ids=str)
def test_small_boards_have_their_known_value(size: tuple[int, int]) -> None:
    assert BoxesSolver(*size).value(0) == SOLVED[size]


@pytest.mark.parametrize("size", [(2, 5), (3, 3), (4, 4)], ids=str)
def test_mirrored_positions_have_the_same_value(size: tuple[int, int]) -> None:
    rng, game, solver = random.Random(3), load("dots_and_boxes", rows=size[0], cols=size[1]), BoxesSolver(*size)
    assert isinstance(game, DotsAndBoxes)
    for _ in range(20):
        drawn_mask = random_drawn_mask(rng, *size, 20)
        edges = [edge for number, edge in enumerate(game.edges) if drawn_mask >> number & 1]
        images = {sum(1 << game.edges.index(symmetry(edge)) for edge in edges) for symmetry in game.symmetries()}
        assert len({solver.value(image) for image in images}) == 1


def test_a_small_table_gives_the_same_values() -> None:
    rng, small, large = random.Random(5), BoxesSolver(4, 4, memory_mb=0.001), BoxesSolver(4, 4)
    for _ in range(20):
        drawn_mask = random_drawn_mask(rng, 4, 4, 22)
        assert small.best_edges(drawn_mask) == large.best_edges(drawn_mask)
    assert small.nodes > large.nodes


def test_a_stopped_search_raises_and_can_continue() -> None:
    solver = BoxesSolver(3, 3)
    with pytest.raises(SearchStopped), solver.search_limits(nodes=50):
        solver.value(0)
    assert solver.nodes == 50
    solver.interrupt()
    with pytest.raises(SearchStopped), solver.search_limits(stop_at=time.monotonic() + 60):
        solver.value(0)
    assert solver.value(0) == -3


@pytest.mark.skipif(sys.platform != "linux", reason="compiled code reads the clock on Linux only")
def test_searches_stop_in_time_without_the_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_flag._TIMER, "add", None)
    player = BoxesPlayer(DotsAndBoxes(rows=6, cols=6), memory_mb=1)
    with pytest.raises(SearchStopped), player.solver.search_limits(stop_at=time.monotonic() + 0.1):
        player.solver.value(0)
    player.choose(player.game.start(), time.monotonic() + 0.1)


def test_boards_are_accepted_up_to_the_limit_of_their_counts() -> None:
    every = [(rows, cols) for rows in range(1, 21) for cols in range(1, 21)]
    sizes = [size for size in every if can_solve(*size)]
    assert [size for size in every if engine_package(load("dots_and_boxes", rows=size[0], cols=size[1]))] == sizes
    assert {(6, 6), (1, 20), (2, 18), (4, 9)} <= set(sizes)
    assert not {(7, 7), (6, 7), (2, 21)} & set(sizes)
    for size in sizes:
        assert len(compiled_geometry_of(*size).edges) == len(edge_board(*size).edges)


@pytest.mark.slow
def test_the_command_agrees_with_the_python_solver() -> None:
    moves = "h0 v0 h2 v1 h4 v9 h10"
    words = ["solve", "dots_and_boxes", "--rows", "3", "--cols", "3", "--moves", moves, "--json"]
    solution = json.loads(CliRunner().invoke(gomogo, words, catch_exceptions=False, standalone_mode=False).output)
    game = load("dots_and_boxes", rows=3, cols=3)
    plain = solve_plainly(game.replay(moves.split()))
    assert (solution["value"], solution["from_here"]) == (plain.value, plain.margin_from_here)
    assert solution["best"] == [game.format(move) for move in plain.best_moves]


def test_a_solver_out_of_time_is_reported_in_two_lines() -> None:
    with pytest.raises(ProofTooLarge, match="is not solved within") as error_info:
        solve(load("dots_and_boxes", rows=4, cols=4).start(), megabytes=50, seconds=0.01)
    assert error_info.value.remedy


def test_large_boards_are_refused_at_once() -> None:
    for rows, cols, safe in ((5, 5, 56), (9, 9, 176)):
        with pytest.raises(ProofTooLarge, match=f"{safe} edges give no box away"):
            solve(load("dots_and_boxes", rows=rows, cols=cols).start(), megabytes=1000)


def test_without_numba_the_python_solver_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "has_numba", lambda: False)
    assert solve(load("dots_and_boxes", rows=2, cols=2).start(), megabytes=20).value == 2
