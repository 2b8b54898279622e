"""Fit the ranks of moves in Go, and write a file like gomogo_core/engines/go/priors.npy.

python -m training.go_priors FOLDER --games 1400 --playouts 800 --seed 2

The Go engine plays against itself on 9 × 9 (komi 7.5), and adds the games to FOLDER/games.jsonl until it has enough;
then the command fits FOLDER/priors.npy. Each legal move has features (gomogo_core/engines/go/move_features.py), and
each feature a weight. The weights are fitted as a softmax over the legal moves, where the move of the search is the
right answer. Every tenth game is held out. On one core, a game takes about a second, and the fit half a minute.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from gomogo_core.engines import compiling
from gomogo_core.games.go import Go
from gomogo_core.games.stones.rules import PASS
from training.champion_games import ENGINE_MEMORY_MB, GAMES_FILE, append_until, read_lines

GAME = Go(size=9, komi=7.5)
# the smallest and the largest number of first moves that are sampled by the square root of their visits
_SAMPLED_MOVE_LIMITS = (2, 8)
# a game ends when one side's share of wins is below _DECIDED_WIN_SHARE in _DECIDED_MOVES successive moves
_DECIDED_WIN_SHARE, _DECIDED_MOVES = 0.06, 4
_MAX_MOVES = 90  # the largest number of moves of a game
_LEARNT_MOVES = 70  # the fit uses only these first moves of a game, since later moves often do not matter
_HELD_OUT_EVERY = 10
_BATCH_SIZE, _LEARNING_RATE, _WEIGHT_DECAY, _EPOCHS = 256, 0.03, 1e-5, 8
_MAX_WEIGHT = 2000
_QUARTER_TURN = (5, 3, 0, 6, 1, 7, 4, 2)  # a quarter turn of the eight neighbours
_MIRRORING = (2, 1, 0, 4, 3, 7, 6, 5)

Array = Any  # an array; docstrings state the shape and the type of its elements


class GoMoveExamples(NamedTuple):
    """Positions with their legal moves. One list has the moves of all positions.

    `features` is int32 of shape (moves, MAX_FEATURES_PER_MOVE); FEATURE_COUNT means no feature. `position_starts` holds
    the index of the first move of each position, and finally the length of the list. `best` is the number of the move
    that the search chose in each position. `held_out` tells for each position whether it is held out: used for
    measuring, not for the fit.
    """

    features: Array
    position_starts: Array
    best: Array
    held_out: Array


def self_play_games(engine_module: Any, seed: int, playouts: int, first_number: int) -> Iterator[dict[str, list[str]]]:
    """Yield games of the engine against itself, with the played and the best moves, from game `first_number` on."""
    number = first_number
    while True:
        rng = random.Random(f"{seed}:{number}")
        # a game must not depend on the game before
        engine = engine_module.GoEngine(GAME, ENGINE_MEMORY_MB, seed=number + 1)
        position, varied, shares = GAME.start(), rng.randint(*_SAMPLED_MOVE_LIMITS), list[float]()
        record: dict[str, list[str]] = {"moves": [], "best": []}
        while position.outcome() is None and len(shares) < _MAX_MOVES:
            visited_moves = [
                statistics for statistics in engine.rank_moves(position, playouts=playouts) if statistics.visits
            ]
            move = visited_moves[0].move
            record["best"].append(GAME.format(move))
            if len(shares) < varied:
                move = rng.choices(
                    [statistics.move for statistics in visited_moves],
                    [statistics.visits**0.5 for statistics in visited_moves],
                )[0]
            record["moves"].append(GAME.format(move))
            shares.append(visited_moves[0].win_share)
            if (
                all(min(share, 1 - share) < _DECIDED_WIN_SHARE for share in shares[-_DECIDED_MOVES:])
                and len(shares) > _SAMPLED_MOVE_LIMITS[1]
            ):
                break
            position = position.play(move)
        yield record
        number += 1


def move_examples(engine_module: Any, records: Sequence[dict[str, list[str]]]) -> GoMoveExamples:
    """Return the positions of games with the features of their legal moves, except moves that fill an own eye."""
    from gomogo_core.engines.go import array_layout, board, move_features

    engine = engine_module.GoEngine(GAME, 1)
    state, start = engine.state, [0]
    rows, best_columns, held_out = list[Array](), list[int](), list[bool]()

    def cell_of(text: str) -> int:
        move = GAME.parse(text)
        return array_layout.PASS if move is PASS else engine.cell_at_point(move)

    for number, record in enumerate(records):
        engine.set_position(GAME.start())
        for text, searched in list(zip(record["moves"], record["best"], strict=True))[:_LEARNT_MOVES]:
            empty = state[
                array_layout.EMPTY_CELLS : array_layout.EMPTY_CELLS + state[array_layout.EMPTY_COUNT]
            ].tolist()
            own_games = [
                at
                for at in empty
                if not board.is_eye(state, at, state[array_layout.TURN]) and board.is_legal(state, at)
            ]
            cells = [*own_games, array_layout.PASS]
            if cell_of(searched) in cells:
                known_codes = np.full(
                    (len(cells), move_features.MAX_FEATURES_PER_MOVE), move_features.FEATURE_COUNT, np.int32
                )
                for row, cell in zip(known_codes, cells, strict=True):
                    count = move_features.write_features(state, cell)
                    row[:count] = state[array_layout.CANDIDATES : array_layout.CANDIDATES + count]
                rows.append(known_codes)
                best_columns.append(start[-1] + cells.index(cell_of(searched)))
                start.append(start[-1] + len(cells))
                held_out.append(number % _HELD_OUT_EVERY == 0)
            board.play(state, cell_of(text))
    return GoMoveExamples(np.concatenate(rows), np.array(start), np.array(best_columns), np.array(held_out))


def least_neighbourhoods(count: int) -> Array:
    """Return for each of `count` neighbourhoods the least number among its eight orientations."""
    codes = np.arange(count)
    places = [codes >> 2 * k & 3 for k in range(8)]
    least_codes = codes
    for orientation in range(8):
        least_codes = np.minimum(least_codes, sum(place << 2 * k for k, place in enumerate(places)))
        places = [places[k] for k in (_MIRRORING if orientation == 3 else _QUARTER_TURN)]
    return least_codes


def fit(examples: GoMoveExamples, seed: int) -> tuple[Array, list[float]]:
    """Fit the weights by Adam. Return them as int16, and the shares of held-out positions in which the move of the
    search is among the 1, 2, 4 and 8 best moves by these weights.
    """
    from gomogo_core.engines.go import move_features as moves

    least_codes = np.concatenate(
        [least_neighbourhoods(moves.NEIGHBOURHOOD_COUNT), np.arange(moves.NEIGHBOURHOOD_COUNT, moves.FEATURE_COUNT + 1)]
    )
    used, columns = np.unique(least_codes[examples.features], return_inverse=True)
    columns = columns.reshape(examples.features.shape)
    weights, first, second = (np.zeros(len(used)) for _ in range(3))
    is_empty = used == moves.FEATURE_COUNT
    learned, rng = np.flatnonzero(~examples.held_out), np.random.default_rng(seed)
    batches = -(-len(learned) // _BATCH_SIZE)
    for epoch in range(_EPOCHS):
        for number, batch in enumerate(np.array_split(rng.permutation(learned), batches)):
            step = epoch * batches + number + 1
            slope = _gradient(examples, columns, weights, batch) + _WEIGHT_DECAY * weights
            first += 0.1 * (slope - first)
            second += 0.001 * (slope * slope - second)
            rate = _LEARNING_RATE * (1 + np.cos(np.pi * step / (_EPOCHS * batches))) / 2
            weights -= rate * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
            weights[is_empty] = 0.0
    scores, better = weights[columns].sum(1), list[int]()
    for position in np.flatnonzero(examples.held_out):
        of_moves = scores[examples.position_starts[position] : examples.position_starts[position + 1]]
        better.append(int((of_moves > scores[examples.best[position]]).sum()))
    among = [round(float(np.mean(np.array(better) < count)), 3) for count in (1, 2, 4, 8)]
    whole = np.zeros(moves.FEATURE_COUNT + 1)
    whole[used] = weights
    units = np.round(whole[least_codes][: moves.FEATURE_COUNT] * moves.UNITS_PER_LOG_ODDS)
    return np.clip(units, -_MAX_WEIGHT, _MAX_WEIGHT).astype(np.int16), among


def _gradient(examples: GoMoveExamples, columns: Array, weights: Array, batch: Array) -> Array:
    """Return the gradient of the cross entropy between the weights' predictions and the search's choices."""
    counts = examples.position_starts[batch + 1] - examples.position_starts[batch]
    ends = np.cumsum(counts)
    starts = ends - counts
    rows = np.arange(ends[-1]) + np.repeat(examples.position_starts[batch] - starts, counts)
    scores = weights[columns[rows]].sum(1)
    odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), counts))
    odds /= np.repeat(np.add.reduceat(odds, starts), counts)
    odds[examples.best[batch] - examples.position_starts[batch] + starts] -= 1
    every = np.repeat(odds, columns.shape[1])
    return np.bincount(columns[rows].ravel(), every, len(weights)) / len(batch)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--games", default=1400, show_default=True, type=click.IntRange(2), help="Games against itself.")
@click.option("--playouts", default=800, show_default=True, help="Playouts of each move.")
@click.option("--seed", default=2, show_default=True, help="Seed of the games and of the fit.")
def main(folder: Path, games: int, playouts: int, seed: int) -> None:
    """Fit the ranks of moves on games in FOLDER."""
    folder.mkdir(parents=True, exist_ok=True)
    engine_module = compiling.load("gomogo_core.engines.go")
    games_path = folder / GAMES_FILE
    append_until(games_path, games, self_play_games(engine_module, seed, playouts, len(read_lines(games_path))))
    weights, among = fit(move_examples(engine_module, read_lines(games_path)[:games]), seed)
    np.save(folder / "priors.npy", weights)
    click.echo(json.dumps({"first": among}))


if __name__ == "__main__":
    main()
