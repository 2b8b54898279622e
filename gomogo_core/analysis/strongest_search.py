"""Searches a position, and gives hints, by the compiled engine of its game; without one, by iterative deepening.

Iterative deepening also searches in three other cases: if Numba is not installed; if an opening rule offers a choice
other than a stone; and while the engine is being compiled, so that no answer waits for the compiler.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic
from typing import NamedTuple, TypeAlias

from gomogo_core.analysis.dead_stones import advice_to_capture
from gomogo_core.analysis.engine_analysts import Analyst, Engines, engine_package
from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.go_reasons import can_be_captured, stone_reason, stones_in_danger
from gomogo_core.drawing.colours import side_name
from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search import SearchLimits, SearchResult, iterative_deepening, mcts
from gomogo_core.search.evaluation import clear_lead_of, node_of
from gomogo_core.search.go.passing import loses_if_both_pass
from gomogo_core.search.node import CERTAIN_THRESHOLD, advantage
from gomogo_core.search.playouts.dead_stones import points_worth_a_stone
from gomogo_core.search.result import ExpectedEnd, PositionAnalysis

# a search that yields better and better analyses; the parameters are the position, the limits, the number of lines
StreamAnalyses: TypeAlias = Callable[[Position, SearchLimits, int], Iterator[PositionAnalysis]]

# With this win chance in percent, hardly any move of Go loses. Then the second half of the time compares this number of
# lines, and a hint names the move with the most points. The chance of this move is at most `_MAX_CHANCE_LOSS`
# percentage points below the best chance.
_FAR_AHEAD_CHANCE, _FAR_AHEAD_LINES, _MAX_CHANCE_LOSS = 97.0, 4, 1.5
_MAX_SETTLED_SECONDS = 0.5  # to find out whether a player who is far ahead may pass
_MAX_WAIT_SHARE = 0.5  # a search waits this share of its time for an engine that is being loaded
_LIVE_WAIT_SECONDS = 0.1  # seconds that a live analysis waits for the engine
# seconds after which a live analysis tries again to get an engine that is loaded, but serves another search
_RETRY_SECONDS = 0.5
# While an engine is read from the cache, the fallback pauses this many times as long as it searches: both need Python's
# global lock, and without pauses reading took 5 to 8 seconds instead of 3. The first result comes before a pause.
_PAUSE_RATIO, _SECONDS_BEFORE_PAUSE = 4.0, 0.1
# a review waits at most this long for an engine: from the cache it takes a second, the compiler up to a minute
_REVIEW_WAIT_SECONDS = 60.0

_ENGINES = Engines()


def begin_loading(game: Game) -> None:
    """Begin to load the compiled engine for a game. Another process compiles it first if necessary."""
    _ENGINES.begin_loading_for(game)


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
    return _search(position, seconds)[0]


def _search(
    position: Position, seconds: float, far_ahead_lines: int = 1
) -> tuple[SearchResult, PositionAnalysis | None, float]:
    """Return the result of `search`, the analysis of the engine if there is one, and the value of a clear lead.

    far_ahead_lines: the number of lines that the engine compares in the second half of the time if the mover is far
    ahead. With one line, hardly any playout begins with another move than the best.
    """
    half_time, stop_at = monotonic() + seconds / 2, monotonic() + seconds
    if position.outcome() is not None:
        raise ValueError("the game is over: there is nothing to search")
    with _ENGINES.reserve_engine(position, _MAX_WAIT_SHARE * seconds) as engine:
        if engine is not None:
            for analysis in engine.stream_analyses(position, stop_at, 0, 0, 1):
                if far_ahead_lines > 1 and monotonic() >= half_time and _is_far_ahead(analysis):
                    break
            if far_ahead_lines > 1 and _is_far_ahead(analysis):
                *_, analysis = engine.stream_analyses(position, stop_at, 0, 0, far_ahead_lines)
            value, variation = analysis.lines[0]
            result = SearchResult(variation[0], value, analysis.depth, analysis.nodes, variation, analysis.seconds)
            return result, analysis, analysis.clear_lead
    result = iterative_deepening.search(position, SearchLimits(stop_at=stop_at))
    if result.earlier_value is not None:
        result = result._replace(value=_smoothed_value(result.value, result.earlier_value))
    return result, None, clear_lead_of(position.game.name)


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
        # without an engine, a search that ends by its depth or its nodes is not begun again
        is_bounded = not (math.isinf(limits.depth) and math.isinf(limits.nodes))
        is_loading = not is_bounded and _ENGINES.call_when_loaded(position.game, stop_part)
        # the load may have ended since the engine was asked for, or another search may use the engine
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
        # the engine also reports the expected end, which a certain result does not tell
        has_finished = not part_limits.is_stopped and not position.game.scores_places
        is_late = limits.now() >= limits.stop_at
        if not (is_loading or is_busy) or has_finished or limits.is_stopped or is_late:
            return


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
    if not isinstance(position, GoPosition) or position.passes or position.outcome() is not None:
        return ""
    analysis = None
    with _ENGINES.reserve_engine(position, _MAX_WAIT_SHARE * seconds) as engine:
        if engine is not None:
            *_, analysis = engine.stream_analyses(position, monotonic() + seconds, 0, 0, 1)
    if analysis is None or analysis.expected_end is None:
        return ""
    lead = analysis.shown_lead(position.to_move)
    leader, mover = side_name(position, 1 if lead > 0 else 2), side_name(position, position.to_move)
    result = f"{leader} wins by about {_points_text(lead)}" if round(2 * lead) else "about even"
    return f"Likely result: {result} ({mover}'s win chance: {_shown_chance(analysis)} %)."


def _shown_chance(analysis: PositionAnalysis) -> int:
    """Return the mover's win chance in percent. A search without a proof cannot be certain."""
    return min(max(round(50 + 50 * advantage(analysis.lines[0].value, analysis.clear_lead)), 1), 99)


