"""The cost of confinement: the time of an agent's start and of a move at each level, compared to the level `none`.

python -m bench.sandbox --json

`start_ms` is the time from the start of an agent, with its supervisor and its sandbox, until the agent is ready.
`move_us` is the time from one accepted move to the next between two agents that answer at once, as in bench.referee.
The levels are measured in turn, and the figures are medians. `more_ms` is the difference from the start at the level
`none` in the same round. `ratio` is the time of a move divided by that at the level `none` in the same round.
`least_ms` is the shortest start.
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

from bench.referee import create_scripted_agents, measure_move_us
from gomogo_core.arena import Arena, prepare_agent
from gomogo_core.arena.confinement import Confinement
from gomogo_core.catalogue import Agent, agent
from gomogo_core.games import load
from gomogo_core.processes.limits import SANDBOX_LEVELS, SandboxLevel
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.position_json import game_json


def measure_start_ms(player: Agent, level: SandboxLevel, folder: Path) -> float:
    """Return the milliseconds from the start of an agent until it reports ready."""
    confinement = Confinement(player, level)
    game_folder = GameFolder(folder, ("a", "b"), owner="a", user=confinement.user)
    limits = {team: {"per_move": 10.0} for team in ("a", "b")}
    game_folder.prepare_game(game_json(load("gomoku"), ("a", "b"), limits, 0, None), [])
    begin = time.perf_counter()
    process = confinement.start(player.command_line("a"), folder)
    while not os.path.exists(folder / "a.ready"):
        time.sleep(0.0002)
    seconds = time.perf_counter() - begin
    process.end()
    game_folder.remove()
    return seconds * 1e3


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--starts", default=20, show_default=True, help="Number of starts at each level.")
@click.option("--games", default=5, show_default=True, help="Number of games at each level.")
def main(as_json: bool, starts: int, games: int) -> None:
    """Measure an agent's start and its moves at each level."""
    player = agent("random_mover")
    starts_by_level: dict[SandboxLevel, list[float]] = {level: [] for level in SANDBOX_LEVELS}
    moves_by_level: dict[SandboxLevel, list[float]] = {level: [] for level in SANDBOX_LEVELS}
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as folder_name:
        scripted_agents = create_scripted_agents(Path(folder_name))
        for level in SANDBOX_LEVELS:
            prepare_agent(player, level)
        for number in range(starts):
            for level in SANDBOX_LEVELS:
                starts_by_level[level].append(measure_start_ms(player, level, Path(folder_name) / f"{level}-{number}"))
        for _ in range(games):
            for level in SANDBOX_LEVELS:
                with Arena(sandbox=level) as arena:
                    moves_by_level[level].append(measure_move_us(arena, scripted_agents))
    figures = {
        level: {
            "start_ms": round(statistics.median(starts_by_level[level]), 1),
            "least_ms": round(min(starts_by_level[level]), 1),
            "more_ms": round(statistics.median(map(sub, starts_by_level[level], starts_by_level["none"])), 1),
            "move_us": round(statistics.median(moves_by_level[level]), 1),
            "ratio": round(statistics.median(map(truediv, moves_by_level[level], moves_by_level["none"])), 2),
        }
        for level in SANDBOX_LEVELS
    }
    if as_json:
        click.echo(json.dumps({**figures, "load": round(os.getloadavg()[0], 1)}))
        return
    for level, level_figures in figures.items():
        start_text = f"start {level_figures['start_ms']:.0f} ms (+{level_figures['more_ms']:.0f} ms)"
        move_text = f"{level_figures['move_us']:.0f} µs"
        click.echo(f"{level:<7}{start_text}, a move {move_text} ({level_figures['ratio']:.2f} times)")


if __name__ == "__main__":
    main()
