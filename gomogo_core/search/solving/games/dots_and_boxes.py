"""Dots and Boxes solved: small boards by a table of all positions, others by the chain rules' search.

Knows both (search/boxes/), and how a margin is told.
"""

from __future__ import annotations

from gomogo_core.games.base import Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.board import board
from gomogo_core.search.boxes.exact import Exact
from gomogo_core.search.boxes.table import has_table, table
from gomogo_core.search.limits import Limits
from gomogo_core.search.solving.budget import Budget, TooLarge
from gomogo_core.search.solving.solution import Solution

MOST_SAFE = 30  # edges that give nothing away: with more, their orders alone are too many, on any machine
MEMORY = 200  # megabytes that a table is built in, or that the search remembers at most


class _Within(Limits):
    """The limits of a search that a budget sets."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self.budget = budget

    def spend(self, nodes: int = 1) -> None:
        """Count a node. Raises TooLarge when the budget is used up."""
        self.budget.spend()


def solve(position: Position, budget: Budget) -> Solution:
    """The margin at the end, and every edge that leads to it. Raises TooLarge."""
    assert isinstance(position, DotsAndBoxesPosition)
    game = position.game
    if budget.megabytes < MEMORY:
        raise TooLarge(f"{budget.name} is not solved in {budget.megabytes:g} MB of memory.", f"Allow it {MEMORY} MB.")
    geometry = board(game.rows, game.cols)
    free = geometry.free(position.drawn)
    known = table(game.rows, game.cols) if has_table(game.rows, game.cols) else None
    if known is not None:
        budget.spend()
        ahead = known.value(position.drawn)
        best = tuple(game.edges[number] for number in known.best(position.drawn))
    elif (safe := geometry.safe(free, geometry.degrees(free)[2]).bit_count()) > MOST_SAFE:
        raise TooLarge(
            f"{budget.name} is too large to solve: {safe} edges can be drawn that give nothing away, in any order.",
            f"Take a smaller board, or a position in which no more than {MOST_SAFE} such edges are left.",
        )
    else:
        ahead, edges = Exact(geometry, _Within(budget)).best(free) if free else (0, [])
        best = tuple(game.edges[geometry.edges.index(edge)] for edge in edges)
    here = ahead if position.to_move == 1 else -ahead
    one, other = position.scores
    return Solution(one - other + here, None, best, margin=True, from_here=here)
