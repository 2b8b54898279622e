"""The additional checks of programs that play over pipes, and the messages of those that fail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gomogo_core.catalogue import agent
from gomogo_core.conformance.agent_suite import CheckResult, CheckVerdict, check_agent
from gomogo_core.conformance.pipe_checks import PIPE_CHECKS
from tests.engines._brains import BOT, BRAIN, write_program
from tests.games._gnugo import PROGRAM

pytestmark = pytest.mark.slow


def results(spec: str, game: str, *only: str) -> dict[str, CheckResult]:
    protocol = spec.partition(":")[0]
    names = only or tuple(check.name for check in PIPE_CHECKS[protocol])
    return {result.check: result for result in check_agent(agent(spec), [game], names)}


@pytest.mark.slow
def test_a_gomocup_engine_of_ours_passes_all_checks() -> None:
    results_by_check = results(f"gomocup:{sys.executable} -m gomogo engine alpha_beta --protocol gomocup", "gomoku")
    assert {
        name: result.behaviour for name, result in results_by_check.items() if result.verdict is not CheckVerdict.PASSED
    } == {}
    assert results_by_check["about"].note.startswith('name="alpha_beta"')
    assert [results_by_check[name].note for name in ("restart", "takeback", "swap2")] == [""] * 3


@pytest.mark.slow
def test_a_gtp_engine_of_ours_passes_all_checks() -> None:
    results_by_check = results(f"gtp:{sys.executable} -m gomogo engine go_random --protocol gtp --game go", "go")
    assert {
        name: result.behaviour for name, result in results_by_check.items() if result.verdict is not CheckVerdict.PASSED
    } == {}


@pytest.mark.needs("gnugo")
def test_gnu_go_passes_all_checks() -> None:
    results_by_check = results(f"gtp:{PROGRAM} --mode gtp?level=0", "go")
    assert {
        name: result.behaviour for name, result in results_by_check.items() if result.verdict is not CheckVerdict.PASSED
    } == {}


def test_a_json_lines_bot_passes_all_checks(tmp_path: Path) -> None:
    results_by_check = results(f"json:{write_program(tmp_path, 'bot', BOT)}", "gomoku")
    assert results_by_check["input_ends"].verdict is CheckVerdict.PASSED


TALKATIVE = """
import sys
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "START": print("OK", flush=True)
    elif word == "INFO": print("fine", flush=True)
    elif word == "ABOUT": print("I am nobody", flush=True)
    elif word == "DONE": print("7,7", flush=True)
    elif word == "BEGIN": print("7,7", flush=True)
    elif word == "RESTART": print("why?", flush=True)
    elif word == "TAKEBACK": print("UNKNOWN command", flush=True)
    elif word == "SWAP2BOARD": pass
while True:
    pass
"""


def test_each_failed_pipe_check_has_a_message(tmp_path: Path) -> None:
    results_by_check = results(f"gomocup:{write_program(tmp_path, 'talkative', TALKATIVE)}", "gomoku")
    behaviours = {name: (result.behaviour, result.expected) for name, result in results_by_check.items()}
    assert behaviours["about"] == ("To 'ABOUT' it answered 'I am nobody'.", 'A line like name="mine", version="1.0".')
    assert behaviours["info"] == (
        "After 'INFO time_left 100000', which has no answer, it wrote 'fine'.",
        "Nothing: INFO has no answer.",
    )
    assert behaviours["board"][0] == "To 'DONE' it answered 'fine'."
    assert behaviours["restart"][0] == "To 'BEGIN' it answered 'fine'."
    assert behaviours["end"][0] == "1 s after 'END' it was still running."
    assert all(result.repeat_command.startswith("gomogo agent check 'gomocup:") for result in results_by_check.values())


def test_a_missing_optional_command_is_noted_without_a_fault(tmp_path: Path) -> None:
    results_by_check = results(
        f"gomocup:{write_program(tmp_path, 'brain', BRAIN, 'no_restart')}", "gomoku", "restart", "first_move"
    )
    assert results_by_check["restart"].note == "it does not know RESTART, so each of its games needs a new process"
    assert {result.verdict for result in results_by_check.values()} == {CheckVerdict.PASSED}


POLITE = """
import sys, time
time.sleep(LOADING)
said = []
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word in ("START", "RESTART"): print("OK", flush=True)
    elif word == "INFO": print("MESSAGE I have heard of", line, flush=True)
    elif word == "ABOUT": print('name="polite"', flush=True)
    elif word in ("DONE", "BEGIN", "TURN"): said.append(len(said)); print(f"SUGGEST 3 , {len(said)}", flush=True)
    elif word == "PLAY": print(line.split()[1], flush=True)
    elif word == "END": break
    elif not word[:1].isdigit() and word != "BOARD": print("UNKNOWN", flush=True)
