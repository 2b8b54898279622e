"""Independent chains and loops: the number of each length, packed into one integer, and their value.

The module needs no board. A *simple* endgame has only such chains and loops, and the mover must open one of them.
Source: M. Buzzard and M. Ciere, Playing simple loony dots and boxes endgames optimally, Integers 14 (2014).
"""

from __future__ import annotations

from gomogo_core.search.boxes.chains import CLOSED_HANDOUT, HALF_OPEN_HANDOUT, MIN_LONG_CHAIN

COUNTER_BITS = 10  # bits of the counter of the chains, or of the loops, of one length


class IndependentChains:
    """Packs and evaluates the chains and loops of a board with `box_count` boxes. Packed integers can be added.

    `pair_mask` is a mask: in a packed integer, its bits count the pairs of chains of length one and of length two.
    """

    def __init__(self, box_count: int) -> None:
        self.boxes = box_count
        self._loop_offset = COUNTER_BITS * (box_count + 1)
        self._chain_mask = (1 << self._loop_offset) - 1
        self._values = {0: 0}
        self.pair_mask = sum(
            (1 << COUNTER_BITS) - 2 << COUNTER_BITS * length for length in (1, 2) if length <= box_count
        )

    def pack_chain(self, length: int) -> int:
        """Return the packed integer for one chain of this length."""
        return 1 << COUNTER_BITS * length

    def pack_loop(self, length: int) -> int:
        """Return the packed integer for one loop of this length."""
        return 1 << self._loop_offset + COUNTER_BITS * length

    def pack(self, length: int, is_loop: bool) -> int:
        """Return the packed integer for one chain or one loop of this length."""
        return self.pack_loop(length) if is_loop else self.pack_chain(length)

    def shortest_chain(self, packed: int) -> int:
        """Return the length of the shortest chain in `packed`, or 0."""
        return _shortest_length(packed & self._chain_mask)

    def shortest_loop(self, packed: int) -> int:
        """Return the length of the shortest loop in `packed`, or 0."""
        return _shortest_length(packed >> self._loop_offset)

    def remove_short_pairs(self, packed: int) -> tuple[int, int]:
        """Remove pairs of equal short chains; return the rest, and the number of removed boxes. Such a pair does not
        change the value: if a player opens one of the chains, the opponent opens the other.
        """
        pairs = packed & self.pair_mask
        counter_mask = (1 << COUNTER_BITS) - 1
        return packed - pairs, (pairs >> COUNTER_BITS & counter_mask) + 2 * (pairs >> 2 * COUNTER_BITS & counter_mask)

    def value(self, packed: int) -> int:
        """Return the number of boxes that the mover gets, minus the opponent's.

        Only the shortest chain and the shortest loop matter. If a player opens a chain of three or more boxes, the
        opponent has two choices. It can take all boxes and move next; or it can leave two boxes, so that the same
        player must open the next chain. In a loop, the opponent leaves four boxes.
        """
        known_value = self._values.get(packed)
        if known_value is not None:
            return known_value
        best_value = -self.boxes
        if length := self.shortest_chain(packed):
            shorter_value = self.value(packed - self.pack_chain(length))
            best_value = (
                -(length + shorter_value)
                if length < MIN_LONG_CHAIN
                else -(length - HALF_OPEN_HANDOUT + abs(shorter_value + HALF_OPEN_HANDOUT))
            )
        if length := self.shortest_loop(packed):
            shorter_value = self.value(packed - self.pack_loop(length))
            best_value = max(best_value, -(length - CLOSED_HANDOUT + abs(shorter_value + CLOSED_HANDOUT)))
        self._values[packed] = best_value
        return best_value


def _shortest_length(packed: int) -> int:
    return ((packed & -packed).bit_length() - 1) // COUNTER_BITS if packed else 0
