"""The symmetries of a board of points or edges, each as what becomes of a move: eight of a square, four of a rectangle.

Knows boards and moves; no positions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from gomogo_core.games._edges import Edge, Edges
from gomogo_core.games._grid import Grid, Point
from gomogo_core.games.base import Game, Move

Symmetry: TypeAlias = Callable[[Move], Move]


def symmetries(game: Game) -> list[Symmetry]:
    """Every way to turn and mirror the board of a game; the first leaves each move where it is."""
    grid, edges = getattr(game, "grid", None), getattr(game, "board", None)
    if isinstance(grid, Grid):
        ways = range(8 if grid.columns == grid.rows else 4)
        return [partial(_point, grid, way) for way in ways]
    if isinstance(edges, Edges):
        ways = range(8 if edges.rows == edges.cols else 4)
        return [partial(_edge, edges, way) for way in ways]
    return [lambda move: move]


def _point(grid: Grid, way: int, move: Move) -> Move:
    """The image of a point; another move, a pass or a choice, is its own."""
    if not isinstance(move, Point):
        return move
    column, row = move
    if way & 1:
        column = grid.columns + 1 - column
    if way & 2:
        row = grid.rows + 1 - row
    return Point(row, column) if way & 4 else Point(column, row)


def _edge(edges: Edges, way: int, move: Move) -> Move:
    """The image of an edge: of its place in the picture, where each dot, edge and box has a row and a column."""
    if not isinstance(move, Edge):
        return move
    row, column = edges.place(edges.bit[move])
    if way & 1:
        column = edges.width - 1 - column
    if way & 2:
        row = edges.height - 1 - row
    if way & 4:
        row, column = column, row
    return edges.at(row, column)
