"""Plays perfectly where that can be worked out: small boards by a table, the end of large ones by search.

    python agents/boxes_exact.py TEAM

Boards of up to 24 edges (3 × 3 boxes) it knows by heart: a table says what each position is worth. NumPy builds it
once, in seconds, and it is kept among your data. On larger boards it searches to the end of the game as soon as few
enough edges are left, forty or so. Until then it plays as boxes_chains does, but while many edges are safe as mcts,
which plays games on where the long-chain rule does not see the end yet; among three and more players as boxes_greedy.
"""

from __future__ import annotations

import contextlib
import random
import time

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Game, Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.search import Limits, mcts
from gomogo_core.search.boxes.board import board
from gomogo_core.search.boxes.chains import LongChains
from gomogo_core.search.boxes.exact import Exact
from gomogo_core.search.boxes.giving import least_given
from gomogo_core.search.boxes.table import has_table, table
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: what it has searched holds in the next one too
SEARCH = 0.45  # of the time: when the search of the whole rest gives up; what it has learned helps it next time
REST = 0.9  # of the time: when who is asked in that case must have answered
MOST = 46  # undrawn edges above which the search of the rest has no hope: 36 take a fifth of a second, 40 several
BEFOREHAND = 15.0  # seconds that this search may take, of the thirty in which an agent must be ready
PLY = 12  # how deep safe edges are searched by the long-chain rule


class _Known:
    """What was worked out on the board that is played on."""

    exact: Exact | None = None


def prepare(game: Game) -> None:
    """Load the table, or build it, before the first clock starts; without NumPy search the small board beforehand."""
    assert isinstance(game, DotsAndBoxes)
    geometry = board(game.rows, game.cols)
    _Known.exact = Exact(geometry, Limits(stop_at=time.monotonic() + BEFOREHAND))
    if table(game.rows, game.cols) is None and has_table(game.rows, game.cols):
        with contextlib.suppress(OutOfLimits):
            _Known.exact.best(geometry.all)


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
    """The best edges if the rest of the game can be searched in time, else what the long-chain rule or mcts likes."""
    geometry = board(position.game.rows, position.game.cols)
    now = time.monotonic()
    if free.bit_count() <= MOST:
        if _Known.exact is None or _Known.exact.board is not geometry:
            _Known.exact = Exact(geometry)
        _Known.exact.limits = Limits(stop_at=now + (clock.stop_at - now) * SEARCH)
        with contextlib.suppress(OutOfLimits):
            return _Known.exact.best(free)[1]
    rest = Limits(stop_at=now + (clock.stop_at - now) * REST)
    one, _, more = geometry.degrees(free)
    if not one and geometry.safe(free, more).bit_count() > PLY:
        move = mcts.search(position, rest).move
        return [geometry.edges[position.game.edges.index(move)]]
    return LongChains(geometry, rest, PLY).choose(free).edges


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
