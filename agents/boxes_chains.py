"""Plays by the long-chain rule: draws safe edges so that the opponent must open the first long chain.

python agents/boxes_chains.py TEAM [max_ply=N]

A player who opens the first long chain loses most boxes: the opponent takes all but two, hands those back, and does the
same with the next chain. So the agent predicts which player must open that chain. It searches safe edges up to
`max_ply` plies deep, so that this player is the opponent. It hands back two boxes of a chain, or four of a loop, while
this gains more boxes than it costs. gomogo_core/search/boxes/long_chains.py has the method. With three or more players
the rule does not apply, and the agent plays as boxes_greedy does.
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search import SearchLimits
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.giveaways import least_costly_edges
from gomogo_core.search.boxes.long_chains import LongChains

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: no state survives a game


def choose(position: DotsAndBoxesPosition, clock: AgentClock, *, max_ply: int = 12) -> Move:
    """Return one of the most promising edges."""
    geometry = geometry_of(position.game.rows, position.game.cols)
    free_edge_mask = geometry.free_edge_mask(position.drawn)
    if position.game.players > 2:
        edges = least_costly_edges(geometry, free_edge_mask)
    else:
        edges = LongChains(geometry, SearchLimits(stop_at=clock.stop_at), max_ply).choose_edges(free_edge_mask).edges
    return position.game.edges[geometry.edges.index(random.choice(edges))]


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
