"""Draws a board of points as SVG: lines, star points, stones, and markings.

The module uses positions and their boards, but no names of players and no page.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from gomogo_core.drawing import svg_elements
from gomogo_core.drawing.coordinates import Coordinates
from gomogo_core.drawing.svg_elements import XY, element, format_number, heat_spot, join_elements, label, scale_heat
from gomogo_core.drawing.svg_marks import Marks
from gomogo_core.games.base import Position
from gomogo_core.games.boards.points import Point, PointBoard

CELL_SIZE = 40
# the margin of the picture: without coordinates; with them on boards of medium size, on small and on large boards
UNLABELLED_MARGIN, _LABELLED_MARGIN, _SMALL_LABELLED_MARGIN, _LARGE_LABELLED_MARGIN = 26, 48, 42, 60
_STONE_RADIUS = 19
_COLOURS = {"x": "black", "o": "white"}
_EMPTY_SIGNS = ". "  # the signs of a point without a piece
_SMALL_BOARD_SIZE = 9  # boards up to this size have row numbers of one digit
_STANDARD_BOARD_SIZE = 19  # boards of this size also have star points between the corners


class PointsPicture:
    """The picture of a board of points.

    width, height: the size of the board with its margin, in the picture's units. coordinates: the coordinates to show,
    or None.
    """

    def __init__(self, position: Position, board: PointBoard, marks: Marks, coordinates: Coordinates | None) -> None:
        self.position, self.board, self.marks, self.coordinates = position, board, marks, coordinates
        self.margin = UNLABELLED_MARGIN if coordinates is None else labelled_margin(board)
        self.width = 2 * self.margin + CELL_SIZE * (board.columns - 1)
        self.height = 2 * self.margin + CELL_SIZE * (board.rows - 1)

    def centre_of(self, name: str) -> XY | None:
        """Return the middle of a point, by its name; None for a move that is not a point."""
        point = self.board.points[self.board.names.index(name)] if name in self.board.names else None
        return None if point is None else self._centre_of(point)

    def _centre_of(self, point: Point) -> XY:
        return self.margin + CELL_SIZE * (point.column - 1), self.margin + CELL_SIZE * (point.row - 1)

    def elements(self, role: str | None) -> str:
        """Return all elements. role: the accessible role of each point, "button" or "img"; None for no role."""
        return join_elements([*self._line_elements(), *self._label_elements(), *self._point_elements(role)])

    def _line_elements(self) -> Iterator[str]:
        board = self.board
        for column in range(1, board.columns + 1):
            (x, top), (_, bottom) = self._centre_of(Point(column, 1)), self._centre_of(Point(column, board.rows))
            yield element("line", class_="line", x1=x, y1=top, x2=x, y2=bottom)
        for row in range(1, board.rows + 1):
            (left, y), (right, _) = self._centre_of(Point(1, row)), self._centre_of(Point(board.columns, row))
            yield element("line", class_="line", x1=left, y1=y, x2=right, y2=y)
        for point in star_points(board.columns, board.rows):
            x, y = self._centre_of(point)
            yield element("circle", class_="star", cx=x, cy=y, r=4)

    def _label_elements(self) -> Iterator[str]:
        if self.coordinates is None:
            return
        middle = (self.margin - _STONE_RADIUS) // 2
        for column, letter in enumerate(self.coordinates.column_letters(self.board.columns), 1):
            x, _ = self._centre_of(Point(column, 1))
            yield label(letter, (x, middle), "coordinate") + label(letter, (x, self.height - middle), "coordinate")
        for row in range(1, self.board.rows + 1):
            _, y = self._centre_of(Point(1, row))
            number = self.coordinates.row_label(row)
            yield label(number, (middle, y), "coordinate") + label(number, (self.width - middle, y), "coordinate")

    def _point_elements(self, role: str | None) -> Iterator[str]:
        ko = set(self.position.facts().get("ko", ()))
        winning_names = set(map(str, self.position.winning_places()))
        territory = _territory_colours(self.position) if self.marks.territory else {}
        heat, ghosts, ghost_numbers = scale_heat(self.marks.heat), self.marks.ghosts, self.marks.ghost_numbers
        signs = "".join(self.position.rows())
        focused_name = self.marks.last or ""
        if focused_name not in self.board.names:
            focused_name = self.board.names[self.board.area // 2]
        for name, point, sign in zip(self.board.names, self.board.points, signs, strict=True):
            x, y = self._centre_of(point)
            colour = _COLOURS.get(sign)
            content = colour or (sign if sign not in _EMPTY_SIGNS else "empty, ko" if name in ko else "empty")
            children = []
            if colour:
                children.append(element("circle", class_=f"stone {colour}", cx=x, cy=y, r=_STONE_RADIUS))
            elif sign not in _EMPTY_SIGNS:
                children.append(label(sign, (x, y), "owner"))
            elif name in ghosts:
                ghost = _COLOURS.get(ghosts[name], "black")
                children.append(element("circle", class_=f"stone {ghost} ghost", cx=x, cy=y, r=_STONE_RADIUS))
            elif name in heat:
                children.append(heat_spot(heat[name], self.marks.heat[name], (x, y), _STONE_RADIUS))
            elif name in territory:
                kind = f"territory {territory[name]}"
                children.append(element("rect", class_=kind, x=x - 6, y=y - 6, width=12, height=12))
            if name in ko:
                children.append(element("rect", class_="ko", x=x - 9, y=y - 9, width=18, height=18))
            number = self.marks.numbers.get(name) if colour else ghost_numbers.get(name)
            shade = colour or _COLOURS.get(ghosts.get(name, ""), "edge")
            if name == self.marks.last:
                children.append(element("circle", class_="last", cx=x, cy=y, r=15 if number else 8))
            if name in self.marks.dead:
                children.append(element("path", class_=f"dead on-{shade}", d=f"M{x - 8} {y - 8}l16 16m0-16l-16 16"))
            if name in winning_names:
                children.append(element("circle", class_="won", cx=x, cy=y, r=_STONE_RADIUS))
            if number and name in ghosts and name in heat:
                children.append(label(number, (x, y - 7), f"number on-{shade}"))
                children.append(label(format_number(self.marks.heat[name]), (x, y + 8), f"number on-{shade}"))
            elif number:
                children.append(label(number, (x, y), f"number on-{shade}"))
            spoken_name = self._spoken_name(point)
            yield self._point_element(name, f"{spoken_name}, {content}", (x, y), children, role, focused_name)

    def _spoken_name(self, point: Point) -> str:
        """Return the name of a point for screen readers, for example "h 8"."""
        name = str(point) if self.coordinates is None else self.coordinates.display(str(point))
        return f"{name[0]} {name[1:]}"

    def _point_element(
        self, name: str, label: str, centre: XY, children: list[str], role: str | None, focused_name: str
    ) -> str:
        if role is None:
            return element("g", "".join(children) or None, class_="point", data_point=name)
        left, top = centre[0] - CELL_SIZE // 2, centre[1] - CELL_SIZE // 2
        children.append(element("rect", class_="hit", x=left, y=top, width=CELL_SIZE, height=CELL_SIZE))
        return element(
            "g",
            "".join(children),
            class_="point",
            data_point=name,
            data_move=svg_elements.data_move(self.position, self.board, name) if role == "button" else None,
            role=role,
            tabindex=None if role == "img" else 0 if name == focused_name else -1,
            aria_label=label,
            aria_current="true" if name == self.marks.last else None,
        )


def labelled_margin(board: PointBoard) -> int:
    """Return the distance from the outer lines to the edge of a picture with coordinates.

    Large boards have a wider margin, because a page enlarges their coordinates on a phone to keep them legible.
    """
    size = max(board.rows, board.columns)
    if size > _STANDARD_BOARD_SIZE:
        return _LARGE_LABELLED_MARGIN
    return _LABELLED_MARGIN if size > _SMALL_BOARD_SIZE else _SMALL_LABELLED_MARGIN


def star_points(columns: int, rows: int) -> list[Point]:
    """Return the star points of a board of this size: those on the third or fourth line, and the middle.

    >>> [str(point) for point in star_points(9, 9)]
    ['c3', 'c7', 'e5', 'g3', 'g7']
    """
    star_columns, star_rows = _star_lines(columns), _star_lines(rows)
    has_all = min(columns, rows) >= _STANDARD_BOARD_SIZE
    return [
        Point(column, row)
        for column, row in product(star_columns, star_rows)
        if has_all or (column in (star_columns[0], star_columns[-1])) == (row in (star_rows[0], star_rows[-1]))
    ]


def _star_lines(size: int) -> list[int]:
    """Return the numbers of the rows with star points on a board with `size` rows; columns work in the same way."""
    middle = [size // 2 + 1] if size % 2 and size >= 5 else []
    if size < 7:
        return middle
    edge = 4 if size >= 13 else 3
    return [edge, *middle, size + 1 - edge]


def _territory_colours(position: Position) -> dict[str, str]:
    """Return the colour of the owner of each point of territory, by the name of the point."""
    return {
        str(place): _COLOURS.get(position.mark(seat), "")
        for seat, places in position.territory().items()
        for place in places
    }
