"""The supervisor stops a program that uses CPU time out of turn, with its whole tree, and spares a waiting one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gomogo.commands.agent.starters import starter_folder
from gomogo.commands.agent.templates import write_agent
from gomogo_core.arena import Arena
from gomogo_core.arena.conditions import ConditionsMeter
from gomogo_core.arena.confinement import Confinement
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.processes import cores, process
from gomogo_core.processes.limits import ResourceLimits, SandboxLevel
from gomogo_core.processes.process import Process

pytestmark = pytest.mark.slow

LIMIT = 30.0  # seconds for a step that takes a moment on a quiet machine
ATTEMPTS = 5  # games: a busy machine stops the referee for a second, which makes a game void
SANDBOX_LEVELS = ["limits", pytest.param("bwrap", marks=pytest.mark.needs("bwrap"))]
CHILDREN = 20
SPINS = f"""
import os, time
for number in range({CHILDREN}):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        while not os.path.exists("spin"):
            time.sleep(0.01)
        count = 0
        while True:
            count += 1
            if count % 1000 == 0:
                with open(f"count-{{number}}", "w") as file:
                    file.write(str(count))
open("up", "x").close()
while True:
    time.sleep(1)
"""
WAITS = """
import os, threading, time
def rest():
    while True:
        time.sleep(0.01)
threading.Thread(target=rest, daemon=True).start()
open("up", "x").close()
while not os.path.exists("x.go"):
    time.sleep(0.001)
open("done", "x").close()
time.sleep(60)
"""

BURNS = """
import os, sys, time
from gomogo_core.agent import run
team = sys.argv[1]
for _ in range({children}):
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.path.exists(team + ".go"):
                time.sleep(0.005)
                continue
            until = time.perf_counter() + 0.01
            while time.perf_counter() < until:
                pass
run(lambda position, clock: next(position.moves()))
"""
NEEDS = """
import time
def choose(position, clock):
    until = time.process_time() + {seconds}
    while time.process_time() < until:
        pass
    return next(position.moves())
"""


def until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


@pytest.fixture(params=["group", "signals"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How the supervisor stops a tree: by its control group, or by signals where no group can be made."""
    if request.param == "signals":
        monkeypatch.setattr(process, "_cgroup_folder", lambda: "")
    return str(request.param)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def begin(code: str, level: SandboxLevel = "limits", **limits: bool) -> Process:
        if level == "bwrap":
            place = tmp_path / "program"
            place.mkdir()
            (place / "bot.py").write_text(code)
            (place / "agent.toml").write_text(f"command = ['{sys.executable}', '{{here}}/bot.py']\n")
            found_agent = agent(str(place))
            folder = tmp_path / "game"
            folder.mkdir()
            process = Confinement(found_agent, level).start(found_agent.command_line("x"), folder)
        else:
            process = Process([sys.executable, "-c", code], tmp_path, os.environ, limits=ResourceLimits(**limits))
        started.append(process)
        until((process.folder / "up").exists)
        return process

    yield begin
    for started_process in started:
        started_process.end()


def counts(folder: Path) -> list[str]:
    return [path.read_text() for path in sorted(folder.glob("count-*"))]


@pytest.mark.parametrize("level", SANDBOX_LEVELS)
def test_children_in_their_own_sessions_are_stopped_out_of_turn(
    way: str, level: SandboxLevel, start: Callable[..., Process]
) -> None:
    spins = start(SPINS, level)
    spins.begin_turn()
    spins.end_turn()
    (spins.folder / "spin").touch()
    until(lambda: spins.cpu_out_of_turn().is_stopped)
    spins.cpu_out_of_turn(measure_now=True)  # when this returns, the supervisor has stopped the tree
    for _ in range(2):
        before = counts(spins.folder)
        time.sleep(0.2)  # running children would write new counts in this time, even on one core
        assert counts(spins.folder) == before
        assert spins.cpu_out_of_turn(measure_now=True).cpu_since_turn < LIMIT
        spins.begin_turn()

        def spin_again(before: object = before) -> bool:
            return len(counts(spins.folder)) == CHILDREN and counts(spins.folder) != before

        until(spin_again)
        spins.end_turn()
        spins.cpu_out_of_turn(measure_now=True)


def test_a_stopped_tree_can_be_ended(way: str, start: Callable[..., Process]) -> None:
    spins = start(SPINS)
    (spins.folder / "spin").touch()
    spins.end_turn()
    until(lambda: spins.cpu_out_of_turn().is_stopped)
    spins.end()
    assert spins.exit_description() == "ended by the referee"


def test_a_stopped_tree_runs_again_between_games(way: str, start: Callable[..., Process]) -> None:
    spins = start(SPINS)
    (spins.folder / "spin").touch()
    spins.end_turn()
    until(lambda: spins.cpu_out_of_turn().is_stopped)
    spins.cpu_out_of_turn(measure_now=True)
    spins.let_run()
    before = counts(spins.folder)
    until(lambda: counts(spins.folder) != before)


def test_a_program_that_polls_for_its_turn_is_left_alone(way: str, start: Callable[..., Process]) -> None:
    waits = start(WAITS)
    waits.end_turn()
    for _ in range(20):
        time.sleep(0.05)
        assert not waits.cpu_out_of_turn(measure_now=True).is_stopped
    (waits.folder / "x.go").touch()
    until((waits.folder / "done").exists)


