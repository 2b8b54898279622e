"""The referee's time per move over pipes, compared to a bare exchange with the same engine on the same cores.

python -m bench.pipes --json

The engine is a Gomocup engine in C that answers at once with a random move; the program needs a C compiler (cc).
`ours_us` is the wall time of a whole move: the referee sends the question, wakes the engine, reads and parses its line,
judges the move, plays it and records it. One game is played at a time. `floor_us` is the time of a bare write to the
same engine and a read of its answer. Both are measured in turn, several times, and the median of the rounds' medians is
printed; `above_us` is their difference. `games_per_second_1` is the speed of a `gomogo match` of the engine against
itself with one worker and every game stored. `scaling` is the speed of the match with one worker per core, divided by
this speed. `cpu_ms_per_game` is the processor time of all processes of the match per game. `floor_games_per_second` is
the speed that the bare exchange would allow on one core.
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
from bench.referee import measure_intervals_us, place_processes, placement_option
from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl

_SOURCE = Path(__file__).with_name("random_brain.c")
_GAMES_PER_ROUND, _EXCHANGES_PER_ROUND = 20, 2000  # the games and the bare exchanges of one round


def compile_random_brain(build_folder: Path) -> Path:
    """Compile random_brain.c into `build_folder`, and return the program. Raises UserError without a compiler."""
    if (compiler := shutil.which("cc")) is None:
        raise UserError(
            "This program compiles an engine in C, but the compiler `cc` is not installed.",
            "Install a C compiler, like gcc.",
        )
    program = build_folder / "random_brain"
    subprocess.run([compiler, "-O2", "-o", str(program), str(_SOURCE)], check=True)
    return program


def measure_bare_exchange_us(program: Path) -> float:
    """Return the median time to write a TURN to the engine and read its answer, in microseconds."""
    seconds = []
    with subprocess.Popen([str(program), "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        writer, reader = engine.stdin.fileno(), engine.stdout.fileno()
        for number in range(_EXCHANGES_PER_ROUND):
            if number % 100 == 0:  # START empties its board
                os.write(writer, b"START 15\n")
                os.read(reader, 4096)
            line = b"TURN %d,%d\r\n" % (number % 15, number // 15 % 15)
            begin = time.perf_counter()
            os.write(writer, line)
            os.read(reader, 4096)
            seconds.append(time.perf_counter() - begin)
        os.write(writer, b"END\n")
    return statistics.median(seconds) * 1e6


def measure_move_us(arena: Arena, engines: list[Agent], seed: int) -> float:
    """Return the median time from one accepted move to the next over some games, in microseconds."""
    games = range(_GAMES_PER_ROUND)
    intervals = [measure_intervals_us(arena, load("gomoku"), engines, seed=seed + game) for game in games]
    return statistics.median(itertools.chain(*intervals))


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rounds", default=7, show_default=True, help="Number of rounds; each measures both.")
@click.option("--games", default=2000, show_default=True, help="Number of games of the match.")
@placement_option(default="one-core")
def main(as_json: bool, rounds: int, games: int, placement: str) -> None:
    """Measure the referee's time per move over pipes, compared to a bare exchange with the same engine."""
    allowed_cores = os.sched_getaffinity(0)
    place_processes(placement)
    exchange_times, move_times = [], []
    with tempfile.TemporaryDirectory() as folder, Arena() as arena:
        try:
            program = compile_random_brain(Path(folder))
        except UserError as error:
            raise click.ClickException(str(error)) from None
        specs = [f"gomocup:{program} {number}" for number in (1, 2)]
        engines = [agent(spec) for spec in specs]
        for number in range(rounds):
            exchange_times.append(measure_bare_exchange_us(program))
            move_times.append(measure_move_us(arena, engines, number * _GAMES_PER_ROUND))
        plies = len(arena.play(load("gomoku"), engines, [TimeControl()] * 2, seed=1).plies)
        os.sched_setaffinity(0, allowed_cores)
        match = measure_scaling(specs, games)
    exchange_us, move_us_median = statistics.median(exchange_times), statistics.median(move_times)
    figures = {
        "ours_us": round(move_us_median, 1),
        "floor_us": round(exchange_us, 1),
        "above_us": round(move_us_median - exchange_us, 1),
        **match,
        "floor_games_per_second": round(1e6 / (plies * exchange_us), 1),
        "placement": f"{placement}, load {os.getloadavg()[0]:.1f}",
        "rounds": {
            "floor_us": [round(microseconds, 1) for microseconds in exchange_times],
            "ours_us": [round(microseconds, 1) for microseconds in move_times],
        },
    }
    if as_json:
        click.echo(json.dumps(figures))
        return
    click.echo(f"a move takes {move_us_median:.1f} µs, the bare exchange {exchange_us:.1f} µs ({figures['placement']})")
    click.echo(
        f"{match['games_per_second_1']:.0f} stored games per second with one worker, {match['scaling']} times as many "
        f"with one per core; {match['cpu_ms_per_game']} ms of processor time per game"
    )


if __name__ == "__main__":
    main()
