"""A genetic algorithm that searches for the best table of scores, or for the best settings of a training.

A table of scores plays thousands of games per minute against `greedy`, without a network. Other settings are measured
by short trainings. The author of MM-AI suggested such a search. Each generation keeps the better half of its members.
It fills the rest with combinations of two members, in which some numbers are multiplied by a random factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np

from training.gomoku import SCORE_NAMES, GomokuBoards, ScoreTable, greedy_moves, point_scores
from training.gomoku.boards import BLACK, NO_MOVE, WHITE, Array
from training.settings import ScoreTableSettings, TrainingSettings

# the settings of a training that are searched, by section
_SEARCHED_SETTINGS = {
    "network": ("hidden",),
    "optimiser": ("learning_rate", "last_rate"),
    "learning": ("exploration", "long_weight", "samples", "batch", "near"),
}
_MUTATION_SHARE = 0.25  # share of the numbers that a mutation changes
_MUTATION_SPREAD = 0.5  # the standard deviation of the logarithm of a change


Settings = TypeVar("Settings", ScoreTableSettings, TrainingSettings)


class Generation(NamedTuple, Generic[Settings]):
    """The best member of a generation.

    For a table, `measures` are the shares of games won as first and as second player. For a training, they are measured
    in the second half of its games: the mean reward of its moves as a share of the best reward, and the share of games
    won.
    """

    number: int
    settings: Settings
    measures: tuple[float, float]


def tune_score_table(
    start: ScoreTableSettings, generations: int, tables: int, games: int, seed: int
) -> Iterator[Generation[ScoreTableSettings]]:
    """Yield the best table of each generation of `tables` tables. Each table plays `games` games in each seat."""
    generator = np.random.default_rng(seed)

    def measure(numbers: Array) -> tuple[float, float]:
        return tuple(_win_share(numbers, colour, games, generator) for colour in (BLACK, WHITE))  # type: ignore[return-value]

    for number, numbers, measures in _evolve(_scores_as_array(start), measure, generations, tables, generator):
        yield Generation(number, _scores_from_array(numbers), measures)


def tune_training(
    start: TrainingSettings, generations: int, trainings: int, games: int, seed: int
) -> Iterator[Generation[TrainingSettings]]:
    """Yield the best settings of each generation of `trainings` trainings. Each training plays `games` games against
    `greedy`.

    Every training has the same seed. Whole numbers are rounded, and stay within the limits of the settings.
    """
    from training.learning import Learner

    def measure(numbers: Array) -> tuple[float, float]:
        learner = Learner(_with_searched_values(start, numbers), seed)
        rows = []
        while learner.games < games:
            rows.append(learner.play_round("greedy", min(start.learning.round, games - learner.games)))
        later_rows = rows[len(rows) // 2 :]
        win_share = sum(row.wins for row in later_rows) / sum(row.games for row in later_rows)
        return sum(row.accuracy for row in later_rows) / len(later_rows), win_share

    generator = np.random.default_rng(seed)
    start_values = msgspec.to_builtins(start)
    paths = ((section, name) for section, names in _SEARCHED_SETTINGS.items() for name in names)
    numbers = np.array([float(start_values[section][name]) for section, name in paths])
    for number, best, measures in _evolve(numbers, measure, generations, trainings, generator):
        yield Generation(number, _with_searched_values(start, best), measures)


def _with_searched_values(start: TrainingSettings, numbers: Array) -> TrainingSettings:
    """Return the settings, with `numbers` in place of the numbers that are searched."""
    content: dict[str, dict[str, Any]] = msgspec.to_builtins(start)
    numbers_left = iter(numbers.tolist())
    for section, names in _SEARCHED_SETTINGS.items():
        for name in names:
            value, min_value = next(numbers_left), 3 if name == "batch" else 1
            content[section][name] = max(min_value, round(value)) if isinstance(content[section][name], int) else value
    content["learning"]["exploration"] = min(1.0, content["learning"]["exploration"])
    return msgspec.convert(content, TrainingSettings)


def _evolve(
    start: Array,
    measure: Callable[[Array], tuple[float, float]],
    generations: int,
    members: int,
    generator: np.random.Generator,
) -> Iterator[tuple[int, Array, tuple[float, float]]]:
    """Yield the number of each generation, its best member, and the member's two measures. The algorithm maximises the
    sum of both measures.
    """
    population = [start] + [_mutate(start, generator) for _ in range(members - 1)]
    for number in range(1, generations + 1):
        results = [measure(settings) for settings in population]
        order = sorted(range(members), key=lambda i: -sum(results[i]))
        yield number, population[order[0]], results[order[0]]
        parents = [population[i] for i in order[: max(2, members // 2)]]
        children: list[Array] = []
        while len(parents) + len(children) < members:
            first_parent, second_parent = (parents[i] for i in generator.choice(len(parents), 2, replace=False))
            from_first = generator.random(first_parent.shape) < 0.5
            children.append(_mutate(np.where(from_first, first_parent, second_parent), generator))
        population = parents + children


def as_toml(settings: ScoreTableSettings | TrainingSettings) -> str:
    """Return sections of a settings file: both tables of scores, or the settings that `tune_training` searches."""
    content: dict[str, dict[str, float]] = msgspec.to_builtins(settings)
    if isinstance(settings, TrainingSettings):
        sections = {
            section: {name: content[section][name] for name in names} for section, names in _SEARCHED_SETTINGS.items()
        }
    else:
        sections = {f"scores.{side}": content[side] for side in ("own", "opponent")}
    lines = []
    for section, values in sections.items():
        lines += [f"[{section}]", *(f"{name} = {_as_text(value)}" for name, value in values.items()), ""]
    return "\n".join(lines)


def _as_text(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _scores_as_array(scores: ScoreTableSettings) -> Array:
    return np.array([[getattr(side, name) for name in SCORE_NAMES] for side in (scores.own, scores.opponent)])


def _scores_from_array(numbers: Array) -> ScoreTableSettings:
    sides = (dict(zip(SCORE_NAMES, map(float, row), strict=True)) for row in numbers)
    return msgspec.convert(dict(zip(("own", "opponent"), sides, strict=True)), ScoreTableSettings)


def _mutate(numbers: Array, generator: np.random.Generator) -> Array:
    factors = np.exp(generator.normal(0, _MUTATION_SPREAD, numbers.shape))
    return np.asarray(numbers * np.where(generator.random(numbers.shape) < _MUTATION_SHARE, factors, 1.0))


def _win_share(numbers: Array, colour: int, games: int, generator: np.random.Generator) -> float:
    """Play the points with the highest scores of a table against `greedy`, and return the share of games won."""
    sides = (dict(zip(SCORE_NAMES, row, strict=True)) for row in numbers)
    table, boards = ScoreTable(*sides), GomokuBoards(games)
    while (running := boards.winners == 0).any():
        if int(boards.stones.max()) % 2 == colour - 1:
            scores = point_scores(boards, table)
            is_best = scores == scores.max(axis=1, keepdims=True)
            moves = np.argmax(is_best * generator.random(is_best.shape), axis=1)
        else:
            moves = greedy_moves(boards, generator)
        boards.play(np.where(running, moves, NO_MOVE))
    return float((boards.winners == colour).mean())
