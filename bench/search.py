"""Positions per second of alpha-beta at depth 2, early and late in a game of Gomoku.

The program prints the measurements and does not compare them with a limit.

A node is a position that the search has visited: it has computed its value, or chosen the order of its moves. On the
last ply, alpha-beta compares all children of a quiet position with its bounds at once (`Node.best_child`), and visits
none of them; `unvisited_positions` is the number of these children.

The positions are turns of black in games that alpha-beta plays against itself from random openings. In these positions
neither player has a four or an open three, since otherwise there is little to search. The search also sees no certain
end. Each game is replayed with empty tables up to such a position, and black searches at each turn, as an agent's
process does. The last search is timed twice: first with the tables that the game has filled, then ("again") with those
that the same search has filled. The reference is the same search with an evaluation that reads the whole board in each
position.
"""

from __future__ import annotations

import json
import platform
import random
from collections.abc import Sequence
from contextlib import suppress
from statistics import median
from time import perf_counter
from typing import Any

import click

from gomogo_core import games as rules
from gomogo_core.games.base import Position
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import BLACK, WHITE, GomokuPosition
from gomogo_core.search import SearchLimits, alpha_beta, node_of, plies_to_end
from gomogo_core.search.evaluation.gomoku_lines import lines_of_board
from gomogo_core.search.evaluation.gomoku_node import GomokuNode
from gomogo_core.search.evaluation.gomoku_windows import RowShape, window_value
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.search.node import INFINITY, PositionNode

STONE_COUNTS = (10, 20, 30, 40)
DEPTH = 2
OPENING_STONE_COUNT = 6  # random stones near the centre
REFERENCE_NODE_COUNT = 200


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--positions", default=12, show_default=True, help="Number of positions for each number of stones.")
@click.option(
    "--repetitions", default=5, show_default=True, help="Number of replays for each position; the median is printed."
)
@click.option("--seed", default=1, show_default=True, help="Chooses the openings.")
def main(as_json: bool, positions: int, repetitions: int, seed: int) -> None:
    """Measure alpha-beta at depth 2, compared with an evaluation that reads the whole board for each position."""
    rows = [measure(stones, games, repetitions) for stones, games in play_games_until(positions, seed).items()]
    report = {
        "bench": "search",
        "python": platform.python_version(),
        "depth": DEPTH,
        "positions": positions,
        "node": " ".join((__doc__ or "").split("\n\n")[2].split()),
        "by_stones": rows,
        "ratio_40_to_10": round(rows[-1]["nodes_per_second"] / rows[0]["nodes_per_second"], 2),
    }
    if as_json:
        click.echo(json.dumps(report, indent=1))
        return
    click.echo("stones    nodes/s      again compared/s  reference   times   nodes      ms")
    for row in rows:
        click.echo(
            f"{row['stones']:>6} {row['nodes_per_second']:>10,} {row['nodes_per_second_again']:>10,} "
            f"{row['compared_per_second']:>10,} {row['reference_nodes_per_second']:>10,} {row['times_reference']:>7,} "
            f"{row['nodes']:>7,} {1000 * row['seconds']:>7.2f}"
        )
    click.echo(f"40 stones / 10 stones: {report['ratio_40_to_10']}")


def play_games_until(positions: int, seed: int) -> dict[int, list[list[GomokuPosition]]]:
    """Return black's turns of `positions` games up to a quiet position, for each of STONE_COUNTS."""
    games_by_stones: dict[int, list[list[GomokuPosition]]] = {stones: [] for stones in STONE_COUNTS}
    seed_number = 0
    while any(len(games) < positions for games in games_by_stones.values()):
        seed_number += 1
        position = random_opening(random.Random(f"{seed} {seed_number}"))
        turns: list[GomokuPosition] = []
        while position.outcome() is None and position.stones <= STONE_COUNTS[-1]:
            result = alpha_beta.search(position, SearchLimits(depth=DEPTH))
            if position.stones % 2 == 0:
                turns.append(position)
            is_wanted = position.stones in STONE_COUNTS and len(games_by_stones[position.stones]) < positions
            if is_wanted and plies_to_end(result.value) is None and is_quiet(position):
                games_by_stones[position.stones].append(turns.copy())
            position = position.play(result.move)
    return games_by_stones


