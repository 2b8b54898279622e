"""Exact solution of Dots and Boxes: small boards by a table of all positions, others by search with chain rules.

Uses the table and the search (search/boxes/), and Solution.
"""

from __future__ import annotations

from gomogo_core.games.base import Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.board import board
from gomogo_core.search.boxes.exact import Exact
from gomogo_core.search.boxes.table import has_table, table
from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.solving.budget import Budget, ProofTooLarge
from gomogo_core.search.solving.solution import Solution

MOST_SAFE = 30  # the most safe edges: beyond that, their possible orders are too many for any machine
MEMORY = 200  # megabytes for building a table
LEAST = 20  # the least megabytes for the search: with less, it drops results that it soon needs, and rarely ends


class _Within(SearchLimits):
    """The limits of a search with a budget."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self.budget = budget

    def spend(self) -> None:
        """Count a node. Raises ProofTooLarge when the budget is used up."""
        self.budget.spend()


def safe_edges(position: DotsAndBoxesPosition) -> int:
    """Return how many edges can be drawn that give no box away; of equivalent ones it counts one."""
    geometry = board(position.game.rows, position.game.cols)
    free = geometry.free(position.drawn)
    return geometry.safe(free, geometry.degrees(free)[2]).bit_count()


def solve(position: Position, budget: Budget) -> Solution:
    """Return the final margin, and every edge that leads to it. Raises ProofTooLarge."""
    assert isinstance(position, DotsAndBoxesPosition)
    game = position.game
    if budget.megabytes < LEAST:
        raise ProofTooLarge(
            f"{budget.name} is not solved in {budget.megabytes:g} MB of memory.", f"Allow it {LEAST} MB."
        )
    geometry = board(game.rows, game.cols)
    free = geometry.free(position.drawn)
    fits = has_table(game.rows, game.cols) and budget.megabytes >= MEMORY
    known = table(game.rows, game.cols) if fits else None
    if known is not None:
        budget.spend()
        ahead = known.value(position.drawn)
        best = tuple(game.edges[number] for number in known.best(position.drawn))
    elif (safe := safe_edges(position)) > MOST_SAFE:
        raise ProofTooLarge(
            f"{budget.name} is too large to solve: {safe} edges can be drawn that give nothing away, in any order.",
            f"Take a smaller board, or a position in which no more than {MOST_SAFE} such edges are left.",
        )
    else:
        exact = Exact(geometry, _Within(budget), megabytes=budget.megabytes)
        ahead, edges = exact.best(free) if free else (0, [])
        best = tuple(game.edges[geometry.edges.index(edge)] for edge in edges)
    here = ahead if position.to_move == 1 else -ahead
    one, other = position.scores
    return Solution(one - other + here, None, best, margin=True, from_here=here)
