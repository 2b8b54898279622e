"""The referee's time per move over pipes, compared to a bare exchange with the same engine on the same cores.

python -m bench.pipes --json

The engine is a Gomocup engine in C that answers at once with a random move; the program needs a C compiler (cc).
`ours_us` is the wall time of a whole move: the referee sends the question, wakes the engine, reads and parses its line,
judges the move, plays it and records it. One game is played at a time. `floor_us` is the time of a bare write to the
same engine and a read of its answer. Both are measured in turn, several times, and the median of the rounds' medians is
printed; `above_us` is their difference. `games_per_second_1` is the speed of a `gomogo match` of the engine against
itself with one worker and every game stored. `scaling` is how many times as fast the match is with one worker per core,
and `cpu_ms_per_game` the processor time of all its processes per game. `floor_games_per_second` is the speed that the
bare exchange would allow on one core.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import click

from bench._whole_match import measure_scaling
from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, Moved

_SOURCE = Path(__file__).with_name("random_brain.c")
_GAMES, _TURNS = 20, 2000  # the games and the bare exchanges of one round


def compile_random_brain(build_folder: Path) -> Path:
    """Compile the engine random_brain.c, and return the program, in `build_folder`. Raises UserError if there is no
    compiler.
    """
    if (compiler := shutil.which("cc")) is None:
        raise UserError(
            "This program compiles an engine in C, but the compiler `cc` is not installed.",
            "Install a C compiler, like gcc.",
        )
    program = build_folder / "random_brain"
    subprocess.run([compiler, "-O2", "-o", str(program), str(_SOURCE)], check=True)
    return program


def bare_exchange_us(program: Path) -> float:
    """Return the median time to write a TURN to the engine and read its answer, in microseconds."""
    took = []
    with subprocess.Popen([str(program), "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        writer, reader = engine.stdin.fileno(), engine.stdout.fileno()
        for number in range(_TURNS):
            if number % 100 == 0:  # START empties its board
                os.write(writer, b"START 15\n")
                os.read(reader, 4096)
            line = b"TURN %d,%d\r\n" % (number % 15, number // 15 % 15)
            started = time.perf_counter()
            os.write(writer, line)
            os.read(reader, 4096)
            took.append(time.perf_counter() - started)
        os.write(writer, b"END\n")
    return statistics.median(took) * 1e6


def move_us(arena: Arena, engines: list[Agent], seed: int) -> float:
    """Return the median time from one accepted move to the next over some games, in microseconds."""
    took: list[float] = []
    at: list[float] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Moved):
            at.append(time.perf_counter())

    for game in range(_GAMES):
        at.clear()
        arena.play(load("gomoku"), engines, [TimeControl()] * 2, listeners=[on_event], seed=seed + game)
        took += [b - a for a, b in itertools.pairwise(at)]
    return statistics.median(took) * 1e6


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rounds", default=7, show_default=True, help="Number of rounds; each measures both.")
@click.option("--games", default=2000, show_default=True, help="Number of games of the match.")
@click.option(
    "--placement",
    type=click.Choice(["free", "one-core", "two-cores"]),
    default="one-core",
    show_default=True,
    help="Where the kernel may put the processes: anywhere, all on one core, or on two.",
)
def main(as_json: bool, rounds: int, games: int, placement: str) -> None:
    """Measure the referee's time per move over pipes, compared to a bare exchange with the same engine."""
    cores = sorted(os.sched_getaffinity(0))
    if placement != "free":
        os.sched_setaffinity(0, cores[: 1 if placement == "one-core" else 2])
    floors, moves = [], []
    with tempfile.TemporaryDirectory() as place, Arena() as arena:
        try:
            program = compile_random_brain(Path(place))
        except UserError as mistake:
            raise click.ClickException(str(mistake)) from None
        specs = [f"gomocup:{program} {number}" for number in (1, 2)]
        engines = [agent(spec) for spec in specs]
        for number in range(rounds):
            floors.append(bare_exchange_us(program))
            moves.append(move_us(arena, engines, number * _GAMES))
        plies = len(arena.play(load("gomoku"), engines, [TimeControl()] * 2, seed=1).plies)
        os.sched_setaffinity(0, cores)
        match = measure_scaling(specs, games)
    floor, move = statistics.median(floors), statistics.median(moves)
    found = {
        "ours_us": round(move, 1),
        "floor_us": round(floor, 1),
        "above_us": round(move - floor, 1),
        **match,
        "floor_games_per_second": round(1e6 / (plies * floor), 1),
        "placement": f"{placement}, load {os.getloadavg()[0]:.1f}",
        "rounds": {"floor_us": [round(f, 1) for f in floors], "ours_us": [round(m, 1) for m in moves]},
    }
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"a move takes {move:.1f} µs, the bare exchange {floor:.1f} µs ({found['placement']})")
    click.echo(
        f"{match['games_per_second_1']:.0f} stored games per second with one worker, {match['scaling']} times as many "
        f"with one per core; {match['cpu_ms_per_game']} ms of processor time per game"
    )


if __name__ == "__main__":
    main()
