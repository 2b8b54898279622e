"""Plays games on to their end, at random, and takes the move after which it won most of them.

    python agents/mcts.py TEAM [playouts=N] [rave=false]

It grows a tree of the moves that do well, and plays on from its edge: thousands of short games instead of an
evaluation. Until its time is over, or `playouts` games were played. gomogo_core/search/mcts.py has the method, and says
where it comes from; how a game is played on is a file in gomogo_core/search/playouts/.
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search import Limits, mcts, node_of
from gomogo_core.wire.agent_clock import AgentClock

KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, playouts: int = 0, rave: bool = True) -> Move:
    """The move that most playouts went through, found by `clock.stop_at`."""
    limits = Limits(nodes=playouts or None, stop_at=clock.stop_at)
    found = mcts.search(position, limits, rave=rave)
    clock.tell(**found.said(position.game))
    return found.move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
