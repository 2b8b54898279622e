"""A position as characters on a screen, and the move at each screen cell, for the cursor and the mouse.

Uses positions and rich's text, but no application.
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

MARKS = ("cyan", "red", "yellow", "magenta", "green", "blue")  # the same order as at the console
_FAINT = Style(dim=True)
_CURSOR = Style(reverse=True)
_LAST = Style(bold=True, underline=True)


class Canvas(Protocol):
    """A board's geometry on the screen. A place is a pair (across, down), which each kind of board defines."""

    def start_place(self) -> tuple[int, int]:
        """Return the first place of the cursor."""

    def next_place(self, place: tuple[int, int], across: int, down: int) -> tuple[int, int]:
        """Return the place one step on, or the same at the edge."""

    def place(self, cell: tuple[int, int]) -> Place:
        """Return the place of the board at a screen cell."""

    def row(self, place: tuple[int, int]) -> int:
        """Return the line of the screen that shows this place."""

    def place_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the place at a character of the screen, or None beside the board."""

    def lines(self, position: Position, last: Move | None, cursor: tuple[int, int] | None) -> Iterator[Text]:
        """Return the board."""


def canvas_of(position: Position, coordinates: Coordinates) -> Canvas | None:
    """Return the canvas for this game's board; None for a game that has no board to point at."""
    board = position.game.board
    if isinstance(board, EdgeBoard):
        return BoxesCanvas(board)
    if isinstance(board, PointBoard):
        return PointsCanvas(board, coordinates)
    return None


def style_of(position: Position, sign: str) -> Style:
    """Return the colour of a mark; it does not depend on the seat."""
    marks = sorted({position.mark(seat) for seat in range(1, position.game.seats + 1)})
    return Style(color=MARKS[marks.index(sign) % len(MARKS)], bold=True) if sign in marks else _FAINT


class PointsCanvas:
    """A board of points, two characters wide each, with coordinates on all sides."""

    def __init__(self, grid: PointBoard, coordinates: Coordinates) -> None:
        self.grid, self.coordinates = grid, coordinates
        self.margin = len(str(grid.rows)) + 1

    def start_place(self) -> tuple[int, int]:
        """Return the middle."""
        return self.grid.columns // 2, self.grid.rows // 2

    def next_place(self, place: tuple[int, int], across: int, down: int) -> tuple[int, int]:
        """Return a point on, within the board."""
        return (
            min(max(place[0] + across, 0), self.grid.columns - 1),
            min(max(place[1] + down, 0), self.grid.rows - 1),
        )

    def place(self, cell: tuple[int, int]) -> Place:
        """Return the point."""
        return Point(cell[0] + 1, cell[1] + 1)

    def row(self, place: tuple[int, int]) -> int:
        """Return the line, beneath that of the letters."""
        return place[1] + 1

    def place_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the point at a character, or the blank to its right."""
        place = (x - self.margin) // 2, y - 1
        inside = 0 <= place[0] < self.grid.columns and 0 <= place[1] < self.grid.rows
        return place if inside else None

    def lines(self, position: Position, last: Move | None, cursor: tuple[int, int] | None) -> Iterator[Text]:
        """Letters above and below, numbers on both sides."""
        letters = Text(" " * self.margin + " ".join(self.coordinates.column_letters(self.grid.columns)), _FAINT)
        won = position.winning_places()
        marked = None if last is None else position.place_marked_by(last)
        ko = {self.grid.parse(name) for name in position.facts().get("ko", ())}
        yield letters
        for down, row in enumerate(position.rows()):
            label = self.coordinates.row_label(down + 1)
            line = Text(f"{label:>{self.margin - 1}} ", _FAINT)
            for across, sign in enumerate(row):
                point = Point(across + 1, down + 1)
                style = style_of(position, sign)
                if point == marked or point in won:
                    style += _LAST
                line.append("~" if point in ko else sign, style + _CURSOR if (across, down) == cursor else style)
                line.append(" ")
            line.append(str(label), _FAINT)
            yield line
        yield letters


class BoxesCanvas:
    """Dots, edges and boxes: each box three characters wide. A place is an edge by column and row of the picture."""

    def __init__(self, edges: EdgeBoard) -> None:
        self.edges = edges

    def start_place(self) -> tuple[int, int]:
        """Return the upper left edge."""
        return 1, 0

    def _has_edge(self, across: int, down: int) -> bool:
        """Tell whether an edge is at this column and row of the picture."""
        return (across + down) % 2 == 1 and 0 <= across < self.edges.width and 0 <= down < self.edges.height

    def next_place(self, place: tuple[int, int], across: int, down: int) -> tuple[int, int]:
        """Return the next edge: beside this one of the same direction; above or below the next row of edges."""
        if across:
            tried = [(place[0] + 2 * across, place[1])]
        else:
            tried = [(place[0] + side, place[1] + down) for side in (1, -1)]
        return next((new for new in tried if self._has_edge(*new)), place)

    def place(self, cell: tuple[int, int]) -> Place:
        """Return the edge."""
        return self.edges.edge_at(cell[1], cell[0])

    def row(self, place: tuple[int, int]) -> int:
        """Return the line: dots with their edges and boxes have one each."""
        return place[1]

    def place_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the edge at a character; a dot and the middle of a box are none."""
        box, within = divmod(x, 4)
        across = 2 * box + (within > 0)
        return (across, y) if self._has_edge(across, y) else None

    def lines(self, position: Position, last: Move | None, cursor: tuple[int, int] | None) -> Iterator[Text]:
        """Dots with their edges, then boxes with their owners between theirs."""
        marked = None if last is None else position.place_marked_by(last)
        for down, signs in enumerate(position.rows()):
            line = Text()
            for across, sign in enumerate(signs):
                edge = self.edges.edge_at(down, across) if self._has_edge(across, down) else None
                style = Style(bold=True) if sign.strip() else _FAINT
                if edge is not None and edge == marked:
                    style += Style(color="green", bold=True)
                if (across, down) == cursor:
                    style += _CURSOR
                if edge is not None:
                    drawn = "━━━" if across % 2 else "┃"
                    faint = "╌╌╌" if across % 2 else "╎"
                    line.append(drawn if sign.strip() else faint, style)
                elif across % 2:
                    line.append(f" {sign} ", style_of(position, sign))
                else:
                    line.append("•")
            yield line
