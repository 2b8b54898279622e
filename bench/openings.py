"""How even the openings of `random:N` are, compared with all random openings in which neither player has a certain win.

python -m bench.openings --json

From each opening, alpha-beta plays games against itself, at a random depth of 1 or 2 and with occasional random moves.
`first_wins` is the mean score of the first player; it is 0.5 if the openings favour no player. `uneven` is the mean
distance between the score of an opening and 0.5, and `uneven_floor` is the same figure if a coin decided each game.
`ms` is the time to make an opening, in milliseconds.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import click

from gomogo_core.games import load
from gomogo_core.games.base import Game, Move
from gomogo_core.search import SearchLimits, alpha_beta, plies_to_end
from tournaments import random_openings

_RANDOM_MOVE_SHARE = 0.12  # the share of moves that are random

CreateOpening = Callable[[int], Sequence[Move]]


def _create_undecided_opening(game: Game, plies: int, number: int) -> Sequence[Move]:
    """Return the first of a series of random openings after which no player has a certain win."""
    rng = random.Random(number)
    for _ in count():
        moves, position = random_openings.choose_random_moves(game, plies, rng)
        if position is not None and plies_to_end(alpha_beta.search(position, SearchLimits(depth=2)).value) is None:
            return moves
    raise AssertionError


def _play_and_score(game: Game, opening: Sequence[Move], rng: random.Random) -> float:
    """Return the first player's score in one game of alpha-beta against itself from an opening."""
    position = game.replay(opening)
    while (outcome := position.outcome()) is None:
        if rng.random() < _RANDOM_MOVE_SHARE:
            move = rng.choice(random_openings.find_candidate_moves(position, len(opening)))
        else:
            move = alpha_beta.search(position, SearchLimits(depth=rng.choice((1, 2, 2)))).move
        position = position.play(move)
    return 0.5 if outcome.winner is None else float(outcome.winner == 1)


def _measure_balance(game: Game, openings: int, games: int, create_opening: CreateOpening) -> dict[str, float]:
    seconds, means = [], []
    for number in range(openings):
        begin = time.perf_counter()
        moves = create_opening(number)
        seconds.append(time.perf_counter() - begin)
        generators = (random.Random(f"{number}:{game_number}") for game_number in range(games))
        scores = [_play_and_score(game, moves, generator) for generator in generators]
        means.append(statistics.fmean(scores))
    return {
        "first_wins": round(statistics.fmean(means), 3),
        "uneven": round(statistics.fmean(abs(mean - 0.5) for mean in means), 3),
        "ms": round(1e3 * statistics.median(seconds), 1),
    }


def _measure_uneven_by_chance(openings: int, games: int) -> float:
    rng = random.Random(1)
    means = [statistics.fmean(rng.choice((0, 1)) for _ in range(games)) for _ in range(100 * openings)]
    return round(statistics.fmean(abs(mean - 0.5) for mean in means), 3)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--game", "name", default="gomoku", show_default=True, help="The game.")
@click.option("--plies", default=4, show_default=True, help="Number of moves of an opening.")
@click.option("--openings", default=150, show_default=True, help="Number of openings.")
@click.option("--games", default=8, show_default=True, help="Games from each opening.")
def main(as_json: bool, name: str, plies: int, openings: int, games: int) -> None:
    """Measure how balanced random openings are."""
    game = load(name)
    figures: dict[str, Any] = {
        "game": name,
        "random": _measure_balance(
            game, openings, games, lambda number: random_openings.create_even_opening(game, plies, 1, number)
        ),
        "any": _measure_balance(game, openings, games, lambda number: _create_undecided_opening(game, plies, number)),
        "uneven_floor": _measure_uneven_by_chance(openings, games),
    }
    summary = ", ".join(f"{key}: {value}" for key, value in figures.items())
    click.echo(json.dumps(figures) if as_json else summary)


if __name__ == "__main__":
    main()
