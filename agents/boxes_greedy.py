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
from gomogo_core.search.boxes.strings import captures
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def choose(position: DotsAndBoxesPosition, clock: AgentClock) -> Move:
    """An edge that captures, or one of those after which the next player can capture least."""
    edges = list(position.moves())
    taking = [edge for edge in edges if position.told(edge)]
    if taking:
        return random.choice(taking)
    given = {edge: boxes_given(position, edge) for edge in edges}
    least = min(given.values())
    return random.choice([edge for edge in edges if given[edge] == least])


def boxes_given(position: DotsAndBoxesPosition, edge: Move) -> int:
    """How many boxes can be captured in a row after `edge`."""
    after = position.play(edge)
    geometry = board(after.game.rows, after.game.cols)
    free = geometry.free(after.drawn)
    one, _, _ = geometry.degrees(free)
    return captures(geometry, free, one).boxes if one else 0


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
