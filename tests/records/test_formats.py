"""A game written as SGF, PSQ or JSON is read back unchanged; other content is refused with the reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill_sgf

from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.records import psq, sgf
from gomogo_core.records.formats import FORMATS, game_file_name, read_game_file
from gomogo_core.records.game_record import Machine, PlayedGame
from tests.records.conftest import PlayedBy, played_by

bounded = settings(max_examples=100, deadline=None, derandomize=True, database=None)

GAMES = {
    "five": played_by(),
    "opened": played_by(opening_length=4),
    "resigned": played_by(moves="h8 i9", outcome=Outcome.won_by(2, Reason.RESIGNED, "resigned")),
    "late": played_by(moves="h8 i9", outcome=Outcome.won_by(2, Reason.OUT_OF_TIME, "1.2 s taken, 1 s allowed")),
    "crashed": played_by(moves="h8", outcome=Outcome.won_by(1, Reason.CRASHED, "exited with code 1")),
    "void": played_by(moves="h8", outcome=Outcome((0, 0), Reason.INTERRUPTED, "the file names no winner")),
    "empty": played_by(moves="", outcome=Outcome((0, 0), Reason.INTERRUPTED, "the file names no winner")),
    "taken over": played_by(
        moves="h8 h8 a1", options={"opening": "takeover"}, outcome=Outcome.won_by(1, Reason.RESIGNED)
    ),
    "swapped": played_by(
        moves="h8 i9 j10 swap a1", options={"opening": "swap2"}, outcome=Outcome.won_by(2, Reason.RESIGNED)
    ),
    "small": played_by(moves="a1 e5", options={"size": 5}, outcome=Outcome.won_by(2, Reason.RESIGNED)),
    "large": played_by(moves="a1 z26 a26", options={"size": 26}, outcome=Outcome.won_by(2, Reason.RESIGNED)),
    "strange names": played_by(("a]b\\c:d", "<script>é"), outcome=None),
}


def essence(played: PlayedGame) -> dict[str, Any]:
    """What every format has to keep."""
    return {"options": played.options, "names": played.names, "plies": played.plies, "outcome": played.outcome}


@pytest.mark.parametrize("name", GAMES)
def test_sgf_keeps_the_game(name: str) -> None:
    copy = sgf.read_sgf(sgf.write_sgf(GAMES[name]), "x.sgf")
    assert essence(copy) == essence(GAMES[name])
    assert (copy.opening_length, copy.seconds) == (GAMES[name].opening_length, GAMES[name].seconds)


@pytest.mark.parametrize("name", GAMES)
def test_json_keeps_everything(name: str) -> None:
    assert FORMATS["json"].read(FORMATS["json"].write(GAMES[name]), "x.json") == GAMES[name]


@pytest.mark.parametrize("name", ["five", "late", "small", "large"])
def test_psq_keeps_stones_times_and_names(name: str) -> None:
    copy, game = psq.read_psq(psq.write_psq(GAMES[name]), "x.psq"), GAMES[name]
    assert (copy.names, copy.plies, copy.seconds) == (game.names, game.plies, game.seconds)
    assert (copy.outcome.reason, copy.outcome.winner) in (
        (game.outcome.reason, game.outcome.winner),
        (Reason.INTERRUPTED, None),  # PSQ has no word for resigning
    )


def test_psq_names_a_level_as_people_see_it() -> None:
    written = psq.write_psq(played_by(("level-5", "level-5-2")))
    assert written.decode().splitlines()[-3:-1] == ["Club (level 5)", "Club (level 5), 2"]
    assert psq.read_psq(written, "x.psq").names == ("level-5", "level-5-2")


def test_sgf_follows_the_format_of_other_programs() -> None:
    text = sgf.write_sgf(played_by(controls=(TimeControl(None, total=60.0),) * 2, clocks=(59.75,) * 9)).decode()
    assert text.startswith("(;FF[4]")
    for part in ("GM[4]", "SZ[15]", "PB[ann]", "PW[bob]", "RE[B+]", "RU[Freestyle]", "DT[2023-11-14]", "TM[60]"):
        assert part in text
    assert "B[hh]" in text  # h8: the eighth column, and the eighth row from above
    assert "W[aa]" in text  # a1
    assert "BL[59.75]" in text
    assert "C[line: 5 in a row]" in text


@pytest.mark.parametrize("control", [TimeControl(), TimeControl(None), TimeControl(0.5, 60.0), TimeControl(None, 60.0)])
def test_sgf_keeps_the_time(control: TimeControl) -> None:
    assert sgf.read_sgf(sgf.write_sgf(played_by(controls=(control,) * 2)), "x.sgf").controls == (control,) * 2


def test_a_forfeit_has_its_letter_in_sgf() -> None:
    ends = {name: sgf.write_sgf(GAMES[name]).decode() for name in ("resigned", "late", "crashed", "void")}
    assert "RE[W+R]" in ends["resigned"]
    assert "RE[W+T]" in ends["late"]
    assert "RE[B+F]" in ends["crashed"]
    assert "RE[Void]" in ends["void"]


def test_sgf_keeps_the_reason_of_a_draw() -> None:
    draw_record = played_by(
        moves="h8 a1", outcome=Outcome.draw(Reason.MOVE_CAP, "adjudicated at the tournament's move cap")
    )
    assert sgf.read_sgf(sgf.write_sgf(draw_record), "x.sgf").outcome == draw_record.outcome


def test_after_a_take_over_sgf_names_the_new_owner_black() -> None:
    text = sgf.write_sgf(GAMES["taken over"]).decode()
    assert "PB[bob]" in text
    assert "RE[W+R]" in text  # ann has white now


def test_other_programs_sgf_is_read() -> None:
    content = b"(;GM[4]SZ[15]PB[Ann]PW[Bob]RU[Renju]RE[W+Time];B[hh];W[ih](;B[ii])(;B[aa]))"
    game = sgf.read_sgf(content, "x.sgf")
    assert [ply.move for ply in game.plies] == ["h8", "i8", "i9"]
    assert game.options["renju"] is True
    assert (game.winner, game.outcome.reason) == ("Bob", Reason.OUT_OF_TIME)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "no SGF data"),
        (b"(;GM[2]SZ[19];B[aa])", "game number 2"),
        (b"(;GM[4]SZ[15];B[hh];W[hh])", "h8 is occupied by black"),
        (b"(;GM[4]SZ[3];B[aa])", "size 3 is too small"),
        (b"(;GM[4]SZ[15];CHOICE[jump])", "jump"),
        (b"(;GM[4]SZ[15];CHOICE[takeover])", "no stone to take"),
        (b"(;GM[4]SZ[15]OPTIONS[7];B[aa])", "OPTIONS contains no options"),
        (b'(;GM[4]SZ[15]OPTIONS[{"colour": 1}];B[aa])', "colour"),
    ],
)
def test_sgf_without_a_game_of_gomoku_is_refused_with_the_reason(content: bytes, problem: str) -> None:
    with pytest.raises(UserError) as error_info:
        sgf.read_sgf(content, "x.sgf")
    assert error_info.value.problem.startswith("x.sgf")
    assert problem in error_info.value.problem


def test_psq_equals_the_output_of_piskvork() -> None:
    assert psq.write_psq(
        played_by(moves="h8 a15", outcome=Outcome.won_by(1, Reason.OUT_OF_TIME))
    ).decode().splitlines() == [
        "Piskvorky 15x15, 11:11, 0",
        "8,8,250",
        "1,15,250",
        "ann",
        "bob",
        "15",
    ]


@pytest.mark.parametrize(
    ("head", "ending", "names", "late"),
    [
        ("0", "A.exe\nB.exe\n15\n", ("A.exe", "B.exe"), True),
        ("1", "A.exe\nB.exe\n15\n", ("B.exe", "A.exe"), True),  # player 1, the second name, began
        ("0", "A.exe\nB.exe\n15\n0,Freestyle15_1\n", ("A.exe", "B.exe"), True),  # as Gomocup's files end
        ("1", "A.exe\nB.exe\n-1\n0,Freestyle15_1\n", ("B.exe", "A.exe"), False),
        ("0", "A.exe\nB.exe\n15\n\n\n", ("A.exe", "B.exe"), True),
        ("0", "7\n8\n15\n", ("7", "8"), True),
        ("0", "15\n", ("black", "white"), True),  # as Piskvork saves a game outside of a tournament
        ("0", "", ("black", "white"), False),
    ],
)
def test_psq_is_read_as_piskvork_writes_it(head: str, ending: str, names: tuple[str, str], late: bool) -> None:
    game = psq.read_psq(f"Piskvorky 15x15, 11:11, {head}\n8,8,0\n9,9,250\n{ending}".encode(), "x.psq")
    assert game.names == names
    assert [ply.move for ply in game.plies] == ["h8", "i9"]
    assert game.outcome.reason is (Reason.OUT_OF_TIME if late else Reason.INTERRUPTED)
    assert game.winner == (names[1] if late else None)  # it was black's turn


@pytest.mark.parametrize(
    ("form", "new", "old"),
    [("json", b'"reason": "line"', b'"reason": "five"'), ("sgf", b"REASON[line]", b"REASON[five]")],
)
def test_a_file_with_a_legacy_reason_name_is_read(form: str, new: bytes, old: bytes) -> None:
    game = played_by(moves="h8 i9", outcome=Outcome.won_by(1, Reason.LINE))
    written = FORMATS[form].write(game)
    assert new in written
    assert FORMATS[form].read(written.replace(new, old), f"x.{form}").outcome == game.outcome


def test_a_record_of_a_match_is_read_again() -> None:
    """The machine, the players that left, and the programs' resources are in JSON, too."""
    game = replace(
        GAMES["five"],
        machine=Machine("host", "worker", (0, 3), 0.25, 0.5),
        cpu=(0.1, None),
        waited=(0.0, 0.5),
        sandbox="limits",
        hashes=("a", "b"),
    )
    assert FORMATS["json"].read(FORMATS["json"].write(game), "x.json") == game


