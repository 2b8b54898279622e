"""Runs the compiled engines in this process, and converts their results to the types of gomogo_core.search.

The module uses engines, positions and searches, but no process and no user interface. Loading the first engine imports
Numba.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, Protocol

from gomogo_core.analysis.go_reasons import Fight, find_fights, is_missed, stone_reason
from gomogo_core.drawing.colours import side_name
from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.games.go import Go
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.games.stones.board import BLACK
from gomogo_core.games.stones.rules import PASS, GoFamilyGame, GoFamilyPosition
from gomogo_core.search import SearchLimits, iterative_deepening
from gomogo_core.search.go.atari import rescuing_points
from gomogo_core.search.go.passing import wins_by_passing
from gomogo_core.search.node import CERTAIN_THRESHOLD, WIN_VALUE, advantage
from gomogo_core.search.result import ExpectedEnd, PositionAnalysis, ScoredLine

_GOMOKU_PACKAGE, _GO_PACKAGE, _BOXES_PACKAGE = (f"gomogo_core.engines.{name}" for name in ("gomoku", "go", "boxes"))
_GOMOKU_MEMORY_MB = 16
# The value of a clear lead in Gomoku is twice as high with this number of stones (docs/why/searching.md has the fit).
_STONES_PER_CLEAR_LEAD = 25
# The log odds of a win in Go are those of a won playout, plus a product of three factors: this weight; the share of
# points with stones; and the sum of the log odds of a won playout and the expected lead divided by the root of the
# number of points. docs/why/searching.md has the fit.
_GO_WEIGHT = 2.3
_MAX_LOG_ODDS = 5.1  # 99 %: no number of playouts makes a win certain
_GO_MEMORY_MB = _BOXES_MEMORY_MB = 64
_MAX_BOXES = 36  # boxes of the largest boards that the engine of Dots and Boxes plays
_MIN_WIN_SHARE = 0.001  # shares of won playouts are kept this far from 0 and 1, because playouts prove no win
# the value of a move in Go with fewer visits, or with a smaller share of the visits of the best move, is mostly chance
_MIN_VALUE_VISITS, _MIN_VALUE_SHARE = 100, 0.05
# a move with the highest share of wins is left out if its visits are less than this share of the most visits
_MIN_FIRST_SHARE = 0.25
_PERCENT = 50  # percentage points of win chance per unit of advantage
# a game of Go counts as finished if rules and playouts disagree on the owners of at most this share of the points
_MAX_DIFFERING_SHARE = 0.05
# a line of Go with fewer moves is continued by short searches, at most this number of them between two reports
_MIN_LINE_MOVES, _TAIL_PLAYOUTS, _TAIL_SEARCHES, _TAIL_MEMORY_MB = 8, 300, 3, 4
# at the end, this share of the time continues the best line and gives the missing reasons
_TAIL_TIME_SHARE, _MAX_TAIL_SECONDS = 0.1, 0.5
_MIN_COMPARED_LINES = 3
# A running search shows another lead when the mean differs by this number of points and by its error.
_MIN_LEAD_CHANGE = 1.0
_REASON_SECONDS = 0.05  # reasons for moves begin within this time of a report, so that the reports come in time
# Shown lines of Go on boards with this number of rows and columns leave out the points on the first two lines that
# touch no stone on the first three lines, while at least this share of the other points is empty:
# docs/why/go-champion.md has the measurement.
_MIN_LARGE_SIZE, _EDGE_LINES, _LOW_LINES, _MAX_EDGE_STEPS, _MIN_EMPTY_SHARE = 11, 2, 3, 1, 0.25
# On such boards a move has few playouts, and its prior counts for more: docs/why/go-champion.md has the measurement.
_LARGE_BOARD_PRIOR_PERCENT = 400
# In Go, points have this percentage of the reward of a playout, so that they decide if all moves win or lose. A win
# chance at least this near to 0 or 100 % decides a game: docs/why/go-champion.md has the measurement.
_POINTS_PERCENT, _DECIDED_PERCENT = 60, 5
_FORCED_WIN_TIME_SHARE = 0.2  # the search for forced wins, which playouts cannot prove, gets this share of the time
_MAX_FORCED_WIN_SECONDS = 1.0


class Analyst(Protocol):
    """A compiled engine for one game, with the results of gomogo_core.search."""

    def stream_analyses(
        self, position: Any, stop_at: float | None, nodes: int, depth: int, lines: int
    ) -> Iterator[PositionAnalysis]:
        """Search until one of the limits is reached, and yield the best `lines` moves at least once.

        stop_at: a time of the monotonic clock; None for no limit. nodes, depth: limits of the search; 0 for no limit.
        """

    def interrupt(self) -> None:
        """End the running search. Another thread calls this method."""


class _GomokuAnalyst:
    def __init__(self, module: Any, game: Game) -> None:
        self.engine = module.GomokuEngine(game, memory_mb=_GOMOKU_MEMORY_MB)
        self.clear_lead = float(module.CLEAR_LEAD)
        self.interrupt = self.engine.interrupt

    def stream_analyses(
        self, position: GomokuPosition, stop_at: float | None, nodes: int, depth: int, lines: int
    ) -> Iterator[PositionAnalysis]:
        points = position.game.board.points
        stones = sum(map(bool, position.cells))
        clear_lead = self.clear_lead * (1 + stones / _STONES_PER_CLEAR_LEAD)
        for report in self.engine.stream_analyses(position, stop_at=stop_at, nodes=nodes, depth=depth, lines=lines):
            variations = [(line, tuple(points[number] for number in line.point_numbers)) for line in report.lines]
            best_lines = tuple(ScoredLine(_search_value(line), variation) for line, variation in variations)
            yield PositionAnalysis(best_lines, report.depth, report.nodes, report.seconds, clear_lead=clear_lead)


def _search_value(line: Any) -> float:
    """Convert the value of an engine's line to a value of gomogo_core.search, in which WIN_VALUE is a won game."""
    if line.plies is None:
        return float(line.value)
    return float(WIN_VALUE - line.plies) if line.value > 0 else float(line.plies - WIN_VALUE)


