"""Positions as text: pieces, markings and the footer."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any, ClassVar

import pytest

from gomogo_core.drawing.text import board, footer, format_clock, picture, printable
from gomogo_core.games import load
from gomogo_core.games.base import Game, Move, Outcome, Position

LINE = "h8 h9 g7 a1 i9 b1 j10 c1 f6"


def draw_lines(moves: str, *, colour: bool = False, width: int = 80, **options: Any) -> list[str]:
    game = load("gomoku", **options)
    position = game.replay(moves.split())
    last_move = game.parse(moves.split()[-1]) if moves else None
    return board(position, last_move, colour=colour, width=width).splitlines()


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_coordinates_are_on_all_four_sides() -> None:
    lines = draw_lines("h8")
    assert lines[0] == lines[-1] == "   a b c d e f g h i j k l m n o"
    assert [line.split()[0] for line in lines[1:-1]] == [str(row) for row in range(1, 16)]
    assert [re.split(r"[\s\[\]()]", line)[-1] for line in lines[1:-1]] == [str(row) for row in range(1, 16)]


def test_the_last_move_is_in_brackets_under_its_letter() -> None:
    lines = draw_lines("a1 h8")
    assert lines[8] == " 8 . . . . . . .[o]. . . . . . . 8"
    assert lines[8][lines[0].index("h")] == "o"
    assert sum(line.count("[") for line in lines) == 1


def test_marks_at_the_edges_do_not_move_the_board() -> None:
    for corner in ("a1", "o1", "a15", "o15"):
        plain, marked = draw_lines("")[1:-1], draw_lines(corner)[1:-1]
        at = 0 if corner.endswith("1") and not corner.endswith("15") else 14
        assert marked[at].replace("[", " ").replace("]", " ").replace("x", ".") == plain[at]


def test_a_winning_row_is_in_parentheses() -> None:
    lines = draw_lines(LINE)
    assert [line.strip("0123456789 ") for line in lines[6:11]] == [
        ". . . . .[x]. . . . . . . . .",
        ". . . . . .(x). . . . . . . .",
        ". . . . . . .(x). . . . . . .",
        ". . . . . . . o(x). . . . . .",
        ". . . . . . . . .(x). . . . .",
    ]


def test_a_row_across_the_board_has_one_pair_of_parentheses() -> None:
    assert draw_lines("c3 a1 d3 c1 f3 e1 g3 g1 e3")[3] == " 3 . .(x x[x]x x). . . . . . . . 3"


def test_a_board_of_26_columns_fits_in_80_characters() -> None:
    lines = draw_lines("z26", size=26)
    assert max(map(len, lines)) <= 80
    assert lines[26].endswith(".[x]26")


@pytest.mark.parametrize("width", [32, 40, 57])
def test_a_narrow_terminal_gets_a_narrow_board(width: int) -> None:
    lines = draw_lines("z26 a1", width=width, size=26)
    assert max(map(len, lines)) <= width
    assert "O" in lines[1] or "[o]" in lines[1]


def test_a_row_too_long_for_exact_five_is_not_marked_as_won() -> None:
    moves = "c3 a1 d3 c1 e3 e1 g3 g1 h3 i1 f3"
    assert "(" not in "".join(draw_lines(moves, exact=True))
    assert "(" in "".join(draw_lines(moves))


def test_colour_does_not_change_the_text() -> None:
    coloured = "\n".join(draw_lines(LINE, colour=True))
    assert "\x1b[" in coloured
    assert without_colour(coloured) == "\n".join(draw_lines(LINE))


def test_a_mark_keeps_its_colour_when_the_players_swap() -> None:
    game = load("gomoku", opening="swap")
    laid = game.replay(["h8", "h9", "h10"])
    colours = []
    for position in (laid.play(game.parse("stay")), laid.play(game.parse("swap"))):
        text = board(position, colour=True)
        colours.append(re.findall(r"\x1b\[([0-9;]*)m[xo]", text))
    assert colours[0] == colours[1]


def test_the_footer_shows_turn_marks_and_last_move() -> None:
    game = load("gomoku")
    position = game.replay(["h8"])
    assert footer(position, ("me", "greedy"), game.parse("h8")) == "x me   o greedy to move   last h8"


def test_the_footer_shows_the_clocks_of_timed_players() -> None:
    position = load("gomoku").start()
    assert footer(position, ("me", "greedy"), None, (None, 245.0)) == "x me to move   o greedy, 4:05"


def test_the_footer_of_a_finished_game_has_no_turn() -> None:
    assert "to move" not in footer(load("gomoku").replay(LINE.split()), ("me", "greedy"))


def test_the_footer_breaks_between_players_only() -> None:
    position = load("gomoku").start()
    assert footer(position, ("a" * 20, "b" * 20), width=40).splitlines() == [
        f"x {'a' * 20} to move",
        f"o {'b' * 20}",
    ]


def test_a_name_cannot_command_the_terminal() -> None:
    assert printable("a\x1b[2Jb\n\u202ec") == r"a\x1b[2Jb\n\u202ec"
    assert "\x1b" not in footer(load("gomoku").start(), ("\x1b[2J", "b"))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-1, "0.0 s"), (9.94, "9.9 s"), (10, "0:10"), (65, "1:05"), (3599.9, "59:59"), (3600, "1:00:00")],
)
def test_clocks_are_formatted_as_minutes_and_seconds(seconds: float, words: str) -> None:
    assert format_clock(seconds) == words


class StrokeGame(Game):
    """Three players take turns to draw one of two strokes, and count their strokes: the board is no grid of points."""

    name: ClassVar[str] = "lines"

    @property
    def seats(self) -> int:
        return 3

    def start(self) -> Position:
        return LinesPosition(self)

    def parse(self, text: str) -> Move:
        return text

    def format(self, move: Move) -> str:
        return str(move)

    def from_diagram(self, text: str) -> Position:
        return LinesPosition(self)


class LinesPosition(Position):
    def __init__(self, game: Game) -> None:
        self.game, self.to_move = game, 3

    def key(self) -> Hashable:
        return self.to_move

    def moves(self) -> Iterator[Move]:
        yield from ("h0", "h1")

    def why_illegal(self, move: Move) -> str | None:
        return None

    def play(self, move: Move) -> Position:
        return self

    def outcome(self) -> Outcome | None:
        return None

    def rows(self) -> tuple[str, ...]:
        return "+--+  +", "|A    |"

    def diagram(self) -> str:
        return "\n".join(self.rows())

    def mark(self, seat: int) -> str:
        return "ABC"[seat - 1]

    def facts(self) -> dict[str, Any]:
        return {"scores": (1, 0, 2.5)}


def test_a_board_without_a_grid_is_drawn_by_its_game() -> None:
    assert picture(StrokeGame().start(), ("ann", "bo", "cy"), "h0") == (
        "+--+  +\n|A    |\n\nA ann, 1 point   B bo, 0 points   C cy, 2.5 points to move   last h0"
    )
