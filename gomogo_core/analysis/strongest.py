"""Search a position by the compiled engine of its game where there is one, else by iterative deepening.

Without Numba, while the engine is still being compiled, and in positions that ask for no stone, iterative deepening
searches. So an answer never waits for a compiler.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Position
from gomogo_core.games.gomoku import Gomoku, GomokuPosition, Phase
from gomogo_core.search import Hint, SearchLimits, SearchResult, hint_of, iterative_deepening, mcts
from gomogo_core.search.node import WIN
from gomogo_core.search.result import Analysis, Line

_PACKAGE = "gomogo_core.engines.gomoku"
_MEMORY_MB = 16
_PATIENCE = 0.5  # of the time: how long a search waits for an engine that is still being loaded
_FIRST = 0.1  # seconds that a live analysis waits for the engine
_LEAD = 150.0  # of the engine's units: a clear lead
_MEANWHILE = 1.0  # seconds that iterative deepening searches until it looks again whether the engine is there


class _Engines:
    """The engines of this process, loaded by the first search of a game that has one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # an engine has one board
        self._loading: compiling.Loading | None = None
        self._engine: Any = None

    def load(self) -> compiling.Loading:
        """Begin to load the compiled code, once."""
        if self._loading is None:
            self._loading = compiling.Loading(_PACKAGE)
        return self._loading

    @property
    def is_loading(self) -> bool:
        """Whether the compiled code is being loaded."""
        return self._loading is not None and self._loading.is_running

    def of(self, game: Game, seconds: float) -> Any:
        """Return the engine for a game; None if there is none, or it is not loaded within `seconds`."""
        if not isinstance(game, Gomoku) or game.line != 5 or not compiling.has_numba():
            return None
        try:
            module = self.load().wait(seconds)
        except Exception:  # a compiler that fails costs strength, never an answer
            return None
        if module is None:
            return None
        if self._engine is None or self._engine.game != game:
            self._engine = module.GomokuEngine(game, memory_mb=_MEMORY_MB)
        return self._engine

    @contextmanager
    def hold_engine(self, position: Position, seconds: float) -> Iterator[Any]:
        """Hold the engine for a position; None if there is none, or it is not free and loaded in time."""
        until = monotonic() + seconds
        if (
            not isinstance(position, GomokuPosition)
            or position.phase is not Phase.PLAY
            or position.can_take_over
            or not self.lock.acquire(timeout=seconds)
        ):
            yield None
        else:
            try:
                yield self.of(position.game, max(0.0, until - monotonic()))
            finally:
                self.lock.release()


_ENGINES = _Engines()


def warm() -> None:
    """Begin to load the compiled engines, if they can be."""
    if compiling.has_numba():
        _ENGINES.load()


def search(position: Position, seconds: float) -> SearchResult:
    """Return the best move found in `seconds`. Raises ValueError if the game is over."""
    stop_at = monotonic() + seconds
    if position.outcome() is not None:
        raise ValueError("the game is over: there is nothing to search")
    with _ENGINES.hold_engine(position, _PATIENCE * seconds) as engine:
        if engine is not None:
            found = _analysis(position, engine.analyse(position, stop_at=stop_at))
            value, variation = found.lines[0]
            return SearchResult(variation[0], value, found.depth, found.nodes, variation, found.seconds)
    return iterative_deepening.search(position, SearchLimits(stop_at=stop_at))


def improving(position: Position, limits: SearchLimits, lines: int) -> Iterator[Analysis]:
    """Search until the limits, and yield the best `lines` moves at least once. Raises ValueError if the game is over.

    More than two players are searched by Monte Carlo tree search.
    """
    if position.game.seats > 2:
        yield from mcts.improving(position, limits, lines)
        return
    if position.outcome() is not None:
        raise ValueError("the game is over: there is nothing to search")
    while True:
        with _ENGINES.hold_engine(position, _FIRST) as engine:
            if engine is not None and not limits.stopped:
                limits.interrupt = engine.interrupt
                yield from _by_engine(engine, position, limits, lines)
                return
        loading = isinstance(position.game, Gomoku) and _ENGINES.is_loading
        depth, nodes = _engine_limit(limits.depth), _engine_limit(limits.nodes)
        part = SearchLimits(depth or None, nodes or None, limits.stop_at)
        limits.interrupt = part.stop
        if loading:
            part.stop_at = min(limits.stop_at, limits.now() + _MEANWHILE)
        yield from iterative_deepening.improving(position, part, lines)
        if not loading or limits.stopped:
            return


def _by_engine(engine: Any, position: Position, limits: SearchLimits, lines: int) -> Iterator[Analysis]:
    stop_at = None if math.isinf(limits.stop_at) else limits.stop_at
    depth, nodes = _engine_limit(limits.depth), _engine_limit(limits.nodes)
    for found in engine.improving(position, stop_at=stop_at, nodes=nodes, depth=depth, lines=lines):
        yield _analysis(position, found)
        if limits.stopped:  # it may have been interrupted before the engine had begun
            return


def _engine_limit(limit: float) -> int:
    """Return a limit as the engine takes it: 0 for none."""
    return 0 if math.isinf(limit) else int(limit)


def hint(position: Position, seconds: float) -> Hint:
    """Return the move to play with its reason, found in `seconds`. Raises ValueError if the game is over.

    >>> from gomogo_core import games
    >>> gomoku = games.load("gomoku")
    >>> move, why = hint(gomoku.replay("h8 a1 h9 a3 h7 a5 h6 a7".split()), 1.0)
    >>> gomoku.format(move), why
    ('h5', 'makes five in a row and wins')
    """
    return hint_of(position, search(position, seconds))


def _analysis(position: Position, found: Any) -> Analysis:
    """Return an engine's analysis in the terms of gomogo_core.search."""
    assert isinstance(position, GomokuPosition)
    points = position.game.board.points
    lines = tuple(Line(_value(line), tuple(points[cell] for cell in line.cells)) for line in found.lines)
    return Analysis(lines, found.depth, found.nodes, found.seconds, lead=_LEAD)


def _value(line: Any) -> float:
    if line.plies is None:
        return float(line.value)
    return float(WIN - line.plies) if line.value > 0 else float(line.plies - WIN)
