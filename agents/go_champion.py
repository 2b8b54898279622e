"""The strongest player of Go, Capture Go and Robogo here: Monte Carlo tree search on a compiled board.

    python agents/go_champion.py TEAM [playouts=N] [memory_mb=N] [resign=N]

It needs the extra `engines`: pip install 'gomogo[engines]'. `gomogo warm` compiles it once; else the first game does,
and mcts plays meanwhile. `playouts` is a limit besides the clock; 0 means none. In Go it resigns once it expects to win
fewer than `resign` of 100 playouts, three moves in a row; 0 means never. gomogo_core/engines/go/ says how it works.
"""

from __future__ import annotations

import time
from typing import Any

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.agent import AgentClock
from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Move
from gomogo_core.games.stones.rules import PASS, StonesPosition
from gomogo_core.search import SearchLimits, mcts
from gomogo_core.search.go.passing import wins_by_passing

GAMES = ("go", "capture_go", "robogo")
KEEP_RUNNING = True  # one process may play many games: the tree of one game does not fit the next, and is dropped

READY = 12.0  # seconds of the thirty in which an agent must be ready; compiling may take longer on a busy machine
PATIENCE = 0.5  # of a move's time: how long it waits for the rest of the compiling
FORGET = 0.97  # of the margin kept from move to move
LEAST = 1000  # playouts without which it never resigns
HOPELESS = 3  # moves in a row


class _State:
    """The state kept between moves: the engine's module while it loads, the engine, lost moves so far, the margin."""

    loading: Any = None
    engine: Any = None
    hopeless = 0
    late = 0.03  # seconds from the stop flag to the answer: the last playout, the tree, a late timer


def prepare(game: Game) -> None:
    """Load what is compiled before the first clock starts, or compile it, in the background if that takes long."""
    _load(game, READY, 64)


def _load(game: Game, seconds: float, memory_mb: int) -> Any:
    """Return the engine for this game, or None if it is not compiled within `seconds`."""
    if _State.engine is None or _State.engine.game != game or _State.engine.memory_mb != memory_mb:
        if _State.loading is None:
            _State.loading = compiling.Loading("gomogo_core.engines.go")
        module = _State.loading.wait(seconds)
        _State.engine = module.GoEngine(game, memory_mb) if module is not None else None
    return _State.engine


def choose(
    position: StonesPosition, clock: AgentClock, *, playouts: int = 0, memory_mb: int = 64, resign: int = 2
) -> Move | str:
    """Return the most visited move by `clock.stop_at`, or after `playouts` playouts; 0 for no limit."""
    if wins_by_passing(position):
        return PASS
    engine = _load(position.game, (clock.stop_at - time.monotonic()) * PATIENCE, memory_mb)
    if engine is None:
        found = mcts.search(position, SearchLimits(stop_at=clock.stop_at))
        clock.tell(**found.analysis(position.game))
        return found.move
    margin = min(_State.late, (clock.stop_at - time.monotonic()) / 3)
    best, *rest = engine.choose(position, stop_at=clock.stop_at - margin, playouts=playouts)
    visits = best.visits + sum(one.visits for one in rest)
    clock.tell(
        score=2 * best.share - 1,
        line=[position.game.format(move) for move in best.line],
        thoughts=f"{visits} playouts, wins {best.share:.0%}",
    )
    if position.number < 2:
        _State.hopeless = 0
    lost = position.game.name == "go" and visits >= LEAST and best.share < resign / 100
    _State.hopeless = _State.hopeless + 1 if lost else 0
    if _State.hopeless >= HOPELESS:
        _State.hopeless = 0
        return "resign"
    engine.advance(position, best.move)
    _State.late = max(_State.late * FORGET, time.monotonic() - clock.stop_at + margin)  # grows at once, shrinks slowly
    move: Move = best.move
    return move


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
