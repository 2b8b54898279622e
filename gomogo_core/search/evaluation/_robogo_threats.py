"""The effects of captures on rows: suicide, captures, and defences against a row.

The module uses one board at a time, but no turns, no ko and no search.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.search.evaluation._robogo_geometry import RobogoGeometry


def stays_on_board(board: StoneBoard, colour: int, point_index: int) -> bool:
    """Return whether a stone of `colour` on the empty point with bit `point_index` would stay on the board."""
    has_empty_neighbour = board.bit_geometry.neighbour_masks[point_index] & board.empty_mask != 0
    return has_empty_neighbour or board.has_liberty_after(board.stone_mask(colour), point_index)


class Liberties(NamedTuple):
    """The liberties of a board's chains.

    `capturing_masks` holds, for each colour, the mask of the points where its stone captures.
    `liberties_of_short_chains` is the mask of the liberties of chains with one or two liberties. `atari_balance` is the
    number of white's stones in atari minus black's.
    """

    capturing_masks: tuple[int, int, int]
    liberties_of_short_chains: int
    atari_balance: int


def liberties_of(board: StoneBoard) -> Liberties:
    """Return the liberties of all chains of `board`."""
    black, chains = board.black_mask, board.chains
    by_black = by_white = liberties_of_short_chains = atari_balance = 0
    for number in set(board.chain_ids):
        if number >= 0:
            stones, liberties, places = chains[number]
            other_liberties = liberties & (liberties - 1)
            if other_liberties == 0:
                liberties_of_short_chains |= liberties
                if stones & black:
                    by_white |= liberties
                    atari_balance -= len(places)
                else:
                    by_black |= liberties
                    atari_balance += len(places)
            elif other_liberties & (other_liberties - 1) == 0:
                liberties_of_short_chains |= liberties
    return Liberties((0, by_black, by_white), liberties_of_short_chains, atari_balance)


def points_with_few_empty_neighbours(board: StoneBoard) -> int:
    """Return the mask of the empty points with at most one empty neighbour."""
    empty, stride = board.empty_mask, board.bit_geometry.stride
    left_empty, right, up, down = empty << 1, empty >> 1, empty << stride, empty >> stride
    return empty & ~(left_empty & right | up & down | (left_empty | right) & (up | down))


def points_that_may_stop_win(geometry: RobogoGeometry, board: StoneBoard, colour: int, point_index: int) -> int:
    """Return the mask of the points where the opponent may stop a win of `colour` on the point `point_index`.

    A stone of `colour` placed on `point_index` now would win. The opponent can play there, capture a stone of each
    row, or leave the stone without a liberty. Only these moves can help, and some of them fail.
    """
    stopping = geometry.bit_geometry.full_mask
    for other_points in _rows_missing_only(geometry, board, colour, point_index):
        stopping &= board.bit_geometry.masks[point_index] | _liberties_of_weak_chains(board, other_points, 1)
    liberty_mask, captures = _liberties_after(board, colour, point_index)
    if liberty_mask & (liberty_mask - 1) == 0:
        stopping |= liberty_mask
        if captures and not liberty_mask:  # a captured chain may be saved by a counter-capture
            stopping |= liberties_of(board).capturing_masks[BLACK + WHITE - colour]
    return stopping


def points_of_two_stone_win(geometry: RobogoGeometry, board: StoneBoard, colour: int, point_index: int) -> int | None:
    """Return the mask of the points on which a win in two stones depends; None if `colour` has no such win.

    The first stone is placed on the point `point_index`, and the second stone completes a row.

    The stone must be legal, and neither player may be able to complete a row now. A stone of the opponent on any other
    point cannot prevent the win, unless it captures or threatens to complete a row itself.
    """
    bits = geometry.bit_geometry
    place_stone = board.place_stone if geometry.captures else board.place_stone_without_captures
    next_board = place_stone(colour, point_index)
    own_stones, wins = next_board.stone_mask(colour), 0
    for window in geometry.rows_through_bit[point_index]:
        missing_points = window & ~own_stones
        if missing_points & (missing_points - 1) == 0:
            wins |= missing_points & next_board.empty_mask
    relevant_points = wins | bits.masks[point_index]
    if wins & (wins - 1) == 0:
        return None
    if not geometry.captures:
        return relevant_points
    stopping = bits.full_mask
    for win_point in bits.point_indices_in(wins):
        stopping &= points_that_may_stop_win(geometry, next_board, colour, win_point)
        if stopping == 0:
            break
    else:
        return None
    for win_point in bits.point_indices_in(wins):
        for other_points in _rows_missing_only(geometry, next_board, colour, win_point):
            relevant_points |= _liberties_of_weak_chains(next_board, other_points, 2)
        liberty_mask, _ = _liberties_after(next_board, colour, win_point)
        if liberty_mask.bit_count() <= 2:
            relevant_points |= liberty_mask or bits.full_mask
    return bits.full_mask if next_board.captured_mask else relevant_points


def _rows_missing_only(geometry: RobogoGeometry, board: StoneBoard, colour: int, point_index: int) -> Iterator[int]:
    """Yield the mask of the stones of each row of `colour` that lacks only the point `point_index`."""
    own_stones, bit = board.stone_mask(colour), board.bit_geometry.masks[point_index]
    for window in geometry.rows_through_bit[point_index]:
        other_points = window ^ bit
        if other_points & own_stones == other_points:
            yield other_points


def _liberties_after(board: StoneBoard, colour: int, point_index: int) -> tuple[int, bool]:
    """Return the liberties of a stone on the empty point `point_index` before captures, and whether it captures."""
    geometry, own_stones, bit = board.bit_geometry, board.stone_mask(colour), board.bit_geometry.masks[point_index]
    liberty_mask, captures = geometry.neighbour_masks[point_index] & board.empty_mask, False
    for j in geometry.neighbours[point_index]:
        if not geometry.masks[j] & board.empty_mask:
            stones, liberties, _ = board.chain(j)
            if stones & own_stones:
                liberty_mask |= liberties
            elif liberties == bit:
                captures = True
    return liberty_mask & ~bit, captures


def _liberties_of_weak_chains(board: StoneBoard, stone_mask: int, max_liberties: int) -> int:
    """Return the liberties of the chains that have a stone in `stone_mask` and at most `max_liberties` liberties."""
    liberty_mask = 0
    for _, liberties, _ in board.chains_of(stone_mask):
        if liberties.bit_count() <= max_liberties:
            liberty_mask |= liberties
    return liberty_mask