def test_a_name_that_looks_like_a_stone_does_not_become_one() -> None:
    copy = psq.read_psq(psq.write_psq(played_by(("1,2,3", "7\n8,8,0"))), "x.psq")
    assert len(copy.plies) == 9
    assert copy.names == ("_1,2,3", "7?8,8,0")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "x.psq, line 1 is not a header"),
        (b"Gomocup 15x15", "x.psq, line 1 is not a header"),
        (b"Piskvorky 15x20, 11:11, 0\n", "x.psq, line 1: the board is not square"),
        (b"Piskvorky 3x3, 11:11, 0\n", "x.psq, line 1: size 3 is too small"),
        (b"Piskvorky 15x15, 11:11, 0\n8,8,0\n8,8,0\n", "x.psq, line 3: 8,8,0: h8 is occupied"),
        (b"Piskvorky 15x15, 11:11, 0\n16,1,0\n", "x.psq, line 2: 16,1,0: "),
        (b"Piskvorky 15x15, 11:11, 0\n0,1,0\n", "x.psq, line 2: 0,1,0: "),
    ],
)
def test_invalid_psq_is_refused_with_its_line(content: bytes, problem: str) -> None:
    with pytest.raises(UserError) as error_info:
        psq.read_psq(content, "x.psq")
    assert error_info.value.problem.startswith(problem)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"schema": 99}', b"[" * 100_000, b"\xff", b'{"schema": 1, "plies": 3}']
)
def test_json_without_a_record_is_refused(content: bytes) -> None:
    with pytest.raises(UserError, match=r"x\.json is not the record of a game"):
        FORMATS["json"].read(content, "x.json")


