"""Takes a box when it can; else draws an edge that gives none away; else gives away as few boxes as it can.

    python agents/boxes_greedy.py TEAM

This is how most people play Dots and Boxes, until they see that it matters who has to open the first long chain.
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.board import board
from gomogo_core.search.boxes.giving import least_given
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def choose(position: DotsAndBoxesPosition, clock: AgentClock) -> Move:
    """An edge that captures, or one of those after which the next player can capture least."""
    geometry = board(position.game.rows, position.game.cols)
    edge = random.choice(least_given(geometry, geometry.free(position.drawn)))
    return position.game.edges[geometry.edges.index(edge)]


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
