"""Reasons for a stone of Go: captures that are read out, stones in danger, corners and shapes."""

from __future__ import annotations

import pytest

from gomogo_core.analysis.go_reasons import can_be_captured, find_fights, is_missed, stone_reason, stones_in_danger
from gomogo_core.games import load
from gomogo_core.games.boards import Place
from gomogo_core.games.stones.rules import GoFamilyPosition
from tests.analysis.test_dead_stones import position_of


def board(*rows: str) -> str:
    """The rows of a board of 9 × 9, of which the others are empty."""
    return "\n".join([*rows, *["........."] * (9 - len(rows))])


def last_rows(*rows: str) -> str:
    """The last rows of a board of 9 × 9, of which the others are empty."""
    return "\n".join([*["........."] * (9 - len(rows)), *rows])


LADDER = board(".........", ".........", "..xxx....", "..xo.....")
BROKEN_LADDER = board(*LADDER.split()[:6], "......o..", "......o..")
RACE = board(*["........."] * 4, "oooo.....", "xxxxo....", "oooxo....", "xxoxxo...", ".xo.xo...")


STRAIGHT_THREE = last_rows("xxxxx....", "oooox....", "...ox....")


@pytest.mark.parametrize(
    ("rows", "seat", "move", "reason"),
    [
        (LADDER, 1, "d5", "catches the stone at d4 in a ladder"),
        (LADDER, 1, "e4", "puts the stone at d4 into atari, but it can escape"),
        (BROKEN_LADDER, 1, "d5", "puts the stone at d4 into atari, but it can escape"),
        (LADDER, 2, "d5", "saves your stone at d4 from a ladder"),
        (LADDER, 2, "g7", "saves your stone at d4 from a ladder"),  # the stone breaks the ladder
        (LADDER, 2, "h2", ""),
        (board("xo.ox....", "xx.xx...."), 1, "c1", "captures the stones at b1 and d1"),
        (board("xo.oox...", "xx.xxx..."), 1, "c1", "captures the 2 stones at d1 and the stone at b1"),
        (RACE, 1, "d9", "captures the 5 stones at a7, and saves your 8 stones at a6 from atari"),
        (STRAIGHT_THREE, 1, "b9", "kills the 5 stones at a8"),
        (STRAIGHT_THREE, 2, "b9", "lets your 5 stones at a8 live"),
        (f"{STRAIGHT_THREE[:-9]}x..ox....", 2, "b9", "captures the stone at a9, and lets your 5 stones at a8 live"),
    ],
)
def test_a_reason_names_stones_that_a_move_catches_or_saves(rows: str, seat: int, move: str, reason: str) -> None:
    position = position_of(rows, turn=seat)
    assert stone_reason(position, position.game.parse(move)) == reason


@pytest.mark.parametrize(
    ("size", "moves", "move", "reason"),
    [
        (9, "", "e5", "takes the centre of the board"),
        (9, "", "c3", "takes an empty corner"),
        (9, "g3 c7 c3", "e7", "jumps one point from c7"),
        (9, "g3 c7 c3", "b5", "makes a knight's move from c7"),
        (9, "g3 c7 c3", "d8", "makes a diagonal move from c7"),
        (9, "g3 c7 c3", "f3", "attaches to the stone at g3"),
        (9, "g3 c7 c3", "e3", "approaches the stone at g3 in the corner"),
        (9, "e5 e6 d6 d5", "g6", "threatens to capture the stone at e6"),
        (9, "e5 e4 d4 d5", "g4", "threatens to capture the stone at e4"),
        (9, "e5", "g7", "takes an empty corner"),
        (13, "d4 k10 k4", "d10", "takes an empty corner"),
        (13, "d4 k10 k4", "f4", "approaches the stone at d4 in the corner"),
        (13, "d4 k10 g4 k4", "j10", "attaches to the stone at k10"),
        (13, "d3 k10", "h3", "makes a three-point extension along the side from d3"),
        (9, "d4 d6 e6 e5", "d5", "cuts white's chains at e5 and d6 apart, and threatens to capture the stone at e5"),
        (9, "a1 d4 a9 e5", "e8", ""),
        (9, "c8 e7 f8 a1", "c9", "extends from your stone at c8"),
    ],
)
def test_a_reason_for_a_quiet_stone_names_its_place_or_its_shape(size: int, moves: str, move: str, reason: str) -> None:
    position = load("go", size=size, komi=7.5).replay(moves.split())
    assert isinstance(position, GoFamilyPosition)
    assert stone_reason(position, position.game.parse(move)) == reason


@pytest.mark.parametrize(
    ("owner", "reason"),
    [
        (0.0, "makes a knight's move from c7"),
        (0.6, "makes a knight's move from c7, and strengthens your likely area"),
        (-0.6, "makes a knight's move from c7, and reduces black's likely area"),
    ],
)
def test_the_expected_owners_tell_what_a_quiet_stone_is_for(owner: float, reason: str) -> None:
    position = load("go", size=9, komi=7.5).replay(["g3", "c7", "c3"])
    assert isinstance(position, GoFamilyPosition)
    owners: dict[Place, float] = dict.fromkeys(position.game.board.points, -owner)  # white is to move
    assert stone_reason(position, position.game.parse("b5"), owners=owners) == reason


