"""Draws a position as lines of text for a terminal, and finds the place of the board at a character of these lines.

The module uses positions and the text of rich. It does not depend on the application.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from rich.style import Style
from rich.text import Text

from gomogo_core.drawing.coordinates import Coordinates
from gomogo_core.games.base import Move, Position
from gomogo_core.games.boards import Place
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import Point, PointBoard

MARK_COLOURS = ("cyan", "red", "yellow", "magenta", "green", "blue")  # in the same order as on the console
_FAINT = Style(dim=True)
_CURSOR = Style(reverse=True)
_LAST_MOVE = Style(bold=True, underline=True)


class Canvas(Protocol):
    """The geometry of a board on the screen.

    A cell is a pair (across, down). Each kind of board defines its meaning.
    """

    def start_cell(self) -> tuple[int, int]:
        """Return the first cell of the cursor."""

    def next_cell(self, cell: tuple[int, int], columns: int, down: int) -> tuple[int, int]:
        """Return the next cell in a direction. At the edge of the board, return the same cell."""

    def place_at(self, cell: tuple[int, int]) -> Place:
        """Return the place of the board at a cell."""

    def line_number(self, cell: tuple[int, int]) -> int:
        """Return the number of the line that shows a cell."""

    def cell_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the cell at a character of the screen, or None if no cell is there."""

    def draw_lines(self, position: Position, last_move: Move | None, cursor: tuple[int, int] | None) -> Iterator[Text]:
        """Yield the lines of the board."""


def create_canvas(position: Position, coordinates: Coordinates) -> Canvas | None:
    """Return the canvas for a game's board; None for a game whose board has no places."""
    board = position.game.board
    if isinstance(board, EdgeBoard):
        return BoxesCanvas(board)
    if isinstance(board, PointBoard):
        return PointsCanvas(board, coordinates)
    return None


def mark_style(position: Position, mark: str) -> Style:
    """Return the style of a player's mark. Its colour depends on the mark, not on the seat."""
    marks = sorted({position.mark(seat) for seat in range(1, position.game.seats + 1)})
    return Style(color=MARK_COLOURS[marks.index(mark) % len(MARK_COLOURS)], bold=True) if mark in marks else _FAINT


class PointsCanvas:
    """A board of points, each two characters wide, with coordinates on all sides. A cell is (column, row) from 0."""

    def __init__(self, grid: PointBoard, coordinates: Coordinates) -> None:
        self.grid, self.coordinates = grid, coordinates
        self.margin = len(str(grid.rows)) + 1

    def start_cell(self) -> tuple[int, int]:
        """Return the cell in the middle."""
        return self.grid.columns // 2, self.grid.rows // 2

    def next_cell(self, cell: tuple[int, int], columns: int, down: int) -> tuple[int, int]:
        """Return the next cell in a direction, within the board."""
        return (
            min(max(cell[0] + columns, 0), self.grid.columns - 1),
            min(max(cell[1] + down, 0), self.grid.rows - 1),
        )

    def place_at(self, cell: tuple[int, int]) -> Place:
        """Return the point at a cell."""
        return Point(cell[0] + 1, cell[1] + 1)

    def line_number(self, cell: tuple[int, int]) -> int:
        """Return the number of the line that shows a cell; line 0 has the letters."""
        return cell[1] + 1

    def cell_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the cell at a character, or at the blank to its right."""
        cell = (x - self.margin) // 2, y - 1
        inside = 0 <= cell[0] < self.grid.columns and 0 <= cell[1] < self.grid.rows
        return cell if inside else None

    def draw_lines(self, position: Position, last_move: Move | None, cursor: tuple[int, int] | None) -> Iterator[Text]:
        """Yield the lines of the board, with letters above and below, and numbers on both sides."""
        letters = Text(" " * self.margin + " ".join(self.coordinates.column_letters(self.grid.columns)), _FAINT)
        winning_places = position.winning_places()
        last_place = None if last_move is None else position.place_marked_by(last_move)
        ko_points = {self.grid.parse(name) for name in position.facts().get("ko", ())}
        yield letters
        for down, row in enumerate(position.rows()):
            label = self.coordinates.row_label(down + 1)
            line = Text(f"{label:>{self.margin - 1}} ", _FAINT)
            for columns, mark in enumerate(row):
                point = Point(columns + 1, down + 1)
                style = mark_style(position, mark)
                if point == last_place or point in winning_places:
                    style += _LAST_MOVE
                line.append(
                    "~" if point in ko_points else mark, style + _CURSOR if (columns, down) == cursor else style
                )
                line.append(" ")
            line.append(str(label), _FAINT)
            yield line
        yield letters


class BoxesCanvas:
    """A board of dots, edges and boxes. A cell is the column and row of an edge in the rows of `Position.rows`."""

    def __init__(self, edges: EdgeBoard) -> None:
        self.edges = edges

    def start_cell(self) -> tuple[int, int]:
        """Return the cell of the upper left edge."""
        return 1, 0

    def _has_edge(self, columns: int, down: int) -> bool:
        """Return whether there is an edge at this column and row."""
        return (columns + down) % 2 == 1 and 0 <= columns < self.edges.width and 0 <= down < self.edges.height

    def next_cell(self, cell: tuple[int, int], columns: int, down: int) -> tuple[int, int]:
        """Return the cell of the next edge: across, the next edge in this row; up or down, an edge in the next row."""
        if columns:
            candidates = [(cell[0] + 2 * columns, cell[1])]
        else:
            candidates = [(cell[0] + across_step, cell[1] + down) for across_step in (1, -1)]
        return next((neighbour for neighbour in candidates if self._has_edge(*neighbour)), cell)

    def place_at(self, cell: tuple[int, int]) -> Place:
        """Return the edge at a cell."""
        return self.edges.edge_at(cell[1], cell[0])

    def line_number(self, cell: tuple[int, int]) -> int:
        """Return the number of the line that shows a cell."""
        return cell[1]

    def cell_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the cell (column and row) of the edge at a character of the screen, or None at a dot or in a box."""
        box_number, offset_in_box = divmod(x, 4)
        columns = 2 * box_number + (offset_in_box > 0)
        return (columns, y) if self._has_edge(columns, y) else None

    def draw_lines(self, position: Position, last_move: Move | None, cursor: tuple[int, int] | None) -> Iterator[Text]:
        """Yield the lines of the board: rows of dots and edges alternate with rows of edges and boxes."""
        last_place = None if last_move is None else position.place_marked_by(last_move)
        for down, marks in enumerate(position.rows()):
            line = Text()
            for columns, mark in enumerate(marks):
                edge = self.edges.edge_at(down, columns) if self._has_edge(columns, down) else None
                style = Style(bold=True) if mark.strip() else _FAINT
                if edge is not None and edge == last_place:
                    style += Style(color="green", bold=True)
                if (columns, down) == cursor:
                    style += _CURSOR
                if edge is not None:
                    drawn_edge = "━━━" if columns % 2 else "┃"
                    free_edge = "╌╌╌" if columns % 2 else "╎"
                    line.append(drawn_edge if mark.strip() else free_edge, style)
                elif columns % 2:
                    line.append(f" {mark} ", mark_style(position, mark))
                else:
                    line.append("•")
            yield line
