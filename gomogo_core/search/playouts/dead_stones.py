"""Finds the stones of Go that look dead, because the opponent takes them in most playouts.

The rules know no dead stones: all stones on the board count. So a player must capture such stones before the game ends.
The method: B. Bouzy and B. Helmstetter, Monte-Carlo Go Developments (2003).
"""

from __future__ import annotations

import random
from functools import lru_cache
from time import monotonic

from gomogo_core.games.base import Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.search.playouts._tactical import TacticalPlayout

_PLAYOUTS = 100
_MIN_PLAYOUTS = 20  # with fewer playouts in the time limit, hardly any stone looks dead
_MAX_SECONDS = 1.0
# A stone looks dead if the opponent owns its point after this share of the playouts. For living chains, the share stays
# below one half.
DEAD_SHARE = 0.85


@lru_cache(maxsize=64)
def dead_stones(position: GoPosition) -> dict[Seat, tuple[Point, ...]]:
    """Return the points of the stones that look dead, by the seat of their owner.

    Each player begins half of the playouts. The search takes at most a second, and less than 0.2 s on 9 × 9.
    """
    end_time, random_number = monotonic() + _MAX_SECONDS, random.Random(0).random
    geometry = position.game.bit_geometry
    owned, count = {BLACK: [0] * geometry.length, WHITE: [0] * geometry.length}, 0
    while count < _PLAYOUTS and monotonic() < end_time:
        playout = TacticalPlayout(position, random_number)
        playout.passes, playout.mover = 0, (BLACK, WHITE)[count % 2]
        playout.play()
        end = playout.board.stones_without_chains()
        black, white = end.territory_masks()
        for colour, mask in ((BLACK, end.black_mask | black), (WHITE, end.white_mask | white)):
            for place in geometry.bits_in(mask):
                owned[colour][place] += 1
        count += 1
    needed = DEAD_SHARE * max(count, _MIN_PLAYOUTS)
    statuses = {}
    for colour, stones in ((BLACK, position.board.black_mask), (WHITE, position.board.white_mask)):
        opponent_counts = owned[BLACK + WHITE - colour]
        mask = sum(geometry.masks[place] for place in geometry.bits_in(stones) if opponent_counts[place] >= needed)
        statuses[colour] = tuple(geometry.points_in(mask))
    return statuses
