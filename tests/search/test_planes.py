"""What a network sees of a position of stones, against the stones and chains of the position itself."""

from __future__ import annotations

import random

import pytest

from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.go import Go
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.rules import PASS, StonesGame, StonesPosition

np = pytest.importorskip("numpy")
from gomogo_core.search.planes import PLANES, move_index, stone_planes  # noqa: E402

GAMES: list[StonesGame] = [CaptureGo(size=5, target=9), Go(size=5), Robogo(size=6), Go(rows=4, cols=6)]


def random_position(game: StonesGame, seed: int, moves: int) -> StonesPosition:
    chance, position = random.Random(seed), game.start()
    for _ in range(moves):
        places = [move for move in position.moves() if move is not PASS]
        after = position.play(chance.choice(places)) if places else position
        if after.outcome() is not None:
            break
        position = after
    return position


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.rows}x{game.cols}")
def test_each_plane_shows_what_the_rules_say(game: StonesGame) -> None:
    positions = [random_position(game, seed, seed) for seed in range(18)]
    planes = stone_planes(positions)
    assert planes.shape == (len(positions), PLANES, game.rows, game.cols)
    for position, found in zip(positions, planes, strict=True):
        mover, legal = position.to_move, set(position.moves())
        for point in game.board.points:
            seat, place = position.at(point), game.plane.place[point]
            liberties = position.board.chain(place)[1].bit_count() if seat else 0
            own, other = seat == mover, seat == 3 - mover
            wanted = [own, other, 1, own and liberties == 1, own and liberties == 2]
            wanted += [other and liberties == 1, other and liberties == 2, not seat and point not in legal]
            assert found[:, point.row - 1, point.column - 1].tolist() == [int(each) for each in wanted]


def test_planes_turn_with_the_board() -> None:
    game = CaptureGo(size=5, target=9)
    position = random_position(game, 3, 14)
    (before,) = stone_planes([position])
    for turns in range(4):
        stones = [np.rot90(before[plane], turns) for plane in (0, 1)]
        masks = [
            sum(1 << game.plane.stride * int(row) + int(column) for row, column in np.argwhere(plane))
            for plane in (stones if position.to_move == 1 else stones[::-1])
        ]
        turned = type(position)(game, type(position.board).of(game.plane, *masks), position.to_move)
        assert (stone_planes([turned])[0] == np.rot90(before, turns, (1, 2))).all()


def test_every_move_has_its_own_place_and_the_pass_is_last() -> None:
    for game in GAMES:
        index = move_index(game)
        assert sorted(map(index, game.start().moves())) == list(range(game.board.area + 1))
        assert index(PASS) == game.board.area
