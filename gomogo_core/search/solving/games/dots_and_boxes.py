"""Exact solution of Dots and Boxes: small boards by a table of all positions, others by search with chain rules.

The table and the search are in search/boxes/; the module chooses between them.
"""

from __future__ import annotations

from gomogo_core.games.base import Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.exact import ExactSearch
from gomogo_core.search.boxes.table import is_small_enough, load_tablebase
from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.solving.budget import Budget, ProofTooLarge
from gomogo_core.search.solving.solution import Solution

MAX_SAFE_EDGES = 30  # with more safe edges than this, there are too many orders of them for any machine
TABLE_MEGABYTES = 200  # megabytes for building a table
# the least megabytes for the search; with less, it drops results that it needs again, and rarely ends
MIN_SEARCH_MEGABYTES = 20


class _BudgetLimits(SearchLimits):
    """The limits of a search that counts its nodes in a budget."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self.budget = budget

    def count_node(self) -> None:
        """Count a node. Raises ProofTooLarge when the budget is used up."""
        self.budget.count_node()


def safe_edges(position: DotsAndBoxesPosition) -> int:
    """Return the number of edges that give no box away; equivalent edges count once."""
    geometry = geometry_of(position.game.rows, position.game.cols)
    free_edge_mask = geometry.free_edge_mask(position.drawn)
    return geometry.safe_edges(free_edge_mask, geometry.boxes_by_degree(free_edge_mask)[2]).bit_count()


def solve(position: Position, budget: Budget) -> Solution:
    """Return the final margin, and every edge that leads to it. Raises ProofTooLarge."""
    assert isinstance(position, DotsAndBoxesPosition)
    game = position.game
    if budget.megabytes < MIN_SEARCH_MEGABYTES:
        raise ProofTooLarge(
            f"{budget.name} cannot be solved in {budget.megabytes:g} MB of memory.",
            f"Allow at least {MIN_SEARCH_MEGABYTES} MB.",
        )
    geometry = geometry_of(game.rows, game.cols)
    free_edge_mask = geometry.free_edge_mask(position.drawn)
    table_fits = is_small_enough(game.rows, game.cols) and budget.megabytes >= TABLE_MEGABYTES
    tablebase = load_tablebase(game.rows, game.cols) if table_fits else None
    if tablebase is not None:
        budget.count_node()
        mover_lead = tablebase.value(position.drawn)
        best_moves = tuple(game.edges[number] for number in tablebase.best_edges(position.drawn))
    elif (safe_edge_count := safe_edges(position)) > MAX_SAFE_EDGES:
        raise ProofTooLarge(
            f"{budget.name} is too large to solve: {safe_edge_count} edges give no box away, and their order is free.",
            f"Take a smaller board, or a position in which no more than {MAX_SAFE_EDGES} such edges are left.",
        )
    else:
        exact = ExactSearch(geometry, _BudgetLimits(budget), megabytes=budget.megabytes)
        mover_lead, edges = exact.best_edges(free_edge_mask) if free_edge_mask else (0, [])
        best_moves = tuple(game.edges[geometry.edges.index(edge)] for edge in edges)
    lead = mover_lead if position.to_move == 1 else -mover_lead
    first_score, second_score = position.scores
    return Solution(first_score - second_score + lead, None, best_moves, is_margin=True, margin_from_here=lead)
