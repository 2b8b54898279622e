"""The cost of confinement: the time of an agent's start and of a move at each level, compared to the level `none`.

python -m bench.sandbox --json

`start_ms` is the time from the order to start an agent, with its supervisor and the sandbox, until it is ready.
`move_us` is the time from one accepted move to the next between two agents that answer at once, as in bench.referee.
The levels are measured in turn, and the figures are medians. `more_ms` says how much longer a start takes than the
start at the level `none` in the same round. `ratio` says how many times as long a move takes as at the level `none` in
the same round. `least_ms` is the shortest start.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from operator import sub, truediv
from pathlib import Path

import click

from bench.referee import move_us, moves_of_both, script_agent
from gomogo_core.arena import Arena, prepare
from gomogo_core.arena.confinement import Confinement
from gomogo_core.catalogue import Agent, agent
from gomogo_core.games import load
from gomogo_core.processes.limits import SANDBOX_LEVELS, SandboxLevel
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.position_json import game_json


def start_ms(player: Agent, level: SandboxLevel, folder: Path) -> float:
    """Return the milliseconds from the start of an agent until it reports ready."""
    hold = Confinement(player, level)
    mailbox = GameFolder(folder, ("a", "b"), owner="a", user=hold.user)
    limits = {team: {"per_move": 10.0} for team in ("a", "b")}
    mailbox.prepare_game(game_json(load("gomoku"), ("a", "b"), limits, 0, None), [])
    started = time.perf_counter()
    process = hold.start(player.command_line("a"), folder)
    while not os.path.exists(folder / "a.ready"):
        time.sleep(0.0002)
    took = time.perf_counter() - started
    process.end()
    mailbox.remove()
    return took * 1e3


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--starts", default=20, show_default=True, help="Number of starts at each level.")
@click.option("--games", default=5, show_default=True, help="Number of games at each level.")
def main(as_json: bool, starts: int, games: int) -> None:
    """Measure an agent's start and its moves at each level."""
    player = agent("random_mover")
    began: dict[SandboxLevel, list[float]] = {level: [] for level in SANDBOX_LEVELS}
    moved: dict[SandboxLevel, list[float]] = {level: [] for level in SANDBOX_LEVELS}
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as place:
        bare = [script_agent(team, lines, Path(place)) for team, lines in zip(("a", "b"), moves_of_both(), strict=True)]
        for level in SANDBOX_LEVELS:
            prepare(player, level)
        for number in range(starts):
            for level in SANDBOX_LEVELS:
                began[level].append(start_ms(player, level, Path(place) / f"{level}-{number}"))
        for _ in range(games):
            for level in SANDBOX_LEVELS:
                with Arena(sandbox=level) as arena:
                    moved[level].append(move_us(arena, bare))
    found = {
        level: {
            "start_ms": round(statistics.median(began[level]), 1),
            "least_ms": round(min(began[level]), 1),
            "more_ms": round(statistics.median(map(sub, began[level], began["none"])), 1),
            "move_us": round(statistics.median(moved[level]), 1),
            "ratio": round(statistics.median(map(truediv, moved[level], moved["none"])), 2),
        }
        for level in SANDBOX_LEVELS
    }
    if as_json:
        click.echo(json.dumps({**found, "load": round(os.getloadavg()[0], 1)}))
        return
    for level, took in found.items():
        start_, move_ = f"start {took['start_ms']:.0f} ms (+{took['more_ms']:.0f} ms)", f"{took['move_us']:.0f} µs"
        click.echo(f"{level:<7}{start_}, a move {move_} ({took['ratio']:.2f} times)")


if __name__ == "__main__":
    main()
