"""Boards of stones as bits: points, chains, liberties, captures, suicide, territory.

Knows no turns and no ko. The incremental state of a board is compared with the result of walking over it.
"""

from __future__ import annotations

import random
from itertools import product

import pytest

from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, EMPTY, WHITE, BitGeometry, StoneBoard, bit_geometry
from tests.games._plain_go import PlainGo

SIZES = [(1, 1), (1, 7), (7, 1), (2, 2), (3, 2), (5, 5), (4, 9), (25, 25)]


def board_from_picture(picture: str) -> StoneBoard:
    """Return the board in a picture of x, o and points."""
    rows = picture.split()
    flat = bit_geometry(len(rows[0]), len(rows))
    masks = {"x": 0, "o": 0, ".": 0}
    for point, sign in zip(flat.point_board.points, "".join(rows), strict=True):
        masks[sign] |= flat.masks[flat.index_of[point]]
    return StoneBoard.of(flat, masks["x"], masks["o"])


def board_picture(board: StoneBoard) -> str:
    return " ".join(board.bit_geometry.rows_of(board.black_mask, board.white_mask))


def place_stone_at(board: StoneBoard, colour: int, name: str) -> StoneBoard:
    return board.place_stone(colour, board.bit_geometry.index_of[board.bit_geometry.point_board.parse(name)])


def point_names(board: StoneBoard, mask: int) -> str:
    return " ".join(map(str, board.bit_geometry.points_in(mask)))


def described_chains(board: StoneBoard) -> list[tuple[int, int, list[int]]]:
    """Return all chains, with their places in order."""
    return sorted(
        (stones, free, sorted(places)) for stones, free, places in board.chains_of(board.black_mask | board.white_mask)
    )


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_neighbours_and_diagonals_are_points_that_differ_by_one(columns: int, rows: int) -> None:
    flat = bit_geometry(columns, rows)
    for point, i in flat.index_of.items():
        steps = [(a, d) for a, d in product((-1, 0, 1), repeat=2) if (a, d) != (0, 0)]
        neighbours = {step: Point(point.column + step[0], point.row + step[1]) for step in steps}
        on_board = {step: flat.index_of[other] for step, other in neighbours.items() if other in flat.index_of}
        assert set(flat.neighbours[i]) == {j for (a, d), j in on_board.items() if a == 0 or d == 0}
        assert set(flat.diagonal_neighbours[i]) == {j for (a, d), j in on_board.items() if a and d}
        near = sum(flat.masks[j] for j in flat.neighbours[i])
        assert flat.neighbour_masks[i] == near == flat.neighbours_of(flat.masks[i]) & flat.full_mask


def test_a_bit_geometry_is_created_once() -> None:
    assert bit_geometry(5, 7) is bit_geometry(5, 7)
    assert bit_geometry(5, 7).point_board.names[-1] == "e7"


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_masks_are_listed_by_row_and_drawn(columns: int, rows: int) -> None:
    flat = bit_geometry(columns, rows)
    draw = random.Random(columns)
    for _ in range(20):
        cells = [draw.choice((EMPTY, BLACK, WHITE)) for _ in flat.point_board.points]
        masks = [0, 0, 0]
        for i, cell in zip(flat.index_of.values(), cells, strict=True):
            masks[cell] |= flat.masks[i]
        assert flat.points_in(masks[BLACK]) == [
            p for p, c in zip(flat.point_board.points, cells, strict=True) if c == BLACK
        ]
        assert list(flat.point_indices_in(masks[WHITE])) == [
            flat.index_of[point] for point in flat.points_in(masks[WHITE])
        ]
        assert "".join(flat.rows_of(masks[BLACK], masks[WHITE])) == "".join(".xo"[cell] for cell in cells)
        board = StoneBoard.of(flat, masks[BLACK], masks[WHITE])
        assert [board.colour(i) for i in flat.index_of.values()] == cells
        assert board.empty_mask == masks[EMPTY]


def test_chains_do_not_wrap_around_the_edge() -> None:
    board = board_from_picture("..x x.. ...")
    assert [point_names(board, stones) for stones, _, _ in described_chains(board)] == ["c1", "a2"]
    assert [point_names(board, free) for _, free, _ in described_chains(board)] == ["b1 c2", "a1 b2 a3"]


def test_a_chain_has_connected_stones_and_their_empty_neighbours() -> None:
    board = board_from_picture("xx.. .xo. ..ox ....")
    stones, free, _ = board.chain(board.bit_geometry.index_of[Point(1, 1)])
    assert point_names(board, stones) == "a1 b1 b2"
    assert point_names(board, free) == "c1 a2 b3"
    assert point_names(board, board.chain(board.bit_geometry.index_of[Point(4, 3)])[1]) == "d2 d4"


