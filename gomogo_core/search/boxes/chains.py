"""The long-chain rule: who will have to open the first long chain, and how to see to it that it is the other.

Knows free edges, two players, and the limits it is given. It judges and does not prove: exact.py does that.

Once no edge is safe and the short chains are gone, who has to move opens a long one. The other is *in control*: of each
long chain they take all but two boxes, of each loop all but four, and hand those out by a *double-cross*, so that the
first must open the next one too; they keep control so while it pays. E. R. Berlekamp, The Dots-and-Boxes Game (2000),
ch. 2 to 4; E. R. Berlekamp, J. H. Conway and R. K. Guy, Winning Ways for your Mathematical Plays (1982), ch. 16.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.search.boxes.board import Board, bits
from gomogo_core.search.boxes.simple import Simple
from gomogo_core.search.boxes.strings import LONG, Chain, captures, chains, given_away
from gomogo_core.search.limits import Limits, OutOfLimits

SPENT = 5  # edges at most that are safe no longer once one of them is drawn: itself, two more of each box beside it
_INFINITY = 1000  # more than any board has boxes


class Choice(NamedTuple):
    """Edges that look equally good. value: boxes the mover is expected to get more than the other, of those open."""

    edges: list[int]
    value: int


class Quiet(NamedTuple):
    """A safe edge, or the edge by which a short chain is given away.

    free: what is left once the other has captured. given: how many boxes that is.
    """

    edge: int
    free: int
    given: int


class LongChains:
    """Judges positions of one board by the long-chain rule.

    max_ply: how many safe edges and short chains deep it looks, within `limits`.
    """

    def __init__(self, board: Board, limits: Limits, max_ply: int) -> None:
        self.board = board
        self.limits = limits
        self.max_ply = max_ply
        self._simple = Simple(len(board.sides))
        self._known: dict[tuple[int, int], tuple[int, int]] = {}  # by position and depth: the least, the most
        self._horizon = False

    def choose(self, free: int) -> Choice:
        """What to draw. Raises ValueError where no edge is free."""
        if not free:
            raise ValueError("all edges are drawn: there is nothing to choose")
        one, two, more = self.board.degrees(free)
        if one:
            return self._capture(free, one)
        found = chains(self.board, free, two)
        if safe := list(bits(self.board.safe(free, more))):
            return self._build(free, safe, found)
        return self._open(free, found)

    def _capture(self, free: int, one: int) -> Choice:
        """Take, or hand out the last boxes where it pays that the other has to move."""
        what = captures(self.board, free, one)
        rest = self.choose(what.rest).value if what.kept and what.rest else 0
        if rest >= -what.kept:
            return Choice([what.take], what.boxes + rest)
        return Choice([what.hand_out or what.take], what.boxes - 2 * what.kept - rest)

    def _build(self, free: int, safe: list[int], found: list[Chain]) -> Choice:
        """A safe edge, or a short chain given away for the move, such that the other opens the first long chain."""
        choice = Choice(safe, 0)
        if len(safe) > SPENT * self.max_ply:  # too far away: the search would see no end
            return choice
        moves = self._quiet_moves(free, safe, found)
        try:
            for ply in range(1, self.max_ply + 1):
                self._horizon = False
                values: dict[int, int] = {}
                best = -_INFINITY
                for edge, after, given in moves:
                    values[edge] = -given - self._value(after, ply - 1, -_INFINITY, 1 - best - given)
                    best = max(best, values[edge])
                choice = Choice([edge for edge, value in values.items() if value == best], best)
                if not self._horizon:
                    return choice
        except OutOfLimits:
            pass
        if choice.value == 0:  # nothing seen yet: then at least let the count of the chains be right
            right = [edge for edge, after, _ in moves if edge in choice.edges and not self._last_turn_is_movers(after)]
            return Choice(right or choice.edges, 0)
        return choice

    def _open(self, free: int, found: list[Chain]) -> Choice:
        """Give away what costs least: no edge is safe."""
        values: dict[int, int] = {}
        best = -_INFINITY
        for chain in sorted(found):
            edge = given_away(self.board, chain)
            after = free ^ edge
            what = captures(self.board, after, self.board.degrees(after)[0])
            rest = self._endgame(what.rest)
            values[edge] = -(what.boxes - what.kept + abs(rest + what.kept)) if what.kept else -what.boxes - rest
            best = max(best, values[edge])
            try:
                self.limits.spend()
            except OutOfLimits:  # then one of the shorter chains will do
                break
        return Choice([edge for edge, value in values.items() if value == best], best)

    def _quiet_moves(self, free: int, safe: list[int], found: list[Chain]) -> list[Quiet]:
        """Every safe edge and every short chain."""
        short = [chain for chain in found if chain.length < LONG]
        moves = [Quiet(edge, free ^ edge, 0) for edge in safe]
        return moves + [Quiet(given_away(self.board, chain), free & ~chain.edges, chain.length) for chain in short]

    def _value(self, free: int, ply: int, alpha: int, beta: int) -> int:
        """What a position without captures is worth to its mover: exact between `alpha` and `beta`, else a bound.

        Where safe edges are left at the horizon it is worth nothing: of 300 such positions on 5 × 5, up to eight edges
        from the last safe one, the count of the long chains that stood named the winner of 46 %, and playing the safe
        edges at random that of 51 %. Raises OutOfLimits.
        """
        self.limits.spend()
        low, high = self._known.get((free, ply), (-_INFINITY, _INFINITY))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        _, two, more = self.board.degrees(free)
        safe = list(bits(self.board.safe(free, more)))
        if not safe:
            best = self._endgame(free)
        elif ply == 0:
            self._horizon = True
            best = 0
        else:
            best = -_INFINITY
            for _, after, given in self._quiet_moves(free, safe, chains(self.board, free, two)):
                value = -given - self._value(after, ply - 1, -beta - given, -max(alpha, best) - given)
                best = max(best, value)
                if best >= beta:
                    break
        self._known[free, ply] = (best if best > alpha else low), (best if best < beta else high)
        return best

    def _endgame(self, free: int) -> int:
        """What a position without safe edges is worth to its mover, as if its chains did not touch each other."""
        found = chains(self.board, free, self.board.degrees(free)[1])
        packed = [
            self._simple.loop(chain.length) if chain.loop else self._simple.chain(chain.length) for chain in found
        ]
        return self._simple.value(sum(packed))

    def _last_turn_is_movers(self, free: int) -> bool:
        """Whether the mover will be in control if the long chains stay as many as they are.

        Each turn but the last ends with an edge that takes nothing, and each double-cross saves one of the edges that
        take: with D of them, `edges - boxes + D + 1` turns are left, and who has the last one is in control. There is a
        double-cross for each long chain but the last; loops do not count, since each has two. At the start it says that
        the first player wants dots and long chains together to be even, the second odd.
        """
        found = chains(self.board, free, self.board.degrees(free)[1])
        long = sum(chain.length >= LONG and not chain.loop for chain in found)
        return (free.bit_count() - self.board.boxes_left(free) + max(long, 1)) % 2 == 1
