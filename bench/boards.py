"""Random moves per second on many boards of Gomoku at once, compared to the rules in Python and to OpenSpiel.

python -m bench.boards --json

Each of the three plays random games on 15 × 15 points to their ends, on one core. `moves_per_s` is the speed of the
boards of training.gomoku. `python_moves_per_s` is the speed of `play()` and `outcome()` in gomogo_core/games/gomoku.py;
the points are shuffled beforehand, so that these games need no list of legal moves. `peer_moves_per_s` is the speed of
OpenSpiel's m,n,k-game called from Python, or null if OpenSpiel is not installed. `ratio` is `moves_per_s` divided by
`python_moves_per_s`, and `peer_ratio` is `moves_per_s` divided by `peer_moves_per_s`. Times are processor times. The
three are measured in turn, and the medians over the rounds are printed.
"""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from random import Random
from statistics import median
from time import process_time
from typing import Any

import click
import numpy as np

from bench.playouts import play_peer_playout
from gomogo_core.games.gomoku import Gomoku
from training import load_boards

_BOARD_COUNT = 2000
_PEER_GAME = "mnk(m=15,n=15,k=5)"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--seconds", default=0.5, show_default=True, help="Seconds for which each of the three is measured in each round."
)
@click.option("--rounds", default=5, show_default=True, help="Number of rounds; the median is printed.")
def main(as_json: bool, seconds: float, rounds: int) -> None:
    """Measure random moves per second on many boards at once."""
    boards: Any = load_boards().GomokuBoards(_BOARD_COUNT)
    generator, rng = np.random.default_rng(1), Random(1)
    game = Gomoku()
    points = list(game.board.points)
    has_peer = find_spec("pyspiel")
    create_peer_state = import_module("pyspiel").load_game(_PEER_GAME).new_initial_state if has_peer else None

    def play_many_boards() -> int:
        boards.reset(np.arange(_BOARD_COUNT))
        return int(boards.play_random_games(generator))

    def play_one_board() -> int:
        rng.shuffle(points)
        position = game.start()
        for point in points:
            position = position.play(point)
            if position.outcome() is not None:
                break
        stones: int = position.stones
        return stones

    speeds: dict[str, list[float]] = {"moves_per_s": [], "python_moves_per_s": [], "peer_moves_per_s": []}
    for _ in range(rounds):
        speeds["moves_per_s"].append(_measure_speed(play_many_boards, seconds))
        speeds["python_moves_per_s"].append(_measure_speed(play_one_board, seconds))
        if create_peer_state is not None:
            peer_speed = _measure_speed(lambda: play_peer_playout(create_peer_state(), rng.random), seconds)
            speeds["peer_moves_per_s"].append(peer_speed)
    figures: dict[str, Any] = {name: round(median(values)) if values else None for name, values in speeds.items()}
    figures["ratio"] = round(figures["moves_per_s"] / figures["python_moves_per_s"], 1)
    figures["peer_ratio"] = (
        round(figures["moves_per_s"] / figures["peer_moves_per_s"], 1) if create_peer_state is not None else None
    )
    click.echo(
        json.dumps(figures)
        if as_json
        else f"{figures['moves_per_s']:,} moves per second, {figures['ratio']} times as many as the rules in Python"
    )


def _measure_speed(play: Any, seconds: float) -> float:
    move_count, begin = 0, process_time()
    while (seconds_taken := process_time() - begin) < seconds:
        move_count += play()
    return move_count / seconds_taken


if __name__ == "__main__":
    main()
