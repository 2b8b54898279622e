"""Dots and Boxes as text: drawn and undrawn edges, owners, the last move, and edges by name."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gomogo_core.drawing.text import board, footer, picture
from gomogo_core.games import load
from gomogo_core.games.base import Position

MOVES = "h0 h2 v0 v1 h5 v3"  # seat 2 takes the first box with v1, draws h5, and seat 1 answers v3


def position_after(moves: str = MOVES, **options: Any) -> Position:
    return load("dots_and_boxes", **{"rows": 2, "cols": 2, **options}).replay(moves.split())


def draw_lines(
    moves: str = MOVES, *, last: bool = True, width: int = 80, named: bool = False, **options: Any
) -> list[str]:
    position = position_after(moves, **options)
    move = position.game.parse(moves.split()[-1]) if last and moves else None
    return board(position, move, width=width, show_names=named).splitlines()


def coloured_parts(text: str, sign: str) -> list[str]:
    """Return the SGR codes of `sign` in `text`."""
    return re.findall(rf"\x1b\[([0-9;]*)m{re.escape(sign)}\x1b\[m", text)


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_boxes_board_shows_dots_drawn_edges_and_owners() -> None:
    assert draw_lines(last=False) == [
        " +---+   +",
        " | o |",
        " +---+   +",
        " |",
        " +   +---+",
    ]


def test_the_last_edge_is_in_brackets() -> None:
    assert draw_lines("h0 h2 v0")[1] == "[|]"
    assert draw_lines("h0 h2 v1")[1] == "    [|]"
    assert draw_lines("v0 v1 h0")[0] == " +[-]+   +"
    assert sum(line.count("[") for line in draw_lines()) == 1


def test_brackets_do_not_cover_an_owner() -> None:
    assert draw_lines("h0 h2 v0 v1")[1] == " | o[|]"
    assert draw_lines("h0 h2 v1 v0")[1] == "[|]o |"


def test_in_colour_undrawn_edges_are_faint_and_drawn_ones_bold() -> None:
    text = board(position_after(), colour=True)
    assert coloured_parts(text, "---") == ["1"] * 3
    assert coloured_parts(text, "|") == ["1"] * 3
    assert coloured_parts(text, "-") == ["2"] * 3
    assert coloured_parts(text, ":") == ["2"] * 3
    assert len(without_colour(text).splitlines()) == 5


def test_in_colour_an_owner_has_the_colour_of_its_name() -> None:
    position = position_after()
    below = footer(position, ["Ann", "Bob"], colour=True)
    codes = re.findall(r"\x1b\[([0-9;]*)m", below)
    assert coloured_parts(board(position, colour=True), "o") == [codes[2]]
    assert codes[0] != codes[2]


def test_in_colour_the_last_edge_is_inverse() -> None:
    position = position_after()
    assert coloured_parts(board(position, position.game.parse("v3"), colour=True), "|").count("1;7") == 1


def test_undrawn_edges_are_named_on_request() -> None:
    assert draw_lines(last=False, named=True) == [
        " +-----+  h1 +",
        " |  o  |     v2",
        " +-----+  h3 +",
        " |     v4    v5",
        " +  h4 +-----+",
    ]


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (3, 3), (5, 5), (4, 12), (2, 13), (3, 15), (20, 20)])
@pytest.mark.parametrize("colour", [False, True])
def test_every_undrawn_edge_is_named_and_no_other(rows: int, cols: int, colour: bool) -> None:
    position = load("dots_and_boxes", rows=rows, cols=cols).start()
    for edge in list(position.moves())[::3]:
        position = position.play(edge)
    text = without_colour(board(position, colour=colour, show_names=True))
    assert set(re.findall(r"[hv]\d+", text)) == {position.game.format(edge) for edge in position.moves()}
    assert max(map(len, text.splitlines())) <= 80


def test_edge_names_are_at_the_places_of_edges() -> None:
    named, plain = (
        draw_lines("", named=True, rows=1, cols=3),
        draw_lines("h0 h1 h2 h3 h4 h5 v0 v1 v2 v3", rows=1, cols=3),
    )
    dots = [at for at, sign in enumerate(named[0]) if sign == "+"]
    assert [named[1].index(f"v{number}") for number in range(4)] == dots
    assert [named[0].index(f"h{number}") // 6 for number in range(3)] == [0, 1, 2]
    assert plain[0].count("+") == 4


def test_a_board_too_wide_for_its_names_is_drawn_in_parts() -> None:
    lines = draw_lines("h0 v9", named=True, last=False, rows=1, cols=18, width=80)
    assert lines == [
        "Boxes 1 to 9 of each row:",
        " +-----+  h1 +  h2 +  h3 +  h4 +  h5 +  h6 +  h7 +  h8 +",
        " v0    v1    v2    v3    v4    v5    v6    v7    v8    |",
        " + h18 + h19 + h20 + h21 + h22 + h23 + h24 + h25 + h26 +",
        "Boxes 10 to 18 of each row:",
        " +  h9 + h10 + h11 + h12 + h13 + h14 + h15 + h16 + h17 +",
        " |    v10   v11   v12   v13   v14   v15   v16   v17   v18",
        " + h27 + h28 + h29 + h30 + h31 + h32 + h33 + h34 + h35 +",
    ]


@pytest.mark.parametrize("width", [80, 60, 44])
def test_the_widest_board_fits(width: int) -> None:
    lines = draw_lines("h0 v0 v419", rows=20, cols=20, width=width)
    assert len(lines) == 41
    assert max(map(len, lines)) <= width
    assert lines[-2].endswith("#")  # no room for brackets


def test_a_terminal_narrower_than_any_board_gets_parts_too() -> None:
    lines = draw_lines("h0", rows=1, cols=20, width=20)
    assert [line for line in lines if line.startswith("Boxes")][-1] == "Boxes 14 to 20 of each row:"
    assert all(len(line) <= 20 for line in lines if not line.startswith("Boxes"))
    assert draw_lines("h0", rows=1, cols=2, width=1)


def test_the_footer_of_boxes_shows_scores_and_departed_players() -> None:
    position = position_after(players=3).withdraw(2)
    below = picture(position, ["Ann", "Bob", "Cid"], width=40).split("\n\n")[1]
    assert below.splitlines() == ["x Ann, 1 box   o Bob, 0 boxes, left", "3 Cid, 0 boxes to move"]


def test_a_move_that_is_no_edge_marks_nothing() -> None:
    assert board(position_after(), None) == board(position_after(), "h0")
