"""The rules of ko: the earlier boards that may not return, by each of the three rules.

Knows the rules of Go; test_go, test_capture_go and test_robogo have the ends of games.
"""

from __future__ import annotations

import random

import pytest

from gomogo_core.games.base import IllegalMove
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.rules import StonesPosition
from tests.games._stones import drawn, follow, game_of, played, random_game, why

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


def at(picture: str, ko: str, moves: str = "", **options: bool) -> StonesPosition:
    return follow(drawn("go", picture, ko=ko, **options), moves)


def back(number: int, ko: str) -> str:
    """Return the sentence that forbids a return to the board after this many moves."""
    when = f"after move {number}" if number else "at the start"
    return f"ko: the board would be as it was {when}" + ", with the same player to move" * (ko == "situational")


@every_rule
def test_a_ko_cannot_be_retaken_at_once(ko: str) -> None:
    taken = at(KO, ko, "c2")
    assert why(taken, "b2") == back(8, ko)
    assert taken.ko_point_names() == taken.facts()["ko"] == ["b2"]
    assert "b2" not in map(str, taken.moves())
    with pytest.raises(IllegalMove) as refused:
        follow(taken, "b2")
    assert refused.value.why == back(8, ko)


@every_rule
def test_a_ko_can_be_retaken_after_a_threat_and_its_answer(ko: str) -> None:
    later = at(KO, ko, "c2 e4 e3")
    assert why(later, "b2") is None
    assert why(follow(later, "b2"), "c2") == back(11, ko)


@every_rule
def test_a_ko_can_be_filled(ko: str) -> None:
    assert at(KO, ko, "c2 e4 b2").rows()[1] == "xxxo."


@every_rule
@pytest.mark.parametrize("elsewhere", [0, 2, 22, 23])
def test_the_refusal_names_the_move_that_made_the_same_board(ko: str, elsewhere: int) -> None:
    """The game begins elsewhere; a ko comes of the next eight moves, and is taken by one more."""
    before = [f"{'gh'[number % 2]}{1 + number // 2}" for number in range(elsewhere)]
    position = played("go", " ".join(before) + " b1 c1 a2 d2 b3 c3 s19 b2 c2", ko=ko)
    assert sum(position.captures) == 1
    assert why(position, "b2") == back(elsewhere + 8, ko)


@every_rule
def test_the_move_number_in_a_refusal_counts_passes_and_diagrams(ko: str) -> None:
    position = at(KO + "moves: 30", ko, "pass e4 c2")
    assert why(position, "b2") == back(32, ko)
    again = position.game.from_diagram(position.diagram())
    assert "ko: b2" in position.diagram()
    assert why(again, "b2") == back(32, ko)


def test_simple_ko_agrees_with_the_usual_implementation() -> None:
    """As programs for Go usually have it: a stone that stands alone, took one, and has one liberty, there."""
    draw = random.Random(9)
    kos = 0
    for _ in range(150):
        for position, _ in random_game(game_of("go", size=4).start(), draw):
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
    taken = at(TWO_FOR_ONE, "simple", "c1 a1")
    assert taken.captures == (0, 2)
    assert taken.ko_point_names() == []
    assert follow(taken, "b1").captures == (1, 2)


@every_rule
def test_a_capture_by_a_chain_is_no_ko(ko: str) -> None:
    """White takes three where one was taken: another board than before."""
    picture = """
    . x o . .
    x o . o .
    o x x o .
    . o o . .
    """
    taken = at(picture, ko, "c2")
    assert taken.captures == (1, 0)
    assert taken.ko_point_names() == []
    assert follow(taken, "b2").captures == (1, 3)


def test_sending_two_and_returning_one_is_forbidden_by_positional_superko_only() -> None:
    """The board is the same again, but the other player is to move."""
    start = drawn("go", TWO_FOR_ONE)
    for ko in ("simple", "situational"):
        again = at(TWO_FOR_ONE, ko, "c1 a1 b1")
        assert again.rows() == start.rows()
        assert again.to_move != start.to_move
    taken = at(TWO_FOR_ONE, "positional", "c1 a1")
    assert why(taken, "b1") == back(6, "positional")
    assert taken.ko_point_names() == ["b1"]


def test_situational_superko_forbids_the_repetition_one_move_later() -> None:
    """White passes; were black to send two again, the board after move 7, with white to move, would be back."""
    again = at(TWO_FOR_ONE, "situational", "c1 a1 b1 pass")
    assert why(again, "c1") == back(7, "situational")
    assert why(at(TWO_FOR_ONE, "simple", "c1 a1 b1 pass"), "c1") is None


@every_rule
def test_only_simple_ko_allows_a_triple_ko_cycle(ko: str) -> None:
    """Six moves lead back to the same board with the same player to move."""
    all_but_one = at(THREE_KOS, ko, "c2 b5 c8 b2 c5")
    assert all_but_one.captures == (3, 2)
    if ko == "simple":
        again = follow(all_but_one, "b8")
        assert again.rows() == drawn("go", THREE_KOS).rows()
        assert again.to_move == 1
        assert follow(again, "c2 b5 c8 b2 c5 b8").outcome() is None
    else:
        assert why(all_but_one, "b8") == back(30, ko)
        assert why(all_but_one, "b5") == back(34, ko)  # the usual ko, of the last move
        assert all_but_one.ko_point_names() == ["b5", "b8"]


@pytest.mark.parametrize(("ko", "number"), [("simple", 10), ("positional", 9), ("situational", 10)])
def test_the_refusal_names_the_first_equal_board(ko: str, number: int) -> None:
    """White's pass left the board as it was after move 9; but then it was black's turn, as now it would be."""
    assert why(at(KO, ko, "e4 pass c2"), "b2") == back(number, ko)


@every_rule
def test_a_pass_is_never_forbidden(ko: str) -> None:
    position = at(KO, ko, "c2")
    assert why(position, "pass") is None
    assert follow(position, "pass").rows() == position.rows()


@every_rule
def test_the_initial_board_counts_for_superko(ko: str) -> None:
    """On a single point each stone takes itself off again, which brings back the start."""
    first = played("go", "", rows=1, cols=1, ko=ko, suicide=True)
    assert why(first, "a1") == (back(0, ko) if ko == "positional" else None)
    second = follow(first, "pass" if ko == "positional" else "a1")
    assert why(second, "a1") == back(0, ko)


@every_rule
def test_points_forbidden_by_ko_are_part_of_the_position(ko: str) -> None:
    """The same board is another position where a point is forbidden; and under superko where boards were others."""
    taken = at(KO, ko, "c2")
    plain = drawn("go", "\n".join(taken.rows()) + "\nmoves: 9", ko=ko)
    assert plain.rows() == taken.rows()
    assert plain.to_move == taken.to_move
    assert plain.moves_played == taken.moves_played
    assert plain != taken
    assert (why(plain, "b2"), why(taken, "b2")) == (None, back(8, ko))
