"""The long-chain rule, which predicts the player who must open the first long chain; and a search that uses the rule.

The rule is for two players, and only estimates values; exact.py proves them.

Once no edge is safe and no short chain is left, the mover must open a long chain. The opponent is then *in control*. It
leaves the last two boxes of each long chain, and the last four of each loop, to the mover. Because of this
*double-cross*, the mover must open the next chain too. A player keeps control while the boxes that it gains exceed
those that it leaves. Sources: E. R. Berlekamp, The Dots-and-Boxes Game (2000), ch. 2 to 4; E. R. Berlekamp, J. H.
Conway and R. K. Guy, Winning Ways for your Mathematical Plays (1982), ch. 16.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.search.boxes.board import BoxesGeometry, one_bit_masks
from gomogo_core.search.boxes.chains import MIN_LONG_CHAIN, Chain, find_captures, find_chains, give_away_edge
from gomogo_core.search.boxes.independent_chains import IndependentChains
from gomogo_core.search.limits import OutOfLimits, SearchLimits

# drawing one edge makes at most this many edges unsafe: itself, and two more of each box beside it
MAX_UNSAFE_PER_EDGE = 5
_INFINITY = 1000  # more boxes than any board has


class BestEdges(NamedTuple):
    """The best edges, and their common value: the open boxes that the mover expects to get, minus the opponent's."""

    edges: list[int]
    value: int


class NonOpeningMove(NamedTuple):
    """A move that opens no long chain: a safe edge, or an edge that gives a short chain away.

    `free_edge_mask` is the position after the opponent's captures, and `boxes_given` the number of captured boxes.
    """

    edge: int
    free_edge_mask: int
    boxes_given: int


