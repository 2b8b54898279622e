"""Each check passes an agent that does what it says, and fails one that does not, in words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from gomogo_core.arena import Arena, conditions
from gomogo_core.catalogue import Agent, agent
from gomogo_core.conformance import agent_suite, trial
from gomogo_core.conformance.agent_checks import CHECKS
from gomogo_core.conformance.agent_suite import CheckResult, CheckVerdict, check_agent, games_to_check
from gomogo_core.conformance.opponents import ScriptedOpponent, answer_slowly, random_moves, resign_after
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.processes.cpu_times import CpuTimes

pytestmark = pytest.mark.slow

Write = Callable[[str], Agent]


@pytest.fixture
def bot(tmp_path: Path) -> Write:
    """Write the body of a bot that has `position`, `clock` and the list `moves`, and may have lines before it."""

    def write(body: str, before: str = "") -> Agent:
        path = tmp_path / "bot.py"
        body = textwrap.indent(textwrap.dedent(body), "    ")
        path.write_text(
            f"import random, time\n{textwrap.dedent(before)}\n"
            f"def choose(position, clock):\n    moves = list(position.moves())\n{body}\n"
        )
        return agent(str(path))

    return write


@pytest.fixture
def program(tmp_path: Path) -> Write:
    """Write a program that speaks the file protocol by itself, as WPI's do: `play(last)` returns its move."""

    def write(source: str) -> Agent:
        path = tmp_path / "old.py"
        path.write_text(textwrap.dedent(source))
        return agent(f"files:old:python3 {path}")

    return write


def result_of(check: str, agent: Agent) -> CheckResult:
    (result,) = check_agent(agent, ["gomoku"], only=[check])
    return result


RANDOM = "return random.choice(moves)"
OLD = """
    import os, random, time
    while not os.path.exists("end_game"):
        time.sleep(0.01)
        if not os.path.exists("old.go") or open("move_file").read().startswith("old"):
            continue
        used = [line.split()[1:] for line in open("history_file").read().splitlines()]
        free = [[c, str(r)] for c in "abcdefghijklmno" for r in range(1, 16) if [c, str(r)] not in used]
        open("move_file", "w").write("old " + " ".join(random.choice(free)))
"""


@pytest.mark.parametrize("check", [check.name for check in CHECKS])
def test_a_check_passes_an_agent_that_plays_any_legal_move(check: str, bot: Callable[[str, str], Agent]) -> None:
    result = result_of(check, bot(RANDOM, "KEEP_RUNNING = True"))
    assert (result.verdict, result.behaviour) == (CheckVerdict.PASSED, "")


def test_the_checks_run_in_their_listed_order(bot: Write) -> None:
    results = check_agent(bot(RANDOM), ["gomoku"], only=["take_over", "first_move", "starts"])
    assert [result.check for result in results] == ["starts", "first_move", "take_over"]


PIPED = """
import json, random, sys, time
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "game":
        print(json.dumps({"ready": True}), flush=True)
    elif told["type"] == "turn":
        rows = told["board"]
        free = [f"{c:c}{r}" for r, row in enumerate(rows, 1) for c, stone in enumerate(row, 97) if stone == "."]
        print(json.dumps({"move": random.choice(free)}), flush=True)
"""


@pytest.fixture
def piped(tmp_path: Path) -> Write:
    """Write a program that speaks JSON over pipes, with code that runs at the end of its input."""

    def write(after: str) -> Agent:
        (tmp_path / "piped.py").write_text(f"{PIPED}{after}\n")
        return agent(f"json:python3 {tmp_path / 'piped.py'}")

    return write


@pytest.mark.parametrize("check", ["starts", "whole_games", "waits", "take_over", "resigned", "died", "leaves"])
def test_a_check_passes_a_program_that_is_reached_through_pipes(check: str, piped: Write) -> None:
    result = result_of(check, piped(""))
    assert (result.verdict, result.behaviour) == (CheckVerdict.PASSED, "")


@pytest.mark.slow
def test_messages_to_a_pipe_program_mention_moves_not_files(piped: Write) -> None:
    result = result_of("variants", piped(""))  # it lays a stone where an opening asks for a word
    assert result.behaviour.endswith("now choose: swap or stay.")
    assert result.expected == "A legal move, as its protocol writes it."


def test_a_program_that_outlives_its_input_fails_with_a_message(piped: Write) -> None:
    result = result_of("leaves", piped("time.sleep(60)"))
    assert result.behaviour == "After the end of its input it was still running, and had to be ended."
    assert result.expected == "It exits by itself at the end of its input."


