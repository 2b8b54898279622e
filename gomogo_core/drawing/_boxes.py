"""Dots and Boxes as text: dots, edges, and in each box its owner's mark; optionally the names of undrawn edges.

The module uses positions and edges, but no terminal and no board of points.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gomogo_core.drawing.colours import FAINT, REVERSE_VIDEO, colour_text, mark_colours
from gomogo_core.games.base import Move, Position
from gomogo_core.games.boards import Place
from gomogo_core.games.boards.edges import BLANK, DOT, HORIZONTAL_EDGE, VERTICAL_EDGE, EdgeBoard

# the possible numbers of characters between two dots, the largest first: without names, and with names
_BOX_WIDTHS, _BOX_WIDTHS_WITH_NAMES = (3, 1), (5, 4)
_LEFT_MARGIN, _RIGHT_MARGIN = 1, 2  # columns beside the outer dots, for half a name or a bracket
_UNDRAWN_SIGN = ":"  # a vertical undrawn edge; shown only with colour, and faintly
_BOLD, _NO_COLOUR = "1", ""


def boxes_as_lines(
    position: Position, board: EdgeBoard, last: Move | None = None, *, colour: bool, width: int, show_names: bool
) -> Iterator[str]:
    """Yield the lines of the picture. A board too wide for `width` is drawn in parts, the left part first.

    last: the edge to mark: in brackets, or as `#` if there is no space for brackets. colour: whether to use ANSI
    colours, and to show undrawn edges faintly. show_names: whether to write each undrawn edge's name in its place.
    """
    width_of_boxes = width - _LEFT_MARGIN - _RIGHT_MARGIN - 1
    box_widths = _BOX_WIDTHS_WITH_NAMES if show_names else _BOX_WIDTHS
    part_count = -(-board.cols // max(1, width_of_boxes // (box_widths[-1] + 1)))
    widest_part = -(-board.cols // part_count)
    inner = next((inner for inner in box_widths if widest_part * (inner + 1) <= width_of_boxes), box_widths[-1])
    canvas = _BoxesCanvas(board, inner)
    canvas.draw(position, None if last is None else position.place_marked_by(last), colour, show_names)
    for part in range(part_count):
        first_column, end_column = board.cols * part // part_count, board.cols * (part + 1) // part_count
        if part_count > 1:
            yield f"Boxes {first_column + 1} to {end_column} of each row:"
        yield from canvas.lines(first_column, end_column, colour)


class _BoxesCanvas:
    """A grid of characters, each with its colour, in which dots, edges and boxes have fixed places."""

    def __init__(self, board: EdgeBoard, box_width: int) -> None:
        self.board, self.cell_size = board, box_width
        width = self.dot_offset(board.cols) + 1 + _RIGHT_MARGIN
        self.cells = [[(BLANK, _NO_COLOUR)] * width for _ in range(board.height)]

    def dot_offset(self, column: int) -> int:
        """Return the index, in a line of text, of the dots of a column."""
        return _LEFT_MARGIN + column * (self.cell_size + 1)

    def draw(self, position: Position, last: Place | None, colour: bool, show_names: bool) -> None:
        """Draw the dots, edges, owners' marks and names of a position. last: the edge to mark."""
        rows, codes = position.rows(), mark_colours(position)
        for row, signs in enumerate(rows):
            for column, sign in enumerate(signs[row % 2 :: 2]):
                if row % 2 == 0:
                    self._put_text(row, self.dot_offset(column), DOT)
                elif sign != BLANK:
                    self._put_text(row, self._middle_offset(column), sign, codes[sign])
        marked = None
        for bit, edge in enumerate(self.board.edges):
            row, column = self.board.picture_cell(bit)
            if rows[row][column] == BLANK:
                self._draw_undrawn_edge(row, column // 2, str(edge) if show_names else "", colour)
            elif edge == last:
                marked = row, column // 2
            else:
                self._put_text(row, *self._edge_characters(row, column // 2), _BOLD)
        if marked is not None:  # draw the marked edge last, because its brackets cover the neighbouring characters
            self._mark_edge(*marked)

    def lines(self, first_column: int, end_column: int, colour: bool) -> Iterator[str]:
        """Yield the lines of text of some columns of boxes, from `first_column` to the column before `end_column`."""
        begin, end = self.dot_offset(first_column), self.dot_offset(end_column) + 1
        for row_index, row in enumerate(self.cells):
            overhang = row_index % 2  # names and brackets extend beyond the dots
            cells = row[begin - _LEFT_MARGIN : end + _RIGHT_MARGIN] if overhang else row[:_LEFT_MARGIN] + row[begin:end]
            if not colour:
                yield "".join(sign for sign, _ in cells).rstrip()
                continue
            runs = (("".join(sign for sign, _ in run), code) for code, run in groupby(cells, lambda cell: cell[1]))
            yield "".join(colour_text(text, code) if code else text for text, code in runs).rstrip()

    def _put_text(self, row: int, column: int, text: str, code: str = _NO_COLOUR) -> None:
        self.cells[row][column : column + len(text)] = [(sign, code) for sign in text]

    def _middle_offset(self, column: int) -> int:
        return self.dot_offset(column) + (self.cell_size + 1) // 2

    def _edge_characters(self, row: int, column: int) -> tuple[int, str]:
        """Return the index of an edge's first character in a line of text, and its characters."""
        if row % 2:
            return self.dot_offset(column), VERTICAL_EDGE
        return self.dot_offset(column) + 1, HORIZONTAL_EDGE * self.cell_size

    def _draw_undrawn_edge(self, row: int, column: int, name: str, colour: bool) -> None:
        code = FAINT if colour else _NO_COLOUR
        offset = self.dot_offset(column) if row % 2 else self._middle_offset(column)
        if name:
            self._put_text(row, offset - (len(name) - 1) // 2, name, code)
        elif colour and self.cell_size > 1:
            self._put_text(row, offset, _UNDRAWN_SIGN if row % 2 else HORIZONTAL_EDGE, code)

    def _mark_edge(self, row: int, column: int) -> None:
        offset, line = self._edge_characters(row, column)
        if self.cell_size == 1:
            self._put_text(row, offset, "#", f"{_BOLD};{REVERSE_VIDEO}")
            return
        self._put_text(row, offset, line, _BOLD)
        middle_offset = offset if row % 2 else self._middle_offset(column)
        self._put_text(row, middle_offset - 1, "[")
        self._put_text(row, middle_offset, line[0], f"{_BOLD};{REVERSE_VIDEO}")
        self._put_text(row, middle_offset + 1, "]")
