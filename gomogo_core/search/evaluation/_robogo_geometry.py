"""The geometry of a Robogo board for search: the lane, the bit, the windows and the neighbourhood of each point.

The module contains nothing about stones or turns. gomoku_lines.py defines the lanes, games/stones/board.py the bits.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_

from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.search.evaluation.gomoku_lines import FULL_LANE, LANE_BITS, BoardLines
from gomogo_core.search.evaluation.gomoku_windows import RowShape


class RobogoGeometry:
    """The geometry of one game.

    Moves are searched at most `max_jump` steps from a stone, along the directions of rows; 0 means the whole board.
    `captures` tells whether stones can be captured. `bit_geometry` describes the points as bits, and `board_lines`
    describes them as lanes. `bit_of_lane` maps the number of a point's lane to the point's bit; `lane_number_of_bit` is
    the inverse map. `lane_mask_of_bit` maps the bit to the integer that has FULL_LANE in that lane, and 0 in all
    others. `rows_through_bit[bit]` holds the masks of the rows of exactly `line` points through a point.
    `lanes_near_lane[lane]` has full lanes for the points at most `max_jump` steps away. `removal_changes[colour][lane]`
    is the change that the removal of a stone makes to the values of its lines. `deciding_threats[colour]` is the mask
    of the threats that may decide the game if `colour` moves. `symmetries` holds, for each symmetry of the board, the
    image of each lane.
    """

    def __init__(self, game: Robogo, max_jump: int) -> None:
        self.max_jump, self.captures, self.bit_geometry = max_jump, game.captures, game.bit_geometry
        row = RowShape(game.line, longer_wins=True)
        is_one_line = min(game.rows, game.cols) == 1  # all lines but one are single points there
        directions = 4 if game.diagonals and not is_one_line else 2
        self.board_lines = lanes = BoardLines(game.board, row, row, directions=directions)
        self.bit_of_lane = tuple(self.bit_geometry.index_of[point] for point in lanes.points)
        self.lane_number_of_bit = {bit: number for number, bit in enumerate(self.bit_of_lane)}
        self.lane_mask_of_bit = [
            FULL_LANE << LANE_BITS * self.lane_number_of_bit[i] if i in self.lane_number_of_bit else 0
            for i in range(self.bit_geometry.length)
        ]
        self.rows_through_bit = self._find_rows_through_bits(game)
        self.lanes_near_lane = tuple(self._find_lanes_within_jumps(game, bit) for bit in self.bit_of_lane)
        self.removal_changes = [
            [tuple((k, -part) for k, part in parts) for parts in lanes.lines_through[colour]] if colour else []
            for colour in (0, BLACK, WHITE)
        ]
        win_masks, two_four_masks = lanes.win_masks[BLACK] | lanes.win_masks[WHITE], lanes.two_four_masks
        self.deciding_threats = (0, win_masks | two_four_masks[BLACK], win_masks | two_four_masks[WHITE])
        self.symmetries = game.board.symmetric_numbers

    def _find_rows_through_bits(self, game: Robogo) -> tuple[tuple[int, ...], ...]:
        rows_through_bit: list[list[int]] = [[] for _ in range(self.bit_geometry.length)]
        for first in self.bit_of_lane:
            for step in game.row_steps:
                row_bits = [first + step * k for k in range(game.line)]
                if all(map(self.bit_geometry.has_point, row_bits)):
                    for bit in row_bits:
                        rows_through_bit[bit].append(sum(1 << row_bit for row_bit in row_bits))
        return tuple(map(tuple, rows_through_bit))

    def _find_lanes_within_jumps(self, game: Robogo, point_index: int) -> int:
        if not self.max_jump:
            return self.board_lines.ones * FULL_LANE
        reached = 1 << point_index
        for _ in range(self.max_jump):
            neighbours = (reached << step | reached >> step for step in game.row_steps)
            reached = reduce(or_, neighbours, reached) & self.bit_geometry.full_mask
        return self.lanes_of_mask(reached)

    def lanes_of_mask(self, mask: int) -> int:
        """Return lanes that are FULL_LANE for the points in `mask`, and 0 elsewhere."""
        lanes = 0
        while mask:
            lowest_bit = mask & -mask
            lanes |= self.lane_mask_of_bit[lowest_bit.bit_length() - 1]
            mask ^= lowest_bit
        return lanes

    def lanes_near(self, stone_mask: int) -> int:
        """Return full lanes for the points near `stone_mask`; for the centre if there are no stones; for all points if
        `max_jump` is 0.
        """
        if not self.max_jump:
            return self.board_lines.ones * FULL_LANE
        if not stone_mask:
            return FULL_LANE << LANE_BITS * self.board_lines.centre
        point_indices = self.bit_geometry.point_indices_in(stone_mask)
        return reduce(or_, (self.lanes_near_lane[self.lane_number_of_bit[each]] for each in point_indices))


@lru_cache(maxsize=8)
def geometry_of(game: Robogo, max_jump: int) -> RobogoGeometry:
    """Return the cached RobogoGeometry of these rules."""
    return RobogoGeometry(game, max_jump)
