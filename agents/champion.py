"""The strongest agent for Gomoku: a compiled alpha-beta search that answers threats exactly and proves wins.

python agents/champion.py TEAM [memory_mb=N] [threads=N] [nodes=N] [depth=N] [...]

It needs the extra `engines`: pip install 'gomogo[engines]'. `gomogo warm` compiles it once; otherwise the first game
does. If the winning row is not five stones, it plays as iterative_deepening does. gomogo_core/engines/gomoku/ explains
how it works.
"""

from __future__ import annotations

import time
from typing import Any

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.agent import AgentClock
from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Move
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.search import SearchLimits, iterative_deepening, node_of

GAMES = ("gomoku",)
EXTRA = "engines"  # the optional dependencies of Gomogo that this agent needs
COMPILED = "gomogo_core.engines.gomoku"  # the package of its compiled engine
ENGINE = True  # it plays from balanced openings by default
KEEP_RUNNING = True  # one process may play many games: its transposition table stays valid in the next one

# seconds in which the engine must be loaded; an agent must be ready within 30 seconds of its start
LOAD_SECONDS = 18.0
COMPILE_SHARE = 0.5  # maximum share of a move's time in which it waits for the engine to be compiled


class _KeptState:
    """The objects kept between moves: the engine's player, which may still be loading, and its arguments."""

    background_load: Any = None
    player_arguments: tuple[Any, ...] = ()


def prepare(game: Game, *, memory_mb: int = 64, threads: int = 1, line_network: bool = True) -> None:
    """Load the compiled engine, and allocate its table, before the first clock starts.

    If the engine must be compiled and that takes long, it continues in the background.
    """
    assert isinstance(game, Gomoku)
    if game.line != 5:  # the engine plays for rows of five only
        return
    arguments = (game, memory_mb, threads, line_network)
    if _KeptState.player_arguments != arguments:
        _KeptState.background_load = compiling.BackgroundLoad(COMPILED, lambda module: module.EnginePlayer(*arguments))
        _KeptState.player_arguments = arguments
    if _KeptState.background_load.wait(LOAD_SECONDS) is None:
        node_of(game.start())  # builds the tables of the slower search, which the first moves will use


def choose(
    position: GomokuPosition,
    clock: AgentClock,
    *,
    memory_mb: int = 64,
    threads: int = 1,
    nodes: int = 0,
    depth: int = 0,
    line_network: bool = True,
    vcf_leaf: int = 20,
    vcf_inner: int = 30,
    razor: int = 78,
    futility_base: int = 74,
    futility_slope: int = 26,
    static_slope: int = 68,
    late_base: int = 5,
    reduction_base: int = 47,
    reduction_slope: int = 8,
    history_share: int = 220,
    rank_base: int = 210,
    rank_slope: int = 34,
    reduction_rank: int = 11,
    reduction_rank_from: int = 134,
) -> Move:
    """Return the best move found before `clock.latest_stop_at`, within `depth` plies and `nodes` nodes; 0 means no
    limit.

    The engine searches with `threads` threads. Without `line_network`, it evaluates freestyle by a smaller network, as
    under the other rules. The other options are parameters of the search (gomogo_core/engines/gomoku/search.py), for
    `gomogo tune`.
    """
    search_parameters = {
        "vcf_leaf": vcf_leaf,
        "vcf_inner": vcf_inner,
        "razor": razor,
        "futility_base": futility_base,
        "futility_slope": futility_slope,
        "static_slope": static_slope,
        "late_base": late_base,
        "reduction_base": reduction_base,
        "reduction_slope": reduction_slope,
        "history_share": history_share,
        "rank_base": rank_base,
        "rank_slope": rank_slope,
        "reduction_rank": reduction_rank,
        "reduction_rank_from": reduction_rank_from,
    }
    game = position.game
    player = None
    if game.line == 5:
        if _KeptState.player_arguments != (game, memory_mb, threads, line_network):
            prepare(game, memory_mb=memory_mb, threads=threads, line_network=line_network)
        player = _KeptState.background_load.wait((clock.stop_at - time.monotonic()) * COMPILE_SHARE)
    if player is None:
        result = iterative_deepening.search(position, SearchLimits(stop_at=clock.stop_at))
        thoughts = "a slower search, while the engine is being compiled" if game.line == 5 else ""
        clock.tell(**result.analysis(game), thoughts=thoughts)
        return result.move
    move: Move
    move, analysis = player.choose(
        position,
        clock.stop_at,
        extension=clock.latest_stop_at - clock.stop_at,
        is_enough=clock.is_enough,
        nodes=nodes,
        depth=depth,
        search_parameters=search_parameters,
    )
    clock.tell(**analysis)
    return move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
