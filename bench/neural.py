"""The speed of the search of `neural` in Gomoku, compared to that of its network alone, and the time of its start.

python -m bench.neural --json

`positions_per_s` is the number of new positions that the search adds to its tree per second of processor time, in
searches of VISITS visits from positions in the middle of the game; the exact threats are computed in each position.
`evaluated_per_s` is the number of those positions that the network evaluates; the threats decide the others.
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

from bench.start import agent_ms
from gomogo_core.agent import load_choose
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.search import SearchLimits
from gomogo_core.search.puct import DEFAULT_BATCH_SIZE, Tree

VISITS = 800
# the number of positions; the random stones of each; the outer lines that stay empty
_POSITIONS, _STONES, _MARGIN = 6, 10, 3
_BARE, _STARTS = 400, 7  # the positions of one measurement of the network alone; the measured starts


def random_middle_games(game: Gomoku, is_won: Callable[[Any], bool]) -> list[GomokuPosition]:
    """Return random positions in which no player has won, and the player to move has no win by a short sequence of
    fours.
    """
    chance, found = random.Random(5), list[GomokuPosition]()
    inner = range(_MARGIN, game.size - _MARGIN)
    points = [point for point in game.board.points if point.row in inner and point.column in inner]
    while len(found) < _POSITIONS:
        position = game.replay(chance.sample(points, _STONES))
        assert isinstance(position, GomokuPosition)
        if position.outcome() is None and not is_won(position):
            found.append(position)
    return found


def bare_evaluations_per_s(evaluate: Callable[[Any], Any], size: int, batch: int) -> float:
    """Return how many positions the network alone evaluates per second of processor time, `batch` at a time."""
    planes = np.random.default_rng(1).random((batch, 3, size, size), np.float32)
    began = time.process_time()
    for _ in range(_BARE // batch):
        evaluate(planes)
    return _BARE // batch * batch / (time.process_time() - began)


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
    counted = 0

    def evaluate(seen: Any) -> Any:
        nonlocal counted
        counted += len(seen)
        return neural.evaluate_positions(seen)

    figures: dict[str, list[float]] = {
        name: [] for name in ("positions_per_s", "evaluated_per_s", "bare_per_s", "bare_batch_per_s")
    }
    for _ in range(rounds):
        counted = spent = 0
        began = time.process_time()
        for position in positions:
            threats.set_root(position)
            limits = SearchLimits(nodes=VISITS)
            Tree(position, evaluate, threats.is_won, neural.find_candidate_moves).search(limits)
            spent += limits.nodes_used
        took = time.process_time() - began
        bare = [
            bare_evaluations_per_s(neural._KeptState.evaluate, game.size, together)
            for together in (1, DEFAULT_BATCH_SIZE)
        ]
        for values, value in zip(figures.values(), (spent / took, counted / took, *bare), strict=True):
            values.append(value)
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as place:
        starts = [agent_ms("neural", Path(place) / str(number)) for number in range(_STARTS)]
    found = {name: round(statistics.median(values)) for name, values in figures.items()}
    shown = {
        **found,
        "ratio": round(found["positions_per_s"] / found["bare_per_s"], 2),
        "evaluated_ratio": round(found["evaluated_per_s"] / found["bare_per_s"], 2),
        "ready_ms": round(statistics.median(starts)),
    }
    words = (
        f"{shown['positions_per_s']} positions per second of processor time, {shown['evaluated_per_s']} of them "
        f"evaluated by the network, which alone evaluates {shown['bare_per_s']}; ready after {shown['ready_ms']} ms"
    )
    click.echo(json.dumps(shown) if as_json else words)


if __name__ == "__main__":
    main()