@pytest.mark.parametrize(
    ("size", "moves", "move", "reason"),
    [
        (9, "c3 g7 d3 g6", "e3", "extends from your 2 stones at d3"),
        (9, "a1 g7 b2 g6", "a2", "connects your stones at a1 and b2"),
        (9, "e5 e6 d4 a9", "d6", "plays hane at the stone at e6"),
        (9, "d5 e6 d4 a9", "d6", "leaves the stone at e6 only 3 liberties"),
        (9, "c4 b7 c5 c7 a1 d7 a2 e7", "c6", "extends from your 2 stones at c5"),
        (9, "c4 d7 c5 c7 a1 e7 a2 f7", "c6", "blocks the 4 stones at c7"),
        (13, "a1 k10 d10 j3", "i4", "plays a shoulder hit against the stone at j3"),
        (13, "d4 j10 d10 j4", "k11", "invades the corner of white"),
        (19, "d4 p16 d16 p4", "d10", "takes an open side"),
        (13, "f4 j10", "f6", "jumps one point from f4 towards the centre"),
    ],
)
def test_a_reason_names_what_a_stone_does_to_its_neighbours(size: int, moves: str, move: str, reason: str) -> None:
    position = load("go", size=size, komi=7.5).replay(moves.split())
    assert isinstance(position, GoFamilyPosition)
    assert stone_reason(position, position.game.parse(move)) == reason


def test_the_ladder_of_a_single_stone_is_no_reason_against_it() -> None:
    position = position_of(LADDER.replace("o", "."), turn=2)
    d4 = position.game.parse("d4")
    assert can_be_captured(position, d4)
    assert stone_reason(position, d4) == "attaches to the stone at c4"


def test_a_stone_that_prevents_a_cut_keeps_the_chains_together() -> None:
    position = position_of(board(".........", ".........", "..ox.....", "..x......"), turn=1)
    words = "keeps your chains together, because the opponent could cut there"
    assert stone_reason(position, position.game.parse("d4")) == words


@pytest.mark.parametrize(
    ("rows", "seat", "move", "words"),
    [
        (RACE, 1, "g5", "your 8 stones at a6 are in atari, and could be saved at d9, but the search estimates that"),
        (RACE, 1, "d9", ""),
        (LADDER, 2, "g2", ""),
    ],
)
def test_stones_that_a_move_leaves_in_atari_are_named(rows: str, seat: int, move: str, words: str) -> None:
    position = position_of(rows, turn=seat)
    named = stones_in_danger(position, position.game.parse(move))
    assert named.startswith(words)
    assert bool(named) == bool(words)


def test_stones_that_cannot_be_saved_are_said_to_be_lost() -> None:
    rows = board("o........", "xx.......", ".........")
    position = position_of(rows, turn=2)
    assert stones_in_danger(position, position.game.parse("g5")) == "your stone at a1 is in atari and cannot be saved"


def test_the_largest_fights_have_the_moves_that_capture_and_save() -> None:
    position = position_of(RACE)
    fights = find_fights(position)
    names = [tuple(map(position.game.format, moves)) for fight in fights for moves in (fight.attacks, fight.defences)]
    assert [(fight.seat, fight.stones) for fight in fights] == [(1, "8 stones at a6"), (2, "5 stones at a7")]
    assert names == [("d9",), ("d9",), ("d9",), ("a9", "d9")]
    assert [is_missed(position, fight, position.game.parse(move)) for fight in fights for move in ("g5", "d9")] == [
        True,
        False,
    ] * 2


@pytest.mark.parametrize(
    ("rows", "vital_point"),
    [
        (STRAIGHT_THREE, "b9"),
        (last_rows("xxxxx....", "oooo.x...", "...ox...."), "b9"),  # a liberty outside does not help
        (last_rows("xxxx.....", "ooox.....", ".oox.....", "..ox....."), "a9"),  # three points around the corner
        (last_rows("xxxxxx...", "ooooox...", "....ox..."), None),  # four in a row are alive
        (last_rows("xxxx.....", "ooox.....", "..ox.....", "..ox....."), None),  # a square of four is dead
        (last_rows("xxxxxx...", "ooooox...", "oo.oox...", "o...ox..."), "c9"),  # a pyramid of four
        (last_rows("xxxxx....", "oooox....", "..oox....", "...ox...."), "b9"),  # a bulky five
        (last_rows("xxxx.....", "ooox.....", "..ox....."), None),  # two points make one eye
    ],
)
@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("is_mirrored", [False, True])
@pytest.mark.parametrize("is_swapped", [False, True])
def test_the_vital_point_of_an_eye_space_kills_and_saves(
    rows: str, vital_point: str | None, turn: int, is_mirrored: bool, is_swapped: bool
) -> None:
    if is_mirrored:  # at the diagonal
        rows = "\n".join(map("".join, zip(*rows.split(), strict=True)))
        vital_point = vital_point and "abcdefghi"[int(vital_point[1]) - 1] + str("abcdefghi".index(vital_point[0]) + 1)
    position = position_of(rows.translate(str.maketrans("xo", "ox")) if is_swapped else rows, turn=turn)
    fights = find_fights(position)
    moves = [tuple(map(position.game.format, moves)) for fight in fights for moves in (fight.attacks, fight.defences)]
    assert moves == ([(vital_point,)] * 2 if vital_point else [])


@pytest.mark.parametrize(
    ("rows", "turn"),
    [
        (board("o........", "xx.......", "........."), 2),  # the stone cannot be saved
        (LADDER, 1),  # a single stone that is not in atari
    ],
)
def test_other_stones_are_no_fight(rows: str, turn: int) -> None:
    assert find_fights(position_of(rows, turn=turn)) == []
