"""Searches to depth 1, 2, 3 … until the time is over, and plays the best move of the deepest look it had.

    python agents/iterative_deepening.py TEAM [depth=N] [nodes=N]

It takes the whole of its time, unless there is only one move or the game is decided, and always has an answer ready.
The search is alpha-beta with a memory of positions, and looks further where moves are forced:
gomogo_core/search/iterative_deepening.py. D. Slate and L. Atkin, Chess 4.5 (1977).
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search import Limits, iterative_deepening, node_of
from gomogo_core.wire.agent_clock import AgentClock

KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, depth: int = 0, nodes: int = 0) -> Move:
    """The best move found by `clock.stop_at`, `depth` plies deep, or in so many positions; 0 for no such limit."""
    limits = Limits(depth=depth or None, nodes=nodes or None, stop_at=clock.stop_at)
    found = iterative_deepening.search(position, limits)
    clock.tell(**found.said(position.game))
    return found.move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
