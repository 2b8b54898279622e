"""`gomogo agent check --show-me`, which shows the faults that test the referee; and effects on later games."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gomogo.cli import gomogo, run_for_exit_code
from gomogo_core.arena import Arena
from gomogo_core.conformance.misbehaving.cases import FAULTS, LONG_LIMIT, honest_program, misbehaving_program
from gomogo_core.games import load
from gomogo_core.games.base import Reason

pytestmark = pytest.mark.slow

ShowMe = Callable[..., tuple[int, str]]


@pytest.fixture
def show_me(capsys: pytest.CaptureFixture[str]) -> ShowMe:
    """Run `gomogo agent check`; its exit code and all that it prints."""

    def run(*words: str) -> tuple[int, str]:
        code = run_for_exit_code(lambda: gomogo.main(["agent", "check", *words], standalone_mode=False))
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


def test_show_me_lists_all_misbehaviours(show_me: ShowMe) -> None:
    code, output = show_me("--show-me")
    assert code == 0
    assert [line.split()[0] for line in output.splitlines()] == list(FAULTS)
    listed = json.loads(show_me("--show-me", "--json")[1])["misdeeds"]
    assert {listed_fault["name"]: listed_fault["expected"] for listed_fault in listed}["writes_rubbish"][
        "gtp"
    ] == "out_of_time"


def test_show_me_plays_one_misbehaviour_in_each_protocol(show_me: ShowMe) -> None:
    code, output = show_me("--show-me", "names_a_negative_row")
    assert code == 0, output
    assert output.splitlines()[0] == "names_a_negative_row: It names row -1."
    assert [line.split()[0] for line in output.splitlines()[1:]] == ["files", "gomocup", "gtp", "json"]
    assert all("lost, not a move, after" in line for line in output.splitlines()[1:])
    code, output = show_me("greedy", "--show-me", "answers_twice", "--json")
    assert code == 0, output
    assert {played_fault["verdict"] for played_fault in json.loads(output)["played"]} == {None}


def test_show_me_refuses_unknown_names_and_other_options(show_me: ShowMe) -> None:
    assert "Did you mean never_answers?" in show_me("--show-me", "never_answer")[1]
    assert "cannot be combined with" in show_me("--show-me", "never_answers", "--only", "starts")[1]
    assert "The name of an agent is missing." in show_me()[1]
    assert "plays against a program, not a human" in show_me("human", "--show-me", "never_answers")[1]


def test_an_engine_interrupted_while_thinking_plays_its_next_game() -> None:
    game, move_provider = load("gomoku", size=5), honest_program("gtp", pause=0.1)
    dies = misbehaving_program(FAULTS["exits_while_the_others_think"], "json", 0, LONG_LIMIT)
    with Arena() as arena:
        first = arena.play(game, [dies, move_provider], [LONG_LIMIT, LONG_LIMIT])
        assert (first.outcome.reason, first.outcome.winner) == (Reason.CRASHED, 2)
        for _ in range(2):
            assert (
                arena.play(game, [move_provider, honest_program("gomocup")], [LONG_LIMIT, LONG_LIMIT]).outcome.reason
                is Reason.LINE
            )


def test_a_line_written_by_another_program_is_a_warning() -> None:
    game = load("gomoku", size=5)
    victim = honest_program("files", pause=0.5)  # a busy machine delays the other's writing
    writes = misbehaving_program(FAULTS["writes_into_the_opponents_folder"], "files", 1, LONG_LIMIT)
    with Arena() as arena:
        played = arena.play(game, [writes, victim], [LONG_LIMIT, LONG_LIMIT])
    assert played.outcome.reason is Reason.LINE
    assert [(seat, message) for _, seat, message in played.warnings] == [
        (2, "a line that its program did not write appeared in its folder, and was ignored")
    ]
