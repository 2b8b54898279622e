"""`gomogo solve`: its output as text and as JSON, and refused input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import Result

from gomogo.cli import gomogo, run_for_exit_code
from gomogo_core.errors import UserError
from gomogo_core.search.solving import budget
from tests.commands.conftest import Gomogo

ROBOGO = ("robogo", "-o", "size=3", "-o", "line=3", "-o", "passing=no", "-o", "ko=simple")


def plain(result: Result) -> dict[str, Any]:
    assert result.exception is None
    solution: dict[str, Any] = json.loads(result.stdout)
    assert solution.pop("seconds") >= 0
    assert solution.pop("nodes") >= 0
    assert solution.pop("schema") == 1
    return solution


def test_solve_describes_a_win(run: Gomogo) -> None:
    assert run("solve", *ROBOGO).stdout.splitlines() == [
        "The first player wins in 7 plies.",
        "Best for the first player, to move: a1 b1 c1 a2 c2 a3 b3 c3.",
    ]


def test_solve_describes_a_loss_and_a_last_move(run: Gomogo) -> None:
    atari = ("solve", "capture_go", "-o", "size=2", "-o", "passing=no", "--moves")
    assert run(*atari, "a1 b2").stdout.startswith("The second player wins in 2 plies.")
    assert run(*atari, "a1 b2 b1").stdout.splitlines() == [
        "The second player wins in 1 ply.",
        "Best for the second player, to move: a2.",
    ]
    assert run(*atari, "a1 b2 b1 a2").stdout.splitlines() == [
        "The second player wins in 0 plies.",
        "The game is over.",
    ]


def test_solve_describes_a_draw(run: Gomogo) -> None:
    assert run("solve", "capture_go", "-o", "size=2").stdout.startswith("A draw.\nBest for the first player")


def test_solve_describes_a_margin(run: Gomogo) -> None:
    go = ("solve", "go", "--rows", "1", "-o", "max_moves=9", "--cols")
    assert run(*go, "3").stdout.startswith("The first player is 3 ahead at the end.\n")
    assert run(*go, "2").stdout.startswith("Nobody is ahead at the end.\n")
    assert run(*go, "2", "-o", "komi=0.5").stdout.startswith("The second player is 0.5 ahead at the end.\n")


def test_solve_prints_a_json_object(run: Gomogo) -> None:
    assert plain(run("solve", *ROBOGO, "--moves", "A1", "--json")) == {
        "game": "robogo",
        "options": {
            "size": 3,
            "rows": 3,
            "cols": 3,
            "passing": False,
            "suicide": False,
            "line": 3,
            "diagonals": False,
            "captures": True,
            "ko": "simple",
            "max_moves": 27,
        },
        "moves": ["a1"],
        "value": 1,
        "margin": False,
        "plies": 6,
        "best": ["b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"],
    }


def test_an_integral_margin_is_an_integer_in_json(run: Gomogo) -> None:
    output = run("solve", "go", "--rows", "1", "--cols", "3", "--json").stdout
    assert '"value": 3,' in output
    assert '"margin": true,' in output
    assert '"plies": null,' in output
    assert plain(run("solve", "go", "--rows", "1", "--cols", "3", "-o", "komi=0.5", "--json"))["value"] == 2.5


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["gomuko"], "There is no game called 'gomuko'."),
        (["gomoku", "--rows", "3"], "gomoku has no option 'rows'."),
        (["go", "--rows", "0"], "rows 0 is too small"),
        (["go", "--rows", "2", "-o", "rows=3"], "rows is set twice."),
        (["go", "-o", "size=2", "--moves", "a1 z9"], "Move 2, 'z9', is not a move of go."),
        (["go", "-o", "size=2", "--moves", "a1 a1"], "Move 2, a1, is illegal: a1 is occupied by black."),
        (["capture_go", "-o", "size=3", "--memory", "0.1"], "is too large to solve in 0.1 MB of memory"),
        (["dots_and_boxes", "-o", "players=3"], "dots_and_boxes for 3 players has no solution"),
    ],
)
def test_an_impossible_solve_is_refused_in_two_lines(run: Gomogo, words: list[str], problem: str) -> None:
    error = run("solve", *words).exception
    assert isinstance(error, UserError)
    assert problem in error.problem
    assert error.remedy


def test_solve_respects_its_time(run: Gomogo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "_NODES_PER_CLOCK_CHECK", 1)
    error = run("solve", "capture_go", "-o", "size=3", "--time", "0.001").exception
    assert isinstance(error, UserError)
    assert "is not solved within 0.001 seconds" in error.problem


def test_an_interrupt_ends_solve_with_a_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(budget.Budget, "count_node", interrupted)
    assert run_for_exit_code(lambda: gomogo.main(["solve", *ROBOGO], prog_name="gomogo", standalone_mode=False)) == 3
    captured = capsys.readouterr()
    assert (captured.out, captured.err.strip()) == ("", "Interrupted.")
