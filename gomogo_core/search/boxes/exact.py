"""Perfect play for two, by search: the value of a position, and every best edge.

The free edges alone determine a position, since the value of the open boxes does not depend on the owners of the closed
boxes.

The search visits only positions without captures. Its rules for captures (chains.py) and for chains are those of J.
Barker and R. Korf, Solving Dots-And-Boxes, AAAI (2012). This module adds one rule. For chains and loops that touch
nothing else, the search stores only their number of each length (independent_chains.py), and not their place on the
board.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

from gomogo_core.search.boxes.board import GROUND, BoxesGeometry, one_bit_masks
from gomogo_core.search.boxes.chains import (
    CLOSED_HANDOUT,
    HALF_OPEN_HANDOUT,
    MIN_LONG_CHAIN,
    capture_run_from,
    find_captures,
    find_chains,
    independent_chain_of,
)
from gomogo_core.search.boxes.independent_chains import IndependentChains
from gomogo_core.search.boxes.symmetry import symmetries_of
from gomogo_core.search.limits import SearchLimits

DEFAULT_MEGABYTES = 140  # memory for the tables, by default
# For the tables of values, safe edges and sacrifices: the share of the memory, and the bytes per entry. On boards of 16
# and 25 boxes, an entry was measured to take 151, 458 and 621 bytes. The numbers include a margin, because a table is
# stored twice while it grows.
_TABLE_SHARES = ((0.6, 200), (0.15, 500), (0.25, 900))
# If more than the share OPEN_SHARE of the root's edges is free, a position is looked up by the least of its mirror
# images while more than the share MIRRORED_SHARE of its edges is free. This saves half of the nodes on an empty board,
# and none in the middle of a game.
OPEN_SHARE, MIRRORED_SHARE = 0.7, 0.4

# a pair: the free edges without those of independent chains, and the packed independent chains
PackedPosition: TypeAlias = tuple[int, int]


class Sacrifice(NamedTuple):
    """A chain or loop that the mover gives away.

    `boxes` is the number of boxes that the opponent can take. `cost` is the number of boxes that the mover loses even
    if the opponent hands `handed_out` of them back. `free_edge_mask` and `packed` are the position after the capture of
    all boxes.
    """

    cost: int
    boxes: int
    handed_out: int
    free_edge_mask: int
    packed: int


class ExactSearch:
    """Perfect play on one board. Its tables can be used for every position of that board.

    A search that exceeds `limits` raises OutOfLimits. `megabytes` is the memory for the tables; a full table is
    cleared.
    """

    def __init__(
        self, board: BoxesGeometry, limits: SearchLimits | None = None, *, megabytes: float = DEFAULT_MEGABYTES
    ) -> None:
        self.board = board
        self.limits = SearchLimits() if limits is None else limits
        self.independent_chains = IndependentChains(len(board.sides))
        self._mirroring_threshold = math.inf
        self._packed_shift = 2 * board.half_width
        self._max_value_entries, self._max_safe_entries, self._max_sacrifice_entries = (
            int(megabytes * 1e6 * share / size) for share, size in _TABLE_SHARES
        )
        self._table: dict[int, tuple[int, int]] = {}  # position -> bounds of its value
        self._safe_edge_positions: dict[int, tuple[PackedPosition, ...]] = {}
        self._sacrifices: dict[int, tuple[Sacrifice, ...]] = {}

    def value(self, free_edge_mask: int) -> int:
        """Return the mover's open boxes minus the opponent's, with best play. Raises OutOfLimits."""
        boxes = self.board.boxes_left(free_edge_mask)
        lowest_value = boxes & 1
        if self.reaches_margin(free_edge_mask, lowest_value):
            while self.reaches_margin(free_edge_mask, lowest_value + 2):
                lowest_value += 2
            return lowest_value
        while not self.reaches_margin(free_edge_mask, lowest_value - 2):
            lowest_value -= 2
        return lowest_value - 2

    def best_edges(self, free_edge_mask: int) -> tuple[int, list[int]]:
        """Return the value and every edge that leads to it, in the game's order. Raises OutOfLimits."""
        value = self.value(free_edge_mask)
        free_edges = [edge for edge in self.board.edges if free_edge_mask & edge]
        return value, [edge for edge in free_edges if self.edge_reaches_margin(free_edge_mask, edge, value)]

    def edge_reaches_margin(self, free_edge_mask: int, edge: int, margin: int) -> bool:
        """Return whether the mover gets `margin` more open boxes than the opponent if it draws `edge`.

        Raises OutOfLimits.
        """
        next_mask = free_edge_mask ^ edge
        boxes_taken = sum(not self.board.sides[box] & next_mask for box in self.board.boxes_beside[edge])
        if boxes_taken:
            return self.reaches_margin(next_mask, margin - boxes_taken)
        return not self.reaches_margin(next_mask, 1 - margin)

    def reaches_margin(self, free_edge_mask: int, margin: int) -> bool:
        """Return whether the mover gets at least `margin` more open boxes than the opponent. Raises OutOfLimits."""
        degree_one, degree_two, degree_many = self.board.boxes_by_degree(free_edge_mask)
        boxes, edges = (degree_one | degree_two | degree_many).bit_count(), len(self.board.edges)
        self._mirroring_threshold = (
            MIRRORED_SHARE * edges if free_edge_mask.bit_count() > OPEN_SHARE * edges else math.inf
        )
        if degree_one:
            captures_now = find_captures(self.board, free_edge_mask, degree_one)
            free_edge_mask, boxes = captures_now.free_edge_mask_after, boxes - captures_now.boxes
            margin = margin - captures_now.boxes
            # |value + h| - h is the better of two values: take all boxes and move, or hand out h of them
            if captures_now.min_handout:
                wanted_margin = margin + captures_now.min_handout
                if wanted_margin <= 0:
                    return True
                free_edge_mask, packed = self._pack_independent_chains(free_edge_mask)
                position, handed_out = (free_edge_mask, packed, boxes), captures_now.min_handout
                if self._reaches_margin_packed(*position, wanted_margin - handed_out):
                    return True
                return not self._reaches_margin_packed(*position, 1 - wanted_margin - handed_out)
        free_edge_mask, packed = self._pack_independent_chains(free_edge_mask)
        return self._reaches_margin_packed(free_edge_mask, packed, boxes, margin)

    def _pack_independent_chains(self, free_edge_mask: int) -> PackedPosition:
        """Separate the chains and loops that touch nothing else from the other free edges."""
        free_edge_mask, packed = self.board.draw_lowest_twins(free_edge_mask), 0
        for box in one_bit_masks(self.board.boxes_by_degree(free_edge_mask)[1]):
            free_edge_mask, chain_code = self._pack_chain_through(free_edge_mask, box)
            packed += chain_code
        return free_edge_mask, packed

    def _pack_chain_through(self, free_edge_mask: int, box: int) -> PackedPosition:
        """Separate the chain or loop of `box`, if the box has two free edges and the chain touches nothing else."""
        sides = free_edge_mask & self.board.sides[box]
        sides &= sides - 1
        if not sides or sides & sides - 1:
            return free_edge_mask, 0
        chain = independent_chain_of(self.board, free_edge_mask, box)
        if chain is None:
            return free_edge_mask, 0
        return free_edge_mask & ~chain.edges, self.independent_chains.pack(chain.length, chain.is_loop)

    def _reaches_margin_packed(self, free_edge_mask: int, packed: int, boxes: int, margin: int) -> bool:
        """Return the result of `reaches_margin` for a packed position without captures, with `boxes` open boxes."""
        if packed & self.independent_chains.pair_mask:
            packed, paired_boxes = self.independent_chains.remove_short_pairs(packed)
            boxes -= paired_boxes
        margin += boxes - margin & 1  # the value is odd if and only if the number of boxes is odd
        if margin <= -boxes or margin > boxes:
            return margin <= -boxes
        if free_edge_mask.bit_count() > self._mirroring_threshold:
            free_edge_mask = symmetries_of(self.board).least_mirror_image(free_edge_mask)
        key = free_edge_mask | packed << self._packed_shift
        low, high = self._table.get(key, (-boxes, boxes))
        if low >= margin or high < margin:
            return low >= margin
        if not free_edge_mask:
            low = high = self.independent_chains.value(packed)
        else:
            self.limits.count_node()
            if self._some_move_reaches_margin(free_edge_mask, packed, boxes, margin):
                low = margin
            else:
                high = margin - 2
        if len(self._table) >= self._max_value_entries:
            self._table.clear()
        self._table[key] = low, high
        return low >= margin

    def _some_move_reaches_margin(self, free_edge_mask: int, packed: int, boxes: int, margin: int) -> bool:
        """Return whether some move guarantees `margin`. Try safe edges before sacrifices, and stored results first."""
        table, shift = self._table, self._packed_shift
        opponent_margin = 1 - margin + (boxes - margin + 1 & 1)
        undecided_positions = []
        safe_positions = self._safe_edge_positions.get(free_edge_mask)
        if safe_positions is None:
            safe_positions = self._positions_after_safe_edges(free_edge_mask)
        for next_mask, chain_code in safe_positions:
            low, high = table.get(next_mask | packed + chain_code << shift, (-boxes, boxes))
            if high < opponent_margin:
                return True
            if low < opponent_margin:
                undecided_positions.append((next_mask, packed + chain_code))
        for next_mask, packed_after in undecided_positions:
            if not self._reaches_margin_packed(next_mask, packed_after, boxes, opponent_margin):
                return True
        sacrifices = self._sacrifices_that_may_reach_margin(free_edge_mask, packed, boxes, margin)
        for _, boxes_given, handed_out, next_mask, packed_after in sacrifices:
            if (
                not handed_out
                and table.get(next_mask | packed_after << shift, (-boxes, boxes))[1] < 1 - margin - boxes_given
            ):
                return True
        for _, boxes_given, handed_out, next_mask, packed_after in sacrifices:
            boxes_after = boxes - boxes_given
            if not handed_out:
                if not self._reaches_margin_packed(next_mask, packed_after, boxes_after, 1 - margin - boxes_given):
                    return True
                continue
            max_value = handed_out - boxes_given - margin  # the largest possible |value + handed_out|
            low, high = -max_value - handed_out, max_value - handed_out
            position = next_mask, packed_after, boxes_after
            if self._reaches_margin_packed(*position, low) and not self._reaches_margin_packed(*position, high + 1):
                return True
        return False

    def _positions_after_safe_edges(self, free_edge_mask: int) -> tuple[PackedPosition, ...]:
        """Return the position after each safe edge."""
        board = self.board
        positions: dict[PackedPosition, None] = {}
        for edge in one_bit_masks(board.safe_edges(free_edge_mask, board.boxes_by_degree(free_edge_mask)[2])):
            next_mask, packed, beside = free_edge_mask ^ edge, 0, board.boxes_beside[edge]
            for box in beside:
                next_mask, chain_code = self._pack_chain_through(next_mask, box)
                packed += chain_code
            positions[next_mask, packed] = None
        if len(self._safe_edge_positions) >= self._max_safe_entries:
            self._safe_edge_positions.clear()
        self._safe_edge_positions[free_edge_mask] = safe_positions = tuple(positions)
        return safe_positions

    def _sacrifices_that_may_reach_margin(
        self, free_edge_mask: int, packed: int, boxes: int, margin: int
    ) -> list[Sacrifice]:
        """Return the sacrifices after which the mover may still get `margin`, the cheapest first."""
        known_sacrifices = self._sacrifices.get(free_edge_mask)
        if known_sacrifices is None:
            known_sacrifices = self._find_sacrifices(free_edge_mask)
        sacrifices = [
            Sacrifice(cost, boxes_given, handed_out, next_mask, packed + chain_code)
            for cost, boxes_given, handed_out, next_mask, chain_code in known_sacrifices
            if margin <= (-cost if handed_out else boxes - 2 * boxes_given)
        ]
        if length := self.independent_chains.shortest_chain(packed):
            handed_out = HALF_OPEN_HANDOUT if length >= MIN_LONG_CHAIN else 0
            if margin <= (handed_out - length if handed_out else boxes - 2 * length):
                packed_after = packed - self.independent_chains.pack_chain(length)
                sacrifices.append(Sacrifice(length - handed_out, length, handed_out, free_edge_mask, packed_after))
        if (length := self.independent_chains.shortest_loop(packed)) and margin <= CLOSED_HANDOUT - length:
            packed_after = packed - self.independent_chains.pack_loop(length)
            cost = length - CLOSED_HANDOUT
            sacrifices.append(Sacrifice(cost, length, CLOSED_HANDOUT, free_edge_mask, packed_after))
        sacrifices.sort()
        return sacrifices

    def _find_sacrifices(self, free_edge_mask: int) -> tuple[Sacrifice, ...]:
        """Return one sacrifice for each chain, since any of the chain's edges gives the whole chain away.

        A chain of two boxes is given away by its middle edge.
        """
        board = self.board
        found_sacrifices = set()
        for chain in find_chains(board, free_edge_mask, board.boxes_by_degree(free_edge_mask)[1]):
            next_mask, length = free_edge_mask & ~chain.edges, chain.length
            end_joints = set(chain.end_joints) - {GROUND}
            for joint in tuple(end_joints):
                # both ends of the chain led to this box, so the capture continues through it
                if not (edges := next_mask & board.sides[joint]) & edges - 1:
                    run = capture_run_from(board, next_mask, joint)
                    next_mask, length = next_mask & ~sum(run.capturing_edges), length + run.length
                    end_joints = {run.end_joint} - {GROUND}
            packed = 0
            for joint in end_joints:
                next_mask, chain_code = self._pack_chain_through(next_mask, joint)
                packed += chain_code
            handed_out = HALF_OPEN_HANDOUT if length >= MIN_LONG_CHAIN else 0
            found_sacrifices.add(Sacrifice(length - handed_out, length, handed_out, next_mask, packed))
        if len(self._sacrifices) >= self._max_sacrifice_entries:
            self._sacrifices.clear()
        self._sacrifices[free_edge_mask] = sacrifices = tuple(found_sacrifices)
        return sacrifices
