"""Eyes: the empty points that a player should not fill.

The module looks at one board, and reads no moves ahead. An eye is defined as in simple Monte Carlo players. All
neighbours of an eye are the player's own stones, and at most one diagonal neighbour, or none at the edge, is an
opponent's stone (B. Bouzy and B. Helmstetter, Monte-Carlo Go Developments, Advances in Computer Games 10, 2004, in the
form that later programs use).
"""

from __future__ import annotations

from functools import lru_cache

from gomogo_core.games.base import MAX_CACHED_BOARDS
from gomogo_core.games.stones.board import BLACK, WHITE, BitGeometry, StoneBoard


def eye_mask(board: StoneBoard, colour: int) -> int:
    """Return the mask of all eyes of `colour`."""
    geometry, own_mask = board.bit_geometry, board.stone_mask(colour)
    other_mask = board.stone_mask(BLACK + WHITE - colour)
    surrounded_mask = board.empty_mask & ~geometry.neighbours_of(geometry.full_mask ^ own_mask)
    if not surrounded_mask:
        return 0
    falling, rising = geometry.stride + 1, geometry.stride - 1
    a, b, c, d = other_mask << falling, other_mask >> falling, other_mask << rising, other_mask >> rising
    two_corners_mask = a & b | c & d | (a | b) & (c | d)
    return surrounded_mask & ~(two_corners_mask | (a | b | c | d) & edge_mask(geometry))


def is_eye(geometry: BitGeometry, own_mask: int, other_mask: int, point_index: int) -> bool:
    """Return whether the empty point with bit `point_index` is an eye of the colour with the stones `own_mask`."""
    near = geometry.neighbour_masks[point_index]
    if near & own_mask != near:
        return False
    corners, bits = geometry.diagonal_neighbours[point_index], geometry.masks
    return sum([other_mask & bits[j] != 0 for j in corners]) <= (len(corners) == 4)


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def edge_mask(geometry: BitGeometry) -> int:
    """Return the mask of the points on the edge of the board."""
    points = [i for i in range(len(geometry.masks)) if geometry.has_point(i)]
    return sum(geometry.masks[i] for i in points if len(geometry.diagonal_neighbours[i]) < 4)
