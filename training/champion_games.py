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
_THREAT_NODES = 200  # nodes of the search for the opponent's win by continuous fours


def read_lines(path: Path) -> list[Any]:
    """Return the values of a file of JSON lines, and remove an incomplete last line, which a killed process left."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def append_until(path: Path, count: int, values: Iterable[Any]) -> None:
    """Append values to a file of JSON lines until it has `count` lines."""
    known = len(read_lines(path))
    with path.open("a", encoding="utf-8") as file:
        for value in values if known < count else ():
            file.write(json.dumps(value) + "\n")
            file.flush()
            known += 1
            if known >= count:
                return


def random_opening(game: Gomoku, chance: random.Random) -> GomokuPosition:
    """Return a position with random stones near the centre, in which nobody has won."""
    middle = game.size // 2
    near = range(middle - _MAX_CENTRE_DISTANCE, middle + _MAX_CENTRE_DISTANCE + 1)
    points = [game.board.points[row * game.size + column] for row in near for column in near]
    while True:
        position = game.replay(chance.sample(points, chance.randint(*_OPENING_STONE_LIMITS)))
        if position.outcome() is None:
            assert isinstance(position, GomokuPosition)
            return position


def self_play_games(engine_module: Any, game: Gomoku, seed: int, nodes: int, first: int) -> Iterator[dict[str, Any]]:
    """Yield games of the champion against itself, from the game with the number `first` on.

    A record has four keys. `cells` is the opening, as in GomokuPosition.cells. `moves` holds the number of each point,
    and the value for its player. `threats` has, for each move, 1 if the opponent would win by continuous fours if it
    were to move, else 0. `winner` is a colour, or 0.
    """
    number = first
    while True:
        position = random_opening(game, random.Random(f"{seed}:{number}"))
        # a game must not depend on the game before
        engine = engine_module.GomokuEngine(game, memory_mb=ENGINE_MEMORY_MB)
        record: dict[str, Any] = {"cells": position.cells.hex(), "moves": [], "threats": []}
        while (ended := position.outcome()) is None:
            line = engine.analyse(position, nodes=nodes).lines[0]
            record["moves"].append([line.point_numbers[0], line.value])
            record["threats"].append(int(engine.vcf(position, _THREAT_NODES, of_opponent=True) > 0))
            position = position.play(game.board.points[line.point_numbers[0]])
        record["winner"] = 0 if ended.winner is None else 1 if position.seat_of(1) == ended.winner else 2
        yield record
        number += 1
