"""Independent chains and loops: the number of each length, packed into one integer, and their value.

Needs no board. A *simple* endgame has only such chains and loops: the mover must open one. M. Buzzard and M. Ciere,
Playing simple loony dots and boxes endgames optimally, Integers 14 (2014).
"""

from __future__ import annotations

from gomogo_core.search.boxes.chains import CLOSED, HALF_OPEN, LONG

FIELD = 10  # bits that count the chains, or the loops, of one length


class Simple:
    """Packs and evaluates the chains and loops of a board with `boxes` boxes. Packed numbers can be added.

    pairs: the bits of `packed` that count pairs of chains of one and of two boxes.
    """

    def __init__(self, boxes: int) -> None:
        self.boxes = boxes
        self._loops_at = FIELD * (boxes + 1)
        self._chains = (1 << self._loops_at) - 1
        self._values = {0: 0}
        self.pairs = sum((1 << FIELD) - 2 << FIELD * length for length in (1, 2) if length <= boxes)

    def chain(self, length: int) -> int:
        """Return one chain."""
        return 1 << FIELD * length

    def loop(self, length: int) -> int:
        """Return one loop."""
        return 1 << self._loops_at + FIELD * length

    def shortest_chain(self, packed: int) -> int:
        """Return the length of the shortest chain in `packed`, or 0."""
        return _lowest_bit(packed & self._chains)

    def shortest_loop(self, packed: int) -> int:
        """Return the length of the shortest loop in `packed`, or 0."""
        return _lowest_bit(packed >> self._loops_at)

    def without_pairs(self, packed: int) -> tuple[int, int]:
        """Remove pairs of equal short chains, and return the number of their boxes too.

        Such a pair changes nothing: a player answers one with the other, and the turn is the same as before.
        """
        pairs = packed & self.pairs
        most = (1 << FIELD) - 1
        return packed - pairs, (pairs >> FIELD & most) + 2 * (pairs >> 2 * FIELD & most)

    def value(self, packed: int) -> int:
        """Return the mover's boxes minus the opponent's.

        Only the shortest chain and the shortest loop matter. The opponent of a player who opens a chain of three or
        more takes all of it, and moves; or all but two, and leaves the next opening to that player. Of a loop they
        leave four.
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


def _lowest_bit(counts: int) -> int:
    return ((counts & -counts).bit_length() - 1) // FIELD if counts else 0