"""


@pytest.mark.slow
def test_messages_suggestions_and_a_slow_start_are_not_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo_core.conformance.dialogue.ANSWER_TIMEOUT", 0.3)
    slow = POLITE.replace("LOADING", "1")
    results_by_check = results(f"gomocup:{write_program(tmp_path, 'polite', slow)}", "gomoku")
    assert {
        name: result.behaviour for name, result in results_by_check.items() if result.verdict is CheckVerdict.FAILED
    } == {}
    assert [name for name, result in results_by_check.items() if result.verdict is CheckVerdict.LEFT_OUT] == ["swap2"]


def test_a_loading_program_has_more_time_to_exit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo_core.conformance.dialogue.EXIT_TIMEOUT", 0.1)
    results_by_check = results(f"json:{write_program(tmp_path, 'bot', f'import time; time.sleep(1){BOT}')}", "gomoku")
    assert results_by_check["input_ends"].verdict is CheckVerdict.PASSED


ENDLESS = """
import sys
for line in sys.stdin:
    if line.startswith("START"): print("OK", flush=True)
    elif line.startswith("INFO some_new_key"): print("x" * 200_000, end="", flush=True)
"""


def test_an_endless_line_is_reported(tmp_path: Path) -> None:
    results_by_check = results(f"gomocup:{write_program(tmp_path, 'endless', ENDLESS)}", "gomoku", "info")
    assert results_by_check["info"].behaviour == "After 'INFO time_left 100000' it wrote a line without an end."


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("os.close(1); time.sleep(0.2); os._exit(3)", "its program exited with code 3"),
        ("os.close(1); time.sleep(9)", "its program closed its output"),
    ],
)
def test_the_end_of_a_program_is_not_called_silence(tmp_path: Path, end: str, words: str) -> None:
    program = f"import os, sys, time\nsys.stdin.readline()\n{end}\n"
    assert (
        words in results(f"gomocup:{write_program(tmp_path, 'brain', program)}", "gomoku", "about")["about"].behaviour
    )


def test_a_program_that_refuses_a_game_has_not_exited(tmp_path: Path) -> None:
    results_by_check = results(f"gomocup:{write_program(tmp_path, 'brain', BRAIN, 'refuses')}", "gomoku", "starts")
    assert results_by_check["starts"].behaviour.endswith(
        "it could not continue: answered START 15 by 'ERROR no such size'."
    )


def test_lines_ended_by_carriage_returns_are_accepted(tmp_path: Path) -> None:
    results_by_check = results(
        f"gomocup:{write_program(tmp_path, 'brain', BRAIN, 'returns')}", "gomoku", "lines", "board", "first_move"
    )
    assert {result.verdict for result in results_by_check.values()} == {CheckVerdict.PASSED}
    assert "CR alone" in results_by_check["lines"].note
    usual = results(f"gomocup:{write_program(tmp_path, 'usual', BRAIN)}", "gomoku", "lines")
    assert usual["lines"].note == ""


def test_a_welcome_message_is_noted_without_a_fault(tmp_path: Path) -> None:
    welcome = f"import sys\nprint('\\ufeffWelcome!', flush=True)\n{BRAIN}"
    results_by_check = results(
        f"gomocup:{write_program(tmp_path, 'brain', welcome)}", "gomoku", "lines", "board", "first_move"
    )
    assert {result.verdict for result in results_by_check.values()} == {CheckVerdict.PASSED}
    assert results_by_check["lines"].note.startswith("it writes 'Welcome!', which some managers do not ignore")


def test_a_refusal_of_info_is_reported_once(tmp_path: Path) -> None:
    results_by_check = results(
        f"gomocup:{write_program(tmp_path, 'brain', BRAIN, 'knows_little')}", "gomoku", "info", "restart", "swap2"
    )
    assert results_by_check["info"].verdict is CheckVerdict.FAILED
    assert results_by_check["restart"].verdict is CheckVerdict.PASSED
    assert results_by_check["swap2"].verdict is CheckVerdict.LEFT_OUT
    assert results_by_check["swap2"].note == "it does not know SWAP2BOARD, so it cannot play with opening=swap2"


def test_a_brain_can_refuse_all_boards_except_the_usual_one(tmp_path: Path) -> None:
    only = ("usual_board", "whole_games", "little_left", "variants")
    results_by_check = results(f"gomocup:{write_program(tmp_path, 'brain', BRAIN, 'one_size')}", "gomoku", *only)
    left_out = {name for name, result in results_by_check.items() if result.verdict is CheckVerdict.LEFT_OUT}
    assert left_out == {"whole_games", "little_left"}
    assert "ERROR unsupported size" in results_by_check["whole_games"].note
    assert {results_by_check[name].verdict for name in only if name not in left_out} == {CheckVerdict.PASSED}


LACKS = """
import sys
for line in sys.stdin:
    name = line.split()[-1] if line.split() else ""
    if name == "list_commands": print("= play\\n", flush=True)
    elif name == "protocol_version": print("= 2\\n", flush=True)
    else: print("=\\n", flush=True)
"""


def test_missing_gtp_commands_are_reported(tmp_path: Path) -> None:
    results_by_check = results(f"gtp:{write_program(tmp_path, 'lacks', LACKS)}", "go")
    assert results_by_check["commands"].behaviour.startswith("It does not list protocol_version, name, version")
    assert results_by_check["numbers"].behaviour == "To '42 protocol_version' it answered '= 2'."
    assert results_by_check["vertices"].behaviour == "To 'play black J1' it answered '='."
    assert results_by_check["quit"].verdict is CheckVerdict.FAILED


@pytest.mark.parametrize("protocol", PIPE_CHECKS)
def test_pipe_checks_have_unique_names(protocol: str) -> None:
    from gomogo_core.conformance.agent_checks import CHECKS

    names = [check.name for check in (*CHECKS, *PIPE_CHECKS[protocol])]
    assert len(set(names)) == len(names)
