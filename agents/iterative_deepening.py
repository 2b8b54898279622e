"""Searches to depth 1, 2, 3 … until the time is over, and plays the best move of the deepest search.

python agents/iterative_deepening.py TEAM [depth=N] [nodes=N]

It uses all of its time for a move, unless there is only one move or the game is decided. From a time for the whole
game, it takes more for a move whose result is uncertain. The search is alpha-beta with a transposition table, and
searches forced lines more deeply: gomogo_core/search/iterative_deepening.py. D. Slate and L. Atkin, Chess 4.5 (1977).
"""

from __future__ import annotations

from functools import partial

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search import SearchLimits, iterative_deepening, node_of
from gomogo_core.search.evaluation import clear_lead_of

KEEP_RUNNING = True  # one process may play many games: no state survives a game


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, depth: int = 0, nodes: int = 0) -> Move:
    """Return the best move in time, `depth` plies deep, or within `nodes` positions; 0 means no limit."""
    is_enough = partial(clock.is_enough, lead=clear_lead_of(position.game.name))
    limits = SearchLimits(depth=depth or None, nodes=nodes or None, stop_at=clock.latest_stop_at, is_enough=is_enough)
    result = iterative_deepening.search(position, limits)
    clock.tell(**result.analysis(position.game))
    return result.move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
