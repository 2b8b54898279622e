"""The long-chain rule: who will have to open the first long chain, and how to see to it that it is the other.

Knows free edges, two players, and the limits it is given. It judges and does not prove: exact.py does that.

Once no edge is safe, who has to move opens a chain. The other is *in control*: of each long chain they take all but
two boxes, of each loop all but four, and hand those out by a *double-cross*, so that the first must open the next one
too; they keep control so until it pays no more. E. R. Berlekamp, The Dots-and-Boxes Game (2000), ch. 2 to 4.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.search.boxes.board import Board, bits
from gomogo_core.search.boxes.simple import Simple
from gomogo_core.search.boxes.strings import LONG, Chain, captures, chains, given_away
from gomogo_core.search.limits import Limits, OutOfLimits


class Choice(NamedTuple):
    """Edges that look equally good. value: boxes the mover is expected to get more than the other, of those open.

    ply: how many safe edges deep it was looked.
    """

    edges: list[int]
    value: int
    ply: int


class LongChains:
    """Judges positions of one board by the long-chain rule."""

    def __init__(self, board: Board, limits: Limits) -> None:
        self.board = board
        self.limits = limits
        self.simple = Simple(len(board.sides))
        self._known: dict[tuple[int, int], tuple[int, int]] = {}  # by position and depth: the least, the most
        self._horizon = False

    def choose(self, free: int, max_ply: int) -> Choice:
        """What to draw, by a search of safe edges `max_ply` deep, or as deep as the limits allow.

        Raises ValueError where no edge is free.
        """
        if not free:
            raise ValueError("all edges are drawn: there is nothing to choose")
        board = self.board
        one, _, more = board.degrees(free)
        if one:
            return self._capture(free, one, max_ply)
        if safe := list(bits(board.safe(free, more))):
            return self._build(free, safe, max_ply)
        return self._open(free)

    def _capture(self, free: int, one: int, max_ply: int) -> Choice:
        """Take, or hand out the last boxes where it pays that the other has to move."""
        what = captures(self.board, free, one)
        if not what.kept:
            return Choice([what.take], what.boxes, 0)
        rest = self._outlook(what.rest, max_ply)
        if rest >= -what.kept:
            return Choice([what.take], what.boxes + rest, max_ply)
        return Choice([what.hand_out or what.take], what.boxes - 2 * what.kept - rest, max_ply)

    def _outlook(self, free: int, max_ply: int) -> int:
        """What a position without captures is worth to its mover."""
        return self.choose(free, max_ply).value if free else 0

    def _build(self, free: int, safe: list[int], max_ply: int) -> Choice:
        """The safe edges after which the right number of long chains seems surest; short sacrifices count too."""
        chosen = Choice(safe, 0, 0)
        short = [chain for chain in self._chains(free) if chain.length < LONG and not chain.loop]
        for ply in range(1, max_ply + 1):
            self._horizon = False
            found: dict[int, int] = {}
            try:
                best = -len(self.board.sides)
                for edge in safe:
                    found[edge] = -self._value(free ^ edge, ply - 1, -len(self.board.sides), 1 - best)
                    best = max(best, found[edge])
                for chain in () if self._horizon else short:
                    found[given_away(self.board, chain)] = -chain.length - self._value(
                        free & ~chain.edges, ply - 1, -len(self.board.sides), 1 - best - chain.length
                    )
                    best = max(best, found[given_away(self.board, chain)])
            except OutOfLimits:
                break
            chosen = Choice([edge for edge, value in found.items() if value == best], best, ply)
            if not self._horizon:
                break
        return chosen

    def _open(self, free: int) -> Choice:
        """Give away what costs least: no edge is safe."""
        found = {}
        for chain in self._chains(free):
            edge = given_away(self.board, chain)
            what = captures(self.board, free ^ edge, self.board.degrees(free ^ edge)[0])
            found[edge] = -max(what.boxes - what.kept + abs(self._opening(what.rest) + what.kept), 0) if what.kept else (
                -what.boxes - self._opening(what.rest)
            )
        best = max(found.values())
        return Choice([edge for edge, value in found.items() if value == best], best, 0)

    def _value(self, free: int, ply: int, alpha: int, beta: int) -> int:
        """What a position without captures is worth to its mover, by safe edges alone. Raises OutOfLimits."""
        self.limits.spend()
        low, high = self._known.get((free, ply), (-1000, 1000))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        safe = self.board.safe(free, self.board.degrees(free)[2])
        if not safe:
            low = high = self._opening(free)
        elif ply == 0:
            self._horizon = True
            low = high = self._by_rule(free)
        else:
            best = -1000
            for edge in bits(safe):
                best = max(best, -self._value(free ^ edge, ply - 1, -beta, -max(alpha, best)))
                if best >= beta:
                    break
            low, high = (best if best > alpha else low), (best if best < beta else high)
            self._known[free, ply] = low, high
            return best
        self._known[free, ply] = low, high
        return low

    def _opening(self, free: int) -> int:
        """What a position is worth to its mover in which no edge is safe, as if its chains did not touch each other."""
        one, two, more = self.board.degrees(free)
        found = chains(self.board, free, two)
        return self.simple.value(sum(self._packed(chain) for chain in found))

    def _by_rule(self, free: int) -> int:
        """What a position with safe edges is worth to its mover, if the long chains stay as many as they are.

        Each turn but the last ends with an edge that takes nothing, and each double-cross saves one of the edges that
        take: with D of them, `edges - boxes + D + 1` turns are left. Who has the last turn is in control, and there
        will be one double-cross for each long chain but the last; loops do not count, since each costs two.
        """
        found = [chain for chain in self._chains(free) if chain.length >= LONG]
        long = sum(not chain.loop for chain in found)
        turns = free.bit_count() - self.board.boxes_left(free) + max(long, 1)
        amount = max(1, -self.simple.value(sum(self._packed(chain) for chain in found)))
        return amount if turns & 1 else -amount

    def _chains(self, free: int) -> list[Chain]:
        return chains(self.board, free, self.board.degrees(free)[1])

    def _packed(self, chain: Chain) -> int:
        return self.simple.loop(chain.length) if chain.loop else self.simple.chain(chain.length)
