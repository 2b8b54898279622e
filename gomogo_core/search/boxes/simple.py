"""Independent chains and loops: how many of each length, packed into one whole number, and what they are worth.

Knows no board. Nothing but such chains and loops is a *simple* endgame: whoever moves must open one. M. Buzzard and
M. Ciere, Playing simple loony dots and boxes endgames optimally, Integers 14 (2014).
"""

from __future__ import annotations

from gomogo_core.search.boxes.strings import CLOSED, HALF_OPEN, LONG

FIELD = 10  # bits in which the chains, or the loops, of one length are counted


class Simple:
    """Packs and values the chains and loops of a board of so many `boxes`. Packed numbers can be added.

    pairs: the bits of `packed` that count pairs of chains of one and of two boxes.
    """

    def __init__(self, boxes: int) -> None:
        self.boxes = boxes
        self._loops_at = FIELD * (boxes + 1)
        self._chains = (1 << self._loops_at) - 1
        self._values = {0: 0}
        self.pairs = sum((1 << FIELD) - 2 << FIELD * length for length in (1, 2) if length <= boxes)

    def chain(self, length: int) -> int:
        """One chain."""
        return 1 << FIELD * length

    def loop(self, length: int) -> int:
        """One loop."""
        return 1 << self._loops_at + FIELD * length

    def shortest_chain(self, packed: int) -> int:
        """The length of the shortest chain in `packed`, or 0."""
        return _lowest(packed & self._chains)

    def shortest_loop(self, packed: int) -> int:
        """The length of the shortest loop in `packed`, or 0."""
        return _lowest(packed >> self._loops_at)

    def without_pairs(self, packed: int) -> tuple[int, int]:
        """Leave out pairs of equal short chains, and say how many boxes those have.

        Two such chains change nothing: whoever answers the one with the other is where they were.
        """
        pairs = packed & self.pairs
        most = (1 << FIELD) - 1
        return packed - pairs, (pairs >> FIELD & most) + 2 * (pairs >> 2 * FIELD & most)

    def value(self, packed: int) -> int:
        """What the mover gets more than the other.

        Of chains, and of loops, only the shortest needs to be weighed. Who opened a chain of three or more gets all of
        it taken, and moves, or all but two, and has to open the next one; of a loop all but four.
        """
        known = self._values.get(packed)
        if known is not None:
            return known
        best = -self.boxes
        if length := self.shortest_chain(packed):
            rest = self.value(packed - self.chain(length))
            best = -(length + rest) if length < LONG else -(length - HALF_OPEN + abs(rest + HALF_OPEN))
        if length := self.shortest_loop(packed):
            rest = self.value(packed - self.loop(length))
            best = max(best, -(length - CLOSED + abs(rest + CLOSED)))
        self._values[packed] = best
        return best


def _lowest(counts: int) -> int:
    return ((counts & -counts).bit_length() - 1) // FIELD if counts else 0