def test_a_program_that_fails_at_the_end_of_its_input_is_reported(piped: Write) -> None:
    result = result_of("resigned", piped("sys.exit(7)"))
    assert result.behaviour == "It exited with code 7 after its opponent resigned."
    assert result.expected == "It notices the end of its input, and exits with code 0."


@pytest.mark.long
@pytest.mark.parametrize("name", ["random_mover", "greedy", "minimax", "alpha_beta", "iterative_deepening"])
def test_each_arena_agent_passes_every_check_in_every_game(name: str) -> None:
    results = list(check_agent(agent(name)))
    assert {result.verdict for result in results} <= {CheckVerdict.PASSED, CheckVerdict.LEFT_OUT}, [
        (result.game, result.check, result.behaviour) for result in results if result.verdict is CheckVerdict.FAILED
    ]
    assert sum(result.verdict is CheckVerdict.PASSED for result in results) > len(results) / 2


@pytest.mark.parametrize("check", ["first_move", "little_left", "take_over"])
def test_random_mover_passes_every_check(check: str) -> None:
    assert result_of(check, agent("random_mover")).verdict is CheckVerdict.PASSED


FAULTS = {
    "starts": ("raise SystemExit", "raise RuntimeError('no table')", "its program ended: exited with code 1"),
    "first_move": ("return 'z99'", "", "'z 99' is not a move: columns are a to o"),
    "whole_games": ("return random.choice('abcdefghijklmno') + str(random.randint(8, 15))", "", "is not a move"),
    "usual_board": ("return moves[0 if position.stones < 8 else time.sleep(2) or 1]", "", "it ran out of time"),
    "variants": ("return max(moves, key=lambda move: move.column)", "", "no attribute 'column'"),
    "take_over": ("return moves[0] if position.black == 1 else 1 / 0", "", "ZeroDivisionError"),
    "little_left": ("return moves[1]", "", "IndexError"),
    "total_time": (f"time.sleep(0.25)\n{RANDOM}", "", "it ran out of time: "),
    "plays_again": (f"seen.add(position.game.size)\nassert len(seen) < 2\n{RANDOM}", "seen = set()", "AssertionError"),
    "resigned": (RANDOM, "import atexit, os\natexit.register(lambda: os._exit(7))", "It exited with code 7 after"),
    "died": (RANDOM, "import atexit, os\natexit.register(lambda: os._exit(7))", "It exited with code 7 after"),
    "waits": (
        f"threading.Thread(target=write_early, daemon=True).start()\n{RANDOM}",
        """
import os, threading
def write_early():
    while os.path.exists("bot.go"):  # until its turn has ended, however late that is on a busy machine
        time.sleep(0.001)
    open("move_file", "w").write("too soon")
""",
        "before its turn.",
    ),
    "leaves": (RANDOM, "import threading\nthreading.Thread(target=time.sleep, args=(60,)).start()", "had to be ended"),
}


