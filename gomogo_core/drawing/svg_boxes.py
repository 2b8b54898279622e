"""Draws Dots and Boxes as SVG: dots, drawn and open edges, owned boxes, and markings.

The module uses positions and edges, but no names of players and no page.
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.drawing.svg_elements import XY, data_move, element, heat_spot, join_elements, label, scale_heat
from gomogo_core.drawing.svg_marks import Marks
from gomogo_core.drawing.svg_style import OWNER_COLOUR_COUNT
from gomogo_core.games.base import Position, Seat
from gomogo_core.games.boards.edges import BLANK, EdgeBoard

CELL_SIZE = 64
MARGIN = 26
_CLICKABLE_WIDTH = 26  # the width of the clickable area around an edge


class BoxesPicture:
    """The picture of a board of boxes.

    width, height: the size of the board with its margin, in the picture's units. show_names: whether to write the names
    of the open edges.
    """

    def __init__(self, position: Position, board: EdgeBoard, marks: Marks, show_names: bool) -> None:
        self.position, self.board, self.marks, self.show_names = position, board, marks, show_names
        self.width, self.height = 2 * MARGIN + CELL_SIZE * board.cols, 2 * MARGIN + CELL_SIZE * board.rows

    def centre_of(self, name: str) -> XY | None:
        """Return the middle of an edge, by its name; None for a move that is not an edge."""
        if name not in self.board.names:
            return None
        row, column = self.board.picture_cell(self.board.names.index(name))
        return MARGIN + CELL_SIZE * column / 2, MARGIN + CELL_SIZE * row / 2

    def elements(self, role: str | None) -> str:
        """Return all elements. role: the accessible role of each edge, "button" or "img"; None for no role."""
        return join_elements([*self._box_elements(), *self._edge_elements(role), *self._dot_elements()])

    def _box_elements(self) -> Iterator[str]:
        seats = {self.position.mark(seat): seat for seat in range(1, self.position.game.seats + 1)}
        for row, signs in enumerate(self.position.rows()[1::2]):
            for column, sign in enumerate(signs[1::2]):
                if sign == BLANK:
                    continue
                x, y = MARGIN + CELL_SIZE * column, MARGIN + CELL_SIZE * row
                kind = f"box owner-{(seats[sign] - 1) % OWNER_COLOUR_COUNT}"
                area = element("rect", class_=kind, x=x, y=y, width=CELL_SIZE, height=CELL_SIZE)
                yield area + label(sign, (x + CELL_SIZE / 2, y + CELL_SIZE / 2), "owner")

    def _last_seat(self, rows: tuple[str, ...], row: int, column: int) -> Seat:
        """Return the seat that drew the last edge: the owner of a box beside it, or else the player whose turn was
        before.

        rows: the rows of the picture. row, column: the cell of the edge there.
        """
        away = self.position.facts().get("away", ())
        seats = [seat for seat in range(1, self.position.game.seats + 1) if seat not in away]
        beside = ((row - 1, column), (row + 1, column)) if column % 2 else ((row, column - 1), (row, column + 1))
        signs = [rows[y][x] for y, x in beside if 0 < y < len(rows) and 0 < x < len(rows[0])]
        owners = [seat for seat in range(1, self.position.game.seats + 1) if self.position.mark(seat) in signs]
        return owners[0] if owners else seats[seats.index(self.position.to_move) - 1]

    def _dot_elements(self) -> Iterator[str]:
        for row in range(self.board.rows + 1):
            for column in range(self.board.cols + 1):
                yield element("circle", class_="dot", cx=MARGIN + CELL_SIZE * column, cy=MARGIN + CELL_SIZE * row, r=5)

    def _edge_elements(self, role: str | None) -> Iterator[str]:
        rows, heat = self.position.rows(), scale_heat(self.marks.heat)
        names = list(enumerate(self.board.names))
        open_names = (name for bit, name in names if _is_open(rows, self.board.picture_cell(bit)))
        focused_name = self.marks.last or next(open_names, None)
        for bit, name in names:
            row, column = self.board.picture_cell(bit)
            x, y = float(MARGIN + CELL_SIZE * column / 2), float(MARGIN + CELL_SIZE * row / 2)
            half_width, half_height = (CELL_SIZE / 2, 0.0) if column % 2 else (0.0, CELL_SIZE / 2)
            ends = {"x1": x - half_width, "y1": y - half_height, "x2": x + half_width, "y2": y + half_height}
            is_open = _is_open(rows, (row, column))
            is_latest = name == self.marks.last and not is_open
            ghost = is_open and name in self.marks.ghosts
            kind = "drawn ghost" if ghost else "open" if is_open else "drawn latest" if is_latest else "drawn"
            children = [element("line", class_=kind, **ends)]
            if is_latest:
                colour = (self._last_seat(rows, row, column) - 1) % OWNER_COLOUR_COUNT
                children.append(element("line", class_=f"author owner-{colour}", **ends))
            number = (self.marks.ghost_numbers if is_open else self.marks.numbers).get(name)
            if number:
                children.append(label(number, (x, y), "number on-edge"))
            elif is_latest:
                children.append(element("circle", class_="middle", cx=x, cy=y, r=5))
            elif is_open and name in heat:
                children.append(heat_spot(heat[name], self.marks.heat[name], (x, y), 17))
            elif is_open and self.show_names:
                children.append(label(name, (x, y), "name"))
            if role is None:
                yield element("g", "".join(children), class_="edge", data_edge=name)
                continue
            width, height = (CELL_SIZE - 14, _CLICKABLE_WIDTH) if column % 2 else (_CLICKABLE_WIDTH, CELL_SIZE - 14)
            children.append(
                element("rect", class_="hit", x=x - width / 2, y=y - height / 2, width=width, height=height)
            )
            yield element(
                "g",
                "".join(children),
                class_="edge",
                data_edge=name,
                data_move=data_move(self.position, self.board, name) if role == "button" else None,
                role=role,
                tabindex=None if role == "img" else 0 if name == focused_name else -1,
                aria_label=f"{name[0]} {name[1:]}, {'open' if is_open else 'drawn'}",
                aria_current="true" if is_latest else None,
            )


def _is_open(rows: tuple[str, ...], picture_cell: tuple[int, int]) -> bool:
    row, column = picture_cell
    return rows[row][column] == BLANK
