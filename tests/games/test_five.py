"""Five in a row: every line wins and nothing else does, on any board and for any length.

Leaves out openings and Renju.
"""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import GomokuPosition

WAYS = ((1, 0), (0, 1), (1, 1), (1, -1))
SIZE = 15


def row_from(column: int, row: int, way: tuple[int, int]) -> list[Point]:
    return [Point(column + n * way[0], row + n * way[1]) for n in range(5)]


def on_board(points: list[Point]) -> bool:
    return all(1 <= point.column <= SIZE and 1 <= point.row <= SIZE for point in points)


STARTS = [row_from(column, row, way) for column, row, way in product(range(1, 16), range(1, 16), WAYS)]
LINES = [row for row in STARTS if on_board(row)]


def play_row(row: list[Point], rng: random.Random, **options: object) -> list[Outcome | None]:
    """Return the outcomes after each black stone of `row`, in a random order, with four white stones between."""
    other_points = [Point(column, line) for column, line in product(range(1, SIZE + 1), repeat=2)]
    white = rng.sample([point for point in other_points if point not in row], 4)
    position = load("gomoku", **options).start()
    outcomes = []
    for black in rng.sample(row, 5):
        position = position.play(black)
        outcomes.append(position.outcome())
        if white and outcomes[-1] is None:
            position = position.play(white.pop())
    return outcomes


@pytest.mark.parametrize("options", [{}, {"exact": True}, {"renju": True}], ids=["freestyle", "exact", "renju"])
def test_each_of_the_572_rows_of_five_wins_with_its_last_stone(options: dict[str, object]) -> None:
    rng = random.Random(572)
    won = Outcome.won_by(1, Reason.LINE, "5 in a row")
    assert len(LINES) == 572
    failed = [row for row in LINES if play_row(row, rng, **options) != [None] * 4 + [won]]
    assert failed == []


