"""Boards of Dots and Boxes: the numbers and names of edges, the boxes, and drawing and parsing both as text.

The module contains nothing about players, turns or owners of boxes. The file protocol defines the numbers of the edges.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from gomogo_core.games.base import MAX_CACHED_BOARDS, BadDiagram, NotAMove
from gomogo_core.games.boards import Board, Change, Symmetry, group_changes

DOT, HORIZONTAL_EDGE, VERTICAL_EDGE, BLANK = "+-| "

_EDGE_PATTERN = re.compile(r"([hv])[\s,]*([0-9]{1,4})")


class Edge(NamedTuple):
    """A line between two neighbouring dots.

    `direction` is "h" for a horizontal edge, "v" for a vertical one. `number` is row · cols + col for a horizontal
    edge, where row and col are those of its left dot. For a vertical edge, `number` is row · (cols + 1) + col, where
    row and col are those of its upper dot. Rows and columns of dots are counted from 0.
    """

    direction: str
    number: int

    def __str__(self) -> str:
        return f"{self.direction}{self.number}"


class EdgeEffect(NamedTuple):
    """The effect of drawing an edge.

    `mask` is the mask of the edge. `adjacent_boxes` has a pair for each box beside the edge: the mask of the box's
    four sides, and the number of the box.
    """

    mask: int
    adjacent_boxes: tuple[tuple[int, int], ...]


class EdgeBoard(Board):
    """The geometry of `rows` × `cols` boxes, numbered row by row from 0.

    `edges` (also called `places`) lists the horizontal edges by number, then the vertical edges. `index_of` holds the
    index of each edge in that list, which is its bit in a mask. `boxes` holds the mask of the four sides of each box,
    and `side_bits` the bits of these sides. `boxes_beside` holds, for each bit, the one or two boxes beside that edge.
    `full_mask` is the mask of all edges. `edge_effects` holds the EdgeEffect of each edge. `horizontal_count` and
    `vertical_count` are the numbers of edges of each direction. `width` and `height` are the size of the text picture;
    a dot, an edge or a box is one character.
    """

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.horizontal_count, self.vertical_count = (rows + 1) * cols, rows * (cols + 1)
        self.places = self.edges = (
            *(Edge("h", number) for number in range(self.horizontal_count)),
            *(Edge("v", number) for number in range(self.vertical_count)),
        )
        self.index_of = {edge: bit for bit, edge in enumerate(self.edges)}
        self.names = tuple(map(str, self.edges))
        self.name_of = dict(zip(self.edges, self.names, strict=True))
        self._edges_by_text = {form: e for e in self.edges for form in (str(e), f"{e.direction} {e.number}")}
        self.full_mask = (1 << len(self.edges)) - 1
        self.side_bits = tuple(self._side_bits(row, col) for row in range(rows) for col in range(cols))
        self.boxes = tuple(sum(1 << side for side in sides) for sides in self.side_bits)
        boxes_beside: list[list[int]] = [[] for _ in self.edges]
        for box, sides in enumerate(self.side_bits):
            for side in sides:
                boxes_beside[side].append(box)
        self.boxes_beside = tuple(map(tuple, boxes_beside))
        self.edge_effects = {
            edge: EdgeEffect(1 << bit, tuple((self.boxes[box], box) for box in self.boxes_beside[bit]))
            for edge, bit in self.index_of.items()
        }
        self.width, self.height = 2 * cols + 1, 2 * rows + 1

    def _side_bits(self, row: int, col: int) -> tuple[int, int, int, int]:
        """Return the bits of a box's upper, lower, left and right side."""
        upper_bit, left_bit = row * self.cols + col, self.horizontal_count + row * (self.cols + 1) + col
        return upper_bit, upper_bit + self.cols, left_bit, left_bit + 1

    def picture_cell(self, index: int) -> tuple[int, int]:
        """Return the row and the column of an edge in the text picture, both counted from 0."""
        if index < self.horizontal_count:
            row, col = divmod(index, self.cols)
            return 2 * row, 2 * col + 1
        row, col = divmod(index - self.horizontal_count, self.cols + 1)
        return 2 * row + 1, 2 * col

    def edge_at(self, row: int, col: int) -> Edge:
        """Return the edge at a row and a column of the text picture, both counted from 0.

        Edges are where one of the two numbers is odd and the other is even.
        """
        if col % 2:
            return Edge("h", row // 2 * self.cols + col // 2)
        return Edge("v", row // 2 * (self.cols + 1) + col // 2)

    def parse(self, text: str) -> Edge:
        """Parse "h0", "H 0" or "h,0". Raises NotAMove."""
        if (known_edge := self._edges_by_text.get(text)) is not None:
            return known_edge
        match = _EDGE_PATTERN.fullmatch(text.strip().casefold())
        if match is None:
            raise NotAMove(text, f"write h or v and the edge's number, like h0 or v{self.vertical_count - 1}")
        known_edge = self._edges_by_text.get(f"{match[1]}{int(match[2])}")
        if known_edge is None:
            is_horizontal = match[1] == "h"
            word = "horizontal" if is_horizontal else "vertical"
            count = self.horizontal_count if is_horizontal else self.vertical_count
            raise NotAMove(text, f"{word} edges are {match[1]}0 to {match[1]}{count - 1}")
        return known_edge

    def symmetries(self) -> Sequence[Symmetry]:
        """Return the eight symmetries of a square, or the four of any other rectangle."""
        return [partial(self._apply_symmetry, symmetry) for symmetry in range(8 if self.rows == self.cols else 4)]

    def _apply_symmetry(self, symmetry: int, place: Hashable) -> Hashable:
        """Return the image of an edge under a symmetry, or any other value unchanged.

        Bit 0 of `symmetry` mirrors the columns, bit 1 mirrors the rows, and bit 2 then exchanges rows and columns.
        """
        if not isinstance(place, Edge):
            return place
        row, column = self.picture_cell(self.index_of[place])
        if symmetry & 1:
            column = self.width - 1 - column
        if symmetry & 2:
            row = self.height - 1 - row
        if symmetry & 4:
            row, column = column, row
        return self.edge_at(row, column)

    def changes(self, before: Sequence[str], after: Sequence[str]) -> list[Change]:
        """Return the changed edges and boxes. Box number 5 has the name `#5`; the numbers go row by row from 0."""
        return group_changes(
            (new_character, self._name_at(row, column))
            for row, (old_row, new_row) in enumerate(zip(before, after, strict=True))
            if old_row != new_row
            for column, (old_character, new_character) in enumerate(zip(old_row, new_row, strict=True))
            if old_character != new_character and (row % 2 or column % 2)  # a dot never changes
        )

    def _name_at(self, row: int, column: int) -> str:
        """Return the name of the edge or the box at this row and column of the text picture."""
        if row % 2 and column % 2:
            return f"#{row // 2 * self.cols + column // 2}"
        return self.name_of[self.edge_at(row, column)]

    def undrawn_edges(self, drawn_mask: int) -> tuple[Edge, ...]:
        """Return the edges that are not in the mask of drawn edges."""
        return tuple(edge for bit, edge in enumerate(self.edges) if not drawn_mask >> bit & 1)

    def draw(self, drawn_mask: int, box_characters: str) -> tuple[str, ...]:
        """Return the rows of the text picture: dots, the drawn edges, and one character for each box."""
        picture = [[BLANK] * self.width for _ in range(self.height)]
        for row in picture[::2]:
            row[::2] = DOT * (self.cols + 1)
        for box_row, row in enumerate(picture[1::2]):
            row[1::2] = box_characters[box_row * self.cols : (box_row + 1) * self.cols]
        for bit in range(len(self.edges)):
            if drawn_mask >> bit & 1:
                row_index, column = self.picture_cell(bit)
                picture[row_index][column] = HORIZONTAL_EDGE if bit < self.horizontal_count else VERTICAL_EDGE
        return tuple(map("".join, picture))

    def parse_picture(self, text: str) -> tuple[int, str, dict[str, str]]:
        """Parse the rows of `draw` and a footer. Raises BadDiagram.

        Return the mask of the drawn edges, the character in each box, and the footer's values by name. Blanks at the
        ends of lines may be missing, and all lines may be indented.
        """
        lines = text.casefold().splitlines()
        footer = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                footer[name.strip()] = value.strip()
        board = [line.rstrip() for line in lines if ":" not in line]
        first_row_index = next((row_index for row_index, line in enumerate(board) if DOT in line), len(board))
        rows = board[first_row_index : first_row_index + self.height]
        if len(rows) < self.height or any(board[first_row_index + self.height :]):
            raise BadDiagram(
                f"The diagram does not have {self.height} rows.",
                f"Write all rows of a board of {self.rows} x {self.cols} boxes: {self.rows + 1} rows of dots and, "
                f"between them, {self.rows} rows of boxes.",
            )
        margin = rows[0].index(DOT)
        drawn_mask, box_characters = 0, ""
        for row_number, row in enumerate(rows):
            characters = row[margin:].ljust(self.width)
            if row[:margin].strip() or len(characters) > self.width:
                raise self._bad_row_error(row)
            if row_number % 2:
                box_characters += characters[1::2]
            elif characters[::2] != DOT * (self.cols + 1):
                raise self._bad_row_error(row)
            rows[row_number] = characters
        for bit in range(len(self.edges)):
            row_index, column = self.picture_cell(bit)
            character = rows[row_index][column]
            if character not in (BLANK, VERTICAL_EDGE if row_index % 2 else HORIZONTAL_EDGE):
                raise self._bad_row_error(rows[row_index])
            drawn_mask |= (character != BLANK) << bit
        return drawn_mask, box_characters, footer

    def _bad_row_error(self, row: str) -> BadDiagram:
        return BadDiagram(
            f"The row {row.strip()!r} is not a row of dots or boxes that is {self.cols} boxes wide.",
            f"Write a row of dots as {DOT + (HORIZONTAL_EDGE + DOT) * self.cols!r} and a row of boxes as "
            f"{VERTICAL_EDGE + (BLANK + VERTICAL_EDGE) * self.cols!r}, with blanks for undrawn edges.",
        )


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def edge_board(rows: int, cols: int) -> EdgeBoard:
    """Return the cached EdgeBoard of this size."""
    return EdgeBoard(rows, cols)