class _GoAnalyst:
    """Searches for a short time for forced wins and losses, except in Go, and then searches by playouts.

    The lines are in the order of their values, which users see. Moves with few playouts have uncertain values, and
    follow after the others. A move without a playout is not reported.

    If the first capture wins and the caller wants one line, alpha-beta replaces the playouts, as in `go_champion`.
    """

    def __init__(self, module: Any, game: Game) -> None:
        is_large = isinstance(game, Go) and min(game.rows, game.cols) >= _MIN_LARGE_SIZE
        self.engine, self._tail_engine = (
            module.GoEngine(
                game,
                memory_mb=memory_mb,
                prior_percent=_LARGE_BOARD_PRIOR_PERCENT if is_large else 100,
                points_percent=_POINTS_PERCENT,
                knows_vital_points=True,
            )
            for memory_mb in (_GO_MEMORY_MB, _TAIL_MEMORY_MB)
        )
        self._forced_win_limits = SearchLimits()
        self._is_interrupted = False

    def interrupt(self) -> None:
        self._is_interrupted = True
        self._forced_win_limits.stop()
        self.engine.interrupt()
        self._tail_engine.interrupt()

    def stream_analyses(
        self, position: GoFamilyPosition, stop_at: float | None, nodes: int, depth: int, lines: int
    ) -> Iterator[PositionAnalysis]:
        started_at, self._is_interrupted = monotonic(), False
        clear_lead = _clear_lead_in_playouts(position)
        forced_line = self._forced_line(position, stop_at, nodes, depth)
        if lines == 1 and not nodes and forced_line is None:
            capture = None
            for capture in self.engine.stream_alpha_beta_moves(position, stop_at=stop_at, depth=depth, forget=True):
                line = ScoredLine(_capture_value(position, capture), (capture.move,))
                yield PositionAnalysis((line,), capture.depth, capture.nodes, monotonic() - started_at)
            if capture is not None:
                return
        reasons, tails = dict[Move, str](), dict[tuple[Move, ...], Move]()
        fights, fight_moves, urgent_moves, playouts = list[Fight](), set[Move](), set[Move](), 0
        shown_end: ExpectedEnd | None = None
        search_end = stop_at
        if stop_at is not None and lines > 1:
            search_end = stop_at - min(_MAX_TAIL_SECONDS, max(0.0, _TAIL_TIME_SHARE * (stop_at - started_at)))
        searched = self.engine.stream_analyses(
            position,
            stop_at=search_end,
            playouts=nodes,
            lines=lines,
            also=fight_moves,
            left_out=_distant_edge_points(position),
            urgent=urgent_moves,
        )
        for reports, statistics in enumerate(searched):
            best_moves, reliable_moves = statistics[:1], _reliable_moves(statistics)
            earlier_playouts, playouts = playouts, sum(move.visits for move in statistics)
            tried_moves = [move for move in statistics if move.visits or move.is_proved] or best_moves
            expected = self.engine.expected_end()
            values_by_move = {move.move: _log_odds(move.estimated_share) for move in tried_moves}
            if expected is not None:
                values_by_move = _values_with_lead(position, values_by_move, expected.lead, clear_lead)
            best_lines = [ScoredLine(values_by_move[move.move], move.variation) for move in tried_moves]
            if forced_line is not None:
                forced_move = forced_line.variation[0]
                best_lines = [forced_line, *(line for line in best_lines if line.variation[0] != forced_move)]
            shown_end = None if expected is None else _end_with_steady_lead(ExpectedEnd(*expected[:3]), shown_end)
            is_settled = forced_line is None and expected is not None and expected.is_settled
            values = {move.move: values_by_move[move.move] for move in reliable_moves}
            if is_settled and _keeps_win_by_passing(position, expected):
                pass_line = ScoredLine(max(line.value for line in best_lines), (PASS,))
                best_lines = [pass_line, *(line for line in best_lines if line.variation[0] is not PASS)]
                values[PASS] = pass_line.value
            # a search for one line, as for a hint or a review, compares as many lines as the analysis shows at first
            shown_lines = best_lines[: max(lines, _MIN_COMPARED_LINES)]
            if forced_line is None:  # else its result is certain
                rewards = {move.move: move.steady_reward for move in reliable_moves}
                shown_lines.sort(key=lambda line: _sort_key(line, values, rewards, clear_lead), reverse=True)
            first, *others = shown_lines[:lines]
            depth_in_tree = len(first.variation)
            if lines > 1:
                # on a busy machine a report has few playouts, and the continuations must not take most of the time
                max_searches = min(_TAIL_SEARCHES, (playouts - earlier_playouts) // _TAIL_PLAYOUTS) if reports else 0
                self._search_continuations(position, [first, *others], tails, max_searches, stop_at)
                first, *others = (
                    line._replace(variation=_with_continuation(line.variation, tails)) for line in (first, *others)
                )
            if reports or lines == 1:
                self._give_reasons(position, [first, *others], reasons, expected, monotonic() + _REASON_SECONDS)
            analysis = PositionAnalysis(
                (first, *others),
                depth_in_tree,
                playouts,
                monotonic() - started_at,
                values,
                clear_lead,
                has_ranked_lines=True,
                expected_end=shown_end,
                leads={move.move: move.lead for move in tried_moves if move.lead is not None},
                playouts={move.move: move.visits for move in tried_moves},
                reasons=dict(reasons),
                missed_captures=tuple(_missed_captures(position, fights, [first, *others], values, clear_lead)),
            )
            yield analysis
            has_time = not self._is_interrupted and (stop_at is None or monotonic() < stop_at)
            if reports == 0 and has_time:  # the first report comes at once
                fights = find_fights(position)
                fight_moves.update(*(fight.winning_moves(position.to_move) for fight in fights))
                urgent_moves.update(*(fight.attacks + fight.defences for fight in fights))
        if not self._is_interrupted:
            if lines > 1:
                self._search_continuations(position, analysis.lines[:1], tails, _MIN_LINE_MOVES, stop_at)
            self._give_reasons(position, analysis.lines, reasons, expected, stop_at)
            best_line = analysis.lines[0]
            best_line = best_line._replace(variation=_with_continuation(best_line.variation, tails))
            yield analysis._replace(
                lines=(best_line, *analysis.lines[1:]),
                seconds=monotonic() - started_at,
                expected_end=None if expected is None else ExpectedEnd(*expected[:3]),
                reasons=dict(reasons),
            )

    def _give_reasons(
        self,
        position: GoFamilyPosition,
        lines: Sequence[ScoredLine],
        reasons: dict[Move, str],
        expected: Any,
        stop_at: float | None,
    ) -> None:
        """Add the missing reasons for the first moves of lines to `reasons`, until `stop_at`."""
        owners = None if expected is None else expected.owners
        for line in lines:
            if self._is_interrupted or (stop_at is not None and monotonic() >= stop_at):
                return
            move = line.variation[0]
            if move not in reasons:
                reasons[move] = stone_reason(position, move, owners=owners)

    def _search_continuations(
        self,
        position: GoFamilyPosition,
        lines: Sequence[ScoredLine],
        tails: dict[tuple[Move, ...], Move],
        max_searches: int,
        stop_at: float | None,
    ) -> None:
        """Find moves that continue short lines, and store them in `tails` under the moves of the line before them.

        The tree has few playouts after the first moves of a line, so that a short search of the position there is more
        reliable.
        """
        for line in lines:
            variation, later = _with_continuation(line.variation, tails), position
            for move in variation:
                later = later.play(move)
            while (
                max_searches
                and not self._is_interrupted
                and len(variation) < _MIN_LINE_MOVES
                and later.outcome() is None
            ):
                move = self._tail_engine.rank_moves(later, stop_at=stop_at, playouts=_TAIL_PLAYOUTS)[0].move
                if self._is_interrupted or move is PASS:
                    break
                tails[variation] = move
                variation, later, max_searches = (*variation, move), later.play(move), max_searches - 1

    def _forced_line(
        self, position: GoFamilyPosition, stop_at: float | None, nodes: int, depth: int
    ) -> ScoredLine | None:
        """Return a line with a certain result; None if a short search finds none.

        In Go, only a pass that ends the game is certain; a search for more would delay the playouts.
        """
        if position.game.scores_places:
            return ScoredLine(float(WIN_VALUE - 1), (PASS,)) if wins_by_passing(position) else None
        now, seconds = monotonic(), _MAX_FORCED_WIN_SECONDS
        if stop_at is not None:
            seconds = min(seconds, _FORCED_WIN_TIME_SHARE * (stop_at - now))
        self._forced_win_limits = SearchLimits(depth or None, nodes or None, now + seconds)
        result = iterative_deepening.search(position, self._forced_win_limits)
        return ScoredLine(result.value, result.variation) if abs(result.value) > CERTAIN_THRESHOLD else None


def _clear_lead_in_playouts(position: GoFamilyPosition) -> float:
    """Return the log odds of won playouts that mean a clear lead. In Go they become smaller with each stone on the
    board.

    A player who is behind in Go still wins many playouts, but hardly any games.
    """
    if not position.game.scores_places:
        return 1.0
    stones = (position.board.black_mask | position.board.white_mask).bit_count()
    return 1 / (1 + _GO_WEIGHT * stones / (position.game.rows * position.game.cols))


def _values_with_lead(
    position: GoFamilyPosition, log_odds: Mapping[Move, float], lead: float, clear_lead: float
) -> dict[Move, float]:
    """Return the values of moves of Go, from their log odds of won playouts and the first player's expected lead.

    clear_lead: that of `_clear_lead_in_playouts`. The lead changes the values of all moves equally, since the lead
    after a single move is less certain.
    """
    own_lead = lead if position.to_move == BLACK else -lead
    added = (1 - clear_lead) * own_lead / math.sqrt(position.game.rows * position.game.cols)
    limit = _MAX_LOG_ODDS * clear_lead
    return {move: max(-limit, min(one + added, limit)) for move, one in log_odds.items()}


def _end_with_steady_lead(end: ExpectedEnd, shown_end: ExpectedEnd | None) -> ExpectedEnd:
    """Return an expected end with the lead that users see already, unless the lead has clearly changed."""
    if shown_end is not None and abs(end.lead - shown_end.lead) < max(_MIN_LEAD_CHANGE, end.error):
        return end._replace(lead=shown_end.lead)
    return end


def _distant_edge_points(position: GoFamilyPosition) -> set[Move]:
    """Return the points of Go near the edge that are far from all low stones, while much of a large board is empty.

    The result is empty on small boards and in other games.
    """
    rows, columns = position.game.rows, position.game.cols
    if not position.game.scores_places or min(rows, columns) < _MIN_LARGE_SIZE:
        return set()
    geometry, board = position.game.bit_geometry, position.board
    lines = {
        point: min(point.row, rows + 1 - point.row, point.column, columns + 1 - point.column)
        for point in geometry.points_in(geometry.full_mask)
    }
    stones = geometry.points_in(board.black_mask | board.white_mask)
    inner_count = sum(line > _EDGE_LINES for line in lines.values())
    inner_stone_count = sum(lines[stone] > _EDGE_LINES for stone in stones)
    if inner_count - inner_stone_count < _MIN_EMPTY_SHARE * inner_count:
        return set()
    low_stones = [stone for stone in stones if lines[stone] <= _LOW_LINES]
    return {
        point
        for point, line in lines.items()
        if line <= _EDGE_LINES
        and all(abs(point.row - stone.row) + abs(point.column - stone.column) > _MAX_EDGE_STEPS for stone in low_stones)
    }


def _reliable_moves(statistics: Sequence[Any]) -> list[Any]:
    """Return the moves whose results are not mostly chance; at least the first.

    A move needs a minimum of playouts. A move with the highest share of wins or the highest reward must have many
    playouts, too. The search prefers high rewards, so it soon gives this move more playouts, or finds that its results
    were chance.
    """
    most_visits = max(move.visits for move in statistics)
    often_tried = [move for move in statistics if move.is_proved or move.visits >= _MIN_FIRST_SHARE * most_visits]
    highest_share = max(move.steady_share for move in often_tried)
    highest_reward = max(move.steady_reward for move in often_tried)
    min_visits = max(_MIN_VALUE_VISITS, _MIN_VALUE_SHARE * most_visits)

    def is_plausible(move: Any) -> bool:
        is_below = move.steady_share <= highest_share and move.steady_reward <= highest_reward
        return move.visits >= min_visits and (move in often_tried or is_below)

    return [move for move in statistics if move.is_proved or is_plausible(move)] or list(statistics[:1])


def _missed_captures(
    position: GoFamilyPosition,
    fights: Sequence[Fight],
    lines: Sequence[ScoredLine],
    values: Mapping[Move, float],
    clear_lead: float,
) -> Iterator[str]:
    """Yield sentences on the captures that the first line neither makes nor prevents, and on the captures that no line
    makes.

    values: the values of moves that are not mostly chance. clear_lead: the value of a clear lead.
    """
    opponent, named_moves = side_name(position, 3 - position.to_move), set[Move]()
    for fight in fights:
        is_threat = fight.seat == position.to_move
        moves = sorted(fight.winning_moves(position.to_move), key=lambda move: -values.get(move, -math.inf))
        if not is_missed(position, fight, lines[0].variation[0]):
            continue
        if not is_threat and any(line.variation[0] in moves for line in lines):
            continue  # the reason for that line says it
        if moves[0] in named_moves:
            continue  # a move that saves a chain often captures another one
        named_moves.add(moves[0])
        chance = (
            f", with a win chance of {_whole_percent(values[moves[0]], clear_lead)} %" if moves[0] in values else ""
        )
        move = position.game.format(moves[0])
        verb = "kill" if fight.is_about_life else "capture"
        if is_threat:
            yield f"{opponent} could {verb} your {fight.stones}. {move} saves {_pronoun(fight)}{chance}."
        else:
            yield f"You could {verb} {opponent}'s {fight.stones} by {move}{chance}."


def _pronoun(fight: Fight) -> str:
    return "it" if fight.stones.startswith("stone ") else "them"


def _sort_key(
    line: ScoredLine, values: Mapping[Move, float], rewards: Mapping[Move, float], clear_lead: float
) -> tuple[bool, int, float]:
    """Return the key of a line, highest for the first one.

    Of chances that are equal in whole percent, or that decide the game alike, the reward is compared, in which points
    count. Moves without a value have no reward and keep their order. A pass that keeps a win comes first.
    """
    move, percent = line.variation[0], _whole_percent(line.value, clear_lead)
    limited = min(max(percent, _DECIDED_PERCENT), 100 - _DECIDED_PERCENT)
    return move in values, limited, rewards.get(move, math.inf if move is PASS else 0.0)


def _whole_percent(value: float, clear_lead: float) -> int:
    """Return the win chance of a value in whole percent, as users see it."""
    return round(_PERCENT * (1 + advantage(value, clear_lead)))


def _with_continuation(variation: tuple[Move, ...], tails: Mapping[tuple[Move, ...], Move]) -> tuple[Move, ...]:
    """Return a variation with the moves that `tails` has after it."""
    while (move := tails.get(variation)) is not None:
        variation = (*variation, move)
    return variation


def _keeps_win_by_passing(position: GoFamilyPosition, end: Any) -> bool:
    """Return whether the mover wins a finished game of Go, so that no move is better than a pass.

    The game is finished if the rules give nearly all points to the owner that the playouts expect: no stones are dead,
    and no capturing race is open. The function is needed because a pass has such a low prior in the tree that it gets
    no playout.
    """
    if not position.game.passing or (end.lead > 0) != (position.to_move == BLACK):
        return False
    black, white = position.board.territory_masks()
    black, white = black | position.board.black_mask, white | position.board.white_mask
    places = position.game.bit_geometry.index_of
    differing = sum(
        (black >> places[point] & 1) - (white >> places[point] & 1) != (owner > 0) - (owner < 0)
        for point, owner in end.owners.items()
    )
    if differing > _MAX_DIFFERING_SHARE * len(end.owners) or rescuing_points(position.board, position.to_move):
        return False
    next_position = position.play(PASS)
    outcome = next_position.outcome() or next_position.play(PASS).outcome()
    return outcome is not None and outcome.winner == position.to_move


def _capture_value(position: GoFamilyPosition, capture: Any) -> float:
    """Return the value of a move that alpha-beta search found in Capture Go; a proved result has a certain value.

    The search does not count the plies of a proof, so only an immediate capture has the exact number of plies.
    """
    if not capture.is_certain:
        return _log_odds(capture.win_share)
    if not capture.win_share:
        return float(2 - WIN_VALUE)
    return float(WIN_VALUE - (1 if position.play(capture.move).outcome() is not None else 3))


def _log_odds(win_share: float) -> float:
    """Return the log odds of a share of won playouts. `advantage` converts the log odds to 2 · share - 1."""
    share = min(max(win_share, _MIN_WIN_SHARE), 1 - _MIN_WIN_SHARE)
    return math.log(share / (1 - share))


class _BoxesAnalyst:
    def __init__(self, module: Any, game: Game) -> None:
        self.engine = module.BoxesPlayer(game, memory_mb=_BOXES_MEMORY_MB)
        self.interrupt = self.engine.interrupt

    def stream_analyses(
        self, position: DotsAndBoxesPosition, stop_at: float | None, nodes: int, depth: int, lines: int
    ) -> Iterator[PositionAnalysis]:
        started_at = monotonic()
        edges_left = len(position.game.edges) - position.drawn.bit_count()

        def proved_value(margin: float) -> float:
            return math.copysign(WIN_VALUE - edges_left, margin) if margin else 0.0

        for report in self.engine.stream_analyses(position, stop_at=stop_at, playouts=nodes, lines=lines):
            best_lines = [
                ScoredLine(proved_value(line.margin) if report.is_exact else _log_odds(line.steady_score), line.edges)
                for line in report.lines
            ]
            depth = len(best_lines[0].variation)
            analysis = PositionAnalysis(tuple(best_lines), depth, report.visited, monotonic() - started_at)
            if report.is_exact:  # the lines are in the order of their margins; all won lines have the same value
                sign = 1 if position.to_move == 1 else -1
                margins = {line.edges[0]: line.margin for line in report.lines} | dict(report.margins)
                leads = {edge: sign * margin for edge, margin in margins.items()}
                analysis = analysis._replace(
                    depth=edges_left,
                    move_values={edge: proved_value(margin) for edge, margin in margins.items()},
                    has_ranked_lines=True,
                    expected_end=ExpectedEnd(next(iter(leads.values())), 0.0, {}),
                    leads=leads,
                )
            yield analysis


_ANALYST_CLASSES: dict[str, Callable[[Any, Game], Analyst]] = {
    _GOMOKU_PACKAGE: _GomokuAnalyst,
    _GO_PACKAGE: _GoAnalyst,
    _BOXES_PACKAGE: _BoxesAnalyst,
}


def engine_package(game: Game) -> str | None:
    """Return the name of the package with the compiled engine for a game; None if there is no such engine."""
    if isinstance(game, Gomoku):
        return _GOMOKU_PACKAGE if game.line == 5 else None
    if isinstance(game, DotsAndBoxes):
        return _BOXES_PACKAGE if game.players == 2 and game.rows * game.cols <= _MAX_BOXES else None
    return _GO_PACKAGE if isinstance(game, GoFamilyGame) else None


class Engines:
    """The compiled engines of this process. The first search of a game loads the game's engine."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # an engine has only one board, so it serves one search at a time
        self._loading = dict[str, compiling.BackgroundLoad]()
        self._loading_lock = threading.Lock()  # two threads may ask for the same engine at once
        self._engine: Analyst | None = None
        self._game: Game | None = None  # the game of self._engine

    def begin_loading_for(self, game: Game) -> None:
        """Begin to load the engine for a game, if there is one. Another process compiles it first if necessary."""
        if (package := engine_package(game)) is not None and compiling.has_numba():
            self.begin_loading(package)

    def begin_loading(self, package: str) -> compiling.BackgroundLoad:
        """Begin to load the compiled code of a package if that has not begun yet."""
        with self._loading_lock:
            if package not in self._loading:
                self._loading[package] = compiling.BackgroundLoad(package)
            return self._loading[package]

    def call_when_loaded(self, game: Game, function: Callable[[], object]) -> bool:
        """Call `function` when the engine of a game is loaded. Return False if no engine is being loaded."""
        loading = self._loading.get(engine_package(game) or "")
        return loading is not None and loading.call_when_ended(function)

    def is_loading_for(self, game: Game) -> bool:
        """Return whether the engine for a game is being loaded."""
        loading = self._loading.get(engine_package(game) or "")
        try:
            return loading is not None and loading.wait(0.0) is None
        except Exception:  # the code could not be compiled
            return False

    def is_loaded_for(self, position: Position) -> bool:
        """Return whether the engine that can search a position is loaded, even if it serves another search now."""
        loading = self._loading.get(engine_package(position.game) or "")
        if loading is None or position.is_opening_turn:
            return False
        try:
            return loading.wait(0.0) is not None
        except Exception:  # the code could not be compiled
            return False

    def engine_for(self, game: Game, seconds: float) -> Analyst | None:
        """Return the engine for a game; None if there is no engine, or if loading takes longer than `seconds`.

        This method compiles the engine of Gomoku if necessary. The engines of other games must have been compiled
        earlier, or `begin_loading_for` must have begun to compile them.
        """
        if (package := engine_package(game)) is None or not compiling.has_numba():
            return None
        if package != _GOMOKU_PACKAGE and package not in self._loading and not compiling.is_compiled(package):
            return None
        try:
            module: Any = self.begin_loading(package).wait(seconds)
        except Exception:  # if the code cannot be compiled, the caller uses a weaker search
            return None
        if module is None:
            return None
        if self._engine is None or self._game != game:
            self._engine, self._game = _ANALYST_CLASSES[package](module, game), game
        return self._engine

    @contextmanager
    def reserve_engine(self, position: Position, seconds: float) -> Iterator[Analyst | None]:
        """Within this context, reserve the engine for the game of a position.

        Yields None if there is no engine, or if the engine is not loaded and free within `seconds`.
        """
        end_time = monotonic() + seconds
        if position.is_opening_turn or not self.lock.acquire(timeout=seconds):
            yield None
        else:
            try:
                yield self.engine_for(position.game, max(0.0, end_time - monotonic()))
            finally:
                self.lock.release()