def test_a_row_that_wraps_around_the_edge_does_not_win() -> None:
    rng = random.Random(573)
    on_a_torus = [[Point((p.column - 1) % 15 + 1, (p.row - 1) % 15 + 1) for p in row] for row in STARTS]
    by_number = [
        [Point((first + n * step) % 15 + 1, (first + n * step) // 15 + 1) for n in range(5)]
        for step in (1, 14, 15, 16)
        for first in range(225 - 4 * step)
    ]
    wrapped = [row for row in on_a_torus + by_number if sorted(row) not in [sorted(line) for line in LINES]]
    assert [Point(5, 14), Point(4, 15), Point(3, 1), Point(2, 2), Point(1, 3)] in [sorted(r)[::-1] for r in wrapped]
    assert len(wrapped) == (900 - 572) + (716 - 572)
    assert [row for row in wrapped if play_row(row, rng) != [None] * 5] == []


def position_after(moves: str, **options: object) -> GomokuPosition:
    position = load("gomoku", **options).replay(moves.split())
    assert isinstance(position, GomokuPosition)
    return position


def winner(moves: str, **options: object) -> int | None:
    outcome = position_after(moves, **options).outcome()
    return outcome.winner if outcome else None


SIX = "a1 a3 b1 b4 c1 c5 e1 d6 f1 e8 d1"  # black's last stone makes a1 to f1


def test_a_row_of_six_wins_unless_five_must_be_exact() -> None:
    assert winner(SIX) == 1
    assert winner(SIX, exact=True) is None
    assert position_after(SIX, exact=True).outcome() is None


def test_an_exact_five_wins_after_a_row_of_six() -> None:
    after = position_after(SIX + " o15 j1 o3 k1 o5 l1 o7 m1 o9 n1", exact=True)
    assert after.outcome() == Outcome.won_by(1, Reason.LINE, "5 in a row")
    assert list(map(str, after.winning_places())) == ["j1", "k1", "l1", "m1", "n1"]


def test_an_exact_five_wins_with_a_longer_row_in_another_direction() -> None:
    both_rows = "a5 o1 b5 o3 c5 o5 d5 o7 e2 o9 e3 o11 e4 o13 e6 n1 e7 n3 e5"
    assert winner(both_rows, exact=True) == 1


def test_whites_five_wins_for_the_second_seat() -> None:
    position = position_after("a1 h4 c1 h5 e1 h6 g1 h7 i1 h8")
    assert position.outcome() == Outcome((2, 1), Reason.LINE, "5 in a row")


def test_the_winning_places_include_a_longer_row() -> None:
    assert list(map(str, position_after(SIX).winning_places())) == ["a1", "b1", "c1", "d1", "e1", "f1"]
    assert position_after("a1 a2").winning_places() == ()


@pytest.mark.parametrize(("line", "size"), [(3, 5), (4, 5), (5, 5), (6, 9), (26, 26)])
def test_the_line_option_sets_the_winning_length(line: int, size: int) -> None:
    position = load("gomoku", line=line, size=size).start()
    for column in range(1, line + 1):
        assert position.outcome() is None
        position = position.play(Point(column, 1))
        if column < line:
            position = position.play(Point(column, 3 + column % 2))
    assert position.outcome() == Outcome.won_by(1, Reason.LINE, f"{line} in a row")


def play_colours(rows: list[str], last: str = "", **options: Any) -> GomokuPosition:
    """Return the position with these stones, laid in turn; `last` names the point of the last one."""
    options["size"] = len(rows)
    points = [Point(column, row) for row, column in product(range(1, len(rows) + 1), repeat=2)]
    black = [point for point, sign in zip(points, "".join(rows), strict=True) if sign == "x"]
    white = [point for point in points if point not in black]
    black.sort(key=lambda point: str(point) == last)
    return position_after(" ".join(str((black, white)[turn % 2][turn // 2]) for turn in range(len(points))), **options)


def test_a_five_on_the_last_empty_point_wins() -> None:
    rows = ["xxxxx", "oxoxo", "oxoxo", "xoxoo", "ooxox"]
    assert play_colours(rows, last="c1").outcome() == Outcome.won_by(1, Reason.LINE, "5 in a row")


def test_a_full_board_without_five_is_a_draw() -> None:
    rows = ["xxoxx", "oxoxo", "oxoxo", "xoxoo", "xoxox"]
    full = play_colours(rows)
    assert full.outcome() == Outcome((1, 1), Reason.BOARD_FULL, "board full")
    assert list(full.moves()) == []


@pytest.mark.parametrize("exact", [False, True], ids=["freestyle", "exact"])
def test_only_a_full_board_of_225_stones_is_a_draw(exact: bool) -> None:
    rows = ["".join("xo"[(column + 2 * row) % 4 // 2] for column in range(15)) for row in range(15)]
    full = play_colours(rows, exact=exact)
    assert full.stones == 225
    assert full.outcome() == Outcome.draw(Reason.BOARD_FULL, "board full")


def naive_winner(stones: dict[Point, int], line: int, exact: bool) -> int | None:
    """Return the players with `line` in a row, found by walking from every stone in every direction."""
    for point, seat in stones.items():
        for column_step, down in WAYS:

            def owner(n: int, point: Point = point, column_step: int = column_step, down: int = down) -> int | None:
                return stones.get(Point(point.column + n * column_step, point.row + n * down))

            if owner(-1) == seat:
                continue  # not the first stone of its row
            length = 1
            while owner(length) == seat:
                length += 1
            if length == line or (length > line and not exact):
                return seat
    return None


@pytest.mark.parametrize("exact", [False, True], ids=["freestyle", "exact"])
@pytest.mark.parametrize(("size", "line"), [(5, 3), (5, 4), (5, 5), (7, 4), (8, 3), (9, 5)])
def test_a_naive_detector_finds_the_same_winner_after_every_move_of_random_games(
    size: int, line: int, exact: bool
) -> None:
    rng = random.Random(size * 100 + line)
    ends = set()
    for _ in range(12):
        position = load("gomoku", size=size, line=line, exact=exact).start()
        stones: dict[Point, int] = {}
        order = [Point(column, row) for column, row in product(range(1, size + 1), repeat=2)]
        rng.shuffle(order)
        for turn, point in enumerate(order):
            position = position.play(point)
            stones[point] = turn % 2 + 1
            winner = naive_winner(stones, line, exact)
            outcome = position.outcome()
            assert (outcome.winner if outcome else None) == winner
            assert (outcome is None) == (winner is None and len(stones) < size * size)
            if outcome is not None:
                ends.add(outcome.reason)
                break
    assert (Reason.BOARD_FULL if line == size else Reason.LINE) in ends
