"""Counts the boxes that the opponent can take after an edge is drawn; greedy play needs this number.

The module sees one position at a time, as a mask of free edges, and looks no further ahead than these captures.
"""

from __future__ import annotations

from gomogo_core.search.boxes.board import BoxesGeometry, bits
from gomogo_core.search.boxes.chains import captures


def capturable_boxes(board: BoxesGeometry, free_edges: int) -> int:
    """Return the number of boxes that the mover can capture in a row."""
    one, _, _ = board.boxes_by_degree(free_edges)
    return captures(board, free_edges, one).boxes if one else 0


def least_costly_edges(board: BoxesGeometry, free_edges: int) -> list[int]:
    """Return the edges that capture a box, or else the edges after which the opponent can capture the fewest boxes."""
    one, _, more = board.boxes_by_degree(free_edges)
    if one:
        return list(dict.fromkeys(free_edges & board.sides[box] for box in bits(one)))
    safe = [edge for edge in bits(free_edges) if all(box & more for box in board.boxes_beside[edge])]
    if safe:
        return safe
    gifts = {edge: capturable_boxes(board, free_edges ^ edge) for edge in bits(free_edges)}
    least = min(gifts.values())
    return [edge for edge, gift in gifts.items() if gift == least]
