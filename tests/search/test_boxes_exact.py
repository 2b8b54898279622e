"""Perfect play of Dots and Boxes: the table against plain recursion, the chain rules' search against the table."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from gomogo_core.games import load
from gomogo_core.games.boards.edges import edge_board
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes import table as tables
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.exact import ExactSearch
from gomogo_core.search.boxes.giveaways import capturable_box_count, least_costly_edges
from gomogo_core.search.boxes.table import load_tablebase
from gomogo_core.search.limits import OutOfLimits, SearchLimits
from gomogo_core.search.solve import ProofTooLarge, solve

pytestmark = pytest.mark.slow

KNOWN = {(1, 1): -1, (1, 2): 0, (1, 3): -1, (2, 2): 2, (2, 3): -2}  # the first player's margin


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tables are stored in the test's own data folder."""
    monkeypatch.setenv("GOMOGO_DATA", str(tmp_path))
    load_tablebase.cache_clear()
    return tmp_path


def plain_values(rows: int, cols: int) -> dict[int, int]:
    """Return the value of every mask, by the rules alone, without chains."""
    sides, whole = edge_board(rows, cols).boxes, (1 << len(edge_board(rows, cols).edges)) - 1

    @cache
    def value(drawn_mask: int) -> int:
        best_value = None
        for edge in range(whole.bit_length()):
            if not drawn_mask >> edge & 1:
                after = drawn_mask | 1 << edge
                boxes_taken = sum(after & box == box and drawn_mask & box != box for box in sides)
                worth = boxes_taken + value(after) if boxes_taken else -value(after)
                best_value = worth if best_value is None else max(best_value, worth)
        return best_value or 0

    return {mask: value(mask) for mask in range(whole + 1)}


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (1, 3), (2, 2)], ids=str)
def test_the_table_agrees_with_plain_recursion(size: tuple[int, int]) -> None:
    tablebase = load_tablebase(*size)
    assert tablebase is not None
    assert {mask: tablebase.value(mask) for mask in range(1 << len(edge_board(*size).edges))} == plain_values(*size)


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (1, 3), (2, 2)], ids=str)
def test_the_search_agrees_with_plain_recursion(size: tuple[int, int]) -> None:
    exact, geometry = ExactSearch(geometry_of(*size)), geometry_of(*size)
    for mask, value in plain_values(*size).items():
        assert exact.value(geometry.free_edge_mask(mask)) == value, bin(mask)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "edges_left", "count"), [((2, 3), 17, 300), ((3, 3), 14, 100), ((2, 4), 14, 100)])
def test_the_search_agrees_with_the_table_on_larger_boards(size: tuple[int, int], edges_left: int, count: int) -> None:
    tablebase, geometry, exact = load_tablebase(*size), geometry_of(*size), ExactSearch(geometry_of(*size))
    assert tablebase is not None
    rng = random.Random(1)
    total = len(geometry.edges)
    for _ in range(count):
        drawn_mask = sum(1 << edge for edge in rng.sample(range(total), total - rng.randint(1, edges_left)))
        value, best_edges = exact.best_edges(geometry.free_edge_mask(drawn_mask))
        assert value == tablebase.value(drawn_mask)
        assert [geometry.edges.index(edge) for edge in best_edges] == tablebase.best_edges(drawn_mask)


@pytest.mark.parametrize("size", KNOWN, ids=str)
def test_small_boards_of_boxes_have_their_known_values(size: tuple[int, int]) -> None:
    solution = solve(load("dots_and_boxes", rows=size[0], cols=size[1]).start())
    assert (solution.value, solution.is_margin, solution.margin_from_here) == (KNOWN[size], True, KNOWN[size])


def test_three_by_three_is_lost_by_three() -> None:
    assert solve(load("dots_and_boxes").start()).value == -3


@pytest.mark.long
def test_the_search_agrees_with_the_table_on_two_by_four() -> None:
    geometry = geometry_of(2, 4)
    tablebase = load_tablebase(2, 4)
    assert tablebase is not None
    assert ExactSearch(geometry).value(geometry.all_edges_mask) == tablebase.value(0)


def test_taken_boxes_count_in_the_value_but_not_in_from_here() -> None:
    game = load("dots_and_boxes", rows=1, cols=2)
    position = game.replay(["h0", "v0", "h2", "v1"])  # the second player closes a box, and moves again
    solution = solve(position)
    assert solution.margin_from_here is not None
    assert solution.value == -1 + solution.margin_from_here
    assert position.to_move == 2


def test_large_boards_are_solved_only_with_few_safe_edges() -> None:
    game = load("dots_and_boxes", rows=5, cols=5)
    with pytest.raises(ProofTooLarge, match="56 edges give no box away"):
        solve(game.start())
    rng = random.Random(2)
    position = game.start()
    while len(moves := list(position.moves())) > 25:
        position = position.play(rng.choice(moves))
    assert isinstance(position, DotsAndBoxesPosition)
    solution = solve(position)
    assert solution.best_moves
    for move in list(position.moves())[:6]:  # the best moves keep the value, others do not
        assert (solve(position.play(move)).value == solution.value) == (move in solution.best_moves)


def test_an_exhausted_search_raises_and_can_continue() -> None:
    geometry = geometry_of(3, 3)
    exact = ExactSearch(geometry, SearchLimits(nodes=50))
    with pytest.raises(OutOfLimits):
        exact.value(geometry.free_edge_mask(0b111111))
    exact.limits = SearchLimits()
    tablebase = load_tablebase(3, 3)
    assert tablebase is not None
    assert exact.value(geometry.free_edge_mask(0b1111111111)) == tablebase.value(0b1111111111)


@pytest.mark.parametrize("content", [b"", b"short", b"x" * ((1 << 12) + 64)])
def test_an_invalid_table_file_is_rebuilt(content: bytes, own_folder: Path) -> None:
    path = own_folder / "tables" / f"boxes-2x2.v{tables.FORMAT_VERSION}"
    path.parent.mkdir()
    path.write_bytes(content)
    tablebase = load_tablebase(2, 2)
    assert tablebase is not None
    assert tablebase.value(0) == 2
    assert path.stat().st_size == (1 << 12) + 64


def test_an_unwritable_table_folder_is_harmless(monkeypatch: pytest.MonkeyPatch, own_folder: Path) -> None:
    monkeypatch.setenv("GOMOGO_DATA", str(own_folder / "file"))
    (own_folder / "file").write_text("in the way")
    tablebase = load_tablebase(2, 2)
    assert tablebase is not None
    assert tablebase.value(0) == 2


def test_the_boxes_that_an_edge_gives_away_are_counted() -> None:
    game = load("dots_and_boxes", rows=1, cols=3)
    position = game.replay(["h0", "h3", "h1", "h4", "h2", "h5"])
    assert isinstance(position, DotsAndBoxesPosition)
    geometry = geometry_of(1, 3)
    free = geometry.free_edge_mask(position.drawn)
    assert capturable_box_count(geometry, free) == 0
    assert capturable_box_count(geometry, free ^ (free & -free)) == 3
    assert len(least_costly_edges(geometry, free)) == 4  # whichever is drawn, all three boxes go
    start = load("dots_and_boxes", rows=2, cols=2).start()
    assert isinstance(start, DotsAndBoxesPosition)
    assert len(least_costly_edges(geometry_of(2, 2), geometry_of(2, 2).free_edge_mask(start.drawn))) == 12
