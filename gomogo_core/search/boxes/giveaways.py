"""Counts the boxes that the opponent can take after an edge is drawn; greedy play needs this number.

The module sees one position at a time, as a mask of free edges, and looks no further ahead than these captures.
"""

from __future__ import annotations

from gomogo_core.search.boxes.board import BoxesGeometry, one_bit_masks
from gomogo_core.search.boxes.chains import find_captures


def capturable_box_count(board: BoxesGeometry, free_edge_mask: int) -> int:
    """Return the number of boxes that the mover can capture in a row."""
    degree_one, _, _ = board.boxes_by_degree(free_edge_mask)
    return find_captures(board, free_edge_mask, degree_one).boxes if degree_one else 0


def least_costly_edges(board: BoxesGeometry, free_edge_mask: int) -> list[int]:
    """Return the edges that capture a box, or else the edges after which the opponent can capture the fewest boxes."""
    degree_one, _, degree_many = board.boxes_by_degree(free_edge_mask)
    if degree_one:
        return list(dict.fromkeys(free_edge_mask & board.sides[box] for box in one_bit_masks(degree_one)))
    safe_edges = [
        edge for edge in one_bit_masks(free_edge_mask) if all(box & degree_many for box in board.boxes_beside[edge])
    ]
    if safe_edges:
        return safe_edges
    free_edges = one_bit_masks(free_edge_mask)
    capturable_counts = {edge: capturable_box_count(board, free_edge_mask ^ edge) for edge in free_edges}
    fewest_boxes = min(capturable_counts.values())
    return [edge for edge, count in capturable_counts.items() if count == fewest_boxes]
