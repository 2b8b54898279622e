"""The start time of a plain agent and of a match, compared to an interpreter that does nothing.

python -m bench.start --json

`agent_ms` is the time from the start of an agent's process until it says that it is ready. `floor_ms` is the time of
`python -c pass` with the same interpreter, and `more_ms` the difference. `match_cpu_s` is the processor time of all
processes of a `gomogo match` with one worker and two agents in Python, until the first agent is asked for its move.
`floor_cpu_s` is the processor time of `python -c pass`. They are measured in turn, and the figures are medians.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from bench._whole_match import command_environment
from gomogo_core import procfs
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.position_json import game_json

_WAITING_AGENT = '''"""An agent that creates a file when it is asked for a move, and waits."""

import time
from pathlib import Path


def choose(position, clock):
    (Path(__file__).parent / "asked").touch()
    time.sleep(600)
'''


def bare_start_ms() -> float:
    """Return the milliseconds that a Python interpreter takes to start and exit."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=command_environment())
    return (time.perf_counter() - started) * 1e3


def agent_ms(spec: str, folder: Path) -> float:
    """Return the milliseconds from the start of an agent until it reports ready."""
    game_folder = GameFolder(folder, ("a", "b"), owner="a")
    limits = {team: {"per_move": 10.0} for team in ("a", "b")}
    game_folder.prepare_game(game_json(load("gomoku"), ("a", "b"), limits, 0, None), [])
    started = time.perf_counter()
    process = subprocess.Popen(agent(spec).command_line("a"), cwd=folder, env=command_environment())
    while not os.path.exists(folder / "a.ready"):
        time.sleep(0.0002)
    took = time.perf_counter() - started
    process.kill()
    process.wait()
    game_folder.close()
    return took * 1e3


def bare_cpu_s() -> float:
    """Return the processor time, in seconds, of a Python interpreter that does nothing."""
    before = os.times()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=command_environment())
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def match_cpu_s(folder: Path) -> float:
    """Return the processor time, in seconds, of all processes of a match until an agent is asked for a move."""
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text(_WAITING_AGENT)
    command = [
        sys.executable,
        "-m",
        "gomogo",
        "match",
        "one.py",
        "two.py",
        "-n",
        "2",
        "--workers",
        "1",
        "--time",
        "600",
    ]
    process = subprocess.Popen(
        command, cwd=folder, env=command_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not (folder / "asked").exists():
            if process.poll() is not None:
                raise SystemExit(f"The match ended with exit status {process.returncode} before its first move.")
            time.sleep(0.001)
        return sum(map(_cpu_s, _with_descendants(process.pid)))
    finally:
        process.terminate()
        process.wait()


def _cpu_s(pid: int) -> float:
    """Return the processor time, in seconds, of a process and of its ended children.

    The times are in nanoseconds where the system counts these: if each were rounded down to ticks of 10 ms, the eight
    processes of a match would lose a fifth of their time.
    """
    times = [procfs.schedule_times(f"{pid}/task/{thread}") for thread in procfs.threads(pid)]
    ticks = [int(value) for value in procfs.stat_fields(pid)[11:15]]
    if not ticks or None in times:
        return sum(ticks) / os.sysconf("SC_CLK_TCK")
    return sum(run for run, _ in filter(None, times)) / 1e9 + sum(ticks[2:]) / os.sysconf("SC_CLK_TCK")


def _with_descendants(pid: int) -> list[int]:
    """Return the numbers of a process, its children, their children and so on."""
    below = [child for thread in procfs.threads(pid) for child in procfs.children(pid, thread)]
    return [pid, *(each for child in below for each in _with_descendants(child))]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--agent", "spec", default="random_mover", show_default=True, help="The agent.")
@click.option("--rounds", default=20, show_default=True, help="Number of rounds; the median is printed.")
def main(as_json: bool, spec: str, rounds: int) -> None:
    """Measure the start of an agent and of a match, compared to an interpreter that does nothing."""
    floors, starts, floors_cpu, matches_cpu = [], [], [], []
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as place:
        for number in range(rounds + 1):
            floors.append(bare_start_ms())
            starts.append(agent_ms(spec, Path(place) / str(number)))
            floors_cpu.append(bare_cpu_s())
            matches_cpu.append(match_cpu_s(Path(place) / f"match-{number}"))
    # the first start may have compiled the modules
    floor, start = statistics.median(floors[1:]), statistics.median(starts[1:])
    found = {
        "agent": spec,
        "agent_ms": round(start, 1),
        "floor_ms": round(floor, 1),
        "more_ms": round(start - floor, 1),
        "match_cpu_s": round(statistics.median(matches_cpu[1:]), 3),
        "floor_cpu_s": round(statistics.median(floors_cpu[1:]), 3),
    }
    words = (
        f"{spec} {start:.0f} ms, python -c pass {floor:.0f} ms; "
        f"a match until its first move {found['match_cpu_s']} s of processor time, "
        f"python -c pass {found['floor_cpu_s']} s"
    )
    click.echo(json.dumps(found) if as_json else words)


if __name__ == "__main__":
    main()
