"""Search a position by the compiled engine of its game where there is one, else by iterative deepening.

Without Numba, while the engine is still being compiled, and in positions that ask for no stone, iterative deepening
searches. So an answer never waits for a compiler.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import Any

from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Position
from gomogo_core.games.gomoku import Gomoku, GomokuPosition, Phase
from gomogo_core.search import Hint, SearchLimits, SearchResult, explained, iterative_deepening
from gomogo_core.search.node import WIN

_PACKAGE = "gomogo_core.engines.gomoku"
_MEMORY_MB = 16
_PATIENCE = 0.5  # of the time: how long a search waits for an engine that is still being loaded


class _Engines:
    """The engines of this process, loaded by the first search of a game that has one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # an engine has one board
        self._loading: compiling.Loading | None = None
        self._engine: Any = None

    def of(self, game: Game, seconds: float) -> Any:
        """Return the engine for a game; None where there is none, or where it is not loaded within `seconds`."""
        if not isinstance(game, Gomoku) or game.line != 5 or not compiling.has_numba():
            return None
        if self._loading is None:
            self._loading = compiling.Loading(_PACKAGE)
        try:
            module = self._loading.wait(seconds)
        except Exception:  # a compiler that fails costs strength, never an answer
            return None
        if module is None:
            return None
        if self._engine is None or self._engine.game != game:
            self._engine = module.GomokuEngine(game, memory_mb=_MEMORY_MB)
        return self._engine


_ENGINES = _Engines()


def search(position: Position, seconds: float) -> SearchResult:
    """Return the best move found in `seconds`. Raises ValueError if the game is over."""
    stop_at = monotonic() + seconds
    if isinstance(position, GomokuPosition) and position.phase is Phase.PLAY and not position.can_take_over:
        if position.outcome() is not None:
            raise ValueError("the game is over: there is nothing to search")
        if _ENGINES.lock.acquire(timeout=_PATIENCE * seconds):
            try:
                engine = _ENGINES.of(position.game, _PATIENCE * max(0.0, stop_at - monotonic()))
                if engine is not None:
                    return _result(position, engine.analyse(position, stop_at=stop_at))
            finally:
                _ENGINES.lock.release()
    return iterative_deepening.search(position, SearchLimits(stop_at=stop_at))


def hint(position: Position, seconds: float) -> Hint:
    """Return the move to play with its reason, found in `seconds`. Raises ValueError if the game is over.

    >>> from gomogo_core import games
    >>> gomoku = games.load("gomoku")
    >>> move, why = hint(gomoku.replay("h8 a1 h9 a3 h7 a5 h6 a7".split()), 1.0)
    >>> gomoku.format(move), why
    ('h5', 'makes five in a row and wins')
    """
    return explained(position, search(position, seconds))


def _result(position: GomokuPosition, found: Any) -> SearchResult:
    """An engine's analysis in the terms of gomogo_core.search."""
    points = position.game.board.points
    value = float(found.value)
    if found.plies is not None:
        value = float(WIN - found.plies) if value > 0 else float(found.plies - WIN)
    variation = tuple(points[cell] for cell in found.lines[0].cells)
    return SearchResult(variation[0], value, found.depth, found.nodes, variation, found.seconds)