def test_a_pondering_program_is_measured_and_never_stopped(start: Callable[..., Process]) -> None:
    spins = start(SPINS, ponders=True)
    (spins.folder / "spin").touch()
    spins.end_turn()
    until(lambda: spins.cpu_out_of_turn().is_stopped and spins.cpu_out_of_turn(measure_now=True).cpu_since_turn > 1.0)
    before = counts(spins.folder)
    until(lambda: counts(spins.folder) != before)


def test_a_loading_program_can_use_more_cpu_time(start: Callable[..., Process]) -> None:
    spins = start(SPINS)
    spins.end_turn(loaded=False)
    assert spins.cpu_out_of_turn().is_loading
    (spins.folder / "spin").touch()
    until(lambda: spins.cpu_out_of_turn().is_stopped)
    assert spins.cpu_out_of_turn(measure_now=True).cpu_since_turn >= 0.9


def test_cpu_time_in_its_own_turn_is_not_counted(start: Callable[..., Process]) -> None:
    spins = start(SPINS)
    spins.begin_turn()
    (spins.folder / "spin").touch()
    until(lambda: len(counts(spins.folder)) == CHILDREN)
    assert spins.cpu_out_of_turn(measure_now=True).cpu_since_start == 0.0


def test_the_cpu_time_before_a_turn_is_measured_once_in_the_turn(way: str, start: Callable[..., Process]) -> None:
    spins = start(SPINS)
    spins.end_turn()
    spins.begin_turn()
    until(lambda: spins.cpu_before_turn() is not None)
    before = spins.cpu_before_turn()
    (spins.folder / "spin").touch()
    until(lambda: len(counts(spins.folder)) == CHILDREN)
    assert spins.cpu_before_turn() == before
    spins.end_turn()
    assert spins.cpu_before_turn() == before
    spins.begin_turn()
    until(lambda: (spins.cpu_before_turn() or 0.0) > (before or 0.0))


def burns(folder: Path, children: int) -> str:
    place = folder / "burns"
    place.mkdir()
    (place / "bot.py").write_text(BURNS.format(children=children))
    (place / "agent.toml").write_text(f"ready = true\ncommand = ['{sys.executable}', '{{here}}/bot.py', '{{team}}']\n")
    return str(place)


def needs(folder: Path, seconds: float) -> str:
    (folder / "honest").mkdir()
    path = folder / "honest" / "needs.py"
    path.write_text(NEEDS.format(seconds=seconds))
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("level", SANDBOX_LEVELS)
def test_a_program_gains_nothing_from_cpu_time_out_of_turn(way: str, level: SandboxLevel, tmp_path: Path) -> None:
    """Its hundred children would leave the opponent a hundredth of a core. A game that the machine disturbed is played
    again.
    """
    tmp_path.chmod(0o755)
    game, controls = load("gomoku", size=5, line=3), [TimeControl(2.0)] * 2
    players = [agent(needs(tmp_path, 0.06)), agent(burns(tmp_path, 100))]
    with Arena(sandbox=level) as arena:
        for _ in range(ATTEMPTS):
            meter = ConditionsMeter(arena, cores.allowed_cores())
            played = meter.add_conditions(arena.play(game, players, controls, seed=1, listeners=[meter]))
            if not played.outcome.is_void and not played.doubtful:
                break
    assert played.outcome.reason.kind == "rules", played.outcome
    assert played.cpu_out_of_turn[1] > 0.0
    remarks = [message for _, seat, message in played.warnings if seat == 2]
    assert any(message.endswith("out of turn: it is stopped while others move") for message in remarks)


@pytest.mark.parametrize("pipes", [False, True])
def test_an_agent_that_only_plays_is_not_stopped(pipes: bool, tmp_path: Path) -> None:
    game, controls = load("gomoku", size=5), [TimeControl(10.0)] * 2
    with Arena() as arena:
        written = write_agent(tmp_path, "mine", None, folder=True, starter=starter_folder("python"), pipes=pipes)
        players = [agent(str(tmp_path / written)), agent(needs(tmp_path, 0.1))]
        played = arena.play(game, players, controls, seed=1)
    assert played.outcome.reason.kind == "rules", played.outcome
    assert [message for _, _, message in played.warnings if "out of turn" in message] == []


@pytest.mark.long
@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("level", SANDBOX_LEVELS)
@pytest.mark.parametrize("children", [40, 100])
def test_an_honest_agent_loses_no_game_because_of_its_opponents_children(
    way: str, children: int, level: SandboxLevel, pinned: bool, tmp_path: Path
) -> None:
    """The agent needs 0.2 s of CPU time in each second. Before programs were stopped, it lost 4 of 4 games on time."""
    tmp_path.chmod(0o755)
    game, controls = load("gomoku", size=5, line=4), [TimeControl(1.0)] * 2
    before, ends = os.sched_getaffinity(0), []
    players = [agent(needs(tmp_path, 0.2)), agent(burns(tmp_path, children))]
    try:
        if pinned:
            os.sched_setaffinity(0, {min(before)})
        with Arena(sandbox=level) as arena:
            for number in range(4):
                turned = players if number % 2 == 0 else players[::-1]
                ends.append(arena.play(game, turned, controls, seed=number).outcome)
    finally:
        os.sched_setaffinity(0, before)
    assert [end.reason.kind for end in ends] == ["rules"] * 4, ends
