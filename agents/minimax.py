"""Looks at every line of play, `depth` plies deep, and takes the best for the worst the opponent can do.

    python agents/minimax.py TEAM [depth=N] [nodes=N]

Plain: no pruning, no heuristic order, so that each ply more takes some eighty times as long. When the clock stops it,
it plays the best move of the last depth that it has searched in full.
C. Shannon, Programming a Computer for Playing Chess (1950).
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search import Limits, minimax, node_of
from gomogo_core.wire.agent_clock import AgentClock

KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, depth: int = 2, nodes: int = 0) -> Move:
    """The best move `depth` plies deep, or as deep as so many positions allow; 0 for any number."""
    found = minimax.search(position, Limits(depth=depth, nodes=nodes or None, stop_at=clock.stop_at))
    clock.tell(**found.said(position.game))
    return found.move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
