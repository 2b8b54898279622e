"""Finds the stones of Go that look dead, and the points where a stone may still gain something, by playouts.

The rules have no dead stones: all stones on the board count. So a player must capture such stones before the game ends.
The method: B. Bouzy and B. Helmstetter, Monte-Carlo Go Developments (2003).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import fmean, median
from time import monotonic

from gomogo_core.games.base import Position, Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.search.go.atari import capturing_points, rescuing_points
from gomogo_core.search.go.passing import points_safe_from_capture, wins_by_passing
from gomogo_core.search.playouts._tactical import TacticalPlayout

_PLAYOUTS = 100
_MIN_PLAYOUTS = 20  # with fewer playouts in the time limit, hardly any stone looks dead
_MAX_SECONDS = 1.0
# A chain looks dead if the opponent owns its points after this share of the playouts. At the end of 30 games of GNU Go
# on 9 × 9, this finds 55 of the 56 dead chains and no living one; a share of 0.85 finds 45.
_DEAD_SHARE = 0.6
_MIN_OPEN_REGION = 6  # a region between both players is open if it has this number of empty points, or more
_SETTLED_SHARE = 0.75  # the owner of a point is settled if it is the same in this share of the playouts
_HOPELESS_SHARE = 0.9  # a stone is hopeless on a point that the opponent owns after this share of the playouts


@lru_cache(maxsize=64)
def dead_stones(position: GoPosition) -> dict[Seat, tuple[Point, ...]]:
    """Return the points of the stones that look dead, by the seat of their owner.

    Each player begins half of the playouts. The search takes at most a second, and less than 0.2 s on 9 × 9.
    """
    geometry = position.game.bit_geometry
    owner_counts, playout_count = {BLACK: [0] * geometry.length, WHITE: [0] * geometry.length}, 0
    for final_board in _final_boards(position, (BLACK, WHITE), monotonic() + _MAX_SECONDS):
        black, white = final_board.territory_masks()
        for colour, mask in ((BLACK, final_board.black_mask | black), (WHITE, final_board.white_mask | white)):
            for point_index in geometry.point_indices_in(mask):
                owner_counts[colour][point_index] += 1
        playout_count += 1
    min_count = _DEAD_SHARE * max(playout_count, _MIN_PLAYOUTS)
    dead_points = {}
    for colour in (BLACK, WHITE):
        opponent_counts, mask = owner_counts[BLACK + WHITE - colour], 0
        for stones, _, _ in position.board.chains_of(position.board.stone_mask(colour)):
            if fmean(opponent_counts[point_index] for point_index in geometry.point_indices_in(stones)) >= min_count:
                mask |= stones
        dead_points[colour] = tuple(geometry.points_in(mask))
    return dead_points


def points_worth_a_stone(position: Position, stop_at: float) -> int:
    """Return the mask of the points where a stone of the mover may gain something in Go; 0 if the mover may pass.

    A stone is hopeless on a point that the opponent owns after most playouts, unless it captures stones on other
    points. The mask contains all points in three cases: in other games, before half of the board can be full, and if
    there are too few playouts before `stop_at` (a time of time.monotonic()). The mask is 0 if a pass wins, or if the
    mover cannot expect more points than the present board gives.
    """
    if not isinstance(position, GoPosition) or not position.game.passing:
        return -1
    if wins_by_passing(position):
        return 0
    if not position.passes and 2 * position.moves_played < position.game.board.area:
        return -1
    areas = [_owned_masks(final_board) for final_board in _final_boards(position, (position.to_move,), stop_at)]
    if len(areas) < _MIN_PLAYOUTS:
        return -1
    hopeful_points = position.legal_mask & ~_hopeless_points(position, areas)
    return hopeful_points if _can_gain(position, hopeful_points, areas) else 0


def _hopeless_points(position: GoPosition, areas: Sequence[tuple[int, int]]) -> int:
    """Return the mask of the points that the opponent owns after most playouts.

    Points of open regions are left out, because there the playouts see too little. `areas` holds the masks of
    `_owned_masks` at the end of each playout.
    """
    geometry, seat, mask = position.game.bit_geometry, position.to_move, 0
    for point_index in geometry.point_indices_in(geometry.full_mask & ~_open_points(position)):
        if sum(area[2 - seat] >> point_index & 1 for area in areas) >= _HOPELESS_SHARE * len(areas):
            mask |= 1 << point_index
    for point_index, captured in capturing_points(position.board, seat).items():
        if captured & ~mask:
            mask &= ~(1 << point_index)
    return mask


def _can_gain(position: GoPosition, hopeful_points: int, areas: Sequence[tuple[int, int]]) -> bool:
    """Return whether the mover can expect to gain points by a stone on one of these points, by the ends of playouts.

    The mover gains if it can capture stones. It also gains by a stone that is not in atari, on one of three kinds of
    points: in a region between both players, with an owner that differs between playouts, or owned by the mover after
    most playouts. It also gains if half of the playouts end with a larger lead in area than the present one. It gains
    by saving stones from atari only if its pass does not end the game: at the end, all stones on the board count.
    """
    seat, board = position.to_move, position.board
    urgent_points = {*capturing_points(board, seat), *(() if position.passes else rescuing_points(board, seat))}
    if any(hopeful_points >> point_index & 1 for point_index in urgent_points):
        return True
    geometry, safe_points = position.game.bit_geometry, points_safe_from_capture(position) & hopeful_points
    if safe_points & _open_points(position):
        return True
    own_area = _owned_masks(board)[seat - 1]
    for point_index in geometry.point_indices_in(safe_points):
        own_count, opponent_count = (sum(area[s - 1] >> point_index & 1 for area in areas) for s in (seat, 3 - seat))
        if max(own_count, opponent_count) < _SETTLED_SHARE * len(areas):
            return True  # the playouts do not agree on the owner
        if own_count > opponent_count and not own_area >> point_index & 1:
            return True
    leads = [area[seat - 1].bit_count() - area[2 - seat].bit_count() for area in (_owned_masks(board), *areas)]
    return median(leads[1:]) > leads[0]


def _open_points(position: GoPosition) -> int:
    """Return the mask of the empty points in large regions between both players."""
    geometry, (black_area, white_area) = position.game.bit_geometry, _owned_masks(position.board)
    regions = geometry.groups(geometry.full_mask & ~black_area & ~white_area)
    return sum(region for region in regions if region.bit_count() >= _MIN_OPEN_REGION)


def _owned_masks(board: StoneBoard) -> tuple[int, int]:
    """Return two masks: black's stones and territory, and white's stones and territory."""
    black, white = board.territory_masks()
    return board.black_mask | black, board.white_mask | white


def _final_boards(position: GoPosition, first_movers: Sequence[Seat], end_time: float) -> Iterator[StoneBoard]:
    """Yield the boards at the end of playouts until `end_time`. The seats in `first_movers` begin in turn."""
    random_number = random.Random(0).random
    for number in range(_PLAYOUTS):
        if monotonic() >= end_time:
            return
        playout = TacticalPlayout(position, random_number)
        playout.passes, playout.mover = 0, first_movers[number % len(first_movers)]
        playout.play()
        yield playout.board.stones_without_chains()
