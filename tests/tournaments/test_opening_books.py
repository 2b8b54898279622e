"""Openings of a file are placed as in Gomocup; random openings are even and reproducible."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.boards.points import Point
from gomogo_core.play.events import Ply
from gomogo_core.search import SearchLimits, alpha_beta, plies_to_end
from tournaments.openings import Openings, load_openings

bounded = settings(max_examples=100, deadline=None, derandomize=True, database=None)

GOMOKU = load("gomoku")
BOOK = Path(__file__).parent / "data" / "gomocup_freestyle15.txt"


def book(folder: Path, text: str, size: int = 15) -> Openings:
    (folder / "book.txt").write_text(text)
    return load_openings("book.txt", load("gomoku", size=size), seed=0, folder=folder)


def moves(opened: Openings, number: int) -> list[str]:
    return [ply.move for ply in opened.plies(number)]


def test_the_default_opening_is_the_empty_board(tmp_path: Path) -> None:
    assert load_openings("", GOMOKU, seed=0, folder=tmp_path).plies(3) == ()


def test_offsets_count_from_the_centre_to_the_right_and_down(tmp_path: Path) -> None:
    assert book(tmp_path, "0,0, 1,-1, -2,3\n").plies(0) == (Ply(1, "h8"), Ply(2, "i7"), Ply(1, "f11"))
    assert moves(book(tmp_path, "0,0\n", size=20), 0) == ["k11"]


def test_lines_of_moves_are_read_too(tmp_path: Path) -> None:
    opened = book(tmp_path, "# my openings\n\nh8 I9 j10  # a diagonal\n0,0, 1,0\n")
    assert (moves(opened, 0), moves(opened, 1)) == (["h8", "i9", "j10"], ["h8", "i8"])


def test_the_gomocup_book_is_read_completely() -> None:
    lines = BOOK.read_text().splitlines()
    opened = load_openings(str(BOOK), GOMOKU, seed=0, folder=Path())
    assert [len(opened.plies(number)) for number in range(len(lines))] == [line.count(",") // 2 + 1 for line in lines]


def test_a_short_book_continues_with_rotated_and_mirrored_openings(tmp_path: Path) -> None:
    opened = book(tmp_path, "h8 i9 j8\n")
    turned = [tuple(moves(opened, number)) for number in range(9)]
    assert len(set(turned[:8])) == 8
    assert turned[8] == turned[0] == ("h8", "i9", "j8")
    assert turned[1] == ("h8", "g9", "f8")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0,0, 1,1\n0,0, 8,0\n", "line 2: 8,0 is outside a board of 15×15"),
        ("0,0, 1,1, 0,0\n", "line 1: 0,0: h8 is occupied by black"),
        ("h8 h99\n", "line 1: 'h99' is not a move"),
        ("0,0, 1\n", "line 1: '0,0,' is not a move"),
        ("a1 b1 a2 b2 a3 b3 a4 b4 a5\n", "line 1: this opening ends the game"),
        ("# nothing\n", "is empty"),
    ],
)
def test_an_invalid_line_of_a_book_is_named(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(UserError) as error_info:
        book(tmp_path, text)
    assert str(tmp_path / "book.txt") in error_info.value.problem
    assert problem in error_info.value.problem


@pytest.mark.slow
@bounded
@given(st.text(alphabet="0123456789,- ah#\n", max_size=60))
def test_arbitrary_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    try:
        opened = book(folder, text)
    except UserError as error:
        assert "book.txt" in error.problem  # noqa: PT017 (both ends are right)
    else:
        assert opened.plies(0)


@pytest.mark.parametrize("asked", ["random:0", "random:", "random:x", "random:1000", "random:-1", "random:²"])
def test_an_invalid_number_of_random_moves_is_refused(asked: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="needs a number of moves"):
        load_openings(asked, GOMOKU, seed=0, folder=tmp_path)


def test_a_missing_book_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.txt cannot be read: No such file"):
        load_openings("none.txt", GOMOKU, seed=0, folder=tmp_path)


def test_random_openings_are_reproducible_and_distinct(tmp_path: Path) -> None:
    first, same_openings, other = (load_openings("random:4", GOMOKU, seed=seed, folder=tmp_path) for seed in (1, 1, 2))
    opening_plies = [first.plies(number) for number in range(8)]
    assert opening_plies[5] == same_openings.plies(5)
    assert opening_plies[5] != other.plies(5)
    assert len(set(opening_plies)) == 8


def test_random_openings_are_central_and_undecided(tmp_path: Path) -> None:
    opened = load_openings("random:4", GOMOKU, seed=3, folder=tmp_path)
    for number in range(4):
        position = GOMOKU.replay(ply.move for ply in opened.plies(number))
        points = [GOMOKU.parse(move) for move in moves(opened, number)]
        assert all(isinstance(p, Point) and 5 <= p.column <= 11 and 5 <= p.row <= 11 for p in points)
        assert plies_to_end(alpha_beta.search(position, SearchLimits(depth=2)).value) is None


def test_random_openings_that_decide_the_game_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="that leaves the game undecided"):
        load_openings("random:25", load("gomoku", size=5), seed=0, folder=tmp_path).plies(0)


def test_random_openings_leave_choices_to_the_players(tmp_path: Path) -> None:
    swap2 = load("gomoku", opening="swap2")
    assert [ply.seat for ply in load_openings("random:3", swap2, seed=0, folder=tmp_path).plies(0)] == [1, 1, 1]
    with pytest.raises(UserError, match="No opening of 4 random moves"):
        load_openings("random:4", swap2, seed=0, folder=tmp_path).plies(0)


def test_a_book_has_the_same_identity_in_any_folder(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert book(tmp_path, "h8 i9\n").identity == book(tmp_path / "other", "# again\n0,0, 1,1\n").identity
    assert book(tmp_path, "h8 i9\n").identity != book(tmp_path, "h8 i8\n").identity
