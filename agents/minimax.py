"""Examines every line of play, `depth` plies deep, and assumes the opponent's best answers.

python agents/minimax.py TEAM [depth=N] [nodes=N]

It has no pruning and no move ordering, so each further ply takes about eighty times as long. When its time is over, it
plays the best move of the last complete depth. C. Shannon, Programming a Computer for Playing Chess (1950).
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search import SearchLimits, minimax, node_of

KEEP_RUNNING = True  # one process may play many games: no state survives a game


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, depth: int = 2, nodes: int = 0) -> Move:
    """Return the best move `depth` plies deep, or as deep as `nodes` positions allow; 0 means no limit."""
    result = minimax.search(position, SearchLimits(depth=depth, nodes=nodes or None, stop_at=clock.stop_at))
    clock.tell(**result.analysis(position.game))
    return result.move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