def is_quiet(position: GomokuPosition) -> bool:
    """Return whether nobody has a four or an open three."""
    node = GomokuNode.from_position(position)
    masks = (node.board_lines.win_masks, node.board_lines.two_four_masks)
    return not any(node.threats & mask[colour] for mask in masks for colour in (BLACK, WHITE))


def random_opening(rng: random.Random) -> GomokuPosition:
    """Return random stones near the centre."""
    position = rules.load("gomoku").start()
    assert isinstance(position, GomokuPosition)
    while position.stones < OPENING_STONE_COUNT:
        points = (move for move in position.moves() if isinstance(move, Point))
        central_points = [point for point in points if 5 <= point.column <= 11 and 5 <= point.row <= 11]
        position = position.play(rng.choice(central_points))
    return position


def measure(stones: int, games: list[list[GomokuPosition]], repetitions: int) -> dict[str, Any]:
    """Return the medians over the last positions of the games. A game is given as the list of its positions with black
    to move.
    """
    speeds, repeated_speeds, compared, seconds, references, node_counts = [], [], [], [], [], []
    for turns in games:
        first_times, second_times = [], []
        for _ in range(repetitions):
            lines_of_board.cache_clear()
            *_, seconds_in_game = map(measure_search_seconds, turns)
            first_times.append(seconds_in_game)
            second_times.append(measure_search_seconds(turns[-1]))
        nodes, unvisited_positions = count_positions(turns[-1])
        node_counts.append(nodes)
        seconds.append(median(first_times))
        speeds.append(nodes / median(first_times))
        repeated_speeds.append(nodes / median(second_times))
        compared.append(unvisited_positions / median(first_times))
        references.append(measure_reference_speed(turns[-1]))
    return {
        "stones": stones,
        "nodes_per_second": round(median(speeds)),
        "nodes_per_second_again": round(median(repeated_speeds)),
        "compared_per_second": round(median(compared)),
        "reference_nodes_per_second": round(median(references)),
        "times_reference": round((median(speeds) + median(compared)) / median(references)),
        "nodes": round(median(node_counts)),
        "seconds": round(median(seconds), 5),
    }


def measure_search_seconds(position: Position) -> float:
    """Return the seconds of the search of a position, including the creation of its node."""
    begin = perf_counter()
    alpha_beta.best_line(node_of(position), DEPTH, -INFINITY, INFINITY, SearchLimits())
    return perf_counter() - begin


def count_positions(position: Position) -> tuple[int, int]:
    """Return two numbers of positions in the search of a position: those that it visits, and those that it compares all
    at once.
    """
    limits = SearchLimits()
    alpha_beta.best_line(node_of(position), DEPTH, -INFINITY, INFINITY, limits)
    return limits.nodes_used, limits.unvisited_positions


def measure_reference_speed(position: Position) -> float:
    """Return the positions per second of the same search if each position is visited and evaluated from scratch."""
    limits = SearchLimits(nodes=REFERENCE_NODE_COUNT)
    begin = perf_counter()
    with suppress(OutOfLimits):
        alpha_beta.best_line(PositionNode(position, evaluate_whole_board), DEPTH, -INFINITY, INFINITY, limits)
    return limits.nodes_used / (perf_counter() - begin)


def evaluate_whole_board(position: Position) -> Sequence[float]:
    """Return the value of each colour's rows, from all lines of the board and without any cache."""
    assert isinstance(position, GomokuPosition)
    row = RowShape(position.game.line, longer_wins=True)
    sums = {BLACK: 0, WHITE: 0}
    for line in position.game.board.lines:
        stones = position.cells[line]
        for colour in sums:
            for segment in stones.translate(_OWN_STONES_TABLE[colour]).split(b"-"):
                sums[colour] += window_value(segment.decode("ascii"), row)
    return sums[BLACK], sums[WHITE]


_OWN_STONES_TABLE = {BLACK: bytes.maketrans(b"\0\1\2", b"01-"), WHITE: bytes.maketrans(b"\0\1\2", b"0-1")}


if __name__ == "__main__":
    main()
