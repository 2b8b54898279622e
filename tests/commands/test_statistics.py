"""`gomogo rate`, `gomogo sprt` and `gomogo match --sprt`: output and refused input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gomogo.cli import gomogo
from gomogo.commands._sprt_option import move_error_rates_to_options
from gomogo_core.errors import UserError
from tests.commands.conftest import Gomogo
from tournaments.sprt import log_likelihood_ratio


def test_sprt_prints_the_result_of_the_pairs(run: Gomogo) -> None:
    report = json.loads(run("sprt", "--pairs", "12,51,80,44,9", "--elo0", "0", "--elo1", "5", "--json").stdout)
    assert report["llr"] == pytest.approx(log_likelihood_ratio((12, 51, 80, 44, 9), 0, 5))
    assert (report["lower"], report["upper"], report["verdict"]) == (
        pytest.approx(-2.944439),
        pytest.approx(2.944439),
        "continue",
    )
    assert run("sprt", "--pairs", "0 20 500 900 400").stdout.endswith("H1 is accepted.\n")
    assert run("sprt", "--games", "900,300,100", "--elo1", "5").stdout.endswith("H0 is accepted.\n")


def test_sprt_needs_as_many_pairs_as_it_predicts(run: Gomogo) -> None:
    for shape in ("0,0,{},0,0", "{},0,0,0,1", "0,{0},0,{0},0", "0,0,0,0,{}"):
        for elo0, elo1 in (("-1000", "1000"), ("900", "1000"), ("0", "0.001")):
            pairs = shape.format(10**9)
            assert "LLR" in run("sprt", "--pairs", pairs, "--elo0", elo0, "--elo1", elo1).stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "Exactly one of --pairs and --games"),
        (("--pairs", "1,2,3,4,5", "--games", "1,2,3"), "Exactly one of --pairs and --games"),
        (("--pairs", "1,2,3"), "is not a list of 5 whole numbers"),
        (("--pairs", "1,2,3,4,-5"), "is not a list of 5 whole numbers"),
        (("--pairs", "1,,3,4,5,6"), "is not a list of 5 whole numbers"),
        (("--pairs", "0,0,10000000000000,0,0"), "a count is too large"),
        (("--games", f"{'9' * 5000},0,0"), "a count is too large"),
        (("--games", "1,2,x"), "is not a list of 3 whole numbers"),
        (("--pairs", "1,2,3,4,5", "--elo0", "5", "--elo1", "5"), "are not valid hypotheses"),
        (("--pairs", "1,2,3,4,5", "--alpha", "0"), "is not a valid error rate"),
    ],
)
def test_sprt_refuses_impossible_input(run: Gomogo, words: tuple[str, ...], problem: str) -> None:
    error = run("sprt", *words).exception
    assert isinstance(error, UserError)
    assert problem in error.problem


HYPOTHESES = ["--sprt", "elo0=0", "elo1=9"]


@pytest.mark.parametrize(
    ("words", "expected_options"),
    [
        ([*HYPOTHESES, "-n", "8"], [*HYPOTHESES, "-n", "8"]),
        ([*HYPOTHESES, "alpha=0.1", "beta=0.2", "a"], ["--alpha", "0.1", "--beta", "0.2", *HYPOTHESES, "a"]),
        (["--sprt=elo0=0", "elo1=9", "a?depth=3"], [*HYPOTHESES, "a?depth=3"]),
        (["--sprt", "elo0=0,elo1=9", "json:./b?depth=3"], [*HYPOTHESES, "json:./b?depth=3"]),
        (["--seed", "3", "a"], ["--seed", "3", "a"]),
    ],
)  # fmt: skip
def test_sprt_options_have_several_forms(words: list[str], expected_options: list[str]) -> None:
    assert move_error_rates_to_options(["a", "b", *words]) == ["a", "b", *expected_options]


def test_sprt_refuses_an_unknown_word(run: Gomogo) -> None:
    error = run("match", "greedy", "greedy", "--sprt", "elo0=0", "elo=9").exception
    assert isinstance(error, UserError)
    assert error.problem == "--sprt has no 'elo'."


CSV = """\ufeffSecond, first,note,score
bob,ann,x,1
ann,bob,y,0.5
bob,ann,,1.0
eve,ann,"a, b",0
"""


def test_rate_reads_the_columns_by_name(run: Gomogo) -> None:
    Path("r.csv").write_text(CSV, encoding="utf-8")
    report = json.loads(run("rate", "r.csv", "--json").stdout)
    assert {player["name"]: player["games"] for player in report["players"]} == {"ann": 4, "bob": 3, "eve": 1}
    elo = {player["name"]: player["elo"] for player in report["players"]}
    assert elo["eve"] > elo["ann"] > elo["bob"]
    assert all(player["elo_low"] < player["elo"] < player["elo_high"] for player in report["players"])
    output_lines = run("rate", "r.csv").stdout.splitlines()
    assert output_lines[0].split() == ["player", "games", "Elo", "95", "%"]
    assert [line.split()[0] for line in output_lines[1:4]] == ["eve", "ann", "bob"]
    eve, ann, bob = report["players"]
    assert f"at least {eve['elo_at_least']:+.0f}".replace("-", "−") in output_lines[1], "eve won the only game"
    assert eve["elo_at_least"] == eve["elo_low"]
    assert [player[key] for player in (ann, bob) for key in ("elo_at_least", "elo_at_most")] == [None] * 4


def test_rate_reads_standard_input() -> None:
    result = CliRunner().invoke(gomogo, ["rate", "-", "--json"], input=CSV)
    assert [player["name"] for player in json.loads(result.stdout)["players"]] == ["eve", "ann", "bob"]


def test_rate_names_unconnected_players(run: Gomogo) -> None:
    Path("r.csv").write_text("first,second,score\na,b,1\nb,c,1\nx,y,1\n")
    report = json.loads(run("rate", "r.csv", "--json").stdout)
    assert report["apart"] == [["x", "y"]]
    assert [player["elo"] for player in report["players"] if player["name"] in "xy"] == [None, None]
    assert run("rate", "r.csv").stdout.count("not connected") == 2


def test_rate_groups_games_by_pair(run: Gomogo) -> None:
    lines = [
        f"{first_name},{other},{score},{i}"
        for i in range(40)
        for first_name, other, score in (("a", "b", i % 2), ("b", "a", 1 - i % 2))
    ]
    Path("apart.csv").write_text("\n".join(["first,second,score,other", *lines]))
    Path("pairs.csv").write_text("\n".join(["first,second,score,pair", *lines]))
    separate_games, paired = (
        json.loads(run("rate", name, "--json").stdout)["players"][0] for name in ("apart.csv", "pairs.csv")
    )
    assert paired["elo_high"] - paired["elo_low"] > 1.2 * (separate_games["elo_high"] - separate_games["elo_low"])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "no column 'first'"),
        (b"first,second\na,b\n", "no column 'score'"),
        (b"first,second,score\n", "has no results"),
        (b"first,second,score,Score\na,b,1,0\n", "has the column 'score' twice"),
        (b"pair,first,second,score,pair\n1,a,b,1,2\n", "has the column 'pair' twice"),
        (b"first,second,score\na,b,2\n", "line 2: 'a', 'b', '2' is not a game result"),
        (b"first,second,score\na,a,1\n", "is not a game result"),
        (b"first,second,score\na,b\n", "is not a game result"),
        (b"first,second,score\na,b,nan\n", "is not a game result"),
        (b"\xff\xfe\x00a,b", "cannot be read"),
    ],
)
def test_rate_refuses_a_file_without_a_table_of_results(run: Gomogo, content: bytes, problem: str) -> None:
    Path("r.csv").write_bytes(content)
    error = run("rate", "r.csv").exception
    assert isinstance(error, UserError)
    assert problem in error.problem


def test_rate_refuses_a_missing_file(run: Gomogo) -> None:
    error = run("rate", "none.csv").exception
    assert isinstance(error, UserError)
    assert error.problem.startswith("none.csv cannot be read")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("elo0=0", "elo=5"), "--sprt has no 'elo'"),
        (("elo0=x", "elo1=5"), "does not have two hypotheses"),
        (("elo0=5", "elo1=0"), "are not valid hypotheses"),
    ],
)
def test_a_match_refuses_an_impossible_sprt(run: Gomogo, words: tuple[str, str], problem: str) -> None:
    error = run("match", "greedy", "random_mover", "--sprt", *words).exception
    assert isinstance(error, UserError)
    assert problem in error.problem
    assert not list(Path().iterdir())


def test_a_tested_match_needs_two_players(run: Gomogo) -> None:
    words = ("--game", "dots_and_boxes", "-o", "players=3", "--sprt", "elo0=0", "elo1=5")
    error = run("match", "random_mover", "random_mover", "random_mover", *words).exception
    assert isinstance(error, UserError)
    assert "--sprt needs a game for two players" in error.problem


@pytest.mark.slow
def test_a_decided_match_ends_and_does_not_continue(run: Gomogo) -> None:
    words = ("match", "greedy", "random_mover", "-o", "size=7", "--sprt", "elo0=0", "elo1=150", "--name", "t", "--json")
    first_report = json.loads(run(*words, "--seed", "1").stdout)
    test = first_report["sprt"]
    assert (test["verdict"], test["elo0"], test["elo1"]) == ("H1", 0, 150)
    assert sum(test["pairs"]) >= 3
    assert first_report["games"] < 200
    assert first_report["games"] >= 2 * sum(test["pairs"])
    second_report = json.loads(run(*words, "--seed", "1").stdout)
    assert (second_report["games"], second_report["sprt"]) == (first_report["games"], test)


@pytest.mark.slow
def test_an_undecided_match_ends_at_its_last_game(run: Gomogo) -> None:
    words = ("match", "random_mover", "random_mover", "-n", "4", "-o", "size=5", "--sprt", "elo0=0", "elo1=5")
    ended = run(*words, "--seed", "1")
    assert ended.exception is None
    assert "not decided yet" in ended.stdout
