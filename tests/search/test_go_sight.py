"""Basic tactics of Go: eyes, ataris, shapes, areas, priors of moves."""

from __future__ import annotations

import random

import pytest

from gomogo_core.games.stones.board import BLACK, WHITE, bit_geometry
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search.go.atari import capturing_points, points_safe_from_atari, rescuing_points
from gomogo_core.search.go.eyes import eye_mask, is_eye
from gomogo_core.search.go.influence import influence_balance
from gomogo_core.search.go.move_priors import (
    capturing_or_saving_points,
    masks_by_distance,
    move_priors,
    outer_line_masks,
)
from gomogo_core.search.go.shapes import shape_test
from tests.search._stones_positions import (
    board_from_diagram,
    names_in_mask,
    point_index,
    point_names,
    position_from_board,
    random_stones_position,
)


@pytest.mark.parametrize(
    ("board", "black"),
    [
        (".x... xx... ..... ..... .....", {"a1"}),
        (".x... xo... ..... ..... .....", set()),  # the corner's one corner is white's
        ("..... .xxx. .x.x. .xxx. .....", {"c3"}),
        ("..... .oxx. .x.x. .xxx. .....", {"c3"}),  # one corner may be white's
        ("..... .oxx. .x.x. .xxo. .....", set()),
        ("..x.. .x.x. ..x.. ..... .....", {"c2"}),
        ("x.x.. .x... ..... ..... .....", {"b1"}),
        ("x.x.. ox... ..... ..... .....", set()),  # at the edge none may
        ("..... ..x.. .x.x. ..... .....", set()),
    ],
)
def test_an_eye_is_surrounded_and_its_corners_are_held(board: str, black: set[str]) -> None:
    position = board_from_diagram(board)
    assert names_in_mask(position, eye_mask(position, BLACK)) == black
    assert not eye_mask(position, WHITE)


def test_both_eye_functions_agree() -> None:
    rng = random.Random(1)
    for _ in range(150):
        board = random_stones_position(rng, rng.randint(10, 60), size=6).board
        for colour in (BLACK, WHITE):
            own, other = board.stone_mask(colour), board.stone_mask(3 - colour)
            one_by_one = sum(
                1 << i
                for i in board.bit_geometry.point_indices_in(board.empty_mask)
                if is_eye(board.bit_geometry, own, other, i)
            )
            assert eye_mask(board, colour) == one_by_one


def test_capturable_and_rescuable_chains_are_found() -> None:
    board = board_from_diagram(".ox.... xx..... ....... .ox.... .ox.... ..o.... .......")
    assert {
        str(board.bit_geometry.points[i]): names_in_mask(board, mask)
        for i, mask in capturing_points(board, BLACK).items()
    } == {"a1": {"b1"}}
    board = board_from_diagram("..... .o... oxo.. ..... .....")
    assert {
        str(board.bit_geometry.points[i]): names_in_mask(board, mask)
        for i, mask in rescuing_points(board, BLACK).items()
    } == {"b4": {"b3"}}
    board = board_from_diagram("xo... .o... o.... ..... .....")  # the corner stone cannot be saved
    assert not rescuing_points(board, BLACK)


def test_a_chain_is_saved_by_capturing_or_connecting() -> None:
    board = board_from_diagram("ox... .o... ..... ..... .....")
    saved = {
        str(board.bit_geometry.points[i]): names_in_mask(board, mask)
        for i, mask in rescuing_points(board, WHITE).items()
    }
    assert saved == {"a2": {"a1"}, "c1": {"a1"}}


def test_self_atari_points_are_found() -> None:
    board = board_from_diagram(".o... o.o.. ..... ..... .....")
    safe = names_in_mask(board, points_safe_from_atari(board, BLACK, board.empty_mask & ~board.suicide_mask(BLACK)))
    assert not safe & {"a1", "b2"}
    assert "e5" in safe


@pytest.mark.parametrize(
    ("rows", "is_one"),
    [
        ("xox ... ...", True),  # hane
        ("xo. ... ...", True),
        (".x. ... ...", False),
        ("xo. o.. ...", True),  # a cut
        ("xx. ... ...", False),
        ("... ... ...", False),
        ("xx. x.. ..o", False),
    ],
)
def test_shapes_match_under_symmetry_and_in_both_colours(rows: str, is_one: bool) -> None:
    shapes = [tuple(rows.split())]
    for _ in range(3):
        shapes.append(tuple("".join(column) for column in zip(*shapes[-1][::-1], strict=True)))
    shapes += [tuple(row[::-1] for row in shape) for shape in shapes]
    shapes += [tuple(row.translate(str.maketrans("xo", "ox")) for row in shape) for shape in shapes]
    for shape in shapes:
        board = board_from_diagram(" ".join([".....", *(f".{row}." for row in shape), "....."]))  # no edge is near
        assert shape_test(board.bit_geometry)(board.black_mask, board.white_mask, point_index(board, "c3")) is is_one


