"""The rules of Dots and Boxes, and the descriptions of positions.

Leaves out drawing for humans (tests/drawing/test_boxes_text), diagrams (test_boxes_text), and third players
(test_boxes_players).
"""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import BadOption, IllegalMove, NotAMove, Outcome, Reason
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition, Edge
from gomogo_core.wire.lines import move_line, parse_move_line
from tests.games._boxes import final_position_with_owners, load_boxes_game, position_after


def test_the_default_game_has_3_by_3_boxes_and_two_players() -> None:
    game = load("dots_and_boxes")
    assert game.options == {"rows": 3, "cols": 3, "players": 2}
    assert game.seats == 2
    assert len(list(game.start().moves())) == 24


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"rows": 0}, "rows 0 is too small: dots_and_boxes needs 1 to 20"),
        ({"cols": 21}, "cols 21 is too large: dots_and_boxes needs 1 to 20"),
        ({"players": 1}, "players 1 is too small: dots_and_boxes needs 2 to 26"),
        ({"players": "27"}, "players 27 is too large: dots_and_boxes needs 2 to 26"),
        ({"size": 3}, "dots_and_boxes has no option 'size'."),
    ],
)
def test_invalid_options_are_refused_with_the_reason(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadOption) as error_info:
        load("dots_and_boxes", **options)
    assert error_info.value.problem.startswith(problem)


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 4), (3, 2), (20, 20)])
def test_edges_are_numbered_row_by_row_the_horizontal_ones_first(rows: int, cols: int) -> None:
    game = load_boxes_game(rows=rows, cols=cols)
    horizontal = [Edge("h", row * cols + col) for row in range(rows + 1) for col in range(cols)]
    vertical = [Edge("v", row * (cols + 1) + col) for row in range(rows) for col in range(cols + 1)]
    assert list(game.edges) == horizontal + vertical
    assert [game.board.index_of[edge] for edge in game.edges] == list(range(len(horizontal + vertical)))
    assert list(game.start().moves()) == horizontal + vertical


def test_a_box_lies_between_its_four_edges() -> None:
    game = load_boxes_game(rows=2, cols=3)
    for row in range(2):
        for col in range(3):
            sides = {
                Edge("h", row * 3 + col),
                Edge("h", (row + 1) * 3 + col),
                Edge("v", row * 4 + col),
                Edge("v", row * 4 + col + 1),
            }
            assert {edge for edge in game.edges if game.boxes[row * 3 + col] >> game.board.index_of[edge] & 1} == sides


def test_a_move_draws_one_undrawn_edge_and_the_turn_passes() -> None:
    position = position_after("h0 v5")
    index_of = position.game.board.index_of
    assert position.drawn == 1 << index_of[Edge("h", 0)] | 1 << index_of[Edge("v", 5)]
    assert position.to_move == 1
    assert {Edge("h", 0), Edge("v", 5)}.isdisjoint(position.moves())
    assert len(list(position.moves())) == 10


def test_the_fourth_side_of_a_box_gives_the_box_and_another_move() -> None:
    before = position_after("h0 h2 v0")
    assert (before.to_move, before.scores) == (2, (0, 0))
    after = before.play(Edge("v", 1))
    assert list(after.owners) == [2, 0, 0, 0]
    assert after.scores == (0, 1)
    assert after.to_move == 2
    assert after.play(Edge("h", 5)).to_move == 1


def test_the_owners_of_the_other_three_sides_do_not_matter() -> None:
    position = position_after("v0 h1 h0 h5 h2 v1")  # seat 1 drew three sides, seat 2 the fourth
    assert (position.scores, position.to_move) == ((0, 1), 2)


def test_one_edge_can_close_two_boxes_and_gives_one_more_move() -> None:
    before = position_after("h0 h1 h2 h3 v0 v2")
    after = before.play(Edge("v", 1))
    assert list(after.owners) == [1, 1, 0, 0]
    assert after.scores == (2, 0)
    assert after.to_move == 1
    assert after.play(Edge("h", 4)).to_move == 2