@pytest.mark.parametrize("check", FAULTS)
def test_a_check_fails_an_agent_that_violates_it(
    check: str, bot: Callable[[str, str], Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    # the agent of `leaves` would take all of its 4 s
    monkeypatch.setattr("gomogo_core.arena.shutdown.EXIT_TIMEOUT", 0.5)
    body, before, behaviour = FAULTS[check]
    result = result_of(check, bot(body, f"KEEP_RUNNING = True\n{before}"))
    assert result.verdict is CheckVerdict.FAILED
    assert behaviour in result.behaviour
    assert result.expected.endswith((".", "stop_at."))
    assert result.repeat_command.endswith(f"bot.py --game gomoku --only {check} --keep look")


def test_every_check_has_an_agent_that_fails_it() -> None:
    assert set(FAULTS) == {check.name for check in CHECKS}


def test_a_failed_check_shows_the_location_and_the_last_output(bot: Write) -> None:
    result = result_of("take_over", bot("print('thinking')\nreturn moves[0] if position.black == 1 else 1 / 0"))
    assert result.behaviour.startswith("In gomoku -o opening=takeover, on seat 1, after a1 a1, its program ended")
    assert result.output.endswith("ZeroDivisionError: division by zero")
    assert result.output.count("\n") < 20


def test_an_agent_that_does_not_start_skips_other_checks(bot: Callable[[str, str], Agent]) -> None:
    assert [result.check for result in check_agent(bot(RANDOM, "raise RuntimeError"), ["gomoku"])] == ["starts"]


def test_a_legacy_program_is_recognized_and_checked_accordingly(program: Write) -> None:
    old = program(OLD)
    assert games_to_check(old) == ("gomoku",)
    results = {result.check: result for result in check_agent(old, only=["starts", "variants", "little_left"])}
    assert results["starts"].verdict is CheckVerdict.PASSED
    assert results["starts"].note.startswith("it does not report that it is ready")
    assert results["variants"].verdict is CheckVerdict.LEFT_OUT
    assert results["little_left"].verdict is CheckVerdict.LEFT_OUT


def test_a_legacy_program_passes_take_over(program: Write) -> None:
    assert result_of("take_over", program(OLD)).verdict is CheckVerdict.PASSED


def test_the_games_of_a_check_stay_in_the_named_folder(bot: Write, tmp_path: Path) -> None:
    list(check_agent(bot(RANDOM), ["gomoku"], only=["first_move"], keep_folder=tmp_path / "look"))
    lines = (tmp_path / "look" / "gomoku-first_move" / "1" / "bot" / "history_file").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["bot", "opponent", "bot"]


def test_a_suite_that_ends_early_leaves_no_process(bot: Callable[[str, str], Agent]) -> None:
    before = set(psutil.Process().children())
    results = check_agent(bot(RANDOM, "KEEP_RUNNING = True"))
    assert next(results).verdict is CheckVerdict.PASSED
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert set(psutil.Process().children()) <= before


@pytest.mark.parametrize(
    ("spec", "games", "only", "problem"),
    [
        ("human", (), (), "A human cannot be checked."),
        ("random_mover", ("gomuko",), (), "There is no game called 'gomuko'."),
        ("random_mover", (), ("take-over",), "There is no check called 'take-over'."),
    ],
)
def test_an_impossible_check_is_refused(spec: str, games: tuple[str, ...], only: tuple[str, ...], problem: str) -> None:
    with pytest.raises(UserError) as error_info:
        check_agent(agent(spec), games, only)
    assert error_info.value.problem == problem


def test_a_check_of_an_undeclared_game_is_refused(bot: Callable[[str, str], Agent]) -> None:
    with pytest.raises(UserError, match="does not play gomoku"):
        check_agent(bot(RANDOM, "GAMES = ('chess',)"), ["gomoku"])


def test_a_failed_first_move_skips_other_checks(bot: Write) -> None:
    results = {result.check: result for result in check_agent(bot("return 'z99'"), ["gomoku"])}
    assert {name for name, result in results.items() if result.verdict is CheckVerdict.FAILED} == {"first_move"}
    assert results["starts"].verdict is CheckVerdict.PASSED
    other_results = [result for name, result in results.items() if name not in ("starts", "first_move")]
    assert {(result.verdict, result.note) for result in other_results} == {
        (CheckVerdict.LEFT_OUT, "the agent made no first move")
    }
    assert len(results) == len(CHECKS)


def test_a_later_failure_skips_no_other_check(bot: Write) -> None:
    body = f"if position.stones > 2: return 'z99'\n{RANDOM}"
    verdicts = {
        result.check: result.verdict
        for result in check_agent(bot(body), ["gomoku"], only=["first_move", "waits", "resigned"])
    }
    assert verdicts == {
        "first_move": CheckVerdict.PASSED,
        "waits": CheckVerdict.FAILED,
        "resigned": CheckVerdict.PASSED,
    }


def test_remedies_mention_the_clock_only_for_agents_with_one(
    bot: Write, program: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "WPI_LIMIT", 1.0)
    monkeypatch.setattr(agent_suite, "RETRY_SLACK", 2.0)
    mute = program(OLD.replace('open("move_file", "w").write(', "("))
    late = bot("time.sleep(99)")  # longer than a repeated check allows
    assert "clock.stop_at" in result_of("whole_games", late).expected
    assert "position.moves()" in result_of("first_move", bot("return 'z99'")).expected
    for source in (mute, program(OLD.replace('"old "', '"old z"'))):
        (result,) = check_agent(source, ["gomoku"], only=["first_move"])
        assert result.verdict is CheckVerdict.FAILED
        assert "choose" not in result.expected
        assert "stop_at" not in result.expected


@pytest.fixture
def busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that looks busy: programs wait for a core most of their time."""
    monkeypatch.setattr(conditions, "reason_for_doubt", lambda played_game: "it waited" * bool(played_game.forfeits))
    monkeypatch.setattr(agent_suite, "RETRY_SLACK", 2.0)


@pytest.mark.usefixtures("busy_machine")
def test_a_check_disturbed_by_the_machine_is_repeated(bot: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    late = bot(f"time.sleep(0.5 * (position.stones == 4))\n{RANDOM}")
    monkeypatch.setattr(
        trial, "process_tree_times", lambda root: CpuTimes(0.0, time.monotonic())
    )  # it waited all the time
    result = result_of("whole_games", late)
    assert (result.verdict, result.behaviour) == (CheckVerdict.PASSED, "")
    assert result.note == "repeated with 2 s more, because the machine was busy: it waited"


_REPEATED = "repeated with 2 s more, because the machine was busy: it waited"


@pytest.mark.usefixtures("busy_machine")
@pytest.mark.parametrize(
    ("body", "behaviour", "note"),
    [
        ("while position.stones == 4: pass", "nothing was written within 0.3 s", ""),  # late on any machine
        ("time.sleep(0.6 * (position.stones == 4))", " s, 0.3 s allowed", _REPEATED),
    ],
)
def test_a_busy_machine_does_not_excuse_a_loop_or_a_slow_agent(
    bot: Write, body: str, behaviour: str, note: str
) -> None:
    result = result_of("whole_games", bot(f"{body}\n{RANDOM}"))
    assert result.verdict is CheckVerdict.FAILED
    assert behaviour in result.behaviour
    assert result.note == note


@pytest.mark.long
@pytest.mark.parametrize("check", ["whole_games", "usual_board", "total_time", "leaves"])
def test_an_agent_passes_beside_processes_that_burn_every_core(check: str, bot: Write) -> None:
    """It uses its whole time limit, and five other programs use each core."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(5 * (os.cpu_count() or 1))]
    try:
        thinks = "while time.monotonic() < clock.stop_at: pass"
        assert result_of(check, bot(f"{thinks}\n{RANDOM}")).verdict is CheckVerdict.PASSED
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@pytest.mark.parametrize("loop", ["while True: pass", "import re; re.match('(a+)+$', 'a' * 60 + 'b')"])
def test_an_endless_loop_shows_its_line_and_no_frame_of_the_arena(loop: str, bot: Callable[[str, str], Agent]) -> None:
    before = f"def helper():\n    {loop}"
    found_bot = bot("helper()", before)
    game, control = load("gomoku", size=5), TimeControl(per_move=0.3, grace=2.0)
    with Arena() as arena:
        played = arena.play(
            game, [found_bot, found_bot], [control] * 2, players={2: ScriptedOpponent(random_moves("x"))}
        )
    assert played.outcome.reason is Reason.OUT_OF_TIME
    *_, inner, outer = played.outputs[0].splitlines()
    assert re.fullmatch(r'  File ".*bot\.py", line 3 in helper', inner)
    assert re.fullmatch(r'  File ".*bot\.py", line 6 in choose', outer)


def test_a_long_wait_for_the_turn_prints_no_traceback(bot: Write) -> None:
    game, control = load("gomoku", size=5), TimeControl(per_move=0.3, grace=2.0)
    opponent = ScriptedOpponent(resign_after(answer_slowly(random_moves("x"), 0.5), 2))
    with Arena(capture_output=True) as arena:
        played = arena.play(game, [bot(RANDOM)] * 2, [control] * 2, players={2: opponent})
    assert played.outputs[0] == ""


@pytest.mark.parametrize(
    ("body", "before", "lines"),
    [
        ("return position.play('z99')", "", ["in choose", "IllegalMove: z99 is not on this board"]),
        ("return 1.5", "", ["TypeError: choose returned 1.5, which is not a move of gomoku"]),
        ("return 1", "import nothing_there", ["in <module>", "ModuleNotFoundError: No module named 'nothing_there'"]),
    ],
)
def test_a_traceback_shows_the_agents_own_frames_and_its_last_line(
    body: str, before: str, lines: list[str], bot: Callable[[str, str], Agent]
) -> None:
    (*_, result) = check_agent(bot(body, before), ["gomoku"], only=["starts", "first_move"])
    frames = [line for line in result.output.splitlines() if line.startswith("  File ")]
    assert all("bot.py" in frame for frame in frames)
    assert [frame.rpartition(", ")[2] for frame in frames] == lines[:-1]
    assert lines[-1] in result.output.splitlines()[-1]
