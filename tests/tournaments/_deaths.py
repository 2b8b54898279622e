"""Helpers for tournaments that are killed: small bots, runners in processes of their own, and checks of the remains."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing, suppress
from glob import glob  # pathlib raises an error if the folder is removed during the call
from pathlib import Path
from typing import Any

import psutil

from gomogo_core.records.store import Run, Store
from tests.engines._brains import BRAIN, write_program
from tournaments.plan import Plan
from tournaments.spec import read_spec

ROOT = Path(__file__).parents[2]
BOT = '''"""Any legal move."""
import random
KEEP_RUNNING = True
def choose(position, clock):
    return random.choice(list(position.moves()))
'''
GAME = 'game = "gomoku"\noptions = { size = 7, line = 4 }\nopenings = "random:2"\nworkers = 2\n'


def write_tournament(
    folder: Path, games_per_pair: int, *, players: str = "abc", settings: str = "", name: str = "killed"
) -> Path:
    """Return a tournament between bots; each letter is the name of one."""
    for player in players:
        (folder / f"{player}.py").write_text(BOT)
    agents = ", ".join(f'"{player}.py"' for player in players)
    path = folder / f"{name}.toml"
    path.write_text(f"agents = [{agents}]\n{GAME}games_per_pair = {games_per_pair}\n{settings}")
    return path


def tournament_of_engines(folder: Path, games_per_pair: int) -> Path:
    """Return a tournament between engines that communicate over pipes."""
    agents = [f"gomocup:{write_program(folder, player, BRAIN)}" for player in "abc"]
    path = folder / "killed.toml"
    path.write_text(
        f"agents = {json.dumps(agents)}\noptions = {{ size = 7 }}\nworkers = 2\n"
        f'openings = "random:2"\ngames_per_pair = {games_per_pair}\n'
    )
    return path


def start_runner(path: Path, *options: str) -> subprocess.Popen[str]:
    """Start a runner in a session of its own, with its game folders beside the tournament."""
    words = [sys.executable, "-m", "gomogo", "tournament", "run", str(path), "--json", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GOMOGO_FOLDER": str(path.parent / "folders")}
    (path.parent / "folders").mkdir(exist_ok=True)
    return subprocess.Popen(
        words,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def worker_processes() -> list[psutil.Process]:
    """Return the worker processes of this process."""
    child_ids = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):  # it has just ended
            if any("worker_process" in word for word in child.cmdline()):
                child_ids.append(child)
    return child_ids


def wait_for_games(path: Path, runner: subprocess.Popen[str], games: int = 1) -> None:
    """Wait until this number of games is running or played, since a very short game has no live file."""
    while len(glob(f"{path.parent}/live/*.jsonl")) + _count_stored_games(path.parent / "gomogo.db") < games:
        assert runner.poll() is None, runner.communicate()
        time.sleep(0.005)


def _count_stored_games(file: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
            return int(store.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.OperationalError:  # it has not yet been made
        return 0


def interrupt_twice(runner: subprocess.Popen[str]) -> tuple[str, str]:
    """Send SIGINT, and again after the message (two at the same moment count as one). Return both outputs."""
    assert runner.stdout is not None
    assert runner.stderr is not None
    runner.send_signal(signal.SIGINT)
    output = ""
    while "Finishing the" not in output:
        line = runner.stderr.readline()
        assert line, output
        output += line
    runner.send_signal(signal.SIGINT)
    with runner:
        return runner.stdout.read(), output + runner.stderr.read()


def run_with_kills(path: Path, delays: Iterable[float]) -> tuple[dict[str, Any], int]:
    """Run the tournament and kill its runner after each delay, then run it to its end. Return its table, and the number
    of killed runners.
    """
    killed = 0
    for delay in delays:
        runner = start_runner(path)
        try:
            runner.communicate(timeout=delay)
            break  # it is over
        except subprocess.TimeoutExpired:
            runner.kill()
            runner.communicate()
            killed += 1
    out, err = start_runner(path).communicate()
    assert out, err
    table: dict[str, Any] = json.loads(out)
    assert table["complete"], err
    return table, killed


def check_round_robin(path: Path, table: dict[str, Any]) -> None:
    """Check that every planned game is stored once and counts once, and that none was lost by a fault."""
    plan = Plan(read_spec(path), path.parent)
    planned = sorted(plan.game_key(pairing) for pairing in plan.scheduled_games())
    with Store.open(path.parent / "gomogo.db") as store:
        run = store.run(plan.spec.name)
        games = list(store.games_of(run))
        assert _all_rows(store, run) == Counter(planned)
    assert sorted(game.key for game in games) == planned
    assert table["games"] == len(planned)
    each, names = plan.spec.games_per_pair // 2, {player["name"] for player in table["players"]}
    assert Counter(game.names for game in games) == {(x, y): each for x in names for y in names if x != y}
    assert sum(player["games"] for player in table["players"]) == 2 * len(planned)
    assert all(game.outcome.reason.kind == "rules" for game in games)
    assert all(game.positions()[-1].outcome() == game.outcome for game in games)


def _all_rows(store: Store, run: Run) -> Counter[str]:
    """Return the keys of all games of a run, including the games that do not count."""
    with store.read_transaction() as connection:
        return Counter(connection.column("SELECT key FROM games WHERE run = :run", run=run.id))


def check_nothing_left(path: Path) -> None:
    """Check that no process, game folder, lock, live file or incomplete store is left."""
    assert wait_until_gone(path.parent) == []
    files_left = {entry.name for entry in path.parent.iterdir() if entry.suffix not in (".py", ".toml")}
    assert files_left == {"folders", "gomogo.db"}
    assert list((path.parent / "folders").iterdir()) == []


def agents_in(folder: Path) -> list[int]:
    """Return the processes that run in the game folders of a tournament."""
    processes = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(folder):
                processes.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return processes


def wait_until_gone(folder: Path) -> list[int]:
    """Wait up to ten seconds until these processes have ended. Return those that still run."""
    until = time.monotonic() + 120
    while (processes_left := agents_in(folder)) and time.monotonic() < until:
        time.sleep(0.05)
    return processes_left
