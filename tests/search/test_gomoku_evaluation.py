"""Evaluation of Gomoku: rows and their open ends, updated stone by stone, the same in every mirror image.

Knows no method of search.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.games.gomoku import BLACK, WHITE, GomokuPosition
from gomogo_core.search import node_of, plies_to_end
from gomogo_core.search.evaluation import gomoku_lines
from gomogo_core.search.evaluation.gomoku_node import GomokuNode
from gomogo_core.search.evaluation.gomoku_windows import RowShape, stone_effects, window_value
from tests.search._positions import (
    gomoku_position_after,
    load_gomoku,
    position_with_stones,
    random_gomoku_game,
    random_gomoku_position,
)

bounded = settings(max_examples=60, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)
stretches = st.text("01", min_size=1, max_size=15)
rows = st.builds(RowShape, st.integers(3, 6), st.booleans())

LINE = RowShape(5, longer_wins=True)


@pytest.mark.parametrize(
    ("stretch", "stones", "open_ends"),
    [
        ("0001000", 1, 2),
        ("0011000", 2, 2),
        ("0011100", 3, 2),
        ("0111100", 4, 2),
        ("1110000", 3, 1),
        ("0000111", 3, 1),
        ("1111", 4, 0),  # no room for a fifth
        ("0110", 2, 0),
    ],
)
def test_a_rows_value_is_its_weight_for_each_open_end(stretch: str, stones: int, open_ends: int) -> None:
    assert window_value(stretch, LINE) == open_ends * LINE.weight(stones)


def test_rows_in_one_stretch_add_up() -> None:
    assert window_value("110100111", LINE) == LINE.weight(2) + 2 * LINE.weight(1) + LINE.weight(3)


def test_weights_grow_steeply_with_the_length() -> None:
    weights = [LINE.weight(length) for length in range(1, 5)]
    assert all(longer_wins > 1.5 * shorter > 0 for shorter, longer_wins in pairwise(weights))
    assert weights[2] == 3 * weights[1] == 10 * weights[0]


def test_a_row_too_long_to_win_has_no_value() -> None:
    assert window_value("0111111000", RowShape(5, longer_wins=False)) == 0


@bounded
@given(stretches, rows)
def test_stone_effects_are_differences_of_values(stretch: str, row: RowShape) -> None:
    for place, change in enumerate(stone_effects(stretch, row)):
        if change is None:
            assert stretch[place] == "1" or len(stretch) < row.line
            continue
        before, after_place = stretch[:place], stretch[place + 1 :]
        assert change.gain == window_value(f"{before}1{after_place}", row) - window_value(stretch, row)
        assert change.loss == window_value(stretch, row) - window_value(before, row) - window_value(after_place, row)


@bounded
@given(stretches, rows)
def test_wins_and_fours_agree_with_trying_each_place(stretch: str, row: RowShape) -> None:
    for place, change in enumerate(stone_effects(stretch, row)):
        if change is None:
            continue
        new_stretch = with_stone(stretch, place)
        assert change.wins == row.wins(row_length(new_stretch, place))
        ends = (e for e, sign in enumerate(new_stretch) if sign == "0" and joins(new_stretch, e, place))
        if not change.wins:
            assert change.fours == sum(row.wins(row_length(with_stone(new_stretch, end), end)) for end in ends)


def with_stone(stretch: str, place: int) -> str:
    return f"{stretch[:place]}1{stretch[place + 1 :]}"


def row_length(stretch: str, place: int) -> int:
    return len(stretch[:place].split("0")[-1]) + len(stretch[place:].split("0")[0])


def joins(stretch: str, end: int, place: int) -> bool:
    """Whether there are only stones between the two places."""
    first, last_cell = sorted((end, place))
    return "0" not in stretch[first + 1 : last_cell]


@bounded
@given(seeds)
def test_incremental_evaluation_agrees_with_the_whole_board(seed: int) -> None:
    rng = random.Random(seed)
    position = random_gomoku_position(rng, random_gomoku_game(rng, largest=15), rng.randint(0, 12))
    node = node_of(position)
    while position.outcome() is None and rng.random() < 0.95:
        move = rng.choice(list(position.moves()))
        position, node = position.play(move), node.child_after(move)
        assert isinstance(position, GomokuPosition)
        assert proof_state(node) == proof_state(node_of(position))


def proof_state(node: object) -> tuple[object, ...]:
    """Return all state of a node except its distance from the root."""
    assert isinstance(node, GomokuNode)
    over = (node.is_over, node.winner)
    if node.is_over:
        return over
    gains = [node.gains(colour) for colour in (BLACK, WHITE)]
    return (*over, node.score, node.threats, gains, node.nearby_lanes, node.board_key, node.colour, node.to_move)


def test_full_tables_restart_with_the_same_results(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    positions = [random_gomoku_position(rng, load_gomoku(size=9), 20) for _ in range(10)]
    before = [proof_state(node_of(position)) for position in positions]
    monkeypatch.setattr(gomoku_lines, "_MEMORY_LIMIT", 50_000)
    monkeypatch.setattr(gomoku_lines, "_MAX_WINDOWS", 20)
    gomoku_lines.lines_of_board.cache_clear()
    assert [proof_state(node_of(position)) for position in positions] == before
    lanes = gomoku_lines.lines_of_board(load_gomoku(size=9))
    assert 0 < sum(map(len, lanes.lines)) <= 50_000 // 300
    assert len(lanes.lines[0].black) <= 20
    gomoku_lines.lines_of_board.cache_clear()


@bounded
@given(seeds)
def test_mirrored_positions_have_equal_evaluations(seed: int) -> None:
    rng = random.Random(seed)
    game = random_gomoku_game(rng)
    cells = [list(row) for row in random_gomoku_position(rng, game, rng.randint(0, 30)).rows()]
    pictures = []
    for _ in range(4):
        cells = [list(row) for row in zip(*cells[::-1], strict=True)]
        pictures += [cells, [row[::-1] for row in cells]]
    values = {node_of(game.from_diagram("\n".join(map(" ".join, picture)))).value() for picture in pictures}
    assert len(values) == 1


@bounded
@given(seeds)
def test_exchanged_colours_negate_the_evaluation(seed: int) -> None:
    rng = random.Random(seed)
    game = load_gomoku(size=rng.randint(5, 9), line=rng.randint(3, 5), exact=rng.random() < 0.5)
    position = random_gomoku_position(rng, game, 2 * rng.randint(0, 12))
    if position.outcome() is not None or position.colour == WHITE:
        return
    exchanged = game.from_diagram("\n".join(position.rows()).translate(str.maketrans("xo", "ox")))
    assert exchanged.colour == BLACK
    mine, exchanged_node = GomokuNode.from_position(position), GomokuNode.from_position(exchanged)
    assert mine.score == -exchanged_node.score
    assert mine.gains(BLACK) == exchanged_node.gains(WHITE)


@pytest.mark.parametrize(
    ("mine", "opponent_stones", "plies"),
    [
        ("f8 g8 h8 i8", "", 1),  # a four, with the move
        ("f8 g8 i8 j8", "", 1),  # a broken one
        ("", "f8 g8 h8 i8", -2),  # an open four, without it
        ("e8", "f8 g8 h8 i8 f7 f6 f5", -2),  # two closed fours
        ("e8", "f8 g8 h8 i8", None),  # one closed four: it can be stopped
        ("g8 h8 i8", "", 3),  # an open three, with the move
        ("f8 g8 i8", "", 3),  # a broken one
        ("", "g8 h8 i8", None),  # without the move
        ("g8 h8 i8", "e8 k8", None),  # five points have no room for an open four
        ("f8 g8 h8 i5 i6 i7", "e8 i4", 3),  # two fours by one stone
    ],
)
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_forced_wins_are_seen_at_their_distance(
    mine: str, opponent_stones: str, plies: int | None, colour: int
) -> None:
    verdict = node_of(position_with_stones(mine, opponent_stones, colour)).certain_value()
    assert (verdict and plies_to_end(verdict)) == (plies and abs(plies))
    assert (verdict is not None and verdict > 0) == (plies is not None and plies > 0)


def test_the_only_answer_to_a_four_is_its_stop() -> None:
    node = node_of(position_with_stones("e8", "f8 g8 h8 i8"))
    assert node.certain_value() is None
    assert [str(move) for move in node.moves()] == ["j8"]
    assert str(node.only_move()) == "j8"


@pytest.mark.parametrize(
    ("colour", "options", "wins"),
    [
        (BLACK, {}, True),
        (BLACK, {"exact": True}, False),
        (WHITE, {"exact": True}, False),
        (BLACK, {"renju": True}, False),
        (WHITE, {"renju": True}, True),
    ],
)
def test_six_wins_only_by_the_rules_that_allow_it(colour: int, options: dict[str, bool], wins: bool) -> None:
    verdict = node_of(position_with_stones("e8 f8 g8 i8 j8", "", colour, **options)).certain_value()
    assert (verdict is not None and plies_to_end(verdict) == 1) == wins


@bounded
@given(seeds)
def test_every_point_that_makes_or_prevents_a_row_is_searched(seed: int) -> None:
    rng = random.Random(seed)
    position = random_gomoku_position(rng, random_gomoku_game(rng, largest=15), rng.randint(0, 40))
    if position.outcome() is not None:
        return
    near = node_of(position).moves_in_game_order()
    for point, move in enumerate(position.game.board.points):
        for colour in (BLACK, WHITE) if not position.cells[point] else ():
            cells = position.cells[:point] + bytes((colour,)) + position.cells[point + 1 :]
            laid_there = GomokuPosition(position.game, cells, position.stones + 1, 1, position.phase, point, None)
            assert move in near or not laid_there._winning_row_through(point)


def test_the_first_stone_is_placed_in_the_centre() -> None:
    assert [str(move) for move in node_of(gomoku_position_after()).moves()] == ["h8"]
    assert [str(move) for move in node_of(gomoku_position_after(size=6)).moves()] == ["d4"]


@pytest.mark.slow
@bounded
@given(seeds)
def test_the_bulk_choice_of_the_best_child_agrees_with_single_evaluations(seed: int) -> None:
    rng = random.Random(seed)
    node = node_of(random_gomoku_position(rng, random_gomoku_game(rng, largest=15), rng.randint(0, 40)))
    if node.is_over:
        return
    values = {move: -node.child_after(move).value() for move in node.moves_in_game_order()}
    best_value = max(values.values())
    reply = node.best_child(-(10**7), 10**7)
    if reply is not None:
        assert reply.value == best_value
        assert values[reply.move] == best_value
    for alpha, beta in ((best_value - 5, best_value), (best_value, best_value + 5), (best_value - 1, best_value + 1)):
        bound = node.best_child(alpha, beta)
        if bound is not None:
            assert min(max(bound.value, alpha), beta) == best_value
