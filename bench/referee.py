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
from collections.abc import Callable
from pathlib import Path

import click

from bench._file_echo import receive, send
from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent
from gomogo_core.games import load
from gomogo_core.games.base import Game
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, Listener, Moved
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.wire.inotify import MOVED_TO, InotifyWatch

_ROOT = str(Path(__file__).resolve().parent.parent)
_GAME = load("gomoku", size=15, line=15)  # the moves of this program contain no row of 15
_MOVE_COUNT = 220


def measure_bare_exchange_us(rounds: int, folder: Path) -> float:
    """Return the median time of a bare exchange of one file in each direction, in microseconds."""
    own_folder, peer_folder = folder / "mine", folder / "yours"
    own_folder.mkdir()
    peer_folder.mkdir()
    watch = InotifyWatch(str(own_folder), MOVED_TO)
    os.set_blocking(watch.fd, True)
    echo_process = subprocess.Popen(
        [sys.executable, "-m", "bench._file_echo", str(peer_folder), str(own_folder), str(rounds)],
        env={**os.environ, "PYTHONPATH": _ROOT},
    )
    receive(watch, str(own_folder))
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        send(str(peer_folder), b"a h 8\n")
        receive(watch, str(own_folder))
        seconds.append(time.perf_counter() - begin)
    echo_process.wait()
    watch.close()
    return statistics.median(seconds) * 1e6


def create_scripted_agent(team: str, moves: list[str], folder: Path, seconds: float = 0.0) -> Agent:
    """Return the agent that plays a list of moves, each after the given number of seconds."""
    lines = folder / f"{team}.lines"
    lines.write_text("\n".join(moves), encoding="ascii")
    command = (sys.executable, str(Path(__file__).with_name("_scripted_agent.py")), team, str(lines), str(seconds))
    return Agent(f"files:{team}:by script", team, "", command, folder, says_ready=True)


def measure_intervals_us(
    arena: Arena, game: Game, agents: list[Agent], *listeners: Listener, seed: int = 0
) -> list[float]:
    """Play a game, and return the times from one accepted move to the next, in microseconds."""
    move_times: list[float] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Moved):
            move_times.append(time.perf_counter())

    arena.play(game, agents, [TimeControl()] * 2, listeners=[on_event, *listeners], seed=seed)
    return [(later - earlier) * 1e6 for earlier, later in itertools.pairwise(move_times)]


def measure_move_us(arena: Arena, agents: list[Agent]) -> float:
    """Return the median time from one accepted move to the next, in microseconds."""
    return statistics.median(measure_intervals_us(arena, _GAME, agents))


def placement_option(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the decorator that adds the option `--placement` to a command."""
    help_text = "Where the kernel may put the processes: anywhere, all on one core, or on two."
    choice = click.Choice(["free", "one-core", "two-cores"])
    return click.option("--placement", type=choice, default=default, show_default=True, help=help_text)


def place_processes(placement: str) -> None:
    """Restrict this process and those that it starts to the cores of a choice of `--placement`."""
    if placement != "free":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: 1 if placement == "one-core" else 2])


def create_moves() -> tuple[list[str], list[str]]:
    """Return two lists of moves that together fill the board column by column, and both end with `resign`."""
    game = _GAME
    move_texts = [game.format(move) for move in game.start().moves()][:_MOVE_COUNT]
    spaced_moves = [f"{text[0]} {text[1:]}" for text in move_texts]
    return [*spaced_moves[::2], "resign"], [*spaced_moves[1::2], "resign"]


def create_scripted_agents(folder: Path) -> list[Agent]:
    """Return two agents that play a whole game by the moves of `create_moves`."""
    return [create_scripted_agent(team, moves, folder) for team, moves in zip(("a", "b"), create_moves(), strict=True)]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rounds", default=7, show_default=True, help="Number of rounds; each measures both.")
@placement_option(default="free")
def main(as_json: bool, rounds: int, placement: str) -> None:
    """Measure the referee's time per move, compared to a bare exchange of files."""
    place_processes(placement)
    exchange_times, move_times, library_move_times = [], [], []
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as folder_name, Arena() as arena:
        scripted_agents = create_scripted_agents(Path(folder_name))
        library_agents = [agent("random_mover")] * 2
        for number in range(rounds):
            folder = Path(folder_name) / str(number)
            folder.mkdir()
            exchange_times.append(measure_bare_exchange_us(2000, folder))
            move_times.append(measure_move_us(arena, scripted_agents))
            library_move_times.append(measure_move_us(arena, library_agents))
    exchange_us, move_us_median = statistics.median(exchange_times), statistics.median(move_times)
    figures = {
        "overhead_us_p50": round(move_us_median, 1),
        "floor_us_p50": round(exchange_us, 1),
        "ratio": round(move_us_median / exchange_us, 2),
        "placement": f"{placement}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}",
        "memory_backed": run_folders_parent()[1],
        "with_our_agent_us_p50": round(statistics.median(library_move_times), 1),
        "rounds": {
            "floor_us": [round(microseconds, 1) for microseconds in exchange_times],
            "move_us": [round(microseconds, 1) for microseconds in move_times],
        },
    }
    if as_json:
        click.echo(json.dumps(figures))
        return
    click.echo(
        f"a move takes {move_us_median:.0f} µs, the bare exchange {exchange_us:.0f} µs: "
        f"{move_us_median / exchange_us:.2f} times ({figures['placement']})"
    )
    click.echo(f"with agents made by gomogo_core.agent.run a move takes {figures['with_our_agent_us_p50']} µs")


if __name__ == "__main__":
    main()
