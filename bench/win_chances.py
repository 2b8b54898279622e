"""Compares the win chances of the champions' scores with the results of games that the champions play against
themselves.

    python -m bench.win_chances gomoku --games 400 --nodes 300 --scoring-nodes 20000

Each game begins with 0 to 6 random moves near the centre; then the champion plays both sides with `--nodes` per move. A
second search with `--scoring-nodes` gives each position a score. The fitted scale is that of a logistic function from
the score to the result, with the greatest likelihood: a position is won with the probability 1 / (1 + exp(-score /
scale)). Scores that a search has proved are left out, since they are certain. `loss` is the mean negative logarithm of
the probability of the result: with the fitted scale, and in parentheses with the scale in use.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics
from collections.abc import Sequence
from typing import NamedTuple

import click

from gomogo.options import load_game
from gomogo_core.analysis import live_analysis
from gomogo_core.games.base import Game, Position
from gomogo_core.search import SearchLimits
from gomogo_core.search.node import CERTAIN_THRESHOLD
from gomogo_core.search.result import PositionAnalysis
from tournaments.random_openings import choose_random_moves

_MAX_RANDOM_MOVES = 6
_MAX_MOVES = 400  # a longer game counts as a draw
_GROUP_LIMITS = (0, 3, 6, 10, 15, 20, 30, 45, 60, _MAX_MOVES)  # groups of positions by their number of moves


class ScoredPosition(NamedTuple):
    """A scored position: the number of moves before it, its score in units of the scale, and the mover's result from 0
    to 1.
    """

    moves: int
    score: float
    result: float


def search_main_line(position: Position, nodes: int) -> PositionAnalysis:
    """Return the champion's analysis of a position with a number of nodes or playouts."""
    *_, analysis = live_analysis.stream_analyses(position, SearchLimits(nodes=nodes), agent="champion", lines=1)
    return analysis


def play_game(game: Game, rng: random.Random, nodes: int, scoring_nodes: int) -> list[ScoredPosition]:
    """Play a game of the champion against itself, and return its positions whose scores are not certain."""
    moves, opening = choose_random_moves(game, rng.randint(0, _MAX_RANDOM_MOVES), rng)
    position, count = opening or game.start(), len(moves) if opening else 0
    scored_positions = list[tuple[int, int, float]]()
    while position.outcome() is None and count < _MAX_MOVES:
        scored = search_main_line(position, scoring_nodes)
        if abs(value := scored.lines[0].value) <= CERTAIN_THRESHOLD:
            scored_positions.append((count, position.to_move, value / scored.clear_lead))
        position = position.play(search_main_line(position, nodes).lines[0].variation[0])
        count += 1
    outcome = position.outcome()
    winner = outcome.winner if outcome else None
    return [
        ScoredPosition(moves, score, 0.5 if winner is None else float(winner == seat))
        for moves, seat, score in scored_positions
    ]


def mean_loss(positions: Sequence[ScoredPosition], scale: float) -> float:
    """Return the mean negative logarithm of the probability of the results, with a scale relative to that in use."""
    losses = []
    for position in positions:
        exponent = max(-30.0, min(30.0, position.score / scale))
        won, lost = math.log1p(math.exp(-exponent)), math.log1p(math.exp(exponent))
        losses.append(position.result * won + (1 - position.result) * lost)
    return statistics.fmean(losses)


def fitted_scale(positions: Sequence[ScoredPosition]) -> float:
    """Return the scale with the greatest likelihood, relative to the scale in use."""
    return min((1.02**step for step in range(-120, 241)), key=lambda scale: mean_loss(positions, scale))


def group_rows(positions: Sequence[ScoredPosition]) -> list[dict[str, float]]:
    """Return a row for all positions, and one for each group of positions with similar numbers of moves."""
    rows = []
    for low, high in [(0, _MAX_MOVES), *itertools.pairwise(_GROUP_LIMITS)]:
        if group := [position for position in positions if low <= position.moves < high]:
            scale = fitted_scale(group)
            rows.append(
                {
                    "from_moves": low,
                    "positions": len(group),
                    "mean_score": round(statistics.fmean(abs(position.score) for position in group), 2),
                    "scale": round(scale, 2),
                    "loss": round(mean_loss(group, scale), 3),
                    "loss_in_use": round(mean_loss(group, 1.0), 3),
                }
            )
    return rows


@click.command()
@click.argument("name", metavar="GAME")
@click.option("-o", "--option", "settings", multiple=True, metavar="K=V", help="An option of the game, e.g. size=9.")
@click.option("--games", "count", default=400, show_default=True, help="Number of games.")
@click.option("--nodes", default=300, show_default=True, help="Nodes or playouts per move.")
@click.option("--scoring-nodes", default=20000, show_default=True, help="Nodes or playouts per score.")
@click.option("--seed", default=1, show_default=True, help="Seed of the random openings.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(
    name: str, settings: tuple[str, ...], count: int, nodes: int, scoring_nodes: int, seed: int, as_json: bool
) -> None:
    """Measure how well the champion's scores in GAME predict the results of its games."""
    game, rng = load_game(name, settings), random.Random(seed)
    positions = [position for _ in range(count) for position in play_game(game, rng, nodes, scoring_nodes)]
    rows = group_rows(positions)
    if as_json:
        click.echo(json.dumps({"game": name, "games": count, "rows": rows}))
        return
    for number, row in enumerate(rows):
        group = f"from move {row['from_moves'] + 1}" if number else "all positions"
        click.echo(
            f"{group}: {row['positions']} positions, mean score {row['mean_score']}, scale {row['scale']}, "
            f"loss {row['loss']} ({row['loss_in_use']})"
        )


if __name__ == "__main__":
    main()
