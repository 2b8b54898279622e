"""The same command continues a killed run: no game is lost or played twice, and nothing is left behind."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from gomogo_core.records.store import Store
from tests.tournaments._deaths import (
    BOT,
    ROOT,
    check_nothing_left,
    check_round_robin,
    interrupt_twice,
    run_with_kills,
    start_runner,
    tournament_of_engines,
    wait_for_games,
    wait_until_gone,
    write_tournament,
)

pytestmark = pytest.mark.slow


def test_a_runner_killed_three_times_continues(tmp_path: Path) -> None:
    rng = random.Random(1)
    path = write_tournament(tmp_path, 12)
    table, killed = run_with_kills(path, [rng.uniform(0.6, 1.4) for _ in range(3)])
    assert killed, "every run was over before it could be killed: take longer tournaments"
    check_round_robin(path, table)
    check_nothing_left(path)


def killed_at(path: Path, stored: Sequence[int]) -> dict[str, Any]:
    """Run the tournament, kill its runner after this number of games, and finish the run. Return its table."""
    for number in stored:
        runner = start_runner(path)
        wait_for_stored(path, runner, number)
        runner.kill()
        runner.communicate()
    return run_with_kills(path, [])[0]


def wait_for_stored(path: Path, runner: subprocess.Popen[str], games: int) -> None:
    while True:
        if (path.parent / "gomogo.db").exists():
            with Store.open(path.parent / "gomogo.db") as store:
                if store.runs() and store.count_games(store.runs()[0]) >= games:
                    return
        assert runner.poll() is None, runner.communicate()
        time.sleep(0.005)


def test_a_runner_of_engines_on_pipes_killed_twice_continues(tmp_path: Path) -> None:
    path = tournament_of_engines(tmp_path, 60)
    check_round_robin(path, killed_at(path, [5, 50]))
    check_nothing_left(path)


def test_a_swiss_tournament_killed_in_two_rounds_is_played_to_its_end(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, 2, players="abcdef", settings='format = "swiss"\nrounds = 3\n')
    check_swiss(path, killed_at(path, [2, 8]), players=6, rounds=3, each=2)
    check_nothing_left(path)


def check_swiss(path: Path, table: dict[str, Any], *, players: int, rounds: int, each: int) -> None:
    """Check that every round has its games, and that no pair met in two rounds."""
    with Store.open(path.parent / "gomogo.db") as store:
        games = list(store.games_of(store.run("killed")))
    pairs = sorted(tuple(sorted(game.names)) for game in games)
    assert len(games) == table["games"] == players // 2 * rounds * each
    assert all(len(list(same)) == each for _, same in itertools.groupby(pairs))
    assert all(game.outcome.reason.kind == "rules" for game in games)


@pytest.mark.long
def test_a_runner_killed_at_200_random_moments_plays_each_game_once(tmp_path: Path) -> None:
    rng = random.Random()
    path = write_tournament(tmp_path, 2000)
    table, killed = run_with_kills(path, [rng.uniform(0.3, 1.6) for _ in range(200)])
    assert killed == 200, f"the tournament was over after {killed} kills: take a longer one"
    check_round_robin(path, table)
    check_nothing_left(path)


@pytest.mark.long
def test_a_runner_of_engines_killed_at_20_random_moments_plays_each_game_once(tmp_path: Path) -> None:
    rng = random.Random()
    path = tournament_of_engines(tmp_path, 400)
    table, killed = run_with_kills(path, [rng.uniform(0.3, 2.0) for _ in range(20)])
    assert killed == 20
    check_round_robin(path, table)
    check_nothing_left(path)


@pytest.mark.long
def test_a_swiss_tournament_killed_at_20_random_moments_plays_each_game_once(tmp_path: Path) -> None:
    rng = random.Random()
    path = write_tournament(tmp_path, 40, players="abcdefgh", settings='format = "swiss"\nrounds = 4\n')
    table, killed = run_with_kills(path, [rng.uniform(0.3, 1.6) for _ in range(20)])
    assert killed == 20
    check_swiss(path, table, players=8, rounds=4, each=40)
    check_nothing_left(path)


def test_the_next_start_reports_interrupted_games_and_ends_leftover_agents(tmp_path: Path) -> None:
    """A stopped supervisor cannot end its processes when the runner dies; a hostile agent could stop it."""
    path = write_tournament(tmp_path, 4)
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(BOT.replace("    return", "    import time; time.sleep(0.2)\n    return"))
    runner = start_runner(path)
    wait_for_games(path, runner, 2)
    worker = psutil.Process(runner.pid).children()[0]
    supervisor = worker.children()[0]
    tree = [supervisor, *supervisor.children(recursive=True)]  # two that supervise, and the agent
    for process in tree[:2]:
        process.suspend()
    os.killpg(runner.pid, signal.SIGKILL)  # the worker too, which would wake them and end them
    runner.communicate()
    assert tree[2].status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(BOT)
    err = start_runner(path).communicate()[1]
    assert "Ended 3 processes of earlier runs" in err
    assert re.search(
        r"games? \w+ interrupted, because an earlier process of this run was killed; \w+ \w+ played again\.", err
    )
    psutil.wait_procs(tree, timeout=300)
    assert not any(process.is_running() for process in tree)
    check_nothing_left(path)


def test_two_interrupts_drop_running_games_and_leave_no_process(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, 2)
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(BOT.replace("    return", "    import time; time.sleep(9)\n    return"))
    runner = start_runner(path)
    wait_for_games(path, runner, 2)
    out, err = interrupt_twice(runner)
    assert runner.returncode == 3, err
    assert json.loads(out)["games"] == 0
    assert "Dropping the 2 running games, to play them again." in err
    assert wait_until_gone(tmp_path) == []
    assert list((tmp_path / "folders").iterdir()) == []
    assert not (tmp_path / "live").exists()


def test_a_second_runner_of_a_run_is_refused(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, 1000)
    first = start_runner(path)
    wait_for_games(path, first)
    out, err = start_runner(path).communicate()
    first.send_signal(signal.SIGTERM)
    first.communicate()
    assert out == ""
    assert "The run 'killed' in" in err
    assert "is being played by another process." in err
    assert first.returncode == 3


def test_a_stopped_run_finishes_its_running_games(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, 1000)
    first = start_runner(path)
    wait_for_games(path, first)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    stop = [sys.executable, "-m", "gomogo", "tournament", "stop", str(path)]
    asked = subprocess.run(stop, env=environment, capture_output=True, text=True, check=True)
    out, err = first.communicate(timeout=300)
    assert "stops. Run the same command to continue; for a match, add --name " in asked.stderr
    assert first.returncode == 3, err
    table = json.loads(out)
    assert 0 < table["games"] < 3000
    assert not table["complete"]
    stop_result = subprocess.run(stop, env=environment, capture_output=True, text=True, check=False)
    assert stop_result.returncode == 1
    assert "is not in progress" in stop_result.stderr
