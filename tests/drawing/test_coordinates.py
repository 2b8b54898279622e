"""Points named as in books of Go in display and input, and never in files."""

from __future__ import annotations

import pytest

from gomogo_core.drawing.coordinates import FILE_COORDINATES, coordinates_of
from gomogo_core.drawing.text import picture
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import NotAMove
from gomogo_core.games.boards.points import PointBoard

GO = load("go")
BOOK = coordinates_of("book", GO)


@pytest.mark.parametrize(
    ("arena_name", "book"), [("a1", "a19"), ("h19", "h1"), ("i19", "j1"), ("s1", "t19"), ("d16", "d4"), ("k10", "l10")]
)
def test_book_coordinates_are_displayed_and_read_back(arena_name: str, book: str) -> None:
    assert BOOK.display(arena_name) == book
    assert GO.parse(BOOK.parse(book)) == GO.parse(BOOK.parse(f" {book[0].upper()} {book[1:]}")) == GO.parse(arena_name)


def test_every_point_survives_book_coordinates() -> None:
    assert isinstance(GO.board, PointBoard)
    for point in GO.board.points:
        assert GO.parse(BOOK.parse(BOOK.display(str(point)))) == point


def test_digits_mean_displayed_columns_and_rows() -> None:
    assert BOOK.parse("9,1") == "i19"


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("i4", "columns are a to t, without i"), ("z4", "columns are a to t, without i"), ("a20", "rows are 1 to 19"),
     ("a0", "rows are 1 to 19"), ("20,1", "columns are a to t, without i"), ("0,1", "columns are a to t, without i")],
)  # fmt: skip
def test_a_point_outside_the_board_is_not_a_move(typed: str, hint: str) -> None:
    with pytest.raises(NotAMove) as error_info:
        BOOK.parse(typed)
    assert error_info.value.hint == hint


def test_a_small_board_has_no_i_to_leave_out() -> None:
    with pytest.raises(NotAMove, match=r"columns are a to h$"):
        coordinates_of("book", load("go", size=8)).parse("i4")


@pytest.mark.parametrize("typed", ["pass", "swap", "resign", "", "d", "ä4"])
def test_other_words_are_unchanged(typed: str) -> None:
    assert BOOK.parse(typed) == typed


def test_book_coordinates_replace_only_points_in_sentences() -> None:
    sentence = "i19 is occupied by black; level-8, bot-a1, x2y and v99 are no points (a1, s19)."
    assert BOOK.display(sentence) == "j1 is occupied by black; level-8, bot-a1, x2y and v99 are no points (a19, t1)."
    assert FILE_COORDINATES.display(sentence) == sentence
    assert FILE_COORDINATES.parse("i4") == "i4"


def test_a_board_with_book_coordinates_omits_i_and_starts_at_the_bottom() -> None:
    game = load("go", size=9)
    position = game.replay(["i1", "a9"])
    book = coordinates_of("book", game)
    lines = picture(position, ("ann", "bob"), game.parse("a9"), coordinates=book).splitlines()
    assert lines[0] == lines[10] == "  a b c d e f g h j"
    assert lines[1] == "9 . . . . . . . . x 9"
    assert lines[9] == "1[o]. . . . . . . . 1"
    assert lines[-1].endswith("last a1")


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("dots_and_boxes", {}, "dots_and_boxes has no points"),
        ("gomoku", {"size": 26}, "this board has 26 columns"),
    ],
)
def test_a_game_without_book_coordinates_is_refused(name: str, options: dict[str, int], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        coordinates_of("book", load(name, **options))
    assert coordinates_of("ours", load(name, **options)) is FILE_COORDINATES


def test_the_point_that_ko_forbids_is_marked_and_named() -> None:
    game = load("go", size=5)
    position = game.replay(["b1", "c1", "a2", "d2", "b3", "c3", "c2", "b2"])
    picture_lines = picture(position, ("ann", "bob"), game.parse("b2")).splitlines()
    assert picture_lines[2] == "2 x[o]~ o . 2"
    assert "ko c2" in " ".join(picture_lines[-2:])
    assert "1 captured" in " ".join(picture_lines[-2:])
    book = picture(position, ("ann", "bob"), coordinates=coordinates_of("book", game)).splitlines()
    assert "ko c4" in " ".join(book[-2:])
