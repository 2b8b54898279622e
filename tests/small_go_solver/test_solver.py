"""The bounds of the compiled solver contain the value that a full search with all earlier boards finds."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.analysis.solving import solve
from gomogo_core.engines.small_go import SearchStopped, SmallGoSolver, can_solve
from gomogo_core.games import load
from gomogo_core.games.stones.rules import GoFamilyPosition

MOST = 2_000  # positions of a full search; larger ones are skipped


class SearchTooLarge(Exception):
    """A full search visits too many positions."""


def full_search(position: GoFamilyPosition, low: float, high: float, plies_left: list[int]) -> float:
    """Return the value by alpha-beta over the positions of the rules, with no table: the true history."""
    plies_left[0] -= 1
    if plies_left[0] < 0:
        raise SearchTooLarge
    if (outcome := position.outcome()) is not None:
        if outcome.scores is not None:
            return outcome.scores[0] - outcome.scores[1]
        return {1: 1, 2: -1}.get(outcome.winner or 0, 0)
    first = position.to_move == 1
    best_value = -99.0 if first else 99.0
    for move in reversed(list(position.moves())):
        value = full_search(position.play(move), low, high, plies_left)
        if first:
            best_value, low = max(best_value, value), max(low, value)
        else:
            best_value, high = min(best_value, value), min(high, value)
        if low >= high:
            break
    return best_value


def random_position(game: Any, rng: random.Random, moves: int) -> GoFamilyPosition:
    position: GoFamilyPosition = game.start()
    for _ in range(moves):
        if position.outcome() is None:
            options = list(position.moves())
            position = position.play(rng.choice(options[:-1] or options))
    return position


@pytest.mark.slow
@pytest.mark.parametrize("ko", ["simple", "positional", "situational"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("go", {"rows": 2, "cols": 2}),
        ("go", {"rows": 1, "cols": 5, "komi": 0.5}),
        ("go", {"rows": 2, "cols": 3, "scoring": "territory"}),
        ("go", {"rows": 3, "cols": 3}),
        ("go", {"rows": 3, "cols": 3, "scoring": "stone", "max_moves": 14}),
        ("robogo", {"rows": 2, "cols": 3, "line": 3}),
        ("robogo", {"rows": 3, "cols": 3, "max_moves": 16}),
        ("robogo", {"rows": 3, "cols": 3, "diagonals": True}),
        ("robogo", {"rows": 3, "cols": 4}),
    ],
    ids=str,
)
def test_bounds_contain_the_value_of_a_full_search(name: str, options: dict[str, Any], ko: str) -> None:
    game = load(name, **options, ko=ko)
    rng, solver, checked, ko_count = random.Random(repr((name, options, ko))), None, 0, 0
    points = game.rows * game.cols  # type: ignore[attr-defined]
    for _ in range(60):
        position = random_position(game, rng, rng.randrange(points // 2, 2 * points))
        if position.outcome() is not None:
            continue
        try:
            value = full_search(position, -99, 99, [MOST])
        except SearchTooLarge:
            continue
        solver = solver or SmallGoSolver(position.game)
        whole, moves = solver.solve(position)
        assert whole.low <= value <= whole.high
        assert set(moves) == set(position.moves())
        checked += 1
        ko_count += whole.low == whole.high
        if checked == 8:
            break
    assert checked >= 2
    assert ko_count or name == "go"


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "games"), [(3, 5), pytest.param(4, 2, marks=pytest.mark.long)])
def test_the_first_player_wins_robogo_by_the_proved_moves(rows: int, games: int) -> None:
    """Play the proved moves against random answers by the rules, with positional superko."""
    game = load("robogo", rows=rows, cols=4)
    solver, rng = SmallGoSolver(game), random.Random(4)  # type: ignore[arg-type]
    for _ in range(games):
        position: Any = game.start()
        while position.outcome() is None:
            if position.to_move == 1:
                whole, moves = solver.solve(position)
                assert whole == (1, 1)
                position = position.play(next(move for move, bounds in moves.items() if bounds.low == 1))
            else:
                position = position.play(rng.choice(list(position.moves())))
        assert position.outcome().winner == 1


@pytest.mark.parametrize("rows", [3, pytest.param(4, marks=pytest.mark.long)])
def test_the_winning_moves_win_within_the_plies(rows: int) -> None:
    game = load("robogo", rows=rows, cols=4, max_moves=26)
    solver, rng = SmallGoSolver(game), random.Random(5)  # type: ignore[arg-type]
    solver.prepare_wins()
    for number in range(30):
        position: Any = game.start()
        seat = 1 + number % 2
        if seat == 2:
            position = position.play(game.parse("pass"))
        while position.outcome() is None:
            if position.to_move == seat:
                move = solver.find_winning_move(position)
                assert move is not None
                position = position.play(move)
            else:
                position = position.play(rng.choice(list(position.moves())))
        assert position.outcome().winner == seat


def test_no_win_is_claimed_without_time_for_it() -> None:
    game = load("robogo", rows=3, cols=4, max_moves=6)
    solver = SmallGoSolver(game)  # type: ignore[arg-type]
    solver.prepare_wins()
    assert solver.find_winning_move(game.start()) is None  # type: ignore[arg-type]


def test_the_known_value_of_three_by_three_go_is_within_the_bounds() -> None:
    game = load("go", size=3, ko="positional")
    whole, moves = SmallGoSolver(game).solve(game.start())  # type: ignore[arg-type]
    assert whole.low <= 9 <= whole.high
    assert len(moves) == 10


def test_rules_without_passes_or_with_suicide_use_the_general_solver() -> None:
    assert can_solve(load("robogo", size=4).start())  # type: ignore[arg-type]
    assert not can_solve(load("robogo", size=4, passing=False).start())  # type: ignore[arg-type]
    assert not can_solve(load("go", size=4, suicide=True).start())  # type: ignore[arg-type]
    assert not can_solve(load("go", rows=3, cols=6).start())  # type: ignore[arg-type]


def test_a_solver_stops_at_its_time() -> None:
    game = load("go", size=4)
    with pytest.raises(SearchStopped):
        SmallGoSolver(game).solve(game.start(), 0.0)  # type: ignore[arg-type]


def test_solve_names_the_bounds_that_do_not_meet() -> None:
    with pytest.raises(Exception, match="the value is from"):
        solve(load("go", rows=3, cols=4, ko="positional").start(), megabytes=400)
