"""Boards of stones for the tests of search: diagrams, and random play. Knows the rules alone: no nodes, no search."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from gomogo_core.games import load
from gomogo_core.games._board import Board
from gomogo_core.games._stones import PASS, StonesPosition


def diagram(game: str, board: str, to_move: int = 1, footer: str = "", **options: Any) -> StonesPosition:
    """The position of `game` with these rows of stones, blanks between the rows."""
    rows = board.split()
    loaded = load(game, rows=len(rows), cols=len(rows[0]), **options)
    position = loaded.from_diagram("\n".join([*rows, f"to move: seat {to_move}", footer]))
    assert isinstance(position, StonesPosition)
    return position


def stones(board: str) -> Board:
    """The board with these rows of stones."""
    return diagram("go", board).board


def at(board: Board, name: str) -> int:
    """The place of a point: "d4"."""
    return board.plane.place[board.plane.grid.parse(name)]


def names(board: Board, places: Iterable[int]) -> set[str]:
    """What these places are called."""
    return {str(board.plane.points[i]) for i in places}


def masked(board: Board, mask: int) -> set[str]:
    """What the points of `mask` are called."""
    return {str(point) for point in board.plane.listed(mask)}


def played(chance: random.Random, moves: int, game: str = "go", **options: Any) -> StonesPosition:
    """The position after so many random moves, or fewer if the game ends; nobody passes who need not."""
    position = load(game, **options).start()
    for _ in range(moves):
        if position.outcome() is not None:
            break
        legal = [move for move in position.moves() if move is not PASS] or [PASS]
        position = position.play(chance.choice(legal))
    assert isinstance(position, StonesPosition)
    return position
