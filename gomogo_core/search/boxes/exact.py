"""Perfect play for two, by search: the value of a position, and every best edge.

Uses free edges and limits; players and owners of boxes do not matter to the boxes that are still open.

The search visits only positions without captures. J. Barker and R. Korf, Solving Dots-And-Boxes, AAAI (2012), have the
rules for captures (chains.py) and for chains. This module adds: chains and loops that touch nothing else are only
counted (independent_chains.py), wherever on the board they are.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

from gomogo_core.search.boxes.board import GROUND, BoxBits, bits
from gomogo_core.search.boxes.chains import CLOSED, HALF_OPEN, LONG, captures, chains, run_from, untouched_chain
from gomogo_core.search.boxes.independent_chains import Simple
from gomogo_core.search.boxes.symmetry import symmetries
from gomogo_core.search.limits import SearchLimits

MEGABYTES = 140  # memory for the tables, by default
# Each table's share of the memory, and its bytes per entry: values, safe edges, sacrifices. Measured on boards of 16
# and 25 boxes: 151, 458 and 621 bytes; a growing table holds its slots twice.
_ROOM = ((0.6, 200), (0.15, 500), (0.25, 900))
# On boards with a share of free edges above OPEN, positions with a share above MIRRORED are looked up by the least of
# their mirror images. This saves half of the nodes of an empty board, and none in the middle of a game.
OPEN, MIRRORED = 0.7, 0.4

Split: TypeAlias = tuple[int, int]  # free edges, and the packed independent chains


class Sacrifice(NamedTuple):
    """A chain or loop given away.

    cost: the boxes lost even if the opponent hands out `kept` of them; boxes: all of them. free, packed: the position
    after its capture.
    """

    cost: int
    boxes: int
    kept: int
    free: int
    packed: int


class Exact:
    """Perfect play on one board. Its tables serve for every position of that board.

    limits: the limits of the current search, which raises OutOfLimits beyond them. patient: give nothing away while an
    edge is safe, which is not exact, but many times faster. megabytes: the memory for the tables; a full table is
    cleared.
    """

    def __init__(
        self, board: BoxBits, limits: SearchLimits | None = None, *, patient: bool = False, megabytes: float = MEGABYTES
    ) -> None:
        self.board = board
        self.limits = SearchLimits() if limits is None else limits
        self.patient = patient
        self.simple = Simple(len(board.sides))
        self._mirrored = math.inf
        self._shift = 2 * board.half
        self._most_values, self._most_safe, self._most_sacrifices = (
            int(megabytes * 1e6 * share / size) for share, size in _ROOM
        )
        self._table: dict[int, tuple[int, int]] = {}  # bounds of each value
        self._safe: dict[int, tuple[Split, ...]] = {}
        self._sacrifices: dict[int, tuple[Sacrifice, ...]] = {}

    def value(self, free: int) -> int:
        """Return the mover's open boxes minus the opponent's, with best play. Raises OutOfLimits."""
        boxes = self.board.boxes_left(free)
        least = boxes & 1
        if self.at_least(free, least):
            while self.at_least(free, least + 2):
                least += 2
            return least
        while not self.at_least(free, least - 2):
            least -= 2
        return least - 2

    def best(self, free: int) -> tuple[int, list[int]]:
        """Return the value and every edge that leads to it, in the game's order. Raises OutOfLimits."""
        value = self.value(free)
        return value, [edge for edge in self.board.edges if free & edge and self.reaches(free, edge, value)]

    def reaches(self, free: int, edge: int, least: int) -> bool:
        """Tell whether the mover leads by at least `least` boxes if it draws `edge`. Raises OutOfLimits."""
        after = free ^ edge
        taken = sum(not self.board.sides[box] & after for box in self.board.beside[edge])
        return self.at_least(after, least - taken) if taken else not self.at_least(after, 1 - least)

    def at_least(self, free: int, least: int) -> bool:
        """Tell whether the mover gets at least `least` more open boxes than the opponent. Raises OutOfLimits."""
        one, two, more = self.board.degrees(free)
        boxes, edges = (one | two | more).bit_count(), len(self.board.edges)
        self._mirrored = MIRRORED * edges if free.bit_count() > OPEN * edges else math.inf
        if one:
            gain = captures(self.board, free, one)
            free, boxes, least = gain.rest, boxes - gain.boxes, least - gain.boxes
            # take all boxes and move, or hand out `kept` of them and let the opponent move: |value + kept| - kept
            if gain.kept:
                wanted = least + gain.kept
                if wanted <= 0:
                    return True
                free, packed = self._split(free)
                return self._at_least(free, packed, boxes, wanted - gain.kept) or not self._at_least(
                    free, packed, boxes, 1 - wanted - gain.kept
                )
        free, packed = self._split(free)
        return self._at_least(free, packed, boxes, least)

    def _split(self, free: int) -> Split:
        """Split off the chains and loops that touch nothing else."""
        free, packed = self.board.settled(free), 0
        for box in bits(self.board.degrees(free)[1]):
            free, more = self._split_at(free, box)
            packed += more
        return free, packed

    def _split_at(self, free: int, box: int) -> Split:
        """Split off the chain or loop of `box`, if the box has two free edges and the chain touches nothing else."""
        sides = free & self.board.sides[box]
        sides &= sides - 1
        if not sides or sides & sides - 1:
            return free, 0
        chain = untouched_chain(self.board, free, box)
        if chain is None:
            return free, 0
        return free & ~chain.edges, (self.simple.loop if chain.loop else self.simple.chain)(chain.length)

    def _at_least(self, free: int, packed: int, boxes: int, least: int) -> bool:
        """Answer `at_least` for a split position without captures."""
        if packed & self.simple.pairs:
            packed, paired = self.simple.without_pairs(packed)
            boxes -= paired
        least += boxes - least & 1  # the value is odd exactly if the number of boxes is
        if least <= -boxes or least > boxes:
            return least <= -boxes
        if free.bit_count() > self._mirrored:
            free = symmetries(self.board).lowest(free)
        key = free | packed << self._shift
        low, high = self._table.get(key, (-boxes, boxes))
        if low >= least or high < least:
            return low >= least
        if not free:
            low = high = self.simple.value(packed)
        else:
            self.limits.spend()
            if self._some_move_reaches(free, packed, boxes, least):
                low = least
            else:
                high = least - 2
        if len(self._table) >= self._most_values:
            self._table.clear()
        self._table[key] = low, high
        return low >= least

    def _some_move_reaches(self, free: int, packed: int, boxes: int, least: int) -> bool:
        """Return whether some move guarantees `least`: the tables first, then safe edges, then sacrifices."""
        table, shift = self._table, self._shift
        less = 1 - least + (boxes - least + 1 & 1)
        untried = []
        safe = self._safe.get(free)
        if safe is None:
            safe = self._find_safe(free)
        for after, split in safe:
            low, high = table.get(after | packed + split << shift, (-boxes, boxes))
            if high < less:
                return True
            if low < less:
                untried.append((after, packed + split))
        for after, left in untried:
            if not self._at_least(after, left, boxes, less):
                return True
        sacrifices = [] if self.patient and safe else self._sacrifices_that_may_reach(free, packed, boxes, least)
        for _, given, kept, after, left in sacrifices:
            if not kept and table.get(after | left << shift, (-boxes, boxes))[1] < 1 - least - given:
                return True
        for _, given, kept, after, left in sacrifices:
            rest = boxes - given
            if not kept:
                if not self._at_least(after, left, rest, 1 - least - given):
                    return True
                continue
            most = kept - given - least  # the largest possible |value + kept|
            low, high = -most - kept, most - kept
            if self._at_least(after, left, rest, low) and not self._at_least(after, left, rest, high + 1):
                return True
        return False

    def _find_safe(self, free: int) -> tuple[Split, ...]:
        """Return the position after each safe edge."""
        board = self.board
        found: dict[Split, None] = {}
        for edge in bits(board.safe(free, board.degrees(free)[2])):
            after, packed, beside = free ^ edge, 0, board.beside[edge]
            for box in beside:
                after, split = self._split_at(after, box)
                packed += split
            found[after, packed] = None
        if len(self._safe) >= self._most_safe:
            self._safe.clear()
        self._safe[free] = safe = tuple(found)
        return safe

    def _sacrifices_that_may_reach(self, free: int, packed: int, boxes: int, least: int) -> list[Sacrifice]:
        """Return the sacrifices that may reach `least`, the cheapest first."""
        known = self._sacrifices.get(free)
        if known is None:
            known = self._find_sacrifices(free)
        found = [
            Sacrifice(cost, given, kept, after, packed + split)
            for cost, given, kept, after, split in known
            if least <= (-cost if kept else boxes - 2 * given)
        ]
        if length := self.simple.shortest_chain(packed):
            kept = HALF_OPEN if length >= LONG else 0
            if least <= (kept - length if kept else boxes - 2 * length):
                found.append(Sacrifice(length - kept, length, kept, free, packed - self.simple.chain(length)))
        if (length := self.simple.shortest_loop(packed)) and least <= CLOSED - length:
            found.append(Sacrifice(length - CLOSED, length, CLOSED, free, packed - self.simple.loop(length)))
        found.sort()
        return found

    def _find_sacrifices(self, free: int) -> tuple[Sacrifice, ...]:
        """Return one sacrifice per chain: each edge gives the whole chain away. A chain of two boxes is given away
        by its middle edge.
        """
        board = self.board
        found = set()
        for chain in chains(board, free, board.degrees(free)[1]):
            after, length, ends = free & ~chain.edges, chain.length, set(chain.ends) - {GROUND}
            for joint in tuple(ends):
                # both ends led to this box: the chain goes on
                if not (edges := after & board.sides[joint]) & edges - 1:
                    run = run_from(board, after, joint)
                    after, length, ends = after & ~sum(run.edges), length + run.length, {run.end} - {GROUND}
            packed = 0
            for joint in ends:
                after, split = self._split_at(after, joint)
                packed += split
            kept = HALF_OPEN if length >= LONG else 0
            found.add(Sacrifice(length - kept, length, kept, after, packed))
        if len(self._sacrifices) >= self._most_sacrifices:
            self._sacrifices.clear()
        self._sacrifices[free] = sacrifices = tuple(found)
        return sacrifices