def test_a_decided_game_continues_to_the_last_edge() -> None:
    position = position_after("h0 h1 h2 h3 v0 v2 v1 v3 h4 v4 h5")
    assert position.scores == (3, 0)
    assert position.outcome() is None
    assert [*position.moves()] == [Edge("v", 5)]
    assert position.play(Edge("v", 5)).outcome() is not None


def test_most_boxes_win_after_the_last_edge() -> None:
    position = position_after("h0 h1 h2 h3 v0 v2 v1 v3 h4 v4 h5 v5")
    assert position.outcome() == Outcome((1, 2), Reason.BOXES, "3 boxes to 1", (3, 1))
    assert not [*position.moves()]
    assert position.why_illegal(Edge("h", 0)) == "the game is over"


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 2)])
def test_with_e_edges_there_are_e_factorial_orders_of_moves(rows: int, cols: int) -> None:
    def orders(position: DotsAndBoxesPosition) -> int:
        return sum(orders(position.play(move)) for move in position.moves()) if position.outcome() is None else 1

    game = load_boxes_game(rows=rows, cols=cols)
    assert orders(game.start()) == math.factorial(len(game.edges))


def test_twelve_edges_have_12_factorial_orders_counted_by_position() -> None:
    counts: dict[Any, int] = {}

    def orders(position: DotsAndBoxesPosition) -> int:
        if position.outcome() is not None:
            return 1
        if position.key() not in counts:
            counts[position.key()] = sum(orders(position.play(move)) for move in position.moves())
        return counts[position.key()]

    assert orders(load_boxes_game().start()) == math.factorial(12)


@pytest.mark.parametrize("written", ["h0", "H 0", "h 0", " h0 ", "h,0", "H, 00", "h   0"])
def test_an_edge_is_parsed_in_every_notation(written: str) -> None:
    assert load_boxes_game().parse(written) == Edge("h", 0)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("h6", "horizontal edges are h0 to h5"),
        ("v 6", "vertical edges are v0 to v5"),
        ("h-1", "write h or v and the edge's number, like h0 or v5"),
        ("a1", "write h or v and the edge's number, like h0 or v5"),
        ("h", "write h or v and the edge's number, like h0 or v5"),
        ("0", "write h or v and the edge's number, like h0 or v5"),
        ("", "write h or v and the edge's number, like h0 or v5"),
        ("h0 v0", "write h or v and the edge's number, like h0 or v5"),
        ("h²", "write h or v and the edge's number, like h0 or v5"),
        ("resign", "write h or v and the edge's number, like h0 or v5"),
    ],
)
def test_an_invalid_edge_is_refused_with_the_valid_range(written: str, hint: str) -> None:
    with pytest.raises(NotAMove) as error_info:
        load_boxes_game().parse(written)
    assert error_info.value.hint == hint


def test_an_edge_is_drawn_once_and_only_on_the_board() -> None:
    position = position_after("h3 v0")
    assert position.why_illegal(Edge("h", 3)) == "h3 is drawn already"
    assert position.why_illegal(Edge("h", 6)) == "h6 is not on this board"
    assert position.why_illegal(("h", 0)) == "('h', 0) is not on this board"
    assert position.why_illegal("h0") == "h0 is not on this board"
    assert position.why_illegal(Edge("h", 2)) is None
    for move in (Edge("h", 3), Edge("h", 6), ("h", 0), "h0"):
        with pytest.raises(IllegalMove, match=r"drawn already|not on this board"):
            position.play(move)


def test_the_move_file_has_a_blank_between_direction_and_number() -> None:
    position = position_after("h3")
    assert move_line("ann", position.game.format(Edge("v", 5))) == "ann v 5\n"
    assert parse_move_line(b"ann v 5\n", "ann", ("ann", "bob"), position).move_or_error == "v 5"
    assert parse_move_line(b"ANN V5", "ann", ("ann", "bob"), position).move_or_error == "v5"


