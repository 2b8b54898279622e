"""How much of the network's speed `neural` keeps in its search of Gomoku, and how long it takes to be ready.

    python -m bench.neural --json

positions_per_s: the new positions that its tree visits in a second of processor time, in searches of VISITS visits from
positions in the middle of the game, with the exact threats at each. evaluated_per_s: those of them that the network
evaluates; threats decide the others. bare_per_s: the rate of onnxruntime alone, one position at a time;
bare_batch_per_s: as many at a time as the tree. All in alternation; medians. ratio: positions_per_s over bare_per_s;
evaluated_ratio: evaluated_per_s over it. ready_ms: from the start of its process until it says that it is ready, the
median of some starts.
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
from gomogo_core.processes.run_folder import base_path
from gomogo_core.search import SearchLimits
from gomogo_core.search.puct import BATCH, Tree

VISITS = 800
_POSITIONS, _STONES, _MARGIN = 6, 10, 3  # random stones, not on the outer lines
_BARE, _STARTS = 400, 7  # positions of a bare measurement; starts


def middle_games(game: Gomoku, is_won: Callable[[Any], bool]) -> list[GomokuPosition]:
    """Return random positions in which nobody has won, and no short sequence of fours wins."""
    chance, found = random.Random(5), list[GomokuPosition]()
    inner = range(_MARGIN, game.size - _MARGIN)
    points = [point for point in game.board.points if point.row in inner and point.column in inner]
    while len(found) < _POSITIONS:
        position = game.replay(chance.sample(points, _STONES))
        assert isinstance(position, GomokuPosition)
        if position.outcome() is None and not is_won(position):
            found.append(position)
    return found


def bare_per_s(evaluate: Callable[[Any], Any], size: int, together: int) -> float:
    """Return the positions that the network alone evaluates in a second of processor time."""
    planes = np.random.default_rng(1).random((together, 3, size, size), np.float32)
    began = time.process_time()
    for _ in range(_BARE // together):
        evaluate(planes)
    return _BARE // together * together / (time.process_time() - began)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rounds", default=7, show_default=True, help="Alternations.")
def main(as_json: bool, rounds: int) -> None:
    """Measure how fast neural searches, against its network alone, and how fast it starts."""
    load_choose(AGENTS_FOLDER / "neural.py")
    neural: Any = sys.modules["neural"]
    game = Gomoku()
    neural.prepare(game)
    threats = neural._threats(game)
    threats.start(game.start())
    positions = middle_games(game, threats.is_won)
    counted = 0

    def evaluate(seen: Any) -> Any:
        nonlocal counted
        counted += len(seen)
        return neural._evaluate(seen)

    figures: dict[str, list[float]] = {
        name: [] for name in ("positions_per_s", "evaluated_per_s", "bare_per_s", "bare_batch_per_s")
    }
    for _ in range(rounds):
        counted = spent = 0
        began = time.process_time()
        for position in positions:
            threats.start(position)
            limits = SearchLimits(nodes=VISITS)
            Tree(position, evaluate, threats.is_won, neural._moves).search(limits)
            spent += limits.spent
        took = time.process_time() - began
        bare = [bare_per_s(neural._State.evaluate, game.size, together) for together in (1, BATCH)]
        for values, value in zip(figures.values(), (spent / took, counted / took, *bare), strict=True):
            values.append(value)
    with tempfile.TemporaryDirectory(dir=base_path()[0]) as place:
        starts = [agent_ms("neural", Path(place) / str(number)) for number in range(_STARTS)]
    found = {name: round(statistics.median(values)) for name, values in figures.items()}
    shown = {
        **found,
        "ratio": round(found["positions_per_s"] / found["bare_per_s"], 2),
        "evaluated_ratio": round(found["evaluated_per_s"] / found["bare_per_s"], 2),
        "ready_ms": round(statistics.median(starts)),
    }
    words = (
        f"{shown['positions_per_s']} positions a second of processor time, {shown['evaluated_per_s']} by the network, "
        f"which alone evaluates {shown['bare_per_s']}; ready after {shown['ready_ms']} ms"
    )
    click.echo(json.dumps(shown) if as_json else words)


if __name__ == "__main__":
    main()
