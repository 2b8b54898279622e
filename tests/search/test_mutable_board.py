"""The board of playouts against the board of the rules, move for move; and properties of playouts of Go."""

from __future__ import annotations

import random

import pytest

from gomogo_core.games import load
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard, bit_geometry
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.eyes import is_eye
from gomogo_core.search.go.reading import ko_mask_after
from gomogo_core.search.playouts._mutable_board import MutableBoard
from gomogo_core.search.playouts._tactical import TacticalPlayout
from tests.search._stones_positions import board_from_diagram, names_in_mask, point_index, position_from_board


def assert_same_boards(quick: MutableBoard, board: StoneBoard) -> None:
    assert (quick.stone_masks[BLACK], quick.stone_masks[WHITE], quick.empty_mask) == (
        board.black_mask,
        board.white_mask,
        board.empty_mask,
    )
    for i in board.bit_geometry.point_indices_in(board.black_mask | board.white_mask):
        number = quick.chain_ids[i]
        mask, liberties, members = board.chain(i)
        assert (quick.chain_masks[number], quick.chain_liberties[number]) == (mask, liberties)
        assert sorted(quick.chain_points[number]) == sorted(members)
    assert all(quick.chain_ids[i] == -1 for i in board.bit_geometry.point_indices_in(board.empty_mask))


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(1, 6), (3, 3), (5, 4), (9, 9)])
def test_the_mutable_board_agrees_with_the_rules_after_every_move(columns: int, rows: int) -> None:
    rng = random.Random(columns)
    for _ in range(40):
        board = StoneBoard.of(bit_geometry(columns, rows))
        for _ in range(rng.randint(0, 5)):
            board = _any_move(board, rng.choice((BLACK, WHITE)), rng)
        quick, colour = MutableBoard(board), BLACK
        for _ in range(3 * columns * rows):
            free = board.empty_mask & ~board.suicide_mask(colour)
            for i in board.bit_geometry.point_indices_in(
                board.empty_mask & ~board.bit_geometry.neighbours_of(board.empty_mask)
            ):
                assert quick.has_liberty_after(colour, i) == bool(free >> i & 1)
            if free:
                i = rng.choice(list(board.bit_geometry.point_indices_in(free)))
                after = board.place_stone(colour, i)
                room = after.captured_mask != 0 or after.chain(i)[1].bit_count() > 1
                assert quick.has_two_liberties_after(colour, i) == room
                assert sum(1 << j for j in quick.place_stone(colour, i)) == after.captured_mask
                assert quick.ko_point == ko_mask_after(after, i).bit_length() - 1
                chains_put_in_atari = {quick.chain_masks[number] for number in quick.chains_put_in_atari}
                other = after.stone_mask(3 - colour)
                assert chains_put_in_atari == {
                    mask
                    for mask, liberties, _ in after.chains_of(after.bit_geometry.neighbours_of(1 << i) & other)
                    if liberties.bit_count() == 1
                }
                quick.set_last_stone(i)
                assert {quick.chain_masks[number] for number in quick.chains_put_in_atari} == chains_put_in_atari
                board = after
                assert_same_boards(quick, board)
            colour = 3 - colour
        assert quick.stones_without_chains().territory_masks() == board.territory_masks()


def _any_move(board: StoneBoard, colour: int, rng: random.Random) -> StoneBoard:
    free = board.empty_mask & ~board.suicide_mask(colour)
    return board.place_stone(colour, rng.choice(list(board.bit_geometry.point_indices_in(free)))) if free else board


@pytest.mark.parametrize("game", ["go", "capture_go"])
def test_a_playout_follows_the_rules_and_keeps_eyes(game: str) -> None:
    rng = random.Random(2)
    for _ in range(20):
        position = load(game, size=5, **({"ko": "simple"} if game == "go" else {"target": 3})).start()
        assert isinstance(position, GoFamilyPosition)
        target = 3 if game == "capture_go" else None
        skirmish = TacticalPlayout(position, rng.random)
        skirmish.play(target)
        for seat, move in skirmish.moves:
            assert position.to_move == seat
            board = position.board
            if move is PASS:
                unseen = position.legal_mask
                own, other = board.stone_mask(seat), board.stone_mask(3 - seat)
                assert all(
                    is_eye(board.bit_geometry, own, other, i) for i in board.bit_geometry.point_indices_in(unseen)
                )
            else:
                assert isinstance(move, Point)
                i = board.bit_geometry.index_of[move]
                assert not is_eye(board.bit_geometry, board.stone_mask(seat), board.stone_mask(3 - seat), i)
            position = position.play(move)
        assert_same_boards(skirmish.board, position.board)
        assert tuple(skirmish.captures) == position.captures
        if target is not None and max(position.captures) < target:
            assert skirmish.passes == 2


def test_a_playout_ends_with_the_move_cap_and_after_the_second_pass() -> None:
    rng = random.Random(1).random
    capped = load("go", size=9, max_moves=10).replay(["e5", "c3"])
    skirmish = TacticalPlayout(capped, rng)  # type: ignore[arg-type]
    skirmish.play()
    assert len(skirmish.moves) == 8
    passed = position_from_board("go", ".x. x.x .x.", 2, "passes: 1")
    skirmish = TacticalPlayout(passed, rng)
    skirmish.play()
    assert skirmish.moves == [(2, PASS)]


def test_a_playout_does_not_start_with_a_ko_violation() -> None:
    position = position_from_board("go", "..... .xo.. xo.o. .xo.. .....", 1).play(_point("c3"))
    assert isinstance(position, GoFamilyPosition)
    for seed in range(40):
        skirmish = TacticalPlayout(position, random.Random(seed).random)
        skirmish.play()
        assert skirmish.moves[0][1] != _point("b3")


def _point(name: str) -> object:
    return load("go", size=5).parse(name)


def test_playouts_capture_and_save_stones_in_atari() -> None:
    """The last stone attacks two own stones; nine times in ten they are saved, or the attacker is taken."""
    position = position_from_board("go", "....... ..x.... .xoo... ..x.... ....... ....... .......", 1).play(
        _point7("d2")
    )
    position = position.play(_point7("g7")).play(_point7("d4"))
    assert isinstance(position, GoFamilyPosition)
    board = position.board
    assert names_in_mask(board, board.chain(point_index(board, "c3"))[1]) == {"e3"}
    saved = 0
    for seed in range(200):
        skirmish = TacticalPlayout(position, random.Random(seed).random)
        skirmish.play()
        saved += skirmish.moves[0][1] == _point7("e3")
    assert 160 < saved < 200


def _point7(name: str) -> object:
    return load("go", size=7).parse(name)


def test_stones_without_chains_are_counted() -> None:
    board = board_from_diagram("..x.. ..x.. ..xoo ..xo. ..xo.")
    chainless_stones = MutableBoard(board).stones_without_chains()
    assert (chainless_stones.black_mask, chainless_stones.white_mask, chainless_stones.territory_masks()) == (
        board.black_mask,
        board.white_mask,
        board.territory_masks(),
    )
