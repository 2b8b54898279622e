"""Plays perfectly where that can be worked out: small boards by a table, the end of large ones by search.

    python agents/boxes_exact.py TEAM

Boards of up to 24 edges (3 × 3 boxes) it knows by heart: a table says what each position is worth. It is built once, in
seconds, and kept among your data. On larger boards it searches to the end of the game as soon as few enough edges are
left, forty or so, and until then plays as boxes_chains does; among three and more players as boxes_greedy.
"""

from __future__ import annotations

import contextlib
import random
import time

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Game, Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.search import Limits
from gomogo_core.search.boxes.board import board
from gomogo_core.search.boxes.chains import LongChains
from gomogo_core.search.boxes.exact import Exact
from gomogo_core.search.boxes.giving import least_given
from gomogo_core.search.boxes.table import table
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: what it has searched holds in the next one too
CHAINS = 0.3  # of the time: what the long-chain rule may take before the search of the whole rest
SEARCH = 0.85  # of the time: when the search ends; where its memory was full, it may just be clearing that
MOST = 46  # undrawn edges above which that search has no hope
PLY = 12  # how deep safe edges are searched by the long-chain rule


class _Known:
    """What was worked out on the board that is played on."""

    exact: Exact | None = None


def prepare(game: Game) -> None:
    """Load the table, or build it, before the first clock starts."""
    assert isinstance(game, DotsAndBoxes)
    _Known.exact = Exact(board(game.rows, game.cols))
    table(game.rows, game.cols)


def choose(position: DotsAndBoxesPosition, clock: AgentClock) -> Move:
    """One of the best edges, or of those that look best."""
    game = position.game
    geometry = board(game.rows, game.cols)
    free = geometry.free(position.drawn)
    if game.players > 2:
        found = least_given(geometry, free)
    elif (known := table(game.rows, game.cols)) is not None:
        return game.edges[random.choice(known.best(position.drawn))]
    else:
        found = searched(position, free, clock)
    return game.edges[geometry.edges.index(random.choice(found))]


def searched(position: DotsAndBoxesPosition, free: int, clock: AgentClock) -> list[int]:
    """The best edges if the rest of the game can be searched in time, else those that the long-chain rule likes."""
    geometry = board(position.game.rows, position.game.cols)
    hopeful = free.bit_count() <= MOST
    now = time.monotonic()
    until = now + (clock.stop_at - now) * (CHAINS if hopeful else SEARCH)
    found = LongChains(geometry, Limits(stop_at=until), PLY).choose(free).edges
    if hopeful:
        if _Known.exact is None or _Known.exact.board is not geometry:
            _Known.exact = Exact(geometry)
        _Known.exact.limits = Limits(stop_at=now + (clock.stop_at - now) * SEARCH)
        with contextlib.suppress(OutOfLimits):
            _, found = _Known.exact.best(free)
    return found


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
