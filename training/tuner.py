"""A genetic search for the table of scores: tables play `greedy` without a network, thousands of games a minute.

Uses boards and tables, but no network. The author of MM-AI suggested such a search. Each generation keeps the better
half of the tables and fills the rest with mixtures of two of them, some numbers multiplied by a random factor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from training.gomoku import NAMES, GomokuBoards, ScoreTable, greedy_moves, point_scores
from training.gomoku.boards import BLACK, NO_MOVE, WHITE, Array
from training.settings import ScoresSettings

_CHANGED = 0.25  # share of the numbers that are changed
_FACTOR = 0.5  # the standard deviation of the logarithm of a change


class Generation(NamedTuple):
    """The best table of a generation, and the games that it wins against `greedy` as first and as second player."""

    number: int
    scores: ScoresSettings
    first: float
    second: float


def tune(start: ScoresSettings, generations: int, tables: int, games: int, seed: int) -> Iterator[Generation]:
    """Yield the best table of each generation: `tables` tables, each plays `games` games in each seat."""
    generator = np.random.default_rng(seed)
    population = [_numbers(start)] + [_mutate(_numbers(start), generator) for _ in range(tables - 1)]
    for number in range(1, generations + 1):
        results = [
            (_win_share(one, BLACK, games, generator), _win_share(one, WHITE, games, generator)) for one in population
        ]
        order = sorted(range(tables), key=lambda i: -sum(results[i]))
        yield Generation(number, _settings(population[order[0]]), *results[order[0]])
        parents = [population[i] for i in order[: max(2, tables // 2)]]
        children: list[Array] = []
        while len(parents) + len(children) < tables:
            one, other = (parents[i] for i in generator.choice(len(parents), 2, replace=False))
            children.append(_mutate(np.where(generator.random(one.shape) < 0.5, one, other), generator))
        population = parents + children


def as_toml(scores: ScoresSettings) -> str:
    """Return the two tables of a settings file."""
    lines = []
    for side in ("own", "opponent"):
        lines.append(f"[scores.{side}]")
        lines += [f"{name} = {value:.4g}" for name, value in msgspec.structs.asdict(getattr(scores, side)).items()]
        lines.append("")
    return "\n".join(lines)


def _numbers(scores: ScoresSettings) -> Array:
    return np.array([[getattr(side, name) for name in NAMES] for side in (scores.own, scores.opponent)])


def _settings(numbers: Array) -> ScoresSettings:
    sides = (dict(zip(NAMES, map(float, row), strict=True)) for row in numbers)
    return msgspec.convert(dict(zip(("own", "opponent"), sides, strict=True)), ScoresSettings)


def _mutate(numbers: Array, generator: np.random.Generator) -> Array:
    factors = np.exp(generator.normal(0, _FACTOR, numbers.shape))
    return np.asarray(numbers * np.where(generator.random(numbers.shape) < _CHANGED, factors, 1.0))


def _win_share(numbers: Array, colour: int, games: int, generator: np.random.Generator) -> float:
    """Play the best-scored points of a table against `greedy`, and return the share of games won."""
    sides = (dict(zip(NAMES, row, strict=True)) for row in numbers)
    table, boards = ScoreTable(*sides), GomokuBoards(games)
    while (running := boards.winners == 0).any():
        if int(boards.stones.max()) % 2 == colour - 1:
            own = point_scores(boards, table)
            best = own == own.max(axis=1, keepdims=True)
            moves = np.argmax(best * generator.random(best.shape), axis=1)
        else:
            moves = greedy_moves(boards, generator)
        boards.play(np.where(running, moves, NO_MOVE))
    return float((boards.winners == colour).mean())
