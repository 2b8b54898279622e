"""Boards of stones for the tests of search: diagrams, and random play. Knows the rules alone: no nodes, no search."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from gomogo_core.games import load
from gomogo_core.games.stones.board import StoneBoard
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition


def position_from_board(game: str, board: str, to_move: int = 1, footer: str = "", **options: Any) -> GoFamilyPosition:
    """Return the position of `game` with these rows of stones, blanks between the rows."""
    rows = board.split()
    loaded = load(game, rows=len(rows), cols=len(rows[0]), **options)
    position = loaded.from_diagram("\n".join([*rows, f"to move: seat {to_move}", footer]))
    assert isinstance(position, GoFamilyPosition)
    return position


def board_from_diagram(board: str) -> StoneBoard:
    """Return the board with these rows of stones."""
    return position_from_board("go", board).board


def point_index(board: StoneBoard, name: str) -> int:
    """Return the place of a point: "d4"."""
    return board.bit_geometry.index_of[board.bit_geometry.point_board.parse(name)]


def point_names(board: StoneBoard, places: Iterable[int]) -> set[str]:
    """Return the names of these places."""
    return {str(board.bit_geometry.points[i]) for i in places}


def names_in_mask(board: StoneBoard, mask: int) -> set[str]:
    """Return the names of the points of `mask`."""
    return {str(point) for point in board.bit_geometry.points_in(mask)}


def random_stones_position(rng: random.Random, moves: int, game: str = "go", **options: Any) -> GoFamilyPosition:
    """Return the position after this many random moves, or fewer if the game ends; nobody passes without need."""
    position = load(game, **options).start()
    for _ in range(moves):
        if position.outcome() is not None:
            break
        legal = [move for move in position.moves() if move is not PASS] or [PASS]
        position = position.play(rng.choice(legal))
    assert isinstance(position, GoFamilyPosition)
    return position
