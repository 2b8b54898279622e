"""`gomogo analyse` says the best moves of a position, and the mistakes of a game, in words and as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from gomogo.cli import gomogo
from gomogo_core.analysis.live_analysis import METHODS
from gomogo_core.games.boards.points import Point
from gomogo_core.search.result import ExpectedEnd, PositionAnalysis, ScoredLine


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(gomogo, ["analyse", *words])
    return result.exit_code, result.output


def test_a_position_has_a_winning_line() -> None:
    words = ["gomoku", "-o", "size=7", "--moves", "c3 a1 d3 a7 e3 g1", "--agent", "iterative_deepening", "--time", "1"]
    code, output = run(*words)
    assert code == 0
    assert "wins (+1.00)" in output
    plain = json.loads(run(*words, "--json", "--lines", "1")[1])
    assert (plain["schema"], plain["to_move"], len(plain["lines"])) == (1, 1, 1)
    assert plain["lines"][0]["move"] in ("b3", "f3")


def test_lines_with_few_playouts_are_marked_and_points_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    a1, b1, c1 = (Point(column, 1) for column in (1, 2, 3))
    analysis = PositionAnalysis(
        tuple(ScoredLine(0.5, (point,)) for point in (a1, b1, c1)),
        1,
        100,
        0.1,
        {a1: 0.5, b1: 0.5},
        has_ranked_lines=True,
        expected_end=ExpectedEnd(-2.0, 0.1, {}),
        leads={a1: -2.0, b1: 1.25, c1: 9.0},
    )
    monkeypatch.setitem(METHODS, "strongest", lambda *_: iter([analysis]))
    words = ["go", "-o", "size=5", "--moves", "c3"]
    lines = [" ".join(line.split()[1:-1]) for line in run(*words)[1].splitlines() if line[:2] in ("1.", "2.", "3.")]
    assert [re.sub(" [a-e][1-5].*", "", line[3:]) for line in lines] == [
        "slightly better (+0.24) W+2.0",
        "slightly better (+0.24) even",
        "few playouts",
    ]
    plain = json.loads(run(*words, "--json")[1])["lines"]
    assert [(line["points"], line["uncertain"]) for line in plain] == [(0, False), (-3.2, False), (-11, True)]


@pytest.mark.slow
def test_a_game_is_analysed_move_by_move(tmp_path: Path) -> None:
    moves = "c3 b3 d3 b4 e3 b5 f3 b2 g7 b6"  # g7 misses g3, the fifth stone, and then b6 wins: any search sees both
    path = tmp_path / "missed.sgf"
    nodes = (f";{'WB'[n % 2 == 0]}[{sgf(move)}]" for n, move in enumerate(moves.split()))
    path.write_text(f"(;GM[4]SZ[7]{''.join(nodes)})")
    code, output = run(str(path), "--time", "0.8")
    assert code == 0, output
    assert "g7??" in output
    assert "Move 9??:" in output
    head, *players = [line.split() for line in output.splitlines()[-3:]]
    assert head == ["player", "accuracy", "inaccuracies", "mistakes", "blunders"]
    plain = json.loads(run(str(path), "--time", "6", "--json")[1].partition("\n{")[2].join(["{", ""]))
    assert [row["mark"] for row in plain["moves"] if row["number"] == 9] == ["??"]
    for player, words in zip(plain["players"], players, strict=True):
        marks = [row["mark"] for row in plain["moves"] if row["seat"] == player["seat"]]
        assert [player["mistakes"], player["blunders"]] == [marks.count("?"), marks.count("??")]
        assert 0 <= player["accuracy"] <= 100
        assert words[2] == "%"
    assert "of 10 positions. Use a larger --time." in run(str(path), "--time", "0.000001")[1]


def sgf(move: str) -> str:
    """The point as our SGF files of Gomoku write it."""
    return f"{move[0]}{'abcdefg'[int(move[1]) - 1]}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gomoku", "--agent", "nobody"], "There is no agent called 'nobody'"),
        (["gomoku", "--moves", "z9"], "is not a move"),
        (["gomoku", "--move", "3"], "--move is for a stored game only"),
        (["dots_and_boxes", "-o", "rows=1", "-o", "cols=1", "--moves", "h0 h1 v0 v1"], "The game is over"),
    ],
)
def test_an_impossible_analysis_is_refused_in_two_lines(words: list[str], message: str) -> None:
    result = CliRunner().invoke(gomogo, ["analyse", *words])
    assert result.exit_code != 0
    assert message in str(result.exception) + result.output
