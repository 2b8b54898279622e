"""Random games of Gomoku for the champion's tests."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Gomoku, GomokuPosition

RULES = {"freestyle": {}, "standard": {"exact": True}, "renju": {"renju": True}}


def random_position(game: Gomoku, rng: random.Random, plies: int) -> Iterator[GomokuPosition]:
    """A random game whose stones stand close together, so that rows arise; no position that is over."""
    position = game.start()
    assert isinstance(position, GomokuPosition)
    low, high = game.size // 2 - 3, game.size // 2 + 5
    for _ in range(plies):
        yield position
        points = [point for point in position.moves() if isinstance(point, Point)]
        near = [point for point in points if low <= min(point) and max(point) <= high]
        position = position.play(rng.choice(near or points))
        if position.outcome() is not None:
            return
