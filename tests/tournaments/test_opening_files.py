"""Openings are read from position strings, from games in SGF and PSQ, and from folders of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Game
from tournaments.opening_book import read_book
from tournaments.openings import Openings, load_openings

bounded = settings(max_examples=100, deadline=None, derandomize=True, database=None)

GOMOKU = load("gomoku")


def book(path: Path, content: str | bytes, game: Game = GOMOKU, plies: int | None = None) -> Openings:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_openings(path.name, game, seed=0, folder=path.parent, plies=plies)


def moves(opened: Openings, number: int = 0) -> str:
    return " ".join(ply.move for ply in opened.plies(number))


def test_position_strings_are_moves_without_blanks(tmp_path: Path) -> None:
    opened = book(tmp_path / "pos.txt", "h8i9g10\nH8I9\nk10J10 h8\n")
    assert [moves(opened, number) for number in range(3)] == ["h8 i9 g10", "h8 i9", "k10 j10 h8"]
    assert moves(book(tmp_path / "dots.txt", "h0v3h11", load("dots_and_boxes"))) == "h0 v3 h11"


def test_a_byte_order_mark_and_the_line_ends_of_windows_do_not_matter(tmp_path: Path) -> None:
    opened = book(tmp_path / "pos.txt", b"\xef\xbb\xbfh8i9\r\nh8i8\r\n")
    assert [moves(opened, number) for number in range(2)] == ["h8 i9", "h8 i8"]


def test_every_game_of_an_sgf_file_is_an_opening(tmp_path: Path) -> None:
    games = "(;GM[4]SZ[15]PB[x];B[hh];W[ii](;B[jj])(;B[ah]))\n\n(;GM[4]SZ[15];B[aa];W[bb]C[odd \\] one])"
    opened = book(tmp_path / "games.sgf", games)
    assert [moves(opened, number) for number in range(2)] == ["h8 i9 j10", "a1 b2"]


def test_stones_of_a_swap_are_ordered_by_colour_in_sgf(tmp_path: Path) -> None:
    opened = book(tmp_path / "games.sgf", "(;GM[4]SZ[15];B[hh];W[hi];B[ih])", load("gomoku", opening="swap2"))
    assert [(ply.seat, ply.move) for ply in opened.plies(0)] == [(1, "h8"), (1, "h9"), (1, "i8")]


@pytest.mark.parametrize("game", ["go", "capture_go", "robogo"])
def test_openings_of_all_stone_games_are_read_from_sgf(tmp_path: Path, game: str) -> None:
    rules = load(game, size=9)
    assert moves(book(tmp_path / "games.sgf", "(;SZ[9];B[ee];W[cc];B[gg])", rules)) == "e5 c3 g7"
    assert moves(book(tmp_path / "games.sgf", "(;GM[1]SZ[9];B[ee];W[cc];B[gg])", rules, plies=2)) == "e5 c3"


def test_a_pass_in_sgf_is_a_move_of_go(tmp_path: Path) -> None:
    assert moves(book(tmp_path / "games.sgf", "(;SZ[9];B[ee];W[];B[cc])", load("go", size=9))) == "e5 pass c3"


def test_a_psq_file_is_an_opening(tmp_path: Path) -> None:
    text = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,12\n10,10,7\nblack\nwhite\n0\n"
    assert moves(book(tmp_path / "game.psq", text)) == "h8 i9 j10"
    assert moves(book(tmp_path / "game.psq", text, plies=2)) == "h8 i9"


def test_a_folder_gives_the_openings_of_its_files_sorted_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "2.txt").write_text("h8i9\n0,0\n")
    (folder / "1.sgf").write_text("(;GM[4]SZ[15];B[aa])")
    (folder / "3.PSQ").write_text("Piskvorky 15x15, 11:11, 0\n8,8,0\n8,9,0\n")
    (folder / "notes.md").write_text("nothing of ours")
    opened = load_openings("books", GOMOKU, seed=0, folder=tmp_path)
    assert [moves(opened, number) for number in range(4)] == ["a1", "h8 i9", "h8", "h8 h9"]


def test_openings_plies_takes_the_first_moves_of_whole_games(tmp_path: Path) -> None:
    won = "h8 a1 i8 a2 j8 a3 k8 a4 l8\n"
    assert moves(book(tmp_path / "won.txt", won, plies=4)) == "h8 a1 i8 a2"
    with pytest.raises(UserError, match=r"line 1: this opening ends the game\.\n.*openings_plies = 4"):
        book(tmp_path / "won.txt", won)


def test_the_identity_of_a_book_covers_only_the_moves_taken(tmp_path: Path) -> None:
    cut, whole = book(tmp_path / "a.txt", "h8 i9 j10", plies=2), book(tmp_path / "b.sgf", "(;GM[4]SZ[15];B[hh];W[ii])")
    assert cut.identity == whole.identity
    assert cut.identity != book(tmp_path / "a.txt", "h8 i9 j10").identity


@pytest.mark.parametrize("asked", ["", "random:4"])
def test_openings_plies_without_a_file_is_refused(tmp_path: Path, asked: str) -> None:
    with pytest.raises(UserError, match="openings_plies = 3 is the number of moves to take from a file"):
        load_openings(asked, GOMOKU, seed=0, folder=tmp_path, plies=3)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("pos.txt", "h8i9\nh8i99\n", "line 2: 'i99' is not a move"),
        ("pos.txt", "h8i9h8", "line 1: h8: h8 is occupied by black"),
        ("pos.txt", b"h8i9\n\xff\n", "line 2: the openings are not UTF-8"),
        ("big.txt", b"#" * 10_000_001, "larger than 10 MB"),
        ("games.sgf", "", "contains no game in SGF"),
        ("games.sgf", "(;GM[4]SZ[15];B[hh]", "line 1: the game cannot be read: unexpected end"),
        ("games.sgf", "(;GM[4]SZ[15];B[hh])\n(;GM[4]SZ[19];B[hh])", "line 2: its board has 19 points a side"),
        ("games.sgf", "\n\n(;GM[1]SZ[15];B[hh])", "line 3: its game number is 1, and 4 is needed"),
        ("games.sgf", "(;GM[4]SZ[15]AB[aa];B[hh])", "line 1: it sets up stones"),
        ("games.sgf", "(;GM[4]SZ[15];B[hh];W[ii];AE[ii];B[aa])", "line 1: it sets up stones"),
        ("games.sgf", "(;GM[4]SZ[15];B[hh];W[hh])", "line 1: move 2: h8 is occupied by black"),
        ("games.sgf", "(;GM[4]SZ[15];B[hh];W[zz])", "line 1: move 2: "),
        ("games.sgf", "(;GM[4]SZ[15];B[hh];B[ii])", "line 1: move 2: B moves out of turn"),
        ("games.sgf", "(;GM[4]SZ[15];W[hh];B[ii])", "line 1: move 1: W moves out of turn"),
        ("games.sgf", "(;GM[4]SZ[15];B[hhh])", "line 1: move 1: 'hhh' is not a point"),
        ("games.sgf", "(;GM[4]SZ[15])", "line 1: this opening has no moves"),
        ("games.sgf", "(;GM[4]SZ[x];B[hh])", "line 1: the game cannot be read"),
        ("game.psq", "8,8,0\n", "line 1 is not a header of Piskvork"),
        ("game.psq", "Piskvorky 20x20, 11:11, 0\n8,8,0\n", "line 1: the board has 20×20 points"),
        ("game.psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n8,8,0\n", "line 3: 8,8: h8 is occupied by black"),
        ("game.psq", "Piskvorky 15x15, 11:11, 0\nblack\n", "this opening has no moves"),
    ],
)
def test_a_file_without_openings_is_refused_with_its_path(
    tmp_path: Path, name: str, content: str | bytes, problem: str
) -> None:
    with pytest.raises(UserError) as error_info:
        book(tmp_path / name, content)
    assert str(tmp_path / name) in error_info.value.problem
    assert problem in error_info.value.problem
    assert "\n" not in error_info.value.problem + error_info.value.remedy


@pytest.mark.parametrize("game", [load("dots_and_boxes"), load("go", rows=9, cols=7)])
def test_openings_of_games_without_an_sgf_form_are_refused(tmp_path: Path, game: Game) -> None:
    with pytest.raises(UserError, match=r"SGF is only for .*\n.*text file"):
        book(tmp_path / "games.sgf", "(;SZ[9];B[ee])", game)


def test_stones_of_a_colour_out_of_turn_are_refused_in_go(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="move 2: B moves out of turn"):
        book(tmp_path / "games.sgf", "(;SZ[9];B[ee];B[cc])", load("go", size=9))


def test_a_folder_without_openings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="contains no openings"):
        load_openings(".", GOMOKU, seed=0, folder=tmp_path)


@bounded
@given(st.text(alphabet="(;)[]BWSZGMAhi15\\ \n", max_size=60))
def test_arbitrary_sgf_openings_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.sgf"
    try:
        opened = book(file, f"(;GM[4]SZ[15];B[hh]){text}")
    except UserError as error:
        assert "any.sgf" in error.problem  # noqa: PT017 (both ends are right)
    else:
        assert moves(opened) == "h8"


def _row(opened: Openings, count: int) -> list[str]:
    return [moves(opened, number) for number in range(count)]


def test_duplicate_openings_come_after_all_different_ones(tmp_path: Path) -> None:
    assert len(set(_row(book(tmp_path / "a.txt", "h8 i9"), 9))) == 4  # a diagonal: half of the images are twins
    row = _row(book(tmp_path / "b.txt", "h8 i8\na1\nh8 i8\ng8\nh8"), 10)
    assert row[:4] == ["h8 i8", "a1", "g8", "h8"]  # the book's own twin comes later too
    assert len(set(row)) == 10


@pytest.mark.parametrize(
    ("game", "line", "different"),
    [
        (load("gomoku"), "h8 i10", 8),
        (load("go", rows=9, cols=7), "c3 d4", 4),
        (load("dots_and_boxes"), "h0 v1", 8),
        (load("dots_and_boxes", rows=2, cols=3), "h0 v1", 4),
        (load("dots_and_boxes", rows=2, cols=2), "h2", 4),  # the inner edges
        (load("dots_and_boxes", rows=2, cols=2), "h0", 8),
    ],
)
def test_an_opening_has_one_image_per_symmetry(tmp_path: Path, game: Game, line: str, different: int) -> None:
    opened = book(tmp_path / "line.txt", line, game)
    row = _row(opened, 2 * different)
    assert len({game.replay(opening_text.split()).key() for opening_text in row[:different]}) == different
    assert row[different:] == row[:different]


def test_an_edge_is_rotated_with_its_boxes(tmp_path: Path) -> None:
    # four sides of the upper left box of 3 × 3: the player that draws the last of them moves again
    game = load("dots_and_boxes")
    opened = book(tmp_path / "box.txt", "h0 h3 v0 v1", game)
    last_positions = [game.replay(moves(opened, number).split()) for number in range(4)]
    assert len({position.rows() for position in last_positions}) == 4
    assert [position.to_move for position in last_positions] == [2] * 4


def test_a_misspelt_random_opening_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="randm:4 cannot be read") as error_info:
        list(read_book(tmp_path / "randm:4", load("gomoku"), None))
    assert error_info.value.remedy.startswith("Write random:4 for random openings")
