"""Boards of points: names, lines, moves as text, and diagrams read and drawn.

Knows Gomoku only as the game whose diagrams are read.
"""

from __future__ import annotations

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import MAX_CACHED_BOARDS, BadDiagram, NotAMove
from gomogo_core.games.boards.points import Point, point_board
from gomogo_core.games.gomoku import GomokuPosition


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("h8", Point(8, 8)),
        ("H8", Point(8, 8)),
        ("h 8", Point(8, 8)),
        ("  H   8 ", Point(8, 8)),
        ("h,8", Point(8, 8)),
        ("h, 8", Point(8, 8)),
        ("h\t8", Point(8, 8)),
        ("h08", Point(8, 8)),
        ("8,8", Point(8, 8)),
        ("8 8", Point(8, 8)),
        ("8 , 8", Point(8, 8)),
        ("i1", Point(9, 1)),  # the letters have no gap
        ("j1", Point(10, 1)),
        ("o15", Point(15, 15)),
        ("2,15", Point(2, 15)),  # the column comes first
        ("a1\n", Point(1, 1)),
    ],
)
def test_a_point_is_parsed_in_every_notation(text: str, point: Point) -> None:
    assert load("gomoku").parse(text) == point


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "write a column letter, then a row, like h8"),
        ("   ", "write a column letter, then a row, like h8"),
        ("h", "write a column letter, then a row, like h8"),
        ("8", "write a column letter, then a row, like h8"),
        ("8h", "write a column letter, then a row, like h8"),
        ("hh8", "write a column letter, then a row, like h8"),
        ("h-8", "write a column letter, then a row, like h8"),
        ("h8 i9", "write a column letter, then a row, like h8"),
        ("h8.0", "write a column letter, then a row, like h8"),
        ("h99999999999999999999", "write a column letter, then a row, like h8"),
        ("h\u0668", "write a column letter, then a row, like h8"),  # an Arabic 8
        ("pass", "write a column letter, then a row, like h8"),
        ("swap", "write a column letter, then a row, like h8"),
        ("p1", "columns are a to o"),
        ("16,1", "columns are a to o"),
        ("0,1", "columns are a to o"),
        ("h0", "rows are 1 to 15"),
        ("h16", "rows are 1 to 15"),
        ("8,16", "rows are 1 to 15"),
    ],
)
def test_an_invalid_point_is_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(NotAMove) as error_info:
        load("gomoku").parse(text)
    assert (error_info.value.text, error_info.value.hint) == (text, hint)
    assert str(error_info.value) == f"{text!r} is not a move: {hint}"


def test_the_hint_fits_the_board() -> None:
    with pytest.raises(NotAMove, match="like c3"):
        load("gomoku", size=5).parse("?")
    with pytest.raises(NotAMove, match="columns are a to e"):
        load("gomoku", size=5).parse("h3")


def test_every_point_is_parsed_in_lower_and_upper_case() -> None:
    board = point_board(26, 26)
    assert [board.parse(name) for name in board.names] == list(board.points)
    assert [board.parse(name.upper()) for name in board.names] == list(board.points)
    assert [board.number_of[point] for point in board.points] == list(range(676))


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 7), (7, 1), (2, 5), (5, 5), (9, 4), (15, 15)])
def test_lines_through_a_point_agree_with_a_naive_walk(columns: int, rows: int) -> None:
    board = point_board(columns, rows)
    for i, point in enumerate(board.points):
        walked = []
        for column_step, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            first = point
            while (back := Point(first.column - column_step, first.row - down)) in board.number_of:
                first = back
            line = [first]
            while (next_point := Point(line[-1].column + column_step, line[-1].row + down)) in board.number_of:
                line.append(next_point)
            walked.append(line)
        assert [list(board.points[line]) for line in board.lines_through[i]] == walked
        assert [line[place] for line, place in zip(walked, board.index_in_line[i], strict=True)] == [point] * 4


def test_each_line_of_a_15_by_15_board_is_listed_once() -> None:
    lines = point_board(15, 15).lines
    long_enough = [line for line in lines if len(range(line.start, line.stop, line.step)) >= 5]
    assert len(long_enough) == 15 + 15 + 21 + 21
    assert sum(len(range(line.start, line.stop, line.step)) - 4 for line in long_enough) == 572


DIAGRAM = """\
  a b c d e
1 . . . . . 1
2 . x . . . 2
3 . . o . . 3
4 . . . x . 4
5 . . . . . 5
  a b c d e
to move: seat 2 (white o)
black: seat 1
last: d4"""


def small_board_position(text: str) -> GomokuPosition:
    position = load("gomoku", size=5).from_diagram(text)
    assert isinstance(position, GomokuPosition)
    return position


def test_a_diagram_has_coordinates_and_the_hidden_state() -> None:
    position = load("gomoku", size=5).replay(["b2", "c3", "d4"])
    assert position.diagram() == str(position) == DIAGRAM
    assert small_board_position(DIAGRAM) == position


