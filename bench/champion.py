"""The speed of the board and of the search of `champion`, the validity of its proofs, and the time until it is ready.

python -m bench.champion --json

`pairs_per_second` is the number of stones that one thread places and takes back per second of processor time, in
positions of the champion's own games. `nodes_per_second` is the speed of the search, with the positions of its threat
search included. `puzzles` is the number of random positions with a win by 5 to 11 continuous fours, `solved` the number
of them that the threat search solves, and `median_ms` its median time. `false_claims` is the number of proofs in random
positions that some defence refutes by the rules. `ready_cpu_seconds` is the processor time from the start of a process
until the engine is loaded, if all of it is already compiled. With --games, the champion also plays games against
itself with twice the nodes. With --openings, it plays one game against itself from each of N balanced openings;
`first_seat` contains the score of the first seat.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click

from gomogo_core.engines import compiling
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from tournaments.openings import load_openings

PACKAGE = "gomogo_core.engines.gomoku"
NODE_COUNT = 100_000
_READY_SCRIPT = (
    f"from gomogo_core.engines import compiling; import time; compiling.load({PACKAGE!r}); print(time.process_time())"
)


def random_position(game: Gomoku, rng: random.Random, stones: int) -> GomokuPosition:
    """Return a position with the given number of random stones near the centre, in which the game is not over."""
    low, high = game.size // 2 - 3, game.size // 2 + 5
    while True:
        position = game.start()
        while position.outcome() is None and position.stones < stones:
            near_points = [
                point
                for point in position.moves()
                if isinstance(point, Point) and low <= min(point) and max(point) <= high
            ]
            position = position.play(rng.choice(near_points))
        if position.outcome() is None:
            return position


def positions_of_own_games(engine: Any) -> list[GomokuPosition]:
    """Return every fifth position of ten games of the engine against itself."""
    positions = []
    for seed in range(10):
        position = random_position(engine.game, random.Random(seed), 5)
        while position.outcome() is None:
            if position.stones % 5 == 0:
                positions.append(position)
            move = engine.analyse(position, nodes=500).lines[0].point_numbers[0]
            position = position.play(engine.game.board.points[move])
    return positions


def measure_pairs_per_second(engine: Any, positions: list[GomokuPosition]) -> float:
    """Return the median over the positions of the stones placed and taken back per second of processor time."""
    from bench import _champion_loop

    place_and_take_back: Any = _champion_loop.place_and_take_back  # mypy does not understand Numba's types

    speeds = []
    for position in positions:
        engine.set_position(position.cells)
        place_and_take_back(engine.arrays, 1)
        begin = time.process_time()
        pairs = place_and_take_back(engine.arrays, 2000)
        speeds.append(pairs / (time.process_time() - begin))
    return float(statistics.median(speeds))


def measure_nodes_per_second(engine: Any, positions: list[GomokuPosition]) -> float:
    """Return the nodes per second of processor time in one search of NODE_COUNT nodes for each position."""
    node_count, begin = 0, time.process_time()
    for position in positions:
        node_count += engine.analyse(position, nodes=NODE_COUNT).nodes
    return node_count / (time.process_time() - begin)


def solve_puzzles(engine: Any, puzzle_count: int) -> dict[str, Any]:
    """Solve random positions with a win by 5 to 11 fours; return the number solved and the time."""
    rng, puzzles = random.Random(1), list[GomokuPosition]()
    while len(puzzles) < puzzle_count:
        position = random_position(engine.game, rng, rng.randint(14, 30))
        if 9 <= engine.vcf(position) <= 21:
            puzzles.append(position)
    seconds, solved_count = [], 0
    for position in puzzles:
        new_engine = type(engine)(engine.game, memory_mb=1)
        new_engine.set_position(position.cells)
        begin = time.perf_counter()
        solved_count += new_engine.vcf(position) > 0
        seconds.append(time.perf_counter() - begin)
    return {"puzzles": len(puzzles), "solved": solved_count, "median_ms": round(1000 * statistics.median(seconds), 3)}


def is_proof_valid(engine: Any, position: GomokuPosition, attacker: int) -> bool:
    """Return whether the attacker, with the moves of the engine's proofs, wins against every move of the defender.

    A win within three plies is checked by a search that does not use the engine, except in renju.
    """
    if (outcome := position.outcome()) is not None:
        return outcome.winner == attacker
    if position.to_move != attacker:
        return all(is_proof_valid(engine, position.play(move), attacker) for move in position.moves())
    proof, game = engine.solve(position, nodes=300_000), position.game
    if proof.result == "win" and proof.plies <= 3 and not game.renju:
        from bench._full_search import result_within

        return result_within(position.cells, game.size, position.colour, proof.plies, game.exact) == 1
    points = game.board.points
    return proof.result == "win" and is_proof_valid(engine, position.play(points[proof.point_numbers[0]]), attacker)


def count_false_proofs(module: Any, positions: int) -> dict[str, int]:
    """Count the proofs in random positions, the proofs that are short enough to be checked, and the false ones of
    these. The boards have 6 to 9 rows. The rules are freestyle or exact, and renju in every hundredth position.
    """
    games = [Gomoku(size=size, exact=exact) for size in (6, 7, 8, 9) for exact in (False, True)]
    engines = [module.GomokuEngine(game, memory_mb=1) for game in games]
    renju = module.GomokuEngine(Gomoku(size=9, renju=True), memory_mb=1)
    rng, proved_count, checked_count, false_count = random.Random(2), 0, 0, 0
    for number in range(positions):
        engine = renju if number % 100 == 99 else engines[number % len(engines)]
        most_stones = min(24, engine.game.size**2 // 2)
        position = random_position(engine.game, rng, rng.randint(8, most_stones))
        proof = engine.solve(position, nodes=5000)
        if proof.result == "unknown":
            continue
        proved_count += 1
        if proof.plies <= (3 if engine.game.renju else 5):
            checked_count += 1
            attacker = position.to_move if proof.result == "win" else 3 - position.to_move
            false_count += not is_proof_valid(engine, position, attacker)
    return {"positions": positions, "proved": proved_count, "checked": checked_count, "false_claims": false_count}


def measure_doubled_nodes(module: Any, pairs: int, nodes: int) -> dict[str, float | None]:
    """Return the score of a player with `2 × nodes` against a player with `nodes`, in pairs of games from positions
    that the engine considers even.
    """
    game, rng, scores = Gomoku(), random.Random(3), list[float]()
    judge, strong_engine, weak_engine = (module.GomokuEngine(game, memory_mb=16) for _ in range(3))
    while len(scores) < pairs:
        opening = random_position(game, rng, 5)
        if abs(judge.analyse(opening, nodes=30_000).value) > 40:
            continue
        score = 0.0
        for colour in (1, 2):
            position = opening
            while position.outcome() is None:
                engine, limit = (strong_engine, 2 * nodes) if position.colour == colour else (weak_engine, nodes)
                best_line = engine.analyse(position, nodes=limit).lines[0]
                position = position.play(game.board.points[best_line.point_numbers[0]])
            outcome = position.outcome()
            winner = outcome.winner if outcome is not None else None
            score += 0.5 if winner is None else float(position.seat_of(colour) == winner)
        scores.append(score / 2)
    mean = min(max(statistics.fmean(scores), 0.01), 0.99)
    return {
        "pairs": pairs,
        "score": round(mean, 3),
        "plus_minus": interval_half_width(scores),
        "elo": round(elo_from_score(mean)),
    }


def measure_first_seat(module: Any, games: int, nodes: int) -> dict[str, float | None]:
    """Return the score of the first seat in games of the champion against itself, one from each balanced opening."""
    game, scores, engine = Gomoku(), list[float](), module.GomokuEngine(Gomoku(), memory_mb=16)
    book = load_openings("balanced", game, seed=1, folder=Path())
    for number in range(games):
        position = game.replay([game.parse(ply.move) for ply in book.plies(number)])
        while (outcome := position.outcome()) is None:
            position = position.play(game.board.points[engine.analyse(position, nodes=nodes).lines[0].point_numbers[0]])
        scores.append(0.5 if outcome.winner is None else float(outcome.winner == 1))
    mean = statistics.fmean(scores)
    return {"games": games, "nodes": nodes, "score": round(mean, 3), "plus_minus": interval_half_width(scores)}


def interval_half_width(scores: list[float]) -> float | None:
    """Return half the width of the 95 % interval of the mean score; None for a single score."""
    return round(1.96 * statistics.stdev(scores) / math.sqrt(len(scores)), 3) if len(scores) > 1 else None


def elo_from_score(score: float) -> float:
    """Return the Elo difference for an expected score, which must be above 0 and below 1."""
    return -400 * math.log10(1 / score - 1)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--positions", default=2000, show_default=True, help="Number of random positions whose proofs are checked."
)
@click.option(
    "--puzzles", "puzzle_count", default=70, show_default=True, help="Number of positions with a win by 5 to 11 fours."
)
@click.option("--games", default=0, show_default=True, help="Pairs of games against itself with twice the nodes.")
@click.option(
    "--openings", "opening_count", default=0, show_default=True, help="Games against itself, each from another opening."
)
def main(as_json: bool, positions: int, puzzle_count: int, games: int, opening_count: int) -> None:
    """Measure the speed and the proofs of the champion."""
    module = compiling.load(PACKAGE)
    engine = module.GomokuEngine(Gomoku())
    positions_of_games = positions_of_own_games(engine)
    ready_output = subprocess.check_output([sys.executable, "-c", _READY_SCRIPT], text=True)
    figures: dict[str, Any] = {
        "bench": "champion",
        "pairs_per_second": round(measure_pairs_per_second(engine, positions_of_games)),
        "nodes_per_second": round(measure_nodes_per_second(engine, positions_of_games)),
        **solve_puzzles(engine, puzzle_count),
        **count_false_proofs(module, positions),
        "ready_cpu_seconds": round(float(ready_output), 2),
    }
    if games:
        figures["twice_the_nodes"] = measure_doubled_nodes(module, games, 20_000)
    if opening_count:
        figures["first_seat"] = measure_first_seat(module, opening_count, 20_000)
    click.echo(
        json.dumps(figures, indent=1) if as_json else "\n".join(f"{key}: {value}" for key, value in figures.items())
    )


if __name__ == "__main__":
    main()