@pytest.mark.parametrize(("end", "is_one"), [("..x.. ...o.", True), ("..x.. .....", False), ("..x.. ...x.", False)])
def test_the_edge_has_its_own_shapes(end: str, is_one: bool) -> None:
    board = board_from_diagram(f"..... ..... ..... {end}")
    assert shape_test(board.bit_geometry)(board.black_mask, board.white_mask, point_index(board, "c5")) is is_one


def test_influence_goes_to_the_nearer_colour() -> None:
    empty = board_from_diagram(
        "......... ......... ......... ......... ......... ......... ......... ......... ........."
    )
    assert influence_balance(empty, BLACK) == 0
    middle, edge, corner = (
        influence_balance(empty.place_stone(BLACK, point_index(empty, name)), WHITE) for name in ("e5", "e1", "a1")
    )
    assert middle > edge > corner > 0
    assert middle > influence_balance(empty.place_stone(BLACK, point_index(empty, "b2")), WHITE)
    assert influence_balance(empty.place_stone(WHITE, point_index(empty, "e5")), BLACK) == -middle
    both_colours = board_from_diagram(
        "......... ......... ..x...... ......... ......... ......... ......o.. ......... ........."
    )
    assert influence_balance(both_colours, BLACK) == 0


def test_influence_commutes_with_symmetries_of_the_board() -> None:
    rng = random.Random(3)
    for _ in range(30):
        position = random_stones_position(rng, 25, size=7)
        turned = board_from_diagram(" ".join("".join(column) for column in zip(*position.rows()[::-1], strict=True)))
        assert influence_balance(turned, 1) == pytest.approx(influence_balance(position.board, 1))
        swapped = board_from_diagram(" ".join(row.translate(str.maketrans("xo", "ox")) for row in position.rows()))
        assert influence_balance(swapped, 2) == pytest.approx(-influence_balance(position.board, 1))


def test_distance_passes_through_a_chain_at_once() -> None:
    board = board_from_diagram("..... xxx.. ..... ..... .....")
    near_points, two = masks_by_distance(board, point_index(board, "a2"), 2)
    assert names_in_mask(board, near_points) == {"a1", "b1", "c1", "d2", "a3", "b3", "c3"}
    assert names_in_mask(board, two) == {"d1", "e2", "d3", "a4", "b4", "c4"}
    near, far = masks_by_distance(board, point_index(board, "a3"), 2)
    assert names_in_mask(board, near) == {"a2", "b2", "c2", "b3", "a4"}
    assert {"d2", "c1", "c3"} <= names_in_mask(board, far)


@pytest.mark.parametrize(("columns", "rows"), [(9, 9), (5, 5), (4, 7), (2, 2), (1, 5)])
def test_the_first_three_lines_are_found(columns: int, rows: int) -> None:
    board = bit_geometry(columns, rows)
    line_counts = [0, 0, 0]
    for point, i in board.index_of.items():
        line = min(point.column, point.row, columns + 1 - point.column, rows + 1 - point.row)
        if line <= 3:
            line_counts[line - 1] |= 1 << i
    assert outer_line_masks(board) == tuple(line_counts)


def test_priors_separate_good_and_bad_moves() -> None:
    position = position_from_board(
        "go", "......... ..x...... .xo...... .x....... ......... ......... ......... ......... .........", 1
    )
    looks = {str(move): rewards / visits for move, (visits, rewards) in move_priors(position).items()}
    assert looks["d3"] > 0.7  # it begins a ladder that works
    assert looks["i9"] < 0.4
    assert looks["g7"] > 0.6
    assert looks["pass"] == 0
    assert set(looks) <= {position.game.format(move) for move in position.moves()}


def test_own_eyes_have_no_prior() -> None:
    position = position_from_board("go", ".x.x. xxxx. ..... ..oo. ..o.o", 1)
    assert not {"a1", "c1"} & {position.game.format(move) for move in move_priors(position)}
    assert "a1" not in {position.game.format(move) for move in move_priors(position)} - {PASS}


def test_deciding_points_include_ataris_and_ladders() -> None:
    board = board_from_diagram("....... ..x.... .xo.... .x..... ....... ....... .......")
    assert point_names(board, capturing_or_saving_points(board, BLACK, 0)) >= {"d3"}
    assert point_names(board, capturing_or_saving_points(board, WHITE, 0)) & {"d3", "c4"}
    assert not capturing_or_saving_points(board_from_diagram("..... .x... ..... ...o. ....."), BLACK, 0)
