"""The rules of ko: the earlier boards that may not return, by each of the three rules.

Knows the rules of Go; test_go, test_capture_go and test_robogo have the ends of games.
"""

from __future__ import annotations

import random

import pytest

from gomogo_core.games.base import IllegalMove
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.rules import GoFamilyPosition
from tests.games._stones import (
    load_stones_game,
    play_moves,
    position_after,
    position_from_picture,
    random_game,
    refusal_reason,
)

RULES = ("simple", "positional", "situational")
every_rule = pytest.mark.parametrize("ko", RULES)

KO = """
. x o . .
x o . o .
. x o . .
. . . . .
"""  # after 8 moves; black takes b2 at c2, and white may not take back at once

TWO_FOR_ONE = """
. x . o
x o o o
. . . .
"""  # after 6 moves; black sends a second stone to c1, white takes two at a1, black takes one back at b1

THREE_KOS = """
. x o .
x o . o
. x o .
. x o .
x . x o
. x o .
. x o .
x o . o
. x o .
moves: 30
"""  # black may take b2 and b8, white c5


def position_after_picture(picture: str, ko: str, moves: str = "", **options: bool) -> GoFamilyPosition:
    return play_moves(position_from_picture("go", picture, ko=ko, **options), moves)


def repetition_sentence(number: int, ko: str) -> str:
    """Return the sentence that forbids a return to the board after this many moves."""
    place_words = f"after move {number}" if number else "at the start"
    return f"ko: the board would be as it was {place_words}" + ", with the same player to move" * (ko == "situational")


@every_rule
def test_a_ko_cannot_be_retaken_at_once(ko: str) -> None:
    after_capture = position_after_picture(KO, ko, "c2")
    assert refusal_reason(after_capture, "b2") == repetition_sentence(8, ko)
    assert after_capture.ko_point_names() == after_capture.facts()["ko"] == ["b2"]
    assert "b2" not in map(str, after_capture.moves())
    with pytest.raises(IllegalMove) as error_info:
        play_moves(after_capture, "b2")
    assert error_info.value.why == repetition_sentence(8, ko)


@every_rule
def test_a_ko_can_be_retaken_after_a_threat_and_its_answer(ko: str) -> None:
    later = position_after_picture(KO, ko, "c2 e4 e3")
    assert refusal_reason(later, "b2") is None
    assert refusal_reason(play_moves(later, "b2"), "c2") == repetition_sentence(11, ko)


@every_rule
def test_a_ko_can_be_filled(ko: str) -> None:
    assert position_after_picture(KO, ko, "c2 e4 b2").rows()[1] == "xxxo."


@every_rule
@pytest.mark.parametrize("other_move", [0, 2, 22, 23])
def test_the_refusal_names_the_move_that_made_the_same_board(ko: str, other_move: int) -> None:
    """The game begins elsewhere; a ko comes of the next eight moves, and is taken by one more."""
    before = [f"{'gh'[number % 2]}{1 + number // 2}" for number in range(other_move)]
    position = position_after("go", " ".join(before) + " b1 c1 a2 d2 b3 c3 s19 b2 c2", ko=ko)
    assert sum(position.captures) == 1
    assert refusal_reason(position, "b2") == repetition_sentence(other_move + 8, ko)


@every_rule
def test_the_move_number_in_a_refusal_counts_passes_and_diagrams(ko: str) -> None:
    position = position_after_picture(KO + "moves: 30", ko, "pass e4 c2")
    assert refusal_reason(position, "b2") == repetition_sentence(32, ko)
    copy = position.game.from_diagram(position.diagram())
    assert "ko: b2" in position.diagram()
    assert refusal_reason(copy, "b2") == repetition_sentence(32, ko)


def test_simple_ko_agrees_with_the_usual_implementation() -> None:
    """As programs for Go usually have it: a stone that stands alone, took one, and has one liberty, there."""
    draw = random.Random(9)
    kos = 0
    for _ in range(150):
        for position, _ in random_game(load_stones_game("go", size=4).start(), draw):
            board, usual = position.board, 0
            if isinstance(position.last, Point) and board.captured_mask.bit_count() == 1:
                stones, liberties, _ = board.chain(position.game.bit_geometry.index_of[position.last])
                if stones.bit_count() == liberties.bit_count() == 1:
                    usual = board.captured_mask
            assert position.ko_mask() == usual
            kos += bool(usual)
    assert kos > 10


