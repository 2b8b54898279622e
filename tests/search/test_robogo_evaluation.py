"""Evaluation and certain results of Robogo, against the rules and every move.

Knows no method of search.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.games.stones.rules import PASS
from gomogo_core.search import node_of, plies_to_end
from gomogo_core.search.evaluation._robogo_node import RobogoNode
from gomogo_core.search.evaluation.robogo import node
from tests.search._robogo_positions import (
    load_robogo,
    loses_at_once,
    random_robogo_game,
    random_robogo_position,
    robogo_position,
    wins_at_once,
    wins_in_three,
)

bounded = settings(max_examples=60, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)
jumps = st.sampled_from([0, 1, 2])


def proof_state(node: RobogoNode) -> tuple[object, ...]:
    """Return all state of a node except its distance from the root."""
    over = (node.is_over, node.winner)
    if node.is_over:
        return over
    position = node.position
    rows = (node.score, node.threats, node.gains(1), node.gains(2), node.nearby_lanes)
    return (*over, *rows, node.to_move, position.key(), position.moves_played)


@bounded
@given(seeds, jumps)
def test_incremental_evaluation_agrees_with_the_whole_board(seed: int, max_jump: int) -> None:
    rng = random.Random(seed)
    position: Any = random_robogo_game(rng, largest=7).start()
    by_stones = node(position, max_jump=max_jump)
    while position.outcome() is None:
        move = rng.choice(list(position.moves()))
        position, by_stones = position.play(move), by_stones.child_after(move)
        assert proof_state(by_stones) == proof_state(node(position, max_jump=max_jump))


@bounded
@given(seeds)
def test_with_an_unlimited_jump_all_legal_moves_are_searched(seed: int) -> None:
    rng = random.Random(seed)
    position = random_robogo_position(rng, random_robogo_game(rng), rng.randint(0, 25))
    if position.outcome() is None:
        assert list(node_of(position).moves_in_game_order()) == list(position.moves())
        assert set(node_of(position).moves()) <= set(position.moves())


@bounded
@given(seeds)
def test_a_certain_value_agrees_with_trying_every_move(seed: int) -> None:
    rng = random.Random(seed)
    game = random_robogo_game(rng, 4, passing=True)
    for moves in range(4, 16, 2):
        position = random_robogo_position(rng, game, moves)
        if position.outcome() is not None:
            continue
        verdict = node_of(position).certain_value()
        plies = None if verdict is None else plies_to_end(verdict)
        assert (plies == 1) == wins_at_once(position)
        if plies == 2:
            assert verdict is not None
            assert verdict < 0
            assert loses_at_once(position)
        if plies == 3:
            assert verdict is not None
            assert verdict > 0
            assert wins_in_three(position)
        assert plies in (None, 1, 2, 3)


@bounded
@given(seeds)
def test_without_passing_a_certain_value_names_the_right_winner(seed: int) -> None:
    """A player who leaves the opponent no move may win sooner than by a row."""
    rng = random.Random(seed)
    game = random_robogo_game(rng, 4, passing=False)
    for moves in range(4, 16, 2):
        position = random_robogo_position(rng, game, moves)
        verdict = None if position.outcome() else node_of(position).certain_value()
        if verdict is not None:
            won = wins_at_once(position) or wins_in_three(position)
            assert won if verdict > 0 else loses_at_once(position)


@pytest.mark.slow
@bounded
@given(seeds)
def test_every_move_outside_the_defences_loses_in_four_plies(seed: int) -> None:
    rng = random.Random(seed)
    game = random_robogo_game(rng, largest=6, line=rng.choice([3, 4]), rows=5)
    position = random_robogo_position(rng, game, rng.randint(4, 18))
    defences = None if position.outcome() else node_of(position).defences()
    if defences is not None:
        for after in (position.play(move) for move in position.moves() if move not in defences):
            assert wins_at_once(after) or wins_in_three(after)  # type: ignore[arg-type]


@bounded
@given(seeds)
def test_the_bulk_choice_of_the_best_child_agrees_with_single_evaluations(seed: int) -> None:
    rng = random.Random(seed)
    position = random_robogo_position(
        rng, random_robogo_game(rng, largest=6, line=rng.choice([3, 4])), rng.randint(0, 20)
    )
    root = node_of(position)
    if root.is_over or (reply := root.best_child(-(10**7), 10**7)) is None:
        return
    values = {move: -root.child_after(move).value() for move in root.moves_in_game_order()}
    best_value = max(values.values())
    assert reply.value == best_value
    assert values[reply.move] == best_value
    for alpha, beta in ((best_value - 5, best_value), (best_value, best_value + 5), (best_value - 1, best_value + 1)):
        bound = root.best_child(alpha, beta)
        assert bound is not None
        assert min(max(bound.value, alpha), beta) == best_value


def verdict(board: str, to_move: int = 1, footer: str = "", **options: Any) -> int | None:
    """Return the plies to the end that the position shows, negative for a loss."""
    value = node_of(robogo_position(board, to_move, footer, **options)).certain_value()
    return None if value is None else round(plies_to_end(value) or 0) * (1 if value > 0 else -1)


FOUR = "....... .xxxx.. ....... ....... ....o.. ..o.o.. ....o.."
CLOSED = "....... oxxxx.. ....... ....... ....o.. ..o.o.. ......."
THREE = "....... ..xxx.. ....... ....... ....... ....o.. ..o.o.."


@pytest.mark.parametrize(
    ("board", "to_move", "footer", "max_moves", "plies"),
    [
        (FOUR, 1, "", 99, 1),
        (FOUR, 2, "", 99, -2),  # open at both ends
        (FOUR, 2, "passes: 1", 99, None),  # a second pass ends the game as a draw
        (FOUR, 2, "moves: 9", 10, None),  # so does the tenth move
        (FOUR, 2, "moves: 9", 11, -2),
        (CLOSED, 2, "", 99, None),  # open at one
        (THREE, 1, "", 99, 3),
        (THREE, 1, "moves: 8", 11, 3),
        (THREE, 1, "moves: 8", 10, None),
        (THREE, 2, "", 99, None),
    ],
)
def test_rows_win_without_possible_captures(
    board: str, to_move: int, footer: str, max_moves: int, plies: int | None
) -> None:
    assert verdict(board, to_move, footer, max_moves=max_moves) == plies


DIAGONAL = "....... ....... ..xo... ..oxo.. ....x.. ....... ......."  # o can take the stone on d4


@pytest.mark.parametrize(
    ("board", "options", "plies"),
    [
        (DIAGONAL, {}, None),
        (DIAGONAL, {"captures": False}, -2),
        ("....... ....... ..xo... ..ox... ....x.. ....... .......", {}, -2),  # d4 has another liberty
    ],
)
def test_captures_break_rows(board: str, options: dict[str, Any], plies: int | None) -> None:
    """Across and down they do not: the point that a row lacks is a liberty of all its stones."""
    assert verdict(board, 2, line=4, diagonals=True, **options) == plies


def test_a_capture_can_be_the_only_move() -> None:
    root = node_of(robogo_position(DIAGONAL, 2, line=4, diagonals=True))
    assert str(root.only_move()) == "d5"
    assert [str(move) for move in root.moves()] == ["d5"]


@pytest.mark.parametrize(
    ("board", "options", "plies"),
    [
        (".xxo oxo. .o.. ....", {}, None),  # a1 would be suicide
        (".xxo oxo. .o.. ....", {"suicide": True}, None),  # and all four stones be taken off
        (".xxo oxo. .o.. ....", {"captures": False}, 1),
        (".xxo ox.. .o.. ....", {}, 1),
    ],
)
def test_a_row_that_would_have_no_liberty_does_not_win(board: str, options: dict[str, Any], plies: int | None) -> None:
    assert verdict(board, 1, line=3, **options) == plies


def test_taking_the_last_liberty_of_a_row_stops_it() -> None:
    """o on a2 makes x on a1 suicide."""
    root = node_of(robogo_position(".xxo .xo. .o.. ....", 2, line=3))
    assert {str(move) for move in root.moves()} == {"a1", "a2"}
    assert root.only_move() is None


def test_the_only_stop_is_the_only_move() -> None:
    root = node_of(robogo_position(CLOSED, 2))
    assert [str(move) for move in root.moves()] == ["f2"]
    assert str(root.only_move()) == "f2"


def test_one_of_several_mirror_images_is_tried() -> None:
    assert len(node_of(load_robogo(size=5).start()).moves()) == 6 + 1
    assert len(node_of(load_robogo(size=5).replay(["c3"])).moves()) == 5 + 1
    assert len(node_of(load_robogo(size=5).replay(["c2"])).moves()) == 14 + 1
    assert len(node_of(load_robogo(rows=4, cols=5, line=4, passing=False).start()).moves()) == 6
    assert len(node_of(load_robogo(size=5).replay(["c3", "c2", "a1"])).moves()) == 22 + 1


@pytest.mark.parametrize(
    ("max_jump", "points"),
    [
        (1, "a2 b1 b3 c2"),
        (2, "a1 a2 a3 b1 b3 b4 c1 c2 c3 d2"),
    ],
)
def test_max_jump_limits_the_distance_of_searched_moves(max_jump: int, points: str) -> None:
    near = node(load_robogo(size=7).replay(["b2"]), max_jump=max_jump)
    assert {str(move) for move in near.moves() if move is not PASS} <= set(points.split())
    assert [str(move) for move in near.moves_in_game_order()] == [
        *sorted(points.split(), key=lambda p: (p[1], p[0])),
        "pass",
    ]
    assert [str(move) for move in node(load_robogo(size=7).start(), max_jump=max_jump).moves_in_game_order()] == [
        "d4",
        "pass",
    ]


def test_distances_are_updated_after_a_capture() -> None:
    """After a capture nothing stands where the stone was."""
    before = node(robogo_position("xo..... ....... ....... ....... ....... ....... ......o", 2), max_jump=2)
    after = before.child_after(before.position.game.parse("a2"))
    points = {str(move) for move in after.moves_in_game_order()}
    assert "b3" in points  # by a2
    assert "a3" in points
    assert "c1" in points
    assert "a5" not in points
    recomputed = after.child_after(PASS).child_after(after.position.game.parse("g6"))
    assert "a5" not in {str(move) for move in recomputed.moves_in_game_order()}


@pytest.mark.parametrize(
    ("board", "footer", "move", "problem"),
    [
        ("....... .xxxx.. ....... ....... ....o.. ..o.o.. ....o..", "", "f2", "makes five in a row"),
        ("....... xoooo.. ....... ....... ....x.. ..x.x.. .......", "", "f2", "blocks a four"),
        ("....... .xxx... ....... ....... ....o.. ..o.o.. .......", "", "e2", "makes an open four"),
        (".xx.... xoox... .x..... ....... ....... ....... ......o", "", "c3", "captures 2 stones"),
        (".x.xxo. ....... ....... ....... ....o.. ....... ......o", "", "c1", "makes a four"),
        (".o..... oxo.... ....... ....... ....... ....... .......", "", "b3", "saves 1 stone from capture"),
        (".o..... oxo.... ....... ....... ....... ....... .......", "", "g7", None),
        ("....... ....... ....... ....... ....... ....... .......", "passes: 1", "pass", "ends the game as a draw"),
        ("....... ....... ....... ....... ....... ....... .......", "", "pass", None),
    ],
)
def test_a_move_is_described_by_its_effect(board: str, footer: str, move: str, problem: str | None) -> None:
    position = robogo_position(board, 1, footer)
    assert node_of(position).describe_move(position.game.parse(move)) == problem


def test_the_description_names_a_capture_that_breaks_a_row() -> None:
    position = robogo_position(DIAGONAL, 2, line=4, diagonals=True)
    assert node_of(position).describe_move(position.game.parse("d5")) == (
        "captures 1 stone and breaks a three and makes two open twos"
    )


def test_the_description_of_suicide_names_its_cost() -> None:
    position = robogo_position(".xxo oxo. .o.. ....", 1, line=3, suicide=True)
    assert node_of(position).describe_move(position.game.parse("a1")) == "gives up 4 stones"
