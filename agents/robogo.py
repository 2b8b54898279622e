"""Plays Robogo: searches rows and captures to increasing depths until the time is over.

python agents/robogo.py TEAM [jump=N] [depth=N]

`jump` is the largest distance from a stone at which it plays, in steps along the directions of rows. With jump=1 it
plays only next to stones, as beginners do; with jump=2 it may leave one point between; with jump=0 it plays anywhere.
`depth` is the number of plies that it looks ahead; 0 means as many as the time allows. The search is that of
iterative_deepening. gomogo_core/search/evaluation/robogo.py has the evaluation: rows as in Gomoku, and the effects of
captures on them.
"""

from __future__ import annotations

from functools import partial

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.search import SearchLimits
from gomogo_core.search.evaluation import clear_lead_of
from gomogo_core.search.evaluation.robogo import node
from gomogo_core.search.iterative_deepening import search_node

GAMES = ("robogo",)
KEEP_RUNNING = True  # one process may play many games: no state survives a game


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node(game.start())


def choose(position: Position, clock: AgentClock, *, jump: int = 0, depth: int = 0) -> Move:
    """Return the best move that the search finds before `clock.latest_stop_at`."""
    is_enough = partial(clock.is_enough, lead=clear_lead_of(position.game.name))
    limits = SearchLimits(depth=depth or None, stop_at=clock.latest_stop_at, is_enough=is_enough)
    result = search_node(node(position, max_jump=jump), limits)
    clock.tell(**result.analysis(position.game))
    return result.move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
