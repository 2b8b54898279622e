"""Training data: games of the agent `champion` against itself, with the value that its search gave each position.

The module needs the extra `engines`. A game depends only on the seed and its number, so a killed process can continue
its file of games.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gomogo_core.games.gomoku import Gomoku, GomokuPosition

GAMES_FILE = "games.jsonl"
ENGINE_MEMORY_MB = 16
_OPENING_STONE_LIMITS = (3, 7)  # the smallest and the largest number of random stones in a game's opening
_MAX_CENTRE_DISTANCE = 4  # the largest distance of these stones from the centre
_MAX_EVEN_VALUE = 120  # in the engine's units; the largest value of an even opening
_MAX_UNDECIDED_VALUE = 2000  # in the engine's units; after a larger value no random point is played
_THREAT_SEARCH_NODES = 200  # nodes of the search for the opponent's win by continuous fours


def read_lines(path: Path) -> list[Any]:
    """Return the values of a file of JSON lines, and remove an incomplete last line, which a killed process left."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    complete_lines = text[: text.rfind("\n") + 1]
    if complete_lines != text:
        path.write_text(complete_lines, encoding="utf-8")
    return [json.loads(line) for line in complete_lines.splitlines()]


def append_until(path: Path, count: int, values: Iterable[Any]) -> None:
    """Append values to a file of JSON lines until it has `count` lines."""
    record_count = len(read_lines(path))
    with path.open("a", encoding="utf-8") as file:
        for value in values if record_count < count else ():
            file.write(json.dumps(value) + "\n")
            file.flush()
            record_count += 1
            if record_count >= count:
                return


def random_opening(game: Gomoku, rng: random.Random) -> GomokuPosition:
    """Return a position with random stones near the centre, in which nobody has won."""
    middle = game.size // 2
    near = range(middle - _MAX_CENTRE_DISTANCE, middle + _MAX_CENTRE_DISTANCE + 1)
    points = [game.board.points[row * game.size + column] for row in near for column in near]
    while True:
        position = game.replay(rng.sample(points, rng.randint(*_OPENING_STONE_LIMITS)))
        if position.outcome() is None:
            assert isinstance(position, GomokuPosition)
            return position


def points_near_stones(position: GomokuPosition) -> list[int]:
    """Return the numbers of the empty points at most two rows and two columns from a stone, in order."""
    size, cells = position.game.size, position.cells
    near = {
        row * size + column
        for stone, colour in enumerate(cells)
        if colour
        for row in range(max(0, stone // size - 2), min(size, stone // size + 3))
        for column in range(max(0, stone % size - 2), min(size, stone % size + 3))
    }
    return sorted(point for point in near if not cells[point])


def self_play_games(
    engine_module: Any,
    game: Gomoku,
    seed: int,
    nodes: int,
    first_number: int,
    random_share: float = 0.0,
    even_share: float = 0.0,
) -> Iterator[dict[str, Any]]:
    """Yield games of the champion against itself, from the game with the number `first_number` on.

    A record has four keys. `cells` is the opening, as in GomokuPosition.cells. `moves` holds the number of each point,
    and the value for its player. `threats` has a number for each move: 1 if the opponent could win by continuous fours
    by moving in place of the player, else 0. `winner` is a colour, or 0.

    If `random_share` is greater than 0, a random point near the stones is played in this share of the turns whose
    value is no clear win or loss. The record then has a fifth key: `best` holds the point that each search chose.
    `even_share` is the share of the games that begin with an opening that the engine considers even.
    """
    number = first_number
    while True:
        rng = random.Random(f"{seed}:{number}")
        position = random_opening(game, rng)
        # a game must not depend on the previous game
        engine = engine_module.GomokuEngine(game, memory_mb=ENGINE_MEMORY_MB)
        if even_share and rng.random() < even_share:
            while abs(engine.analyse(position, nodes=nodes // 5).value) > _MAX_EVEN_VALUE:
                position = random_opening(game, rng)
        record: dict[str, Any] = {"cells": position.cells.hex(), "moves": [], "threats": []}
        if random_share:
            record["best"] = []
        while (outcome := position.outcome()) is None:
            line = engine.analyse(position, nodes=nodes).lines[0]
            point = line.point_numbers[0]
            if random_share:
                record["best"].append(point)
                if rng.random() < random_share and abs(line.value) < _MAX_UNDECIDED_VALUE:
                    point = rng.choice(points_near_stones(position) or [point])
            record["moves"].append([point, line.value])
            record["threats"].append(int(engine.vcf(position, _THREAT_SEARCH_NODES, of_opponent=True) > 0))
            position = position.play(game.board.points[point])
        record["winner"] = 0 if outcome.winner is None else 1 if position.seat_of(1) == outcome.winner else 2
        yield record
        number += 1
