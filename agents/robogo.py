"""Plays Robogo: searches rows and captures deeper and deeper until the time is over, points near stones first.

    python agents/robogo.py TEAM [jump=N] [depth=N]

`jump` is how far from a stone it plays, in steps along the directions in which rows count. With jump=1 it only connects
and blocks, as beginners do; with jump=2 it jumps over a point; with jump=0 it plays anywhere. `depth` is how many plies
it looks ahead; 0 is as many as there is time for. The search is that of iterative_deepening, and what positions are
worth is in gomogo_core/search/evaluation/robogo.py: rows as in Gomoku, and what captures do to them.
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search import Limits
from gomogo_core.search.evaluation.robogo import node
from gomogo_core.search.iterative_deepening import search_node
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("robogo",)
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node(game.start())


def choose(position: Position, clock: AgentClock, *, jump: int = 0, depth: int = 0) -> Move:
    """The best move found by `clock.stop_at`."""
    found = search_node(node(position, jump=jump), Limits(depth=depth or None, stop_at=clock.stop_at))
    clock.tell(**found.said(position.game))
    return found.move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
