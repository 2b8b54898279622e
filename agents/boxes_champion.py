"""The strongest agent for Dots and Boxes: a compiled solver near the end of a game, compiled playouts before.

python agents/boxes_champion.py TEAM [exact=N] [playouts=N]

It needs the extra `engines`: pip install 'gomogo[engines]'. `gomogo warm` compiles it once; otherwise the first game
does. It plays perfectly once about forty edges are left, and solves boards of up to 32 edges before the first clock
starts. On boards of more than 36 boxes, and until it is compiled, it plays as boxes_chains does. With three or more
players it plays as boxes_greedy does: no exact theory is known, since a player who cannot win may decide between the
others.
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
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.giveaways import least_costly_edges
from gomogo_core.search.boxes.long_chains import LongChains

GAMES = ("dots_and_boxes",)
EXTRA = "engines"  # the optional dependencies of Gomogo that this agent needs
COMPILED = "gomogo_core.engines.boxes"  # the package of its compiled engine
KEEP_RUNNING = True  # one process may play many games: its transposition table stays valid
# seconds in which the engine must be loaded; an agent must be ready within 30 seconds of its start
LOAD_SECONDS = 12.0
COMPILE_SHARE = 0.5  # maximum share of a move's time in which it waits for the engine to be compiled
MAX_EDGES_SOLVED_AHEAD = 32  # edges of the largest boards that it solves before the game; 2 × 6 boxes take nine seconds
MAX_PLY = 12  # depth of the search by the long-chain rule, used if the engine cannot play


class _KeptState:
    """The objects kept between moves: the engine's player, which may still be loading, and its game.

    There is no player if the board is too large for the engine.
    """

    background_load: Any = None
    game: Game | None = None


def prepare(game: Game, *, exact: int = 48) -> None:
    """Load the compiled engine before the first clock starts, and solve a small board.

    If the engine must be compiled and that takes long, it continues in the background.
    """
    stop_at = time.monotonic() + LOAD_SECONDS
    assert isinstance(game, DotsAndBoxes)
    if game.players > 2:
        return
    if _KeptState.game != game:
        _KeptState.background_load = compiling.BackgroundLoad(
            COMPILED, lambda module: module.BoxesPlayer(game) if module.can_solve(game.rows, game.cols) else None
        )
        _KeptState.game = game
    player = _KeptState.background_load.wait(LOAD_SECONDS)
    if player is not None and len(game.edges) <= min(exact, MAX_EDGES_SOLVED_AHEAD):
        player.solve_ahead(stop_at)


def choose(position: DotsAndBoxesPosition, clock: AgentClock, *, exact: int = 48, playouts: int = 0) -> Move:
    """Return the best edge that it finds before the time `clock.stop_at`.

    It tries perfect play if at most `exact` edges are undrawn. `playouts` limits the playouts of each move that is not
    proved; 0 means no limit except the time.
    """
    game = position.game
    geometry = geometry_of(game.rows, game.cols)
    free_edge_mask = geometry.free_edge_mask(position.drawn)
    if game.players > 2:
        return game.edges[geometry.edges.index(random.choice(least_costly_edges(geometry, free_edge_mask)))]
    if _KeptState.game != game:
        prepare(game, exact=exact)
    player = _KeptState.background_load.wait((clock.stop_at - time.monotonic()) * COMPILE_SHARE)
    if player is None:
        edges = LongChains(geometry, SearchLimits(stop_at=clock.stop_at), MAX_PLY).choose_edges(free_edge_mask).edges
        return game.edges[geometry.edges.index(random.choice(edges))]
    move: Move
    move, analysis = player.choose(position, clock.stop_at, max_exact_edges=exact, max_playouts=playouts)
    clock.tell(**analysis)
    return move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
