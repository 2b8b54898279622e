"""The start time of a plain agent, compared to an interpreter that does nothing.

    python -m bench.start --json

agent_ms: from the start of the process to its first look for its turn (it has said that it is ready). floor_ms: from
the start to the end of `python -c pass` with the same interpreter. Both in alternation; medians; `more_ms` is the
difference.
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

from gomogo_core.arena import child_environment
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.processes.run_folder import base_path
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.position_json import game_json


def floor_ms() -> float:
    """Return the milliseconds that a Python interpreter takes to start and exit."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=child_environment())
    return (time.perf_counter() - started) * 1e3


def agent_ms(spec: str, folder: Path) -> float:
    """Return the milliseconds from the start of an agent until it reports ready."""
    mailbox = GameFolder(folder, ("a", "b"), owner="a")
    limits = {team: {"per_move": 10.0} for team in ("a", "b")}
    mailbox.prepare_game(game_json(load("gomoku"), ("a", "b"), limits, 0, None), [])
    started = time.perf_counter()
    process = subprocess.Popen(agent(spec).words("a"), cwd=folder, env=child_environment())
    while not os.path.exists(folder / "a.ready"):
        time.sleep(0.0002)
    took = time.perf_counter() - started
    process.kill()
    process.wait()
    mailbox.close()
    return took * 1e3


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--agent", "spec", default="random_mover", show_default=True, help="Which agent.")
@click.option("--rounds", default=20, show_default=True, help="Alternations.")
def main(as_json: bool, spec: str, rounds: int) -> None:
    """Measure an agent's start against an interpreter that does nothing."""
    floors, starts = [], []
    with tempfile.TemporaryDirectory(dir=base_path()[0]) as place:
        for number in range(rounds + 1):
            floors.append(floor_ms())
            starts.append(agent_ms(spec, Path(place) / str(number)))
    # the first start may have compiled the modules
    floor, start = statistics.median(floors[1:]), statistics.median(starts[1:])
    found = {
        "agent": spec,
        "agent_ms": round(start, 1),
        "floor_ms": round(floor, 1),
        "more_ms": round(start - floor, 1),
    }
    click.echo(json.dumps(found) if as_json else f"{spec} {start:.0f} ms, python -c pass {floor:.0f} ms")


if __name__ == "__main__":
    main()