def test_h_1_can_grow_to_h_12_on_a_large_board() -> None:
    start = load("dots_and_boxes", rows=3, cols=4).start()
    assert parse_move_line(b"ann h 1", "ann", ("ann", "bob"), start).may_continue
    assert not parse_move_line(b"ann h 1\n", "ann", ("ann", "bob"), start).may_continue
    assert not parse_move_line(b"ann h 9", "ann", ("ann", "bob"), start).may_continue


@pytest.mark.parametrize(
    ("moves", "move", "effect"),
    [
        ("h0 h2 v0", "h1", ""),
        ("h0 h2 v0", "v1", "takes 1 box and moves again"),
        ("h0 h1 h2 h3 v0 v2", "v1", "takes 2 boxes and moves again"),
        ("h0 h1 h2 h3 v0 v2 v1 v3 h4 v4 h5", "v5", "takes the last box"),
        ("h0 h1 h2 h3 v0 v2 v1 v3 h4 v5 h5", "v4", "takes the last 2 boxes"),
        ("h0", "h0", ""),
    ],
)
def test_the_effect_of_a_move_counts_its_boxes(moves: str, move: str, effect: str) -> None:
    position = position_after(moves)
    assert position.describe_effect(position.game.parse(move)) == effect


def test_facts_contain_scores_moves_left_owners_and_departed_seats() -> None:
    assert position_after("h0 h2 v0 v1").facts() == {"scores": [0, 1], "moves_left": 8, "owners": [[2, 0], [0, 0]]}
    withdrawn = position_after("h0", players=3).withdraw(3)
    assert withdrawn.facts() == {"scores": [0, 0, 0], "moves_left": 11, "owners": [[0, 0], [0, 0]], "away": [3]}


def test_positions_with_the_same_edges_and_owners_are_equal() -> None:
    first_position, other = position_after("h0 h2 v0 v1 h5"), position_after("v0 h2 h0 v1 h5")
    assert first_position == other
    assert hash(first_position) == hash(other)
    assert first_position != position_after("h0 h2 v0 h5 v1")
    assert first_position != position_after("h0 h2 v0 v1 h5", players=3)
    three = position_after("h0 h5", players=3)
    assert three != three.withdraw(1)
    assert final_position_with_owners("xo") != final_position_with_owners("ox")


@pytest.mark.parametrize("seed", range(5))
def test_incremental_state_agrees_with_the_board(seed: int) -> None:
    draw = random.Random(seed)
    game = load_boxes_game(rows=draw.randint(1, 20), cols=draw.randint(1, 20), players=draw.randint(2, 5))
    position = game.start()
    while position.outcome() is None:
        recomputed = DotsAndBoxesPosition(game, position.drawn, position.owners, position.to_move)
        assert list(recomputed.moves()) == list(position.moves())
        assert recomputed.scores == position.scores
        for _ in range(draw.randint(1, 40)):
            moves = list(position.moves())
            if moves:
                position = position.play(draw.choice(moves))
    owned = sum(position.scores)
    assert owned == game.rows * game.cols


def test_the_explanation_names_edges_that_close_or_give_away_boxes() -> None:
    row = load("dots_and_boxes", rows=1, cols=2)
    assert row.replay(["h0"]).explain() == ""
    nearly_closed = row.replay(["h0", "h2"])  # above and below the first box
    assert nearly_closed.explain() == "These edges let the next player close a box: v0 v1."
    assert row.replay(["h0", "h2", "v0"]).explain() == "These edges close a box: v1."
    few_safe = load("dots_and_boxes", rows=1, cols=3).replay(["h0", "h3", "h1", "h4", "v3"])
    assert few_safe.explain() == "These edges are safe, because they give no box away: h2 h5."
    none_safe = row.replay(["h0", "h2", "h1", "h3"])
    assert none_safe.explain() == "No edge is safe: each one that closes no box lets the next player close one."
    assert row.replay(["h0", "h2", "v0", "v1", "h1", "h3", "v2"]).explain() == ""
