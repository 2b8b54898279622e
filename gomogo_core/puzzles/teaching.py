"""Marks on a board for beginners: chains, liberties, atari, territory, and edges that close boxes.

A mark has a place and a meaning, and the page draws it. The module uses positions only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gomogo_core.games.base import Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import GoFamilyPosition


class TeachingMark(NamedTuple):
    """A mark on a place of the board.

    The kind is one of these: "liberties" (`text` is their number); "link" to another stone of the chain (`text` is its
    place); "atari"; "territory black" or "territory white"; "closes" for an edge that closes a box; "gives" for an edge
    after which the next player can close one.
    """

    place: str
    kind: str
    text: str = ""


def teaching_marks(position: Position) -> list[TeachingMark]:
    """Return the marks of a position; none in games without stones to capture or boxes to close."""
    if isinstance(position, DotsAndBoxesPosition):
        return list(_box_marks(position))
    if isinstance(position, GoFamilyPosition) and position.game.captures:
        return [*_chain_marks(position), *_territory_marks(position)]
    return []


def teaching_label(position: Position) -> str:
    """Return the label of the switch that shows the marks, or "" if there are none in this game."""
    if isinstance(position, DotsAndBoxesPosition):
        return "Show open boxes"
    return "Show liberties" if isinstance(position, GoFamilyPosition) and position.game.captures else ""


def _chain_marks(position: GoFamilyPosition) -> Iterator[TeachingMark]:
    geometry, board = position.game.bit_geometry, position.board
    for colour in (BLACK, WHITE):
        for chain_mask, liberties, _ in board.chains_of(board.stone_mask(colour)):
            liberty_count = liberties.bit_count()
            for point in geometry.points_in(chain_mask):
                i = geometry.index_of[point]
                for j in geometry.neighbours[i]:
                    if j > i and chain_mask >> j & 1:
                        yield TeachingMark(str(point), "link", str(geometry.points_in(1 << j)[0]))
                if liberty_count == 1:
                    yield TeachingMark(str(point), "atari")
                yield TeachingMark(str(point), "liberties", str(liberty_count))


def _territory_marks(position: GoFamilyPosition) -> Iterator[TeachingMark]:
    for seat, points in position.territory().items():
        for point in points:
            yield TeachingMark(str(point), f"territory {'black' if seat == BLACK else 'white'}")


def _box_marks(position: DotsAndBoxesPosition) -> Iterator[TeachingMark]:
    closing_edges, giving_edges = position.closing_and_giving_edges()
    yield from (TeachingMark(str(edge), "closes") for edge in closing_edges)
    yield from (TeachingMark(str(edge), "gives") for edge in giving_edges)
