"""Fit the ranks of moves in Go, and write a file like gomogo_core/engines/go/priors.npy.

python -m training.go_priors FOLDER --games 1400 --playouts 800 --seed 2

The Go engine plays against itself on 9 × 9 (komi 7.5), and appends games to FOLDER/games.jsonl until the file has the
number in `--games`. Then the command fits the weights, and writes FOLDER/priors.npy. Each legal move has features
(gomogo_core/engines/go/move_features.py), and each feature a weight. The model is a softmax over the legal moves, and
the right answer is the move that the search chose. Every tenth game is held out. On one core, a game takes about a
second, and the fit half a minute.
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
# In each game, a number of first moves within these limits is sampled by the square root of their visits.
_SAMPLED_MOVE_LIMITS = (2, 8)
# a game ends when one side's share of wins is below _DECIDED_WIN_SHARE in _DECIDED_MOVES successive moves
_DECIDED_WIN_SHARE, _DECIDED_MOVES = 0.06, 4
_MAX_MOVES = 90  # the largest number of moves of a game
_LEARNT_MOVE_COUNT = 70  # the fit uses only these first moves of a game, since later moves often do not matter
_HELD_OUT_INTERVAL = 10
_BATCH_SIZE, _LEARNING_RATE, _WEIGHT_DECAY, _EPOCHS = 256, 0.03, 1e-5, 8
_MAX_WEIGHT = 2000
_QUARTER_TURN = (5, 3, 0, 6, 1, 7, 4, 2)  # a quarter turn of the eight neighbours
_MIRRORING = (2, 1, 0, 4, 3, 7, 6, 5)

Array = Any  # an array; docstrings state the shape and the type of its elements


class GoMoveExamples(NamedTuple):
    """Positions with their legal moves. One list has the moves of all positions.

    `features` is int32 of shape (moves, MAX_FEATURES_PER_MOVE); the number FEATURE_COUNT stands for an unused place.
    `position_starts` holds the index of the first move of each position, and finally the length of the list.
    `best_rows` holds the
    row in `features` of the move that the search chose in each position. `is_held_out` tells for each position whether
    it is used only for measuring, not for the fit.
    """

    features: Array
    position_starts: Array
    best_rows: Array
    is_held_out: Array


def self_play_games(engine_module: Any, seed: int, playouts: int, first_number: int) -> Iterator[dict[str, list[str]]]:
    """Yield games of the engine against itself, with the played and the best moves, from game `first_number` on."""
    number = first_number
    while True:
        rng = random.Random(f"{seed}:{number}")
        # a game must not depend on the previous game
        engine = engine_module.GoEngine(GAME, ENGINE_MEMORY_MB, seed=number + 1)
        position, sampled_count, shares = GAME.start(), rng.randint(*_SAMPLED_MOVE_LIMITS), list[float]()
        record: dict[str, list[str]] = {"moves": [], "best": []}
        while position.outcome() is None and len(shares) < _MAX_MOVES:
            visited_moves = [each for each in engine.rank_moves(position, playouts=playouts) if each.visits]
            move = visited_moves[0].move
            record["best"].append(GAME.format(move))
            if len(shares) < sampled_count:
                move = rng.choices(visited_moves, [each.visits**0.5 for each in visited_moves])[0].move
            record["moves"].append(GAME.format(move))
            shares.append(visited_moves[0].win_share)
            is_decided = all(min(share, 1 - share) < _DECIDED_WIN_SHARE for share in shares[-_DECIDED_MOVES:])
            if is_decided and len(shares) > _SAMPLED_MOVE_LIMITS[1]:
                break
            position = position.play(move)
        yield record
        number += 1


def move_examples(engine_module: Any, records: Sequence[dict[str, list[str]]]) -> GoMoveExamples:
    """Return the positions of games with the features of their legal moves, except moves that fill an own eye."""
    from gomogo_core.engines.go import array_layout, board, move_features

    engine = engine_module.GoEngine(GAME, 1)
    state, position_starts = engine.state, [0]
    rows, best_rows, held_out = list[Array](), list[int](), list[bool]()

    def cell_of(text: str) -> int:
        move = GAME.parse(text)
        return array_layout.PASS if move is PASS else engine.cell_at_point(move)

    for number, record in enumerate(records):
        engine.set_position(GAME.start())
        for played_text, best_text in list(zip(record["moves"], record["best"], strict=True))[:_LEARNT_MOVE_COUNT]:
            empty_cells = state[array_layout.EMPTY_CELLS_START :][: state[array_layout.EMPTY_COUNT]].tolist()
            open_cells = (cell for cell in empty_cells if not board.is_eye(state, cell, state[array_layout.TURN]))
            stone_cells = [cell for cell in open_cells if board.is_legal(state, cell)]
            cells = [*stone_cells, array_layout.PASS]
            if cell_of(best_text) in cells:
                shape = len(cells), move_features.MAX_FEATURES_PER_MOVE
                feature_rows = np.full(shape, move_features.FEATURE_COUNT, np.int32)
                for row, cell in zip(feature_rows, cells, strict=True):
                    count = move_features.write_features(state, cell)
                    row[:count] = state[array_layout.CANDIDATES_START : array_layout.CANDIDATES_START + count]
                rows.append(feature_rows)
                best_rows.append(position_starts[-1] + cells.index(cell_of(best_text)))
                position_starts.append(position_starts[-1] + len(cells))
                held_out.append(number % _HELD_OUT_INTERVAL == 0)
            board.play(state, cell_of(played_text))
    return GoMoveExamples(np.concatenate(rows), np.array(position_starts), np.array(best_rows), np.array(held_out))


def least_neighbourhoods(count: int) -> Array:
    """Return for each of `count` neighbourhoods the least number among its eight orientations."""
    codes = np.arange(count)
    neighbours = [codes >> 2 * k & 3 for k in range(8)]
    least_codes = codes
    for orientation in range(8):
        least_codes = np.minimum(least_codes, sum(neighbour << 2 * k for k, neighbour in enumerate(neighbours)))
        neighbours = [neighbours[k] for k in (_MIRRORING if orientation == 3 else _QUARTER_TURN)]
    return least_codes


def fit_weights(examples: GoMoveExamples, seed: int) -> tuple[Array, list[float]]:
    """Fit the weights by Adam. Return them as int16, and the shares of held-out positions in which the move of the
    search is among the 1, 2, 4 and 8 best moves by these weights.
    """
    from gomogo_core.engines.go import move_features as moves

    least_codes = np.concatenate(
        [least_neighbourhoods(moves.NEIGHBOURHOOD_COUNT), np.arange(moves.NEIGHBOURHOOD_COUNT, moves.FEATURE_COUNT + 1)]
    )
    used_codes, columns = np.unique(least_codes[examples.features], return_inverse=True)
    columns = columns.reshape(examples.features.shape)
    weights, means, squares = (np.zeros(len(used_codes)) for _ in range(3))
    is_empty = used_codes == moves.FEATURE_COUNT
    fitted_positions, rng = np.flatnonzero(~examples.is_held_out), np.random.default_rng(seed)
    batches = -(-len(fitted_positions) // _BATCH_SIZE)
    for epoch in range(_EPOCHS):
        for number, batch in enumerate(np.array_split(rng.permutation(fitted_positions), batches)):
            step = epoch * batches + number + 1
            slope = _gradient(examples, columns, weights, batch) + _WEIGHT_DECAY * weights
            means += 0.1 * (slope - means)
            squares += 0.001 * (slope * slope - squares)
            rate = _LEARNING_RATE * (1 + np.cos(np.pi * step / (_EPOCHS * batches))) / 2
            weights -= rate * means / (1 - 0.9**step) / (np.sqrt(squares / (1 - 0.999**step)) + 1e-8)
            weights[is_empty] = 0.0
    scores, better_counts = weights[columns].sum(1), list[int]()
    for position in np.flatnonzero(examples.is_held_out):
        move_scores = scores[examples.position_starts[position] : examples.position_starts[position + 1]]
        better_counts.append(int((move_scores > scores[examples.best_rows[position]]).sum()))
    shares = [round(float(np.mean(np.array(better_counts) < count)), 3) for count in (1, 2, 4, 8)]
    all_weights = np.zeros(moves.FEATURE_COUNT + 1)
    all_weights[used_codes] = weights
    units = np.round(all_weights[least_codes][: moves.FEATURE_COUNT] * moves.UNITS_PER_LOG_ODDS)
    return np.clip(units, -_MAX_WEIGHT, _MAX_WEIGHT).astype(np.int16), shares


def _gradient(examples: GoMoveExamples, columns: Array, weights: Array, batch: Array) -> Array:
    """Return the gradient of the cross entropy between the weights' predictions and the search's choices."""
    counts = examples.position_starts[batch + 1] - examples.position_starts[batch]
    ends = np.cumsum(counts)
    starts = ends - counts
    rows = np.arange(ends[-1]) + np.repeat(examples.position_starts[batch] - starts, counts)
    scores = weights[columns[rows]].sum(1)
    odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), counts))
    odds /= np.repeat(np.add.reduceat(odds, starts), counts)
    odds[examples.best_rows[batch] - examples.position_starts[batch] + starts] -= 1
    repeated_odds = np.repeat(odds, columns.shape[1])
    return np.bincount(columns[rows].ravel(), repeated_odds, len(weights)) / len(batch)


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
    weights, shares = fit_weights(move_examples(engine_module, read_lines(games_path)[:games]), seed)
    np.save(folder / "priors.npy", weights)
    click.echo(json.dumps({"first": shares}))


if __name__ == "__main__":
    main()
