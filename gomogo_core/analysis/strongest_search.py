"""Searches a position, and gives hints, by the compiled engine of its game, or else by iterative deepening.

Iterative deepening also searches in three other cases: if Numba is not installed; if an opening rule offers a choice
other than a stone; and while the engine is being compiled, so that no answer waits for the compiler.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic
from typing import TypeAlias

from gomogo_core.analysis.engine_analysts import Analyst, Engines, engine_package
from gomogo_core.analysis.explainers import Hint, explainer_of
from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.games.gomoku import GomokuPosition
from gomogo_core.search import SearchLimits, SearchResult, iterative_deepening, mcts
from gomogo_core.search.evaluation import clear_lead_of, node_of
from gomogo_core.search.node import CERTAIN_THRESHOLD
from gomogo_core.search.result import PositionAnalysis

# a search that yields better and better analyses; its parameters are the position, the limits and the number of lines
StreamAnalyses: TypeAlias = Callable[[Position, SearchLimits, int], Iterator[PositionAnalysis]]

_MAX_WAIT_SHARE = 0.5  # a search waits this share of its time for an engine that is being loaded
_LIVE_WAIT_SECONDS = 0.1  # seconds that a live analysis waits for the engine
# seconds after which a live analysis tries again to get an engine that is loaded, but serves another search
_RETRY_SECONDS = 0.5
# While an engine is read from the cache, the fallback pauses this many times as long as it searches: both need Python's
# global lock, and without pauses reading took 5 to 8 seconds instead of 3. The first result comes before a pause.
_PAUSE_RATIO, _SECONDS_BEFORE_PAUSE = 4.0, 0.1
# a review waits at most this long for an engine: from the cache it takes a second, the compiler up to a minute
_REVIEW_WAIT_SECONDS = 60.0

_MAX_KEPT_ANALYSES = 64  # positions of which a hint or a likely result has an analysis
_MIN_KEPT_SHARE = 0.5  # an analysis counts for a request that allows at most twice its time
_MIN_KEPT_NODES = 500  # on a busy machine a search may have a few playouts, which are no better than chance

# in a lost position of Gomoku, a hint compares this many defences, each for this share of its time
_MAX_DEFENCES, _DEFENCE_TIME_SHARE = 8, 0.1

_ENGINES = Engines()
_kept_analyses = OrderedDict[Position, tuple[float, PositionAnalysis]]()  # with the seconds, the oldest first
_kept_analyses_lock = threading.Lock()


def begin_loading(game: Game) -> None:
    """Begin to load the compiled engine for a game. Another process compiles it first if necessary."""
    _ENGINES.begin_loading_for(game)


def is_loading(game: Game) -> bool:
    """Return whether the compiled engine for a game is being loaded, so that a slower search replaces it."""
    return _ENGINES.is_loading_for(game)


def wait_for_engine(position: Position) -> None:
    """Wait until the compiled engine for the game of a position is loaded, even if it must be compiled first.

    A review compares the values of positions, so it must not begin with the fallback and continue with the engine.
    """
    package = engine_package(position.game)
    if package is not None and compiling.has_numba():
        with suppress(Exception):  # the cache is broken: the fallback searches instead
            _ENGINES.begin_loading(package).wait(_REVIEW_WAIT_SECONDS)


def has_engine(position: Position) -> bool:
    """Return whether there is an engine for the game of a position, even if it has not been compiled yet."""
    return engine_package(position.game) is not None


def search(position: Position, seconds: float) -> SearchResult:
    """Return the best move found in `seconds`. Raises ValueError if the game is over."""
    stop_at = monotonic() + seconds
    if (analysis := _analyse_by_engine(position, seconds, lambda _: 1)) is None:
        return _search_by_deepening(position, stop_at)
    value, variation = analysis.lines[0]
    return SearchResult(variation[0], value, analysis.depth, analysis.nodes, variation, analysis.seconds)


def _analyse_by_engine(
    position: Position, seconds: float, count_lines: Callable[[PositionAnalysis], int]
) -> PositionAnalysis | None:
    """Return the analysis of the compiled engine; None if there is none. Raises ValueError if the game is over.

    count_lines: returns the number of lines that the engine compares in the second half of the time. With one line,
    nearly all playouts begin with the best move.
    """
    half_time, stop_at = monotonic() + seconds / 2, monotonic() + seconds
    if position.outcome() is not None:
        raise ValueError("the game is over: there is nothing to search")
    with _ENGINES.reserve_engine(position, _MAX_WAIT_SHARE * seconds) as engine:
        if engine is None:
            return None
        for analysis in engine.stream_analyses(position, stop_at, 0, 0, 1):
            if monotonic() >= half_time and count_lines(analysis) > 1:
                break
        if (lines := count_lines(analysis)) > 1:
            *_, analysis = engine.stream_analyses(position, stop_at, 0, 0, lines)
        return analysis


def _search_by_deepening(position: Position, stop_at: float) -> SearchResult:
    result = iterative_deepening.search(position, SearchLimits(stop_at=stop_at))
    if result.earlier_value is None:
        return result
    return result._replace(value=_smoothed_value(result.value, result.earlier_value))


def _smoothed_value(value: float, earlier_value: float) -> float:
    """Return the mean of the values at two successive depths; a certain win or loss keeps its value.

    At an odd depth the player to move has one move more than the opponent, so the values are too high by about half the
    value of a move; at an even depth they are too low.
    """
    return value if max(abs(value), abs(earlier_value)) > CERTAIN_THRESHOLD else (value + earlier_value) / 2


def _stream_by_deepening(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
    """Search by iterative deepening, and yield one analysis for each depth.

    The best value is smoothed as in `_smoothed_value`, and the other uncertain values change by the same difference.
    """
    earlier_value, latest_depth = node_of(position).value(), -1
    for analysis in iterative_deepening.stream_analyses(position, limits, lines):
        if analysis.depth == latest_depth:
            continue
        best_value, latest_depth = analysis.lines[0].value, analysis.depth
        shift = _smoothed_value(best_value, earlier_value) - best_value
        yield analysis._replace(
            lines=tuple(
                line if abs(line.value) > CERTAIN_THRESHOLD else line._replace(value=line.value + shift)
                for line in analysis.lines
            )
        )
        if analysis.depth:  # the first analysis comes before the first depth is complete
            earlier_value = best_value


def stream_analyses(
    position: Position,
    limits: SearchLimits,
    lines: int,
    fallback: StreamAnalyses = _stream_by_deepening,
) -> Iterator[PositionAnalysis]:
    """Search until one of the limits is reached, and yield the best `lines` moves at least once.

    fallback: the search for a game without an engine, or while the engine is being loaded. Monte Carlo tree search
    searches all games for more than two players. Raises ValueError if the game is over.
    """
    if position.game.seats > 2:
        yield from mcts.stream_analyses(position, limits, lines)
        return
    if position.outcome() is not None:
        raise ValueError("the game is over: there is nothing to search")
    most_nodes = -1
    while True:
        with _ENGINES.reserve_engine(position, _LIVE_WAIT_SECONDS) as engine:
            if engine is not None and not limits.is_stopped:
                limits.interrupt = engine.interrupt
                yield from _stream_by_engine(engine, position, limits, lines)
                return
        depth, nodes = _engine_limit(limits.depth) or None, _engine_limit(limits.nodes) or None
        part_limits = SearchLimits(depth, nodes, limits.stop_at)
        pause_end = threading.Event()

        def stop_part(limits: SearchLimits = part_limits, pause_end: threading.Event = pause_end) -> None:
            limits.stop()
            pause_end.set()

        limits.interrupt = stop_part
        # without an engine, a search that reached its limit of depth or nodes is not repeated
        is_bounded = not (math.isinf(limits.depth) and math.isinf(limits.nodes))
        is_loading = not is_bounded and _ENGINES.call_when_loaded(position.game, stop_part)
        # the engine may have been loaded after the request for it, or another search may use it
        is_busy = not is_bounded and not is_loading and _ENGINES.is_loaded_for(position)
        if is_busy:
            part_limits.stop_at = min(limits.stop_at, limits.now() + _RETRY_SECONDS)
        needs_pauses = is_loading and compiling.is_compiled(engine_package(position.game) or "")
        latest_pause = limits.now()
        for analysis in fallback(position, part_limits, lines):
            if analysis.nodes > most_nodes:  # else a search that began again knows less than the one before
                most_nodes = analysis.nodes
                yield analysis
            if needs_pauses and (searched := limits.now() - latest_pause) >= _SECONDS_BEFORE_PAUSE:
                pause_end.wait(min(_PAUSE_RATIO * searched, part_limits.stop_at - limits.now()))
                latest_pause = limits.now()
        # even a certain result is no end: the engine also reports the expected end, or the margins of all moves
        if not (is_loading or is_busy) or limits.is_stopped:
            return
        pause_end.wait(min(part_limits.stop_at - limits.now(), threading.TIMEOUT_MAX))


def _stream_by_engine(
    engine: Analyst, position: Position, limits: SearchLimits, lines: int
) -> Iterator[PositionAnalysis]:
    stop_at = None if math.isinf(limits.stop_at) else limits.stop_at
    depth, nodes = _engine_limit(limits.depth), _engine_limit(limits.nodes)
    for analysis in engine.stream_analyses(position, stop_at, nodes, depth, lines):
        yield analysis
        if limits.is_stopped:  # the interrupt may have arrived before the engine started
            return


def _engine_limit(limit: float) -> int:
    """Convert an infinite limit to 0, which means "no limit" for an engine."""
    return 0 if math.isinf(limit) else int(limit)


def likely_result(position: Position, seconds: float) -> str:
    """Return a sentence on the likely result of a game of Go, from a search of `seconds`.

    The text is empty in other games, after a pass, at the end of the game, and without the compiled engine.
    """
    return explainer_of(position.game).likely_result(position, lambda: _analyse_for_advice(position, seconds))


def _analyse_for_advice(position: Position, seconds: float) -> PositionAnalysis | None:
    """Return the analysis of the compiled engine for a hint or a likely result; None if there is no engine.

    Both name the win chance. So that they name the same one, the later request gets the analysis of the earlier one.
    """
    with _kept_analyses_lock:
        kept_seconds, kept_analysis = _kept_analyses.get(position, (0.0, None))
    if kept_analysis is not None and kept_seconds >= _MIN_KEPT_SHARE * seconds:
        return kept_analysis
    analysis = _analyse_by_engine(position, seconds, explainer_of(position.game).count_lines)
    if analysis is not None and (analysis.nodes >= _MIN_KEPT_NODES or abs(analysis.lines[0].value) > CERTAIN_THRESHOLD):
        with _kept_analyses_lock:
            _kept_analyses[position] = seconds, analysis
            while len(_kept_analyses) > _MAX_KEPT_ANALYSES:
                _kept_analyses.popitem(last=False)
    return analysis


def hint(position: Position, seconds: float) -> Hint:
    """Return the move to play with its reason, found in `seconds`. Raises ValueError if the game is over.

    In a lost game of Gomoku, the search may take twice as long.

    >>> from gomogo_core import games
    >>> gomoku = games.load("gomoku")
    >>> move, why = hint(gomoku.replay("h8 a1 h9 a3 h7 a5 h6 a7".split()), 1.0)
    >>> gomoku.format(move) in ("h5", "h10"), why
    (True, 'makes five in a row; this wins')
    """
    explainer, stop_at = explainer_of(position.game), monotonic() + seconds
    if (analysis := _analyse_for_advice(position, seconds)) is None:
        result = _search_by_deepening(position, stop_at)
        return explainer.hint(position, result.move, result.value, clear_lead_of(position.game.name))
    best = analysis.lines[0]
    move = best.variation[0]
    if best.value < -CERTAIN_THRESHOLD and isinstance(position, GomokuPosition):
        move = _latest_losing_move(position, move, seconds)
    return explainer.hint(position, move, best.value, analysis.clear_lead, analysis)


def _latest_losing_move(position: GomokuPosition, move: Move, seconds: float) -> Move:
    """Return the defence after which a proved loss comes latest, as far as short searches find.

    Without a threat to answer, the candidates are the most important points near the stones. The result is `move` if no
    candidate is legal, or if the engine is busy. This function is needed because the engine proves a loss without a
    comparison of the moves, so that its move may be far away.
    """
    node = node_of(position)
    candidates = [point for point in node.defences() or node.moves() if not position.why_illegal(point)]
    values = dict[Move, float]()
    with _ENGINES.reserve_engine(position, _MAX_WAIT_SHARE * seconds) as engine:
        for candidate in candidates[:_MAX_DEFENCES]:
            if engine is not None and (after := position.play(candidate)).outcome() is None:
                *_, analysis = engine.stream_analyses(after, monotonic() + _DEFENCE_TIME_SHARE * seconds, 0, 0, 1)
                values[candidate] = -analysis.lines[0].value
    return max(values, key=values.__getitem__, default=move)
