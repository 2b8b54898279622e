"""Fit the champion's class tables on its own games, and write a file like gomogo_core/engines/gomoku/weights.py.

    python -m training.gomoku_classes FOLDER --games 2000 --nodes 3000 --seed 1
    python -m training.gomoku_classes FOLDER --match 200

The first command plays games of the champion against itself, from random openings, and keeps each move with the value
that its search found. It then fits the tables and writes FOLDER/weights.py. The second command plays the fitted tables
against those of the champion, in pairs of games from the balanced openings, and prints the result.

The evaluation is linear in its parameters: it adds a number for each shape and each class of every empty point. So the
fit is a logistic regression. Its target is a probability of winning: 0.7 times the probability that follows from the
value of the search, plus 0.3 times the result of the game. The fit starts at the champion's tables. A penalty keeps a
parameter near its value in these tables if the games hardly determine it. Every tenth game is held out.

Games and pairs are stored as lines of files in FOLDER. Each depends only on the seed and its number, so a command that
was killed can be continued. It runs on one core; 2,000 games with 3,000 nodes per move take about ten minutes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import click
import numpy as np

from gomogo_core.engines import compiling
from gomogo_core.games.base import Move
from gomogo_core.games.gomoku import Gomoku
from tournaments.openings import load_openings
from tournaments.sprt import Sprt
from training.champion_games import ENGINE_MEMORY_MB, GAMES_FILE, append_until, read_lines, self_play_games

_SEARCH_SHARE = 0.7  # weight of the search value in the target; the result has the rest
_VALUE_PER_LOG_ODDS = 256.0  # units of the tables per unit of the logistic scale
_HELD_OUT_INTERVAL = 10  # every tenth game is held out
_PENALTY = 1e-4  # penalty on the squared distance of a parameter from the champion's, in logistic units
_ADAM_STEPS, _LEARNING_RATE = 1500, 0.02  # steps and learning rate of Adam
_NODES_PER_MATCH_MOVE = 4000  # nodes per move in a match of a fitted part

Array = Any  # an array; docstrings state the shape and the type of its elements


@dataclass(frozen=True)
class PositionFeatures:
    """The features of positions that the fit uses.

    `parameter_counts` holds a number for each position and each parameter: the number of points that have this shape or
    class for the mover, minus the number for the opponent. `search_values` are the values of the searches. A result is
    1 for a
    win of the mover, 0.5 for a draw, 0 for a loss. `game_numbers` are the numbers of the games.
    """

    parameter_counts: Array
    search_values: Array
    results: Array
    game_numbers: Array


def extract_features(engine_module: Any, game: Gomoku, records: Sequence[dict[str, Any]]) -> PositionFeatures:
    """Set up every position of the games, and read the shapes and classes of its points from the board."""
    from gomogo_core.engines.gomoku import array_layout, classes

    engine = engine_module.GomokuEngine(game, memory_mb=1)
    size = game.size
    all_cells = [array_layout.cell_of(column, row) for row in range(size) for column in range(size)]
    record_starts = np.array(all_cells) * array_layout.RECORD_SIZE
    features = PositionFeatures([], [], [], [])
    for number, record in enumerate(records):
        cells = bytearray.fromhex(record["cells"])
        for move, value in record["moves"]:
            mover = 1 if cells.count(1) == cells.count(2) else 2
            engine.set_position(bytes(cells))
            empty_points = np.flatnonzero(np.frombuffer(bytes(cells), np.uint8) == 0)
            shapes = engine.state[record_starts[empty_points] + array_layout.POINT_SHAPES].astype(np.int64) & 0xFFFFFFFF
            kinds = engine.state[record_starts[empty_points] + array_layout.POINT_CLASSES].astype(np.int64)
            own_rows, other_rows = (_parameter_rows(shapes, kinds, colour, classes) for colour in (mover, 3 - mover))
            if not _is_forced(kinds, classes) and abs(value) < engine_module.engine.CERTAIN_THRESHOLD:
                rows = classes.SHAPE_COUNT + classes.CLASS_COUNT
                counts = np.zeros((rows, 2))
                counts[:, 0] = np.bincount(own_rows.ravel(), minlength=rows)
                counts[:, 1] = -np.bincount(other_rows.ravel(), minlength=rows)
                features.parameter_counts.append(counts.ravel())
                features.search_values.append(value)
                winner = record["winner"]
                features.results.append(0.5 if winner == 0 else float(winner == mover))
                features.game_numbers.append(number)
            cells[move] = mover
    return PositionFeatures(
        np.array(features.parameter_counts, np.float32),
        np.array(features.search_values, np.float32),
        np.array(features.results, np.float32),
        np.array(features.game_numbers),
    )


def _parameter_rows(shapes: Array, kinds: Array, colour: int, classes: Any) -> Array:
    """Return, for each point, the parameter rows that count for a colour: its four shapes and its class."""
    own_shapes = shapes >> 16 * (colour - 1)
    parts = [(own_shapes >> 4 * i) & 15 for i in range(4)]
    return np.stack([*parts, classes.SHAPE_COUNT + ((kinds >> 4 * (colour - 1)) & 15)], axis=1)


def _is_forced(kinds: Array, classes: Any) -> bool:
    """Return whether a player can make a five or a winning four, so that the search needs no evaluation."""
    return bool(np.any((kinds & 15) >= classes.WINNING_FOUR) or np.any((kinds >> 4) >= classes.WINNING_FOUR))


def fit_parameters(features: PositionFeatures, start: Array, tempo: int) -> tuple[Array, float, float]:
    """Fit the parameters by Adam. Return them, and the losses on held-out games before and after the fit.

    `start` holds the champion's parameters, in units of the log-odds, one row for each shape or class.
    """
    search_part = _SEARCH_SHARE / (1 + np.exp(-features.search_values / _VALUE_PER_LOG_ODDS))
    target = search_part + (1 - _SEARCH_SHARE) * features.results
    held_out = features.game_numbers % _HELD_OUT_INTERVAL == 0
    offset = tempo / _VALUE_PER_LOG_ODDS

    def loss(weights: Array, indices: Array) -> float:
        z = features.parameter_counts[indices] @ weights + offset
        return float(np.mean(np.logaddexp(0, z) - target[indices] * z))

    counts, y = features.parameter_counts[~held_out], target[~held_out]

    def gradient(weights: Array) -> Array:
        p = 1 / (1 + np.exp(-(counts @ weights + offset)))
        return counts.T @ (p - y) / len(y)

    first = start.ravel().astype(np.float32)
    fitted = _minimize_by_adam(first, gradient)
    return fitted.reshape(start.shape), loss(first, held_out), loss(fitted, held_out)


def _minimize_by_adam(start: Array, gradient: Any) -> Array:
    """Minimize the loss from `start` by Adam (D. Kingma and J. Ba, 2015), with the penalty."""
    weights, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, _ADAM_STEPS + 1):
        slope = gradient(weights) + 2 * _PENALTY * (weights - start)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        weights = weights - _LEARNING_RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


def fit_tables(engine_module: Any, records: Sequence[dict[str, Any]]) -> tuple[Array, dict[str, Any]]:
    """Return the parameters in the form of weights.py, and the losses of the fit."""
    from gomogo_core.engines.gomoku import classes, weights

    features = extract_features(engine_module, Gomoku(), records)
    rows = classes.SHAPE_COUNT + classes.CLASS_COUNT
    sixteenths = 1 << classes.PARAMETER_FRACTION_BITS
    table = classes.shipped_parameters().reshape(rows, classes.PARAMETER_COLUMNS).astype(np.float64) / sixteenths
    values, value_before, value_after = fit_parameters(features, table / _VALUE_PER_LOG_ODDS, weights.TEMPO)
    whole = np.round(values * _VALUE_PER_LOG_ODDS * sixteenths).astype(np.int32)
    losses = {"positions": len(features.search_values), "value_loss": [round(value_before, 4), round(value_after, 4)]}
    return whole.ravel(), losses


def weights_source(evaluation_parameters: Iterable[int], tempo: int) -> str:
    """Return the text of weights.py with these parameters."""
    from gomogo_core.engines.gomoku import weights

    texts, length = [f"{int(number)}," for number in evaluation_parameters], 8
    rows = (" ".join(texts[start : start + length]) for start in range(0, len(texts), length))
    numbers = "".join(f"    {row}\n" for row in rows)
    return (
        f'"""{weights.__doc__}"""\n\nTEMPO = {tempo}  # units of value that are added for the player to move\n\n'
        f"PARAMETERS = (\n{numbers})  # fmt: skip\n"
    )


def play_pairs(
    engine_module: Any, evaluation_parameters: Array, seed: int, nodes: int, first_number: int, **parts: Array
) -> Iterator[list[float]]:
    """Yield the scores of fitted tables in pairs of games from balanced openings.

    `first_number` is the number of the first pair. `parts` are other fitted parts of the evaluation, as the engine's
    arguments. Unless `parts` has a line network, neither player uses one, since it would replace the other parts.
    """
    line_network_option: dict[str, Any] = {} if "line_network" in parts else {"line_network": {}}
    game = Gomoku()
    book = load_openings("balanced", game, seed=seed, folder=Path())
    number = first_number
    while True:
        opening: list[Move] = [game.parse(ply.move) for ply in book.plies(number)]
        scores = []
        for seat in (1, 2):
            new_engine = engine_module.GomokuEngine(
                game,
                memory_mb=ENGINE_MEMORY_MB,
                evaluation_parameters=evaluation_parameters,
                **line_network_option,
                **parts,
            )
            old_engine = engine_module.GomokuEngine(game, memory_mb=ENGINE_MEMORY_MB, **line_network_option)
            position = game.replay(opening)
            while (outcome := position.outcome()) is None:
                engine = new_engine if position.to_move == seat else old_engine
                best_line = engine.analyse(position, nodes=nodes).lines[0]
                position = position.play(game.board.points[best_line.point_numbers[0]])
            scores.append(0.5 if outcome.winner is None else float(outcome.winner == seat))
        yield scores
        number += 1


def match_report(scores: Sequence[Sequence[float]]) -> str:
    """Return the score of the fitted tables, the Elo with its 95 % interval, and a sequential test."""
    means = [fmean(pair) for pair in scores]
    if len(means) < 2:
        return f"{len(means)} pair, score {fmean(means):.3f}: one pair gives no interval."
    error = 1.96 * stdev(means) / math.sqrt(len(means))
    low, middle, high = (_elo(fmean(means) + sign * error) for sign in (-1, 0, 1))
    counts = [sum(round(2 * sum(pair)) == points for pair in scores) for points in range(5)]
    verdict = Sprt.create(0.0, 30.0).compute_verdict(counts)
    return (
        f"{len(means)} pairs, score {fmean(means):.3f}: {middle:+z.0f} Elo [{low:+z.0f}, {high:+z.0f}]. "
        f"0 against +30 Elo (normalized): {verdict.summary()}"
    )


def _elo(score: float) -> float:
    score = min(max(score, 0.001), 0.999)
    return -400 * math.log10(1 / score - 1)


def play_match(
    engine_module: Any, fitted_path: Path, argument: str, load: Callable[[Path], Any], pairs: int, seed: int
) -> str:
    """Play a fitted part against the champion's until the file of pairs beside it is complete. Return the result.

    `load` reads the part from the file `fitted_path`, and `argument` is the engine's argument for it. Raises
    click.UsageError if the file does not exist.
    """
    from gomogo_core.engines.gomoku import classes

    if not fitted_path.exists():
        raise click.UsageError(
            f"{fitted_path} does not exist.\nRun the command without --match first: it fits this part."
        )
    pairs_path = fitted_path.with_name(f"{fitted_path.stem}-match.jsonl")
    shipped_parameters = classes.shipped_parameters()
    parts = {argument: load(fitted_path)}
    new_scores = play_pairs(
        engine_module, shipped_parameters, seed, _NODES_PER_MATCH_MOVE, len(read_lines(pairs_path)), **parts
    )
    append_until(pairs_path, pairs, new_scores)
    return match_report(read_lines(pairs_path)[:pairs])


def fit_command(
    part: str, argument: str, fit: Callable[[Any, list[dict[str, Any]], int], tuple[Array, dict[str, Any]]]
) -> click.Command:
    """Return the command that fits a part of the evaluation, or plays the fitted part against the champion's.

    `part` is the name of the files, and `argument` the engine's argument for this part. `fit` takes the engine's
    module, game records and a seed; it returns the fitted part, and the figures to print.
    """

    @click.command(help=f"Fit the {part} on games in FOLDER, or play the fitted {part} against the champion's.")
    @click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
    @click.option("--games", default=4000, show_default=True, type=click.IntRange(2), help="Games against itself.")
    @click.option("--nodes", default=2500, show_default=True, help="Nodes of each search.")
    @click.option("--seed", default=1, show_default=True, help="Seed of the openings and of the fit.")
    @click.option(
        "--match", "match_pairs", default=0, show_default=True, help=f"Pairs of games against the champion's {part}."
    )
    def main(folder: Path, games: int, nodes: int, seed: int, match_pairs: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        engine_module = compiling.load("gomogo_core.engines.gomoku")
        games_path, fitted_path = folder / GAMES_FILE, folder / f"{part}.npy"
        pairs_path = folder / f"{part}-match.jsonl"
        if match_pairs:

            def load(path: Path) -> Array:
                return np.load(path).astype(np.int32).ravel()

            click.echo(play_match(engine_module, fitted_path, argument, load, match_pairs, seed))
            return
        append_until(
            games_path, games, self_play_games(engine_module, Gomoku(), seed, nodes, len(read_lines(games_path)))
        )
        values, report = fit(engine_module, read_lines(games_path)[:games], seed)
        np.save(fitted_path, values)
        pairs_path.unlink(missing_ok=True)  # these pairs were played with another fit
        click.echo(json.dumps(report))

    return main


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--games", default=2000, show_default=True, help="Games of the champion against itself.")
@click.option("--nodes", default=3000, show_default=True, help="Nodes of each search.")
@click.option("--seed", default=1, show_default=True, help="Seed of the openings.")
@click.option(
    "--match", "match_pairs", default=0, show_default=True, help="Pairs of games against the champion's tables."
)
def main(folder: Path, games: int, nodes: int, seed: int, match_pairs: int) -> None:
    """Fit the tables on games in FOLDER, or play the fitted tables against the champion's."""
    folder.mkdir(parents=True, exist_ok=True)
    engine_module = compiling.load("gomogo_core.engines.gomoku")
    games_path, parameters_path, pairs_path = folder / GAMES_FILE, folder / "parameters.json", folder / "match.jsonl"
    if not match_pairs:
        from gomogo_core.engines.gomoku import weights

        append_until(
            games_path, games, self_play_games(engine_module, Gomoku(), seed, nodes, len(read_lines(games_path)))
        )
        evaluation_parameters, losses = fit_tables(engine_module, read_lines(games_path)[:games])
        parameters_path.write_text(json.dumps(evaluation_parameters.tolist()) + "\n", encoding="utf-8")
        (folder / "weights.py").write_text(weights_source(evaluation_parameters, weights.TEMPO), encoding="utf-8")
        pairs_path.unlink(missing_ok=True)  # these pairs were played with other tables
        click.echo(json.dumps(losses))
        return
    evaluation_parameters = np.array(read_lines(parameters_path)[0], np.int32)
    new_pairs = play_pairs(engine_module, evaluation_parameters, seed, nodes, len(read_lines(pairs_path)))
    append_until(pairs_path, match_pairs, new_pairs)
    click.echo(match_report(read_lines(pairs_path)[:match_pairs]))


if __name__ == "__main__":
    main()
