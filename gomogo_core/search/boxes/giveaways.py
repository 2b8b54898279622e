"""The boxes that an edge gives to the opponent at once: the basis of greedy play.

Uses one position at a time, as free edges.
"""

from __future__ import annotations

from gomogo_core.search.boxes.board import BoxBits, bits
from gomogo_core.search.boxes.chains import captures


def boxes_given(board: BoxBits, free: int) -> int:
    """Return the number of boxes that the mover can capture in a row."""
    one, _, _ = board.degrees(free)
    return captures(board, free, one).boxes if one else 0


def least_given(board: BoxBits, free: int) -> list[int]:
    """Return the edges that capture a box; if there are none, those that let the opponent capture the fewest."""
    one, _, more = board.degrees(free)
    if one:
        return list(dict.fromkeys(free & board.sides[box] for box in bits(one)))
    safe = [edge for edge in bits(free) if all(box & more for box in board.beside[edge])]
    if safe:
        return safe
    gifts = {edge: boxes_given(board, free ^ edge) for edge in bits(free)}
    least = min(gifts.values())
    return [edge for edge, gift in gifts.items() if gift == least]
