"""Diagrams of Dots and Boxes: a drawn position can be parsed, and other text is refused with a reason.

Knows nothing of boards as people see them at the console.
"""

from __future__ import annotations

import random
from textwrap import dedent, indent
from typing import Any

import pytest

from gomogo_core.games.base import BadDiagram
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from tests.games._boxes import load_boxes_game

HALF = """\
+-+ +
|o|
+-+-+
| |
+ + +
to move: seat 1 (x)
scores: 0, 1"""


def half_drawn_position() -> DotsAndBoxesPosition:
    position = load_boxes_game().replay(["h0", "h2", "v0", "v1", "h3", "v3"])
    assert isinstance(position, DotsAndBoxesPosition)
    return position.play(position.game.parse("v4"))


def test_the_board_shows_dots_drawn_edges_and_owners() -> None:
    assert half_drawn_position().rows() == ("+-+ +", "|o|  ", "+-+-+", "| |  ", "+ + +")


def test_a_diagram_has_the_board_the_turn_and_the_scores() -> None:
    assert half_drawn_position().diagram() == HALF


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: indent(text, "    "),
        lambda text: "\n" + text.upper() + "\n\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("scores: 0, 1", ""),
        lambda text: text.replace("to move: seat 1 (x)", "note: a riddle\nto move: seat 1"),
        lambda text: "to move: seat 1\n" + text.replace("to move: seat 1 (x)\n", ""),
    ],
    ids=["plain", "indented", "upper", "crlf", "no scores", "a note", "turn first"],
)
def test_a_copied_diagram_is_read_in_every_layout(change: Any) -> None:
    assert load_boxes_game().from_diagram(change(HALF)) == half_drawn_position()


def test_a_finished_game_needs_no_footer() -> None:
    position = load_boxes_game(rows=1).from_diagram("+-+-+\n|x|o|\n+-+-+")
    assert position.outcome() is not None
    assert position.diagram().splitlines()[3] == "to move: nobody, seat 2 moved last"


def test_a_diagram_lists_departed_seats() -> None:
    game = load_boxes_game(players=4)
    position = game.replay(["h0", "h1"]).withdraw(4).withdraw(1)
    assert isinstance(position, DotsAndBoxesPosition)
    assert position.diagram().splitlines()[-1] == "away: seat 1, seat 4"
    copy = game.from_diagram(position.diagram())
    assert copy == position
    assert copy.departed == {1, 4}


def test_without_closed_boxes_the_edges_determine_the_turn() -> None:
    dots = "+-+ +\n\n+ +-+\n    |\n+ + +"
    assert load_boxes_game().from_diagram(dots).to_move == 2
    assert load_boxes_game(players=3).from_diagram(dots).to_move == 1


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("", "The diagram does not have 5 rows.", "3 rows of dots and, between them, 2 rows of boxes"),
        ("+ + +\n\n+ + +\n", "The diagram does not have 5 rows.", "3 rows of dots"),
        ("+ + +\n\n+ + +\n\n+ + +\n\n+ + +", "The diagram does not have 5 rows.", "3 rows of dots"),
        (
            "+ + + +\n\n+ + +\n\n+ + +",
            "The row '+ + + +' is not a row of dots or boxes that is 2 boxes wide.",
            "'+-+-+'",
        ),
        ("+ + +\n\n+   +\n\n+ + +", "The row '+   +' is not a row of dots or boxes that is 2 boxes wide.", "'+-+-+'"),
        ("+ +|+\n\n+ + +\n\n+ + +", "The row '+ +|+' is not a row of dots or boxes that is 2 boxes wide.", "'+-+-+'"),
        ("+ + +\n-\n+ + +\n\n+ + +", "The row '-' is not a row of dots or boxes that is 2 boxes wide.", "'| | |'"),
        (" + + +\n|\n + + +\n\n + + +", "The row '|' is not a row of dots or boxes that is 2 boxes wide.", "'| | |'"),
        ("+ + +\n     |\n+ + +\n\n+ + +", "The row '|' is not a row of dots or boxes that is 2 boxes wide.", "'| | |'"),
        ("+ + +\n x\n+ + +\n\n+ + +", "The box in row 1, column 1 has an owner, but is not closed.", "Draw its four"),
        ("+ +-+\n  | |\n+ +-+\n\n+ + +", "The box in row 1, column 2 is closed, but has no owner.", "owner's mark"),
        ("+ +-+\n  |3|\n+ +-+\n\n+ + +", "The box in row 1, column 2 shows '3'.", "Its owner is one of x o."),
        ("+ + +\n\n+ +-+\n  |o|\n+ +-+", "The board does not show the player to move.", "`to move: seat 1`"),
        ("+ + +\n\n+ + +\n\n+ + +\nto move: seat 3", "Seat 3 cannot be to move: nobody plays there.", "Name the seat"),
        (
            "+-+ +\n\n+ + +\n\n+ + +\nto move: seat 1",
            "Seat 1 cannot be to move: no box is closed, and 1 edges are drawn.",
            "Write `to move: seat 2`.",
        ),
        ("+ + +\n\n+ + +\n\n+ + +\naway: seat 1", "Fewer than two players are left.", "Name fewer seats"),
        ("+ + +\n\n+ + +\n\n+ + +\naway: Bob", "The line `away:` says 'bob'.", "with seats from 1 to 2"),
        ("+ + +\n\n+ + +\n\n+ + +\naway: seat 3", "The line `away:` says 'seat 3'.", "with seats from 1 to 2"),
        (
            HALF.replace("0, 1", "1, 0"),
            "The line `scores:` says 1, 0, but the boxes on the board give 0, 1.",
            "scores follow from the boxes",
        ),
    ],
)
def test_an_invalid_diagram_is_refused_with_the_reason(text: str, problem: str, remedy: str) -> None:
    with pytest.raises(BadDiagram) as error_info:
        load_boxes_game().from_diagram(dedent(text))
    assert error_info.value.problem == problem
    assert remedy in error_info.value.remedy


def test_a_diagram_with_departed_seats_must_name_the_turn() -> None:
    with pytest.raises(BadDiagram, match="the player to move"):
        load_boxes_game(players=3).from_diagram("+ + +\n\n+ + +\n\n+ + +\naway: seat 1")


def test_a_departed_seat_cannot_be_to_move() -> None:
    with pytest.raises(BadDiagram, match="Seat 1 cannot be to move: nobody plays there"):
        load_boxes_game(players=3).from_diagram("+ + +\n\n+ + +\n\n+ + +\naway: seat 1\nto move: seat 1")


@pytest.mark.parametrize("seed", range(20))
def test_diagrams_of_a_game_with_departed_players_are_read_back(seed: int) -> None:
    draw = random.Random(seed)
    game = load_boxes_game(rows=draw.randint(1, 4), cols=draw.randint(1, 4), players=draw.randint(3, 26))
    position = game.start()
    while position.outcome() is None:
        if draw.random() < 0.2 and game.players - len(position.departed) > 2:
            staying = [seat for seat in range(1, game.players + 1) if seat not in position.departed]
            position = position.withdraw(draw.choice(staying))
        else:
            position = position.play(draw.choice(list(position.moves())))
        copy = game.from_diagram(position.diagram())
        assert (copy, copy.to_move, copy.facts()) == (position, position.to_move, position.facts())
        assert copy.outcome() == position.outcome()
