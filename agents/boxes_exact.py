"""Plays small boards perfectly, by a table, and the end of games on large boards, by search.

python agents/boxes_exact.py TEAM

For boards of up to 24 edges (3 × 3 boxes) a table has the value of each position. NumPy builds it once, in seconds, and
the agent stores it in your data folder. On larger boards the agent searches to the end of the game once about forty
edges are left. Before that, it plays as boxes_chains does, or as mcts does while more edges are safe than boxes_chains
can search. With three or more players, it plays as boxes_greedy does.
"""

from __future__ import annotations

import contextlib
import random
import time

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Game, Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.search import SearchLimits, mcts
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.exact import ExactSearch
from gomogo_core.search.boxes.giveaways import least_costly_edges
from gomogo_core.search.boxes.long_chains import LongChains
from gomogo_core.search.boxes.table import is_small_enough, load_tablebase
from gomogo_core.search.limits import OutOfLimits

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: its search results stay valid
SEARCH_SHARE = 0.45  # share of the time after which the exact search stops; its results help at the next move
FALLBACK_SHARE = 0.9  # share of the time after which the other searches must have answered
# with more undrawn edges, the exact search takes too long; 36 edges take a fifth of a second, 40 several seconds
MAX_UNDRAWN_EDGES = 46
PREPARE_SECONDS = 15.0  # for the exact search before the game; an agent must be ready after thirty seconds
CHAIN_SEARCH_PLIES = 12  # depth in plies of the search by the long-chain rule


class _KnownValues:
    """The exact search of the current board, with its stored results."""

    exact: ExactSearch | None = None


def prepare(game: Game) -> None:
    """Load or build the table before the first clock starts; without NumPy, search a small board instead."""
    assert isinstance(game, DotsAndBoxes)
    geometry = geometry_of(game.rows, game.cols)
    _KnownValues.exact = ExactSearch(geometry, SearchLimits(stop_at=time.monotonic() + PREPARE_SECONDS))
    if load_tablebase(game.rows, game.cols) is None and is_small_enough(game.rows, game.cols):
        with contextlib.suppress(OutOfLimits):
            _KnownValues.exact.best_edges(geometry.all_edges_mask)


def choose(position: DotsAndBoxesPosition, clock: AgentClock) -> Move:
    """Return one of the best edges, or of the most promising ones."""
    game = position.game
    geometry = geometry_of(game.rows, game.cols)
    free_edge_mask = geometry.free_edge_mask(position.drawn)
    if game.players > 2:
        edges = least_costly_edges(geometry, free_edge_mask)
    elif (value_table := load_tablebase(game.rows, game.cols)) is not None:
        return game.edges[random.choice(value_table.best_edges(position.drawn))]
    else:
        edges = best_or_promising_edges(position, free_edge_mask, clock)
    return game.edges[geometry.edges.index(random.choice(edges))]


def best_or_promising_edges(position: DotsAndBoxesPosition, free_edge_mask: int, clock: AgentClock) -> list[int]:
    """Return the best edges if the exact search ends in time, else the choice of the long-chain rule or mcts."""
    geometry = geometry_of(position.game.rows, position.game.cols)
    now = time.monotonic()
    if free_edge_mask.bit_count() <= MAX_UNDRAWN_EDGES:
        if _KnownValues.exact is None or _KnownValues.exact.board is not geometry:
            _KnownValues.exact = ExactSearch(geometry)
        _KnownValues.exact.limits = SearchLimits(stop_at=now + (clock.stop_at - now) * SEARCH_SHARE)
        with contextlib.suppress(OutOfLimits):
            return _KnownValues.exact.best_edges(free_edge_mask)[1]
    remaining_limits = SearchLimits(stop_at=now + (clock.stop_at - now) * FALLBACK_SHARE)
    capturable_box_mask, _, other_boxes = geometry.boxes_by_degree(free_edge_mask)
    if not capturable_box_mask and geometry.safe_edges(free_edge_mask, other_boxes).bit_count() > CHAIN_SEARCH_PLIES:
        move = mcts.search(position, remaining_limits).move
        return [geometry.edges[position.game.edges.index(move)]]
    return LongChains(geometry, remaining_limits, CHAIN_SEARCH_PLIES).choose_edges(free_edge_mask).edges


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
