"""The number of rows of five that the network of `mm_ai` overlooks in games against `greedy`.

python -m bench.missed_fives --json

All games start from the empty board and are played at the same time; the network has each seat in half of them.
`missed_wins` is the number of its moves that did not complete a row of five although one stone could. `missed_blocks`
is the number of its moves that did not block a row which the opponent could complete with one stone, when the network
could complete none itself. `first` and `second` are the shares of games that it won in each seat.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from gomogo_core.engines import network as networks
from training import load_boards


def play_games(network: Path, games: int, seed: int) -> dict[str, float]:
    """Let a network play games against `greedy`, and return the counts over all of them."""
    gomoku: Any = load_boards()
    from training.targets import choose_moves, planes

    evaluate, generator = networks.load(network), np.random.default_rng(seed)
    boards, seats = gomoku.GomokuBoards(games), 1 + np.arange(games) % 2
    counts = {"games": games, "moves": 0, "missed_wins": 0, "missed_blocks": 0}
    while (is_running := boards.winners == 0).any():
        moves = gomoku.greedy_moves(boards, generator)
        indexes = np.flatnonzero(is_running & (boards.to_move() == seats))
        if indexes.size:
            inputs = planes(boards)[indexes]
            values = evaluate(inputs)[0].reshape(indexes.size, -1)
            moves[indexes] = choose_moves(values, inputs[:, 0].reshape(values.shape) > 0, 0.0, 0.0, generator)
            required = gomoku.required_points(boards)[indexes]
            missed_points = required.max(axis=1) * (required[np.arange(indexes.size), moves[indexes]] == 0)
            counts["moves"] += indexes.size
            counts["missed_wins"] += int((missed_points == 2).sum())
            counts["missed_blocks"] += int((missed_points == 1).sum())
        boards.play(np.where(is_running, moves, gomoku.boards.NO_MOVE))
    is_won = boards.winners == seats
    return counts | {"first": is_won[seats == 1].mean().round(4), "second": is_won[seats == 2].mean().round(4)}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--network",
    default=networks.NETWORKS_FOLDER / "mm_ai.onnx",
    type=click.Path(path_type=Path),
    help="The file of the network.",
)
@click.option("--games", default=400, show_default=True, help="Games, half of them in each seat.")
@click.option("--seed", default=1, show_default=True, help="Seed of greedy's choices among equal points.")
def main(as_json: bool, network: Path, games: int, seed: int) -> None:
    """Count the rows of five that the network of mm_ai overlooks."""
    figures = play_games(network, games, seed)
    summary = (
        f"{figures['moves']} moves in {games} games: {figures['missed_wins']} own rows and "
        f"{figures['missed_blocks']} of the opponent overlooked; won {figures['first']:.1%} as first, "
        f"{figures['second']:.1%} as second player"
    )
    click.echo(json.dumps(figures) if as_json else summary)


if __name__ == "__main__":
    main()
