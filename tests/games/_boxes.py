"""Positions of Dots and Boxes for tests, on two rows of two boxes unless they say otherwise.

+ h0  + h1  +
v0    v1    v2
+ h2  + h3  +
v3    v4    v5
+ h4  + h5  +
"""

from __future__ import annotations

import random
from typing import Any

from gomogo_core.games import load
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition


def load_boxes_game(**options: Any) -> DotsAndBoxes:
    game = load("dots_and_boxes", **{"rows": 2, "cols": 2, **options})
    assert isinstance(game, DotsAndBoxes)
    return game


def position_after(moves: str, **options: Any) -> DotsAndBoxesPosition:
    position = load_boxes_game(**options).replay(moves.split())
    assert isinstance(position, DotsAndBoxesPosition)
    return position


def random_final_position(position: DotsAndBoxesPosition, seed: int = 0) -> DotsAndBoxesPosition:
    """Return the end of a random game from here."""
    draw = random.Random(seed)
    while position.outcome() is None:
        position = position.play(draw.choice(list(position.moves())))
    return position


def final_position_with_owners(owners: str, **options: Any) -> DotsAndBoxesPosition:
    """Return a board of one row with all edges drawn, and these owners."""
    game = load_boxes_game(rows=1, cols=len(owners), **options)
    dots = "+" + "-+" * len(owners)
    return game.from_diagram("\n".join([dots, f"|{'|'.join(owners)}|", dots]))
