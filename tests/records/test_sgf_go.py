"""Go and the other games of stones as SGF: stored, read by other programs, and their files read."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from sgfmill import sgf as sgfmill_sgf
from sgfmill import sgf_moves

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Game, Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records import sgf
from gomogo_core.records.game_record import PlayedGame

KO = "b1 c1 a2 d2 b3 c3 c2 b2"
ENDS: dict[str, tuple[str, dict[str, Any], str, Outcome | None]] = {
    "scored": ("go", {"size": 5, "komi": 0.5}, "c3 pass pass", None),
    "capped": ("go", {"size": 5, "max_moves": 4}, "c3 a1 b2 pass", None),
    "tied": ("go", {"size": 5}, "pass pass", None),
    "resigned": ("go", {"size": 5, "ko": "situational"}, KO, Outcome.won_by(1, Reason.RESIGNED, "resigned")),
    "late": ("go", {"size": 5}, KO, Outcome.won_by(2, Reason.OUT_OF_TIME, "2 s taken, 1 s allowed")),
    "captured": ("capture_go", {"size": 5}, "a1 b1 e5 a2", None),
    "five": ("robogo", {"size": 7}, "a1 a7 b1 b7 c1 c7 d1 d7 e1", None),
    "large": ("go", {"size": 25}, "t20 y25 a1", Outcome.won_by(1, Reason.CRASHED, "exited with code 1")),
    "void": ("go", {}, "", Outcome((0, 0), Reason.INTERRUPTED, "the file names no winner")),
}


def record(game: Game, moves: list[str], outcome: Outcome | None = None) -> PlayedGame:
    position, plies = game.start(), list[Ply]()
    for move in moves:
        plies.append(Ply(position.to_move, move))
        position = position.play(game.parse(move))
    end = outcome or position.outcome()
    assert end is not None
    count = len(plies)
    return PlayedGame(
        game=game.name,
        options=dict(game.options),
        specs=("ann", "bob"),
        names=("ann", "bob"),
        controls=(TimeControl(5.0),) * 2,
        plies=tuple(plies),
        opening_length=0,
        seconds=(0.25,) * count,
        clocks=(None,) * count,
        thoughts=(None,) * count,
        warnings=(),
        outcome=end,
        started=1_700_000_000.0,
        duration=0.25 * count,
    )


def of(name: str) -> PlayedGame:
    game, options, moves, outcome = ENDS[name]
    return record(load(game, **options), moves.split(), outcome)


@pytest.mark.parametrize("name", ENDS)
def test_sgf_keeps_the_game(name: str) -> None:
    played, copy = of(name), sgf.read_sgf(sgf.write_sgf(of(name)), "x.sgf")
    for fact in ("game", "options", "names", "plies", "outcome", "seconds", "controls"):
        assert getattr(copy, fact) == getattr(played, fact), fact


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("scored", ["GM[1]", "SZ[5]", "KM[0.5]", "RE[B+24.5]", "RU[Chinese]", "B[cc]", "W[]", "B[]"]),
        ("capped", ["RE[B+1]"]),
        ("tied", ["RE[0]"]),
        ("resigned", ["RE[B+R]", "PB[ann]", "PW[bob]"]),
        ("late", ["RE[W+T]"]),
        ("captured", ["RE[W+]", "GAME[capture_go]"]),
        ("large", ["SZ[25]", "B[tt]", "W[yy]", "RE[B+F]"]),
    ],
)
def test_sgf_of_each_game_follows_the_format_of_other_programs(name: str, parts: list[str]) -> None:
    text = sgf.write_sgf(of(name)).decode()
    for part in parts:
        assert part in text


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({}, "Chinese"),
        ({"ko": "positional", "suicide": True}, "Tromp-Taylor"),
        ({"ko": "situational", "suicide": True}, "NZ"),
        ({"ko": "positional"}, "scoring area, ko positional"),
        ({"scoring": "territory"}, "scoring territory, ko simple"),
    ],
)
def test_rules_of_go_have_a_name_that_other_programs_know_or_words(options: dict[str, Any], rules: str) -> None:
    played = record(load("go", size=5, **options), ["c3", "pass", "pass"])
    content = sgf.write_sgf(played)
    assert f"RU[{rules}]" in content.decode()
    assert sgf.read_sgf(content, "x.sgf").options == played.options
    for earlier in (b"RU[scoring area, ko simple]", b"RU[]"):
        assert sgf.read_sgf(content.replace(f"RU[{rules}]".encode(), earlier), "x.sgf").options == played.options
    foreign_content = f"(;GM[1]SZ[5]RU[{rules}]RE[B+R];B[cc])".encode()
    has_name = " " not in rules
    assert (sgf.read_sgf(foreign_content, "x.sgf").options == played.options) == has_name


@pytest.mark.parametrize("size", [5, 9, 19])
def test_sgfmill_replays_our_sgf_to_the_same_board(size: int) -> None:
    rng, game = random.Random(size), load("go", size=size)
    position, moves = game.start(), list[str]()
    while position.outcome() is None and len(moves) < 150:
        moves.append(game.format(rng.choice(list(position.moves()))))
        position = position.play(game.parse(moves[-1]))
    written = sgf.write_sgf(record(game, moves, Outcome.won_by(1, Reason.RESIGNED, "resigned")))
    board, plays = sgf_moves.get_setup_and_moves(sgfmill_sgf.Sgf_game.from_bytes(written))
    for colour, place in plays:
        if place is not None:
            board.play(*place, colour)
    stones = [
        "".join({"b": "x", "w": "o", None: "."}[board.get(size - row, column)] for column in range(size))
        for row in range(1, size + 1)
    ]
    assert tuple(stones) == position.rows()


@pytest.mark.parametrize("opening", ["g3 pass c7", "c7 pass g3 pass c3 pass g7 pass e5"])
def test_a_handicap_is_saved_as_stones_on_the_board(opening: str) -> None:
    game, stones = load("go", size=9, komi=0.5), opening.split()[::2]
    played = record(game, [*opening.split(), "e4", "e6"], Outcome.won_by(2, Reason.RESIGNED, "resigned"))
    played = replace(played, opening_length=2 * len(stones) - 1, names=("Zoë O'Neil", "level-5"), thoughts=(None,) * 2)
    played = replace(played, seconds=(0.25,) * 2, clocks=(None,) * 2, duration=0.5)
    tree = sgfmill_sgf.Sgf_game.from_bytes(sgf.write_sgf(played))
    board, plays = sgf_moves.get_setup_and_moves(tree)
    assert (tree.get_handicap(), tree.get_komi(), tree.get_winner()) == (len(stones), 0.5, "w")
    assert [colour for colour, _ in plays] == ["w", "b"]
    assert {f"{'abcdefghi'[column]}{9 - row}" for _, (row, column) in board.list_occupied_points()} == set(stones)
    assert [tree.get_player_name(colour) for colour in "bw"] == ["Zoë O'Neil", "Club (level 5)"]
    copy = sgf.read_sgf(sgf.write_sgf(played), "x.sgf")
    for fact in ("game", "options", "names", "plies", "opening_length", "outcome", "seconds"):
        assert getattr(copy, fact) == getattr(played, fact), fact


def test_a_file_with_the_recorded_name_of_a_level_can_still_be_read() -> None:
    assert sgf.read_sgf(b"(;SZ[9]PB[level-5]PW[level-5-2]RE[B+R];B[ee])", "x.sgf").names == ("level-5", "level-5-2")


def test_a_game_of_another_program_is_read_with_its_own_result() -> None:
    content = b"(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]PB[Lee]PW[Cho]RE[W+2.5];B[ee];W[tt];B[])"
    played = sgf.read_sgf(content, "x.sgf")
    assert [ply.move for ply in played.plies] == ["e5", "pass", "pass"]
    # the other program considered the stone dead, and our rules do not
    assert (played.options["komi"], played.winner) == (6.5, "Cho")
    assert (played.outcome.reason, played.outcome.detail) == (Reason.SCORE, "W+2.5, according to the file")
    assert sgf.read_sgf(b"(;SZ[9]RE[B+R];B[ee])", "x.sgf").outcome.reason is Reason.RESIGNED
    assert sgf.scoring_note(content) == "Gomogo counts area; this game was played with Japanese rules."
    assert sgf.scoring_note(content.replace(b"Japanese", b"Chinese")) == sgf.scoring_note(sgf.write_sgf(played)) == ""


@pytest.mark.parametrize(
    ("content", "moves"),
    [
        (b"(;SZ[9]HA[2]KM[0.5]AB[cg][gc];W[ee];B[ff])", "c7 pass g3 e5 f6"),
        (b"(;SZ[9]HA[2]AB[cg][gc])", "c7 pass g3"),
        (b"(;SZ[9]AB[aa][ba][ca]AW[ab][bb]PL[B])", "a1 pass b1 a2 c1 b2"),  # no pass as the last move
        (b"(;SZ[9]AW[cc:ce]AB[aa];B[bb])", "pass c3 pass c4 a1 c5 b2"),
    ],
)
def test_stones_on_the_board_are_an_opening(content: bytes, moves: str) -> None:
    played = sgf.read_sgf(content, "x.sgf")
    position = played.positions()[-1]
    assert sorted(ply.move for ply in played.plies) == sorted(moves.split())
    assert [at for at, ply in enumerate(played.plies) if ply.move == "pass"] == [
        at for at, move in enumerate(moves.split()) if move == "pass"
    ]
    assert position.outcome() is None
    assert played.opening_length == len(played.plies)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"(;GM[1]SZ[9]AB[aa]AW[aa];W[cc])", "a1 has two stones"),
        (b"(;GM[1]SZ[9]AB[aa][bb]PL[W];B[cc])", "B moves out of turn"),
        (b"(;GM[1]SZ[9];W[cc])", "W moves out of turn"),
        (b"(;GM[1]SZ[9];B[cc];W[cc])", "c3 is occupied by black"),
        (b"(;GM[1]SZ[9]KM[3.75];B[cc])", "komi 3.75 is not a multiple of 0.5"),
        (b"(;GM[1]SZ[9]GAME[gomoku];B[cc])", "GAME names 'gomoku'"),
        (b"(;GM[1]SZ[9]GAME[chess];B[cc])", "GAME names 'chess'"),
        (b"(;GM[1]SZ[9]OPTIONS[7];B[cc])", "OPTIONS contains no options"),
        (b"(;GM[1]SZ[9];B[zz])", "not on this board"),
        (b"(;GM[1]SZ[26];B[aa])", "size 26 is too large"),
    ],
)
def test_a_file_of_another_game_is_refused_with_the_reason(content: bytes, problem: str) -> None:
    with pytest.raises(UserError) as error_info:
        sgf.read_sgf(content, "x.sgf")
    assert error_info.value.problem.startswith("x.sgf")
    assert problem in error_info.value.problem


@pytest.mark.parametrize(("name", "options"), [("go", {"rows": 3, "cols": 5}), ("dots_and_boxes", {})])
def test_a_game_without_an_sgf_form_is_refused_with_a_remedy(name: str, options: dict[str, int]) -> None:
    game = load(name, **options)
    with pytest.raises(UserError, match="SGF is only for gomoku, Go and") as error_info:
        sgf.write_sgf(record(game, [], Outcome.won_by(1, Reason.RESIGNED, "resigned")))
    assert "--format json" in error_info.value.remedy
