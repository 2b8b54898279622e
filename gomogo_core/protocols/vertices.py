"""Points in the notation of the Go Text Protocol: columns without I, row 1 at the bottom.

Source: "Specification of the Go Text Protocol, version 2" (G. Farnebäck, 2002), section 2.11. The module uses boards,
but no game and no protocol.
"""

from __future__ import annotations

from gomogo_core.games.boards.points import Point, PointBoard

COLUMN_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
MAX_BOARD_SIZE = len(COLUMN_LETTERS)  # the most points along a side
_MAX_ROW_DIGITS = 9  # the most digits of a row number; Python refuses to read 5,000 digits
COLOUR_NAMES = {1: "black", 2: "white"}  # by seat, in games that black begins


def format_vertex(board: PointBoard, point: Point) -> str:
    """Return the point in GTP's notation.

    >>> format_vertex(PointBoard(9, 9), Point(9, 1))
    'J9'
    """
    return f"{COLUMN_LETTERS[point.column - 1]}{board.rows + 1 - point.row}"


def parse_vertex(board: PointBoard, text: str) -> Point | None:
    """Return the point that GTP calls `text`; None if this board has no such point."""
    column, row = COLUMN_LETTERS.find(text[:1].upper()) + 1, text[1:]
    if not column or not row.isascii() or not row.isdigit() or len(row) > _MAX_ROW_DIGITS:
        return None
    point = Point(column, board.rows + 1 - int(row))
    return point if point in board.number_of else None
