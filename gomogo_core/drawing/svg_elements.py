"""Builds the elements of SVG pictures: escaped text, labels, arrows, and the spots of a heat map.

No element has an id, so that one page can contain many pictures. The module uses numbers, text and the names of moves,
but no board.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from html import escape
from math import hypot
from typing import TypeAlias

from gomogo_core.drawing.text import printable
from gomogo_core.games.base import Position
from gomogo_core.games.boards import Board

XY: TypeAlias = tuple[float, float]  # a place in a picture, in the picture's units
_ARROW_HEAD = 12.0  # length


def escape_text(text: object) -> str:
    """Escape `text` for XML, including the characters that XML cannot represent."""
    return escape(printable(str(text)))


def element(name: str, content: str | None = None, /, **attributes: object) -> str:
    """Return an XML element. content: the element's content; None for an empty element, such as `<circle/>`.

    In names of attributes, a final `_` is removed, and other `_` become `-`. Attributes that are None are left out.

    >>> element("circle", r=2.50, class_="star")
    '<circle r="2.5" class="star"/>'
    """
    present = [(key, value) for key, value in attributes.items() if value is not None]
    attribute_text = "".join([f"{_attribute_name(key)}{_attribute_value(value)}" for key, value in present])
    return f"<{name}{attribute_text}/>" if content is None else f"<{name}{attribute_text}>{content}</{name}>"


@cache
def _attribute_name(name: str) -> str:
    return f" {name.rstrip('_').replace('_', '-')}="


def _attribute_value(value: object) -> str:
    if isinstance(value, int):
        return f'"{value}"'
    return f'"{round(value, 2):g}"' if isinstance(value, float) else _quote_attribute(str(value))


@lru_cache(maxsize=4096)  # all pictures of a board repeat the same few hundred names and classes
def _quote_attribute(text: str) -> str:
    return f'"{escape_text(text)}"'


def data_move(position: Position, board: Board, place: str) -> str | None:
    """Return the attribute `data-move` of a place: the text of the move that a click on the place plays.

    The result is empty if a click plays no move, and None if moves have the names of their places.
    """
    if position.game.moves_are_board_places:
        return None
    move = position.move_at(board.parse(place))
    return "" if move is None else position.game.format(move)


def label(text: object, centre: XY, css_class: str) -> str:
    """Return text that is centred on a place. css_class: the class of the text."""
    x, y = centre
    return element("text", escape_text(text), class_=css_class, x=x, y=y)


def arrow(begin: XY, end: XY) -> str:
    """Return an arrow between two places; empty if the two places are the same."""
    (x1, y1), (x2, y2) = begin, end
    length = hypot(x2 - x1, y2 - y1)
    if not length:
        return ""
    unit_x, unit_y = (x2 - x1) / length, (y2 - y1) / length
    neck_x, neck_y = x2 - _ARROW_HEAD * unit_x, y2 - _ARROW_HEAD * unit_y
    side_x, side_y = _ARROW_HEAD / 2 * unit_y, _ARROW_HEAD / 2 * unit_x
    corners = ((x2, y2), (neck_x - side_x, neck_y + side_y), (neck_x + side_x, neck_y - side_y))
    line = element("line", class_="shaft", x1=float(x1), y1=float(y1), x2=neck_x, y2=neck_y)
    head = element("polygon", class_="head", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in corners))
    return element("g", line + head, class_="arrow")


def scale_heat(heat: Mapping[str, float]) -> dict[str, float]:
    """Scale the values linearly, so that the least becomes 0 and the greatest becomes 1."""
    low, high = min(heat.values(), default=0.0), max(heat.values(), default=0.0)
    return {name: (value - low) / (high - low) if high > low else 1.0 for name, value in heat.items()}


def heat_spot(scaled_value: float, value: float, centre: XY, max_radius: float) -> str:
    """Return a spot with the value written on it. The spot's size shows the value too, so colours do not matter.

    scaled_value: the value on a scale from 0 to 1. max_radius: the radius of the largest spot.
    """
    x, y = centre
    spot = element("circle", class_="heat", cx=x, cy=y, r=max_radius * (0.6 + 0.4 * scaled_value))
    return spot + label(format_number(value), centre, "value")


def format_number(value: float) -> str:
    """Return a number in about four characters: 0.07, 53, 1.2k."""
    if abs(value) >= 1000:
        return f"{format_number(value / 1000)}k"
    return f"{round(value, 2 if abs(value) < 1 else 1 if abs(value) < 10 else 0):g}"


def join_elements(parts: Iterable[str]) -> str:
    """Join elements, one per line."""
    return "\n".join(part for part in parts if part)
