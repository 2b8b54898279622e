"""The strongest player of Dots and Boxes here: a compiled solver near the end, compiled playouts before.

    python agents/boxes_champion.py TEAM [exact=N] [playouts=N]

It needs the extra `engines`: pip install 'gomogo[engines]'. `gomogo warm` compiles it once; otherwise the first game
does. It plays perfectly from about forty undrawn edges on; boards of up to 32 edges it solves before the first clock
starts. On boards of more than 36 boxes, and until it is compiled, it plays as boxes_chains does. With three or more
players no exact theory is known, since a player who cannot win may decide who does: there it plays as boxes_greedy
does.
"""

from __future__ import annotations

import random
import time
from typing import Any

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.search import SearchLimits
from gomogo_core.search.boxes.board import board
from gomogo_core.search.boxes.giveaways import least_costly_edges
from gomogo_core.search.boxes.long_chains import LongChains

GAMES = ("dots_and_boxes",)
KEEP_RUNNING = True  # one process may play many games: its transposition table stays valid
READY = 12.0  # seconds of the thirty in which an agent must be ready; compiling may take longer on a busy machine
PATIENCE = 0.5  # share of a move's time for which it waits until the engine is compiled
SOLVED_AHEAD = 32  # edges of the largest boards that are solved before the game: 2 × 6 takes nine seconds
MAX_PLY = 12  # depth of the search by the long-chain rule, used if the engine cannot play


class _State:
    """The state kept between moves: the engine's module while it loads, and the player of the game."""

    loading: Any = None
    player: Any = None


def prepare(game: Game, *, exact: int = 48) -> None:
    """Load the compiled engine before the first clock starts, and solve a small board from its start. If the engine
    must be compiled and this takes long, continue in the background.
    """
    stop_at = time.monotonic() + READY
    assert isinstance(game, DotsAndBoxes)
    if game.players > 2:
        return
    if _State.loading is None:
        _State.loading = compiling.BackgroundLoad("gomogo_core.engines.boxes")
    _State.player = _player(game, READY)
    if _State.player is not None and len(game.edges) <= min(exact, SOLVED_AHEAD):
        _State.player.solve_ahead(stop_at)


def choose(position: DotsAndBoxesPosition, clock: AgentClock, *, exact: int = 48, playouts: int = 0) -> Move:
    """Return the best edge found by `clock.stop_at`.

    exact: perfect play is tried if at most this many edges are undrawn. playouts: the limit for each earlier move; 0
    for as many as there is time for.
    """
    game = position.game
    geometry = board(game.rows, game.cols)
    free = geometry.free_edges(position.drawn)
    if game.players > 2:
        return game.edges[geometry.edges.index(random.choice(least_costly_edges(geometry, free)))]
    if _State.player is None or _State.player.game != game:
        if _State.loading is None:
            prepare(game)
        _State.player = _player(game, (clock.stop_at - time.monotonic()) * PATIENCE)
    if _State.player is None:
        found = LongChains(geometry, SearchLimits(stop_at=clock.stop_at), MAX_PLY).choose(free).edges
        return game.edges[geometry.edges.index(random.choice(found))]
    move: Move
    move, said = _State.player.choose(position, clock.stop_at, exact=exact, most_playouts=playouts)
    clock.tell(**said)
    return move


def _player(game: DotsAndBoxes, seconds: float) -> Any:
    """Return the engine's player; None if the board is too large, or if it is not compiled within `seconds`."""
    module = _State.loading.wait(seconds)
    if module is None or not module.can_solve(game.rows, game.cols):
        return None
    return module.BoxesPlayer(game)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
