"""Influence: which points stones make their own, flowing out from them like warmth, the weaker the fewer liberties.

Knows boards; reads no move ahead. After A. Zobrist, A Model of Visual Organization for the Game of Go (1969). All
points flow at once: a number for each lies in its own 16 bits of one integer, and a shift brings each to its neighbour.
"""

from __future__ import annotations

from functools import lru_cache

from gomogo_core.games._board import BLACK, WHITE, Board, Plane
from gomogo_core.games.base import MOST_SIZES

LANE = 16  # bits
FULL, HIGH = (1 << LANE) - 1, 1 << LANE - 1
STRENGTHS = (0, 0, 4, 12, 24, 36, 48, 64)  # of a stone whose chain has so many liberties, or more
MOST = len(STRENGTHS) - 1
SURE = 16  # the lead in influence with which a point is counted whole
STEPS = 4  # how far influence flows


class Field:
    """What a plane is to influence. lanes: the 1 of each place's lane."""

    def __init__(self, plane: Plane) -> None:
        self.lanes = tuple(1 << LANE * i for i in range(plane.length))
        self.down = LANE * plane.stride
        ones = sum(self.lanes[i] for i in plane.place.values())
        self.high, self.quarter, self.sure = ones * HIGH, ones * (FULL >> 2), ones * SURE

    def flow(self, sources: int, blocked: int) -> int:
        """What reaches each point: its own source, and a quarter of what reached each of its neighbours a step before.

        What flows off the edge is lost: a stone in the middle owns more than one in the corner.

        blocked: FULL in the lanes of the opponent's stones, which nothing flows through.
        """
        down, free = self.down, self.quarter & ~blocked
        flowing = sources
        for _ in range(STEPS):
            near = (flowing << LANE) + (flowing >> LANE) + (flowing << down) + (flowing >> down)
            flowing = sources + (near >> 2 & free)
        return flowing

    def lead(self, one: int, other: int) -> int:
        """The sum of what `one` has more than `other`, in each lane SURE at most."""
        high = self.high
        ahead = (one | high) - other
        where = ahead & high
        ahead &= where - (where >> LANE - 1)
        where = ((ahead | high) - self.sure) & high
        most = where - (where >> LANE - 1)
        return ((ahead & ~most) | (self.sure & most)) % FULL


@lru_cache(maxsize=MOST_SIZES)
def field_of(plane: Plane) -> Field:
    """The one Field of this plane."""
    return Field(plane)


def balance(board: Board, mover: int, gone: int = 0) -> float:
    """By how many points black leads, where each point counts as far as it is one colour's more than the other's.

    mover: who is to move, and takes what is in atari. gone: the mask of other stones that are as good as taken.
    """
    field, chains = field_of(board.plane), board.chains
    lanes, black, taken = field.lanes, board.black, board.stones(BLACK + WHITE - mover)
    blacks = whites = black_sources = white_sources = 0
    for number in set(board.ids):
        if number < 0:
            continue
        stones, liberties, places = chains[number]
        count = liberties.bit_count()
        if stones & gone or (count == 1 and stones & taken):
            continue
        here = 0
        for i in places:
            here += lanes[i]
        if stones & black:
            blacks += here
            black_sources += here * STRENGTHS[count if count < MOST else MOST]
        else:
            whites += here
            white_sources += here * STRENGTHS[count if count < MOST else MOST]
    one, other = field.flow(black_sources, whites * FULL), field.flow(white_sources, blacks * FULL)
    return (field.lead(one, other) - field.lead(other, one)) / SURE
