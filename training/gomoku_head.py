"""Fit the head of the champion's evaluation on its own games, and write a file like
gomogo_core/engines/gomoku/head.npy.

    python -m training.gomoku_head FOLDER --games 4000 --nodes 2500 --seed 1
    python -m training.gomoku_head FOLDER --match 200

The first command plays games as training.gomoku_classes does, and appends them to FOLDER/games.jsonl. Then it fits the
head, and writes FOLDER/head.npy. The second command plays the fitted head against the champion's head, in pairs of
games from the balanced openings, at 4,000 nodes per move, and prints the result.

The head (the value network in gomogo_core/engines/gomoku/classes.py) is a network with one hidden layer of rectified
units. Its inputs are the sum of the point values, and the number of points of each class for both colours, in steps.
The target is 0.7 × search + 0.3 × result, as a probability of winning. Every tenth game is held out. The program needs
numpy only, and one core for a minute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gomogo_core.games.gomoku import Gomoku
from training.gomoku_classes import fit_command

_SEARCH_SHARE = 0.7  # weight of the search value in the target; the result has the rest
_VALUE_PER_LOG_ODDS = 256.0  # units of the engine's values per unit of the logistic scale
# the fitted values are divided by this number, because the search's margins were tuned for smaller values
_VALUE_DIVISOR = 1.3
_MAX_VALUE = 3000.0  # in the engine's units; a larger value is a certain win
_HELD_OUT_INTERVAL = 10  # every tenth game is held out
_BATCH_SIZE, _LEARNING_RATE, _WEIGHT_DECAY = 512, 3e-3, 1e-5

Array = Any  # an array; docstrings state the shape and the type of its elements


def quiet_positions(engine: Any, record: dict[str, Any]) -> Iterator[tuple[int, int, Array]]:
    """Play a game on the engine's board, and stop at each position in which no five or winning four is possible.

    For each position, yield the number of the next move, its colour, and the steps of the counts of classes, beginning
    with the mover's.
    """
    from gomogo_core.engines.gomoku import array_layout, board, classes

    place_stone: Any = board.place_stone  # mypy does not understand Numba's types
    s, size = engine.state, engine.game.size
    engine.set_position(bytes.fromhex(record["cells"]))
    for i, (move, _) in enumerate(record["moves"]):
        mover = int(s[array_layout.TURN])
        counts = s[array_layout.CLASS_COUNTS_START : array_layout.CLASS_COUNTS_START + 48].reshape(3, 16)[
            [mover, 3 - mover]
        ]
        if not counts[:, [classes.WINNING_FOUR, classes.FIVE]].any():
            class_counts = counts[:, classes.FIRST_COUNTED_CLASS :][:, : classes.COUNTED_CLASSES].ravel()
            yield i, mover, classes.STEP_OF_COUNT[np.minimum(class_counts, 63)]
        place_stone(engine.arrays, array_layout.cell_of(move % size, move // size))


def position_features(
    engine_module: Any, game: Gomoku, records: Sequence[dict[str, Any]]
) -> tuple[Array, Array, Array, Array]:
    """Return four arrays for the positions in which no five and no winning four is possible: the steps of the counts of
    classes, the sums of the point values, the targets, and the numbers of the games.
    """
    from gomogo_core.engines.gomoku import search

    engine = engine_module.GomokuEngine(game, memory_mb=1)
    steps, sums, targets, games = [], [], [], []
    for number, record in enumerate(records):
        for i, mover, count_steps in quiet_positions(engine, record):
            result = 0.5 if record["winner"] == 0 else float(record["winner"] == mover)
            value = record["moves"][i][1]
            steps.append(count_steps)
            sums.append(search.point_value_sum(engine.state))
            expected = 1 / (1 + np.exp(-np.clip(value, -_MAX_VALUE, _MAX_VALUE) / _VALUE_PER_LOG_ODDS))
            targets.append(_SEARCH_SHARE * expected + (1 - _SEARCH_SHARE) * result)
            games.append(number)
    return np.array(steps), np.array(sums), np.array(targets, np.float32), np.array(games)


def one_hot_steps(steps: Array) -> Array:
    """Return the one-hot form of the steps, float32 with a row for each position. A step 0 has no column."""
    from gomogo_core.engines.gomoku import classes

    one_hot = np.zeros((len(steps), steps.shape[1] * classes.COUNT_STEPS), np.float32)
    columns = steps + classes.COUNT_STEPS * np.arange(steps.shape[1])
    np.put_along_axis(one_hot, columns, (steps > 0).astype(np.float32), 1)
    return one_hot


def fit_to_features(
    features: tuple[Array, Array, Array, Array], seed: int, epochs: int = 8
) -> tuple[Array, float, float]:
    """Fit the head by Adam to the arrays that `position_features` returns. Return the head and two losses on held-out
    games.

    The first is the loss of a model that uses only the sum of the point values; the second is the loss of the head.
    """
    from gomogo_core.engines.gomoku import classes
    from gomogo_core.engines.gomoku.array_layout import HIDDEN_UNITS

    steps, sums, target, games = features
    one_hot = one_hot_steps(steps)
    inputs = one_hot.shape[1]
    x = np.concatenate([one_hot, (sums / _VALUE_PER_LOG_ODDS).astype(np.float32)[:, None]], axis=1)
    held_out = games % _HELD_OUT_INTERVAL == 0
    rng = np.random.default_rng(seed)
    weights = rng.normal(0, 0.1, (inputs + 1, HIDDEN_UNITS)).astype(np.float32)
    bias = np.zeros(HIDDEN_UNITS, np.float32)
    output_weights = rng.normal(0, 0.1, HIDDEN_UNITS).astype(np.float32)
    direct_weights = np.array([1, 0], np.float32)  # the weight of the sum of points, and the bias
    parameters: list[Array] = [weights, bias, output_weights, direct_weights]
    means, squares = ([np.zeros_like(parameter) for parameter in parameters] for _ in range(2))

    def hidden_and_output(rows: Array) -> tuple[Array, Array]:
        hidden = np.maximum(x[rows] @ weights + bias, 0)
        return hidden, hidden @ output_weights + direct_weights[0] * x[rows, inputs] + direct_weights[1]

    def loss(z: Array, rows: Array) -> float:
        return float(np.mean(np.logaddexp(0, z) - target[rows] * z))

    fitted_rows, held_out_rows = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    batch = min(_BATCH_SIZE, len(fitted_rows))
    batches = len(fitted_rows) // batch
    step, step_count = 0, epochs * batches
    for _ in range(epochs):
        rng.shuffle(fitted_rows)
        for rows in np.split(fitted_rows[: batches * batch], batches):
            hidden, z = hidden_and_output(rows)
            error = (1 / (1 + np.exp(-z)) - target[rows]) / batch
            hidden_errors = np.outer(error, output_weights) * (hidden > 0)
            slopes = [
                x[rows].T @ hidden_errors,
                hidden_errors.sum(0),
                hidden.T @ error,
                [error @ x[rows, inputs], error.sum()],
            ]
            rate = _LEARNING_RATE * (1 + np.cos(np.pi * step / step_count)) / 2
            step += 1
            for parameter, slope, mean, square in zip(parameters, slopes, means, squares, strict=True):
                slope = slope + _WEIGHT_DECAY * parameter
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                parameter -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    head = np.zeros((classes.VALUE_NETWORK_ROWS, HIDDEN_UNITS))
    unit = 1 << classes.HIDDEN_BITS
    # the sum has 8 binary digits after the point, like _VALUE_PER_LOG_ODDS
    head[0], head[1] = bias * unit, weights[inputs] * unit
    head[2] = output_weights * (_VALUE_PER_LOG_ODDS / _VALUE_DIVISOR) * (1 << classes.RESULT_BITS) / unit
    scales = np.array([1, _VALUE_PER_LOG_ODDS]) / _VALUE_DIVISOR
    head[3, :2] = direct_weights * scales * (1 << classes.RESULT_BITS)
    head[4:] = weights[:inputs] * unit
    return (
        np.round(head).astype(np.int32),
        loss(x[held_out_rows, inputs], held_out_rows),
        loss(hidden_and_output(held_out_rows)[1], held_out_rows),
    )


def fit_head(engine_module: Any, records: Sequence[dict[str, Any]], seed: int) -> tuple[Array, dict[str, Any]]:
    """Return the head that is fitted on these games, and the losses before and after."""
    features = position_features(engine_module, Gomoku(), records)
    head, before, after = fit_to_features(features, seed)
    return head, {"positions": len(features[0]), "loss": [round(before, 4), round(after, 4)]}


main = fit_command("head", "value_network", fit_head)


if __name__ == "__main__":
    main()
