"""Reading of ladders, nets, kos and snapbacks, and the status of chains, in positions from a beginner's book."""

from __future__ import annotations

import math
import random
from itertools import count

import pytest

from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.search.go.chain_status import chain_statuses
from gomogo_core.search.go.reading import ChainReader, ko_mask_after
from gomogo_core.search.limits import OutOfLimits
from tests.search._stones_positions import (
    board_from_diagram,
    names_in_mask,
    point_index,
    point_names,
    random_stones_position,
)

LADDER = "....... ..x.... .xo.... .x..... ....... ....... ......."  # the white stone c3 would run down the diagonal
BROKEN = "....... ..x.... .xo.... .x..... ....... .....o. ......."  # f6 waits for it
NET = "....... ..xx... .xo.... .x..... ....... .....o. ......."
KO = "..... .xo.. xo.o. .xo.. ....."


def reader(nodes: int = 400) -> ChainReader:
    return ChainReader(nodes)


@pytest.mark.parametrize("quiet_moves", [0, 1])
def test_a_ladder_is_read_to_the_edge(quiet_moves: int) -> None:
    board = board_from_diagram(LADDER)
    taken_from = reader(4_000).find_attacks(board, point_index(board, "c3"), quiet_moves)
    assert point_names(board, taken_from) >= {"d3"}
    assert min(taken_from.values()) > 3


def test_a_ladder_breaker_saves_the_stone() -> None:
    board = board_from_diagram(BROKEN)
    assert "d3" not in point_names(board, reader(4_000).find_attacks(board, point_index(board, "c3"), 0))


def test_a_net_catches_stones_that_a_ladder_cannot() -> None:
    board = board_from_diagram(NET)
    assert not reader().find_attacks(board, point_index(board, "c3"), 0)
    assert "d4" in point_names(board, reader(5_000).find_attacks(board, point_index(board, "c3"), 1))


def test_a_chain_in_atari_is_captured_unless_ko_forbids_it() -> None:
    board = board_from_diagram(KO)
    i = point_index(board, "b3")
    assert reader().find_attacks(board, i, 0) == {point_index(board, "c3"): 1}
    assert not reader().find_attacks(board, i, 0, ko_mask=1 << point_index(board, "c3"))


def test_a_ko_capture_forbids_recapture_and_two_stones_do_not() -> None:
    board = board_from_diagram(KO)
    after = board.place_stone(BLACK, point_index(board, "c3"))
    assert names_in_mask(board, ko_mask_after(after, point_index(board, "c3"))) == {"b3"}
    two = board_from_diagram("..... .xxo. xoo.o .xxo. .....")
    assert ko_mask_after(two.place_stone(BLACK, point_index(two, "d3")), point_index(two, "d3")) == 0


def test_a_chain_with_too_many_liberties_is_not_read() -> None:
    board = board_from_diagram("..... ..x.. ..... ..... .....")
    for quiet_moves in (0, 1):
        assert not reader().find_attacks(board, point_index(board, "c2"), quiet_moves)


def test_reading_with_too_few_nodes_gives_a_partial_answer() -> None:
    board = board_from_diagram(LADDER)
    short_reader = ChainReader(3)
    assert not short_reader.find_attacks(board, point_index(board, "c3"), 0)
    assert short_reader.nodes_used <= 4


def test_reading_ends_at_the_time_limit() -> None:
    board, ticks = board_from_diagram(LADDER), count()
    with pytest.raises(OutOfLimits):
        ChainReader(stop_at=5.0, now=lambda: float(next(ticks))).find_attacks(board, point_index(board, "c3"), 0)


def _taken_at_last(board: StoneBoard, i: int, attacker: int, quiet_moves: int, ko: int, rng: random.Random) -> bool:
    """Whether the attacker captures the chain by reading, against an owner who plays at random without passes."""
    owner = 3 - attacker
    for _ in range(60):
        attacks = reader(3_000).find_attacks(board, i, quiet_moves, ko)
        if not attacks:
            return False
        place = min(attacks, key=lambda j: attacks[j])
        board = board.place_stone(attacker, place)
        if board.captured_mask >> i & 1:
            return True
        quiet_moves = max(quiet_moves, 1)
        forbidden = ko_mask_after(board, place) | board.suicide_mask(owner)
        liberties = board.chain(i)[1]
        answers = [
            j
            for j in board.bit_geometry.point_indices_in(board.empty_mask & ~forbidden)
            if rng.random() < 0.1 or liberties >> j & 1
        ]
        if answers:
            j = rng.choice(answers)
            board = board.place_stone(owner, j)
            ko = ko_mask_after(board, j)
    return False


def test_a_chain_read_as_lost_is_captured_against_every_defence() -> None:
    """Random positions and random defenders: no chain escapes that the reader captures."""
    rng, tried = random.Random(4), 0
    while tried < 60:
        position = random_stones_position(rng, rng.randint(12, 40), size=6)
        board = position.board
        for stones_of, _, places in {
            board.chain(i) for i in board.bit_geometry.point_indices_in(board.black_mask | board.white_mask)
        }:
            attacker = WHITE if stones_of & board.black_mask else BLACK
            if reader(3_000).find_attacks(board, places[0], 0):
                tried += 1
                assert _taken_at_last(board, places[0], attacker, 0, 0, rng), (position.diagram(), places[0])


def test_chain_statuses_list_the_largest_chains_first() -> None:
    board = board_from_diagram(".oox... .xx.... ....... ....x.. ...xo.. ....x.. .......")
    large, small = chain_statuses(board, reader(), 1, BLACK)
    assert names_in_mask(board, large.stones) == {"b1", "c1"}
    assert (large.colour, large.size, large.is_lost) == (WHITE, 2, True)
    assert {str(board.bit_geometry.points[i]): steps for i, steps in large.attacks.items()} == {"a1": 1}
    assert (small.size, small.is_lost) == (1, False)
    assert point_names(board, small.attacks) == point_names(board, small.defences) == {"f5"}


def test_a_quiet_board_has_no_chain_statuses() -> None:
    assert chain_statuses(board_from_diagram("..... .x.o. ..... .x.o. ....."), reader(), 0, BLACK) == []
    assert math.isinf(ChainReader().stop_at)
