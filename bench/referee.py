"""The referee's time per move, compared to a bare exchange of files on the same cores.

python -m bench.referee --json

`overhead_us_p50` is the wall time of a whole move in private folders, with agents that answer at once: the referee
gives the turn, wakes the agent, reads and parses its line, judges the move, plays it and records it. `floor_us_p50` is
the time in which two Python processes on the same cores exchange one file in each direction: each writes a file,
renames it, and so wakes the other, which reads it. `ratio` is `overhead_us_p50` divided by `floor_us_p50`. Both are
measured in turn, several times; the results are medians of the rounds' medians.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from bench._file_echo import receive, send
from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, Moved
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.wire.inotify import MOVED_TO, InotifyWatch

_ROOT = str(Path(__file__).resolve().parent.parent)
_GAME = load("gomoku", size=15, line=15)  # the usual size; a row of 15 does not occur in the moves of this program
_MOVES = 220


def bare_exchange_us(rounds: int, folder: Path) -> float:
    """Return the median time of a bare exchange of one file in each direction, in microseconds."""
    mine, yours = folder / "mine", folder / "yours"
    mine.mkdir()
    yours.mkdir()
    watch = InotifyWatch(str(mine), MOVED_TO)
    os.set_blocking(watch.fd, True)
    echo = subprocess.Popen(
        [sys.executable, "-m", "bench._file_echo", str(yours), str(mine), str(rounds)],
        env={**os.environ, "PYTHONPATH": _ROOT},
    )
    receive(watch, str(mine))
    took = []
    for _ in range(rounds):
        started = time.perf_counter()
        send(str(yours), b"a h 8\n")
        receive(watch, str(mine))
        took.append(time.perf_counter() - started)
    echo.wait()
    watch.close()
    return statistics.median(took) * 1e6


def script_agent(team: str, moves: list[str], folder: Path, seconds: float = 0.0) -> Agent:
    """Return the agent that plays a list of moves, each after the given number of seconds."""
    lines = folder / f"{team}.lines"
    lines.write_text("\n".join(moves), encoding="ascii")
    command = (sys.executable, str(Path(__file__).with_name("_scripted_agent.py")), team, str(lines), str(seconds))
    return Agent(f"files:{team}:by script", team, "", command, folder, says_ready=True)


def move_us(arena: Arena, agents: list[Agent]) -> float:
    """Return the median time from one accepted move to the next, in microseconds."""
    at: list[float] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Moved):
            at.append(time.perf_counter())

    arena.play(_GAME, agents, [TimeControl()] * 2, listeners=[on_event])
    return statistics.median(b - a for a, b in itertools.pairwise(at)) * 1e6


def moves_of_both() -> tuple[list[str], list[str]]:
    """Return two lists of moves that together fill the board column by column, and both end with `resign`."""
    game = _GAME
    points = [game.format(move) for move in game.start().moves()][:_MOVES]
    spaced = [f"{point[0]} {point[1:]}" for point in points]
    return [*spaced[::2], "resign"], [*spaced[1::2], "resign"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rounds", default=7, show_default=True, help="Number of rounds; each measures both.")
@click.option(
    "--placement",
    type=click.Choice(["free", "one-core", "two-cores"]),
    default="free",
    show_default=True,
    help="Where the kernel may put the processes: anywhere, all on one core, or on two.",
)
def main(as_json: bool, rounds: int, placement: str) -> None:
    """Measure the referee's time per move, compared to a bare exchange of files."""
    cores = sorted(os.sched_getaffinity(0))
    if placement != "free":
        os.sched_setaffinity(0, cores[: 1 if placement == "one-core" else 2])
    floors, moves, ours = [], [], []
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as place, Arena() as arena:
        bare = [script_agent(team, lines, Path(place)) for team, lines in zip(("a", "b"), moves_of_both(), strict=True)]
        library = [agent("random_mover")] * 2
        for number in range(rounds):
            folder = Path(place) / str(number)
            folder.mkdir()
            floors.append(bare_exchange_us(2000, folder))
            moves.append(move_us(arena, bare))
            ours.append(move_us(arena, library))
    floor, move = statistics.median(floors), statistics.median(moves)
    found = {
        "overhead_us_p50": round(move, 1),
        "floor_us_p50": round(floor, 1),
        "ratio": round(move / floor, 2),
        "placement": f"{placement}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}",
        "memory_backed": run_folders_parent()[1],
        "with_our_agent_us_p50": round(statistics.median(ours), 1),
        "rounds": {"floor_us": [round(f, 1) for f in floors], "move_us": [round(m, 1) for m in moves]},
    }
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(
        f"a move takes {move:.0f} µs, the bare exchange {floor:.0f} µs: {move / floor:.2f} times ({found['placement']})"
    )
    click.echo(f"with agents made by gomogo_core.agent.run a move takes {found['with_our_agent_us_p50']} µs")


if __name__ == "__main__":
    main()
