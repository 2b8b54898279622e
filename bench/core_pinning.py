"""The time of a move when players and referee are pinned to cores, compared to the system's own choice of cores.

python -m bench.core_pinning --json

As many games as there are cores run at the same time; `random_mover` plays against itself, and its processes are kept
from game to game. `move_us` is the time of a whole move, and `clock_us` the part of it that counts on the player's
clock, in microseconds. The ways of pinning are measured in turn; the figures are medians. `ratio` is the time of a move
with the way `free` divided by that with `together`. Above 1, it is better to pin both players and the referee of a game
to one core.
"""

from __future__ import annotations

import json
import os
import threading
from statistics import median
from time import perf_counter

import click

from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, Started
from gomogo_core.processes.cores import allowed_cores

# the three ways: pin no process, pin only the players, or pin the players and the referee
PINNINGS = ("free", "players", "together")
_GAME = load("gomoku", size=9)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--games", default=10, show_default=True, help="Games on each core in one run.")
@click.option("--rounds", default=5, show_default=True, help="Runs with each way of pinning.")
def main(as_json: bool, games: int, rounds: int) -> None:
    """Measure the time of a move for each way of pinning players and referee to cores."""
    times: dict[str, list[tuple[float, float]]] = {pinning: [] for pinning in PINNINGS}
    for _ in range(rounds):
        for pinning in PINNINGS:
            times[pinning].append(_measure_all_cores(pinning, games))
    times_by_pinning = {
        pinning: {
            "move_us": round(median(move_us for move_us, _ in runs), 1),
            "clock_us": round(median(clock_us for _, clock_us in runs), 1),
        }
        for pinning, runs in times.items()
    }
    ratio = round(times_by_pinning["free"]["move_us"] / times_by_pinning["together"]["move_us"], 2)
    if as_json:
        click.echo(json.dumps({"cores": len(allowed_cores()), **times_by_pinning, "ratio": ratio}))
        return
    for pinning, figures in times_by_pinning.items():
        click.echo(
            f"{pinning:8}  {figures['move_us']:6.1f} µs per move, "
            f"{figures['clock_us']:6.1f} µs of it on the player's clock"
        )


def _measure_all_cores(pinning: str, games: int) -> tuple[float, float]:
    """Return the microseconds of a move, in all and on the player's clock, with one game on each core at a time."""
    times_by_core: list[tuple[float, float]] = []
    threads = [
        threading.Thread(target=lambda core=core: times_by_core.append(_measure_core(pinning, core, games)))
        for core in allowed_cores()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(move for move, _ in times_by_core) / len(times_by_core), sum(clock for _, clock in times_by_core) / len(
        times_by_core
    )


def _measure_core(pinning: str, core: int, games: int) -> tuple[float, float]:
    player, move_count, clock_seconds, all_cores = agent("random_mover"), 0, 0.0, os.sched_getaffinity(0)

    def unpin_referee(event: Event) -> None:
        if pinning == "players" and isinstance(event, Started):
            os.sched_setaffinity(0, all_cores)

    with Arena() as arena:
        for seed in range(-1, games):
            if seed == 0:
                begin = perf_counter()  # the time of the first game, which started the processes, does not count
            if pinning != "free":
                os.sched_setaffinity(0, {core})
            played_game = arena.play(_GAME, [player] * 2, [TimeControl()] * 2, seed=seed + 1, listeners=[unpin_referee])
            if seed >= 0:
                move_count = move_count + len(played_game.plies)
                clock_seconds = clock_seconds + sum(played_game.seconds)
        return (perf_counter() - begin) / move_count * 1e6, clock_seconds / move_count * 1e6


if __name__ == "__main__":
    main()