def test_a_capture_of_two_stones_by_one_is_no_ko() -> None:
    """Simple ko bites only when one stone was taken by one stone."""
    after_capture = position_after_picture(TWO_FOR_ONE, "simple", "c1 a1")
    assert after_capture.captures == (0, 2)
    assert after_capture.ko_point_names() == []
    assert play_moves(after_capture, "b1").captures == (1, 2)


@every_rule
def test_a_capture_by_a_chain_is_no_ko(ko: str) -> None:
    """White takes three where one was taken: another board than before."""
    picture = """
    . x o . .
    x o . o .
    o x x o .
    . o o . .
    """
    after_capture = position_after_picture(picture, ko, "c2")
    assert after_capture.captures == (1, 0)
    assert after_capture.ko_point_names() == []
    assert play_moves(after_capture, "b2").captures == (1, 3)


def test_sending_two_and_returning_one_is_forbidden_by_positional_superko_only() -> None:
    """The board is the same again, but the other player is to move."""
    start = position_from_picture("go", TWO_FOR_ONE)
    for ko in ("simple", "situational"):
        repeated = position_after_picture(TWO_FOR_ONE, ko, "c1 a1 b1")
        assert repeated.rows() == start.rows()
        assert repeated.to_move != start.to_move
    after_capture = position_after_picture(TWO_FOR_ONE, "positional", "c1 a1")
    assert refusal_reason(after_capture, "b1") == repetition_sentence(6, "positional")
    assert after_capture.ko_point_names() == ["b1"]


def test_situational_superko_forbids_the_repetition_one_move_later() -> None:
    """White passes; were black to send two again, the board after move 7, with white to move, would be back."""
    repeated = position_after_picture(TWO_FOR_ONE, "situational", "c1 a1 b1 pass")
    assert refusal_reason(repeated, "c1") == repetition_sentence(7, "situational")
    assert refusal_reason(position_after_picture(TWO_FOR_ONE, "simple", "c1 a1 b1 pass"), "c1") is None


@every_rule
def test_only_simple_ko_allows_a_triple_ko_cycle(ko: str) -> None:
    """Six moves lead back to the same board with the same player to move."""
    all_but_one = position_after_picture(THREE_KOS, ko, "c2 b5 c8 b2 c5")
    assert all_but_one.captures == (3, 2)
    if ko == "simple":
        repeated = play_moves(all_but_one, "b8")
        assert repeated.rows() == position_from_picture("go", THREE_KOS).rows()
        assert repeated.to_move == 1
        assert play_moves(repeated, "c2 b5 c8 b2 c5 b8").outcome() is None
    else:
        assert refusal_reason(all_but_one, "b8") == repetition_sentence(30, ko)
        assert refusal_reason(all_but_one, "b5") == repetition_sentence(34, ko)  # the usual ko, of the last move
        assert all_but_one.ko_point_names() == ["b5", "b8"]


@pytest.mark.parametrize(("ko", "number"), [("simple", 10), ("positional", 9), ("situational", 10)])
def test_the_refusal_names_the_first_equal_board(ko: str, number: int) -> None:
    """White's pass left the board as it was after move 9; but then it was black's turn, as now it would be."""
    assert refusal_reason(position_after_picture(KO, ko, "e4 pass c2"), "b2") == repetition_sentence(number, ko)


@every_rule
def test_a_pass_is_never_forbidden(ko: str) -> None:
    position = position_after_picture(KO, ko, "c2")
    assert refusal_reason(position, "pass") is None
    assert play_moves(position, "pass").rows() == position.rows()


@every_rule
def test_the_initial_board_counts_for_superko(ko: str) -> None:
    """On a single point each stone takes itself off again, which brings back the start."""
    first = position_after("go", "", rows=1, cols=1, ko=ko, suicide=True)
    assert refusal_reason(first, "a1") == (repetition_sentence(0, ko) if ko == "positional" else None)
    second = play_moves(first, "pass" if ko == "positional" else "a1")
    assert refusal_reason(second, "a1") == repetition_sentence(0, ko)


@every_rule
def test_points_forbidden_by_ko_are_part_of_the_position(ko: str) -> None:
    """The same board is another position where a point is forbidden; and under superko where boards were others."""
    after_capture = position_after_picture(KO, ko, "c2")
    plain = position_from_picture("go", "\n".join(after_capture.rows()) + "\nmoves: 9", ko=ko)
    assert plain.rows() == after_capture.rows()
    assert plain.to_move == after_capture.to_move
    assert plain.moves_played == after_capture.moves_played
    assert plain != after_capture
    assert (refusal_reason(plain, "b2"), refusal_reason(after_capture, "b2")) == (None, repetition_sentence(8, ko))
