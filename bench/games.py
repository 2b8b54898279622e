"""Whole games per second of one worker, compared to the bare exchange of files.

python -m bench.games --json

`games_per_s` is the speed of games of `random_mover` against itself, with a record of every game; the processes are
kept from game to game. `floor_games_per_s` is the speed that the bare exchange of files (bench.referee) would allow for
as many moves, and `ratio` is `floor_games_per_s` divided by `games_per_s`. `games_per_second_1`, `scaling` and
`cpu_ms_per_game` are the figures of a whole `gomogo match` with every game stored, as in bench.pipes. `match_ratio` is
`floor_games_per_s` divided by `games_per_second_1`.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import click

from bench._whole_match import measure_scaling
from bench.referee import measure_bare_exchange_us
from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.processes.run_folder import run_folders_parent


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--games", default=100, show_default=True, help="Number of games.")
def main(as_json: bool, games: int) -> None:
    """Measure games per second with one worker that keeps the agents' processes."""
    game, players, move_count = load("gomoku"), [agent("random_mover")] * 2, 0
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as folder, Arena() as arena:
        exchange_us = measure_bare_exchange_us(2000, Path(folder))
        arena.play(game, players, [TimeControl()] * 2)  # the first game starts the processes, which later games reuse
        begin = time.perf_counter()
        for seed in range(games):
            move_count += len(arena.play(game, players, [TimeControl()] * 2, seed=seed).plies)
        seconds = time.perf_counter() - begin
    floor_games_per_s = games / (move_count * exchange_us / 1e6)
    figures = {
        "games_per_s": round(games / seconds, 1),
        "moves_per_game": round(move_count / games, 1),
        "us_per_move": round(seconds / move_count * 1e6, 1),
        "floor_us": round(exchange_us, 1),
        "floor_games_per_s": round(floor_games_per_s, 1),
        "ratio": round(floor_games_per_s * seconds / games, 2),
        **(match := measure_scaling(["random_mover", "random_mover"], 2 * games)),
        "match_ratio": round(floor_games_per_s / match["games_per_second_1"], 2),
    }
    click.echo(
        json.dumps(figures)
        if as_json
        else f"{figures['games_per_s']} games per second, {figures['us_per_move']} µs per move; in a whole match "
        f"{match['games_per_second_1']} games per second, {match['scaling']} times as many with one worker per core"
    )


if __name__ == "__main__":
    main()
