"""Influence: the points that stones control by influence that flows outwards, weaker with fewer liberties.

Uses boards; reads no move ahead. After A. Zobrist, A Model of Visual Organization for the Game of Go (1969). All points
are updated at once: each number has its own 16 bits of one integer, and a shift moves each to its neighbour.
"""

from __future__ import annotations

from functools import lru_cache

from gomogo_core.games.base import MAX_CACHED_BOARDS
from gomogo_core.games.stones.board import BLACK, WHITE, BitGeometry, StoneBoard

LANE = 16  # bits
FULL, HIGH = (1 << LANE) - 1, 1 << LANE - 1
STRENGTHS = (
    0,
    0,
    4,
    12,
    24,
    36,
    48,
    64,
)  # the influence of a stone, by the number of its chain's liberties; the last value is for more
MOST = len(STRENGTHS) - 1
SURE = 16  # the lead in influence from which a point counts fully
STEPS = 4  # the number of steps that influence flows


class InfluenceMap:
    """The geometry of a board for influence. lanes: the 1 of each place's lane."""

    def __init__(self, geometry: BitGeometry) -> None:
        self.lanes = tuple(1 << LANE * i for i in range(geometry.length))
        self.down = LANE * geometry.stride
        ones = sum(self.lanes[i] for i in geometry.bit_of.values())
        self.high, self.quarter, self.sure = ones * HIGH, ones * (FULL >> 2), ones * SURE

    def flow(self, sources: int, blocked: int) -> int:
        """Return each point's influence: its own source, and a quarter of each neighbour's a step before."""
        down, free = self.down, self.quarter & ~blocked
        flowing = sources
        for _ in range(STEPS):
            near = (flowing << LANE) + (flowing >> LANE) + (flowing << down) + (flowing >> down)
            flowing = sources + (near >> 2 & free)
        return flowing

    def lead(self, own: int, other: int) -> int:
        """Return the sum of the surpluses of `own` over `other`, at most SURE in each lane."""
        high = self.high
        ahead = (own | high) - other
        where = ahead & high
        ahead &= where - (where >> LANE - 1)
        where = ((ahead | high) - self.sure) & high
        most = where - (where >> LANE - 1)
        return ((ahead & ~most) | (self.sure & most)) % FULL


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def influence_of(geometry: BitGeometry) -> InfluenceMap:
    """Return the cached InfluenceMap of this board."""
    return InfluenceMap(geometry)


def balance(board: StoneBoard, mover: int, captured: int = 0) -> float:
    """Return black's lead in points; each point counts by the surplus of one colour over the other.

    mover: the player to move; it captures stones in atari. captured: the mask of other stones considered captured.
    """
    field, chains = influence_of(board.bit_geometry), board.chains
    lanes, black, taken = field.lanes, board.black, board.stones(BLACK + WHITE - mover)
    blacks = whites = black_sources = white_sources = 0
    for number in set(board.chain_ids):
        if number < 0:
            continue
        stones, liberties, places = chains[number]
        count = liberties.bit_count()
        if stones & captured or (count == 1 and stones & taken):
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
