"""Influence: an estimate of the points that stones control. Influence spreads from stones; a stone with few liberties
has less influence.

The module does not read any moves ahead. The idea is that of A. Zobrist, A Model of Visual Organization for the Game of
Go (1969). All points are computed at once: each point has 16 bits of one large integer, a *lane*, and a shift moves
every value to the neighbouring point.
"""

from __future__ import annotations

from functools import lru_cache

from gomogo_core.games.base import MAX_CACHED_BOARDS
from gomogo_core.games.stones.board import BLACK, WHITE, BitGeometry, StoneBoard

LANE_BITS = 16  # bits
FULL_LANE, HIGH_BIT = (1 << LANE_BITS) - 1, 1 << LANE_BITS - 1
# the influence of a stone, by the number of its chain's liberties; the last value is for 7 or more
INFLUENCE_BY_LIBERTIES = (0, 0, 4, 12, 24, 36, 48, 64)
MAX_LIBERTIES = len(INFLUENCE_BY_LIBERTIES) - 1
FULL_POINT_LEAD = 16  # the lead in influence at which a point counts as one full point
SPREAD_STEPS = 4  # the number of steps over which influence spreads


class InfluenceMap:
    """The geometry of a board for influence. `lanes` holds, for each point, the integer that is 1 in its lane only."""

    def __init__(self, geometry: BitGeometry) -> None:
        self.lanes = tuple(1 << LANE_BITS * i for i in range(geometry.length))
        self.row_shift = LANE_BITS * geometry.stride
        ones = sum(self.lanes[i] for i in geometry.index_of.values())
        self.high_bits, self.quarter_mask = ones * HIGH_BIT, ones * (FULL_LANE >> 2)
        self.point_lead_limit_lanes = ones * FULL_POINT_LEAD

    def spread(self, sources: int, blocked: int) -> int:
        """Return each point's influence: its own source, plus a quarter of the influence that each neighbour had one
        step before.
        """
        down, free = self.row_shift, self.quarter_mask & ~blocked
        influence = sources
        for _ in range(SPREAD_STEPS):
            row_neighbours = (influence << LANE_BITS) + (influence >> LANE_BITS)
            neighbour_sum = row_neighbours + (influence << down) + (influence >> down)
            influence = sources + (neighbour_sum >> 2 & free)
        return influence

    def lead(self, own: int, other: int) -> int:
        """Return the sum, over all lanes, of the amount by which `own` exceeds `other`.

        A lane counts at most FULL_POINT_LEAD.
        """
        high = self.high_bits
        own_lead = (own | high) - other
        high_lanes = own_lead & high
        own_lead &= high_lanes - (high_lanes >> LANE_BITS - 1)
        high_lanes = ((own_lead | high) - self.point_lead_limit_lanes) & high
        lane_masks = high_lanes - (high_lanes >> LANE_BITS - 1)
        return ((own_lead & ~lane_masks) | (self.point_lead_limit_lanes & lane_masks)) % FULL_LANE


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def influence_map_of(geometry: BitGeometry) -> InfluenceMap:
    """Return the cached InfluenceMap of this board."""
    return InfluenceMap(geometry)


def influence_balance(board: StoneBoard, mover: int) -> float:
    """Return black's lead in points. A point counts by the difference of the two colours' influence there.

    Opponent's stones that are in atari count as captured by `mover`, the player to move.
    """
    influence_map, chains = influence_map_of(board.bit_geometry), board.chains
    lanes, black, opponent_stones = influence_map.lanes, board.black_mask, board.stone_mask(BLACK + WHITE - mover)
    black_lanes = white_lanes = black_sources = white_sources = 0
    for number in set(board.chain_ids):
        if number < 0:
            continue
        stones, liberties, places = chains[number]
        count = liberties.bit_count()
        if count == 1 and stones & opponent_stones:
            continue
        chain_lanes = 0
        for i in places:
            chain_lanes += lanes[i]
        if stones & black:
            black_lanes += chain_lanes
            black_sources += chain_lanes * INFLUENCE_BY_LIBERTIES[count if count < MAX_LIBERTIES else MAX_LIBERTIES]
        else:
            white_lanes += chain_lanes
            white_sources += chain_lanes * INFLUENCE_BY_LIBERTIES[count if count < MAX_LIBERTIES else MAX_LIBERTIES]
    black_flow = influence_map.spread(black_sources, white_lanes * FULL_LANE)
    white_flow = influence_map.spread(white_sources, black_lanes * FULL_LANE)
    return (influence_map.lead(black_flow, white_flow) - influence_map.lead(white_flow, black_flow)) / FULL_POINT_LEAD
