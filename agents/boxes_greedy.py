"""Takes a box if possible; else draws a safe edge; else gives away as few boxes as possible.

python agents/boxes_greedy.py TEAM

Most people play Dots and Boxes this way until they discover the value of long chains.
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.giveaways import least_costly_edges

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: no state survives a game


def choose(position: DotsAndBoxesPosition, clock: AgentClock) -> Move:
    """Return an edge that captures a box, or else an edge after which the next player captures the fewest boxes."""
    geometry = geometry_of(position.game.rows, position.game.cols)
    edge = random.choice(least_costly_edges(geometry, geometry.free_edge_mask(position.drawn)))
    return position.game.edges[geometry.edges.index(edge)]


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
