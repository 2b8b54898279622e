"""A runner killed at any moment goes on by the same command: no game lost, none played twice, nothing left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from gomogo_core.records.store import Store
from tournaments.plan import Plan
from tournaments.spec import read

ROOT = Path(__file__).parents[2]
BOT = '''"""Any legal move."""
import random
KEEP_RUNNING = True
def choose(position, clock):
    return random.choice(list(position.moves()))
'''


def tournament(folder: Path, games_per_pair: int) -> Path:
    for name in "abc":
        (folder / f"{name}.py").write_text(BOT)
    path = folder / "killed.toml"
    path.write_text(
        'agents = ["a.py", "b.py", "c.py"]\noptions = { size = 7, line = 4 }\nopenings = "random:2"\n'
        f"games_per_pair = {games_per_pair}\nworkers = 2\n"
    )
    return path


def start(path: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "gomogo", "tournament", "run", str(path), "--json", *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GOMOGO_FOLDER": str(path.parent / "folders")}
    (path.parent / "folders").mkdir(exist_ok=True)
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def agents_in(folder: Path) -> list[int]:
    """The processes that work in the game folders of a tournament."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(folder):
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def wait_until_gone(folder: Path) -> list[int]:
    until = time.monotonic() + 10
    while (left := agents_in(folder)) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def play_with_kills(path: Path, delays: Sequence[float]) -> None:
    """Run the tournament, killing its runner after each delay, then to its end; and look at what is left."""
    killed = 0
    for delay in delays:
        runner = start(path)
        try:
            runner.communicate(timeout=delay)
        except subprocess.TimeoutExpired:
            runner.kill()
            runner.communicate()
            killed += 1
    out, err = start(path).communicate()
    assert killed, "every run was over before it could be killed: take longer tournaments"
    table = json.loads(out)
    plan = Plan(read(path), path.parent)
    planned = {plan.key(pairing) for pairing in plan.pairings()}
    assert (table["games"], table["complete"]) == (len(planned), True), err
    with Store.open(path.parent / "gomogo.db") as store:
        run = store.run("killed")
        games = list(store.games_of(run))
    assert sorted(game.key for game in games) == sorted(planned)
    each = plan.spec.games_per_pair // 2
    assert Counter(game.names for game in games) == {(x, y): each for x in "abc" for y in "abc" if x != y}
    assert sum(player["games"] for player in table["players"]) == 2 * len(planned)
    assert all(game.outcome.reason.kind == "rules" for game in games)
    assert wait_until_gone(path.parent) == []
    left = {entry.name for entry in path.parent.iterdir()} - {"a.py", "b.py", "c.py", "killed.toml", "folders"}
    assert left == {"gomogo.db"}
    assert list((path.parent / "folders").iterdir()) == []


def test_a_runner_killed_twice_goes_on(tmp_path: Path) -> None:
    chance = random.Random(1)
    play_with_kills(tournament(tmp_path, 12), [chance.uniform(0.8, 1.4) for _ in range(2)])


@pytest.mark.long
def test_a_runner_killed_at_ten_random_moments_goes_on(tmp_path: Path) -> None:
    chance = random.Random()
    play_with_kills(tournament(tmp_path, 100), [chance.uniform(0.1, 3.0) for _ in range(10)])


def test_two_interrupts_drop_games_of_thinking_agents_and_leave_nothing(tmp_path: Path) -> None:
    path = tournament(tmp_path, 2)
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(BOT.replace("    return", "    import time; time.sleep(9)\n    return"))
    runner = start(path)
    while len(list(tmp_path.glob("live/*.jsonl"))) < 2:
        assert runner.poll() is None
        time.sleep(0.01)
    for _ in range(2):
        runner.send_signal(signal.SIGINT)
        time.sleep(0.2)
    out, err = runner.communicate(timeout=8)
    assert runner.returncode == 3, err
    assert json.loads(out)["games"] == 0
    assert "Dropping the 2 running games: they will be played again." in err
    assert wait_until_gone(tmp_path) == []
    assert list((tmp_path / "folders").iterdir()) == []
    assert not (tmp_path / "live").exists()


def test_a_second_runner_is_refused_in_words(tmp_path: Path) -> None:
    path = tournament(tmp_path, 1000)
    first = start(path)
    while not list(tmp_path.glob("live/*.jsonl")):
        assert first.poll() is None
        time.sleep(0.01)
    out, err = start(path).communicate()
    first.send_signal(signal.SIGTERM)
    first.communicate()
    assert out == ""
    assert "The run 'killed' in" in err
    assert "is being played by another process." in err
    assert first.returncode == 3


def test_a_stopped_run_has_finished_its_games(tmp_path: Path) -> None:
    path = tournament(tmp_path, 1000)
    first = start(path)
    while not (tmp_path / "gomogo.db").exists() or not list(tmp_path.glob("live/*.jsonl")):
        assert first.poll() is None
        time.sleep(0.01)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    stop = [sys.executable, "-m", "gomogo", "tournament", "stop", str(path)]
    asked = subprocess.run(stop, env=environment, capture_output=True, text=True, check=True)
    out, err = first.communicate(timeout=20)
    assert "stops; the same command goes on with it, for a match with --name " in asked.stderr
    assert first.returncode == 3, err
    table = json.loads(out)
    assert 0 < table["games"] < 3000
    assert not table["complete"]
    again = subprocess.run(stop, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "is not being played" in again.stderr
