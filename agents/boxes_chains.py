"""Plays by the long-chain rule: draws safe edges so that the other runs out of them first, then keeps control.

    python agents/boxes_chains.py TEAM [max_ply=N]

Who opens the first long chain loses most of the boxes, since the other takes all but two, hands those back, and goes on
so with the next. So it counts who will have to, searches safe edges up to `max_ply` deep to make it the other, and
hands back two boxes of a chain, four of a loop, as long as that is worth it. gomogo_core/search/boxes/chains.py has it
all. Among three and more players nobody is in control: there it plays as boxes_greedy does.
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search import Limits
from gomogo_core.search.boxes.board import board
from gomogo_core.search.boxes.chains import LongChains
from gomogo_core.search.boxes.giving import least_given
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def choose(position: DotsAndBoxesPosition, clock: AgentClock, *, max_ply: int = 12) -> Move:
    """One of the edges that look best."""
    geometry = board(position.game.rows, position.game.cols)
    free = geometry.free(position.drawn)
    if position.game.players > 2:
        found = least_given(geometry, free)
    else:
        found = LongChains(geometry, Limits(stop_at=clock.stop_at), max_ply).choose(free).edges
    return position.game.edges[geometry.edges.index(random.choice(found))]


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