def test_rows_of_two_digits_are_aligned() -> None:
    lines = load("gomoku", size=10).replay(["j10"]).diagram().splitlines()
    assert lines[0] == "   a b c d e f g h i j"
    assert lines[1] == " 1 . . . . . . . . . . 1"
    assert lines[10] == "10 . . . . . . . . . x 10"


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ("without coordinates", ". . . . .\n. x . . .\n. . o . .\n. . . x .\n. . . . ."),
        ("without blanks", ".....\n.x...\n..o..\n...x.\n....."),
        ("in upper case", DIAGRAM.upper()),
        ("with other signs", "+ + + + +\n- b - - -\n_ _ w _ _\n+ + + # +\n. . . . ."),
        ("numbered at the left only", "1 .....\n2 .x...\n3 ..o..\n4 ...x.\n5 ....."),
        ("indented, with empty lines", "\n\n   .....\n   .x...\n\n   ..o..\n   ...x.\n   .....\n\n"),
        ("with lines that end as in Windows", DIAGRAM.replace("\n", "\r\n")),
        ("with a footer of its own", ".....\n.x...\n..o..\n...x.\n.....\nnote: from a book\nblack: 1"),
    ],
)
def test_a_diagram_can_be_written_loosely(variant: str, text: str) -> None:
    assert small_board_position(text) == small_board_position(DIAGRAM), variant


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("", "The diagram has 0 rows.", "Write all 5 rows of this board."),
        (".....\n" * 4, "The diagram has 4 rows.", "Write all 5 rows of this board."),
        (".....\n" * 6, "The diagram has 6 rows.", "Write all 5 rows of this board."),
        (
            ".....\n......\n.....",
            "The row '......' does not show 5 points.",
            "Write each row as 5 of the characters . x o + - _ b # w.",
        ),
        (
            "..?..\n" * 5,
            "The row '..?..' does not show 5 points.",
            "Write each row as 5 of the characters . x o + - _ b # w.",
        ),
        (
            "5 .....\n4 .x...\n3 ..o..\n2 ...x.\n1 .....",
            "The row '5 .....' is row 1 of the diagram, counted from the top.",
            "Draw row 1 at the top, or leave the numbers out.",
        ),
        (
            DIAGRAM.replace("o", "x"),
            "There are 3 black and 0 white stones.",
            "Black must have as many stones as white, or one more.",
        ),
        (
            "o" + "." * 4 + "\n....." * 4,
            "There are 0 black and 1 white stones.",
            "Black must have as many stones as white, or one more.",
        ),
        (
            DIAGRAM.replace("black: seat 1", "black: seat 3"),
            "The lines below the board do not name the seat of black, or a point for the last move.",
            "Write them as `black: seat 1` and `last: h8`, or leave them out.",
        ),
        (
            DIAGRAM.replace("last: d4", "last: f6"),
            "The lines below the board do not name the seat of black, or a point for the last move.",
            "Write them as `black: seat 1` and `last: h8`, or leave them out.",
        ),
        (
            DIAGRAM.replace("last: d4", "last: a1"),
            "The line `last: a1` is wrong: black moved last, and has no stone there.",
            "Name a point with a black stone on it, or leave out `last:`.",
        ),
        (
            DIAGRAM.replace("last: d4", "last: c3"),
            "The line `last: c3` is wrong: black moved last, and has no stone there.",
            "Name a point with a black stone on it, or leave out `last:`.",
        ),
        (
            DIAGRAM + "\nopening: choose",
            "The line `opening: choose` contradicts opening=none, 3 stones, black: seat 1.",
            "Leave out the line `opening:` if the opening is over.",
        ),
    ],
)
def test_an_impossible_diagram_is_refused_with_the_reason(text: str, problem: str, remedy: str) -> None:
    with pytest.raises(BadDiagram) as error_info:
        small_board_position(text)
    assert (error_info.value.problem, error_info.value.remedy) == (problem, remedy)


def test_a_diagram_cannot_claim_a_phase_that_its_stones_do_not_fit() -> None:
    swap2 = load("gomoku", size=5, opening="swap2")
    choice_diagram = swap2.replay(["a1", "b1", "c1"]).diagram()
    assert "opening: choose" in choice_diagram
    for wrong_line in ("opening: lay", "opening: choose last"):
        with pytest.raises(BadDiagram):
            swap2.from_diagram(choice_diagram.replace("opening: choose", wrong_line))


LINE = "xxxxx\noo.oo\n.....\n.....\n....."


def test_a_row_in_a_diagram_wins_with_or_without_a_last_stone() -> None:
    for footer in ("", "\nlast: c1", "\nlast: a1"):
        position = small_board_position(LINE + footer)
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner == 1
        assert list(map(str, position.winning_places())) == ["a1", "b1", "c1", "d1", "e1"]


def test_a_row_in_a_diagram_wins_with_another_last_stone() -> None:
    position = small_board_position("xxxxx\noo.oo\n.....\n.oxo.\n...x.\nlast: c4")
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner == 1
    assert list(map(str, position.winning_places())) == ["a1", "b1", "c1", "d1", "e1"]


def test_a_full_diagram_without_a_row_is_a_draw() -> None:
    outcome = small_board_position("xxoxx\noxoxo\noxoxo\nxoxoo\nxoxox").outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 1)


@pytest.mark.slow
def test_the_cache_of_boards_is_bounded() -> None:
    for columns in range(1, 27):
        for rows in range(1, 27):
            point_board(columns, rows)
    assert point_board.cache_info().currsize == MAX_CACHED_BOARDS
    assert point_board(26, 26) is point_board(26, 26)
