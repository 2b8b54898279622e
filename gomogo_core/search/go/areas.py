"""Areas and groups: which points will be whose, judged from where the stones stand.

Knows boards and masks; reads no move ahead. A point is nearer to one colour's stones or to the other's, and belongs to
the nearer (A. Zobrist, A Model of Visual Organization for the Game of Go, 1969, was the first to spread stones so).
What hangs together so is a group, and lives as far as its points make two eyes or it is not shut in.
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games._board import Plane

REACH = 4  # points beyond that many steps from any stone are nobody's
LIVE = 2.0  # eyes that make a group live
FREEDOM = 0.2  # eyes that a point of nobody's beside the group stands for: it may run out there
SHARES = (0.0, 0.05, 0.15, 0.5, 1.0)  # how likely a group with 0, ½, 1, 1½ and 2 eyes lives, on either side's move


def spread(plane: Plane, black: int, white: int, empty: int, steps: int = REACH) -> tuple[int, int]:
    """The stones of each colour with the points of `empty` that are nearer to them than to the other's.

    Points as near to both, or further than `steps` from either, are nobody's, and nothing spreads through them.
    """
    for _ in range(steps):
        more_black, more_white = plane.beside(black) & empty, plane.beside(white) & empty
        more = more_black | more_white
        if not more:
            break
        black |= more_black & ~more_white
        white |= more_white & ~more_black
        empty &= ~more
    return black, white


def balance(plane: Plane, black: int, white: int, to_move: int = 0) -> float:
    """The points that black will have more than white, if all that is shut in without two eyes dies.

    black, white: the stones, without those that are lost for certain.
    """
    empty = plane.full & ~(black | white)
    blacks, whites = spread(plane, black, white, empty)
    nobodys = plane.full & ~(blacks | whites)
    return _worth(plane, black, white, blacks, nobodys) - _worth(plane, white, black, whites, nobodys)


def _worth(plane: Plane, own: int, other: int, area: int, nobodys: int) -> float:
    """The points of `area` group by group, as far as each is likely to live, less those that its death would give."""
    total = 0.0
    for group in plane.groups(area):
        total += group.bit_count() * (2 * life(plane, group, own, other, nobodys) - 1)
    return total


def life(plane: Plane, group: int, own: int, other: int, nobodys: int) -> float:
    """How likely the group lives, from 0 to 1.

    group: the mask of a group's stones and points. own, other: all stones. nobodys: all points of nobody's.
    """
    inside = group & ~own
    if inside.bit_count() >= 8:
        return 1.0
    found = 0.0
    for region in plane.groups(inside):
        found += eye_worth(plane, region, own, other)
        if found >= LIVE:
            return 1.0
    found += FREEDOM * (plane.beside(group) & nobodys).bit_count()
    if found >= LIVE:
        return 1.0
    halves = int(found * 2)
    rest = found * 2 - halves
    return SHARES[halves] * (1 - rest) + SHARES[halves + 1] * rest


def eye_worth(plane: Plane, region: int, own: int, other: int) -> float:
    """How many eyes points that hang together are worth: 2, 1, 1½ where the next move decides, ½ for a doubtful one.

    The known shapes: three in a row, the pyramid, the bulky five, the cross and the rabbity six are one eye to who
    plays on their middle, and two to its owner; the square of four is one (e.g. in J. Davies, Life and Death, 1975).
    """
    size = region.bit_count()
    if size >= 7:
        return 2.0
    if size == 1:
        place = region.bit_length() - 1
        corners = plane.diagonals[place]
        lost = sum([other >> j & 1 for j in corners])
        return 1.0 if lost <= (len(corners) == 4) else 0.3
    if size == 2:
        return 1.0
    degrees = [(plane.around[i] & region).bit_count() for i in plane.places(region)]
    most = max(degrees)
    if size == 4 and min(degrees) == 2:
        return 1.0
    return 1.5 if most >= (2 if size == 3 else 4 if size == 6 else 3) else 2.0


def lost_points(plane: Plane, mask: int) -> Iterator[int]:
    """The places of a mask."""
    return plane.places(mask)