def _win_percentage(value: float, clear_lead: float) -> float:
    return 50 + 50 * advantage(value, clear_lead)


def _is_far_ahead(analysis: PositionAnalysis) -> bool:
    value = analysis.lines[0].value
    return value <= CERTAIN_THRESHOLD and _win_percentage(value, analysis.clear_lead) >= _FAR_AHEAD_CHANCE


def _move_with_most_points(position: GoPosition, analysis: PositionAnalysis) -> Move:
    """Return the move with the most expected points among those that win nearly as often as the best.

    Only moves with enough playouts count. A stone that can itself be captured is the last choice.
    """
    best, sign = analysis.lines[0], 1 if position.to_move == 1 else -1
    min_percentage = _win_percentage(best.value, analysis.clear_lead) - _MAX_CHANCE_LOSS
    moves = [
        move
        for move, value in analysis.move_values.items()
        if move in analysis.leads and _win_percentage(value, analysis.clear_lead) >= min_percentage
    ]
    moves.sort(key=lambda move: -sign * analysis.leads[move])
    moves = moves or [best.variation[0]]
    return next((move for move in moves if not can_be_captured(position, move)), moves[0])


class Hint(NamedTuple):
    """A move, and the reason for it: the end of a sentence that begins with the move."""

    move: Move
    reason: str


def hint_from(position: Position, move: Move, value: float, clear_lead: float, effects: str = "") -> Hint:
    """Return the hint for a position.

    move: the best move. value: its value, for the mover. clear_lead: the value of a clear lead. effects: the effects of
    the move, by default those of `Explainer.describe_effects`.
    """
    effects = effects or explainer_of(position.game).describe_effects(position, move)
    effects = effects or "is the best move that the search found"
    if abs(value) <= CERTAIN_THRESHOLD:
        win_chance = round(50 + 50 * advantage(value, clear_lead))
        # a search cannot be certain without a proof
        return Hint(move, f"{effects}; your chance to win is about {min(max(win_chance, 1), 99)} %")
    if value < 0:
        return Hint(move, f"{effects}, but the game is lost against perfect play")
    return Hint(move, f"{effects}; this wins")


def hint(position: Position, seconds: float) -> Hint:
    """Return the move to play with its reason, found in `seconds`. Raises ValueError if the game is over.

    >>> from gomogo_core import games
    >>> gomoku = games.load("gomoku")
    >>> move, why = hint(gomoku.replay("h8 a1 h9 a3 h7 a5 h6 a7".split()), 1.0)
    >>> gomoku.format(move) in ("h5", "h10"), why
    (True, 'makes five in a row; this wins')
    """
    is_go = isinstance(position, GoPosition)
    (move, value, *_), analysis, clear_lead = _search(position, seconds, _FAR_AHEAD_LINES if is_go else 1)
    can_pass = False
    if isinstance(position, GoPosition) and analysis is not None and move is not PASS and _is_far_ahead(analysis):
        move = _move_with_most_points(position, analysis)
        value = analysis.move_values.get(move, value)
        is_settled = not points_worth_a_stone(position, monotonic() + _MAX_SETTLED_SECONDS)
        can_pass = is_settled and not loses_if_both_pass(position)
        if can_pass and can_be_captured(position, move):
            move = PASS
    end = None if analysis is None else analysis.expected_end
    effects = _stone_effects(position, move, end) if isinstance(position, GoFamilyPosition) else ""
    found = hint_from(position, move, value, clear_lead, effects)
    if isinstance(position, GoPosition) and analysis is not None and end is not None:
        found = Hint(move, _with_expected_lead(position, found, analysis.shown_lead(position.to_move)))
    if advice := advice_to_capture(position, move, {} if end is None else end.owners):
        return Hint(move, f"{found.reason}; {advice}")
    if can_pass and move is not PASS:
        return Hint(move, f"{found.reason}; the borders are settled, so passing is safe now")
    return found


def _stone_effects(position: GoFamilyPosition, move: Move, end: ExpectedEnd | None) -> str:
    """Return the effects of a move as a teacher would name them, and the mover's stones that it leaves in atari.

    Empty for a pass.
    """
    if not isinstance(move, Point):
        return ""
    owners = None if end is None else end.owners
    effects = stone_reason(position, move, owners=owners)
    effects = effects or explainer_of(position.game).describe_effects(position, move)
    return "; ".join(filter(None, (effects, stones_in_danger(position, move))))


def _with_expected_lead(position: GoPosition, hint: Hint, lead: float) -> str:
    """Return the reason for a move of Go with the expected lead in points. lead: as of `shown_lead`."""
    if hint.move is PASS:
        if position.passes:
            return hint.reason
        first, second = position.scores()  # all stones on the board count, also dead ones
        return f"the board is settled; if both players pass, you win by {_points_text(first - second)}"
    leader = "you lead" if (lead > 0) == (position.to_move == 1) else "you are behind"
    points = f"{leader} by about {_points_text(lead)}" if round(2 * lead) else "the game is about even"
    effects, separator, chance = hint.reason.rpartition("; ")
    return f"{effects}; {points}, and {chance}" if separator else f"{chance}; {points}"


def _points_text(lead: float) -> str:
    """Return the size of a lead in words, rounded to half a point."""
    size = abs(round(2 * lead) / 2)
    return f"{size:g} point{'s' * (size != 1)}"