class LongChains:
    """Evaluates positions of one board by the long-chain rule.

    The search within `limits` has a depth of at most `max_ply` safe edges and short chains.
    """

    def __init__(self, board: BoxesGeometry, limits: SearchLimits, max_ply: int) -> None:
        self.board = board
        self.limits = limits
        self.max_ply = max_ply
        self._independent_chains = IndependentChains(len(board.sides))
        self._value_bounds: dict[tuple[int, int], tuple[int, int]] = {}  # (position, depth) -> bounds of the value
        self._reached_horizon = False

    def choose_edges(self, free_edge_mask: int) -> BestEdges:
        """Return the best edges. Raises ValueError if no edge is free."""
        if not free_edge_mask:
            raise ValueError("all edges are drawn: there is nothing to choose")
        degree_one, degree_two, degree_many = self.board.boxes_by_degree(free_edge_mask)
        if degree_one:
            return self._choose_capture(free_edge_mask, degree_one)
        chains_found = find_chains(self.board, free_edge_mask, degree_two)
        if safe_edges := list(one_bit_masks(self.board.safe_edges(free_edge_mask, degree_many))):
            return self._choose_non_opening_edge(free_edge_mask, safe_edges, chains_found)
        return self._give_away_cheapest(free_edge_mask, chains_found)

    def _choose_capture(self, free_edge_mask: int, capturable_box_mask: int) -> BestEdges:
        """Take boxes. But leave the last boxes to the opponent if this forces the opponent to make a bad move."""
        captures_now = find_captures(self.board, free_edge_mask, capturable_box_mask)
        value_after = 0
        if captures_now.min_handout and captures_now.free_edge_mask_after:
            value_after = self.choose_edges(captures_now.free_edge_mask_after).value
        if value_after >= -captures_now.min_handout:
            return BestEdges([captures_now.next_edge], captures_now.boxes + value_after)
        value = captures_now.boxes - 2 * captures_now.min_handout - value_after
        return BestEdges([captures_now.hand_out_edge or captures_now.next_edge], value)

    def _choose_non_opening_edge(
        self, free_edge_mask: int, safe_edges: list[int], all_chains: list[Chain]
    ) -> BestEdges:
        """Choose a safe edge or give a short chain away, so that the opponent must open the first long chain."""
        choice = BestEdges(safe_edges, 0)
        # the search cannot reach the last safe edge, because too many safe edges are left
        if len(safe_edges) > MAX_UNSAFE_PER_EDGE * self.max_ply:
            return choice
        moves = self._non_opening_moves(free_edge_mask, safe_edges, all_chains)
        try:
            for ply in range(1, self.max_ply + 1):
                self._reached_horizon = False
                values_by_edge: dict[int, int] = {}
                best_value = -_INFINITY
                for edge, next_mask, boxes_given in moves:
                    beta = 1 - best_value - boxes_given
                    values_by_edge[edge] = -boxes_given - self._value(next_mask, ply - 1, -_INFINITY, beta)
                    best_value = max(best_value, values_by_edge[edge])
                choice = BestEdges([edge for edge, value in values_by_edge.items() if value == best_value], best_value)
                if not self._reached_horizon:
                    return choice
        except OutOfLimits:
            pass
        # without a result of the search, choose an edge after which the long-chain rule favours the mover
        if choice.value == 0:
            best_moves = [move for move in moves if move.edge in choice.edges]
            favourable_edges = [edge for edge, next_mask, _ in best_moves if not self._mover_has_last_turn(next_mask)]
            return BestEdges(favourable_edges or choice.edges, 0)
        return choice

    def _give_away_cheapest(self, free_edge_mask: int, all_chains: list[Chain]) -> BestEdges:
        """Give the cheapest chain away, because no edge is safe."""
        values_by_edge: dict[int, int] = {}
        best_value = -_INFINITY
        for chain in sorted(all_chains):
            edge = give_away_edge(self.board, chain)
            next_mask = free_edge_mask ^ edge
            captures_now = find_captures(self.board, next_mask, self.board.boxes_by_degree(next_mask)[0])
            value_after = self._endgame_value(captures_now.free_edge_mask_after)
            values_by_edge[edge] = -captures_now.boxes - value_after
            if min_handout := captures_now.min_handout:
                values_by_edge[edge] = -(captures_now.boxes - min_handout + abs(value_after + min_handout))
            best_value = max(best_value, values_by_edge[edge])
            try:
                self.limits.count_node()
            except OutOfLimits:  # at the limit, choose the best of the shorter chains, which were tried first
                break
        return BestEdges([edge for edge, value in values_by_edge.items() if value == best_value], best_value)

    def _non_opening_moves(
        self, free_edge_mask: int, safe_edges: list[int], all_chains: list[Chain]
    ) -> list[NonOpeningMove]:
        """Return a move for every safe edge and every short chain."""
        short_chains = [chain for chain in all_chains if chain.length < MIN_LONG_CHAIN]
        moves = [NonOpeningMove(edge, free_edge_mask ^ edge, 0) for edge in safe_edges]
        for chain in short_chains:
            edge = give_away_edge(self.board, chain)
            moves.append(NonOpeningMove(edge, free_edge_mask & ~chain.edges, chain.length))
        return moves

    def _value(self, free_edge_mask: int, ply: int, alpha: int, beta: int) -> int:
        """Return the value of a position without captures to its mover: exact between `alpha` and `beta`, else a bound.

        If safe edges are left at the horizon, the value is 0. A prediction would be no better. In 300 such positions on
        5 × 5, up to eight edges before the last safe edge, the number of long chains predicted the winner in 46 % of
        them. Random play of the safe edges predicted it in 51 %. Raises OutOfLimits.
        """
        self.limits.count_node()
        low, high = self._value_bounds.get((free_edge_mask, ply), (-_INFINITY, _INFINITY))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        _, degree_two, degree_many = self.board.boxes_by_degree(free_edge_mask)
        safe_edges = list(one_bit_masks(self.board.safe_edges(free_edge_mask, degree_many)))
        if not safe_edges:
            best_value = self._endgame_value(free_edge_mask)
        elif ply == 0:
            self._reached_horizon = True
            best_value = 0
        else:
            best_value = -_INFINITY
            chains_now = find_chains(self.board, free_edge_mask, degree_two)
            for _, next_mask, boxes_given in self._non_opening_moves(free_edge_mask, safe_edges, chains_now):
                window = -beta - boxes_given, -max(alpha, best_value) - boxes_given
                value = -boxes_given - self._value(next_mask, ply - 1, *window)
                best_value = max(best_value, value)
                if best_value >= beta:
                    break
        low, high = best_value if best_value > alpha else low, best_value if best_value < beta else high
        self._value_bounds[free_edge_mask, ply] = low, high
        return best_value

    def _endgame_value(self, free_edge_mask: int) -> int:
        """Return the value of a position without safe edges, as if its chains did not touch each other."""
        chains_found = find_chains(self.board, free_edge_mask, self.board.boxes_by_degree(free_edge_mask)[1])
        packed = [self._independent_chains.pack(chain.length, chain.is_loop) for chain in chains_found]
        return self._independent_chains.value(sum(packed))

    def _mover_has_last_turn(self, free_edge_mask: int) -> bool:
        """Return whether the mover makes the last turn, and so is in control, with the present number of long chains.

        Each turn except the last ends with an edge that takes no box, and each double-cross takes two boxes with one
        edge. With D double-crosses, `edges - boxes + D + 1` turns are left, and the player with the last turn is in
        control. There is a double-cross for each long chain except the last. Loops do not count, since each has two
        double-crosses. For an empty board, this gives the rule in its usual form, about the number of dots plus the
        number of long chains. The first player tries to make this sum even, the second player odd.
        """
        chains_found = find_chains(self.board, free_edge_mask, self.board.boxes_by_degree(free_edge_mask)[1])
        long_chain_count = sum(chain.length >= MIN_LONG_CHAIN and not chain.is_loop for chain in chains_found)
        return (free_edge_mask.bit_count() - self.board.boxes_left(free_edge_mask) + max(long_chain_count, 1)) % 2 == 1
