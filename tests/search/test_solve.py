"""Exact search finds the known results of small games, and agrees with plain recursion wherever plain recursion ends.

Knows games of the house, and Heaps. Games that can go on forever are in test_solve_endless.py.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.exact import ExactSearch
from gomogo_core.search.solve import ProofTooLarge, Solution, solve
from gomogo_core.search.solving.games import dots_and_boxes
from tests.search._positions import load_gomoku, random_gomoku_game, random_gomoku_position
from tests.search.test_methods import HeapsGame


def solve_after(name: str, moves: str = "", **options: Any) -> Solution:
    return solve(load(name, **options).replay(moves.split()))


def best_move_names(game: Game, solution: Solution) -> str:
    return " ".join(map(game.format, solution.best_moves))


# Known results


@pytest.mark.parametrize(
    ("size", "passing", "value", "plies"), [(2, False, -1, 4), (3, False, 1, 7), (2, True, 0, None), (3, True, 0, None)]
)
def test_capture_go_has_its_known_values(size: int, passing: bool, value: int, plies: int | None) -> None:
    assert solve_after("capture_go", size=size, passing=passing)[:2] == (value, plies)


def test_robogo_on_nine_points_wins_in_seven_plies_except_from_the_centre() -> None:
    game = load("robogo", size=3, line=3, passing=False, ko="simple")
    solution = solve(game.start())
    assert solution[:2] == (1, 7)
    assert best_move_names(game, solution) == "a1 b1 c1 a2 c2 a3 b3 c3"


def test_robogo_without_captures_is_a_draw() -> None:
    assert solve_after("robogo", size=3, line=3, passing=False, ko="simple", captures=False).value == 0


@pytest.mark.long
def test_four_in_a_row_on_25_points_is_a_draw_after_every_first_move() -> None:
    """J. Uiterwijk and H. van den Herik, The Advantage of the Initiative, Information Sciences 122 (2000)."""
    solution = solve_after("gomoku", size=5, line=4)
    assert solution[:2] == (0, None)
    assert len(solution.best_moves) == 25


def test_three_in_a_row_wins_in_five_plies_except_from_the_edge() -> None:
    game = load_gomoku(size=5, line=3)
    solution = solve(game.start())
    assert solution[:2] == (1, 5)
    assert best_move_names(game, solution) == "b2 c2 d2 b3 c3 d3 b4 c4 d4"


def test_rows_as_long_as_the_board_are_drawn_by_pairing() -> None:
    assert solve_after("gomoku", size=12, line=12)[:2] == (0, None)


@pytest.mark.parametrize(
    ("rows", "cols", "ko", "margin"),
    [
        (1, 1, "positional", 0),
        (1, 2, "positional", 0),
        (1, 3, "positional", 3),
        (1, 4, "positional", 4),
        (2, 2, "positional", 1),
        (2, 2, "simple", 0),
    ],
)
def test_small_go_boards_have_their_published_values(rows: int, cols: int, ko: str, margin: int) -> None:
    """The values of E. van der Werf, H. van den Herik and J. Uiterwijk, Solving Go on Small Boards, ICGA Journal 26."""
    solution = solve_after("go", rows=rows, cols=cols, ko=ko)
    assert (solution.value, solution.plies, solution.is_margin) == (margin, None, True)


@pytest.mark.long
def test_black_wins_all_nine_points_of_go_from_the_centre() -> None:
    game = load("go", rows=3, cols=3)
    solution = solve(game.start())
    assert (solution.value, best_move_names(game, solution)) == (9, "b2")


# Against plain recursion


def plain_value(position: Position) -> tuple[int, int | None, list[Move]]:
    """Return value, plies and best moves of a short game, by plain recursion."""
    outcome = position.outcome()
    if outcome is not None:
        value = 0 if outcome.winner is None else 1 if outcome.winner == 1 else -1
        return value, 0 if value else None, []
    sign = 1 if position.to_move == 1 else -1
    ranked: list[tuple[tuple[int, int], Move]] = []
    for move in position.moves():
        value, plies, _ = plain_value(position.play(move))
        ranked.append(((sign * value, -sign * value * (plies or 0)), move))
    best_rank = max(rank for rank, _ in ranked)
    return (
        sign * best_rank[0],
        (round(abs(best_rank[1])) + 1 if best_rank[0] else None),
        [move for rank, move in ranked if rank == best_rank],
    )


def plain_margin(position: Position) -> tuple[float, list[Move]]:
    """Return the margin and best moves of a short game."""
    outcome = position.outcome()
    if outcome is not None:
        assert outcome.scores is not None
        return outcome.scores[0] - outcome.scores[1], []
    values = [(plain_margin(position.play(move))[0], move) for move in position.moves()]
    best_value = (max if position.to_move == 1 else min)(value for value, _ in values)
    return best_value, [move for value, move in values if value == best_value]


def assert_solved_like_plain_search(position: Position) -> None:
    solution = solve(position)
    value, plies, best_moves = plain_value(position)
    assert (solution.value, solution.plies, list(solution.best_moves)) == (value, plies, best_moves)


@pytest.mark.parametrize("seed", range(40))
def test_gomoku_endgames_agree_with_plain_recursion(seed: int) -> None:
    rng = random.Random(seed)
    game = load_gomoku(size=5, line=rng.randint(3, 5), exact=seed % 4 == 0)
    assert_solved_like_plain_search(random_gomoku_position(rng, game, rng.randint(19, 22)))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("capture_go", {"rows": 2, "cols": 2, "passing": False, "target": 2}),
        ("capture_go", {"rows": 1, "cols": 4}),
        ("robogo", {"rows": 2, "cols": 3, "line": 3, "passing": False, "max_moves": 7}),
        ("robogo", {"rows": 1, "cols": 4, "line": 2, "max_moves": 6, "ko": "simple"}),
        ("go", {"rows": 1, "cols": 4, "passing": False, "max_moves": 8}),
    ],
)
def test_endgames_with_captures_agree_with_plain_recursion(name: str, options: dict[str, Any], seed: int) -> None:
    assert_solved_like_plain_search(random_position(load(name, **options), seed))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ko", ["simple", "positional"])
def test_go_endgames_agree_with_plain_recursion(ko: str, seed: int) -> None:
    position = random_position(load("go", rows=2, cols=2, ko=ko, max_moves=7, komi=0.5), seed)
    margin, best_moves = plain_margin(position)
    solution = solve(position)
    assert (solution.value, list(solution.best_moves)) == (margin, best_moves)


def random_position(game: Game, seed: int) -> Position:
    """Return the position after some random moves."""
    rng = random.Random(seed)
    position = game.start()
    for _ in range(rng.randint(0, 5)):
        if position.outcome() is None:
            position = position.play(rng.choice(list(position.moves())))
    return position


def test_exact_search_handles_another_move_of_the_same_player() -> None:
    for numbers in ((5, 4, 2, 1), (9, 8, 7, 5, 2, 1), (6, 6, 3)):
        position = HeapsGame(2, tuple(dict.fromkeys(numbers))).start()
        margin, best_moves = plain_margin(position)
        solution = solve(position)
        assert (solution.value, list(solution.best_moves)) == (margin, best_moves)


# Games that are too large


@pytest.mark.slow
def test_a_large_board_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(ProofTooLarge, match=r"gomoku is too large to solve: with 225 moves now, and up to 225 plies"):
        solve_after("gomoku")
    with pytest.raises(ProofTooLarge, match=r"^go is too large to solve: with 362 moves now"):
        solve_after("go")


def test_the_end_of_a_large_game_is_solved() -> None:
    assert solve_after("gomoku", "h8 a1 h9 a3 h7 a5 h6 a7")[:2] == (1, 1)
    assert solve_after("gomoku", "h8 a1 h9 a3 h7 a5")[:2] == (1, 3)


def test_the_memory_is_bounded() -> None:
    with pytest.raises(ProofTooLarge, match=r"capture_go \(.*size 3.*\) is too large to solve in 0.5 MB"):
        solve(load("capture_go", size=3).start(), megabytes=0.5)


def test_the_time_is_bounded() -> None:
    ticks = iter(range(10**9))
    with pytest.raises(ProofTooLarge, match="not solved within 5 seconds"):
        solve(load("capture_go", size=3).start(), seconds=5, now=lambda: next(ticks))


def test_three_players_are_refused() -> None:
    with pytest.raises(UserError, match="heaps for 3 players has no solution"):
        solve(HeapsGame(3).start())


def test_a_finished_game_has_a_result_and_no_best_move() -> None:
    assert solve_after("capture_go", "pass pass", size=3)[:3] == (0, None, ())
    assert solve_after("gomoku", "a1 e1 a2 e2 a3", size=5, line=3)[:3] == (1, 0, ())
    assert solve_after("go", "a1 pass pass", size=2)[:3] == (4, None, ())


@pytest.mark.parametrize("seed", range(20))
def test_every_best_move_is_legal_and_keeps_the_value(seed: int) -> None:
    rng = random.Random(seed)
    position = random_gomoku_position(rng, random_gomoku_game(rng, largest=5), rng.randint(14, 24))
    solution = solve(position)
    for move in solution.best_moves:
        after = solve(position.play(move))
        assert after.value == solution.value
        assert after.plies == (None if solution.plies is None else solution.plies - 1)


def test_a_short_win_on_a_large_board_is_found() -> None:
    solution = solve_after("gomoku", "e5 a1 e6 i9", size=9, line=4)
    assert solution[:2] == (1, 3)


# Dots and Boxes


@pytest.mark.parametrize(
    ("rows", "cols", "margin"),
    [
        (1, 1, -1),
        (1, 2, 0),
        (1, 3, -1),
        (2, 2, 2),
        (2, 3, -2),
        pytest.param(3, 3, -3, marks=pytest.mark.slow),
        (2, 4, 2),
    ],
)
def test_dots_and_boxes_has_its_known_values(rows: int, cols: int, margin: int) -> None:
    """As a plain table of all positions, made by another program, has them."""
    solution = solve_after("dots_and_boxes", rows=rows, cols=cols)
    assert (solution.value, solution.margin_from_here, solution.is_margin) == (margin, margin, True)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(("rows", "cols"), [(2, 3), (1, 8), (4, 4)])
def test_boxes_endgames_agree_with_the_table(rows: int, cols: int, seed: int) -> None:
    """By the table, and where the board is too large for one."""
    rng = random.Random(seed)
    position = load("dots_and_boxes", rows=rows, cols=cols).start()
    for _ in range(sum(1 for _ in position.moves()) - rng.randint(0, 6)):
        position = position.play(rng.choice(list(position.moves())))
    margin, best_moves = plain_margin(position)
    solution = solve(position)
    first, second = position.facts()["scores"]
    assert (solution.value, list(solution.best_moves)) == (margin, best_moves)
    assert solution.margin_from_here == margin - (first - second)


@pytest.mark.parametrize("megabytes", [20, 2000])
def test_boxes_use_the_allowed_memory(megabytes: float, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[ExactSearch] = []

    def exact(*words: Any, **search_options: Any) -> ExactSearch:
        searches.append(ExactSearch(*words, **search_options))
        return searches[-1]

    monkeypatch.setattr(dots_and_boxes, "ExactSearch", exact)
    position = load("dots_and_boxes", rows=4, cols=4).start()
    rng = random.Random(4)
    while len(moves := list(position.moves())) > 20:
        position = position.play(rng.choice(moves))
    solution = solve(position, megabytes=megabytes)
    assert solution == solve(position)._replace(seconds=solution.seconds)
    small, usual = searches
    assert len(small._table) <= small._max_value_entries == pytest.approx(megabytes / 1000 * usual._max_value_entries)
    assert usual._max_value_entries > 2_000_000


def test_boxes_with_little_memory_give_the_same_values() -> None:
    geometry, drawn_mask = geometry_of(3, 3), 0b11_1111
    exact, forgetful = (ExactSearch(geometry, megabytes=megabytes) for megabytes in (20, 0.02))
    assert exact.best_edges(geometry.free_edge_mask(drawn_mask)) == forgetful.best_edges(
        geometry.free_edge_mask(drawn_mask)
    )
    assert len(forgetful._table) <= 60 < len(exact._table)
    assert forgetful.limits.nodes_used > exact.limits.nodes_used


def test_a_small_board_of_boxes_is_searched_without_memory_for_a_table() -> None:
    assert solve(load("dots_and_boxes", rows=2, cols=2).start(), megabytes=20).value == 2
