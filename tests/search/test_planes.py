"""The planes that a network gets for a position of stones agree with the stones and chains of the position."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence

import pytest

from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.games.go import Go
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.rules import PASS, GoFamilyGame, GoFamilyPosition

np = pytest.importorskip("numpy")
from gomogo_core.search.planes import (  # noqa: E402
    PLANE_COUNT,
    edge_indexer,
    edge_planes,
    network_encoding_of,
    stone_move_indexer,
    stone_planes,
)

GAMES: list[GoFamilyGame] = [CaptureGo(size=5, target=9), Go(size=5), Robogo(size=6), Go(rows=4, cols=6)]


def random_position(game: GoFamilyGame, seed: int, moves: int) -> GoFamilyPosition:
    rng, position = random.Random(seed), game.start()
    for _ in range(moves):
        places = [move for move in position.moves() if move is not PASS]
        after = position.play(rng.choice(places)) if places else position
        if after.outcome() is not None:
            break
        position = after
    return position


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.rows}x{game.cols}")
def test_each_plane_agrees_with_the_rules(game: GoFamilyGame) -> None:
    positions = [random_position(game, seed, seed) for seed in range(18)]
    planes = stone_planes(positions)
    assert planes.shape == (len(positions), PLANE_COUNT, game.rows, game.cols)
    for position, position_planes in zip(positions, planes, strict=True):
        mover, legal = position.to_move, set(position.moves())
        for point in game.board.points:
            seat, place = position.at(point), game.bit_geometry.index_of[point]
            liberties = position.board.chain(place)[1].bit_count() if seat else 0
            own, other = seat == mover, seat == 3 - mover
            expected_cell = [own, other, 1, own and liberties == 1, own and liberties == 2]
            expected_cell += [other and liberties == 1, other and liberties == 2, not seat and point not in legal]
            assert position_planes[:, point.row - 1, point.column - 1].tolist() == [int(each) for each in expected_cell]


def test_planes_rotate_with_the_board() -> None:
    game = CaptureGo(size=5, target=9)
    position = random_position(game, 3, 14)
    (before,) = stone_planes([position])
    for turns in range(4):
        stones = [np.rot90(before[plane], turns) for plane in (0, 1)]
        masks = [
            sum(1 << game.bit_geometry.stride * int(row) + int(column) for row, column in np.argwhere(plane))
            for plane in (stones if position.to_move == 1 else stones[::-1])
        ]
        turned = type(position)(game, type(position.board).of(game.bit_geometry, *masks), position.to_move)
        assert (stone_planes([turned])[0] == np.rot90(before, turns, (1, 2))).all()


def test_every_move_has_its_own_place_and_the_pass_is_last() -> None:
    for game in GAMES:
        index = stone_move_indexer(game)
        assert sorted(map(index, game.start().moves())) == list(range(game.board.area + 1))
        assert index(PASS) == game.board.area


def test_planes_of_gomoku_show_the_stones_by_the_movers_view() -> None:
    game, view = Gomoku(size=7), network_encoding_of("gomoku")
    rng = random.Random(3)
    positions: list[GomokuPosition] = [game.replay(rng.sample(game.board.points, count)) for count in range(8)]  # type: ignore[misc]
    planes, index = view.encode(positions), view.move_index_of(game)
    assert planes.shape == (8, view.planes, 7, 7)
    for position, position_planes, blocked in zip(positions, planes, view.illegal_moves(planes), strict=True):
        for point in game.board.points:
            seat, place = position.at(point), divmod(index(point), 7)
            assert position_planes[:, *place].tolist() == [seat == position.to_move, seat == 3 - position.to_move, 1]
            assert blocked[place] == (seat is not None)


BOXES = [DotsAndBoxes(rows=3, cols=3), DotsAndBoxes(rows=2, cols=4), DotsAndBoxes(rows=5, cols=5)]


def random_boxes(game: DotsAndBoxes, seed: int) -> DotsAndBoxesPosition:
    rng = random.Random(seed)
    return replay(game, rng.sample(game.edges, rng.randrange(len(game.edges))))


@pytest.mark.parametrize("game", BOXES, ids=lambda game: f"{game.rows}x{game.cols}")
def test_each_plane_of_boxes_agrees_with_the_rules(game: DotsAndBoxes) -> None:
    positions, index = [random_boxes(game, seed) for seed in range(20)], edge_indexer(game)
    planes = edge_planes(positions)
    assert planes.shape == (20, PLANE_COUNT, 2 * game.rows + 1, 2 * game.cols + 1)
    allowed = network_encoding_of(game.name).illegal_moves(planes) == 0
    for position, position_planes, free in zip(positions, planes, allowed, strict=True):
        legal, mover = set(position.moves()), position.to_move
        rows = position.rows()
        assert {index(move) for move in legal} == set(np.flatnonzero(free).tolist())
        assert sorted(np.flatnonzero(position_planes[0] | position_planes[1])) == sorted(map(index, game.edges))
        assert position_planes[2].all()
        assert (position_planes[7] == len(legal) % 2).all()
        for place in np.ndindex(*position_planes[0].shape):
            sign = rows[place[0]][place[1]]
            is_edge, is_box = place[0] % 2 != place[1] % 2, place[0] % 2 and place[1] % 2
            assert position_planes[0][place] == (is_edge and sign != " ")
            neighbours = [(place[0] + down, place[1] + right) for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))]
            sides = sum(rows[row][column] != " " for row, column in neighbours) if is_box else 0
            expected_cell = [sign == position.mark(mover), sign == position.mark(3 - mover), sides == 2, sides == 3]
            assert position_planes[3:7, place[0], place[1]].tolist() == [is_box and each for each in expected_cell]


@pytest.mark.parametrize("game", [BOXES[0], BOXES[2]], ids=["3x3", "5x5"])
def test_planes_and_policy_of_boxes_rotate_with_the_board(game: DotsAndBoxes) -> None:
    index, size = edge_indexer(game), 2 * game.rows + 1
    places = np.arange(size * size).reshape(size, size)
    views = {}
    for number, symmetry in enumerate(game.symmetries()):
        moves = [game.edges[bit] for bit in random.Random(number).sample(range(len(game.edges)), 14)]
        images = [symmetry(move) for move in moves]
        planes = edge_planes([replay(game, moves), replay(game, images)])
        for way in range(8):
            turned = np.rot90(places, way % 4)
            turned = turned[:, ::-1] if way >= 4 else turned
            if all(turned.ravel()[index(image)] == index(move) for move, image in zip(moves, images, strict=True)):
                views[number] = way
                assert (planes[1] == planes[0].reshape(PLANE_COUNT, -1)[:, turned]).all()
    assert sorted(views.values()) == list(range(8))


def replay(game: DotsAndBoxes, moves: Sequence[Hashable]) -> DotsAndBoxesPosition:
    position = game.replay(map(game.format, moves))
    assert isinstance(position, DotsAndBoxesPosition)
    return position
