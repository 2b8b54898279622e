"""Plays many random games to their end, and chooses the move that won most of its games.

python agents/mcts.py TEAM [playouts=N] [rave=false]

It builds a tree of promising moves, and evaluates its leaves by thousands of quick games, called playouts. It stops
when its time is over, or after `playouts` games. With rave=false it does not use the RAVE heuristic.
gomogo_core/search/mcts.py has the method and its sources; gomogo_core/search/playouts/ has each game's playout policy.
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search import SearchLimits, mcts, node_of

KEEP_RUNNING = True  # one process may play many games: no state survives a game


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, playouts: int = 0, rave: bool = True) -> Move:
    """Return the move with the most playouts in a search until `clock.stop_at` or for `playouts` playouts (0: no
    limit).
    """
    limits = SearchLimits(nodes=playouts or None, stop_at=clock.stop_at)
    result = mcts.search(position, limits, rave=rave)
    clock.tell(**result.analysis(position.game))
    return result.move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