def test_a_record_with_an_illegal_move_is_refused() -> None:
    plain = played_by(moves="h8 i9", outcome=Outcome.won_by(1, Reason.RESIGNED)).as_json()
    plain["plies"] = [[1, "h8"], [2, "h8"]]
    with pytest.raises(UserError, match="h8 is occupied"):
        FORMATS["json"].read(json.dumps(plain).encode(), "x.json")


def is_read_or_refused(ending: str, content: bytes) -> bool:
    try:
        FORMATS[ending].read(content, "x")
    except UserError as error:
        return error.problem.startswith("x")
    return True


@pytest.mark.slow
@pytest.mark.parametrize("ending", FORMATS)
@bounded
@given(content=st.binary(max_size=300))
def test_arbitrary_bytes_are_read_or_refused(ending: str, content: bytes) -> None:
    assert is_read_or_refused(ending, content)


@bounded
@given(st.text(alphabet="();[]BWCSZGM4a15hi \\\n:,", max_size=120))
def test_arbitrary_sgf_content_is_read_or_refused(text: str) -> None:
    assert is_read_or_refused("sgf", f"(;GM[4]SZ[15]{text})".encode())


@bounded
@given(st.text(alphabet="0123456789,- \nab", max_size=120))
def test_arbitrary_psq_content_is_read_or_refused(text: str) -> None:
    assert is_read_or_refused("psq", f"Piskvorky 15x15, 11:11, 0\n{text}".encode())


@pytest.mark.parametrize("ending", FORMATS)
def test_the_extension_of_a_file_chooses_its_format(ending: str, tmp_path: Path, played: PlayedBy) -> None:
    game = played()
    path = tmp_path / game_file_name(game, ending)
    path.write_bytes(FORMATS[ending].write(game))
    assert [ply.move for ply in read_game_file(path).plies] == [ply.move for ply in game.plies]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sfg").touch()
    with pytest.raises(UserError, match="does not end in 'sfg'") as error_info:
        read_game_file(tmp_path / "x.sfg")
    assert error_info.value.remedy == "Did you mean sgf?"
    with pytest.raises(UserError, match=r"There is no file .*x\.sgf"):
        read_game_file(tmp_path / "x.sgf")


def test_a_file_name_is_safe_on_every_system(played: PlayedBy) -> None:
    assert (
        game_file_name(played(("../../etc/passwd", "a:b*c"), key="0123456789ab"), "sgf")
        == "_etc_passwd-a_b_c-01234567.sgf"
    )


def test_sgfmill_reads_our_sgf(played: PlayedBy) -> None:
    game = sgfmill_sgf.Sgf_game.from_bytes(sgf.write_sgf(played()))
    assert len(game.get_main_sequence()) == 10
    assert game.get_winner() == "b"
