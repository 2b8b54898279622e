"""Positions for the tests of search: laid stone by stone, or reached by random play.

Knows no search.
"""

from __future__ import annotations

import random
from typing import Any

from gomogo_core.games import load
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import BLACK, WHITE, Gomoku, GomokuPosition


def load_gomoku(**options: Any) -> Gomoku:
    game = load("gomoku", **options)
    assert isinstance(game, Gomoku)
    return game


def gomoku_position_after(moves: str = "", **options: Any) -> GomokuPosition:
    """Return the position after these moves."""
    position = load_gomoku(**options).replay(moves.split())
    assert isinstance(position, GomokuPosition)
    return position


FAR_POINTS = [f"{column}{row}" for row in (15, 13, 1, 3, 5, 7, 9, 11) for column in "oa"]


def position_with_stones(mine: str, opponent_stones: str, colour: int = BLACK, **options: Any) -> GomokuPosition:
    """The position with these stones, and mine, of `colour`, to move; far stones make the numbers right."""
    game = load_gomoku(**options)
    black, white = (
        (mine.split(), opponent_stones.split()) if colour == BLACK else (opponent_stones.split(), mine.split())
    )
    for far in FAR_POINTS:
        lacks = len(white) + (colour == WHITE) - len(black)
        if lacks and far not in black + white:
            (black if lacks > 0 else white).append(far)
    rows = [["."] * game.size for _ in range(game.size)]
    for names, sign in ((black, "x"), (white, "o")):
        for name in names:
            point = game.board.parse(name)
            rows[point.row - 1][point.column - 1] = sign
    return game.from_diagram("\n".join(map(" ".join, rows)))


def random_gomoku_position(rng: random.Random, game: Gomoku, moves: int) -> GomokuPosition:
    """Return the position after this many random moves, or fewer if the game ends; stones keep to the middle."""
    position = game.start()
    middle = (game.size + 1) / 2
    for _ in range(moves):
        if position.outcome() is not None:
            break
        legal = list(position.moves())
        if isinstance(legal[0], Point):
            legal.sort(key=lambda point: abs(point.column - middle) + abs(point.row - middle))  # type: ignore[attr-defined]
        position = position.play(legal[int(len(legal) * rng.random() ** 2)])
    return position


def random_gomoku_game(rng: random.Random, openings: tuple[str, ...] = ("none",), largest: int = 9) -> Gomoku:
    """Return Gomoku with random options that fit together."""
    size = rng.randint(5, largest)
    if size >= 6 and rng.random() < 0.25:
        return load_gomoku(size=size, renju=True, opening=rng.choice(openings))
    line = rng.randint(3, min(size, 6))
    return load_gomoku(size=size, line=line, exact=rng.random() < 0.4, opening=rng.choice(openings))
