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


def measure_bare_start_ms() -> float:
    """Return the milliseconds that a Python interpreter takes to start and exit."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=command_environment())
    return (time.perf_counter() - begin) * 1e3


def measure_agent_ms(spec: str, folder: Path) -> float:
    """Return the milliseconds from the start of an agent until it reports ready."""
    game_folder = GameFolder(folder, ("a", "b"), owner="a")
    limits = {team: {"per_move": 10.0} for team in ("a", "b")}
    game_folder.prepare_game(game_json(load("gomoku"), ("a", "b"), limits, 0, None), [])
    begin = time.perf_counter()
    process = subprocess.Popen(agent(spec).command_line("a"), cwd=folder, env=command_environment())
    while not os.path.exists(folder / "a.ready"):
        time.sleep(0.0002)
    seconds = time.perf_counter() - begin
    process.kill()
    process.wait()
    game_folder.close()
    return seconds * 1e3


def measure_bare_cpu_s() -> float:
    """Return the processor time, in seconds, of a Python interpreter that does nothing."""
    times_before = os.times()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=command_environment())
    times_after = os.times()
    user_seconds = times_after.children_user - times_before.children_user
    return user_seconds + times_after.children_system - times_before.children_system


def measure_match_cpu_s(folder: Path) -> float:
    """Return the processor time, in seconds, of all processes of a match until an agent is asked for a move."""
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text(_WAITING_AGENT)
    options = ["-n", "2", "--workers", "1", "--time", "600"]
    command = [sys.executable, "-m", "gomogo", "match", "one.py", "two.py", *options]
    process = subprocess.Popen(
        command, cwd=folder, env=command_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not (folder / "asked").exists():
            if process.poll() is not None:
                raise SystemExit(f"The match ended with exit status {process.returncode} before its first move.")
            time.sleep(0.001)
        return sum(map(_read_cpu_seconds, _with_descendants(process.pid)))
    finally:
        process.terminate()
        process.wait()


def _read_cpu_seconds(pid: int) -> float:
    """Return the processor time, in seconds, of a process and of its ended children.

    If possible, the times are counted in nanoseconds. If each time were rounded down to ticks of 10 ms, a fifth of the
    time of the eight processes of a match would be missing.
    """
    times = [procfs.schedule_times(f"{pid}/task/{thread}") for thread in procfs.thread_ids(pid)]
    ticks = [int(value) for value in procfs.stat_fields(pid)[11:15]]
    if not ticks or None in times:
        return sum(ticks) / os.sysconf("SC_CLK_TCK")
    return sum(nanoseconds for nanoseconds, _ in filter(None, times)) / 1e9 + sum(ticks[2:]) / os.sysconf("SC_CLK_TCK")


def _with_descendants(pid: int) -> list[int]:
    """Return the ids of a process, its children, their children and so on."""
    children = [child for thread in procfs.thread_ids(pid) for child in procfs.child_ids(pid, thread)]
    return [pid, *(descendant for child in children for descendant in _with_descendants(child))]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--agent", "spec", default="random_mover", show_default=True, help="The agent.")
@click.option("--rounds", default=20, show_default=True, help="Number of rounds; the median is printed.")
def main(as_json: bool, spec: str, rounds: int) -> None:
    """Measure the start of an agent and of a match, compared to an interpreter that does nothing."""
    floor_ms_values, start_ms_values, floor_cpu_values, match_cpu_values = [], [], [], []
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as folder:
        for number in range(rounds + 1):
            floor_ms_values.append(measure_bare_start_ms())
            start_ms_values.append(measure_agent_ms(spec, Path(folder) / str(number)))
            floor_cpu_values.append(measure_bare_cpu_s())
            match_cpu_values.append(measure_match_cpu_s(Path(folder) / f"match-{number}"))
    # the first start may have compiled the modules
    floor_ms, start_ms = statistics.median(floor_ms_values[1:]), statistics.median(start_ms_values[1:])
    figures = {
        "agent": spec,
        "agent_ms": round(start_ms, 1),
        "floor_ms": round(floor_ms, 1),
        "more_ms": round(start_ms - floor_ms, 1),
        "match_cpu_s": round(statistics.median(match_cpu_values[1:]), 3),
        "floor_cpu_s": round(statistics.median(floor_cpu_values[1:]), 3),
    }
    summary = (
        f"{spec} {start_ms:.0f} ms, python -c pass {floor_ms:.0f} ms; "
        f"a match until its first move {figures['match_cpu_s']} s of processor time, "
        f"python -c pass {figures['floor_cpu_s']} s"
    )
    click.echo(json.dumps(figures) if as_json else summary)


if __name__ == "__main__":
    main()
