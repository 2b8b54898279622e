"""`gomogo agent`: a new bot runs and passes, a check says what failed, and `run` plays beside a referee."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from click.testing import Result

import gomogo
from gomogo.commands.agent.check_results import ResultPrinter
from gomogo.commands.agent.starters import STARTERS_FOLDER, starter_files
from gomogo_core.arena import child_environment
from gomogo_core.conformance import agent_suite
from gomogo_core.conformance.agent_suite import CheckResult, CheckVerdict
from gomogo_core.errors import UserError

pytestmark = pytest.mark.slow

Gomogo = Callable[..., Result]
GOMOGO = [sys.executable, "-m", "gomogo"]
REFEREE = Path(__file__).resolve().parents[2] / "referee.py"
GOOD = "import random\ndef choose(position, clock):\n    return random.choice(list(position.moves()))\n"
FREE = "import resource\nassert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY\n"
BAD = "def choose(position, clock):\n    raise ValueError('\\x1b[31mno idea')\n"
OUTPUT = "Traceback (most recent call last):\n  bot.py, line 3\nZeroDivisionError: division by zero"


@pytest.mark.parametrize("words", [["mybot"], ["mybot", "--game", "gomoku"]])
def test_a_new_bot_passes_checks(words: list[str], run: Gomogo) -> None:
    created = run("agent", "new", *words)
    assert (created.exit_code, created.stdout) == (0, "mybot.py\n")
    assert "gomogo agent check mybot.py" in created.stderr
    assert run("agent", "check", "mybot.py", "--only", "starts", "--only", "first_move").exit_code == 0


def test_a_new_folder_passes_checks(run: Gomogo, tmp_path: Path) -> None:
    assert run("agent", "new", "mybot", "--folder", "--game", "gomoku").stdout == "mybot\n"
    assert sorted(path.name for path in (tmp_path / "mybot").iterdir()) == ["agent.toml", "mybot.py"]
    checked = run("agent", "check", "mybot", "--only", "starts", "--only", "first_move")
    assert (checked.exit_code, checked.stdout.splitlines()[-1]) == (0, "2 checks: 2 passed.")


def test_the_command_on_the_start_page_works(run: Gomogo) -> None:
    page = (Path(gomogo.__file__).parent / "page/templates/home.html").read_text()
    new_command, serve = re.findall("<code>gomogo (.*?)</code>", page[page.index("Enter your program") :])
    created = run(*new_command.split())
    assert (created.exit_code, created.stdout.strip()) == (0, serve.split()[-1])


def test_an_entry_of_a_course_is_checked_as_it_is_handed_in(run: Gomogo) -> None:
    for name in ("anna", "ben"):
        Path("in", name).mkdir(parents=True)
        Path("in", name, "bot.py").write_text(GOOD)
    with zipfile.ZipFile("in/gina.zip", "w") as packed:
        packed.writestr("gina/bot.py", GOOD)
    for entry in ("in/anna", "in/gina.zip"):
        checked = run("agent", "check", entry, "--game", "gomoku", "--only", "first_move")
        assert (checked.exit_code, checked.stdout.splitlines()[-1]) == (0, "1 check: 1 passed.")
    error = run("agent", "check", "in").exception
    assert isinstance(error, UserError)
    assert error.problem == "in contains several entries, and only one can be checked at a time."
    Path("in/ben/bot.py").unlink()
    error = run("agent", "check", "in/ben").exception
    assert isinstance(error, UserError)
    assert error.problem.startswith("in/ben cannot be used: It has neither an agent.toml nor")


@pytest.mark.skipif(os.name == "nt", reason="limits of the system are Unix's")
def test_an_agent_is_checked_in_its_sandbox(run: Gomogo) -> None:
    Path("bot.py").write_text(FREE + GOOD)
    at_first = ("agent", "check", "bot.py", "--only", "first_move", "--game", "gomoku")
    assert run(*at_first, "--sandbox", "none").exit_code == 0
    sandboxed_result = run(*at_first)
    assert sandboxed_result.exit_code == 1
    assert "AssertionError" in sandboxed_result.stdout


def test_a_misbehaviour_is_not_demonstrated_without_a_sandbox(run: Gomogo) -> None:
    error = run("agent", "check", "--show-me", "names_a_huge_row", "--sandbox", "none").exception
    assert isinstance(error, UserError)
    assert "never runs without confinement" in error.problem


@pytest.mark.parametrize("words", [[], ["--pipes", "--game", "gomoku"]])
def test_a_new_bot_in_a_language_is_a_renamed_starter(words: list[str], run: Gomogo, tmp_path: Path) -> None:
    created = run("agent", "new", "mybot", "--language", "c", *words)
    assert (created.exit_code, created.stdout) == (0, "mybot\n")
    assert sorted(path.name for path in (tmp_path / "mybot").iterdir()) == ["agent.toml", "bot.c"]
    assert (tmp_path / "mybot" / "bot.c").read_bytes() == (STARTERS_FOLDER / "c" / "bot.c").read_bytes()
    settings = tomllib.loads((tmp_path / "mybot" / "agent.toml").read_text(encoding="utf-8"))
    assert settings["name"] == "mybot"
    assert settings.get("protocol", "files") == ("json" if words else "files")
    assert settings["command"] == ["{here}/build/bot", *([] if words else ["{team}"])]


def test_build_output_of_a_starter_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "agent.toml").write_text('name = "old"\ncommand = "x"\n')
    assert starter_files(tmp_path, "mybot", pipes=False) == {"agent.toml": 'name = "mybot"\ncommand = "x"\n'}


@pytest.mark.parametrize(
    ("words", "problem", "remedy"),
    [
        (
            ["--language", "cobol"],
            "There is no starter for 'cobol'.",
            "Choose from c, cpp, java, javascript, python, rust.",
        ),
        (["--pipes"], "--pipes needs --language.", "Name a language: --language python --pipes."),
        (
            ["--language", "c", "--game", "go"],
            "The starters play gomoku, not go.",
            "Leave out --game and change the starter yourself, or leave out --language for a bot in Python.",
        ),
    ],
)
def test_an_unknown_starter_is_refused(
    words: list[str], problem: str, remedy: str, run: Gomogo, tmp_path: Path
) -> None:
    error = run("agent", "new", "mybot", *words).exception
    assert isinstance(error, UserError)
    assert (error.problem, error.remedy) == (problem, remedy)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("words", [["mybot"], ["mybot", "--folder"]])
def test_a_new_agent_passes_every_check(words: list[str], run: Gomogo) -> None:
    written = run("agent", "new", *words).stdout.strip()
    assert run("agent", "check", written).exit_code == 0


def test_a_new_bot_completes_a_win(run: Gomogo, tmp_path: Path) -> None:
    run("agent", "new", "mybot")
    (tmp_path / "mybot.py").rename(tmp_path / "quick.py")
    (tmp_path / "poor.py").write_text("def choose(position, clock):\n    return next(position.moves())\n")
    four = "x x x x . .\no o o . . .\n" + ". . . . . .\n" * 4
    question = (
        "from gomogo_core.agent import load_choose\nfrom gomogo_core.games import load\n"
        "from gomogo_core.agent import AgentClock\nfrom pathlib import Path\n"
        f"position = load('gomoku', size=6).from_diagram({four!r} + 'to move: seat 1')\n"
        "if position.to_move == 2:\n    position = position.play(position.game.parse('a6'))\n"
        "print(load_choose(Path('quick.py'))(position, AgentClock({'per_move': 5.0}, None)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", question],
        cwd=tmp_path,
        env=child_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout == "e1\n"


def test_a_new_agent_overwrites_nothing(run: Gomogo, tmp_path: Path) -> None:
    (tmp_path / "mybot.py").write_text("mine")
    (tmp_path / "other").mkdir()
    for words in (["mybot"], ["other", "--folder"], ["other", "--language", "c"]):
        error = run("agent", "new", *words).exception
        assert isinstance(error, UserError)
        assert error.problem.endswith("already exists.")
    assert (tmp_path / "mybot.py").read_text() == "mine"
    assert list((tmp_path / "other").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a/b", "is not a valid name for an agent"),
        ("..", "is not a valid name for an agent"),
        ("_hidden", "is not a valid name for an agent"),
        ("my bot", "is not a valid name for an agent"),
        ("b" * 37, "is not a valid name for an agent"),
        ("Greedy", "An agent or a file of Gomogo is already called"),
        ("random", "is the name of a Python module"),
    ],
)
def test_an_invalid_bot_name_is_refused(name: str, problem: str, run: Gomogo, tmp_path: Path) -> None:
    error = run("agent", "new", name).exception
    assert isinstance(error, UserError)
    assert problem in error.problem
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_game_is_refused_before_anything_is_written(run: Gomogo, tmp_path: Path) -> None:
    error = run("agent", "new", "mybot", "--game", "gomuko").exception
    assert isinstance(error, UserError)
    assert error.remedy == "Did you mean gomoku?"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.needs("bwrap")
def test_a_check_in_the_sandbox_keeps_its_files_in_a_relative_folder(run: Gomogo, tmp_path: Path) -> None:
    options = ("--only", "starts", "--sandbox", "bwrap", "--keep", "look")
    assert run("agent", "check", "random_mover", "--game", "gomoku", *options).exit_code == 0
    assert list((tmp_path / "look").rglob("game.json"))


def test_a_failed_check_names_result_expectation_and_reproduction(run: Gomogo, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    checked = run("agent", "check", "bad.py", "--game", "gomoku", "--only", "starts", "--only", "first_move")
    assert checked.exit_code == 1
    lines = checked.stdout.splitlines()
    assert lines[0] == "passed    gomoku: starts: it starts in time"
    assert lines[1] == "FAILED    gomoku: first_move: it answers with a legal move in every seat"
    assert lines[2].strip().startswith("In gomoku, on seat 1, before the first move, its program ended: exited with")
    assert lines[3].strip() == "Expected: A program that keeps running until the game is over."
    assert lines[4].strip() == "End of its output:"
    assert "\\x1b[31mno idea" in lines[-3]  # the output of an agent is escaped
    assert "\x1b" not in checked.stdout
    assert lines[-2].strip() == (
        "To repeat this check: gomogo agent check bad.py --game gomoku --only first_move --keep look"
    )
    assert lines[-1] == "2 checks: 1 passed, 1 failed."


def test_a_fault_in_several_checks_is_printed_in_full_once() -> None:
    results = [
        CheckResult(name, game, "", CheckVerdict.FAILED, 0.1, behaviour=f"After {name}, it ended.", output=OUTPUT)
        for game in ("gomoku", "go")
        for name in ("usual_board", "variants", "waits")
    ]
    printer = ResultPrinter()
    with redirect_stdout(StringIO()) as printed:
        for result in results:
            printer.print_result(result)
        printer.print_repeated_faults()
    output = printed.getvalue()
    assert output.count("ZeroDivisionError") == 1
    assert output.count("the same fault as in gomoku: usual_board") == 5
    assert output.splitlines()[-1] == (
        "The same fault as in gomoku: usual_board is in gomoku: variants, waits; go: usual_board, variants, waits."
    )


def test_the_list_of_commands_does_not_repeat_their_names(run: Gomogo) -> None:
    assert "The command `" not in run("--help").stdout


def test_an_interrupted_check_prints_the_results_so_far(run: Gomogo, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Iterator[CheckResult]:
        yield CheckResult("starts", "gomoku", "it starts", CheckVerdict.PASSED, 0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr(agent_suite, "check_agent", interrupted)
    assert "So far: 1 check: 1 passed." in run("agent", "check", "random_mover").output


def test_a_check_as_json_gives_the_same_verdicts(run: Gomogo, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    checked = run("agent", "check", "bad.py", "--game", "gomoku", "--only", "first_move", "--json")
    report = json.loads(checked.stdout)
    assert checked.exit_code == 1
    assert (report["schema"], report["agent"], report["passed"]) == (1, "bad.py", False)
    (check,) = report["checks"]
    assert (check["check"], check["game"], check["verdict"]) == ("first_move", "gomoku", "failed")
    assert "ValueError" in check["printed"]


def test_a_check_stores_its_games_only_in_an_empty_folder(run: Gomogo, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    words = ["agent", "check", "good.py", "--only", "starts", "--keep", "look"]
    assert run(*words).exit_code == 0
    assert (tmp_path / "look" / "gomoku-starts" / "1" / "good" / "game.json").is_file()
    error = run(*words).exception
    assert isinstance(error, UserError)
    assert error.problem == "The folder look is not empty."


def test_agents_run_in_a_folder_beside_a_referee_started_by_hand(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    folder = tmp_path / "game"
    folder.mkdir()

    def start(words: list[str], place: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(words, cwd=place, env=child_environment(), stdout=subprocess.PIPE, text=True)

    quick = ["-o", "size=5", "-o", "line=3", "--json"]
    referee = start([sys.executable, str(REFEREE), "alpha", "good", *quick], folder)
    agents = [
        start([*GOMOGO, "agent", "run", "good.py", "--team", "alpha", "--folder", "game"], tmp_path),
        start([*GOMOGO, "agent", "run", "../good.py"], folder),
    ]
    report = json.loads(referee.communicate(timeout=300)[0])
    assert report["reason"] in ("line", "board_full")
    assert [agent.wait(timeout=300) for agent in agents] == [0, 0]
    for process in (referee, *agents):
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ["random_mover", "--team", "a/b"],
            "'a/b' cannot be a team's name, because such names are also parts of file names.",
        ),
        (
            ["files:alpha:./alpha", "--team", "beta"],
            "files:alpha:./alpha always has the name alpha: its command line does not contain {team}.",
        ),
        (["files:alpha:./nowhere"], 'Cannot start agent "alpha": ./nowhere: no such file.'),
    ],
)
def test_an_agent_that_cannot_run_is_refused(words: list[str], problem: str, run: Gomogo) -> None:
    error = run("agent", "run", *words).exception
    assert isinstance(error, UserError)
    assert error.problem == problem
