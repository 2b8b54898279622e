"""The speed of the search of `neural` in Gomoku, compared to that of its network alone, and the time of its start.

python -m bench.neural --json

`positions_per_s` is the number of new positions that the search adds to its tree per second of processor time, in
searches of VISIT_COUNT visits from positions in the middle of the game; the exact threats are computed in each
position. `evaluated_per_s` is the number of those positions that the network evaluates; the threats decide the others.
`bare_per_s` is the number of positions per second that onnxruntime alone evaluates one at a time, and
`bare_batch_per_s` the number when it evaluates as many at a time as the search does. These are measured in turn, and
the medians are printed. `ratio` is `positions_per_s` divided by `bare_per_s`; `evaluated_ratio` is `evaluated_per_s`
divided by `bare_per_s`. `ready_ms` is the median time from the start of the agent's process until it says that it is
ready.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from bench.start import measure_agent_ms
from gomogo_core.agent import load_choose
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.search import SearchLimits
from gomogo_core.search.puct import DEFAULT_BATCH_SIZE, Tree

VISIT_COUNT = 800
# the number of positions, the number of random stones in each, and the number of outer lines that stay empty
_POSITION_COUNT, _STONE_COUNT, _EMPTY_OUTER_LINES = 6, 10, 3
_BARE_POSITIONS = 400  # the positions of one measurement of the network alone


def random_middle_games(game: Gomoku, is_won: Callable[[Any], bool]) -> list[GomokuPosition]:
    """Return random positions without a winner, and without a short win by fours for the player to move."""
    rng, positions = random.Random(5), list[GomokuPosition]()
    inner_lines = range(_EMPTY_OUTER_LINES, game.size - _EMPTY_OUTER_LINES)
    points = [point for point in game.board.points if point.row in inner_lines and point.column in inner_lines]
    while len(positions) < _POSITION_COUNT:
        position = game.replay(rng.sample(points, _STONE_COUNT))
        assert isinstance(position, GomokuPosition)
        if position.outcome() is None and not is_won(position):
            positions.append(position)
    return positions


def measure_bare_evaluations(evaluate: Callable[[Any], Any], size: int, batch_size: int) -> float:
    """Return the number of positions that the network alone evaluates per second of processor time.

    batch_size: the number of positions that it evaluates at a time.
    """
    planes = np.random.default_rng(1).random((batch_size, 3, size, size), np.float32)
    begin = time.process_time()
    for _ in range(_BARE_POSITIONS // batch_size):
        evaluate(planes)
    return _BARE_POSITIONS // batch_size * batch_size / (time.process_time() - begin)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rounds", default=7, show_default=True, help="Number of rounds; the median is printed.")
def main(as_json: bool, rounds: int) -> None:
    """Measure the speed of neural's search, compared to its network alone, and the time of its start."""
    load_choose(AGENTS_FOLDER / "neural.py")
    neural: Any = sys.modules["neural"]
    game = Gomoku()
    neural.prepare(game)
    threats = neural.create_threat_search(game)
    threats.set_root(game.start())
    positions = random_middle_games(game, threats.is_won)
    evaluated = 0

    def evaluate(batch: Any) -> Any:
        nonlocal evaluated
        evaluated += len(batch)
        return neural.evaluate_positions(batch)

    figures: dict[str, list[float]] = {
        name: [] for name in ("positions_per_s", "evaluated_per_s", "bare_per_s", "bare_batch_per_s")
    }
    for _ in range(rounds):
        evaluated = new_positions = 0
        begin = time.process_time()
        for position in positions:
            threats.set_root(position)
            limits = SearchLimits(nodes=VISIT_COUNT)
            Tree(position, evaluate, threats.is_won, neural.find_candidate_moves).search(limits)
            new_positions += limits.nodes_used
        seconds = time.process_time() - begin
        bare_speeds = [
            measure_bare_evaluations(neural._KeptState.evaluate, game.size, batch_size)
            for batch_size in (1, DEFAULT_BATCH_SIZE)
        ]
        for values, value in zip(
            figures.values(), (new_positions / seconds, evaluated / seconds, *bare_speeds), strict=True
        ):
            values.append(value)
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as folder:
        starts = [measure_agent_ms("neural", Path(folder) / str(number)) for number in range(rounds)]
    medians = {name: round(statistics.median(values)) for name, values in figures.items()}
    report = {
        **medians,
        "ratio": round(medians["positions_per_s"] / medians["bare_per_s"], 2),
        "evaluated_ratio": round(medians["evaluated_per_s"] / medians["bare_per_s"], 2),
        "ready_ms": round(statistics.median(starts)),
    }
    summary = (
        f"{report['positions_per_s']} positions per second of processor time, {report['evaluated_per_s']} of them "
        f"evaluated by the network, which alone evaluates {report['bare_per_s']}; ready after {report['ready_ms']} ms"
    )
    click.echo(json.dumps(report) if as_json else summary)


if __name__ == "__main__":
    main()