@pytest.mark.parametrize(
    ("before", "colour", "move", "after", "captured", "own_lost"),
    [
        ("ox. ... ...", BLACK, "a2", ".x. x.. ...", "a1", ""),  # one stone in the corner
        ("oox ox. ...", BLACK, "a3", "..x .x. x..", "a1 b1 a2", ""),  # a chain
        (".ox ox. x..", BLACK, "a1", "x.x .x. x..", "b1 a2", ""),  # two chains at once
        ("xo. .x. x..", WHITE, "a2", ".o. ox. x..", "a1", ""),  # it would have no liberty, but takes first
        ("ox. xx. ...", WHITE, "c1", "oxo xx. ...", "", ""),  # only a picture can have a stone without liberties
        (".x. x.. ...", WHITE, "a1", ".x. x.. ...", "", "a1"),  # suicide of one stone
        (".ox xxx ...", WHITE, "a1", "..x xxx ...", "", "a1 b1"),  # suicide of two
        ("x.x .x. ...", BLACK, "b1", "xxx .x. ...", "", ""),  # it joins three chains
        ("xox o.o xox", BLACK, "b2", "x.x .x. x.x", "b1 a2 c2 b3", ""),  # four at once
    ],
)
def test_captures_of_the_opponent_come_before_suicide(
    before: str, colour: int, move: str, after: str, captured: str, own_lost: str
) -> None:
    board = place_stone_at(board_from_picture(before), colour, move)
    assert (
        board_picture(board),
        point_names(board, board.captured_mask),
        point_names(board, board.self_captured_mask),
    ) == (
        after,
        captured,
        own_lost,
    )


def test_placing_without_captures_leaves_chains_without_liberties() -> None:
    board = board_from_picture("ox. ... ...")
    board = board.place_stone_without_captures(BLACK, board.bit_geometry.index_of[Point(1, 2)])
    assert (board_picture(board), board.captured_mask, board.self_captured_mask) == ("ox. x.. ...", 0, 0)


def test_a_board_never_changes() -> None:
    board = board_from_picture("ox. ... ...")
    first_state = board_picture(board), described_chains(board), board.key
    place_stone_at(board, BLACK, "a2")
    place_stone_at(board, WHITE, "a2")
    assert (board_picture(board), described_chains(board), board.key) == first_state


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 6), (2, 2), (3, 3), (5, 4), (7, 7)])
def test_incremental_chains_liberties_and_suicides_agree_with_the_board(columns: int, rows: int) -> None:
    """Either colour may play twice in a row, and suicide is allowed: boards know no turns."""
    draw = random.Random(rows)
    capture_count = 0
    for _ in range(8):
        board = StoneBoard.of(bit_geometry(columns, rows))
        for _ in range(4 * columns * rows):
            recomputed = StoneBoard.of(board.bit_geometry, board.black_mask, board.white_mask)
            assert described_chains(board) == described_chains(recomputed)
            assert all(free for _, free, _ in described_chains(board))
            for colour in (BLACK, WHITE):
                losing = [
                    i
                    for i in board.bit_geometry.point_indices_in(board.empty_mask)
                    if board.place_stone(colour, i).self_captured_mask
                ]
                assert losing == list(board.bit_geometry.point_indices_in(board.suicide_mask(colour)))
            if not board.empty_mask:
                break
            board = board.place_stone(
                draw.choice((BLACK, WHITE)), draw.choice(list(board.bit_geometry.point_indices_in(board.empty_mask)))
            )
            capture_count += board.captured_mask.bit_count() + board.self_captured_mask.bit_count()
    assert capture_count or columns * rows == 1


@pytest.mark.parametrize(
    ("picture", "black", "white"),
    [
        ("... ... ...", "", ""),  # nobody's
        (".x. ... ...", "a1 c1 a2 b2 c2 a3 b3 c3", ""),
        (".xo xx. ...", "a1", ""),  # an area that touches both colours belongs to nobody
        (".xo xxo ooo", "a1", ""),
        (".xo. xxo. oooo", "a1", "d1 d2"),
        ("x.o", "", ""),
        (".xo.", "a1", "d1"),
    ],
)
def test_territory_borders_stones_of_one_colour_only(picture: str, black: str, white: str) -> None:
    board = board_from_picture(picture)
    assert tuple(point_names(board, mask) for mask in board.territory_masks()) == (black, white)


def test_territory_agrees_with_a_flood_fill() -> None:
    draw = random.Random(3)
    for _ in range(150):
        flat = bit_geometry(draw.randint(1, 6), draw.randint(1, 6))
        plain = PlainGo(flat.columns, flat.rows, "none", False)
        plain.stones = {spot: draw.choice((1, 2)) for spot in plain.spots if draw.random() < 0.4}
        masks = [0, 0, 0]
        for spot, colour in plain.stones.items():
            masks[colour] |= flat.masks[flat.index_of[Point(*spot)]]
        board = StoneBoard.of(flat, masks[BLACK], masks[WHITE])
        for colour, mask in zip((1, 2), board.territory_masks(), strict=True):
            assert {(point.column, point.row) for point in flat.points_in(mask)} == plain.territory(colour)


def test_parts_of_a_mask_are_connected_components() -> None:
    flat: BitGeometry = bit_geometry(3, 3)
    board = board_from_picture("x.x .x. xx.")
    assert [" ".join(map(str, flat.points_in(part))) for part in flat.groups(board.black_mask)] == [
        "a1",
        "c1",
        "b2 a3 b3",
    ]
    assert flat.spread(flat.masks[0], flat.full_mask) == flat.full_mask
    assert flat.spread(0, flat.full_mask) == 0
