"""Eyes: the empty points that a player should not fill.

Knows one board at a time. An eye here is what simple Monte Carlo players take for one: all its neighbours are the
player's own, and at most one point that touches it at a corner is the opponent's, none at the edge (B. Bouzy and
B. Helmstetter, Monte-Carlo Go Developments, Advances in Computer Games 10, 2004, in a form common since).
"""

from __future__ import annotations

from functools import lru_cache

from gomogo_core.games._board import BLACK, WHITE, Board, Plane
from gomogo_core.games.base import MOST_SIZES


def eyes(board: Board, colour: int) -> int:
    """The mask of all eyes of `colour`."""
    plane, own, other = board.plane, board.stones(colour), board.stones(BLACK + WHITE - colour)
    held = board.empty & ~plane.beside(plane.full ^ own)
    if not held:
        return 0
    falling, rising = plane.stride + 1, plane.stride - 1
    a, b, c, d = other << falling, other >> falling, other << rising, other >> rising
    two = a & b | c & d | (a | b) & (c | d)
    return held & ~(two | (a | b | c | d) & edge(plane))


def is_eye(plane: Plane, own: int, other: int, i: int) -> bool:
    """Whether the empty place `i` is an eye of the colour whose stones are the mask `own`."""
    near = plane.around[i]
    if near & own != near:
        return False
    corners, bits = plane.diagonals[i], plane.bits
    return sum([other & bits[j] != 0 for j in corners]) <= (len(corners) == 4)


@lru_cache(maxsize=MOST_SIZES)
def edge(plane: Plane) -> int:
    """The mask of the points on the edge of the board."""
    return sum(bit for i, bit in enumerate(plane.bits) if plane.holds(i) and len(plane.diagonals[i]) < 4)
